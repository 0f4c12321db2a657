"""A run that another process writes grows on the timeline."""

import asyncio

import pytest

from designer.session.opener import Source
from designer.session.session import DebugSession
from runtime import WorkflowBuilder, WorkflowContext, executor
from runtime.debug.protocol import OpenBody, ResumedBody, TimelineBody
from runtime.engine.runner import Runner
from runtime.stores.sqlite import SqliteStore
from tests.designer.fakes import RecordingLink, header, straight


@pytest.fixture
def link():
    return RecordingLink()


@pytest.fixture
def session(qtbot, link, tmp_path):
    session = DebugSession(link)
    store = tmp_path / "runs.db"
    store.touch()
    session.source = lambda: Source({}, "", f"sqlite:{store}")
    session.look_into(f"sqlite:{store}", read_only=True)
    link.reply("open", OpenBody(workflow="w"))
    yield session
    session.close()


def show(session, headers):
    session.timeline.clear("r1")
    session.timeline.append(headers)
    session.timeline.flush()


def times(link, command):
    return link.commands.count(command)


def test_what_was_saved_since_is_asked_for_and_added(session, link):
    show(session, straight(3))
    session.growth.look()
    arguments = link.last("timeline")["arguments"]
    assert (arguments["run_id"], arguments["after"]) == ("r1", 3)
    body = TimelineBody(headers=(header(4), header(5)), more=False)
    link.reply("timeline", body)
    session.timeline.flush()
    assert session.timeline.rowCount() == 5
    session.growth.look()
    assert link.last("timeline")["arguments"]["after"] == 5


def test_many_new_checkpoints_come_a_page_at_a_time(session, link):
    show(session, straight(3))
    session.growth.look()
    link.reply("timeline", TimelineBody(headers=(header(4),), more=True))
    assert link.last("timeline")["arguments"]["after"] == 4
    assert times(link, "timeline") == 2


def test_there_is_one_question_at_a_time(session, link):
    show(session, straight(3))
    session.growth.look()
    session.growth.look()
    assert times(link, "timeline") == 1


def test_an_answer_about_another_run_is_dropped(session, link):
    show(session, straight(3))
    session.growth.look()
    session.timeline.clear("r2")
    link.reply("timeline", TimelineBody(headers=(header(4),), more=False))
    session.timeline.flush()
    assert session.timeline.rowCount() == 0


def test_a_store_that_cannot_be_read_just_now_is_asked_again_without_a_word(
    session, link
):
    told = []
    session.failed.connect(lambda *texts: told.append(texts))
    show(session, straight(3))
    session.growth.look()
    link.reply("timeline", error="The store is busy.")
    session.growth.look()
    assert (times(link, "timeline"), told) == (2, [])


def test_a_run_that_moves_here_is_not_asked_for(session, link):
    show(session, straight(3))
    link.notice("resumed", ResumedBody(run_id="r1"))
    session.growth.look()
    assert times(link, "timeline") == 0


def test_nobody_looks_when_no_view_watches(session):
    session.growth.watch("timeline", is_watching=True)
    session.growth.watch("board", is_watching=True)
    session.growth.watch("timeline", is_watching=False)
    assert session.growth.is_looking
    session.growth.watch("board", is_watching=False)
    assert not session.growth.is_looking


# --- with a real host -------------------------------------------------------------------


@executor(id="count")
async def count(message: int, ctx: WorkflowContext[int]) -> None:
    await ctx.send_message(message + 1)


class Writer:
    """A program that moves a run in a store of its own."""

    def __init__(self, path):
        self._loop = asyncio.new_event_loop()
        self._store = SqliteStore(str(path))
        workflow = WorkflowBuilder(start_executor=count).add_edge(count, count).build()
        self._runner = Runner(workflow, self._store)
        self._loop.run_until_complete(self._runner.start(0))

    def step(self):
        self._loop.run_until_complete(self._runner.step())

    def close(self):
        self._loop.run_until_complete(self._store.close())
        self._loop.close()


def test_case_181_a_run_of_another_program_grows_in_a_window_that_only_reads(
    qtbot, tmp_path
):
    writer = Writer(tmp_path / "runs.db")
    writer.step()
    session = DebugSession()
    session.look_into(f"sqlite:{tmp_path / 'runs.db'}", read_only=True)
    qtbot.waitUntil(lambda: session.timeline.rowCount() == 2, timeout=15000)
    writer.step()
    session.growth.look()
    qtbot.waitUntil(lambda: session.timeline.rowCount() == 3)
    session.close()
    writer.close()
