"""The law of recorded results: from every checkpoint of any workflow, going on calls
nothing outside again and comes to the same end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.checkpoints.archive import Archive
from runtime.engine.replay.settings import Replay
from runtime.engine.runner import Runner
from runtime.executors.executor import Executor, FunctionExecutor, WorkflowContext
from runtime.policy import RetryPolicy
from runtime.state import RunState
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.sub_workflow import WorkflowExecutor
from runtime.workflow.workflow import Workflow
from tests.runtime.replay.reaching import World, chain, sink

Work = Callable[[World, str, WorkflowContext[str]], str]


def fetch(world: World, message: str, ctx: WorkflowContext[str]) -> str:
    return world.ask(message)[-9:]


def count(world: World, message: str, ctx: WorkflowContext[str]) -> str:
    own = ctx.executor_state
    own["seen"] = own.get("seen", 0) + 1
    return world.ask(f"{message[-5:]}{own['seen']}")


def read(world: World, message: str, ctx: WorkflowContext[str]) -> str:
    return world.ask(f"{ctx.get_state('key', '-')}{'other' in ctx.state}")


def write(world: World, message: str, ctx: WorkflowContext[str]) -> str:
    ctx.set_state("key", world.ask(message)[-5:])
    ctx.set_state("log", [message[-3:]])
    if "other" in ctx.state:
        ctx.state.delete("other")
    else:
        ctx.set_state("other", message)
    return message


def many(world: World, message: str, ctx: WorkflowContext[str]) -> str:
    ctx.send_message(world.ask(message)[-4:])
    ctx.send_message("same")
    return "same"


def fail_first(world: World, message: str, ctx: WorkflowContext[str]) -> str:
    if "/" not in world.ask(message)[:-1] or len(world.calls) % 3 == 0:
        raise ConnectionError("no line")
    return message


WORKS: dict[str, Work] = {
    work.__name__: work for work in (fetch, count, read, write, many, fail_first)
}


def worker(world: World, id: str, name: str, *, reaches: bool) -> Executor:
    work = WORKS[name]

    async def run(message: str, ctx: WorkflowContext[str]) -> None:
        ctx.send_message(work(world, message, ctx))

    async def quiet(message: str, ctx: WorkflowContext[str]) -> None:
        await ctx.send_message(f"{message[-6:]}.")

    if not reaches:
        return FunctionExecutor(quiet, id)
    return FunctionExecutor(run, id, outside=name)


STEPS = st.lists(
    st.tuples(st.sampled_from(sorted(WORKS)), st.booleans(), st.booleans()),
    min_size=1,
    max_size=4,
)


def built(world: World, steps: list[tuple[str, bool, bool]]) -> Workflow:
    """A chain of workers, of which some are in a sub-workflow."""
    executors: list[Executor] = []
    for number, (name, reaches, is_inside) in enumerate(steps):
        made = worker(world, f"{name}{number}", name, reaches=reaches)
        if is_inside:
            inner = chain(made, sink(), retry=RetryPolicy(9), reducers={"log": _joined})
            made = WorkflowExecutor(inner, f"sub{number}")
        executors.append(made)
    builder = WorkflowBuilder(
        start_executor=executors[0],
        name="w",
        retry=RetryPolicy(9, backoff=0.0),
        reducers={"log": _joined},
    )
    for first, second in zip(executors, [*executors[1:], sink()], strict=True):
        builder.add_edge(first, second)
    return builder.build()


def _joined(one: list[Any], other: list[Any]) -> list[Any]:
    return [*one, *other]


def plain(state: RunState) -> Any:
    children = {key: plain(child) for key, child in state.children.items()}
    return dict(state.shared), dict(state.executors), children, state.superstep


@settings(max_examples=10, deadline=None)
@given(STEPS, st.sampled_from(["sync", "pipelined"]))
async def test_from_every_checkpoint_nothing_is_called_and_the_end_is_the_same(
    steps: list[tuple[str, bool, bool]], durability: Any
) -> None:
    world = World()
    store = MemoryStore()
    straight = Runner(built(world, steps), store, durability=durability)
    await straight.start("a")
    await straight.finish()
    called = list(world.calls)
    for header in await store.headers(branch="main"):
        runner = Runner(built(world, steps), store, durability=durability)
        await runner.restore(header.id, fork=True, replay=Replay(on_miss="refuse"))
        await runner.finish()
        assert world.calls == called
        assert plain(runner.state) == plain(straight.state)
        assert runner.header is not None
        ends = [
            (await Archive(store).load(one)).trace.outputs
            for one in (runner.header.id, straight.header.id)  # type: ignore[union-attr]
        ]
        assert ends[0] == ends[1]
