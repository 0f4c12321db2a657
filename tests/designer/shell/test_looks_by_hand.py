"""Themes and sizes chosen in the menu by hand, and how the window looks on a screen of
twice the pixels.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAction, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from designer.shell.settings.settings import Settings
from tests.designer.shell.support import Hand, draw

pytestmark = [
    pytest.mark.qt_log_ignore("This plugin does not support", extend=True),
    pytest.mark.painted,
]
K = Qt.Key


def choose(hand: Hand, menu: str, text: str) -> QAction:
    """An entry of a menu, opened by the mouse and taken by Enter."""
    bar = hand.window.menuBar()
    title = next(
        action for action in bar.actions() if action.text().replace("&", "") == menu
    )
    QTest.mouseClick(
        bar, Qt.MouseButton.LeftButton, pos=bar.actionGeometry(title).center()
    )
    opened = QApplication.activePopupWidget()
    assert isinstance(opened, QMenu)
    entry = next(
        action
        for action in opened.actions()
        if action.text().partition("\t")[0] == text
    )
    opened.setActiveAction(entry)
    QTest.keyClick(opened, K.Key_Return)
    return entry


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("Light theme", "light"),
        ("Dark theme", "dark"),
        ("High contrast, light", "contrast-light"),
        ("High contrast, dark", "contrast-dark"),
        ("Theme of the system", "system"),
    ],
)
def test_each_theme_is_chosen_in_the_menu_seen_and_kept(
    hand: Hand, tmp_path: Path, text: str, choice: str
) -> None:
    workspace = draw(hand)
    workspace.canvas.camera.fit_all(glide=False)  # so that no node is in the corner
    hand.window.choose_theme("light" if choice == "dark" else "dark")
    choose(hand, "View", text)
    assert hand.window.settings.values.theme == choice
    assert Settings(tmp_path / "settings.json").values.theme == choice, (
        "it is not there at the next start"
    )
    corner = workspace.canvas.viewport().grab().toImage().pixelColor(1, 1)
    assert corner == workspace.canvas.look.theme.canvas


def test_the_size_is_chosen_in_one_step_in_the_menu(hand: Hand, tmp_path: Path) -> None:
    bar = hand.window.menuBar()
    title = next(action for action in bar.actions() if action.text() == "View")
    QTest.mouseClick(
        bar, Qt.MouseButton.LeftButton, pos=bar.actionGeometry(title).center()
    )
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    under = next(
        action for action in menu.actions() if action.text() == "Size of everything"
    )
    menu.setActiveAction(under)
    QTest.keyClick(menu, K.Key_Right)
    sizes = QApplication.activePopupWidget()
    assert isinstance(sizes, QMenu)
    assert sizes is not menu
    entry = next(
        action for action in sizes.actions() if action.text() == "Everything at 175 %"
    )
    sizes.setActiveAction(entry)
    QTest.keyClick(sizes, K.Key_Return)
    assert Settings(tmp_path / "settings.json").values.scale == 175
    assert entry.isChecked()


def test_a_screen_of_twice_the_pixels_gets_twice_the_detail(hand: Hand) -> None:
    workspace = draw(hand)
    workspace.canvas.setFocus()
    hand.key(K.Key_0, Qt.KeyboardModifier.ControlModifier)
    node = workspace.document.design.workflow.nodes[0].id
    workspace.canvas.clock.reduce_motion = True
    workspace.canvas.reveal(node)
    panel = workspace.panels["Properties"]
    canvas = workspace.canvas
    box = canvas.mapFromScene(canvas.scene().boxes[node].rect).boundingRect()
    assert details(canvas.viewport(), box) > 60, "title and icon of a node"
    assert details(panel, panel.rect()) > 200, "words and fields of a panel"


def details(widget: QWidget, area: QRect) -> int:
    """How many squares of four pixels are not of one colour: none in a picture that was
    only enlarged.
    """
    image = QImage(widget.size() * 2, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(2)
    widget.render(image)
    image.setDevicePixelRatio(1)
    squares = [
        (x, y)
        for x in range(area.left(), area.right())
        for y in range(area.top(), area.bottom())
    ]
    return sum(
        len(
            {
                image.pixel(2 * x + right, 2 * y + down)
                for right in (0, 1)
                for down in (0, 1)
            }
        )
        > 1
        for x, y in squares
    )
