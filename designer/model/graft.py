"""What takes a difference between A and B over into a copy of A.

The value itself is read from B by the host, because the window has only its beginning.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from designer.model.patch_address import Address
from runtime.debug.protocol import (
    ChangeItem,
    MessageMoment,
    Moment,
    PatchChange,
    Spot,
    Value,
)

_STEP = re.compile(
    r"\['(?:[^'\\]|\\.)*'\]|\[\"(?:[^\"\\]|\\.)*\"\]|\[(?P<place>\d+)\]|\.(?P<name>[^.\[]+)"
)
OTHER_LEVEL = "It is inside of a sub-workflow. Go into it first."
ELSEWHERE = "The message is in another section of A. Drop it there, and add it here."
NOT_FOUND = "The message is not listed, because there are too many."
NO_PATCH = {
    "outputs": "What was put out stays as it was put out.",
    "graph": "The graph is no part of a copy. Change the drawing.",
    "header": "It is a fact about the checkpoint.",
}


class Sought(NamedTuple):
    """A message by what is known of it: where it waits, from whom, and its value."""

    section: str
    edge: str
    source: str
    value: Value


class Graft(NamedTuple):
    """What is staged over A.

    change    without the value that B has, and without the place of a message of A
    read      what B has: a change of it at the place whose value is taken over
    message   the message of A that the change is about
    """

    change: PatchChange
    read: PatchChange | None = None
    message: Sought | None = None

    @property
    def address(self) -> Address:
        """Where the change is, to go there."""
        change = self.change
        place = change.spot.place if change.spot is not None else None
        return Address(change.section, change.key, change.path, place)


class NoGraft(NamedTuple):
    """Why a difference cannot be taken over."""

    reason: str


def graft_of(
    change: ChangeItem, other: Moment, run: tuple[str, ...]
) -> Graft | NoGraft:
    """Return what takes a difference over. `other` is B at the shown level, and `run`
    leads to that level.
    """
    if change.section in NO_PATCH:
        return NoGraft(NO_PATCH[change.section])
    match change.section:
        case "state" | "executors":
            return _of_value(change, (*run, *change.way))
        case "messages" | "joins":
            if change.way:
                return NoGraft(OTHER_LEVEL)
            return _of_message(change, other, run)
        case "requests":
            return _of_question(change)
    return NoGraft("No patch changes this.")


def _of_value(change: ChangeItem, run: tuple[str, ...]) -> Graft | NoGraft:
    steps = steps_of(change.path)
    if not steps:
        return NoGraft("The place of this difference is not known.")
    key = str(steps[0]).rpartition("/")[2]
    path = steps[1:]
    section = "state"
    if change.section == "executors":
        if path[:1] != ("state",):
            return NoGraft("How often an executor has run is no value that it keeps.")
        section = "executors"
        path = path[1:]
    # Of a list all is taken over, because places in two lists do not match.
    places = [place for place, step in enumerate(path) if isinstance(step, int)]
    is_part = bool(places)
    if is_part:
        path = path[: places[0]]
    where = {"section": section, "run": run, "key": key, "path": path}
    if change.kind == "removed" and not is_part:
        return Graft(PatchChange(id="", do="remove", **where))
    setting = PatchChange(id="", do="set", **where)
    return Graft(setting, read=setting.model_copy(update={"id": "read"}))


def steps_of(path: str) -> tuple[str | int, ...]:
    """Return the keys, places and fields of a path: `['draft'][0].title`; () for one
    that cannot be read.
    """
    steps: list[str | int] = []
    end = 0
    for found in _STEP.finditer(path):
        if found.start() != end:
            return ()
        end = found.end()
        place, name = found.group("place"), found.group("name")
        if place is not None:
            steps.append(int(place))
        elif name is not None:
            steps.append(name)
        else:
            quoted = found.group()[1:-1]
            steps.append(str(ast.literal_eval(quoted)))
    return tuple(steps) if end == len(path) else ()


def _of_message(
    change: ChangeItem, other: Moment, run: tuple[str, ...]
) -> Graft | NoGraft:
    section = "queue" if change.section == "messages" else "buffers"
    key = ""
    if section == "buffers":
        key = next(
            (join.key for join in other.joins if join.edge == change.edge), change.edge
        )
    where = {"section": section, "run": run, "key": key}
    value = change.new or change.old
    if value is None:
        return NoGraft(NOT_FOUND)
    sought = Sought(section, change.edge, change.source, value)
    if change.kind == "removed":
        return Graft(PatchChange(id="", do="drop", **where), message=sought)
    place = place_of(sought, other)
    if place is None:
        return NoGraft(NOT_FOUND)
    if change.kind == "moved":
        if " of " not in change.before:
            return NoGraft(ELSEWHERE)
        return Graft(PatchChange(id="", do="move", to=place, **where), message=sought)
    target = change.executor or None if section == "queue" else None
    adding = PatchChange(
        id="", do="add", source=change.source or None, target=target, **where
    )
    read = PatchChange(id="read", do="set", spot=Spot(place=place), **where)
    return Graft(adding, read=read)


def place_of(sought: Sought, moment: Moment) -> int | None:
    """Return the place of a message in its queue or join; None if it is not listed."""
    held: list[MessageMoment] = []
    for message in moment.messages:
        if sought.section == "queue":
            if message.where == "queued" and _is_same(message, sought):
                return int(message.section.rpartition(":")[2])
        elif message.where == "buffered" and message.edge == sought.edge:
            held.append(message)
    for place, message in enumerate(held):
        if _is_same(message, sought):
            return place
    return None


def _is_same(message: MessageMoment, sought: Sought) -> bool:
    value = message.data
    other = sought.value
    return message.source == sought.source and (
        value.type,
        value.text,
        value.count,
    ) == (other.type, other.text, other.count)


def _of_question(change: ChangeItem) -> Graft | NoGraft:
    steps = steps_of(change.path)
    if not steps:
        return NoGraft("The place of this difference is not known.")
    key = str(steps[0])
    if change.after.startswith("answered"):
        return NoGraft(
            "Answer the question in a copy of A: the answer is not kept here."
        )
    if change.before or change.kind == "added":
        return NoGraft("A is behind this question. Graft what made it ask.")
    if change.kind == "removed":
        return Graft(PatchChange(id="", do="withdraw", section="requests", key=key))
    setting = PatchChange(
        id="", do="set", section="requests", key=key, path=_without_places(steps[1:])
    )
    return Graft(setting, read=setting.model_copy(update={"id": "read"}))


def _without_places(path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    for place, step in enumerate(path):
        if isinstance(step, int):
            return path[:place]
    return path
