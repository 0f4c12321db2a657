"""The same workloads for apache-burr, a state machine that takes one action a step,
through its asynchronous entry.

PEERS/burr/bin/python -m tests.benchmarks.peer_burr loop '{"n": 2000}'
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from burr.core import ApplicationBuilder, State, action, expr

from tests.benchmarks.measure import Meter, Numbers, serve


@action(reads=["n"], writes=["n"])
async def increase(state: State) -> State:
    return state.update(n=state["n"] + 1)


async def application(names: list[str], transitions: list[Any]) -> Any:
    builder = (
        ApplicationBuilder()
        .with_actions(**dict.fromkeys(names, increase))
        .with_transitions(*transitions)
    )
    return await builder.with_state(n=0).with_entrypoint(names[0]).abuild()


async def chain(n: int, reps: int) -> Numbers:
    names = [f"n{number}" for number in range(n)]
    warm, *made = [
        await application(names, list(pairwise(names))) for _ in range(reps + 1)
    ]
    await warm.arun(halt_after=names[-1:])
    with Meter() as meter:
        for one in made:
            _, _, state = await one.arun(halt_after=names[-1:])
            check(state, n)
    return meter.numbers(n * reps)


async def cycle(n: int) -> Numbers:
    at_end = expr(f"n >= {n}")
    ways = [("a", "end", at_end), ("a", "b"), ("b", "end", at_end), ("b", "a")]
    made = await application(["a", "b", "end"], ways)
    with Meter() as meter:
        _, _, state = await made.arun(halt_before=["end"])
    check(state, n)
    return meter.numbers(n)


def check(state: State, expected: int) -> None:
    if state["n"] != expected:
        raise AssertionError(f"burr ended at {state['n']}, not at {expected}.")


if __name__ == "__main__":
    serve({"chain": chain, "loop": cycle})
