"""`break` in words: `break [KIND] WHERE [if CONDITION] [log TEXT]`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, get_args

from runtime.debug.protocol import Breakpoint, BreakpointKind
from runtime.errors import CommandError

KINDS: tuple[str, ...] = get_args(BreakpointKind)
_WORDS = re.compile(
    r"(?:(?P<kind>" + "|".join(KINDS) + r")\b\s*)?"
    r"(?P<where>.*?)"
    r"(?:\s*\bif\s+(?P<condition>.+?))?"
    r"(?:\s*\blog\s+(?P<log>.+))?",
    re.DOTALL,
)


def breakpoint_of(
    words: str,
    number: int,
    definition: Mapping[str, Any] | None,
    inside: tuple[str, ...] = (),
) -> Breakpoint:
    """Return the breakpoint that the words mean; without a kind it is before a node, or
    on an edge of the definition. `review/merge` is a node in a sub-workflow. Raise
    `CommandError`.
    """
    match = _WORDS.fullmatch(words.strip())
    if match is None:
        raise CommandError("break [KIND] WHERE [if CONDITION] [log TEXT]")
    where = match["where"].strip()
    kind = match["kind"] or ""
    *way, node = where.split("/")
    if way and kind != "write" and not _kind_at(where, definition or {}):
        inside = (*inside, *(step.partition("#")[0].strip() for step in way))
        where = node.strip()
        kind = kind or "before"
    kind = kind or _kind_at(where, definition or {})
    if not kind:
        raise CommandError(
            f"There is no node or edge {where!r}. In a sub-workflow: break NODE/{where}. "
            "For something else name the kind, such as: break write KEY. "
            f"Kinds: {', '.join(KINDS)}"
        )
    return Breakpoint.model_validate(
        {
            "id": str(number),
            "kind": kind,
            "where": where,
            "inside": inside,
            "condition": match["condition"] or "",
            "log": match["log"] or "",
        }
    )


def _kind_at(where: str, definition: Mapping[str, Any]) -> str:
    """Return the kind of a breakpoint at an edge or a node; "" for none of them."""
    if where in {edge["id"] for edge in definition.get("edges", ())}:
        return "message"
    if where in {node["id"] for node in definition.get("nodes", ())}:
        return "before"
    return ""
