"""Gestures in forms, in place and in lists."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTableView,
    QWidget,
)

from designer.panels.properties.reorder import Grip
from tests.gestures.player import ALT, AWAY, CTRL, LEFT, NONE, PLAIN, K, Player, gesture
from tests.gestures.texts import TEXTS


@gesture()
def fill_a_field(player: Player) -> None:
    player.select(1)
    if _write_somewhere(player) and player.random.random() < 0.3:
        player.key(player.random.choice((K.Key_Return, K.Key_Tab, K.Key_Escape)))


def _write_somewhere(player: Player) -> bool:
    """Something else into a field of the form. False if there is none."""
    fields: list[QWidget] = [
        field for field in player.shown(QLineEdit) if not field.isReadOnly()
    ]
    fields += [
        field for field in player.shown(QPlainTextEdit) if not field.isReadOnly()
    ]
    if fields:
        player.random.choice(fields).setFocus()
        player.key(K.Key_A, CTRL)
        player.fill(player.random.choice(TEXTS))
    return bool(fields)


@gesture()
def press_in_the_form(player: Player) -> None:
    player.select(1)
    tools = [
        tool
        for tool in player.shown(QAbstractButton)
        if not any(w in tool.text() + tool.accessibleName() for w in AWAY)
    ]
    if tools:
        QTest.mouseClick(player.random.choice(tools), LEFT)


@gesture()
def choose_in_the_form(player: Player) -> None:
    player.select(1)
    boxes = [box for box in player.shown(QComboBox) if box.count()]
    if boxes:
        box = player.random.choice(boxes)
        box.setFocus()
        for _ in range(player.random.randint(1, 3)):
            player.key(player.random.choice((K.Key_Down, K.Key_Up)))


@gesture(1.5)
def reorder(player: Player) -> None:
    """Cases, inputs, rows: by their grips or by keys, one step each."""
    player.select(1, kinds=("switch", "multi_selection", "fan_out", "fan_in"))
    grips = player.shown(Grip)
    if not grips:
        return
    grip = player.random.choice(grips)
    stack = player.document.undo_stack
    grip.setFocus()
    at = stack.index()
    if player.random.random() < 0.5:
        QTest.keyClick(grip, player.random.choice((K.Key_Up, K.Key_Down)), ALT)
    else:
        down = player.random.randint(-150, 150)
        _on_grip(grip, QEvent.Type.MouseButtonPress, 0)
        for part in (down // 2, down):
            _on_grip(grip, QEvent.Type.MouseMove, part)
        _on_grip(grip, QEvent.Type.MouseButtonRelease, down)
    assert stack.index() <= at + 1, "one move of a card was more than one step"


def _on_grip(grip: Grip, kind: QEvent.Type, down: int) -> None:
    place = QPointF(grip.rect().center() + QPoint(0, down))
    button = NONE if kind is QEvent.Type.MouseMove else LEFT
    held = NONE if kind is QEvent.Type.MouseButtonRelease else LEFT
    event = QMouseEvent(
        kind, place, QPointF(grip.mapToGlobal(place.toPoint())), button, held, PLAIN
    )
    QApplication.sendEvent(grip, event)


@gesture()
def write_in_the_form_of_the_workflow(player: Player) -> None:
    """Enter with nothing selected leads there."""
    player.view.setFocus()
    player.document.select(())
    player.key(K.Key_Return)
    _write_somewhere(player)


@gesture(0.7)
def quick_fix(player: Player) -> None:
    """Of what is selected, or of the first problem."""
    player.select(player.random.choice((0, 1)))
    player.workspace.checks.run()
    player.key(K.Key_Period, CTRL)
    menu = QApplication.activePopupWidget()
    if menu is not None:
        for _ in range(player.random.randint(0, 2)):
            QTest.keyClick(menu, K.Key_Down)
        QTest.keyClick(
            menu, player.random.choice((K.Key_Return, K.Key_Return, K.Key_Escape))
        )


@gesture(0.7)
def click_a_problem(player: Player) -> None:
    player.workspace.checks.run()
    player.workspace.show_panel("Problems")
    QApplication.processEvents()
    (table,) = player.workspace.panels["Problems"].findChildren(QTableView)
    rows = table.model().rowCount()
    if rows:
        index = table.model().index(
            player.random.randrange(rows), player.random.randrange(5)
        )
        table.scrollTo(index)
        QTest.mouseClick(
            table.viewport(), LEFT, PLAIN, table.visualRect(index).center()
        )
