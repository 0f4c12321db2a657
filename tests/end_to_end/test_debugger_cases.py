"""Faults that other debuggers had, each in the real window with a real host. The numbers
are those of the reports.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from designer.cli.commands import main
from designer.cli.debug import show
from designer.shell.attach.attach_dialog import AttachDialog
from designer.shell.stores.runs_dialog import RunsDialog
from runtime import Workflow, WorkflowBuilder, WorkflowContext, executor
from runtime.debug import listen
from runtime.debug.remote.code_target import CodeTarget
from runtime.system.listeners import address_of
from tests.designer.shell.support import Hand

pytestmark = pytest.mark.slow
CODE = """
from pathlib import Path

CALLS = Path(__file__).parent / "calls"

def first(message: str) -> str:
    with CALLS.open("a") as calls:
        calls.write("first\\n")
    return message

def second(message: str) -> str:
    with CALLS.open("a") as calls:
        calls.write("second\\n")
    return message + "!"
"""
STREAMING = """
import asyncio
from runtime import Executor, WorkflowBuilder, WorkflowContext, executor, handler, response_handler


class Person(Executor):
    @handler
    async def ask(self, name: str, context: WorkflowContext[int, str]) -> None:
        await context.request_info(f"Let {name} in?", bool)
        await context.request_info(f"Give {name} a seat?", bool)

    @response_handler
    async def take(self, question: str, answer: bool, context: WorkflowContext[int, str]) -> None:
        await context.yield_output(f"{question} {answer}")


@executor(id="begin")
async def begin(name: str, context: WorkflowContext[object]) -> None:
    await context.send_message(name, "person")
    await context.send_message(1, "stream")


@executor(id="stream")
async def stream(number: int, context: WorkflowContext[int]) -> None:
    await asyncio.sleep(0.005)
    if not STOP.exists():
        await context.send_message(number + 1)


from pathlib import Path
STOP = Path(__file__).parent / "stop"
person = Person("person")
builder = WorkflowBuilder(start_executor=begin, name="streaming", max_iterations=10**6)
workflow = builder.add_edge(begin, person).add_edge(begin, stream).add_edge(stream, stream)
"""


def document(folder: Path) -> Path:
    """A file with two functions that write down each of their calls."""
    (folder / "called.py").write_text(CODE)
    nodes = [
        {
            "id": name,
            "type": "python_function",
            "params": {"function": f"called:{name}"},
        }
        for name in ("first", "second")
    ]
    nodes.append({"id": "end", "type": "output"})
    edges = [
        {"id": "a", "kind": "direct", "source": "first", "target": "second"},
        {"id": "b", "kind": "direct", "source": "second", "target": "end"},
    ]
    workflow = {"name": "called", "start": "first", "nodes": nodes, "edges": edges}
    path = folder / "called.stepwell.json"
    path.write_text(json.dumps({"format": 1, "workflow": workflow}))
    return path


def run_outside(path: Path, message: str) -> None:
    """A run of the file that no window knows, in the store beside it."""
    assert main(["run", str(path), "--input", json.dumps(message)]) == 0


def calls(folder: Path) -> list[str]:
    return (folder / "calls").read_text().split()


def superstep_of(hand: Hand) -> int:
    moment = hand.workspace.session.moment
    return -1 if moment is None else moment.superstep


def outputs(hand: Hand) -> list[str]:
    moment = hand.workspace.session.moment
    return [value.text for _, value in moment.outputs] if moment is not None else []


def open_run(hand: Hand, number: int) -> None:
    """Open a run by its number in the list of all runs."""
    hand.window.show_runs()
    dialog = hand.window.findChildren(RunsDialog)[-1]
    hand.wait(lambda: dialog.filter.rowCount() > 0)
    rows = {
        dialog.filter.index(row, 0).data(): row
        for row in range(dialog.filter.rowCount())
    }
    index = dialog.filter.index(rows[f"Run {number}"], 0)
    place = dialog.table.visualRect(index).center()
    hand.click(dialog.table.viewport(), place)
    hand.qtbot.mouseDClick(
        dialog.table.viewport(), Qt.MouseButton.LeftButton, pos=place
    )
    timeline = hand.workspace.session.timeline
    hand.wait(lambda: timeline.flush() or timeline.rowCount() == 4)


def look_at_input(hand: Hand) -> None:
    session = hand.workspace.session
    session.timeline.flush()
    session.view(session.timeline.header_at(0).id)
    hand.wait(lambda: superstep_of(hand) == 0)


def test_case_186_an_old_run_that_is_run_again_has_its_own_input_and_says_where_it_is_from(
    hand: Hand, tmp_path: Path
) -> None:
    path = document(tmp_path)
    run_outside(path, "five")
    hand.window.files.open(path)
    open_run(hand, 1)
    look_at_input(hand)
    session = hand.workspace.session
    seen = session.moment.header
    run_outside(path, "nine")

    hand.key(Qt.Key.Key_F5)
    hand.wait_stopped("finished")
    hand.wait(lambda: "five!" in "".join(outputs(hand)))
    session.timeline.flush()
    forks = [
        header
        for header in map(
            session.timeline.header_at, range(session.timeline.rowCount())
        )
        if header.cause == "fork"
    ]
    assert [header.parent for header in forks] == [seen.id]
    assert session.head.run_id == seen.run_id


def test_case_189_looking_runs_nothing_and_running_again_says_so_before(
    hand: Hand, tmp_path: Path
) -> None:
    path = document(tmp_path)
    run_outside(path, "tea")
    hand.window.files.open(path)
    before = calls(tmp_path)
    assert before == ["first", "second"]
    store = next(tmp_path.rglob("*.db"))
    bytes_before = store.read_bytes()

    open_run(hand, 1)
    look_at_input(hand)
    session = hand.workspace.session
    for superstep in (1, 2, 3):
        hand.key(Qt.Key.Key_F10)
        hand.wait(lambda number=superstep: superstep_of(hand) == number)
    look_at_input(hand)
    assert calls(tmp_path) == before
    assert store.read_bytes() == bytes_before
    assert "Viewing the past" in hand.workspace.banner.text

    run = hand.window.actions_by_id["run"]
    assert run.text().startswith("Run from #1 (fork)")
    hand.key(Qt.Key.Key_F5)
    hand.wait_stopped("finished")
    assert session.head.branch == "fork 1"
    assert calls(tmp_path) == [*before, "first", "second"]


def streaming(hand: Hand, folder: Path) -> None:
    (folder / "streaming.py").write_text(STREAMING)
    target = CodeTarget(
        reference="streaming:workflow",
        folder=str(folder),
        has_input=True,
        input="Ann",
    )
    show(target, hand.window)


@pytest.mark.painted
def test_case_192_events_flow_while_a_dialog_is_open_and_an_answer_reaches_its_question(
    hand: Hand, tmp_path: Path
) -> None:
    streaming(hand, tmp_path)
    hand.wait_stopped("entry")
    session = hand.workspace.session
    hand.key(Qt.Key.Key_F5)
    hand.wait(lambda: session.head is not None and session.head.requests == 2)

    hand.window.attach()
    dialog = hand.window.findChildren(AttachDialog)[-1]
    assert dialog.isModal()
    reached = session.head.superstep
    hand.wait(lambda: session.head.superstep > reached + 20)
    dialog.reject()

    (tmp_path / "stop").touch()
    hand.wait_stopped("waiting")
    panel = hand.show("Requests")
    hand.wait(lambda: len(session.moment.requests) == 2 and panel.question is not None)
    titles = [request.title for request in session.moment.requests]
    row = titles.index("Give Ann a seat?")
    place = panel.inbox.visualRect(panel.inbox.model().index(row, 0)).center()
    hand.click(panel.inbox.viewport(), place)
    hand.press("Yes", panel.question)
    hand.press("Send answer", panel.question)
    hand.wait(lambda: "Give Ann a seat? True" in "".join(outputs(hand)))
    assert [request.title for request in session.moment.requests] == ["Let Ann in?"]
    assert hand.somebody.told == []


@pytest.fixture
def own_thread() -> Iterator[asyncio.AbstractEventLoop]:
    """The event loop of a program beside the window."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def remembering() -> Workflow:
    @executor(id="keep")
    async def keep(number: int, context: WorkflowContext[int, int]) -> None:
        context.set_state("last", number)
        await context.yield_output(number)

    return WorkflowBuilder(start_executor=keep, name="remembering").build()


def test_case_181_what_the_program_changes_is_shown_and_nothing_old_as_the_present(
    hand: Hand,
    own_thread: asyncio.AbstractEventLoop,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("STEPWELL_RUN_DIR", str(tmp_path / "run"))
    workflow = remembering()

    def run(number: int) -> None:
        asyncio.run_coroutine_threadsafe(workflow.run(number), own_thread).result()

    def shown() -> list[str]:
        moment = hand.workspace.session.moment
        children = moment.state.children if moment is not None else ()
        return [value.text for _, value in children or ()]

    with listen(workflow) as listener:
        hand.window.files.attach(address_of(listener.address), "", "remembering")
        hand.wait(lambda: hand.workspace.session.program is not None)
        run(1)
        hand.wait(lambda: shown() == ["1"])
        assert hand.workspace.session.mode == "live"
        run(2)
        hand.wait(lambda: shown() == ["2"])
        session = hand.workspace.session
        hand.wait(lambda: session.timeline.rowCount() > 0)
        session.view(session.timeline.header_at(0).id)
        hand.wait(lambda: session.mode == "past")
        assert "Viewing the past" in hand.workspace.banner.text
