"""Gestures with frames, notes and bookmarks."""

from __future__ import annotations

from PySide6.QtCore import QPointF

from tests.gestures.player import ALT, ARROWS, CTRL, PLAIN, SHIFT, K, Player, gesture
from tests.gestures.texts import TEXTS


@gesture()
def frame(player: Player) -> None:
    player.select(player.random.choice((0, 1, 3)), edges=False)
    player.key(*player.random.choice(((K.Key_G, CTRL), (K.Key_N, PLAIN))))
    if player.view.frame_text.field is not None:
        player.fill(player.random.choice(TEXTS))
        player.key(player.random.choice((K.Key_Return, K.Key_Escape)), CTRL)


@gesture()
def drag_frame(player: Player) -> None:
    frames = list(player.view.scene().backdrop.frames)
    if frames:
        rect = player.view.scene().backdrop.rect(player.random.choice(frames))
        start = player.random.choice(
            (rect.topLeft() + QPointF(30, 14), rect.bottomRight(), rect.topLeft())
        )
        by = player.some_way()
        player.drag(
            start, start + by, player.random.choice((PLAIN, PLAIN, SHIFT, CTRL, ALT))
        )


@gesture()
def change_frame(player: Player) -> None:
    player.view.setFocus()
    player.key(K.Key_F, SHIFT)
    if player.random.random() < 0.3:
        player.key(K.Key_Return)
        player.fill(player.random.choice(TEXTS))
        player.key(player.random.choice((K.Key_Escape, K.Key_Return)), CTRL)
        player.view.frame_text.close()
    else:
        arrow = player.random.choice(ARROWS)
        player.key(
            *player.random.choice(
                ((arrow, CTRL), (arrow, SHIFT), (K.Key_Delete, PLAIN), (K.Key_D, CTRL))
            )
        )


@gesture()
def bookmark(player: Player) -> None:
    player.select(2)
    player.key(K.Key_B, CTRL)
    player.key(K.Key_B, CTRL | SHIFT)
