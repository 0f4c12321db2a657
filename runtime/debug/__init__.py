"""The debugger of workflows: the host that a window talks to, `listen` for programs of
one's own, and `breakpoint_here` for the code of handlers.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runtime.debug.remote.listener import Listener, listen
    from runtime.debug.stops.code import breakpoint_here

__all__ = ["Listener", "breakpoint_here", "listen"]
_HOMES = {
    "Listener": "runtime.debug.remote.listener",
    "breakpoint_here": "runtime.debug.stops.code",
    "listen": "runtime.debug.remote.listener",
}


def __getattr__(name: str) -> Any:
    # On demand, because a window imports the protocol alone.
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
