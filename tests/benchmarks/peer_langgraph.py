"""The same workloads for langgraph: a StateGraph, through its asynchronous entry point
or its plain one.

PEERS/af/bin/python -m tests.benchmarks.peer_langgraph plain sqlite '{"n": 500, "state":
102400}'
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import asynccontextmanager
from typing import Any, TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph

from tests.benchmarks.measure import (
    KB,
    KEYS,
    Meter,
    Numbers,
    commits,
    disk_kb,
    make_state,
    scratch,
    serve,
)

PLAIN = sys.argv[1] == "plain"
# supersteps of two runs, whose commits are counted
SHORT = 10
LONG = 30
Document = TypedDict(
    "Document", {"tick": int, **{f"part{key}": dict[str, Any] for key in range(KEYS)}}
)


class OneKey(TypedDict):
    doc: dict[str, Any]


def body(function: Callable[[Any], Any]) -> Any:
    """A function as the entry point wants it: a plain one in an asynchronous run costs
    a thread hop.
    """

    async def asynchronous(state: Any) -> Any:
        return function(state)

    return function if PLAIN else asynchronous


def state_graph(limit: int, saver: Any, one_key: bool) -> Any:
    def tick(state: Any) -> Any:
        return state["doc"]["tick"] if one_key else state["tick"]

    def change(state: Any) -> dict[str, Any]:
        new = {"tick": tick(state) + 1}
        return {"doc": {**state["doc"], **new}} if one_key else new

    graph = StateGraph(OneKey if one_key else Document)
    for name, other in (("a", "b"), ("b", "a")):
        graph.add_node(name, body(change))
        following = body(
            lambda state, other=other: END if tick(state) >= limit else other
        )
        graph.add_conditional_edges(name, following, [other, END])
    graph.add_edge(START, "a")
    return graph.compile(checkpointer=saver)


async def run(saver: Any, n: int, state: int, one_key: bool, thread: str) -> Meter:
    graph = state_graph(n, saver, one_key)
    config = {"recursion_limit": n + 10, "configurable": {"thread_id": thread}}
    made: dict[str, Any] = {"tick": 0, **make_state(state)}
    given = {"doc": made} if one_key else made
    with Meter() as meter:
        if PLAIN:
            found = graph.invoke(given, config, durability="sync")
        else:
            found = await graph.ainvoke(given, config, durability="sync")
    if (found["doc"] if one_key else found)["tick"] != n:
        raise AssertionError("langgraph ended early.")
    return meter


async def in_memory(n: int, state: int, one_key: bool = False) -> Numbers:
    await run(InMemorySaver(), 20, KB, False, "warm")
    return (await run(InMemorySaver(), n, state, one_key, "run")).numbers(n)


@asynccontextmanager
async def saver_at(path: Any) -> Any:
    if PLAIN:
        with SqliteSaver.from_conn_string(str(path)) as saver:
            saver.setup()
            yield saver
    else:
        async with AsyncSqliteSaver.from_conn_string(str(path)) as saver:
            await saver.setup()
            yield saver


async def on_disk(n: int, state: int, one_key: bool = False) -> Numbers:
    with scratch() as folder:
        counts = []
        for steps in (SHORT, LONG):
            async with saver_at(folder / f"{steps}.db") as saver:
                await run(saver, steps, KB, False, "warm")
                counts.append(commits(folder / f"{steps}.db"))
        each = (counts[1] - counts[0]) / (LONG - SHORT)
        (folder / "run").mkdir()
        async with saver_at(folder / "run" / "run.db") as saver:
            meter = await run(saver, n, state, one_key, "run")
        return meter.numbers(n, disk_kb=disk_kb(folder / "run") / n, commits=each)


async def few(n: int, state: int, reps: int) -> Numbers:
    """A list of its checkpoints, the latest, one by its id: through the plain entry
    point only.
    """
    with scratch(in_memory=True) as folder:
        with SqliteSaver.from_conn_string(str(folder / "run.db")) as saver:
            await run(saver, n, state, False, "run")
        with SqliteSaver.from_conn_string(str(folder / "run.db")) as saver:
            config = {"configurable": {"thread_id": "run"}}
            newest = saver.get_tuple(config)
            return {
                "list_ms": each_ms(lambda: list(saver.list(config)), 2),
                "latest_ms": each_ms(lambda: saver.get_tuple(config), reps),
                "one_ms": each_ms(lambda: saver.get_tuple(newest.config), reps),
            }


def each_ms(call: Callable[[], Any], times: int) -> float:
    call()
    begun = time.process_time()
    for _ in range(times):
        call()
    return 1000 * (time.process_time() - begun) / times


if __name__ == "__main__":
    serve({"memory": in_memory, "sqlite": on_disk, "few": few})
