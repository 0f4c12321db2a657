"""Imports the modules of the first check and the first layout in another thread.

Together they take half a second. In the window's thread that would be one long stall
just after a workflow is opened.
"""

from __future__ import annotations

from importlib import import_module
from threading import Thread

MODULES = (
    "jsonschema",
    "networkx",
    "runtime.expressions.cel_library",
    "designer.model.layout.layered",
)

_thread: Thread | None = None


def start() -> None:
    """Begin, once. Not a daemon: an import must not be cut off by the end of the
    process.
    """
    global _thread  # noqa: PLW0603 - modules are imported once for a process, too
    if _thread is None:
        _thread = Thread(target=_load, name="warm-up")
        _thread.start()


def is_busy() -> bool:
    """Whether to wait: who needs one of the modules now would stand still until it is
    there.
    """
    return _thread is not None and _thread.is_alive()


def _load() -> None:
    for name in MODULES:
        try:
            import_module(name)
        except ImportError:
            # The check or the layout reports it, where the user sees it.
            continue
