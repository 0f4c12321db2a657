"""Random patches on random checkpoints of random workflows: `python -m
tests.random_surgery [--patches N] [--forks N] [--seed S]`.

Each patch is applied or refused, never by half. The checkpoint that it was made for, and
all others, stay byte for byte. What was forecast is what the next superstep then does.
Prints what was done; the exit code is 1 when something was otherwise.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from runtime.checkpoint import Cause, CheckpointHeader, CheckpointStore
from runtime.checkpoints.archive import Archive
from runtime.engine.forecast import Forecast, next_superstep
from runtime.engine.patch_plan import PatchPlan
from runtime.engine.runner import Runner
from runtime.engine.sub_runs import Path as RunPath
from runtime.engine.sub_runs import sub_workflow
from runtime.errors import PatchRefusedError, RequestError
from runtime.patches import Patch
from runtime.state import RunState, Trace, owner_of
from runtime.stores import open_store
from runtime.workflow.workflow import Workflow
from tests.faults.flows import build
from tests.faults.plans import Plan, chance_of, plan_of
from tests.faults.stories import straight

PATCHES_FOR_EACH = 8
MOST_STEPS = 12
Done = Counter[str]


# --- random changes -----------------------------------------------------------------------------------------------


def runs_in(
    workflow: Workflow, state: RunState, path: RunPath = ()
) -> list[tuple[RunPath, Workflow, RunState]]:
    """A run and all runs inside it, with their workflows."""
    runs = [(path, workflow, state)]
    for key, child in state.children.items():
        inner: Any = sub_workflow(workflow, owner_of(key))
        runs += runs_in(inner, child, (*path, key))
    return runs


def random_patch(chance: random.Random, workflow: Workflow, state: RunState) -> Patch:
    """A patch of which most changes fit."""
    runs = runs_in(workflow, state)
    changes = []
    for number in range(chance.randint(1, 5)):
        path, inner, run = chance.choice(runs)
        make = chance.choice(
            [of_state, of_executor, of_queue, of_queue, of_buffer, of_request]
        )
        change = make(chance, inner, run, [c["id"] for c in changes])
        changes.append({"id": f"c{number}", "run": path, **change})
    name = chance.choice(["", "surgery", "ä 'x'"])
    return Patch.model_validate({"name": name, "changes": changes})


def random_json(chance: random.Random) -> Any:
    return chance.choice(
        [
            None, 0, 7, 2.5, "text", [], [1, "a"], {"a": {"b": [1]}}, True,
            {"hops": 1, "text": "t", "tags": []},
        ]
    )  # fmt: skip


def token(chance: random.Random) -> Any:
    if chance.random() < 0.15:
        return random_json(chance)
    return {
        "hops": chance.randint(0, 4),
        "text": chance.choice("abcdef"),
        "tags": ["patched"],
    }


def of_state(
    chance: random.Random, workflow: Workflow, run: RunState, _: Sequence[str]
) -> dict[str, Any]:
    key = chance.choice([*run.shared, "new", "log"])
    change = {"section": "state", "key": key, "do": "set", "value": random_json(chance)}
    if key in ("log", *run.shared) and chance.random() < 0.6:
        # What reducers and handlers expect.
        change["value"] = [chance.randint(0, 9)]
    if chance.random() < 0.2:
        change["do"] = "remove"
    if chance.random() < 0.3:
        change["path"] = (chance.choice([0, 1, "a"]),)
    return change


def of_executor(
    chance: random.Random, workflow: Workflow, run: RunState, _: Sequence[str]
) -> dict[str, Any]:
    key = chance.choice([*workflow.executors, "nobody"])
    change: dict[str, Any] = {"section": "executors", "key": key, "do": "set"}
    if chance.random() < 0.6:
        return {**change, "path": ("calls",), "value": chance.randint(0, 9)}
    value = chance.choice([{"calls": 3}, random_json(chance)])
    return {**change, "value": value}


def spot_of(chance: random.Random, count: int, added: Sequence[str]) -> dict[str, Any]:
    if added and chance.random() < 0.15:
        return {"added": chance.choice(added)}
    return {
        "place": chance.randrange(count + 1)
        if chance.random() < 0.1 or not count
        else chance.randrange(count)
    }


def of_queue(
    chance: random.Random, workflow: Workflow, run: RunState, added: Sequence[str]
) -> dict[str, Any]:
    do = chance.choice(["set", "drop", "duplicate", "move", "address", "add", "add"])
    change: dict[str, Any] = {"section": "queue", "do": do}
    if do != "add":
        change["spot"] = spot_of(chance, len(run.queue), added)
    names = [*workflow.executors]
    if do in ("add", "address"):
        source = chance.choice(names)
        change["source"] = chance.choice([source, source, None, "nobody"])
        ways = sorted(workflow.reach.get(source, ()))
        change["target"] = chance.choice([None, *ways, *ways, *names])
    if do in ("add", "set"):
        change["value"] = token(chance)
    if do == "set" and chance.random() < 0.4:
        change["path"], change["value"] = ("text",), chance.choice(["x", "y", 3])
    if do in ("add", "move") and chance.random() < 0.8:
        change["to"] = chance.randint(0, 4)
    return change


def of_buffer(
    chance: random.Random, workflow: Workflow, run: RunState, added: Sequence[str]
) -> dict[str, Any]:
    joins = {join.key: join for join in workflow.joins}
    if not joins:
        return of_queue(chance, workflow, run, added)
    key = chance.choice([*run.buffers, *joins])
    do = chance.choice(["set", "drop", "duplicate", "move", "address", "add", "add"])
    change: dict[str, Any] = {"section": "buffers", "key": key, "do": do}
    if do != "add":
        change["spot"] = spot_of(chance, len(run.buffers.get(key, ())), added)
    if do in ("add", "address"):
        change["source"] = chance.choice([*joins[key].source_ids, *workflow.executors])
    if do in ("add", "set"):
        change["value"] = token(chance)
    if do == "move" or (do == "add" and chance.random() < 0.3):
        change["to"] = chance.randint(0, 3)
    return change


def of_request(
    chance: random.Random, workflow: Workflow, run: RunState, added: Sequence[str]
) -> dict[str, Any]:
    if not run.requests:
        return of_queue(chance, workflow, run, added)
    key = chance.choice([*run.requests, *run.requests, *run.requests, "unknown"])
    do = chance.choice(["answer", "answer", "withdraw", "set"])
    change: dict[str, Any] = {"section": "requests", "key": key, "do": do}
    if do == "set":
        change |= {"path": ("text",), "value": "asked otherwise"}
    if do == "answer":
        good = {"good": chance.random() < 0.5, "text": "by patch"}
        change["value"] = chance.choice([good, good, good, random_json(chance)])
    return change


# --- one case -----------------------------------------------------------------------------------------------------


async def kept_of(
    store: CheckpointStore, headers: Sequence[CheckpointHeader]
) -> list[Any]:
    """Everything that a store keeps of these checkpoints."""
    kept: list[Any] = []
    for header in headers:
        record = await store.load(header.id)
        kept.append((record, await store.parts(record.digests)))
    return kept


async def check_workflow(
    chance: random.Random, store: CheckpointStore, patches: int = PATCHES_FOR_EACH
) -> Done:
    """Patch checkpoints of one random workflow. Return what was done."""
    # In some workflows executors fail for some messages, and error edges take it.
    plan = replace(plan_of(chance), fails=chance.choice([0, 0, 3]))
    try:
        story = await straight(fresh(plan, chance), plan, store)
    except RequestError:
        # A sub-workflow failed whose question was being answered meanwhile.
        return Counter({"set aside": 1})
    headers = await store.headers(run_id=story.headers[0].run_id)
    kept = await kept_of(store, headers)
    done: Done = Counter()
    for _ in range(patches):
        header = chance.choice(headers)
        done += await check_patch(chance, fresh(plan, chance), store, header)
    assert await kept_of(store, headers) == kept, "the past has changed"
    return done


def fresh(plan: Plan, chance: random.Random) -> Workflow:
    return build(plan, delays=chance.randrange(100))


async def check_patch(
    chance: random.Random,
    workflow: Workflow,
    store: CheckpointStore,
    header: CheckpointHeader,
) -> Done:
    count = len(await store.headers())
    before = await Archive(store, Runner(workflow, store)._lineage.types).load(
        header.id
    )
    patch = random_patch(chance, workflow, before.state)
    runner = Runner(workflow, store)
    loaded = await runner.load(header.id)
    plan = await runner.plan_patch(loaded, patch)
    assert loaded.state == before.state, "planning has changed what it was given"
    assert len(await store.headers()) == count, "planning has saved"
    done = Counter({"changes": len(patch.changes)})
    if plan.problems:
        plan = await check_refused(runner, plan, patch, store, count)
        done["refused"] += 1
        # What has no problem is applied without the rest.
        patch = plan.patch
        if not patch.changes:
            return done
    forecast = await next_superstep(workflow, plan.after.state, plan.history)
    await runner.restore(header.id, patch=patch)
    await check_fork(runner, plan, store)
    done["applied"] += 1
    return done + await check_next(runner, forecast)


async def check_refused(
    runner: Runner, plan: PatchPlan, patch: Patch, store: CheckpointStore, count: int
) -> PatchPlan:
    """A refused patch changes nothing. Return the plan of what has no problem, which
    is what the plan of all has made.
    """
    state = runner.state
    with pytest.raises(PatchRefusedError) as caught:
        await runner.restore(plan.before.header.id, patch=patch)
    assert list(caught.value.reasons) == plan.reasons()
    assert runner.state is state
    assert len(await store.headers()) == count, "a refused patch has saved"
    bad = {issue.change for issue in plan.problems}
    assert "" not in bad, plan.reasons()
    good = tuple(change for change in patch.changes if change.id not in bad)
    rest = await runner.plan_patch(
        plan.before.header.id, patch.model_copy(update={"changes": good})
    )
    assert not rest.problems, rest.reasons()
    assert rest.after.state == plan.after.state, "half a change was made"
    return rest


async def check_fork(runner: Runner, plan: PatchPlan, store: CheckpointStore) -> None:
    header = runner.header
    assert header is not None
    assert (header.cause, header.parent) == (Cause.EDIT, plan.before.header.id)
    assert runner.state == plan.after.state
    saved = await Archive(store, runner._lineage.types).load(header.id)
    assert saved.state == plan.after.state, "what was saved is not what runs"
    assert Patch.model_validate(saved.patch) == plan.patch


async def check_next(runner: Runner, forecast: Forecast) -> Done:
    """The next superstep does what was forecast."""
    state = runner.state
    try:
        trace = await runner.step()
    except Exception as error:  # noqa: BLE001 - handlers of random workflows get random values
        if forecast.error:
            return Counter({"failed as forecast": 1})
        assert runner.header is not None
        assert runner.header.cause is Cause.EDIT, "a failed superstep was saved"
        return Counter({f"failed in a handler: {type(error).__name__}": 1})
    assert not forecast.error, forecast.error
    if trace is None:
        assert not forecast.delivered
        return Counter({"at rest": 1})
    compare(forecast, trace, state, runner.state)
    for _ in range(MOST_STEPS):
        try:
            if await runner.step() is None:
                break
        except Exception:  # noqa: BLE001 - as above
            break
    return Counter({"as forecast": 1, "fired": len(forecast.fires)})


def compare(
    forecast: Forecast, trace: Trace, before: RunState, after: RunState
) -> None:
    assert forecast.fates == trace.fates
    assert forecast.releases == trace.releases
    calls = Counter(call.executor_id for call in trace.invocations if call.attempt == 1)
    planned = Counter({call.name: call.calls for call in forecast.delivered})
    sources: dict[str, set[str]] = {}
    for call in trace.invocations:
        sources.setdefault(call.executor_id, set()).update(call.sources)
    has_failed = any(call.error for call in trace.invocations)
    if has_failed:
        # A failure ends the run inside in which it was, before its other calls.
        assert calls <= planned
    else:
        assert calls == planned
        assert sources == {call.name: set(call.sources) for call in forecast.delivered}
    held = {
        join.group.key: sum(join.held.values())
        for join in forecast.starves
        if not join.path
    }
    assert held == {key: len(messages) for key, messages in after.buffers.items()}
    left = before.requests.keys() & after.requests.keys()
    if not has_failed:
        # The failure of a sub-workflow ends its questions.
        assert forecast.requests_left == len(left)


# --- many forks ---------------------------------------------------------------------------------------------------


async def check_many_forks(store: CheckpointStore, forks: int) -> None:
    """Many forks from one checkpoint are all there, and it stays as it was."""
    chance = chance_of(1)
    plan = plan_of(chance)
    story = await straight(fresh(plan, chance), plan, store)
    header = story.headers[len(story.headers) // 2]
    kept = await kept_of(store, story.headers)
    for number in range(forks):
        runner = Runner(build(plan), store)
        change = {
            "id": "c",
            "do": "set",
            "section": "state",
            "key": "n",
            "value": number,
        }
        await runner.restore(
            header.id, patch=Patch.model_validate({"name": "try", "changes": [change]})
        )
    children = [item for item in await store.headers() if item.parent == header.id]
    edits = [item for item in children if item.cause is Cause.EDIT]
    assert len(edits) == forks
    assert len({item.branch for item in edits}) == forks
    archive = Archive(store)
    numbers = [(await archive.view(item.id)).state.shared["n"] for item in edits]
    assert numbers == list(range(forks))
    assert await kept_of(store, story.headers) == kept


# --- the command --------------------------------------------------------------------------------------------------


async def on_stores(seed: int, patches: int, folder: Path) -> tuple[Done, list[str]]:
    done: Done = Counter()
    wrong: list[str] = []
    number = seed
    while done["applied"] + done["refused"] < patches:
        url = "memory:" if number % 2 else f"sqlite:{folder}/{number}.db"
        store = open_store(url)
        try:
            done += await check_workflow(chance_of(number), store)
        except AssertionError as error:
            wrong.append(f"seed {number} on {url.partition(':')[0]}: {error!r:.500}")
            done["refused"] += 1
        finally:
            await store.close()
        number += 1
    return done, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--patches", type=int, default=2000)
    parser.add_argument("--forks", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    # Warnings about random workflows.
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        begun = time.monotonic()
        done, wrong = asyncio.run(on_stores(options.seed, options.patches, folder))
        for what, count in sorted(done.items()):
            print(f"{count:6} {what}")  # noqa: T201 - the command's output
        for url in ("memory:", f"sqlite:{folder}/forks.db") if options.forks else ():
            asyncio.run(_forks(url, options.forks))
            print(f"{options.forks} forks from one checkpoint: {url.partition(':')[0]}")  # noqa: T201
        print(f"{time.monotonic() - begun:.0f} s")  # noqa: T201
    for text in wrong:
        print(f"WRONG  {text}")  # noqa: T201
    return 1 if wrong else 0


async def _forks(url: str, forks: int) -> None:
    store = open_store(url)
    try:
        await check_many_forks(store, forks)
    finally:
        await store.close()


if __name__ == "__main__":
    sys.exit(main())
