"""Sets of shortcuts of other programs. Commands that a set does not name keep the keys
of Stepwell.

Sources: the keymaps of Visual Studio Code and of IntelliJ IDEA (Windows and Linux) as
they are shipped; Blender's default keymap; Nuke's and Houdini's keys for node graphs. A
set names only commands that exist here, and has no clashes: a command that loses a key
to another one is named with the keys that it keeps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from designer.shell.settings.settings import OUR_KEYS

OURS = OUR_KEYS


class Preset(NamedTuple):
    title: str
    keys: Mapping[str, tuple[str, ...]] = {}


PRESETS: Mapping[str, Preset] = {
    OURS: Preset("Stepwell"),
    "vscode": Preset(
        "VS Code",
        {
            "commands": ("Ctrl+Shift+P", "F1", "Ctrl+P"),
            "help": ("Ctrl+F1",),
            "close": ("Ctrl+W", "Ctrl+F4"),
            "next-tab": ("Ctrl+Tab", "Ctrl+PgDown"),
            "previous-tab": ("Ctrl+Shift+Tab", "Ctrl+PgUp"),
            "layout": ("Ctrl+Shift+I", "Ctrl+L"),
            "redo": ("Ctrl+Y", "Ctrl+Shift+Z"),
        },
    ),
    "jetbrains": Preset(
        "JetBrains",
        {
            "run": ("Shift+F9", "F9"),
            "pause": ("Ctrl+Pause",),
            "stop": ("Ctrl+F2",),
            "superstep": ("F8",),
            "breakpoint": ("Ctrl+F8",),
            "edit-breakpoint": ("Ctrl+Shift+F8",),
            "watch": ("Alt+Shift+F9",),
            "delivery": ("F7",),
            "step-out": ("Shift+F8",),
            "run-to-here": ("Alt+F9",),
            "rename": ("Shift+F6",),
            "redo": ("Ctrl+Shift+Z",),
            "commands": ("Ctrl+Shift+A", "Ctrl+Shift+P"),
            "quick-fix": ("Alt+Return",),
            "close": ("Ctrl+F4",),
            "layout": ("Ctrl+Alt+L", "Ctrl+L"),
            "layout-organic": (),
            "delete": ("Del", "Backspace", "Ctrl+Y"),
        },
    ),
    "vfx": Preset(
        "VFX and Blender",
        {
            "add-node": ("Shift+A", "Tab"),
            "duplicate": ("Shift+D",),
            "delete": ("X", "Del", "Backspace"),
            "canvas.delete-and-heal-the-wires": ("Ctrl+X", "Ctrl+Del"),
            "cut": (),
            "select-all": ("A", "Ctrl+A"),
            "redo": ("Ctrl+Shift+Z",),
            "bypass": ("M", "B"),
            "canvas.show-the-overview": ("Shift+M",),
            "go-in": ("I", "PgDown"),
            "go-out": ("U", "PgUp", "Alt+Up"),
            "commands": ("F3", "Ctrl+Shift+P"),
            "next-hit": ("Ctrl+F3",),
        },
    ),
}
