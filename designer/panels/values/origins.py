"""Where a value of a tree comes from: which rows can be asked, and in which words."""

from __future__ import annotations

from typing import NamedTuple

from designer.panels.values.model import Node
from designer.session.session import DebugSession

QUESTION = "Where does this come from"
_NAMES = {
    "queue": "this message",
    "held": "this message",
    "output": "this output",
    "request": "this question",
    "own": "this state",
}


class OriginPlace(NamedTuple):
    """A value as `DebugSession.explain` names it, and its name in a sentence."""

    address: str
    path: tuple[int, ...]
    checkpoint_id: str | None
    name: str


def place_of(node: Node) -> OriginPlace | None:
    """Return the value that a row is, or is a part of, if it has an origin."""
    section, _, checkpoint_id = node.section.partition("@")
    kind, _, which = section.partition(":")
    if section == "state" and node.path:
        top = node
        while top.parent is not None and len(top.path) > 1:
            top = top.parent
        name = top.title or top.key
        return OriginPlace("state", node.path[:1], checkpoint_id or None, name)
    if kind in _NAMES and which:
        return OriginPlace(section, (), checkpoint_id or None, _NAMES[kind])
    return None


def ask_origin(session: DebugSession, node: Node) -> None:
    """Ask where the value of a row comes from."""
    place = place_of(node)
    if place is not None:
        session.explain(
            place.address,
            place.name,
            path=place.path,
            checkpoint_id=place.checkpoint_id,
        )
