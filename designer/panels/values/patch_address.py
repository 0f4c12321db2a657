"""What a row of the values of a run is in a patch: so that it can be edited in a copy."""

from __future__ import annotations

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QMenu

from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.model.patch_address import Address
from designer.panels.values.model import Node
from runtime.debug.protocol import Moment, OriginStep

EDIT = "Edit this in a copy"
_BY_PLACE = ("list", "tuple", "deque")


def address_of(node: Node, moment: Moment | None) -> Address | None:
    """Return what a row is in a patch; None for one that no patch changes. A row of
    another checkpoint than the shown one is none either.
    """
    if "@" in node.section:
        return None
    kind, _, name = node.section.partition(":")
    path = _path_of(node)
    match kind:
        case "state" if path:
            return Address("state", str(path[0]), path[1:])
        case "own":
            return Address("executors", name, path)
        case "request":
            return Address("requests", name, path)
        case "queue" if name.isdecimal():
            return Address("queue", "", path, int(name))
        case "held" if moment is not None:
            return _held(node.section, path, moment)
    return None


def place_of_step(step: OriginStep) -> tuple[str, Address] | None:
    """Return the checkpoint in which a step of an origin can be edited, and what it is
    in a patch of it; None for an output, and inside of a sub-workflow or a join.
    """
    item = step.item
    if step.item_runs or item.checkpoint_id is None:
        return None
    kind, _, name = item.section.partition(":")
    match kind:
        case "state" if item.name:
            # Where it was written, and not where it was read, so that everything after
            # that reads the new value.
            is_here = step.checkpoint_id is not None and not step.runs
            written = step.checkpoint_id if is_here else item.checkpoint_id
            return written or item.checkpoint_id, Address("state", item.name)
        case "own":
            return item.checkpoint_id, Address("executors", name)
        case "request":
            return item.checkpoint_id, Address("requests", name)
        case "queue" if name.isdecimal():
            return item.checkpoint_id, Address("queue", message=int(name))
    return None


def _path_of(node: Node) -> tuple[str | int, ...]:
    """Return the keys, fields and places from the root of its section to a row."""
    steps: list[str | int] = []
    child = node
    while child.parent is not None and len(child.path) > len(child.parent.path):
        if child.parent.section != child.section:
            break
        value = child.parent.value
        is_place = value is not None and value.type in _BY_PLACE
        steps.append(
            int(child.key) if is_place and child.key.isdecimal() else child.key
        )
        child = child.parent
    return tuple(reversed(steps))


def _held(section: str, path: tuple[str | int, ...], moment: Moment) -> Address | None:
    keys = {join.edge: join.key or join.edge for join in moment.joins}
    places: dict[str, int] = {}
    for message in moment.messages:
        if message.where != "buffered":
            continue
        place = places.get(message.edge, 0)
        places[message.edge] = place + 1
        if message.section == section:
            return Address("buffers", keys.get(message.edge, ""), path, place)
    return None


def offer_copy(
    menu: QMenu, node: Node, moment: Moment | None, look: Look, edit: SignalInstance
) -> None:
    """Add to the menu of a row that it can be edited in a copy: `edit` carries where."""
    address = address_of(node, moment)
    if address is not None:
        menu.addAction(themed_icon("pencil", look), EDIT, lambda: edit.emit(address))
