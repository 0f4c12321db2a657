"""A condition is edited at its tag on the canvas, by mouse and by keys: one visit is
one step, Escape takes it back.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from designer.canvas.verbs.condition_editor import ConditionEditor
from designer.model import edits
from designer.panels.code.cel_edit import CelField
from runtime.document.definition import SwitchEdge
from runtime.document.problem import Problem
from tests.designer.canvas.conftest import Bench
from tests.designer.canvas.support import half_full


@pytest.fixture
def place(bench: Bench) -> ConditionEditor:
    bench.view.conditions.make_field = lambda name: CelField(bench.view.look, name)
    return bench.view.conditions


def conditions(bench: Bench) -> tuple[str, ...]:
    edge = next(edge for edge in bench.design.workflow.edges if edge.id == "switch")
    assert isinstance(edge, SwitchEdge)
    return edits.conditions_of(edge)


def tag(bench: Bench, number: int) -> QPointF:
    return next(
        tag.rect.center()
        for tag in bench.scene.edges.figures["switch"].tags
        if tag.number == number
    )


def double_click(bench: Bench, at: QPointF) -> None:
    bench.mouse("press", at)
    bench.mouse("release", at)
    bench.mouse("double", at)
    bench.mouse("release", at)
    QApplication.processEvents()


def typed(place: ConditionEditor, text: str) -> None:
    assert place.field is not None
    place.field.editor.selectAll()  # type: ignore[attr-defined]
    QTest.keyClicks(place.field.editor, text)


def is_closed(place: ConditionEditor) -> bool:
    return place.field is None


def press(place: ConditionEditor, key: Qt.Key) -> None:
    assert place.field is not None
    QTest.keyClick(place.field.editor, key)


def test_a_double_click_on_a_case_edits_its_condition_there_as_one_step(
    bench: Bench, place: ConditionEditor
) -> None:
    opened: list[str] = []
    bench.view.node_activated.connect(opened.append)
    double_click(bench, tag(bench, 2))
    assert place.field is not None
    assert (place.field.text(), opened) == ("message.unknown", [])
    typed(place, "message.risk > 3")
    assert conditions(bench) == ("message.copyleft", "message.risk > 3")
    press(place, Qt.Key.Key_Return)
    assert is_closed(place)
    assert bench.steps == 1
    assert bench.view.hasFocus()
    bench.document.undo_stack.undo()
    assert conditions(bench) == ("message.copyleft", "message.unknown")


def test_escape_takes_back_what_was_typed_and_leaves_no_step(
    bench: Bench, place: ConditionEditor
) -> None:
    double_click(bench, tag(bench, 1))
    typed(place, "false ")
    press(place, Qt.Key.Key_Escape)
    assert conditions(bench) == ("message.copyleft", "message.unknown")
    assert (place.field, bench.steps, bench.document.undo_stack.count()) == (None, 0, 0)


def test_w_opens_the_condition_of_what_is_selected_and_tab_goes_on(
    bench: Bench, place: ConditionEditor
) -> None:
    bench.view.select({"route_by_licence"})
    bench.key(Qt.Key.Key_W)
    typed(place, "true ")
    press(place, Qt.Key.Key_Tab)
    assert place.index == 1
    typed(place, "false ")
    press(place, Qt.Key.Key_Tab)
    assert place.index == 0
    press(place, Qt.Key.Key_Return)
    assert (conditions(bench), bench.steps) == (("true ", "false "), 2)


def test_an_edge_without_a_condition_gets_one_by_key(
    bench: Bench, place: ConditionEditor
) -> None:
    bench.view.select({"graph-rank"})
    bench.key(Qt.Key.Key_W)
    typed(place, "message.ok ")
    bench.click(QPointF(660, 700))
    edge = next(edge for edge in bench.design.workflow.edges if edge.id == "graph-rank")
    assert (edits.conditions_of(edge), place.field) == (("message.ok ",), None)
    mark = bench.scene.edges.figures["graph-rank"].hub
    assert mark is not None
    double_click(bench, mark)
    assert place.field is not None


def test_keys_choose_a_word_first(bench: Bench, place: ConditionEditor) -> None:
    double_click(bench, tag(bench, 1))
    typed(place, "message.unk")
    press(place, Qt.Key.Key_Escape)  # closes the list, not the field
    assert place.field is not None
    typed(place, "message.unk")
    press(place, Qt.Key.Key_Return)
    assert place.field is not None
    assert place.field.text() == "message.unknown"


def test_a_mistake_is_shown_in_the_field(bench: Bench, place: ConditionEditor) -> None:
    double_click(bench, tag(bench, 1))
    problem = Problem(
        severity="error",
        rule="condition-compiles",
        message="The condition of case 1 does not compile: no (line 1, column 3)",
        location="switch",
        part="cases[0].when",
        line=1,
        column=3,
    )
    bench.checks.find(problem)
    assert isinstance(place.field, CelField)
    assert place.field.error.text() == "Line 1, column 3: no."


def test_a_mistake_in_the_condition_of_an_error_edge_is_shown_in_the_field(
    bench: Bench, place: ConditionEditor
) -> None:
    node = bench.view.commands.add_node(
        "template", bench.body("age_check") + QPointF(400, 300)
    )
    bench.view.commands.connect_on_error("age_check", node)
    [edge] = [
        edge.id for edge in bench.design.workflow.edges if edge.kind == "on_error"
    ]
    assert place.open(edge)
    message = "The condition does not compile: no (line 1, column 3)"
    bench.checks.find(
        Problem(
            severity="error",
            rule="condition-compiles",
            message=message,
            location=edge,
            part="condition",
            line=1,
            column=3,
        )
    )
    assert isinstance(place.field, CelField)
    assert place.field.error.text() == "Line 1, column 3: no."


def test_the_field_stands_in_the_view_and_goes_when_there_is_nothing_to_edit(
    bench: Bench, place: ConditionEditor
) -> None:
    double_click(bench, tag(bench, 1))
    frame = place.field.parentWidget()  # type: ignore[union-attr]
    assert bench.view.rect().contains(frame.geometry())
    before = frame.pos()
    bench.view.camera.scroll(bench.view.rect().center() / 20)
    assert frame.pos() != before
    bench.document.apply("x", edits.remove(bench.design, {"switch"}))
    assert place.field is None
    bench.document.undo_stack.undo()
    bench.session.look_at(half_full(), "past")
    bench.view.select({"switch"})
    bench.key(Qt.Key.Key_W)
    assert place.field is None
