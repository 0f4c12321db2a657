"""User code that spins, crashes or hangs: the window stays alive, Stop works, and
nothing that was saved is lost.
"""

import json
import os

import pytest
from PySide6.QtCore import Qt, QTimer

from designer import warm
from designer.session.phase import RunPhase
from tests.designer.shell.support import opened

pytestmark = pytest.mark.slow

MODULE = "stepwell_trouble_{name}"
CODE = """
import asyncio, os, time

def start(message: str) -> str:
    return message

def spin(message: str) -> str:
    while True:
        pass

async def spin_async(message: str) -> str:
    while True:
        pass

def flood(message: str) -> str:
    while True:
        print("x" * 2000)

def crash(message: str) -> str:
    os._exit(7)

def hang(message: str) -> str:
    time.sleep(1000)
    return message

async def nap(message: str) -> str:
    await asyncio.sleep(1000)
    return message

def fail(message: str) -> str:
    raise ValueError("no such thing")

def well(message: str) -> str:
    return message + "!"
"""
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def hand(qtbot, tmp_path, monkeypatch):
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    with opened(qtbot, tmp_path) as hand:
        warm.start()  # as the program does; what it imports would be one long stall
        hand.wait(lambda: not warm.is_busy())
        yield hand


def document(folder, function):
    """A file with three nodes: one that works, one that calls `function`, and the
    output.
    """
    (folder / "stepwell_trouble.py").write_text(CODE)
    nodes = [
        {
            "id": "first",
            "type": "python_function",
            "params": {"function": "stepwell_trouble:start"},
        },
        {
            "id": "second",
            "type": "python_function",
            "params": {"function": f"stepwell_trouble:{function}"},
        },
        {"id": "end", "type": "output"},
    ]
    edges = [
        {"id": "a", "kind": "direct", "source": "first", "target": "second"},
        {"id": "b", "kind": "direct", "source": "second", "target": "end"},
    ]
    workflow = {
        "name": function,
        "start": "first",
        "input": "hello",
        "nodes": nodes,
        "edges": edges,
    }
    path = folder / f"{function}.stepwell.json"
    path.write_text(json.dumps({"format": 1, "workflow": workflow}))
    return path


def run_into(hand, folder, function):
    """Open a document and run it until its second node is at work."""
    hand.window.files.open(document(folder, function))
    hand.key(Qt.Key.Key_F5)
    session = hand.workspace.session
    hand.wait(lambda: session.head is not None and session.head.superstep == 1)
    return session


@pytest.mark.parametrize("function", ["spin", "spin_async", "flood"])
def test_case_190_an_endless_loop_leaves_the_window_alive_and_stop_twice_ends_it(
    hand, tmp_path, function
):
    """How short the stalls are is measured by `tests.benchmarks.stall`: a machine that
    is busy proves nothing.
    """
    session = run_into(hand, tmp_path, function)
    beats = []
    timer = QTimer(interval=10)
    timer.timeout.connect(lambda: beats.append(session.running))
    timer.start()
    hand.wait(lambda: len(beats) >= 20)
    # the loop of the window came round, again and again, while the other spun
    assert all(beats)
    hand.key(Qt.Key.Key_F5, SHIFT)
    hand.key(Qt.Key.Key_F5, SHIFT)  # who stops twice has stopped
    hand.wait(lambda: not session.running, timeout=10_000)
    timer.stop()
    hand.wait(lambda: session.moment is not None and session.moment.superstep == 1)
    assert (session.mode, session.head.superstep) == ("live", 1)
    assert not hand.workspace.banner.isVisible()  # what one asked for is no trouble


def test_case_190_stop_right_after_run_leaves_a_window_that_can_run_again(
    hand, tmp_path
):
    hand.window.files.open(document(tmp_path, "well"))
    session = hand.workspace.session
    hand.key(Qt.Key.Key_F5)
    session.stop()
    session.stop()
    hand.wait(lambda: session.phase is RunPhase.STANDING)
    assert not hand.workspace.banner.isVisible()
    assert hand.somebody.told == []
    hand.wait(hand.window.actions_by_id["run"].isEnabled)
    hand.key(Qt.Key.Key_E, CTRL)
    hand.key(Qt.Key.Key_F5)
    hand.wait_stopped("finished")


def test_a_crash_of_the_host_is_told_loses_nothing_and_the_next_run_works(
    hand, tmp_path
):
    session = run_into(hand, tmp_path, "crash")
    hand.wait(hand.workspace.banner.isVisible)
    assert "process" in hand.workspace.banner.text
    assert "exit code 7" in hand.workspace.banner.text
    hand.wait(lambda: session.moment is not None and session.moment.superstep == 1)
    hand.wait(lambda: session.timeline.rowCount() == 2)
    (tmp_path / "stepwell_trouble.py").write_text(
        CODE.replace("os._exit(7)", "return 'mended'")
    )
    hand.press("Dismiss")
    assert not hand.workspace.banner.isVisible()
    hand.key(Qt.Key.Key_F5)
    hand.wait_stopped("finished")
    hand.wait(lambda: bool(session.moment.outputs))
    assert "mended" in session.moment.outputs[0][1].text


def test_a_handler_that_raises_is_shown_and_run_goes_on_with_the_mended_code(
    hand, tmp_path
):
    session = run_into(hand, tmp_path, "fail")
    hand.wait_stopped("failed")
    assert "Failed in superstep 2" in hand.workspace.banner.text
    assert "no such thing" in hand.workspace.banner.text
    hand.press("Traceback")
    assert hand.workspace.panels["Console"].isVisible()
    (tmp_path / "stepwell_trouble.py").write_text(
        CODE.replace('raise ValueError("no such thing")', "return 'mended'")
    )
    hand.key(Qt.Key.Key_F5)
    hand.wait_stopped("finished")
    hand.wait(lambda: bool(session.moment.outputs))
    assert "mended" in session.moment.outputs[0][1].text
    assert not hand.workspace.banner.isVisible()


@pytest.mark.parametrize("function", ["hang", "nap"])
def test_case_195_closing_in_the_middle_of_a_long_handler_ends_its_process_at_once(
    hand, tmp_path, function
):
    session = run_into(hand, tmp_path, function)
    process = session._link._process.processId()
    assert process > 0
    assert hand.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    assert hand.window.workspaces == []
