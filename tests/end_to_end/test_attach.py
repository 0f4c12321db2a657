"""A window attaches to a program in another process, by mouse and keys: it steps,
travels, goes on from the past, and leaves; the program does its own work as before.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

import runtime
from designer.shell.attach.attach_dialog import AttachDialog
from runtime.debug import listen
from runtime.debug.wire.greeting import Hello
from runtime.system.listeners import address_of, listings
from tests.designer.shell.support import Hand

pytestmark = pytest.mark.slow
SHIFT = Qt.KeyboardModifier.ShiftModifier
ROOT = Path(runtime.__file__).parents[1]
PROGRAM = """
import asyncio, sys
from runtime import WorkflowBuilder, WorkflowContext, executor
from runtime.debug import listen

@executor(id="ping")
async def ping(number: int, context: WorkflowContext[int]) -> None:
    context.set_state("last", number)
    await context.send_message(number + 1)

@executor(id="pong")
async def pong(number: int, context: WorkflowContext[int, int]) -> None:
    if number < 10:
        await context.send_message(number + 1)
    else:
        await context.yield_output(number)

builder = WorkflowBuilder(start_executor=ping, name="counting")
workflow = builder.add_edge(ping, pong).add_edge(pong, ping).build()

async def main():
    with listen(workflow, store=sys.argv[1], address=sys.argv[2], wait_for_client=True):
        print((await workflow.run(1)).get_outputs(), flush=True)
        sys.stdin.readline()

asyncio.run(main())
"""


@pytest.fixture(autouse=True)
def run_folder(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEPWELL_RUN_DIR", str(tmp_path_factory.mktemp("run")))


@contextmanager
def program(folder: Path, address: str = "") -> Iterator[subprocess.Popen[str]]:
    """A program that listens, with a store in a file. It ends after a line of stdin."""
    file = folder / "counting.py"
    file.write_text(PROGRAM)
    process = subprocess.Popen(
        [sys.executable, str(file), f"sqlite:{folder / 'runs.db'}", address],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def attach(hand: Hand) -> AttachDialog:
    """Wait until the program listens, and choose it in the dialog."""
    hand.wait(lambda: [listing.workflow for listing in listings()] == ["counting"])
    hand.window.attach()
    (dialog,) = hand.window.findChildren(AttachDialog)
    assert dialog.rows.rowCount() == 1
    hand.click(dialog.attach_button)
    return dialog


def ended(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def superstep_of(hand: Hand) -> int:
    moment = hand.workspace.session.moment
    return -1 if moment is None else moment.superstep


def test_a_program_is_stepped_travelled_forked_and_left(
    hand: Hand, tmp_path: Path
) -> None:
    with program(tmp_path) as process:
        attach(hand)
        hand.wait_stopped("entry")
        workspace, session = hand.workspace, hand.workspace.session
        assert workspace.document.title == "counting"
        hand.wait(lambda: set(workspace.canvas.scene().boxes) == {"ping", "pong"})
        assert not workspace.canvas.editable

        for superstep in (1, 2, 3):
            hand.key(Qt.Key.Key_F10)
            hand.wait_stopped("step")
            hand.wait(lambda number=superstep: superstep_of(hand) == number)

        session.timeline.flush()
        assert session.timeline.rowCount() == 4
        hand.key(Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
        hand.wait(lambda: superstep_of(hand) == 2)
        assert session.mode == "past"
        hand.press("Restore here")
        hand.wait_stopped("restored")
        assert session.head is not None
        assert session.head.branch == "fork 1"
        hand.key(Qt.Key.Key_F5)
        hand.wait_stopped("finished")
        assert process.poll() is None

        hand.press("Back to the program's run")
        hand.wait(lambda: not session.is_away_from_program)
        hand.wait(lambda: superstep_of(hand) == 3)
        hand.window.actions_by_id["detach"].trigger()
        assert ended(process) == "[10]"
        hand.wait(lambda: session.has_left)
        assert workspace.why_not_run.startswith("The program is not attached")
        hand.press("Open its store")
        store = hand.workspace
        assert store is not workspace
        hand.wait(lambda: store.session.moment is not None)
        assert store.document.title == "runs.db"
    assert hand.somebody.told == []


def test_closing_the_tab_leaves_the_program_running(hand: Hand, tmp_path: Path) -> None:
    with program(tmp_path) as process:
        attach(hand)
        hand.wait_stopped("entry")
        hand.key(Qt.Key.Key_F10)
        hand.wait_stopped("step")
        assert hand.close()
        assert ended(process) == "[10]"


def test_the_end_of_the_program_is_said(hand: Hand, tmp_path: Path) -> None:
    with program(tmp_path) as process:
        attach(hand)
        hand.wait_stopped("entry")
        process.send_signal(signal.SIGKILL)
        hand.wait(lambda: hand.workspace.session.has_left)
        assert "no longer attached" in hand.workspace.banner.text


def test_a_port_needs_its_token(hand: Hand, tmp_path: Path) -> None:
    with program(tmp_path, "127.0.0.1:0"):
        hand.wait(lambda: listings() != [])
        [listing] = listings()
        hand.window.attach()
        (dialog,) = hand.window.findChildren(AttachDialog)
        QTest.keyClicks(dialog.token, "a wrong token of some length")
        hand.click(dialog.attach_button)
        hand.wait(lambda: "token is wrong" in hand.workspace.banner.text)
        hand.window.files.close(hand.workspace)

        hand.window.attach()
        dialog = hand.window.findChildren(AttachDialog)[-1]
        dialog.address.clear()
        QTest.keyClicks(dialog.address, str(listing.address))
        QTest.keyClicks(dialog.token, listing.token)
        hand.click(dialog.attach_button)
        hand.wait_stopped("entry")


def test_a_program_that_runs_nothing_yet_is_waited_for(hand: Hand) -> None:
    with listen() as listener:
        hand.window.attach()
        (dialog,) = hand.window.findChildren(AttachDialog)
        assert dialog.rows.rows[0].workflow == ""
        hand.click(dialog.attach_button)
        session = hand.workspace.session
        hand.wait(lambda: session.program is not None)
        assert session.moment is None
        assert hand.workspace.why_not_run.startswith("The program starts its runs")
        hand.key(Qt.Key.Key_F5)
        assert hand.workspace.banner.text == ""
        assert listener.is_attached


def test_a_second_window_is_told_that_somebody_is_attached(hand: Hand) -> None:
    with listen() as listener:
        address = address_of(listener.address)
        with socket.socket(socket.AF_UNIX) as first:
            first.connect(address.path)
            first.sendall(Hello().model_dump_json().encode() + b"\n")
            assert listener.wait_for_client(10)
            hand.window.files.attach(address, "", "counting")
            hand.wait(lambda: "Somebody else" in hand.workspace.banner.text)
            assert hand.workspace.session.has_left
        hand.wait(lambda: not listener.is_attached)
        hand.press("Attach again")
        hand.wait(lambda: hand.workspace.session.program is not None)
        hand.wait(lambda: not hand.workspace.banner.isVisible())


def test_an_address_at_which_nobody_listens_is_named(
    hand: Hand, tmp_path: Path
) -> None:
    hand.window.attach()
    (dialog,) = hand.window.findChildren(AttachDialog)
    assert dialog.rows.rowCount() == 0
    QTest.keyClicks(dialog.address, "example.org:80")
    assert "is not this machine" in dialog.error.text()
    assert not dialog.attach_button.isEnabled()
    dialog.address.clear()
    path = str(tmp_path / "nobody.sock")
    QTest.keyClicks(dialog.address, path)
    hand.click(dialog.attach_button)
    hand.wait(lambda: f"No program answers at {path}" in hand.workspace.banner.text)


def test_programs_that_began_to_listen_later_are_listed_after_refresh(
    hand: Hand,
) -> None:
    hand.window.attach()
    (dialog,) = hand.window.findChildren(AttachDialog)
    assert dialog.rows.rowCount() == 0
    with listen():
        hand.click(dialog.refresh_button)
        assert dialog.rows.rowCount() == 1
        assert dialog.address.text() == str(dialog.rows.rows[0].address)
    dialog.reject()


@pytest.mark.painted
def test_a_breakpoint_on_the_canvas_stops_the_program_and_is_gone_with_the_window(
    hand: Hand, tmp_path: Path
) -> None:
    with program(tmp_path) as process:
        attach(hand)
        hand.wait_stopped("entry")
        workspace, session = hand.workspace, hand.workspace.session
        hand.wait(lambda: set(workspace.canvas.scene().boxes) == {"ping", "pong"})
        box = workspace.canvas.scene().boxes["pong"]
        hand.click(
            workspace.canvas.viewport(),
            workspace.canvas.mapFromScene(box.rect.center()),
        )
        hand.key(Qt.Key.Key_F9)
        hand.key(Qt.Key.Key_F5)
        hand.wait_stopped("breakpoint")
        assert session.stopped is not None
        assert session.stopped.delivery is not None
        assert session.stopped.delivery.executor == "pong"
        assert "Stopped before pong" in hand.workspace.banner.text
        hand.key(Qt.Key.Key_F11)
        hand.wait_stopped("step", "delivery")
        board = hand.show("Board")
        hand.wait(lambda: board.view.places.count >= 1)

        hand.window.actions_by_id["detach"].trigger()
        assert ended(process) == "[10]"
        hand.wait(lambda: session.has_left)
        assert "Not attached" in hand.window.status.text
        assert "SQLite" in hand.window.status.text
