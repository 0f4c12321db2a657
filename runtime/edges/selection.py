"""What the edge groups that select among their targets share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from runtime.edges.base import (
    NOT_SELECTED,
    TYPE_MISMATCH,
    Ask,
    EdgeGroup,
    SelectionFunction,
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
    """Return the targets that the message may go to: the one that it is addressed to,
    or all.
    """
    return target_ids if message.target_id is None else (message.target_id,)


def selected_ways(
    message: Message, target_ids: Sequence[str], selected: Iterable[str], ask: Ask
) -> list[Way]:
    """Return the ways of a group that selects: to each selected target that takes the
    value.
    """
    selected = frozenset(selected)
    ways = []
    for target in open_targets(message, target_ids):
        if target not in selected:
            ways.append(Way(target, NOT_SELECTED))
        elif ask.takes(target, message.data):
            ways.append(Way(target))
        else:
            ways.append(Way(target, TYPE_MISMATCH))
    return ways


def refused_ways(
    message: Message, target_ids: Sequence[str], ask: Ask
) -> list[Way] | None:
    """Return the ways of a message that no target takes, and None if some target does.

    A selection is not called with a value that no target takes.
    """
    targets = open_targets(message, target_ids)
    if any(ask.takes(target, message.data) for target in targets):
        return None
    return [Way(target, TYPE_MISMATCH) for target in targets]


def selected_by(
    selection: SelectionFunction, group: EdgeGroup, data: Any
) -> tuple[str, ...]:
    """Return the targets that a selection function names.

    Raise `InvalidSelectionError` for a name that is no target. An error of the function
    gets a note that names the edge group.
    """
    try:
        answer = selection(own_copy(selection, data), list(group.target_ids))
        selected = tuple(dict.fromkeys(at_once(answer)))
    except BaseException as error:
        blame(error, "A selection", f"in the selection of edge '{group.id}'")
        raise
    unknown = [target for target in selected if target not in group.targets]
    if unknown:
        raise InvalidSelectionError(group.id, unknown, group.target_ids)
    return selected


def drawn_selection(group: EdgeGroup, selection: Callable[..., Any]) -> Drawing:
    """Return the box of a group that selects, titled by its function."""
    name = drawn_name(name_of(selection))
    # A selection that was made of conditions has them by target.
    labels: dict[str, str] = getattr(selection, "labels", {})
    has_name = not labels and name != "conditional"
    title = f"any of: {name}" if has_name else "any of"
    ways = tuple((target, labels.get(target, "")) for target in group.target_ids)
    return selection_box(group.source_ids[0], ways, title)
