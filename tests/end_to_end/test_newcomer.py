"""A newcomer's run: the licence audit drawn from an empty canvas with mouse and
keyboard, saved, run and answered.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from designer.model.files import load
from designer.panels.forms.answer import AnswerForm
from designer.panels.forms.choice_fields import ListField
from designer.panels.outputs import OutputsPanel
from designer.panels.properties.workflow_editor import WorkflowEditor
from designer.panels.requests import RequestsPanel
from resources import ROOT
from runtime.document.definition import WorkflowDefinition
from tests.designer.shell.support import Hand, opened
from tests.documents import build
from tests.end_to_end.builder import CTRL, Builder
from tests.end_to_end.keys import Keys

pytestmark = pytest.mark.slow

EXAMPLE = ROOT / "examples" / "licence_audit"
REASON = "We ship closed source."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the newcomer has the Python code, and nothing else."""
    folder = tmp_path / "audit"
    folder.mkdir()
    for module in EXAMPLE.glob("*.py"):
        shutil.copy(module, folder)
    return folder


@pytest.fixture
def hand(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Hand]:
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    with opened(qtbot, tmp_path) as hand:
        hand.key(Qt.Key.Key_N, CTRL)
        hand.wait(lambda: bool(hand.workspace.session.infos))
        assert not hand.workspace.document.design.workflow.nodes
        yield hand
        assert hand.somebody.told == []


# the popup of the icons
@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_the_licence_audit_is_drawn_from_an_empty_canvas_and_runs(
    hand: Hand, folder: Path
) -> None:
    builder = Builder(hand)
    hand.somebody.save_to = folder / "licence_audit.stepwell.json"
    describe_workflow(builder)
    hand.key(Qt.Key.Key_S, CTRL)  # beside the code, whose functions are then offered
    draw_checks(builder)
    draw_decision(builder)
    same_as_the_example(builder.workflow)
    undo_all_and_redo(builder)
    hand.key(Qt.Key.Key_S, CTRL)
    same_as_the_example(load(hand.somebody.save_to).workflow)
    hand.wait(
        lambda: not hand.workspace.checks.problems and not hand.workspace.checks.is_busy
    )
    assert run_and_answer(hand) == report_of_the_example()
    assert hand.somebody.asked == [
        "save as licence_audit.stepwell.json",
        f"trust {folder}",
    ]


def draw_checks(builder: Builder) -> None:
    """The scan, the three checks that it fans out to, and the ranking behind one of
    them.
    """
    hand = builder.hand
    builder.carry("Function", QPoint(110, 260))
    make_function(builder, "Installed packages", "packages:scan", "box")
    builder.wire_to_new("Installed packages", "function", QPoint(300, 90))
    make_function(builder, "Classify licences", "licences:classify", "tag")
    builder.click("Classify licences")
    hand.key(Qt.Key.Key_Tab)
    builder.quick_add("function")
    make_function(builder, "Age check", "ages:check", "clock")
    hand.click(builder.palette.search)
    hand.type("function")
    hand.key(Qt.Key.Key_Return)
    make_function(builder, "Dependency graph", "dependencies:build", "graph")
    builder.choose(["Classify licences", "Dependency graph", "Age check"])
    builder.wire("Installed packages", "Age check")
    hand.key(Qt.Key.Key_L, CTRL)
    builder.wire_to_new(
        "Dependency graph",
        "function",
        builder.outlet("Dependency graph") + QPoint(40, 0),
    )
    make_function(builder, "Rank by reach", "dependencies:rank", "rank")


def make_function(builder: Builder, name: str, function: str, icon: str) -> None:
    """Fill in the form of the node that was just added."""
    builder.rename(name)
    builder.write_param("function", function[:-2])
    builder.hand.key(Qt.Key.Key_Return)  # takes what is offered
    assert builder.node(name).params == {"function": function}
    builder.choose_icon(icon)


def draw_decision(builder: Builder) -> None:
    """The join into a switch, its cases, the question and the report."""
    hand = builder.hand
    right = builder.outlet("Rank by reach")
    builder.carry("Switch", right + QPoint(90, 0))
    builder.rename("Route by licence")
    builder.choose(
        ["Classify licences", "Rank by reach", "Age check", "Route by licence"]
    )
    hand.key(Qt.Key.Key_J)
    builder.wire_to_new("Route by licence", "function", right + QPoint(240, 60))
    make_function(builder, "Write report", "report:write", "doc")
    builder.wire_to_new("Route by licence", "ask", right + QPoint(240, -60))
    fill_question(builder)
    builder.wire("Route by licence", "Ask a person")
    fill_cases(builder)
    builder.wire("Ask a person", "Write report")
    hand.key(Qt.Key.Key_L, CTRL)


def fill_question(builder: Builder) -> None:
    editor = builder.node_editor
    assert editor.form is not None
    builder.write_param("question", "May these packages ship?\n\n{message[0].at_issue}")
    for name, choices in (
        ("choices", ("approve", "replace", "block")),
        ("reason_required_for", ("replace", "block")),
    ):
        field = editor.form.field(name)
        assert isinstance(field, ListField)
        builder.see(field)
        builder.hand.press("Add", field)
        for at, choice in enumerate(choices):
            if at:
                builder.hand.key(Qt.Key.Key_Return)
            builder.hand.type(choice)


def fill_cases(builder: Builder) -> None:
    """Names and conditions of the switch that the last wire selected, with what the
    list of words offers.
    """
    cards = builder.node_editor.cases.cards
    for card, name in zip(cards, ("copyleft", "unknown"), strict=True):
        builder.write(card.name, name)
        builder.write(card.when.editor, f"message[0].{name}.si")
        assert card.when.completer.words == ["size()"]
        builder.hand.key(Qt.Key.Key_Return)
        builder.hand.type(" > 0")


def describe_workflow(builder: Builder) -> None:
    editor = builder.editor  # nothing is selected
    assert isinstance(editor, WorkflowEditor)
    builder.write(editor.name.editor(), "licence_audit")
    builder.write(editor.description.editor(), example().description)
    builder.write(editor.limit.editor(), "100")
    builder.write(editor.input.editor(), '"this machine"')


def example() -> WorkflowDefinition:
    return load(EXAMPLE / "licence_audit.stepwell.json").workflow


def same_as_the_example(workflow: WorkflowDefinition) -> None:
    """All of it, but for the order of nodes and the ids of edges: those were given by
    the program.
    """
    assert plain(workflow) == plain(example())


def plain(workflow: WorkflowDefinition) -> dict[str, object]:
    file = json.loads(workflow.model_dump_json())
    file["nodes"] = sorted(file["nodes"], key=lambda node: str(node["id"]))
    edges = [
        {key: value for key, value in edge.items() if key != "id"}
        for edge in file["edges"]
    ]
    file["edges"] = sorted(edges, key=lambda edge: json.dumps(edge, sort_keys=True))
    return dict(file)


def undo_all_and_redo(builder: Builder) -> None:
    """Back to the empty canvas step by step, and forth to the same."""
    stack = builder.hand.workspace.document.undo_stack
    steps = stack.index()
    # out of the form, whose fields undo what is typed in them
    builder.hand.key(Qt.Key.Key_Escape)
    for _ in range(steps):
        builder.hand.key(Qt.Key.Key_Z, CTRL)
    assert (stack.index(), builder.workflow) == (0, WorkflowDefinition())
    for _ in range(steps):
        builder.hand.key(Qt.Key.Key_Y, CTRL)
    same_as_the_example(builder.workflow)


def run_and_answer(hand: Hand) -> str:
    """F5, the answer in Requests, and the report that comes to the front."""
    hand.key(Qt.Key.Key_F5)
    hand.wait_stopped("waiting")
    requests = hand.show("Requests")
    assert isinstance(requests, RequestsPanel)
    hand.wait(lambda: requests.question is not None)
    assert requests.question is not None
    answer(hand, requests.question.form)
    hand.wait_stopped("finished")
    output = hand.workspace.panels["Output"]
    assert isinstance(output, OutputsPanel)
    hand.wait(
        lambda: (
            output.isVisible() and "Licence audit" in output.reader.page.toPlainText()
        )
    )
    return output.reader.text


def answer(hand: Hand, form: AnswerForm) -> None:
    hand.press("block", form)
    reason = form.form.field("reason").editor()
    assert isinstance(reason, QPlainTextEdit)
    hand.click(reason.viewport())
    hand.type(REASON)
    hand.press("Send answer", form)


def report_of_the_example() -> str:
    """What the shipped example says to the same answer, run without a window."""

    async def run() -> str:
        workflow = build(example(), folder=EXAMPLE)
        (question,) = (await workflow.run(example().input)).get_request_info_events()
        given = {question.request_id: {"verdict": "block", "reason": REASON}}
        (report,) = (await workflow.run(responses=given)).get_outputs()
        return str(report)

    return asyncio.run(run())


# --- by keyboard only


def test_five_nodes_with_a_fan_out_and_a_join_are_drawn_and_run_without_a_mouse(
    hand: Hand, tmp_path: Path
) -> None:
    keys = Keys(hand)
    keys.add("input")
    keys.lead_to_new("template", "Shout", "{message}!")
    keys.go("left")
    keys.lead_to_new("template", "Wonder", "{message}?")
    keys.go("left", "shift right", "shift down")
    hand.key(Qt.Key.Key_Return, CTRL)  # from the first that was chosen to the others
    keys.go("right")
    keys.lead_to_new("template", "Both", "{message[0]} {message[1]}")
    keys.go("left", "shift down", "shift right")
    hand.key(Qt.Key.Key_J)
    keys.go("right")
    keys.lead_to_new("output")
    hand.key(Qt.Key.Key_L, CTRL)
    hand.key(Qt.Key.Key_Escape)
    keys.give_input('"Ready"')
    workflow = hand.workspace.document.design.workflow
    assert [node.id for node in workflow.nodes] == [
        "input",
        "shout",
        "wonder",
        "both",
        "output",
    ]
    assert {(edge.kind, *edge.pairs) for edge in workflow.edges} == {
        ("fan_out", ("input", "shout"), ("input", "wonder")),
        ("fan_in", ("shout", "both"), ("wonder", "both")),
        ("direct", ("both", "output")),
    }
    hand.key(Qt.Key.Key_S, CTRL)
    hand.key(Qt.Key.Key_F5)
    hand.wait_stopped("finished")
    output = hand.workspace.panels["Output"]
    assert isinstance(output, OutputsPanel)
    hand.wait(lambda: output.reader.text == "Ready! Ready?")
