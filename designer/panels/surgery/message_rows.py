"""The messages of a queue or of a join, in the order in which they would be delivered,
with what is staged over each. Data alone, no widgets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from designer.model.staged_changes import Entry, order_of
from designer.panels.surgery.rows import (
    NOTHING,
    Row,
    Source,
    Subject,
    Tag,
    changed_rows,
    child_rows,
    value_rows,
)
from runtime.debug.protocol import MessageMoment, PatchChange
from runtime.values.words import counted

OUTSIDE = "internal:"  # before the source of a message from outside of the run


def message_rows(
    source: Source,
    about: Subject,
    by_place: dict[int, list[MessageMoment]],
    count: int,
) -> Iterator[Row]:
    """Yield the messages in the order of delivery. A dropped one stays where it was."""
    changes = source.draft.changes
    order = order_of(changes, about.change("drop"), count)
    positions = {entry: number for number, entry in enumerate(order, 1)}
    hidden = 0
    for entry in _with_dropped(order, count):
        subject = replace(about, entry=entry)
        messages = by_place.get(entry, []) if isinstance(entry, int) else []
        if isinstance(entry, int) and not messages:
            hidden += 1
            continue
        origin = _origin(source, entry, by_place)
        row = _message_row(source, subject, origin, positions.get(entry))
        yield row
        yield from _inside_message(source, row, origin)
    if hidden:
        words = f"{counted(hidden, 'more message')} not listed"
        yield Row("notice", about, words)


def _with_dropped(order: Sequence[Entry], count: int) -> list[Entry]:
    entries = list(order)
    for place in range(count):
        if place in entries:
            continue
        before = place - 1
        at = entries.index(before) + 1 if before in entries else 0
        entries.insert(at, place)
    return entries


def _origin(
    source: Source,
    entry: Entry,
    by_place: dict[int, list[MessageMoment]],
) -> tuple[list[MessageMoment], PatchChange | None]:
    """Return the original messages behind an entry, and the change that added it."""
    made = None
    while isinstance(entry, str):
        change = source.draft.change(entry)
        if change is None or change.do == "add" or change.spot is None:
            return [], change
        made = made or change
        entry = change.spot.added or change.spot.place or 0
    return by_place.get(entry, []), made


def _message_row(
    source: Source,
    subject: Subject,
    origin: tuple[list[MessageMoment], PatchChange | None],
    position: int | None,
) -> Row:
    messages, maker = origin
    # A duplicate is a row of its own, and no change of the message that it is of.
    changes = tuple(
        change for change in source.changes_of(subject) if change.do != "duplicate"
    )
    if maker is not None and maker.id == subject.entry:
        changes = (maker, *changes)
    first = messages[0] if messages else None
    new = maker.value if maker is not None and maker.do == "add" else NOTHING
    for change in changes:
        if change.do == "set" and not change.path:
            new = change.value
    sender = first.source if first is not None else ""
    targets = [message.target for message in messages if message.target]
    for change in changes:
        if change.do in ("address", "add"):
            sender = change.source if change.source is not None else sender
            targets = [change.target] if change.target is not None else []
    is_gone = any(change.do == "drop" for change in changes)
    row = Row(
        "message",
        subject,
        source.title(sender) if is_executor(sender) else "the input",
        first.data if first is not None else None,
        new,
        place=(first.section, ()) if first is not None else None,
        can_open=not is_gone,
        is_gone=is_gone,
        ids=tuple(change.id for change in changes),
        tags=tuple(_message_tags(source, changes, position)),
        position="–" if position is None else str(position),
        source=sender,
        target=targets[0] if len(targets) == 1 else "",
        note=_targets(source, first, targets),
        messages=source.messages_for(
            tuple(change for change in changes if not change.path or change.do != "set")
        ),
    )
    is_open = row.can_open and row.name in source.opened.rows
    return replace(row, is_open=is_open)


def is_executor(sender: str) -> bool:
    """Return whether an executor sent a message: it may come from outside of the run."""
    return bool(sender) and not sender.startswith(OUTSIDE)


def _targets(source: Source, first: MessageMoment | None, targets: list[str]) -> str:
    if targets:
        return "to " + ", ".join(map(source.title, dict.fromkeys(targets)))
    return first.note if first is not None else "by the edges"


def _message_tags(
    source: Source, changes: Sequence[PatchChange], position: int | None
) -> Iterator[Tag]:
    is_wrong = any(source.problems.get(change.id) for change in changes)
    words = {
        "drop": "dropped",
        "duplicate": "duplicate",
        "add": "added",
        "move": _moved_words(changes, position),
        "address": "addressed",
        "set": "edited",
        "remove": "edited",
    }
    seen: set[str] = set()
    for change in changes:
        text = words.get(change.do, "")
        if text and text not in seen:
            seen.add(text)
            role = "bad" if is_wrong or change.do == "drop" else "accent"
            yield Tag(text, role)


def _moved_words(changes: Sequence[PatchChange], position: int | None) -> str:
    for change in changes:
        if change.do == "move" and change.spot is not None:
            before = change.spot.place
            if before is not None and change.to is not None and position is not None:
                return "moved up" if change.to < before else "moved down"
    return "moved"


def _inside_message(
    source: Source, row: Row, origin: tuple[list[MessageMoment], PatchChange | None]
) -> Iterator[Row]:
    """Yield what is inside of an open message; of a closed one what is changed."""
    messages, maker = origin
    value = messages[0].data if messages else None
    if row.is_gone:
        return
    if not row.is_open:
        changed = changed_rows(source, row.subject, "", value, row.place)
        is_added = maker is not None and maker.do == "add"
        if is_added:
            changed = value_rows(source, row.subject, "value", None, None)
            changed = [replace(each, new=row.new) for each in changed]
        for each in changed:
            yield replace(each, depth=1, tags=())
        return
    is_as_json = f"value {row.subject.name}" in source.opened.as_json
    if (
        value is None
        or row.new is not NOTHING
        or is_as_json
        or not value.count
        or value.type == "str"
    ):
        (inner, *_) = value_rows(source, row.subject, "value", value, row.place, 1)
        new = inner.new if row.new is NOTHING else row.new
        yield replace(inner, new=new, tags=(), can_open=False)
    else:
        yield from child_rows(source, row.subject, value, row.place, 1)
