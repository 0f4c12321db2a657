"""What the edge groups that select among their targets share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from runtime.edges.base import (
    NOT_SELECTED,
    TYPE_MISMATCH,
    Ask,
    EdgeGroup,
    Way,
    at_once,
    drawn_name,
    name_of,
    own_copy,
)
from runtime.edges.drawing import Drawing, selection_box
from runtime.errors import InvalidSelectionError
from runtime.message import Message
from runtime.values.user_failures import blame


def open_targets(message: Message, target_ids: Sequence[str]) -> Sequence[str]:
    """Where the message may go at all: to the target that it is addressed to, or to all."""
    return target_ids if message.target_id is None else (message.target_id,)


def chosen(
    message: Message, target_ids: Sequence[str], selected: Iterable[str], ask: Ask
) -> list[Way]:
    """The ways of a group that selects: to each selected target that takes the value."""
    wanted = frozenset(selected)
    found = []
    for target in open_targets(message, target_ids):
        if target not in wanted:
            found.append(Way(target, NOT_SELECTED))
        else:
            found.append(
                Way(target, "" if ask.takes(target, message.data) else TYPE_MISMATCH)
            )
    return found


def untaken(message: Message, target_ids: Sequence[str], ask: Ask) -> list[Way] | None:
    """The ways of a message that no target takes: then a selection is not even asked. None when some target does."""
    open_to = open_targets(message, target_ids)
    if any(ask.takes(target, message.data) for target in open_to):
        return None
    return [Way(target, TYPE_MISMATCH) for target in open_to]


def selected_by(
    selection: Callable[[Any, list[str]], Iterable[str]], group: EdgeGroup, data: Any
) -> tuple[str, ...]:
    """What a selection function returns, checked. Its own errors get a note that names the edge group."""
    try:
        picked = tuple(
            dict.fromkeys(
                at_once(selection(own_copy(selection, data), list(group.target_ids)))
            )
        )
    except BaseException as error:
        blame(error, "A selection", f"in the selection of edge '{group.id}'")
        raise
    unknown = [one for one in picked if one not in group.targets]
    if unknown:
        raise InvalidSelectionError(group.id, unknown, group.target_ids)
    return picked


def drawn_selection(group: EdgeGroup, selection: Callable[..., Any]) -> Drawing:
    """Return the box of a group that selects, titled by its function."""
    name = drawn_name(name_of(selection))
    # A selection that was made of conditions has them by target.
    labels: dict[str, str] = getattr(selection, "labels", {})
    has_name = not labels and name != "conditional"
    title = f"any of: {name}" if has_name else "any of"
    ways = tuple((target, labels.get(target, "")) for target in group.target_ids)
    return selection_box(group.source_ids[0], ways, title)
