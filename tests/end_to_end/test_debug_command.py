"""`stepwell debug MODULE:NAME`: a workflow made in code, in a window without any
document.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from designer.cli.debug import show
from runtime.debug.remote.code_target import CodeTarget
from tests.designer.shell.support import Hand

pytestmark = pytest.mark.slow
CODE = """
import time
from runtime import WorkflowBuilder, WorkflowContext, executor
from runtime.debug import breakpoint_here

ADDED = 1

@executor(id="first")
async def first(number: int, context: WorkflowContext[int]) -> None:
    context.set_state("seen", number)
    await context.send_message(number + ADDED)

@executor(id="last")
async def last(number: int, context: WorkflowContext[int, int]) -> None:
    if number == 50:
        time.sleep(60)
    if number == 70:
        await breakpoint_here()
    print("last got", number)
    await context.yield_output(number * 10)

workflow = WorkflowBuilder(start_executor=first, name="adding").add_edge(first, last)
"""


NESTED = """
from runtime import WorkflowBuilder, WorkflowContext, WorkflowExecutor, executor

@executor(id="inc")
async def inc(number: int, context: WorkflowContext[int]) -> None:
    await context.send_message(number + 1)

@executor(id="dbl")
async def dbl(number: int, context: WorkflowContext[int, int]) -> None:
    await context.yield_output(number * 2)

child = WorkflowBuilder(start_executor=inc, name="child").add_edge(inc, dbl).build()

@executor(id="begin")
async def begin(number: int, context: WorkflowContext[int]) -> None:
    await context.send_message(number)
    await context.send_message(number * 10)

@executor(id="end")
async def end(number: int, context: WorkflowContext[int, int]) -> None:
    await context.yield_output(number)

sub = WorkflowExecutor(child, id="sub")
builder = WorkflowBuilder(start_executor=begin, name="nested")
workflow = builder.add_edge(begin, sub).add_edge(sub, end)
"""


def select(hand: Hand, node: str) -> None:
    canvas = hand.workspace.canvas
    hand.wait(lambda: not canvas.clock.is_moving)
    box = canvas.scene().boxes[node]
    hand.click(canvas.viewport(), canvas.mapFromScene(box.rect.center()))
    assert hand.workspace.document.selection == {node}


def debugged(hand: Hand, folder: Path, input: int) -> None:
    (folder / "adding.py").write_text(CODE)
    target = CodeTarget(
        reference="adding:workflow",
        folder=str(folder),
        spare_store=f"sqlite:{folder / 'runs.db'}",
        has_input=True,
        input=input,
    )
    show(target, hand.window)


def superstep_of(hand: Hand) -> int:
    moment = hand.workspace.session.moment
    return -1 if moment is None else moment.superstep


def outputs(hand: Hand) -> list[str]:
    moment = hand.workspace.session.moment
    return [value.text for _, value in moment.outputs] if moment is not None else []


def step(hand: Hand, superstep: int) -> None:
    hand.key(Qt.Key.Key_F10)
    hand.wait(lambda: superstep_of(hand) == superstep)
    hand.wait(lambda: not hand.workspace.session.running)


def test_a_workflow_in_code_stands_at_its_input_and_is_stepped_and_run_again(
    hand: Hand, tmp_path: Path
) -> None:
    debugged(hand, tmp_path, 4)
    hand.wait_stopped("entry")
    workspace, session = hand.workspace, hand.workspace.session
    assert workspace.document.title == "adding:workflow"
    hand.wait(lambda: set(workspace.canvas.scene().boxes) == {"first", "last"})
    step(hand, 1)
    session.timeline.flush()
    hand.key(Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    hand.wait(lambda: session.mode == "past")
    hand.press("Back to live")
    hand.key(Qt.Key.Key_F5)
    hand.wait_stopped("finished")
    assert not hand.window.actions_by_id["detach"].isEnabled()
    first_run = session.run_id
    hand.wait(lambda: outputs(hand) == ["50"])

    # Of another length, because Python tells versions of one second by that.
    (tmp_path / "adding.py").write_text(CODE.replace("ADDED = 1", "ADDED = 1 + 2"))
    hand.key(Qt.Key.Key_F5)
    hand.wait(lambda: session.run_id != first_run)
    hand.wait_stopped("finished")
    hand.wait(lambda: outputs(hand) == ["70"])
    assert hand.somebody.told == []


def test_code_of_a_handler_stops_the_run_at_its_delivery(
    hand: Hand, tmp_path: Path
) -> None:
    debugged(hand, tmp_path, 69)
    hand.wait_stopped("entry")
    hand.key(Qt.Key.Key_F5)
    hand.wait_stopped("code")
    stopped = hand.workspace.session.stopped
    assert stopped is not None
    assert stopped.delivery is not None
    assert stopped.delivery.executor == "last"
    hand.key(Qt.Key.Key_F5)
    hand.wait_stopped("finished")


def test_a_handler_that_hangs_is_stopped_and_nothing_saved_is_lost(
    hand: Hand, tmp_path: Path
) -> None:
    debugged(hand, tmp_path, 49)
    hand.wait_stopped("entry")
    session = hand.workspace.session
    hand.key(Qt.Key.Key_F5)
    hand.wait(lambda: session.running and session.head is not None)
    hand.wait(lambda: session.head.superstep == 1)
    hand.key(Qt.Key.Key_F5, Qt.KeyboardModifier.ShiftModifier)
    hand.wait(lambda: not session.running)
    (tmp_path / "adding.py").write_text(CODE.replace("== 50", "== -1"))
    hand.wait(lambda: hand.workspace.why_not_run == "")
    hand.key(Qt.Key.Key_F5)
    hand.wait_stopped("finished")
    assert session.head.superstep == 2


def test_one_goes_into_a_sub_workflow_run_by_run_and_stops_there(
    hand: Hand, tmp_path: Path
) -> None:
    (tmp_path / "nested.py").write_text(NESTED)
    target = CodeTarget(
        reference="nested:workflow", folder=str(tmp_path), has_input=True, input=3
    )
    show(target, hand.window)
    hand.wait_stopped("entry")
    step(hand, 1)
    step(hand, 2)
    workspace, session = hand.workspace, hand.workspace.session
    select(hand, "sub")
    hand.key(Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert set(workspace.canvas.scene().boxes) == {"begin", "sub", "end"}
    hand.key(Qt.Key.Key_Return)
    hand.wait(lambda: set(workspace.canvas.scene().boxes) == {"inc", "dbl"})
    hand.wait(lambda: session.inside is not None and len(session.inside.runs) == 2)
    assert session.inside.keys == ("sub#2",)

    select(hand, "dbl")
    hand.key(Qt.Key.Key_F9)
    hand.key(Qt.Key.Key_F5)
    hand.wait_stopped("breakpoint")
    assert session.stopped is not None
    assert session.stopped.delivery is not None
    assert session.stopped.delivery.path == ("sub#1",)
    hand.key(Qt.Key.Key_PageUp)
    hand.wait(lambda: set(workspace.canvas.scene().boxes) == {"begin", "sub", "end"})
    assert workspace.document.selection == {"sub"}


def test_code_that_cannot_be_loaded_is_said_in_the_banner(
    hand: Hand, tmp_path: Path
) -> None:
    target = CodeTarget(reference="missing:workflow", folder=str(tmp_path))
    show(target, hand.window)
    hand.wait(lambda: "'missing' cannot be imported" in hand.workspace.banner.text)
    assert "cannot be debugged" in hand.workspace.banner.text
