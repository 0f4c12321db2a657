"""Where a value comes from, back to the input: held against what the handlers noted."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.debug.moments.barriers import Barriers
from runtime.debug.protocol import OriginStep, ProvenanceBody
from runtime.debug.values.shapes import line
from runtime.debug.why.origin import Address
from runtime.debug.why.provenance import provenance
from runtime.engine.runner import Runner
from runtime.stores import open_store
from runtime.stores.memory import MemoryStore
from tests.runtime.command_line import Stepwell
from tests.runtime.debug.random_workflows import SUPERSTEPS, Notebook, Noted, workflows
from tests.runtime.debug.talking import (
    asking,
    direct,
    document,
    loop,
    lost_join,
    node,
    talking,
)

NO_LIMIT = 2000


class Recorded:
    """A run of a random workflow, and which call noted that it made a value."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.makers: dict[str, Noted] = {}
        self.addresses: list[Address] = []

    def note(self, runner: Runner, notes: Notebook) -> None:
        for calls in notes.take().values():
            for noted in calls:
                for value in [*noted.sent, *noted.yielded]:
                    self.makers[line(value)] = noted
        header = runner.header
        assert header is not None
        trace = runner.trace
        for number, _ in enumerate(trace.outputs):
            self.addresses.append(Address(header.id, (), f"output:{number}"))
        for number, _ in enumerate(runner.state.queue):
            self.addresses.append(Address(header.id, (), f"queue:{number}"))


async def run(data: st.DataObject) -> Recorded:
    notes = Notebook()
    recorded = Recorded()
    runner = Runner(data.draw(workflows(notes)), recorded.store)
    await runner.start(0)
    for _ in range(SUPERSTEPS):
        recorded.note(runner, notes)
        if await runner.step() is None:
            break
    recorded.note(runner, notes)
    return recorded


def values_of(body: ProvenanceBody, step: OriginStep) -> list[str]:
    return [body.steps[link.number - 1].item.value.text for link in step.sources]


def check_step(body: ProvenanceBody, step: OriginStep, recorded: Recorded) -> None:
    """A step says what the handler noted."""
    assert not step.gap
    assert not step.is_open
    assert all(link.number < step.number for link in step.sources)
    text = step.item.value.text
    if step.item.kind == "input" or step.item.value.type == "ExecutorFailure":
        return
    maker = recorded.makers[text]
    if step.executor == maker.executor:
        assert values_of(body, step) == [line(value) for value in maker.got]
    else:
        # A sub-workflow handed it up: the same value, which an executor inside yielded.
        assert maker.executor.startswith(f"{step.executor}_")
        assert values_of(body, step) == [text]


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.data())
def test_every_value_leads_back_to_the_input_through_messages_that_the_run_carried(
    data: st.DataObject,
) -> None:
    async def check() -> None:
        recorded = await run(data)
        barriers = Barriers(recorded.store)
        for address in recorded.addresses[-8:]:
            body = await provenance(barriers, address, NO_LIMIT, seconds=60)
            assert body.complete
            first = body.steps[0]
            assert (first.item.kind, first.item.value.text) == ("input", "0")
            assert body.steps[-1].item.section in ("", address.section)
            for step in body.steps:
                check_step(body, step, recorded)

    asyncio.run(check())


def told(body: ProvenanceBody) -> list[tuple[str, str, list[int]]]:
    return [
        (
            "/".join((*step.runs, step.executor)),
            step.how,
            [link.number for link in step.sources],
        )
        for step in body.steps
    ]


async def finished(folder: Path, document: dict[str, Any], store: str) -> list[str]:
    """Run a document to its end. Return the ids of its checkpoints."""
    async with talking(folder) as talk:
        await talk.open(document, store)
        await talk.body("start")
        await talk.until("stopped")
        return [header.id for header in (await talk.body("timeline")).headers]


async def test_a_message_that_a_join_released_leads_to_each_of_its_sources(
    tmp_path: Path,
) -> None:
    store = f"sqlite:{tmp_path / 'runs.db'}"
    ids = await finished(tmp_path, lost_join(), store)
    async with talking(tmp_path) as talk:
        await talk.open(None, store)
        held = await talk.body("provenance", checkpoint_id=ids[3], address="held:0")
        assert told(held) == [
            ("", "input of the run", []),
            ("a", "sent", [1]),
            ("b", "sent", [2]),
        ]
        assert [link.edge for link in held.steps[2].sources] == ["out"]


NESTED = document(
    [
        {"id": "in", "type": "for_each", "params": {}},
        {
            "id": "sub",
            "type": "sub_workflow",
            "params": {
                "inline": document(
                    [
                        {
                            "id": "keep",
                            "type": "set_state",
                            "params": {"key": "seen", "value": "message"},
                        },
                        {"id": "ask", "type": "ask", "params": {"question": "Go?"}},
                        {"id": "out", "type": "output"},
                    ],
                    [direct("keep", "ask"), direct("ask", "out")],
                ),
            },
        },
        {
            "id": "votes",
            "type": "set_state",
            "params": {"key": "votes", "value": "[message]"},
        },
        {"id": "end", "type": "output"},
    ],
    [direct("in", "sub"), direct("sub", "votes"), direct("votes", "end")],
    input=["x"],
    reducers={"votes": "operator:add"},
)


async def test_a_question_and_a_key_inside_lead_through_the_border_to_the_input(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(NESTED)
        await talk.body("start")
        assert (await talk.until("stopped")).reason == "waiting"
        moment = await talk.body("inspect")
        request = moment.requests[0].id
        asked = await talk.body("provenance", address=f"request:{request}")
        assert told(asked) == [
            ("", "input of the run", []),
            ("in", "sent", [1]),
            ("sub", "began sub#1", [2]),
            ("sub#1/keep", "sent", [3]),
            ("sub#1/ask", "asked", [4]),
            ("sub", "handed up from sub#1", [5]),
        ]
        seen = await talk.body(
            "provenance", address="state", path=[0], inside=["sub"], runs=["sub#1"]
        )
        assert told(seen)[-1] == ("sub#1/keep", "wrote seen", [3])
        assert seen.steps[-1].item.path == (0,)


async def test_an_output_leads_through_the_answer_to_its_question(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(asking())
        await talk.body("start")
        await talk.until("stopped")
        request = (await talk.body("inspect")).requests[0].id
        await talk.body("answer", answers={request: "yes"})
        await talk.body("continue")
        await talk.until("stopped")
        await talk.until("stopped")
        body = await talk.body("provenance", address="output:0")
        assert told(body) == [
            ("", "input of the run", []),
            ("a", "sent", [1]),
            ("ask", "asked", [2]),
            ("", "answered from outside", [3]),
            ("ask", "sent", [4]),
            ("end", "yielded", [5]),
        ]


async def test_a_long_way_is_answered_piece_by_piece(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'runs.db'}"
    ids = await finished(tmp_path, loop(20), store)
    async with talking(tmp_path) as talk:
        await talk.open(None, store)
        body = await talk.body(
            "provenance", checkpoint_id=ids[-2], address="queue:0", limit=5
        )
        assert not body.complete
        [open_step] = [step for step in body.steps if step.is_open]
        assert open_step.number == 1
        assert len(body.steps) == 6
        rest = await talk.body(
            "provenance",
            checkpoint_id=open_step.at.checkpoint_id,
            address=open_step.at.address,
        )
        assert rest.complete
        assert rest.steps[0].item.kind == "input"
        assert len(rest.steps) + 5 == len(ids) - 1


async def test_a_way_ends_with_a_reason_where_checkpoints_were_removed(
    tmp_path: Path,
) -> None:
    store = f"sqlite:{tmp_path / 'runs.db'}"
    ids = await finished(tmp_path, loop(20), store)
    opened = open_store(store)
    await opened.delete([ids[3]])
    body = await provenance(Barriers(opened), Address(ids[6], (), "queue:0"))
    await opened.close()
    assert not body.complete
    [gap] = [step.gap for step in body.steps if step.gap]
    assert gap.startswith(f"Checkpoint {ids[3]} is not in the store any more")
    assert body.steps[0].executor == "b"


async def test_a_key_with_a_reducer_comes_from_all_its_writers(tmp_path: Path) -> None:
    def votes(name: str) -> dict[str, Any]:
        params = {"key": "votes", "value": "[message]"}
        return {"id": name, "type": "set_state", "params": params}

    store = f"sqlite:{tmp_path / 'runs.db'}"
    voting = document(
        [node("a", "inc"), votes("b"), votes("c"), votes("d")],
        [
            {"id": "out", "kind": "fan_out", "source": "a", "targets": ["b", "c"]},
            direct("c", "d"),
        ],
        reducers={"votes": "operator:add"},
    )
    ids = await finished(tmp_path, voting, store)
    opened = open_store(store)
    address = Address(ids[-1], (), "state:votes")
    body = await provenance(Barriers(opened), address)
    await opened.close()
    assert told(body)[-1] == ("d", "wrote votes", [4, 3])
    assert ("c", "wrote votes, reduced with that of b", [2]) in told(body)
    assert body.steps[-1].item.value.count == 3


def test_the_command_line_prints_the_way_and_says_what_is_no_address(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stepwell = Stepwell(capsys)
    store = f"sqlite:{tmp_path / 'runs.db'}"
    ids = asyncio.run(finished(tmp_path, lost_join(), store))
    assert "b sent, from 2: 4" in stepwell("why", store, ids[3], "held:0").out
    as_json = stepwell("why", store, ids[3], "held:0", "--json").json
    assert as_json["steps"][-1]["executor"] == "b"
    wrong = stepwell("why", store, ids[3], "votes")
    assert wrong.code == 2
    assert "is no address" in wrong.err
    missing = stepwell("why", store, ids[3], "state:votes")
    assert "has no key 'votes'" in missing.err


READING = document(
    [
        {"id": "keep", "type": "set_state", "params": {"key": "n-{message}"}},
        {"id": "inc", "type": "set_state", "params": {"key": "other"}},
        {"id": "read", "type": "get_state", "params": {"key": "n-{message}"}},
    ],
    [direct("keep", "inc"), direct("inc", "read")],
    input=7,
)


async def test_a_node_that_reads_the_state_leads_to_the_key_that_it_read(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(READING)
        await talk.body("start")
        await talk.until("stopped")
        headers = (await talk.body("timeline")).headers
        body = await talk.body(
            "provenance", checkpoint_id=headers[3].id, address="queue:0"
        )
        sent = body.steps[-1]
        read = [body.steps[link.number - 1] for link in sent.sources]
        assert [(step.item.kind, step.item.name, step.executor) for step in read] == [
            ("message", "inc", "inc"),
            ("state", "n-7", "keep"),
        ]


async def test_a_message_along_a_switch_names_the_case_that_was_taken(
    tmp_path: Path,
) -> None:
    switch = {
        "id": "way",
        "kind": "switch",
        "source": "a",
        "cases": [
            {"when": "message > 99", "target": "b"},
            {"when": "message > 0", "target": "b"},
        ],
        "default": "b",
    }
    async with talking(tmp_path) as talk:
        await talk.open(document([node("a", "inc"), node("b", "inc")], [switch]))
        await talk.body("start", input=1)
        await talk.until("stopped")
        headers = (await talk.body("timeline")).headers
        body = await talk.body(
            "provenance", checkpoint_id=headers[2].id, address="queue:0"
        )
        [link] = body.steps[-1].sources
        assert (link.edge, link.case) == ("way", "1")
