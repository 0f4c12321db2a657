"""The debugger of workflows: the host that a window talks to, and `listen` for programs
of one's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runtime.debug.listener import Listener, listen

__all__ = ["Listener", "listen"]


def __getattr__(name: str) -> Any:
    # On demand, because a window imports the protocol alone.
    if name in __all__:
        from runtime.debug import listener

        return getattr(listener, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
