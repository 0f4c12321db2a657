"""The keys of the timeline strip, with the commands that they give."""

from __future__ import annotations

from PySide6.QtCore import Qt

from designer.panels.timeline.strip import Key
from designer.qt.keys import Press

_K = Qt.Key
_NONE = Qt.KeyboardModifier.NoModifier
_CTRL = Qt.KeyboardModifier.ControlModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier
KEYS: dict[Press, Key] = {
    (_K.Key_Left, _NONE): Key("Checkpoint before", lambda strip: strip.walker.back()),
    (_K.Key_Right, _NONE): Key("Next checkpoint", lambda strip: strip.walker.forward()),
    (_K.Key_Home, _NONE): Key(
        "First checkpoint of the branch", lambda strip: strip.walker.first()
    ),
    (_K.Key_End, _NONE): Key(
        "Last checkpoint of the branch", lambda strip: strip.walker.last()
    ),
    (_K.Key_Home, _CTRL): Key(
        "First checkpoint of the run", lambda strip: strip.walker.very_first()
    ),
    (_K.Key_End, _CTRL): Key("Head of the run", lambda strip: strip.walker.run_head()),
    (_K.Key_Up, _NONE): Key("Branch above", lambda strip: strip.walker.up()),
    (_K.Key_Down, _NONE): Key("Branch below", lambda strip: strip.walker.down()),
    (_K.Key_G, _CTRL): Key(
        "Go to a checkpoint", lambda strip: strip.go_to_requested.emit()
    ),
    (_K.Key_Space, _NONE): Key(
        "Play the branch, or stop playing",
        lambda strip: strip.walker.toggle_play(),
        plays=True,
        selects=True,
    ),
    (_K.Key_Escape, _NONE): Key(
        "Back to live", lambda strip: strip.back_to_live(), selects=True
    ),
    (_K.Key_Return, _NONE): Key(
        "Restore here (fork)", lambda strip: strip.ask(strip.restore_requested)
    ),
    (_K.Key_Enter, _NONE): Key(
        "Restore here (fork)", lambda strip: strip.ask(strip.restore_requested)
    ),
    (_K.Key_T, _NONE): Key(
        "Tags of the checkpoint", lambda strip: strip.ask(strip.tag_requested)
    ),
    (_K.Key_N, _NONE): Key(
        "Note of the checkpoint", lambda strip: strip.ask(strip.note_requested)
    ),
    (_K.Key_M, _NONE): Key(
        "Bookmark the checkpoint, or remove the bookmark",
        lambda strip: strip.ask(strip.bookmark_requested),
        selects=True,
    ),
    (_K.Key_Left, _CTRL): Key(
        "Bookmark before", lambda strip: strip.walker.to_bookmark(-1)
    ),
    (_K.Key_Right, _CTRL): Key(
        "Next bookmark", lambda strip: strip.walker.to_bookmark(1)
    ),
    (_K.Key_A, _NONE): Key(
        "Put A of the comparison here, or take it away",
        lambda strip: strip.compared.put_a(),
    ),
    (_K.Key_B, _NONE): Key(
        "Put B of the comparison here, or take it away",
        lambda strip: strip.compared.put_b(),
    ),
    (_K.Key_D, _CTRL): Key(
        "Compare with the checkpoint before, or stop comparing",
        lambda strip: strip.compared.compare(),
    ),
    (_K.Key_Left, _SHIFT): Key(
        "Select the checkpoint before too",
        lambda strip: strip.select_along(strip.walker.back),
        selects=True,
    ),
    (_K.Key_Right, _SHIFT): Key(
        "Select the next checkpoint too",
        lambda strip: strip.select_along(strip.walker.forward),
        selects=True,
    ),
    (_K.Key_A, _CTRL): Key(
        "Select the branch",
        lambda strip: strip.selection.select_lane(strip.walker.lane),
        selects=True,
    ),
    (_K.Key_Minus, _NONE): Key(
        "Fold the branches that leave this branch, or show them",
        lambda strip: strip.toggle_forks(),
        selects=True,
    ),
    (_K.Key_Up, _CTRL): Key(
        "Move the branch up",
        lambda strip: strip.branches.move(strip.walker.lane, -1),
        selects=True,
    ),
    (_K.Key_Down, _CTRL): Key(
        "Move the branch down",
        lambda strip: strip.branches.move(strip.walker.lane, 1),
        selects=True,
    ),
}
