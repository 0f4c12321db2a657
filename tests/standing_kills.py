"""Hosts that are killed while their run stands inside a superstep, by the hundred:
`python -m tests.standing_kills [--times N] [--seed S]`.

A host runs a workflow on a store, and is brought to stand inside a superstep: by single
deliveries, at a breakpoint, at a held executor or in `breakpoint_here`. There it gets
SIGKILL. The store must have ended at the barrier before, and the run, resumed from it,
must come to the same checkpoints as one that nobody has stopped. Prints what was found;
the exit code is 1 when a run came to something else.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from runtime.checkpoint import CheckpointHeader
from runtime.checkpoints.archive import Archive
from runtime.document.definition import WorkflowFile
from runtime.document.files import parse
from runtime.engine.runner import Runner
from runtime.state import RunState
from runtime.stores import open_store
from tests.documents import build
from tests.runtime.debug.spawning import Process, spawned

MODULE = "stepwell_standing_steps"
CODE = """
import time
from pathlib import Path

from runtime.debug import breakpoint_here

HERE = Path(__file__).parent

async def add(message: int) -> int:
    return message + 1

def double(message: int) -> int:
    return message * 2

def slow(message: int) -> int:
    time.sleep(0.01)
    return message + 3

async def stop(message: int) -> int:
    if (HERE / "in code").exists():
        await breakpoint_here()
    return message - 1

async def total(messages: list) -> int:
    return sum(messages)
"""
INNER = ("first", "second", "last")
OUTER = ("start", "left", "right", "third", "sub", "both", "code")
PATIENCE = 30  # seconds for a host to come to a stop
Point = dict[str, Any]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.standing_kills", description=__doc__
    )
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args(arguments)
    chance = random.Random(wanted.seed)  # noqa: S311 - to be repeated, not to be secret
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / f"{MODULE}.py").write_text(CODE)
        ways, lost = asyncio.run(_kill_all(folder, chance, wanted.times))
    how = ", ".join(f"{count} by {way}" for way, count in sorted(ways.items()))
    print(  # noqa: T201
        f"{wanted.times} killed inside a superstep ({how}), {len(lost)} came to another end"
    )
    print(*lost, sep="\n", end="\n" if lost else "")  # noqa: T201
    return 1 if lost else 0


async def _kill_all(
    folder: Path, chance: random.Random, times: int
) -> tuple[Counter[str], list[str]]:
    expected = await _straight(folder)
    ways: Counter[str] = Counter()
    lost = []
    for number in range(times):
        store = f"sqlite:{folder / f'{number}.db'}"
        async with spawned(folder) as process, asyncio.timeout(PATIENCE):
            way, superstep = await _stand(process, folder, store, chance)
            await process.kill()
        ways[way] += 1
        fault = await fault_of(folder, store, superstep, expected)
        if fault:
            lost.append(f"{number}, by {way} in superstep {superstep + 1}: {fault}")
    return ways, lost


# --- the workflow -----------------------------------------------------------------------------------------------


def document() -> Point:
    """Three branches: two of them run a sub-workflow, all meet in a join, and what
    comes of that goes round until it is large enough.
    """
    inner = {
        "name": "inner",
        "start": "first",
        "nodes": [
            _node("first", "slow"),
            {
                "id": "second",
                "type": "set_state",
                "params": {"key": "n", "value": "message"},
            },
            {"id": "last", "type": "output", "params": {}},
        ],
        "edges": [_edge("first", "second"), _edge("second", "last")],
    }
    params = {"inline": {"format": 1, "workflow": inner}}
    functions = ("add", "double", "slow", "add", "total", "stop")
    names = [name for name in OUTER if name != "sub"]
    nodes = [
        _node(name, function) for name, function in zip(names, functions, strict=True)
    ]
    workflow = {
        "name": "standing",
        "start": "start",
        "input": 1,
        "nodes": [*nodes, {"id": "sub", "type": "sub_workflow", "params": params}],
        "edges": [
            {
                "id": "out",
                "kind": "fan_out",
                "source": "start",
                "targets": ["left", "right", "third"],
            },
            _edge("left", "sub"),
            _edge("right", "sub"),
            {
                "id": "in",
                "kind": "fan_in",
                "sources": ["sub", "third"],
                "target": "both",
            },
            _edge("both", "code"),
            {**_edge("code", "start"), "condition": "message < 100"},
        ],
        "max_supersteps": 100,
    }
    return {"format": 1, "workflow": workflow}


def _node(name: str, function: str) -> Point:
    return {
        "id": name,
        "type": "python_function",
        "params": {"function": f"{MODULE}:{function}"},
    }


def _edge(source: str, target: str) -> Point:
    return {
        "id": f"{source}-{target}",
        "kind": "direct",
        "source": source,
        "target": target,
    }


def workflow_file() -> WorkflowFile:
    return parse(json.dumps(document()))


async def _straight(folder: Path) -> list[RunState]:
    """The states of all barriers of a run that nobody stops."""
    store = open_store("memory:")
    runner = Runner(build(workflow_file().workflow, folder=folder), store)
    await runner.start(1)
    await runner.finish()
    return await _states(Archive(store))


async def _states(archive: Archive) -> list[RunState]:
    headers = await archive.store.headers()
    return [(await archive.view(header.id)).state for header in headers]


# --- standing ---------------------------------------------------------------------------------------------------


async def _stand(
    process: Process, folder: Path, store: str, chance: random.Random
) -> tuple[str, int]:
    """Let a run stand inside a superstep. Return how it came to stand there, and the
    superstep of the barrier before.
    """
    way = chance.choice(("delivery", "breakpoint", "hold", "code"))
    flag = folder / "in code"
    flag.unlink(missing_ok=True)
    if way == "code":
        flag.touch()
    await process.body("open", document=document(), folder=str(folder), store=store)
    await process.body("start", stop_on_entry=True)
    await process.until("stopped")
    await _set_up(process, way, chance)
    while True:
        if way == "delivery":
            count = chance.randint(1, 12)
            await process.body("step", unit="delivery", count=count)
        else:
            await process.body("continue")
        stopped = await process.until("stopped")
        if stopped["delivery"] is not None and chance.random() < 0.5:
            return way, stopped["superstep"]
        if stopped["reason"] == "finished":
            # It has stood inside often enough; the next one does again.
            await process.body("start", stop_on_entry=True)
            await process.until("stopped")


async def _set_up(process: Process, way: str, chance: random.Random) -> None:
    inside, name = chance.choice(
        [*(((), name) for name in OUTER), *((("sub",), name) for name in INNER)]
    )
    if way == "breakpoint":
        kind = chance.choice(("before", "after"))
        point = {"id": "a", "kind": kind, "where": name, "inside": inside}
        await process.body("breakpoints", breakpoints=[point])
    elif way == "hold":
        await process.body("hold", executor=name, inside=inside)


# --- what is left -----------------------------------------------------------------------------------------------


async def fault_of(
    folder: Path, store_url: str, superstep: int, expected: list[RunState]
) -> str:
    """Return what is wrong with the store of a run that was killed inside the superstep
    after this one, and with the end to which it comes; "" for nothing.
    """
    store = open_store(store_url)
    try:
        headers = await store.headers()
        newest = headers[-1]
        if newest.superstep != superstep:
            return f"its last checkpoint is of superstep {newest.superstep}"
        return await _fault_of_end(folder, Archive(store), newest, expected)
    finally:
        await store.close()


async def _fault_of_end(
    folder: Path, archive: Archive, newest: CheckpointHeader, expected: list[RunState]
) -> str:
    runner = Runner(build(workflow_file().workflow, folder=folder), archive.store)
    await runner.restore(newest.id)
    await runner.finish()
    states = [
        (await archive.view(header.id)).state
        for header in await archive.store.headers()
        if header.run_id == newest.run_id
    ]
    if states == expected:
        return ""
    same = [a == b for a, b in zip(states, expected, strict=False)]
    where = same.index(False) if False in same else len(same)
    return f"{len(states)} checkpoints instead of {len(expected)}, different from number {where + 1}"


if __name__ == "__main__":
    sys.exit(main())
