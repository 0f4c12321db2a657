"""Small graphs for the tests of changed workflows, as plain data: each can be built, and
changed, any number of times.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from runtime.engine.runner import Runner
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.workflow import Workflow

Ctx = WorkflowContext[Any, Any]


class Adder(Executor):
    """Sends its number on with one more, and the sum of what a join delivers. It counts
    in the shared state, and yields what it sends.
    """

    @handler
    async def take(self, number: int, ctx: Ctx) -> None:
        await self.hand_on(number + 1, ctx)

    @handler
    async def take_all(self, numbers: list[int], ctx: Ctx) -> None:
        await self.hand_on(sum(numbers), ctx)

    async def hand_on(self, number: int, ctx: Ctx) -> None:
        ctx.set_state(self.id, number)
        await ctx.send_message(number)
        await ctx.yield_output(number)


class Counter(Adder):
    """An adder with a state of its own."""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.calls = 0

    async def hand_on(self, number: int, ctx: Ctx) -> None:
        self.calls += 1
        await super().hand_on(number, ctx)

    async def on_checkpoint_save(self) -> dict[str, Any]:
        return {"calls": self.calls}

    async def on_checkpoint_restore(self, state: dict[str, Any]) -> None:
        self.calls = state.get("calls", 0)


def divides(number: int) -> Any:
    """Return a condition that knows its number, so that another one is another."""
    return lambda value: value % number == 0


@dataclass(frozen=True)
class Spec:
    """A graph as data.

    nodes     executor id -> "adder" or "counter"
    direct    (source, target, number) with a condition unless the number is 0
    joins     (sources, target, policy)
    switches  (source, ((number, target), …), default)
    """

    nodes: Mapping[str, str]
    direct: tuple[tuple[str, str, int], ...] = ()
    joins: tuple[tuple[tuple[str, ...], str, str], ...] = ()
    switches: tuple[tuple[str, tuple[tuple[int, str], ...], str], ...] = ()
    start: str = "a"
    reducers: Mapping[str, Any] = field(default_factory=dict)

    def build(self) -> Workflow:
        from runtime.edges import Case, Default

        kinds = {"adder": Adder, "counter": Counter}
        executors = {id_: kinds[kind](id_) for id_, kind in self.nodes.items()}
        builder = WorkflowBuilder(
            start_executor=executors[self.start],
            name="changed",
            reducers=dict(self.reducers) or None,
        )
        for source, target, number in self.direct:
            condition = divides(number) if number else None
            builder.add_edge(executors[source], executors[target], condition)
        for sources, target, policy in self.joins:
            builder.add_fan_in_edges(
                [executors[source] for source in sources],
                executors[target],
                policy=policy,
            )
        for source, cases, default in self.switches:
            builder.add_switch_case_edge_group(
                executors[source],
                [
                    *(Case(divides(number), executors[to]) for number, to in cases),
                    Default(executors[default]),
                ],
            )
        return builder.build()

    def with_name(self, old: str, new: str) -> Spec:
        """Return the graph with an executor under another id."""

        def name(id_: str) -> str:
            return new if id_ == old else id_

        return replace(
            self,
            nodes={name(id_): kind for id_, kind in self.nodes.items()},
            direct=tuple((name(s), name(t), n) for s, t, n in self.direct),
            joins=tuple(
                (tuple(name(s) for s in sources), name(t), policy)
                for sources, t, policy in self.joins
            ),
            switches=tuple(
                (name(s), tuple((n, name(t)) for n, t in cases), name(default))
                for s, cases, default in self.switches
            ),
            start=name(self.start),
        )


# a -> b, c; c -> d; b and d are joined into e: b waits in the join for d.
UNEVEN = Spec(
    nodes=dict.fromkeys("abcde", "adder"),
    direct=(("a", "b", 0), ("a", "c", 0), ("c", "d", 0)),
    joins=((("b", "d"), "e", "all"),),
)


async def run_of(spec: Spec, message: int = 1) -> tuple[MemoryStore, list[Any]]:
    """Return a store with the finished run of a graph, and its headers."""
    store = MemoryStore()
    runner = Runner(spec.build(), store)
    await runner.start(message)
    await runner.finish()
    return store, await store.headers()


async def bytes_of(store: MemoryStore, headers: list[Any]) -> list[Any]:
    """Return everything that a store keeps of these checkpoints."""
    kept = []
    for header in headers:
        record = await store.load(header.id)
        kept.append((record, await store.parts(record.digests)))
    return kept


async def finish(runner: Runner) -> list[Any]:
    """Return the outputs of the rest of a run."""
    outputs: list[Any] = []
    while (trace := await runner.step()) is not None:
        outputs += [(item.executor_id, item.data) for item in trace.outputs]
    return outputs
