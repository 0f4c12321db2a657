"""Gestures with nodes: added, moved, renamed, arranged, switched off, copied, put in
and taken out.
"""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu

from designer.canvas.gestures.drop import MIME
from designer.canvas.verbs.menus import menu_for
from tests.gestures.player import (
    ALT,
    ARROWS,
    CATALOGUE,
    CTRL,
    LEFT,
    PLAIN,
    SHIFT,
    K,
    Player,
    gesture,
)
from tests.gestures.texts import TEXTS


@gesture(3)
def add_by_key(player: Player) -> None:
    player.view.setFocus()
    player.key(K.Key_Tab)
    player.choose_type()


@gesture()
def add_from_palette(player: Player) -> None:
    field = player.workspace.panels["Palette"].findChild(QLineEdit)
    assert field is not None
    field.setFocus()
    field.selectAll()
    player.write(player.any_type())
    player.key(K.Key_Return)


@gesture()
def add_at_the_end_of_a_wire(player: Player) -> None:
    boxes = list(player.view.scene().boxes.values())
    if boxes:
        player.drag(player.random.choice(boxes).outlet, player.anywhere())
        player.choose_type()


@gesture(3)
def move(player: Player) -> None:
    boxes = list(player.view.scene().boxes.values())
    if boxes:
        start = player.random.choice(boxes).rect.center()
        by = player.some_way()
        player.drag(
            start, start + by, player.random.choice((PLAIN, PLAIN, SHIFT, CTRL, ALT))
        )


@gesture()
def nudge(player: Player) -> None:
    player.select(3)
    for _ in range(player.random.randint(1, 3)):
        key = player.random.choice(ARROWS)
        player.key(key, CTRL | player.random.choice((PLAIN, SHIFT)))


@gesture()
def rename(player: Player) -> None:
    player.select(1, edges=False)
    player.key(K.Key_F2)
    if isinstance(QApplication.focusWidget(), QLineEdit):
        player.key(K.Key_A, CTRL)
        player.fill(player.random.choice(TEXTS))
        player.key(player.random.choice((K.Key_Return, K.Key_Return, K.Key_Escape)))


@gesture()
def delete(player: Player) -> None:
    player.select(player.random.choice((1, 1, 2, 4)))
    player.key(player.random.choice((K.Key_Delete, K.Key_Backspace)))


@gesture()
def delete_everything(player: Player) -> None:
    if player.random.random() < 0.15:
        player.view.setFocus()
        player.key(K.Key_A, CTRL)
        player.key(K.Key_Delete)


@gesture()
def drop_from_the_palette(player: Player) -> None:
    """As dragging from the palette ends: on nothing, or on a wire, which takes the
    node.
    """
    at = QPointF(player.view.mapFromScene(player.anywhere()))
    data = QMimeData()
    viewport = player.view.viewport()
    data.setData(MIME, player.random.choice(CATALOGUE.nodes).type.encode())
    copy = Qt.DropAction.CopyAction
    modifiers = player.random.choice((PLAIN, PLAIN, ALT))
    QApplication.sendEvent(
        viewport, QDragEnterEvent(at.toPoint(), copy, data, LEFT, modifiers)
    )
    QApplication.sendEvent(
        viewport, QDragMoveEvent(at.toPoint(), copy, data, LEFT, modifiers)
    )
    QApplication.sendEvent(viewport, QDropEvent(at, copy, data, LEFT, modifiers))


@gesture()
def splice(player: Player) -> None:
    """A node onto a wire, by mouse or key."""
    nodes = player.select(1, edges=False)
    at = player.on_a_wire()
    if not nodes or at is None:
        return
    if player.random.random() < 0.6:
        start = player.view.scene().boxes[nodes[0]].rect.center()
        player.drag(start, at, player.random.choice((PLAIN, PLAIN, ALT)))
    else:
        edges = [edge.id for edge in player.document.design.workflow.edges]
        player.document.select({nodes[0], player.random.choice(edges)})
        player.key(K.Key_S)


@gesture()
def delete_and_heal(player: Player) -> None:
    player.select(player.random.choice((1, 1, 2)), edges=player.random.random() < 0.3)
    player.key(player.random.choice((K.Key_Delete, K.Key_Backspace)), CTRL)


@gesture()
def align(player: Player) -> None:
    nodes = player.select(player.random.choice((2, 3, 5)), edges=False)
    if len(nodes) < 2:
        return
    menu = menu_for(player.view, player.view.scene().boxes[nodes[0]].rect.center())
    inner = menu.findChildren(QMenu)
    if inner:
        player.random.choice(inner[0].actions()).trigger()
    menu.deleteLater()


@gesture(0.5)
def snap(player: Player) -> None:
    player.view.setFocus()
    player.key(K.Key_G)


@gesture()
def choose_more(player: Player) -> None:
    """With a rectangle, or with keys from where one is."""
    player.view.setFocus()
    if player.view.gesture is not None:
        player.key(K.Key_Escape)  # else a click would lead a wire on
    root = player.document.root
    if player.random.random() < 0.5:
        start = player.view.mapToScene(
            QPoint(player.random.randint(0, 300), player.random.randint(0, 200))
        )
        if not player.view.thing_at(start):
            player.drag(
                start,
                start + QPointF(400, 300),
                player.random.choice((PLAIN, SHIFT, CTRL)),
            )
    else:
        player.select(1)
        ways = (
            (K.Key_I, CTRL),
            (K.Key_Left, CTRL | SHIFT),
            (K.Key_Right, CTRL | SHIFT),
            (K.Key_E, PLAIN),
        )
        for _ in range(3):
            resizes = bool(
                player.document.selection & player.view.scene().backdrop.frames.keys()
            )
            arrow = (player.random.choice(ARROWS), PLAIN if resizes else SHIFT)
            player.key(
                *player.random.choice(
                    (*ways, arrow, arrow, arrow, (K.Key_Escape, PLAIN))
                )
            )
    assert player.document.root is root, "choosing has changed something"
