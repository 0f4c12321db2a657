"""A faultless run is proved, and each kind of fault is found and named: the part, the
place in it, and who wrote it.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from pydantic_core import core_schema

from runtime.checkpoint import Record
from runtime.checkpoints.archive import Archive
from runtime.codec import TypeRegistry
from runtime.concurrency.clock import LoopClock
from runtime.debug.verify.arrival import engine_findings, part_findings
from runtime.debug.verify.prover import Prover
from runtime.debug.verify.workflows import SavedWorkflows, WorkflowOfCode
from runtime.document.files import parse
from runtime.engine.live_parts import LIVE_PARTS, unknown_parts
from runtime.engine.replay.settings import Pin, Replay
from runtime.engine.runner import Runner
from runtime.executors.executor import executor
from runtime.patches import Patch, PatchChange
from runtime.policy import RetryPolicy
from runtime.state import RunState
from runtime.stores import open_store
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.workflow import Workflow
from tests.documents import build
from tests.runtime.debug.verify.asking import Asks
from tests.runtime.debug.verify.faulty import (
    Counting,
    Ctx,
    Kept,
    Sticky,
    ending,
    findings,
    header_of,
    line,
    loop,
    outcomes,
    passing,
    proofs,
    proofs_of,
    ran,
    with_child,
    with_lost_buffer,
    with_shared_message,
)
from tests.runtime.graphs import react, uneven_join

EXAMPLES = Path(__file__).parents[4] / "resources" / "examples"


# --- nothing is wrong ---------------------------------------------------------------------------------------------


async def test_a_faultless_run_is_proved_with_its_joins() -> None:
    def make() -> Workflow:
        return (
            WorkflowBuilder(start_executor=(start := passing("start")))
            .add_fan_out_edges(start, [short := passing("short"), long := passing("l")])
            .add_edge(long, longer := passing("longer"))
            .add_fan_in_edges([short, longer], ending("end"))
            .build()
        )

    proved = await proofs_of(make)
    assert outcomes(proved) == {"proved"}
    last = proved[-1].checks[2]
    assert (last.outcome, last.text) == ("none", "Nothing was recorded after it.")


async def test_hooks_that_save_all_of_the_attributes_are_proved() -> None:
    assert outcomes(await proofs_of(lambda: loop(Kept()))) == {"proved"}


async def test_children_and_their_supersteps_are_proved() -> None:
    assert outcomes(await proofs_of(with_child("!"))) == {"proved"}


@pytest.mark.parametrize("name", ["lost_join", "city_weather"])
async def test_the_examples_are_proved(name: str) -> None:
    file = EXAMPLES / name / f"{name}.stepwell.json"
    definition = parse(file.read_text()).workflow
    store = await ran(build(definition, folder=file.parent), definition.input)
    headers = await store.headers()
    prover = Prover(store, SavedWorkflows())
    proved = [proof async for proof in prover.proofs(headers, headers)]
    assert outcomes(proved) == {"proved"}


def asking() -> Workflow:
    return line(passing("start"), Asks("asks"), ending("end"))


async def test_answers_and_cancellations_and_forks_are_compared_by_their_cause() -> (
    None
):
    store = await ran(asking())
    runner = Runner(asking(), store)
    asked = await store.latest()
    assert asked is not None
    await runner.restore(asked.id)
    [question] = runner.state.requests
    await runner.answer({question: "yes"})
    await runner.finish()
    await runner.restore(asked.id, fork=True)
    await runner.answer({question: "no"})
    await runner.finish()
    await runner.restore(asked.id, fork=True)
    await runner.cancel([question])
    proved = await proofs(store, asking)
    assert outcomes(proved) == {"proved"}
    [of_asked] = [proof for proof in proved if proof.header.id == asked.id]
    assert of_asked.checks[2].text == "It goes on as it was recorded, 3 ways."
    assert {proof.header.cause.value for proof in proved} == {
        "input",
        "superstep",
        "response",
        "fork",
    }


async def test_a_migrated_checkpoint_is_compared_with_what_the_plan_gives() -> None:
    def longer() -> Workflow:
        return line(passing("start"), passing("between"), ending("end"))

    store = MemoryStore()
    runner = Runner(line(passing("start"), ending("end")), store)
    await runner.start("x")
    assert runner.header is not None
    changed = Runner(longer(), store)
    await changed.restore(runner.header.id, on_change="migrate")
    await changed.finish()
    headers = await store.headers()
    edited = [header for header in headers if header.cause.value == "edit"]
    prover = Prover(store, WorkflowOfCode(longer))
    proved = [proof async for proof in prover.proofs(edited, headers)]
    assert outcomes(proved) == {"proved"}


# --- planted faults -----------------------------------------------------------------------------------------------


async def test_a_lost_fan_in_buffer_is_found_at_its_join() -> None:
    proved = await proofs_of(with_lost_buffer)
    assert findings(proved, "complete")
    hidden = findings(proved, "complete")[0]
    assert hidden.section == "attributes"
    assert hidden.path.endswith("buffer[0]")
    assert "of join fan_in:" in hidden.text
    at = header_of(proved, 3).id
    [lost] = [proof for proof in proved if proof.header.id == at]
    assert lost.checks[2].outcome == "failed"
    # The join does not fire: its target does not run, and the output is missing.
    assert {finding.section for finding in lost.checks[2].findings} >= {"executors"}


async def test_residue_of_a_failed_superstep_is_found_at_its_executor() -> None:
    proved = await proofs_of(lambda: line(Sticky(), ending("end")))
    found = findings(proved, "round_trip")
    assert found[0].writer == "sticky"
    assert found[0].section == "executors"
    assert found[0].path.startswith("['sticky'].state")


async def test_a_shared_message_is_found_with_who_changed_it() -> None:
    proved = await proofs_of(with_shared_message)
    [uncopied, *_] = findings(proved, "complete")
    assert uncopied.section == "sharing"
    assert "Basket" in uncopied.text
    changed = [
        finding
        for finding in findings(proved, "advance")
        if "changed the value" in finding.text
    ]
    assert changed
    assert changed[0].section == "messages"
    assert "fill" in changed[0].writer


async def test_a_changed_child_is_found_with_its_path_and_writer() -> None:
    store = await ran(with_child("!")())
    proved = await proofs(store, with_child("?"))
    found = findings(proved, "advance")
    states = [finding for finding in found if finding.section == "state"]
    assert [finding.path for finding in states][:1] == ["['child#1/written']"]
    assert states[0].old == "x!"
    assert states[0].new == "x?"
    assert states[0].writer == "child#1/write"


async def test_a_child_with_another_graph_is_found_by_name() -> None:
    def other() -> Workflow:
        from runtime.workflow.sub_workflow import WorkflowExecutor

        child = line(
            passing("take"), passing("write"), passing("check"), ending("give")
        )
        return line(passing("start"), WorkflowExecutor(child, "child"), ending("end"))

    proved = await proofs(await ran(with_child("!")()), other)
    [first, *_] = findings(proved, "round_trip")
    assert first.section == "graph"
    assert "check" in first.text


async def test_a_hidden_attribute_is_found_with_its_executor() -> None:
    proved = await proofs_of(lambda: loop(Counting()))
    hidden = findings(proved, "complete")[0]
    assert (hidden.section, hidden.path) == ("attributes", "counting: seen")
    assert (hidden.old, hidden.new, hidden.writer) == (0, 1, "counting")
    [_, second, *_] = proved
    # A fresh instance counts from the beginning, and the record says otherwise.
    message = next(f for f in second.checks[2].findings if f.section == "messages")
    assert message.writer == "counting"


async def test_what_a_default_remembers_is_found() -> None:
    def gather(message: list[str], rows: list[str] = []) -> list[str]:  # noqa: B006
        rows.extend(message)
        return list(rows)

    def make() -> Workflow:
        from runtime.nodes.support.function_executor import CallingExecutor

        executor = CallingExecutor("gather", gather, "python_function")
        return line(executor, ending("end"))

    proved = await proofs_of(make, ["a"])
    assert findings(proved, "complete")[0].path == "gather: gather(rows=)[1]"


@dataclasses.dataclass
class Unknown:
    text: str


async def test_a_type_that_the_workflow_does_not_know_is_found() -> None:
    def make() -> Workflow:
        async def begin(_: Any, ctx: Ctx) -> None:
            await ctx.send_message(Unknown("x"))

        return line(react("start", begin), ending("end"))

    # Whoever ran it knew the type by a name of its own.
    types = TypeRegistry()
    types.register(Unknown, "elsewhere:Unknown")
    store = MemoryStore()
    runner = Runner(make(), store, types=types)
    await runner.start("x")
    await runner.step()
    proved = await proofs(store, make)
    [found] = findings(proved, "round_trip")
    assert "elsewhere:Unknown" in found.text
    assert proved[1].checks[1].text == "It cannot be restored:"


class Half:
    """Writes its text into a checkpoint, and not how often it was read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.read = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Half) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    @classmethod
    def of(cls, value: Any) -> Half:
        return value if isinstance(value, cls) else cls(value)

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> Any:
        text = core_schema.plain_serializer_function_ser_schema(attrgetter("text"))
        return core_schema.no_info_plain_validator_function(cls.of, serialization=text)


async def test_what_a_class_leaves_out_of_the_record_is_found() -> None:
    def make() -> Workflow:
        async def begin(_: Any, ctx: Ctx) -> None:
            half = Half("x")
            half.read = 9
            await ctx.send_message(half)

        return line(react("start", begin, output=Half), ending("end"))

    [found] = findings(await proofs_of(make), "complete")
    assert (found.section, found.path) == ("messages", "[0].data.read")
    assert (found.old, found.new) == (9, 0)


async def test_a_handler_that_fails_now_is_found() -> None:
    def make(*, fails: bool) -> Workflow:
        async def go(message: Any, ctx: Ctx) -> None:
            if fails:
                raise ValueError("no more")
            await ctx.send_message(message)

        return line(react("start", go), ending("end"))

    store = await ran(make(fails=False))
    proved = await proofs(store, lambda: make(fails=True))
    [found, *_] = findings(proved, "advance")
    assert "no more" in found.text


# --- the table of the engine's parts ------------------------------------------------------------------------------


class WithInbox(Runner):
    def __init__(self, workflow: Workflow) -> None:
        super().__init__(workflow, MemoryStore())
        self.inbox: list[Any] = []


async def test_a_new_part_of_the_engine_that_is_not_registered_is_found() -> None:
    runner = WithInbox(uneven_join())
    assert [tuple(part) for part in unknown_parts(runner)] == [("WithInbox", "inbox")]
    [found] = engine_findings(runner)
    assert found.path == "WithInbox.inbox"


@pytest.mark.parametrize("name", sorted(LIVE_PARTS["RunState"]))
async def test_a_registered_part_that_is_not_saved_is_found(name: str) -> None:
    runner = Runner(asking(), MemoryStore())
    await runner.start("x")
    await runner.step()
    await runner.step()
    live = dataclasses.replace(
        runner.state,
        buffers={"join": runner.state.queue},
        children={"child#1": RunState()},
        shared={"key": 1},
        waited=1,
        queue=(),
    )
    if name == "queue":
        live = dataclasses.replace(live, queue=next(iter(live.buffers.values()), ()))
    lost = dataclasses.replace(live, **{name: getattr(RunState(), name)})
    if name in ("queue", "buffers") and not runner.state.queue:
        return
    assert part_findings(live, lost)
    assert not part_findings(live, live)


# --- what cannot be checked ---------------------------------------------------------------------------------------


async def reading(folder: Path) -> MemoryStore:
    """Return the store of a run that read a file, which is gone since."""
    (folder / "a.txt").write_text("once")
    nodes = [
        {"id": "start", "type": "input"},
        {"id": "read", "type": "read_file", "params": {"path": "a.txt"}},
        {"id": "end", "type": "output"},
    ]
    edges = [
        {"kind": "direct", "source": "start", "target": "read"},
        {"kind": "direct", "source": "read", "target": "end"},
    ]
    document = {"workflow": {"start": "start", "nodes": nodes, "edges": edges}}
    definition = parse(json.dumps(document)).workflow
    store = await ran(build(definition, folder=folder))
    (folder / "a.txt").unlink()
    return store


async def test_what_reached_outside_has_its_recorded_result(tmp_path: Path) -> None:
    store = await reading(tmp_path)
    headers = await store.headers()
    prover = Prover(store, SavedWorkflows())
    proved = [proof async for proof in prover.proofs(headers, headers)]
    assert outcomes(proved) == {"proved"}


def fetching(results: list[str]) -> Workflow:
    """Return a workflow that asks a server, which gives one result after the other."""

    @executor(id="fetch", outside="request")
    async def fetch(message: str, ctx: Ctx) -> None:
        await ctx.send_message(results.pop(0))

    return line(passing("start"), fetch, ending("end"))


async def test_branches_with_other_results_from_outside_are_each_proved() -> None:
    workflow = fetching(["one", "two"])
    store = await ran(workflow)
    runner = Runner(workflow, store)
    second = (await store.headers())[1]
    await runner.restore(second.id, replay=Replay(live=frozenset({"fetch"})))
    await runner.finish()
    assert runner.trace.outputs[0].data == "two"
    assert outcomes(await proofs(store, lambda: fetching([]))) == {"proved"}


async def test_a_superstep_with_a_pinned_result_is_not_checked() -> None:
    workflow = fetching(["one"])
    store = await ran(workflow)
    runner = Runner(workflow, store)
    second = (await store.headers())[1]
    await runner.restore(second.id, replay=Replay(pinned={"fetch": Pin(("two",))}))
    await runner.finish()
    proved = await proofs(store, lambda: fetching([]))
    assert outcomes(proved) == {"proved", "unchecked"}
    before, after = (proof for proof in proved if proof.outcome == "unchecked")
    assert before.checks[2].text == "Not checked: fetch had a pinned result."
    assert after.checks[0].text == "Not checked: fetch had a pinned result."


async def test_without_recorded_calls_nothing_outside_is_done_again(
    tmp_path: Path,
) -> None:
    recorded = await reading(tmp_path)
    store = MemoryStore()
    for header in await recorded.headers():
        record, parts = await Archive(recorded).record(header.id)
        manifest = tuple(part for part in record.manifest if part.kind != "call")
        await store.save(Record(record.header, manifest), parts)
    headers = await store.headers()
    prover = Prover(store, SavedWorkflows())
    proved = [proof async for proof in prover.proofs(headers, headers)]
    assert [proof.outcome for proof in proved] == [
        "proved",
        "unchecked",
        "unchecked",
        "proved",
    ]
    assert proved[1].checks[2].text == "Not checked: read reaches outside."
    assert proved[1].checks[2].executors == ("read",)


async def test_a_patched_checkpoint_is_compared_with_what_its_patch_makes() -> None:
    def make() -> Workflow:
        return line(passing("start"), passing("on"), ending("end"))

    store = await ran(make())
    runner = Runner(make(), store)
    second = (await store.headers())[1]
    change = PatchChange(id="c1", do="set", section="state", key="limit", value=3)
    await runner.restore(second.id, patch=Patch(changes=(change,)))
    await runner.finish()
    proved = await proofs(store, make)
    assert outcomes(proved) == {"proved"}
    assert "edit" in {proof.header.cause.value for proof in proved}


async def test_a_workflow_in_python_is_not_checked_without_its_function() -> None:
    store = await ran(line(passing("start"), ending("end")))
    headers = await store.headers()
    prover = Prover(store, SavedWorkflows())
    proved = [proof async for proof in prover.proofs(headers, headers)]
    assert outcomes(proved) == {"unchecked"}
    assert "--app MODULE:NAME" in proved[0].checks[1].text


async def test_a_removed_parent_leaves_the_save_unchecked_and_the_rest_proved() -> None:
    def make() -> Workflow:
        return line(passing("start"), passing("on"), ending("end"))

    store = await ran(make())
    first, second, *_ = await store.headers()
    await store.delete([first.id])
    proved = await proofs(store, make)
    assert proved[0].header.id == second.id
    assert [check.outcome for check in proved[0].checks] == [
        "unchecked",
        "proved",
        "proved",
    ]


async def test_a_record_that_cannot_be_read_has_failed() -> None:
    store = await ran(line(passing("start"), ending("end")))
    first = (await store.headers())[0]
    record, parts = await Archive(store).record(first.id)
    other = MemoryStore()
    queue = next(part for part in record.manifest if part.kind == "queue")
    damaged = {**parts, queue.digest: b"[]"}
    await other.save(Record(first, record.manifest), damaged)
    [proof] = await proofs(other, lambda: line(passing("start"), ending("end")))
    assert proof.outcome == "failed"
    assert proof.checks[1].text == "It cannot be read:"


# --- the store ----------------------------------------------------------------------------------------------------


async def test_nothing_in_the_store_changes_a_byte(tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path / 'runs.db'}"
    store = open_store(url)
    runner = Runner(loop(Counting()), store)
    await runner.start("x")
    await runner.finish()
    await store.close()

    def digests() -> dict[str, str]:
        return {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in tmp_path.iterdir()
        }

    before = digests()
    store = open_store(url, True)
    headers = await store.headers()
    prover = Prover(store, WorkflowOfCode(lambda: loop(Counting())))
    assert [proof async for proof in prover.proofs(headers, headers)]
    await store.close()
    assert digests() == before


class Hurried(LoopClock):
    async def sleep(self, seconds: float) -> None:
        """Do not wait."""


async def test_a_proof_does_not_wait_between_attempts() -> None:
    def make() -> Workflow:
        fails = itertools.cycle([True, False])

        async def go(message: Any, ctx: Ctx) -> None:
            if next(fails):
                raise ValueError("not yet")
            await ctx.send_message(message)

        start = react("start", go)
        retry = RetryPolicy(attempts=2, backoff=3600, max_backoff=3600)
        builder = WorkflowBuilder(start_executor=start, retry=retry)
        return builder.add_edge(start, ending("end")).build()

    store = MemoryStore()
    runner = Runner(make(), store, clock=Hurried())
    await runner.start("x")
    await runner.finish()
    assert outcomes(await proofs(store, make)) == {"proved"}
