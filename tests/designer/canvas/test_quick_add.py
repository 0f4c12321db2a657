"""Searching node types, and what fits a wire."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics

from designer.look.fonts import ui_font
from designer.model.completion.type_search import score, search
from designer.model.wiring import Wiring, common_type
from tests.designer.canvas.conftest import Bench
from tests.designer.canvas.support import catalogue, licence_audit

INFOS = list(catalogue().values())


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("te", "Text template"),
        ("tt", "Text template"),
        ("rbl", "Route by licence"),
        ("pers", "Ask a person"),
    ],
)
def test_the_best_answer_comes_first(query: str, first: str) -> None:
    assert search(query, INFOS)[0].title == first


def test_letters_must_be_there_and_in_order() -> None:
    assert score("xt", "Text") is not None
    assert score("tx", "xt") is None
    assert search("zzz", INFOS) == []
    assert search("  ", INFOS) == INFOS


def test_a_category_is_found_too() -> None:
    assert "Filter" in [info.title for info in search("data", INFOS)]


@pytest.mark.parametrize(
    ("sent", "taken", "fits"),
    [
        (("Any",), ("str",), True),
        (("int",), ("Any",), True),
        (("int",), ("str",), False),
        (("int", "str"), ("str",), True),
        (("list[str]",), ("list",), True),
        (("list[str]",), ("list[int]",), False),
        (("int | str",), ("str",), True),
        (("int",), ("object",), True),
    ],
)
def test_types_by_name(
    sent: tuple[str, ...], taken: tuple[str, ...], fits: bool
) -> None:
    assert common_type(sent, taken) is fits


def test_a_refusal_says_why() -> None:
    wiring = Wiring(licence_audit().workflow, catalogue())
    assert (
        wiring.refusal("age_check", "rank_by_reach")
        == "Rank by reach takes Graph, not AgeReport"
    )
    assert wiring.refusal("age_check", "installed_packages").endswith("it only starts")
    assert wiring.refusal("write_report", "age_check") == "Write report sends nothing"
    assert wiring.refusal("dependency_graph", "rank_by_reach") == ""
    assert wiring.refusal("dependency_graph", "route_by_licence", joined=True) == ""


def test_a_node_of_an_unknown_type_fits_everything() -> None:
    wiring = Wiring(licence_audit().workflow, {})
    assert wiring.refusal("age_check", "rank_by_reach") == ""


def test_node_types_that_come_while_it_is_open_answer_what_was_typed(
    bench: Bench,
) -> None:
    bench.session.infos = {}
    bench.view.quick_add(QPoint(300, 700))
    popup = bench.view.popup
    assert popup is not None
    bench.qtbot.keyClicks(popup.field, "te")
    assert [popup.list.item(row).text() for row in range(popup.list.count())] == [
        "Node types are being loaded…"
    ]
    bench.qtbot.keyClick(popup.field, Qt.Key.Key_Return)
    assert bench.view.popup is popup
    bench.session.know(INFOS)
    assert (popup.field.text(), popup.list.currentItem().text()) == (
        "te",
        "Text template",
    )
    assert bench.view.rect().contains(popup.geometry())
    bench.qtbot.keyClick(popup.field, Qt.Key.Key_Down)
    chosen = popup.list.currentItem().text()
    bench.session.know(INFOS)
    assert popup.list.currentItem().text() == chosen != "Text template"
    bench.qtbot.keyClick(popup.field, Qt.Key.Key_Return)
    assert bench.design.workflow.nodes[-1].type == "filter"


def test_what_it_says_while_there_is_nothing_to_choose_is_painted_to_its_last_letter(
    bench: Bench,
) -> None:
    bench.session.infos = {}
    bench.view.quick_add(QPoint(300, 200))
    popup = bench.view.popup
    assert popup is not None
    row = popup.list.visualItemRect(popup.list.item(0))
    end = 38 + QFontMetrics(ui_font(13)).horizontalAdvance(popup.list.item(0).text())
    assert end <= row.width() - 8
    picture = popup.list.viewport().grab(row).toImage()
    last = {
        picture.pixel(x, y)
        for x in range(end - 6, end)
        for y in range(picture.height())
    }
    assert len(last) > 1
