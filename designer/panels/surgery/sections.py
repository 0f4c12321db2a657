"""The sections of Edit and fork: state, executors, queued messages, those held in joins,
and questions. Data alone, no widgets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from designer.panels.surgery.message_rows import message_rows
from designer.panels.surgery.rows import (
    Row,
    SectionRows,
    Source,
    Subject,
    Tag,
    changed_rows,
    child_rows,
    value_rows,
)
from runtime.debug.protocol import (
    JoinMoment,
    MessageMoment,
    Moment,
    PatchChange,
    RequestMoment,
    Value,
)
from runtime.values.words import counted

FEW = 8  # values that are all shown before anything is changed
_NO_VALUE = Value(type="None", text="None")


def sections_of(source: Source) -> list[SectionRows]:
    """Return all sections that have something, or can get it."""
    joins = [_join(source, join) for join in source.moment.joins]
    full = [section for section in joins if section.rows]
    empty = [section for section in joins if not section.rows]
    sections = [_state(source), _executors(source), _queue(source), *full]
    sections += [section for section in empty if section.key in source.opened.unfolded]
    sections.append(_requests(source))
    return [section for section in sections if section.rows or section.adds]


def empty_joins(source: Source) -> list[SectionRows]:
    """Return the joins that hold nothing, to which a message can be added."""
    return [
        section
        for section in (_join(source, join) for join in source.moment.joins)
        if not section.rows and section.key not in source.opened.unfolded
    ]


# --- state and executors ---


def _state(source: Source) -> SectionRows:
    value = source.moment.state
    children = source.children_of(value, ("state", ())) or value.children or ()
    subjects = [Subject("state", source.run, label) for label, _ in children]
    rows: list[Row] = []
    changes = _count(source, "state")
    all_shown = _is_unfolded(source, "state", len(children), changes)
    for number, (label, child) in enumerate(children):
        place = ("state", (number,))
        if all_shown:
            rows += value_rows(source, subjects[number], label, child, place)
        else:
            rows += changed_rows(source, subjects[number], label, child, place)
    for change in source.draft.changes:
        key = Subject("state", source.run, change.key)
        is_new = change.section == "state" and change.run == source.run
        if is_new and key not in subjects and not change.path:
            rows += value_rows(source, key, change.key, None, None)
    left = len(children) - len({row.subject.key for row in rows})
    return SectionRows(
        "state",
        "State",
        counted(value.count, "key"),
        tuple(rows),
        changes,
        max(0, left) if not all_shown else 0,
        can_fold=all_shown and len(children) > FEW,
        adds=Subject("state", source.run),
    )


def _executors(source: Source) -> SectionRows:
    changes = _count(source, "executors")
    rows: list[Row] = []
    own = [
        (name, state)
        for name, record in source.moment.executors.children or ()
        if (state := _own_state(record)) is not None
    ]
    all_shown = _is_unfolded(source, "executors", len(own), changes)
    for name, state in own:
        subject = Subject("executors", source.run, name)
        place = (f"own:{name}", ())
        title = source.title(name)
        if all_shown:
            rows += value_rows(source, subject, title, state, place)
        else:
            rows += changed_rows(source, subject, title, state, place)
    left = len(own) - len({row.subject.key for row in rows})
    return SectionRows(
        "executors",
        "Executors",
        f"{len(own)} with a state of their own",
        tuple(rows),
        changes,
        max(0, left) if not all_shown else 0,
        can_fold=all_shown and len(own) > FEW,
    )


def _own_state(record: Value) -> Value | None:
    """Return an executor's own state, if it has any."""
    state = dict(record.children or ()).get("state")
    return state if state is not None and state.count else None


def _is_unfolded(source: Source, key: str, count: int, changes: int) -> bool:
    if key in source.opened.unfolded:
        return True
    is_folded = f"{key} folded" in source.opened.closed
    return not changes and count <= FEW and not is_folded


def _count(source: Source, section: str, key: str | None = None) -> int:
    return sum(
        1
        for change in source.draft.changes
        if change.section == section
        and (key is None or change.key == key)
        and (section == "requests" or change.run == source.run)
    )


# --- messages ---


def _queue(source: Source) -> SectionRows:
    messages = [
        message for message in source.moment.messages if message.where == "queued"
    ]
    by_place: dict[int, list[MessageMoment]] = {}
    for message in messages:
        place = int(message.section.rpartition(":")[2])
        by_place.setdefault(place, []).append(message)
    about = Subject("queue", source.run)
    count = max(by_place, default=-1) + 1
    header = source.moment.header
    inside = 0
    if header is not None and not source.run:
        # The header counts those of sub-workflows too.
        if source.moment.messages_left_out:
            count = max(count, header.queued)
        inside = max(0, header.queued - count)
    rows = list(message_rows(source, about, by_place, count))
    if inside:
        words = f"{counted(inside, 'message')} inside of sub-workflows: double-click a node to look inside"
        rows.append(Row("notice", about, words))
    superstep = source.moment.superstep + 1
    return SectionRows(
        "queue",
        "Queued",
        f"in delivery order, for superstep {superstep}",
        tuple(rows),
        _count(source, "queue"),
        adds=about,
        count=count,
    )


def _join(source: Source, join: JoinMoment) -> SectionRows:
    key = join.key or join.edge
    by_place: dict[int, list[MessageMoment]] = {}
    for message in source.moment.messages:
        if message.where == "buffered" and message.edge == join.edge:
            by_place[len(by_place)] = [message]
    about = Subject("buffers", source.run, key)
    count = max(join.held, len(by_place))
    rows = message_rows(source, about, by_place, count)
    return SectionRows(
        f"buffers {key}",
        "Held in the join",
        f"into {source.title(join.target)}",
        tuple(rows),
        _count(source, "buffers", key),
        adds=about,
        count=count,
    )


# --- questions ---


def _requests(source: Source) -> SectionRows:
    rows: list[Row] = []
    for request in source.outer.requests:
        row = _request_row(source, request)
        rows.append(row)
        place = (f"request:{request.id}", ())
        if row.is_open:
            inside = child_rows(source, row.subject, request.data, place, 1)
            rows += inside if request.data.count else []
        else:
            changed = changed_rows(source, row.subject, "", request.data, place)
            rows += [replace(each, depth=1) for each in changed]
    return SectionRows(
        "requests",
        "Requests",
        f"{len(source.outer.requests)} open",
        tuple(rows),
        _count(source, "requests"),
    )


def _request_row(source: Source, request: RequestMoment) -> Row:
    subject = Subject("requests", (), request.id)
    changes = tuple(
        change
        for change in source.draft.changes
        if change.section == "requests" and change.key == request.id
    )
    tags = tuple(_request_tags(changes))
    row = Row(
        "request",
        subject,
        request.title,
        request.data,
        can_open=True,
        is_gone=any(change.do == "withdraw" for change in changes),
        ids=tuple(change.id for change in changes),
        tags=tags,
        note=source.title(request.executor),
        messages=source.messages_for(
            tuple(change for change in changes if change.do != "set")
        ),
        request=request,
    )
    for change in changes:
        if change.do == "answer":
            row = replace(row, new=change.value)
    return replace(row, is_open=row.name in source.opened.rows)


def _request_tags(changes: Sequence[PatchChange]) -> Iterator[Tag]:
    for change in changes:
        match change.do:
            case "answer":
                yield Tag(f"answered{_answer_words(change.value)}")
            case "withdraw":
                yield Tag("withdrawn", "bad")
            case "set":
                yield Tag("edited")


def _answer_words(answer: object) -> str:
    """Return the first words of an answer, if they are short."""
    if isinstance(answer, dict) and answer:
        answer = next(iter(answer.values()))
    text = str(answer)
    is_short = isinstance(answer, str | int | float) and len(text) <= 18
    return f": {text}" if is_short else ""


def moment_or_nothing(moment: Moment | None) -> Moment:
    return moment if moment is not None else Moment()
