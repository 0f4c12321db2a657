"""The start page: every example has room for what is said of it, at every width."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLabel

from designer.look.theme import Look
from designer.shell.settings.settings import Settings
from designer.shell.start_page import ExampleCard, StartPage
from resources import examples


def cut(card: ExampleCard) -> list[str]:
    """The texts of a card that have less room than they need."""
    return [
        one.text()
        for one in card.findChildren(QLabel)
        if one.heightForWidth(one.width()) > one.height()
    ]


@pytest.mark.parametrize(
    ("width", "columns"), [(1600, 4), (1100, 3), (800, 2), (420, 1)]
)
def test_as_many_cards_stand_side_by_side_as_have_room_for_their_text(
    qtbot, tmp_path, width, columns
) -> None:
    page = StartPage(
        Settings(Path(tmp_path) / "settings.json"), Look("light"), examples()
    )
    qtbot.addWidget(page)
    page.resize(1600, 1000)
    page.show()
    page.resize(width, 1000)
    QApplication.processEvents()
    assert len({card.x() for card in page.cards}) == columns
    assert len({card.y() for card in page.cards}) == -(-len(page.cards) // columns)
    assert [text for card in page.cards for text in cut(card)] == []


@pytest.mark.parametrize("width", [1600, 1024, 800])
def test_the_columns_of_the_recent_workflows_all_stand_in_the_table(
    qtbot, tmp_path, width
) -> None:
    settings = Settings(tmp_path / "settings.json")
    settings.opened(tmp_path / "a.stepwell.json", 10.0)
    page = StartPage(settings, Look("light"), examples())
    qtbot.addWidget(page)
    page.resize(width, 1000)
    page.show()
    QApplication.processEvents()
    table = page.table
    header = page.table.horizontalHeader()
    assert header.length() <= table.viewport().width()
    assert min(header.sectionSize(column) for column in range(header.count())) > 80
