"""The palette finds, drags and adds node types, and says why it has none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from designer.model.completion import type_usage
from designer.model.completion.type_search import SYNONYMS, search
from designer.panels.palette import PalettePanel
from designer.panels.widgets.palette_tree import MIME_TYPE, TypeRole
from runtime.document.definition import NodeInfo
from runtime.nodes import BUILT_IN, Catalogue
from tests.designer.fake_session import FakeSession
from tests.designer.panels.fakes import moment

Show = Callable[..., Any]


def shown(panel: PalettePanel) -> list[str]:
    tree = panel.tree
    model = panel.tree.model()
    heads = [model.index(at, 0) for at in range(model.rowCount())]
    return [
        model.index(below, 0, head).data(TypeRole)
        for head in heads
        for below in range(model.rowCount(head))
        if not tree.isRowHidden(below, head)
        and not tree.isRowHidden(head.row(), head.parent())
    ]


def test_typing_narrows_and_enter_adds_the_best(show: Show, qtbot: QtBot) -> None:
    panel = show(PalettePanel)
    QTest.keyClicks(panel.search, "te")
    assert shown(panel) == ["filter", "template"]
    with qtbot.waitSignal(panel.add_requested) as added:
        QTest.keyClick(panel.search, Qt.Key.Key_Return)
    assert added.args == ["template"]  # a word begins with it


def test_the_description_is_searched_when_no_name_matches(show: Show) -> None:
    panel = show(PalettePanel)
    panel.search.setText("server")
    assert shown(panel) == ["http"]


def test_down_in_the_search_field_goes_through_the_list(
    show: Show, qtbot: QtBot
) -> None:
    panel = show(PalettePanel)
    panel.search.setText("te")
    QTest.keyClick(panel.search, Qt.Key.Key_Up)
    with qtbot.waitSignal(panel.add_requested) as added:
        QTest.keyClick(panel.search, Qt.Key.Key_Return)
    assert added.args == ["filter"]


def test_enter_adds_what_was_found_and_offers_all_types_again_for_the_next(
    show: Show, qtbot: QtBot
) -> None:
    panel = show(PalettePanel)
    added = []
    panel.add_requested.connect(added.append)
    QTest.keyClicks(panel.search, "te")
    QTest.keyClick(panel.search, Qt.Key.Key_Return)
    assert (panel.search.text(), len(shown(panel))) == ("", 11)
    QTest.keyClick(panel.search, Qt.Key.Key_Return)
    assert added == ["template", "template"]


def test_nothing_found_says_so_and_escape_shows_all_again(show: Show) -> None:
    panel = show(PalettePanel)
    QTest.keyClicks(panel.search, "zzz")
    assert "zzz" in panel.stack.notice.text()
    QTest.keyClick(panel.search, Qt.Key.Key_Escape)
    assert len(shown(panel)) == 11


def test_a_double_click_adds(show: Show, qtbot: QtBot) -> None:
    panel = show(PalettePanel)
    panel.tree.go(1)
    at = panel.tree.visualRect(panel.tree.currentIndex()).center()
    with qtbot.waitSignal(panel.add_requested) as added:
        QTest.mouseClick(panel.tree.viewport(), Qt.MouseButton.LeftButton, pos=at)
        QTest.mouseDClick(panel.tree.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert added.args == ["input"]


def test_a_drag_carries_the_type(show: Show) -> None:
    panel = show(PalettePanel)
    panel.search.setText("text")
    mime = panel.tree.model().mimeData([panel.tree.currentIndex()])
    assert bytes(mime.data(MIME_TYPE).data()) == b"template"


def test_a_category_closes_on_a_click(show: Show) -> None:
    panel = show(PalettePanel)
    head = panel.tree.model().index(0, 0)
    at = QPoint(60, panel.tree.visualRect(head).center().y())
    QTest.mouseClick(panel.tree.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert not panel.tree.isExpanded(head)


def test_while_a_run_is_looked_at_nothing_is_added(
    show: Show, session: FakeSession, qtbot: QtBot
) -> None:
    panel = show(PalettePanel)
    session.look_at(moment())
    assert not panel.tree.dragEnabled()
    with qtbot.assertNotEmitted(panel.add_requested):
        panel.add("filter")


def test_the_rail_has_a_menu_per_category(show: Show, session: FakeSession) -> None:
    panel = show(PalettePanel)
    panel.compact = True
    assert [tool.accessibleName() for tool in panel.rail.buttons][:2] == [
        "Start and output",
        "Python",
    ]
    session.look_at(moment())
    menu = panel.rail.menu(list(session.infos.values())[:2])
    actions = menu.actions()
    assert [action.isEnabled() for action in actions[:2]] == [False, False]
    actions[-1].trigger()
    assert session.commands == [("leave", None)]


def test_a_catalogue_that_does_not_come_can_be_asked_for_again(
    show: Show, session: FakeSession
) -> None:
    session.infos = {}
    panel = show(PalettePanel)
    assert "Loading" in panel.stack.notice.text()
    session.failed.emit("The process ended", "code 1")
    assert "code 1" in panel.stack.notice.text()
    panel.stack.notice._action.click()
    assert session.commands == [("catalogue", None)]


# --- other words, what is used often, types of the user


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("http", "http_request"),
        ("api", "http_request"),
        ("rest", "http_request"),
        ("llm", "chat_model"),
        ("if", "switch"),
        ("iterate", "for_each"),
        ("database", "sql_query"),
        ("bash", "shell_command"),
        ("sleep", "delay"),
        ("cron", "schedule"),
        ("approve", "ask"),
        ("python script", "inline_code"),
        ("spreadsheet import", "csv_read"),
    ],
)
def test_a_type_is_found_by_what_people_call_it(
    typed: str, first: str, show: Show, session: FakeSession, qtbot: QtBot
) -> None:
    session.know(Catalogue(BUILT_IN).infos())
    panel = show(PalettePanel)
    QTest.keyClicks(panel.search, typed)
    with qtbot.waitSignal(panel.add_requested) as added:
        QTest.keyClick(panel.search, Qt.Key.Key_Return)
    assert added.args == [first]


def test_every_title_and_type_finds_its_type_first() -> None:
    infos = Catalogue(BUILT_IN).infos()
    for info in infos:
        for text in (info.title, info.type):
            assert search(text, infos)[0].type == info.type


def test_every_built_in_type_has_other_words() -> None:
    assert SYNONYMS.keys() == {info.type for info in BUILT_IN}


def test_what_is_used_often_or_just_now_stands_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path))
    for type_name in ("log", "log", "log", "delay", "a type that is gone"):
        type_usage.used(type_name)
    infos = Catalogue(BUILT_IN).infos()
    found = [info.type for info in search("", infos, type_usage.often())]
    assert found[:3] == ["log", "delay", "input"]
    assert sorted(found) == sorted(info.type for info in infos)


def test_a_file_of_uses_that_is_broken_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path))
    for text in ("{", "[1]", '{"log": "x"}'):
        (tmp_path / type_usage.FILE).write_text(text)
        assert type_usage.often() == ()
    type_usage.used("log")
    assert type_usage.often() == ("log",)


def test_types_can_be_looked_for_again_and_closed_categories_stay_closed(
    show: Show, session: FakeSession
) -> None:
    panel = show(PalettePanel)
    panel.tree.setExpanded(panel.tree.model().index(1, 0), False)
    QTest.mouseClick(panel.reload, Qt.MouseButton.LeftButton)
    assert session.commands == [("catalogue", None)]
    mine = NodeInfo(
        type="nodes.shout", title="Shout", category="Your nodes", icon="code"
    )
    session.know([*session.infos.values(), mine])
    assert shown(panel)[-1] == "nodes.shout"
    assert not panel.tree.isExpanded(panel.tree.model().index(1, 0))
    assert panel.tree.isExpanded(panel.tree.model().index(0, 0))


def test_node_types_of_the_folder_are_asked_for_again_when_their_files_change(
    show: Show, tmp_path: Path
) -> None:
    panel = show(PalettePanel)
    panel.document.path = tmp_path / "here.stepwell.json"
    panel.files.look()
    file = tmp_path / "nodes" / "greet.py"
    file.parent.mkdir()
    for change in (
        lambda: file.write_text("one"),
        lambda: file.write_text("others"),
        file.unlink,
    ):
        change()
        panel.files.look()
        panel.files.look()  # nothing is new
    assert panel.session.commands.count(("catalogue", None)) == 3
