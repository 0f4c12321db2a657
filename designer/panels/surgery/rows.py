"""The rows of Edit and fork, as data: each section of a checkpoint with what is staged
over it. No widgets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import Any, Literal

from designer.model.plain_values import NotSentError, plain_of
from designer.model.staged_changes import Draft, Entry, entry_of, spot_of
from runtime.debug.protocol import Moment, PatchChange, RequestMoment, Value

Section = Literal["state", "executors", "queue", "buffers", "requests"]
Path = tuple[str | int, ...]
Place = tuple[str, tuple[int, ...]]  # section of `expand`, positions in it
Children = tuple[tuple[str, Value], ...]
Title = Callable[[str], str]
SCALARS = ("str", "int", "float", "bool", "None")
_BY_PLACE = ("list", "tuple", "deque")


class Nothing(Enum):
    """There is no new value."""

    NOTHING = "nothing"


NOTHING = Nothing.NOTHING


@dataclass(frozen=True, slots=True)
class Subject:
    """What a row is about, and what a change of it names."""

    section: Section
    run: tuple[str, ...] = ()
    key: str = ""
    entry: Entry | None = None
    path: Path = ()

    def change(self, do: Any, **fields: Any) -> PatchChange:
        """Return a change of this without an id, which staging gives it."""
        spot = spot_of(self.entry) if self.entry is not None else None
        return PatchChange(
            id="",
            do=do,
            section=self.section,
            run=self.run,
            key=self.key,
            spot=spot,
            path=self.path,
            **fields,
        )

    @property
    def whole(self) -> Subject:
        """The message, key or question that this is a part of."""
        return Subject(self.section, self.run, self.key, self.entry)

    @property
    def name(self) -> str:
        parts = (*self.run, self.section, self.key, str(self.entry), *self.path)
        return "|".join(map(str, parts))


@dataclass(frozen=True, slots=True)
class Tag:
    """Words for what becomes of a row, and their colour role."""

    words: str
    role: str = "accent"


@dataclass(frozen=True)
class Row:
    """One row.

    place     where `expand` finds the value; None for what is not in the original
    old       the value in the original; None for what is added
    new       the new value as JSON, or NOTHING
    ids       the changes of this row alone, which its undo takes back
    position  of a message in the order of delivery, "–" for a dropped one
    messages  what is wrong, or worth knowing, as (text, whether it is wrong)
    """

    kind: Literal["value", "message", "request", "notice"]
    subject: Subject
    title: str
    old: Value | None = None
    new: Any = NOTHING
    depth: int = 0
    place: Place | None = None
    can_open: bool = False
    is_open: bool = False
    is_gone: bool = False
    ids: tuple[str, ...] = ()
    tags: tuple[Tag, ...] = ()
    position: str = ""
    source: str = ""
    target: str = ""
    note: str = ""
    messages: tuple[tuple[str, bool], ...] = ()
    request: RequestMoment | None = None

    @property
    def name(self) -> str:
        """What tells it from every other row."""
        return f"{self.kind} {self.subject.name}"

    @property
    def is_wrong(self) -> bool:
        return any(is_wrong for _text, is_wrong in self.messages)


@dataclass(frozen=True)
class SectionRows:
    """One section: its rows, how many changes it has, and how many rows are folded.

    adds   the queue or join to which a message can be added
    count  how many messages there are in the original, listed or not
    """

    key: str
    title: str
    note: str
    rows: tuple[Row, ...]
    changes: int = 0
    folded: int = 0
    can_fold: bool = False
    adds: Subject | None = None
    count: int = 0


@dataclass
class Opened:
    """What the user has opened: rows by their names, and sections that show their
    unchanged rows too.
    """

    rows: set[str] = field(default_factory=set)
    unfolded: set[str] = field(default_factory=set)
    closed: set[str] = field(default_factory=set)  # sections
    # Whole values that are shown as JSON to be typed over, by the names of their rows.
    as_json: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Source:
    """What the rows are made from.

    moment    the level that is shown, as it is in the checkpoint
    outer     the outermost moment, which has the questions
    run       the keys that lead to the level
    children  the children of values that were asked for, by their places
    problems, warnings   what the host says of each change
    """

    moment: Moment
    outer: Moment
    run: tuple[str, ...]
    draft: Draft
    problems: Mapping[str, tuple[str, ...]]
    warnings: Mapping[str, tuple[str, ...]]
    children: Mapping[Place, Children]
    opened: Opened
    title: Title

    @cached_property
    def _changes(self) -> Mapping[Subject, tuple[PatchChange, ...]]:
        """The changes of each message, key and question."""
        changes: dict[Subject, tuple[PatchChange, ...]] = {}
        for change in self.draft.changes:
            whole = Subject(change.section, change.run, change.key, entry_of(change))
            changes[whole] = (*changes.get(whole, ()), change)
        return changes

    def changes_at(self, subject: Subject) -> tuple[PatchChange, ...]:
        """Return the changes of exactly this place."""
        changes = self.changes_of(subject)
        return tuple(change for change in changes if change.path == subject.path)

    def changes_of(self, subject: Subject) -> tuple[PatchChange, ...]:
        """Return all changes of a message, key or question."""
        return self._changes.get(subject.whole, ())

    def messages_for(
        self, changes: tuple[PatchChange, ...]
    ) -> tuple[tuple[str, bool], ...]:
        wrong = [
            (text, True)
            for change in changes
            for text in self.problems.get(change.id, ())
        ]
        notes = [
            (text, False)
            for change in changes
            for text in self.warnings.get(change.id, ())
        ]
        return (*wrong, *notes)

    def children_of(self, value: Value, place: Place | None) -> Children | None:
        """Return the children of a value; None if they have to be asked for."""
        if value.children is not None and len(value.children) >= value.count:
            return value.children
        if place is None:
            return value.children or ()
        return self.children.get(place)


def value_row(
    source: Source,
    subject: Subject,
    title: str,
    value: Value | None,
    place: Place | None,
    depth: int = 0,
) -> Row:
    """Return the row of a value: as it is, as it will be, or removed."""
    changes = source.changes_at(subject)
    new: Any = NOTHING
    is_gone = False
    for change in changes:
        if change.do == "set":
            new = change.value
        elif change.do == "remove":
            is_gone = True
    name = f"value {subject.name}"
    if not changes and name in source.opened.as_json:
        new = source.opened.as_json[name]
    tags: tuple[Tag, ...] = ()
    if is_gone:
        tags = (Tag("removed", "bad"),)
    elif value is None and changes:
        tags = (Tag("added"),)
    can_open = value is not None and value.count > 0 and new is NOTHING and not is_gone
    can_open = can_open and value is not None and value.type != "str"
    row = Row(
        "value",
        subject,
        title,
        value,
        new,
        depth,
        place,
        can_open=can_open,
        is_gone=is_gone,
        ids=tuple(change.id for change in changes),
        tags=tags,
        messages=source.messages_for(changes),
    )
    return replace(row, is_open=can_open and row.name in source.opened.rows)


def value_rows(
    source: Source,
    subject: Subject,
    title: str,
    value: Value | None,
    place: Place | None,
    depth: int = 0,
) -> list[Row]:
    """Return the row of a value, and of what is inside of it, as far as it is open."""
    row = value_row(source, subject, title, value, place, depth)
    rows = [row]
    if row.is_open and value is not None:
        rows += child_rows(source, subject, value, place, depth + 1)
    return rows


def child_rows(
    source: Source, subject: Subject, value: Value, place: Place | None, depth: int
) -> list[Row]:
    """Return the rows inside of a value; a notice while they are asked for."""
    children = source.children_of(value, place)
    if children is None:
        return [Row("notice", subject, "Loading…", depth=depth, place=place)]
    rows: list[Row] = []
    for number, (label, child) in enumerate(children):
        step: str | int = int(label) if _is_by_place(value, label) else label
        inside = Subject(
            subject.section,
            subject.run,
            subject.key,
            subject.entry,
            (*subject.path, step),
        )
        inner = (place[0], (*place[1], number)) if place is not None else None
        rows += value_rows(source, inside, label, child, inner, depth)
    if len(children) < value.count:
        left = value.count - len(children)
        rows.append(
            Row("notice", subject, f"{left:,} more are not listed", depth=depth)
        )
    return rows


def _is_by_place(value: Value, label: str) -> bool:
    return value.type in _BY_PLACE and label.isdecimal()


def changed_rows(
    source: Source,
    subject: Subject,
    title: str,
    value: Value | None,
    place: Place | None,
) -> list[Row]:
    """Return only the changed values inside of a value, each with the way to it."""
    rows = []
    for change in source.changes_of(subject):
        if change.do not in ("set", "remove"):
            continue
        found, inner = _value_at(source, value, place, change.path)
        words = ".".join((title, *map(str, change.path))) if title else ""
        words = words or ".".join(map(str, change.path)) or "value"
        at = Subject(
            subject.section, subject.run, subject.key, subject.entry, change.path
        )
        row = value_row(source, at, words, found, inner)
        if found is None and change.was is not None:
            # It is deeper than what was loaded, so it is no new one.
            row = replace(row, tags=(), note=str(change.was))
        rows.append(row)
    return rows


def _value_at(
    source: Source, value: Value | None, place: Place | None, path: Path
) -> tuple[Value | None, Place | None]:
    """Return the value at a path, and its place, as far as it was sent."""
    for step in path:
        if value is None:
            return None, None
        children = source.children_of(value, place) or ()
        labels = [label for label, _ in children]
        if str(step) not in labels:
            return None, None
        number = labels.index(str(step))
        value = children[number][1]
        place = (place[0], (*place[1], number)) if place is not None else None
    return value, place


def known_value(value: Value | None) -> Any:
    """Return a value as JSON if all of it was sent; NOTHING otherwise."""
    if value is None or value.type not in SCALARS:
        return NOTHING
    try:
        return plain_of(value)
    except NotSentError:
        return NOTHING
