"""Conditions are completed, put in order and tried out where they are written, by mouse
and by keys.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from designer.document.document import Document
from designer.model import edits
from designer.panels.code.cel_edit import CelField
from designer.panels.properties.case_editors import CaseCard
from designer.panels.properties.panel import PropertiesPanel
from designer.panels.properties.try_value import TryBox
from runtime.document.definition import MultiSelectionEdge, Selection, SwitchEdge

Show = Callable[..., Any]
ALT = Qt.KeyboardModifier.AltModifier
CTRL = Qt.KeyboardModifier.ControlModifier
PLAIN = Qt.KeyboardModifier.NoModifier


def the(document: Document, edge_id: str) -> Any:
    return next(edge for edge in document.design.workflow.edges if edge.id == edge_id)


def names(document: Document) -> list[str]:
    return [case.name for case in the(document, "switch").cases]


def editor(show: Show, document: Document, edge: str) -> Any:
    document.select({edge})
    panel = show(PropertiesPanel)
    QApplication.processEvents()
    return panel.editor


@pytest.fixture
def cases(show: Show, document: Document) -> list[CaseCard]:
    """The cards of a switch of three cases."""
    switch = the(document, "switch")
    more = switch.cases[0].model_copy(update={"name": "third", "when": "message.third"})
    document.apply(
        "x", edits.set_edge(document.design, "switch", cases=(*switch.cases, more))
    )
    document.undo_stack.clear()
    cards: list[CaseCard] = editor(show, document, "switch").cases.cards
    return cards


def drag(grip: QWidget, onto: QWidget, *, release: bool = True) -> None:
    """From a grip to just below the middle of another card, in real events."""
    window = grip.window()
    start = grip.mapTo(window, grip.rect().center())
    end = onto.mapTo(window, onto.rect().center()) + QPoint(0, 4)
    kinds = [
        (QEvent.Type.MouseButtonPress, start),
        (QEvent.Type.MouseMove, (start + end) / 2),
    ]
    kinds += [
        (QEvent.Type.MouseMove, end),
        *([(QEvent.Type.MouseButtonRelease, end)] if release else []),
    ]
    for kind, at in kinds:
        place = QPointF(grip.mapFrom(window, at))
        event = QMouseEvent(
            kind,
            place,
            QPointF(window.mapToGlobal(at)),
            Qt.MouseButton.LeftButton,
            Qt.MouseButton.LeftButton,
            PLAIN,
        )
        QApplication.sendEvent(grip, event)


# --- order


def test_a_case_is_dragged_to_another_place_as_one_step(
    document: Document, cases: list[CaseCard]
) -> None:
    first, second, third = names(document)
    drag(cases[0].grip, cases[2])
    assert names(document) == [second, third, first]
    assert document.undo_stack.count() == 1
    document.undo_stack.undo()
    assert names(document) == [first, second, third]
    drag(cases[2].grip, cases[0])
    # let go below the middle of the first
    assert names(document) == [first, third, second]


def test_escape_in_the_drag_of_a_case_leaves_everything(
    document: Document, cases: list[CaseCard]
) -> None:
    before = names(document)
    drag(cases[0].grip, cases[2], release=False)
    assert cases[0].grip.parentWidget() is not None
    mark = cases[0].grip._reorder.mark
    assert mark.isVisible()
    QTest.keyClick(cases[0].grip, Qt.Key.Key_Escape)
    assert not mark.isVisible()
    drag(cases[0].grip, cases[0])
    assert (names(document), document.undo_stack.count()) == (before, 0)


@pytest.mark.parametrize("part", [0, 1, 2, 3])
def test_alt_and_arrows_move_a_case_and_the_focus_goes_along(
    part: int, document: Document, cases: list[CaseCard]
) -> None:
    first, second, third = names(document)
    cases[0].parts()[part].setFocus()
    QTest.keyClick(cases[0].parts()[part], Qt.Key.Key_Down, ALT)
    assert names(document) == [second, first, third]
    assert document.undo_stack.count() == 1
    assert QApplication.focusWidget() is cases[1].parts()[part]
    QTest.keyClick(cases[1].parts()[part], Qt.Key.Key_Up, ALT)
    assert names(document) == [first, second, third]
    QTest.keyClick(cases[0].parts()[part], Qt.Key.Key_Up, ALT)
    assert names(document) == [first, second, third]


# --- completion


def typed(field: CelField, text: str) -> list[str]:
    field.editor.setFocus()
    field.editor.selectAll()
    QTest.keyClicks(field.editor, text)
    return field.completer.words


def test_words_are_offered_while_one_types_and_taken_by_keys_alone(
    document: Document, cases: list[CaseCard], show: Show
) -> None:
    when = cases[0].when
    assert typed(when, "mes") == ["message"]
    QTest.keyClick(when.editor, Qt.Key.Key_Return)
    assert (when.text(), when.completer.words) == ("message", [])
    QTest.keyClicks(when.editor, ".th")
    assert when.completer.words == ["third"]  # another case asks for it
    QTest.keyClick(when.editor, Qt.Key.Key_Tab)
    assert the(document, "switch").cases[0].when == "message.third"
    QTest.keyClicks(when.editor, ".co")
    QTest.keyClick(when.editor, Qt.Key.Key_Return)
    QTest.keyClicks(when.editor, "'x'")
    assert when.text() == "message.third.contains('x')"
    assert document.undo_stack.count() == 1


def test_escape_closes_the_list_and_nothing_else(cases: list[CaseCard]) -> None:
    when = cases[0].when
    assert typed(when, "message.") != []
    QTest.keyClick(when.editor, Qt.Key.Key_Escape)
    assert (when.completer.words, when.text()) == ([], "message.")
    QTest.keyClick(when.editor, Qt.Key.Key_Space, CTRL)
    assert len(when.completer.words) > 1
    QTest.keyClick(when.editor, Qt.Key.Key_Down)
    QTest.keyClick(when.editor, Qt.Key.Key_Up)
    assert len(when.completer.words) > 1
    QTest.keyClick(when.editor, Qt.Key.Key_Home)
    assert when.completer.words == []


def test_fields_of_the_value_that_is_tried_are_offered(
    show: Show, document: Document
) -> None:
    made = editor(show, document, "ask->report")
    QTest.keyClicks(made.try_box.field, '{"verdict": "yes"}')
    assert "verdict" in typed(made.condition, "message.ve")


# --- trying a value


def say(box: TryBox, text: str) -> str:
    box.field.setFocus()
    box.field.selectAll()
    QTest.keyClicks(box.field, text)
    return box.verdict.text() if box.verdict.isVisible() else ""


def test_every_case_says_what_it_makes_of_the_value_and_which_way_it_goes(
    show: Show, document: Document, cases: list[CaseCard]
) -> None:
    first = the(document, "switch").cases[0]
    document.apply(
        "x",
        edits.set_edge(
            document.design,
            "switch",
            cases=tuple(
                first.model_copy(update={"when": when})
                for when in ("message.a > 1", "message.a > 0", "message.a")
            ),
        ),
    )
    box = cases[0]._owner.try_box
    assert say(box, '{"a": 1}') == "Goes to Ask a person"
    words = [card.outcome.words.text() for card in cases]
    assert words[:2] == ["false", "true: goes here"]
    assert words[2].startswith("error")
    assert say(box, '{"a": 0}').startswith("A run would fail here, at condition 3")
    assert say(box, "{").startswith("")
    assert "Line 1" in box.error.text()
    assert not cases[0].outcome.isVisible()


def test_a_value_without_a_case_goes_to_the_default(
    show: Show, document: Document, cases: list[CaseCard]
) -> None:
    for at in range(3):
        document.apply(
            "x", edits.set_condition(document.design, "switch", at, "message == 1")
        )
    owner: Any = cases[0]._owner
    assert say(owner.try_box, "2").startswith("Goes to ")
    assert owner.default_outcome.words.text() == "no case is true: goes here"
    document.apply(
        "x", edits.set_condition(document.design, "switch", 0, "message == 2")
    )
    assert cases[0].outcome.words.text() == "true: goes here"
    assert not owner.default_outcome.isVisible()


def test_a_multi_selection_and_a_direct_edge_are_tried_too(
    show: Show, document: Document
) -> None:
    ways = (Selection(target="ask", when="message > 1"), Selection(target="report"))
    many = MultiSelectionEdge(id="many", source="scan", selections=ways)
    workflow = document.design.workflow.model_copy(
        update={"edges": (*document.design.workflow.edges, many)}
    )
    document.apply("x", type(document.design)(workflow, document.design.positions))
    made = editor(show, document, "many")
    assert say(made.cases.try_box, "5") == "Goes to Ask a person, Write report"
    document.select({"ask->report"})
    QApplication.processEvents()
    direct = made.panel.editor
    assert say(direct.try_box, '{"size": 1}') == "Goes nowhere: nothing is sent on"
    document.select({"many"})
    QApplication.processEvents()
    assert made.panel.editor.cases.try_box.field.text() == "5"  # one comes back to it
    assert document.undo_stack.count() == 1


def test_a_mistake_is_underlined_where_it_is(
    show: Show, document: Document, checks: Any
) -> None:
    made = editor(show, document, "ask->report")
    typed(made.condition, "message ==== 1")
    checks.run()
    (mark,) = made.condition.editor.extraSelections()
    assert mark.cursor.selectionStart() == 10
    assert made.condition.error.text().startswith("Line 1, column 11")


def test_a_switch_is_turned_into_a_multi_selection_and_back(
    show: Show, document: Document
) -> None:
    before = the(document, "switch")
    if len({case.target for case in before.cases}) < len(before.cases):
        document.apply(
            "x", edits.set_edge(document.design, "switch", cases=before.cases[:1])
        )
    before = the(document, "switch")
    made = editor(show, document, "switch")
    QTest.mouseClick(made._turns["multi_selection"], Qt.MouseButton.LeftButton)
    (key,) = document.selection
    assert isinstance(the(document, key), MultiSelectionEdge)
    QApplication.processEvents()
    QTest.mouseClick(made.panel.editor._turns["switch"], Qt.MouseButton.LeftButton)
    (key,) = document.selection
    after = the(document, key)
    assert isinstance(after, SwitchEdge)
    assert (after.cases, after.default) == (before.cases, before.default)
