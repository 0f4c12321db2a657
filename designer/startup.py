"""Checks whether a window can open here, before Qt aborts the process.

Qt ends the program if a library of its platform plugin is missing or the display cannot
be reached, and one release of PySide6 aborts after some thousand calls on older
Pythons. For each of these there is a sentence here, with the remedy.
"""

from __future__ import annotations

import ctypes
import os
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

LIBRARIES = (
    "libglib2.0-0 libgl1 libegl1 libdbus-1-3 libfontconfig1 libxkbcommon0 "
    "libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0 libxkbcommon-x11-0"
)
_COMMANDS = "The commands work without one: stepwell --help"
_PLACE = "Set STEPWELL_DATA_DIR to a folder that can be."
_APT = f"On Debian or Ubuntu: apt-get install --no-install-recommends {LIBRARIES}"


def window_problem() -> str | None:
    """Return why no window can open, in a sentence with the remedy; None if one can."""
    return binding_problem() or display_problem() or data_problem()


def binding_problem() -> str | None:
    """Return why Qt cannot be used at all, not even off screen; None if it can."""
    try:
        version = metadata.version("PySide6-Essentials")
    except metadata.PackageNotFoundError:
        return "PySide6 is not installed. Install it: pip install PySide6-Essentials"
    return bad_pair(version, sys.version_info[:2]) or _import_problem()


def bad_pair(qt_version: str, python: tuple[int, int]) -> str | None:
    """Return why a release of PySide6 does not work with a Python.

    PySide6 6.12 loses a reference to None in every void call. Before Python 3.12, None
    is not immortal, and is deleted.
    """
    release = tuple(int(part) for part in qt_version.split(".")[:2])
    if release >= (6, 12) and python < (3, 12):
        version = ".".join(map(str, python))
        return (
            f"PySide6 {qt_version} aborts on Python {version} after a few thousand calls. "
            'Install another one: pip install "PySide6-Essentials<6.12", or use Python 3.12 or newer.'
        )
    return None


def _import_problem() -> str | None:
    try:
        import PySide6.QtSvg
        import PySide6.QtWidgets  # noqa: F401
    except ImportError as error:
        return f"Qt cannot be loaded: {error}. {_APT}"
    return None


def display_problem() -> str | None:
    platform = os.environ.get("QT_QPA_PLATFORM", "").split(":")[0]
    if sys.platform != "linux" or platform not in {"", "xcb", "wayland"}:
        return None
    if os.environ.get("WAYLAND_DISPLAY"):
        return None
    if not os.environ.get("DISPLAY"):
        return (
            f"There is no display: DISPLAY and WAYLAND_DISPLAY are not set. {_COMMANDS}"
        )
    return _plugin_problem() or _connection_problem()


def data_problem() -> str | None:
    """Return why there is no folder for settings, recovery files and runs of unsaved
    workflows.
    """
    from runtime.system.user_folders import data_dir

    try:
        folder = data_dir()
    except OSError as error:
        return f"There is no place for the window's own data: {error}. {_PLACE}"
    if os.access(folder, os.W_OK):
        return None
    return f"The folder {folder} cannot be written. {_PLACE}"


def _plugin_problem() -> str | None:
    """Load Qt's X11 plugin as a plain library, because the loader names what is missing
    then.
    """
    spec = find_spec("PySide6")
    roots = spec.submodule_search_locations if spec else None
    plugin = Path(next(iter(roots or [""]))) / "Qt/plugins/platforms/libqxcb.so"
    if not plugin.exists():
        return None
    try:
        ctypes.CDLL(str(plugin))
    except OSError as error:
        return f"Qt's X11 plugin cannot be loaded: {error}. {_APT}"
    return None


def _connection_problem() -> str | None:
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return None
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connection_has_error.argtypes = xcb.xcb_disconnect.argtypes = [
        ctypes.c_void_p
    ]
    connection = xcb.xcb_connect(None, None)
    has_error = bool(xcb.xcb_connection_has_error(connection))
    xcb.xcb_disconnect(connection)
    if has_error:
        return f"The display {os.environ['DISPLAY']} cannot be reached: check DISPLAY. {_COMMANDS}"
    return None
