"""What is drawn and listed of a run is what it recorded and what its handlers got: all
edge kinds, at any depth.
"""

from __future__ import annotations

import ast
import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from designer.canvas.drawing.overlay import EdgeFace, Overlay, overlay_of
from runtime.checkpoints.archive import Archive
from runtime.debug.moments.moment import Extras, Snapshot
from runtime.debug.moments.node_body import Superstep, node_body
from runtime.debug.protocol import Item, Moment
from runtime.debug.questions.inspector import preview
from runtime.debug.supersteps.next_superstep import Routed
from runtime.document.definition import WorkflowDefinition
from runtime.engine.runner import Runner
from runtime.executors.executor import WorkflowContext
from runtime.message import ExecutorFailure
from runtime.state import Fate, RunState, Trace
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from tests.runtime.debug.random_workflows import SUPERSTEPS, Notebook, Noted, workflows
from tests.runtime.graphs import react

NOTHING_DRAWN = WorkflowDefinition(name="w", start="0")
FAILURE = "ExecutorFailure"
Path = tuple[str, ...]


class Recorded:
    """A run of a random workflow: what it saved, what was shown of it live, and what
    its handlers noted.
    """

    def __init__(self, store: MemoryStore) -> None:
        self.store = store
        self.live: dict[str, tuple[Snapshot, Routed | None]] = {}
        self.noted: dict[str, dict[str, list[Noted]]] = {}
        self.checkpoints: list[str] = []


async def run(data: st.DataObject) -> Recorded:
    notes = Notebook()
    store = MemoryStore()
    workflow = data.draw(workflows(notes))
    recorded = Recorded(store)
    runner = Runner(workflow, store)
    await runner.start(0)
    for _ in range(SUPERSTEPS):
        _remember(recorded, runner, notes)
        if await runner.step() is None:
            break
    _remember(recorded, runner, notes)
    return recorded


def _remember(recorded: Recorded, runner: Runner, notes: Notebook) -> None:
    header = runner.header
    assert header is not None
    if header.id not in recorded.noted:
        recorded.checkpoints.append(header.id)
        recorded.noted[header.id] = notes.take()
        snapshot = Snapshot(
            header, runner.state, runner.trace, runner.workflow.saved_definition()
        )
        recorded.live[header.id] = snapshot, preview(runner)


def runs(state: RunState, path: Path = ()) -> Iterable[Path]:
    yield path
    for key, child in state.children.items():
        yield from runs(child, (*path, key))


def shown(
    snapshot: Snapshot, routed: Routed | None, path: Path
) -> tuple[Moment, Overlay]:
    """The moment of one run of the tree, and its overlay at rest."""
    extras = Extras(routed=routed)
    if not path:
        moment = snapshot.moment(extras)
    else:
        inside = snapshot.inside(
            [key.rpartition("#")[0] for key in path], path, extras
        ).moment
        assert inside is not None
        moment = inside
    return moment, overlay_of(moment, None, NOTHING_DRAWN, running=False)


def fates_at(trace: Trace | Routed | None, path: Path) -> list[Fate]:
    """The fates that a trace records for one run of the tree, by hand: with the names
    that they have there.
    """
    prefix = "".join(f"{key}/" for key in path)
    found = []
    for fate in trace.fates if trace is not None else ():
        name = fate.source_id.removeprefix(prefix)
        if fate.source_id.startswith(prefix) and "#" not in name.partition("/")[
            0
        ].removeprefix("internal:"):
            if fate.target_id is not None:
                target = fate.target_id.removeprefix(prefix)
            else:
                target = None
            if fate.edge_id is not None:
                edge = fate.edge_id.removeprefix(prefix)
            else:
                edge = None
            found.append(replace(fate, source_id=name, target_id=target, edge_id=edge))
    return found


def carried(fates: Iterable[Fate]) -> Counter[tuple[str, str, str]]:
    """(edge, source, target) -> messages that went along it."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for fate in fates:
        if fate.kind != "dropped" and fate.edge_id and fate.target_id is not None:
            counts[fate.edge_id, fate.source_id, fate.target_id] += fate.count
    return counts


def drawn(faces: dict[str, EdgeFace]) -> set[tuple[str, str, str]]:
    return {(edge, *pair) for edge, face in faces.items() for pair in face.sent}


def check_drawn(
    snapshot: Snapshot,
    trace: Trace,
    after: Routed | None,
    routed: Routed | None,
    path: Path,
) -> None:
    """Blue is what the next superstep carried, and nothing else; drops are those of
    this superstep, by number.
    """
    moment, overlay = shown(snapshot, routed, path)
    now = fates_at(trace, path)
    following = fates_at(after, path)
    assert drawn(dict(overlay.edges)) == (
        set(carried(following)) if routed is not None else set()
    )
    assert {
        (edge, source, target): count
        for edge, told in moment.edges.items()
        for source, target, count in told.delivered
    } == carried(now)
    dropped = Counter(
        {
            (fate.edge_id, fate.source_id, fate.target_id, fate.reason): fate.count
            for fate in now
            if fate.kind == "dropped" and fate.edge_id and fate.target_id is not None
        }
    )
    assert dropped == Counter(
        {
            (edge, drop.source, drop.target, drop.reason): drop.count
            for edge, told in moment.edges.items()
            for drop in told.dropped
        }
    )


def values(items: Sequence[Item] | None) -> list[Any] | None:
    return None if items is None else [_value(item) for item in items]


def _value(item: Item) -> Any:
    return FAILURE if item.value.type == FAILURE else ast.literal_eval(item.value.text)


def got(noted: Noted) -> list[Any]:
    return [
        FAILURE if isinstance(message, ExecutorFailure) else message
        for message in noted.got
    ]


def sent(noted: Noted) -> list[Any]:
    return [FAILURE] if noted.failed else noted.sent


def check_calls(
    before: Snapshot | None,
    snapshot: Snapshot,
    routed: Routed | None,
    noted: dict[str, list[Noted]],
    path: Path,
) -> None:
    """Each call is listed with the very messages that its handler got and sent, and
    what it wrote.
    """
    own = snapshot.run_at(path)
    earlier = None if before is None else before.run_at(path)
    assert own is not None
    trace = own.own_trace
    now = own.traffic(own.routed(routed, path))
    if earlier is None:
        began = None
    else:
        began = earlier.traffic(Routed(trace.fates, trace.releases))
    step = Superstep(
        began, trace, now, ("before", "after"), snapshot.state.superstep, bool(path)
    )
    for node in {invocation.executor_id for invocation in trace.invocations}:
        body = node_body(step, node, now, "after", None)
        if node not in noted:
            continue  # it wraps a workflow
        calls = noted[node]
        if len(calls) != len(body.calls):
            assert path, "two runs of one sub-workflow have executors of one name"
            continue
        assert [bool(call.error) for call in body.calls] == [
            call.failed for call in calls
        ]
        assert [values(call.received) for call in body.calls] == [
            got(call) for call in calls
        ], body.notes
        assert [values(call.sent) for call in body.calls] == [
            sent(call) for call in calls
        ]
        assert [[item.name for item in call.wrote or ()] for call in body.calls] == [
            list(call.wrote) for call in calls
        ]
        if not path:
            assert [len(call.outputs or ()) for call in body.calls] == [
                len(call.yielded) for call in calls
            ]


@settings(
    max_examples=45,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.data())
def test_what_is_drawn_and_listed_is_what_was_recorded(data: st.DataObject) -> None:
    asyncio.run(check(data))


async def check(data: st.DataObject) -> None:
    recorded = await run(data)
    archive = Archive(recorded.store)
    past = [Snapshot.of(await archive.view(id_)) for id_ in recorded.checkpoints]
    for number, snapshot in enumerate(past):
        following = past[number + 1] if number + 1 < len(past) else None
        if following is None:
            after = None
        else:
            after = Routed(following.trace.fates, following.trace.releases)
        live, decided = recorded.live[recorded.checkpoints[number]]
        before = past[number - 1] if number else None
        for path in runs(snapshot.state):
            check_drawn(snapshot, snapshot.trace, after, after, path)
            check_drawn(live, live.trace, decided, decided, path)
            # what the conditions had decided is what then happened
            if after is not None:
                check_drawn(live, live.trace, after, decided, path)
            check_calls(
                before,
                snapshot,
                after,
                recorded.noted[recorded.checkpoints[number]],
                path,
            )


async def test_a_loop_on_which_nothing_is_sent_is_not_blue_although_a_message_came_in_by_it() -> (
    None
):
    """The counter goes round while it is below 2: what came in along the loop went out
    along the other edge.
    """

    async def count(message: int, ctx: WorkflowContext[int]) -> None:
        await ctx.send_message(message + 1)

    counter = react("counter", count, input=int)
    end = react("end", _nothing, input=int)
    workflow = (
        WorkflowBuilder(start_executor=counter)
        .add_edge(counter, counter, lambda message: message < 2)
        .add_edge(counter, end, lambda message: message >= 2)
        .build()
    )
    store = MemoryStore()
    runner = Runner(workflow, store)
    await runner.start(0)
    seen = []
    while await runner.step() is not None:
        header = runner.header
        assert header is not None
        live = Snapshot(header, runner.state, runner.trace, workflow.saved_definition())
        _, overlay = shown(live, preview(runner), ())
        seen.append(
            {(source, target) for _, source, target in drawn(dict(overlay.edges))}
        )
    assert seen == [{("counter", "counter")}, {("counter", "end")}, set()]
    came_in = Snapshot.of(
        await Archive(store).view((await store.headers())[2].id)
    ).moment()
    stopped = [drop for edge in came_in.edges.values() for drop in edge.dropped]
    assert [(drop.target, drop.lost) for drop in stopped] == [("end", 0)]


async def _nothing(_message: int, _ctx: WorkflowContext[int]) -> None:
    pass
