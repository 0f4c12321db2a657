"""The kinds of breakpoints, a line each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Place = Literal["executor", "edge", "join", "key"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of breakpoint. `place` is what its `where` names."""

    name: str
    place: Place


KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("before", "executor"),
        Kind("after", "executor"),
        Kind("message", "edge"),
        Kind("write", "key"),
        Kind("failure", "executor"),
        Kind("question", "executor"),
        Kind("fires", "join"),
        Kind("starves", "join"),
        Kind("output", "executor"),
    )
}
