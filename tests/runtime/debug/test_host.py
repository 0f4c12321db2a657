"""The host as transcripts: commands in, replies and notices out."""

import asyncio
from pathlib import Path

import pytest

from runtime.debug.protocol import Command, HeadersBody
from tests.runtime.debug.talking import (
    Talk,
    alone,
    asking,
    document,
    loop,
    lost_join,
    node,
    talking,
)


@pytest.fixture
async def talk(tmp_path: Path):
    async with talking(tmp_path) as talk:
        yield talk


async def stand_at(talk: Talk, superstep: int, doc=None) -> None:
    """Open, start, and stand at this superstep."""
    await talk.open(doc or lost_join())
    await talk.body("start", stop_on_entry=True)
    await talk.until("stopped")
    if superstep:
        await talk.body("step", count=superstep)
        await talk.until("stopped")


async def stand_again(talk: Talk) -> None:
    """A second run, which stands at its input."""
    await talk.body("start", stop_on_entry=True)
    await talk.until("stopped")


async def test_open_tells_of_nodes_and_problems_and_runs_nothing(talk) -> None:
    opened = await talk.open(lost_join())
    assert (opened.workflow, opened.nodes) == ("test", ("a", "b", "c", "d", "sum"))
    assert not [problem for problem in opened.problems if problem.severity == "error"]
    assert talk.events() == []


async def test_a_document_that_cannot_be_built_says_why_and_refuses_to_start(
    talk,
) -> None:
    opened = await talk.open(document([node("a", "missing")], []))
    assert any(
        problem.severity == "error" and "missing" in problem.message
        for problem in opened.problems
    )
    reply = await talk.ask("start")
    assert not reply.success
    assert "missing" in reply.message


async def test_a_run_to_its_end_in_order(talk) -> None:
    await talk.open(lost_join())
    run_id = (await talk.body("start")).run_id
    stopped = await talk.until("stopped")
    assert (stopped.reason, stopped.status, stopped.superstep, stopped.run_id) == (
        "finished",
        "IDLE",
        4,
        run_id,
    )
    moment = await talk.body("inspect")
    assert moment.nodes["sum"].state == "ran"
    headers = (await talk.body("timeline", run_id=run_id)).headers
    assert [(h.superstep, h.cause) for h in headers] == [
        (0, "input"),
        *((n, "superstep") for n in range(1, 5)),
    ]


async def test_the_order_of_a_step(talk) -> None:
    await stand_at(talk, 0)
    await talk.body("step")
    names = [
        notice.event
        for notice in await talk.collect("stopped")
        if notice.event not in ("event", "progress")
    ]
    assert names == ["resumed", "checkpoints", "stopped"]


async def test_stop_on_entry_stands_at_the_input(talk) -> None:
    await talk.open(lost_join())
    await talk.body("start", stop_on_entry=True)
    stopped = await talk.until("stopped")
    assert (stopped.reason, stopped.superstep) == ("entry", 0)
    assert (await talk.body("inspect")).nodes["a"].state == "next"


async def test_the_half_full_join_is_seen_live_and_from_the_checkpoint(talk) -> None:
    await stand_at(talk, 3)
    live = await talk.body("inspect")
    viewed = await talk.body("inspect", checkpoint_id=live.header.id)
    for moment in (live, viewed):
        (join,) = moment.joins
        assert (join.filled, join.missing, join.sources[0].since) == (1, ("d",), 3)
        assert (
            join.sources[1].reason == "its message is queued and arrives in superstep 4"
        )
        assert moment.nodes["sum"].state == "next"
    await talk.body("step")
    assert (await talk.until("stopped")).reason == "finished"


async def test_restore_forks_and_the_past_stays(talk) -> None:
    await stand_at(talk, 2)
    at = (await talk.body("inspect")).header
    await talk.body("continue")
    first = await talk.until("stopped")
    forked = (await talk.body("restore", checkpoint_id=at.id, branch="again")).header
    assert (forked.parent, forked.branch, forked.cause, forked.superstep) == (
        at.id,
        "again",
        "fork",
        2,
    )
    assert (await talk.until("stopped")).reason == "restored"
    assert (await talk.body("inspect")).joins[0].held == 0
    await talk.body("continue")
    second = await talk.until("stopped")
    assert (second.reason, second.branch, second.superstep) == (
        "finished",
        "again",
        first.superstep,
    )
    headers = (await talk.body("timeline")).headers
    assert len({h.id for h in headers}) == len(headers) == 8


async def test_answers_are_json_and_go_on(talk) -> None:
    await stand_at(talk, 0, asking())
    await talk.body("continue")
    assert (await talk.until("stopped")).reason == "waiting"
    moment = await talk.body("inspect")
    (request,) = moment.requests
    assert (request.title, request.executor, request.schema_["type"]) == (
        "Ship 2?",
        "ask",
        "string",
    )
    assert moment.nodes["ask"].state == "asking"
    refused = await talk.ask("answer", answers={request.id: 3})
    assert (refused.success, refused.error_type) == (False, "RequestError")
    header = (await talk.body("answer", answers={request.id: "yes"})).header
    assert header.cause == "response"
    await talk.body("continue")
    stopped = await talk.until("stopped")
    while stopped.reason != "finished":
        stopped = await talk.until("stopped")
    assert (await talk.body("inspect")).outputs[0][1].children[1][1].text == "'yes'"


async def test_one_question_is_answered_differently_on_two_branches(talk) -> None:
    await stand_at(talk, 2, asking())
    at = await talk.body("inspect")
    said = []
    for answer in ("yes", "no"):
        await talk.body("restore", checkpoint_id=at.header.id)
        await talk.body("answer", answers={at.requests[0].id: answer})
        await talk.body("continue")
        while (await talk.until("stopped")).reason != "finished":
            pass
        said.append((await talk.body("inspect")).outputs[0][1].children[1][1].text)
    assert said == ["'yes'", "'no'"]


async def test_stop_ends_a_handler_that_sleeps(talk) -> None:
    await talk.open(alone("nap"))
    await talk.body("start")
    # on a busy machine the one before is told
    while "b" not in (running := (await talk.until("progress")).running):
        pass
    assert list(running) == ["b"]
    assert (await talk.body("inspect")).nodes["b"].state == "running"
    async with asyncio.timeout(30):  # the handler sleeps for longer
        await talk.body("stop")
    stopped = await talk.until("stopped")
    assert (stopped.reason, stopped.status, stopped.superstep) == (
        "cancelled",
        "CANCELLED",
        1,
    )
    assert (await talk.body("inspect")).nodes["b"].state == "cancelled"
    assert talk.events() == []


async def test_a_stop_that_comes_with_the_start_stops(talk) -> None:
    await talk.open(loop(10**6))
    talk.host.receive(Command(seq=91, command="start"))
    talk.host.receive(Command(seq=92, command="stop"))
    assert (await talk.until("stopped")).reason == "cancelled"


async def test_a_pause_that_comes_with_the_start_pauses(talk) -> None:
    await talk.open(loop(10**6))
    talk.host.receive(Command(seq=91, command="start"))
    talk.host.receive(Command(seq=92, command="pause"))
    stopped = await talk.until("stopped")
    assert (stopped.reason, stopped.superstep) == ("pause", 0)


async def test_at_a_barrier_nothing_runs_and_nothing_is_held(talk) -> None:
    # Handlers that never wait: the loop is free between supersteps only.
    await talk.open(loop(10**6))
    await talk.body("start")
    while (await talk.until("checkpoints")).headers[-1].superstep < 2:
        pass
    nodes = (await talk.body("inspect")).nodes
    assert {node.state for node in nodes.values()} == {"ran", "next"}
    await talk.body("stop")


async def test_pause_stands_at_the_next_barrier_and_continue_goes_on(talk) -> None:
    await talk.open(loop(10**6))
    await talk.body("start")
    await talk.until("checkpoints")
    await talk.body("pause")
    paused = await talk.until("stopped")
    assert paused.reason == "pause"
    assert (await talk.body("inspect")).superstep == paused.superstep
    await talk.body("step", count=3)
    assert (await talk.until("stopped")).superstep == paused.superstep + 3


async def test_questions_are_answered_while_a_superstep_runs(talk) -> None:
    await talk.open(alone("nap"))
    run_id = (await talk.body("start")).run_id
    while (await talk.until("checkpoints")).headers[-1].superstep < 1:
        pass
    await talk.until("progress")
    assert (await talk.body("timeline", run_id=run_id)).headers[-1].superstep == 1
    assert (await talk.body("runs")).runs[0].run_id == run_id
    await talk.body("stop")


async def test_a_failure_names_the_executor_and_leaves_the_barrier(talk) -> None:
    await talk.open(alone("fail"))
    await talk.body("start")
    stopped = await talk.until("stopped")
    assert (stopped.reason, stopped.status, stopped.superstep) == (
        "failed",
        "FAILED",
        1,
    )
    assert (stopped.executor, stopped.error_type, stopped.text) == (
        "b",
        "ValueError",
        "cannot take 2",
    )
    assert "in fail" in stopped.traceback
    moment = await talk.body("inspect")
    assert (moment.nodes["b"].state, moment.nodes["b"].error) == (
        "failed",
        "cannot take 2",
    )
    await talk.body("continue")
    assert (await talk.until("stopped")).reason == "failed"


async def test_what_a_failed_superstep_had_done_is_gone(talk) -> None:
    fan_out = {"id": "out", "kind": "fan_out", "source": "a", "targets": ["b", "c"]}
    await talk.open(
        document(
            [node("a", "inc"), node("b", "inc"), node("c", "fail_late")], [fan_out]
        )
    )
    await talk.body("start")
    assert (await talk.until("stopped")).executor == "c"
    nodes = (await talk.body("inspect")).nodes
    assert (nodes["b"].state, nodes["c"].state) == ("next", "failed")


async def test_the_limit_of_supersteps(talk) -> None:
    await talk.open(
        loop(100) | {"workflow": loop(100)["workflow"] | {"max_supersteps": 5}}
    )
    await talk.body("start")
    stopped = await talk.until("stopped")
    assert (stopped.reason, stopped.superstep, stopped.error_type) == (
        "limit",
        5,
        "WorkflowConvergenceException",
    )


async def test_a_stalled_join_is_why_the_run_stands(talk) -> None:
    doc = lost_join()
    doc["workflow"]["edges"][1]["condition"] = "message > 1000"
    await talk.open(doc)
    await talk.body("start")
    stopped = await talk.until("stopped")
    assert (stopped.reason, stopped.status) == ("stalled", "IDLE_WITH_STALLED_JOINS")
    moment = await talk.body("inspect")
    assert (moment.nodes["sum"].state, moment.nodes["d"].state) == (
        "stalled",
        "not_taken",
    )
    assert moment.joins[0].sources[1].reason == (
        "branch not taken: C → D was not taken, its condition was false in superstep 3"
    )


async def test_another_graph_is_refused_with_the_differences(talk) -> None:
    await talk.open(lost_join(), "memory:differences")
    await talk.body("start")
    stopped = await talk.until("stopped")
    await talk.open(asking(), "memory:differences")
    reply = await talk.ask("restore", checkpoint_id=stopped.checkpoint_id)
    assert (reply.success, reply.error_type) == (False, "SignatureMismatchError")
    assert "sum" in reply.message


async def test_earlier_supersteps_are_told_of_also_by_a_host_that_did_not_run_them(
    talk,
) -> None:
    await talk.open(lost_join(), "memory:earlier")
    await talk.body("start")
    stopped = await talk.until("stopped")
    await talk.open(None, "memory:earlier")
    moment = await talk.body("inspect", checkpoint_id=stopped.checkpoint_id)
    assert moment.nodes["a"].detail.startswith("s1 · ")
    assert all(node.seconds is not None for node in moment.nodes.values())


async def test_the_past_knows_which_way_a_condition_went(talk) -> None:
    doc = lost_join()
    doc["workflow"]["edges"][1]["condition"] = "message > 1000"
    await stand_at(talk, 2, doc)
    at = (await talk.body("inspect")).header.id
    await talk.body("restore", checkpoint_id=at)
    await talk.body("continue")
    while (await talk.until("stopped")).reason != "stalled":
        pass
    past = await talk.body("inspect", checkpoint_id=at)
    assert past.nodes["d"].state == "idle"
    assert past.joins[0].sources[1].reason == (
        "branch not taken: C → D is not taken, its condition is false in superstep 3"
    )


async def test_going_on_after_a_lost_process_stays_on_the_branch(talk) -> None:
    await stand_at(talk, 2)
    head = (await talk.body("inspect")).header
    stood = (await talk.body("restore", checkpoint_id=head.id, fork=False)).header
    assert stood.id == head.id
    await talk.until("stopped")
    await talk.body("step")
    await talk.until("stopped")
    *_, newest = (await talk.body("timeline")).headers
    assert (newest.parent, newest.branch, newest.superstep) == (head.id, "main", 3)


async def test_a_fork_remembers_what_it_comes_from_once(talk) -> None:
    await stand_at(talk, 3)
    at = (await talk.body("inspect")).header.id
    await talk.body("restore", checkpoint_id=at)
    moment = await talk.body("inspect")
    assert (moment.joins[0].held, moment.joins[0].sources[0].since) == (1, 3)
    assert (moment.nodes["d"].state, moment.nodes["a"].detail[:5]) == ("ran", "s1 · ")


async def test_looking_into_a_store_imports_nothing(talk) -> None:
    await talk.open(lost_join(), "memory:looking")
    await talk.body("start")
    await talk.until("stopped")
    (talk.folder / "steps.py").write_text("raise RuntimeError('imported')")
    opened = await talk.open(None, "memory:looking")
    assert opened.workflow == "test"
    (run,) = (await talk.body("runs")).runs
    assert (await talk.body("inspect", checkpoint_id=run.latest.id)).nodes[
        "sum"
    ].state == "ran"
    assert (
        "imported" in (await talk.ask("restore", checkpoint_id=run.latest.id)).message
    )


async def test_values_are_expanded(talk) -> None:
    await stand_at(talk, 2)
    page = await talk.body("expand", section="executors", path=[0])
    assert [label for label, _ in page.children] == ["runs", "last superstep", "state"]
    assert not (await talk.ask("expand", section="executors", path=[99])).success


async def test_the_timeline_comes_in_pages(talk) -> None:
    await stand_at(talk, 4)
    first = await talk.body("timeline", limit=2)
    assert (len(first.headers), first.more) == (2, True)
    rest = await talk.body("timeline", after=first.headers[-1].sequence)
    assert (len(rest.headers), rest.more) == (3, False)


async def test_tags_and_notes(talk) -> None:
    await stand_at(talk, 1)
    at = (await talk.body("inspect")).header.id
    assert (
        await talk.body("annotate", checkpoint_id=at, tags=["good"], note="n")
    ).header.tags == ("good",)
    assert (await talk.body("inspect", checkpoint_id=at)).header.note == "n"


async def test_runs_are_deleted_but_not_the_live_one(talk) -> None:
    await stand_at(talk, 1)
    first = talk.host._session.runner.run_id
    await stand_again(talk)
    live = talk.host._session.runner.run_id
    refused = await talk.ask("delete_runs", run_ids=[first, live])
    assert (refused.success, "live run" in refused.message) == (False, True)
    assert {run.run_id for run in (await talk.body("runs")).runs} == {first, live}
    left = await talk.body("delete_runs", run_ids=[first, "no such run"])
    assert [run.run_id for run in left.runs] == [live]


async def test_a_store_that_is_only_read_stays_as_it_is(talk, tmp_path) -> None:
    url = f"sqlite:{tmp_path / 'runs.db'}"
    await talk.open(lost_join(), url)
    await talk.body("start")
    stopped = await talk.until("stopped")
    await talk.body("open", store=url, read_only=True)
    assert [run.run_id for run in (await talk.body("runs")).runs] == [stopped.run_id]
    for command, arguments in (
        ("delete_runs", {"run_ids": [stopped.run_id]}),
        ("annotate", {"checkpoint_id": stopped.checkpoint_id, "note": "x"}),
    ):
        reply = await talk.ask(command, **arguments)
        assert (reply.success, "reading only" in reply.message) == (False, True)


async def test_the_catalogue(talk) -> None:
    assert {"ask", "python_function"} <= {
        info.type for info in (await talk.body("catalogue")).nodes
    }


@pytest.mark.parametrize(
    ("command", "arguments", "text"),
    [
        ("step", {}, "There is no run"),
        ("continue", {}, "There is no run"),
        ("restore", {"checkpoint_id": "x"}, "no workflow"),
        ("answer", {"answers": {}}, "There is no run"),
        ("timeline", {}, "Nothing is open"),
        ("expand", {"section": "nothing"}, "no section"),
        ("step", {"count": 0}, "count"),
        ("dance", {}, "no command"),
    ],
)
async def test_what_cannot_be_done_is_refused_with_a_reason(
    talk, command, arguments, text
) -> None:
    reply = await talk.ask(command, **arguments)
    assert not reply.success
    assert text in reply.message


class StepClock:
    """A clock that goes on by a millisecond whenever it is read."""

    now = 0.0

    def __call__(self) -> float:
        self.now += 0.001
        return self.now


async def test_two_thousand_supersteps_are_told_in_few_packets(tmp_path) -> None:
    clock = StepClock()
    async with talking(tmp_path, clock) as talk:
        await talk.open(loop(2000))
        start = clock.now
        await talk.body("start")
        notices = await talk.collect("stopped")
        elapsed = clock.now - start
    ids = [
        h.id for n in notices if isinstance(n.body, HeadersBody) for h in n.body.headers
    ]
    assert len(ids) == len(set(ids)) >= 2000
    assert len(notices) <= 60 * elapsed + 10


async def test_shutdown_ends_the_run_and_the_host(talk) -> None:
    await talk.open(alone("nap"))
    await talk.body("start")
    await talk.until("progress")
    assert (await talk.ask("shutdown")).success
    assert talk.host.closed.is_set()


async def test_what_was_asked_for_before_an_open_is_not_done_after_it(talk) -> None:
    await stand_at(talk, 0)
    # The step has had no turn yet when the document is replaced: there is no run for it
    # any more.
    talk.host.receive(Command(seq=101, command="step"))
    await talk.open(alone("inc"))
    assert (await talk.ask("runs")).success
    assert not (await talk.ask("step")).success
