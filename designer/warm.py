"""Imports that the first check and the first layout need, made beside the window instead of in its way.

Together they take most of a second (the CEL package brings its whole command line with it); on the window's own thread
that would be one long stall just after a workflow was opened.
"""

from __future__ import annotations

from importlib import import_module
from threading import Thread

MODULES = ("jsonschema", "networkx", "cel", "designer.model.layout.layered")

_thread: Thread | None = None


def start() -> None:
    """Begin, once. Not a daemon: an import must not be cut off by the end of the process."""
    global _thread  # noqa: PLW0603 - modules are imported once for a process, too
    if _thread is None:
        _thread = Thread(target=_load, name="warm-up")
        _thread.start()


def is_busy() -> bool:
    """Whether to wait: who needs one of the modules now would stand still until it is there."""
    return _thread is not None and _thread.is_alive()


def _load() -> None:
    for name in MODULES:
        try:
            import_module(name)
        except ImportError:
            # Whoever needs it says so, where it can be shown.
            continue
