"""Random workflows: run straight, then cut, failed, cancelled and forked. Each must end
as the straight run did.

A case is one workflow on one store. It is run straight, and then: from some of its
checkpoints, once in a fresh instance and once in one that has just run, failed or was
cancelled at something else; with one failure at any place where user code runs;
cancelled at any of its waits; with one save that fails; and with other answers on a
fork, if it asks.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Coroutine
from typing import Any

from runtime.checkpoint import CheckpointStore
from runtime.engine.runner import Runner
from runtime.workflow.workflow import Workflow
from tests.faults.flows import Fuse, build
from tests.faults.interrupts import (
    Durability,
    by_workflow,
    cancel_and_resume,
    cancel_and_resume_workflow,
    check_blown,
    fail_and_resume,
    fail_and_resume_workflow,
    fail_store_and_resume,
    finish_through,
    last_of,
)
from tests.faults.knife import Knife
from tests.faults.plans import Plan
from tests.faults.stories import (
    Story,
    chain,
    check_end,
    check_equal,
    contents_of,
    drive,
    straight,
    told,
)
from tests.faults.values import Token

Done = Counter[str]
DURABILITIES: tuple[Durability, ...] = ("sync", "pipelined")


async def check_workflow(
    plan: Plan, chance: random.Random, store: CheckpointStore, cuts: int = 2
) -> Done:
    """One case. Returns how many runs of each kind were compared with the straight one."""
    done: Done = Counter()
    fuse = Fuse()
    story = await straight(build(plan, fuse, delays=chance.randrange(100)), plan, store)
    positions = range(len(story.headers))
    for position in sorted(chance.sample(positions, min(cuts, len(positions)))):
        await cut_into_fresh(plan, chance, store, story, position)
        done["cut, fresh instance"] += 1
        done[
            f"cut, used instance ({await cut_into_used(plan, chance, store, story, position)})"
        ] += 1
    done[f"failed in {await _fail(plan, chance, store, story, fuse.touches)}"] += 1
    done["cancelled"] += await _cancel(plan, chance, store, story)
    done["save failed"] += await fail_store_and_resume(
        plan, store, story, chance.randint(1, len(positions)), chance.choice(("before", "after")),
        durability=chance.choice(DURABILITIES),
    )  # fmt: skip
    done["forked"] += await fork(plan, chance, store, story)
    return done


async def cut_into_fresh(
    plan: Plan,
    chance: random.Random,
    store: CheckpointStore,
    story: Story,
    position: int,
) -> None:
    """Restore a checkpoint into a fresh instance, and finish. Looking at everything
    meanwhile changes nothing.
    """
    runner = Runner(
        build(plan, delays=chance.randrange(100)),
        store,
        durability=chance.choice(DURABILITIES),
    )
    await runner.restore(story.headers[position].id)
    outputs = await drive(runner, plan, looking=chance.random() < 0.5)
    check_end(await told(runner, store, outputs), story, story.outputs_after(position))


async def cut_into_used(
    plan: Plan,
    chance: random.Random,
    store: CheckpointStore,
    story: Story,
    position: int,
) -> str:
    """Restore a checkpoint into an instance that has just done something else, and
    finish. Returns what it did.
    """
    fuse = Fuse()
    use = chance.choice(["ran", "failed", "cancelled"])
    workflow = build(plan, fuse, delays=chance.randrange(100))
    checkpoint_id = story.headers[position].id
    outputs = story.outputs_after(position)
    if by_workflow(plan) and chance.random() < 0.5:
        await _use(use, fuse, chance, _run_through(workflow, plan))
        result = await workflow.run(
            checkpoint_id=checkpoint_id, checkpoint_storage=store
        )
        found = await finish_through(workflow, plan, result, store=store)
        assert found == [one.data for one in outputs], "the outputs differ"
        check_equal(
            await contents_of(store, await chain(store, last_of(workflow))),
            story.contents,
        )
        return f"{use}, Workflow.run"
    runner = Runner(workflow, store)
    await _use(use, fuse, chance, _run_other(runner, plan))
    await runner.restore(checkpoint_id)
    check_end(await told(runner, store, await drive(runner, plan)), story, outputs)
    return f"{use}, Runner"


async def _use(
    use: str, fuse: Fuse, chance: random.Random, other: Coroutine[Any, Any, None]
) -> None:
    if use == "failed":
        fuse.at = chance.randint(1, 20)
    try:
        await Knife(chance.randint(1, 30) if use == "cancelled" else 0).run(other)
    except asyncio.CancelledError:
        assert use == "cancelled"
    except Exception as error:  # noqa: BLE001 - raised again unless it is the fuse's
        check_blown(error, fuse)
    fuse.at = 0


async def _run_other(runner: Runner, plan: Plan) -> None:
    await runner.start(Token(1, "other"))
    await drive(runner, plan, salt=1)


async def _run_through(workflow: Workflow, plan: Plan) -> None:
    await finish_through(workflow, plan, await workflow.run(Token(1, "other")), salt=1)


async def _fail(
    plan: Plan,
    chance: random.Random,
    store: CheckpointStore,
    story: Story,
    touches: Counter[str],
) -> str:
    place = chance.choice(sorted(touches))
    fuse = Fuse(chance.randint(1, touches[place]), place)
    if by_workflow(plan) and chance.random() < 0.3:
        return await fail_and_resume_workflow(plan, store, story, fuse)
    return await fail_and_resume(
        plan,
        store,
        story,
        fuse,
        delays=chance.randrange(100),
        durability=chance.choice(DURABILITIES),
    )


async def _cancel(
    plan: Plan, chance: random.Random, store: CheckpointStore, story: Story
) -> bool:
    knife = Knife(chance.randint(1, 8 * len(story.headers)), late=chance.random() < 0.5)
    if by_workflow(plan) and chance.random() < 0.4:
        return await cancel_and_resume_workflow(plan, store, story, knife)
    return await cancel_and_resume(
        plan,
        store,
        story,
        knife,
        delays=chance.randrange(100),
        durability=chance.choice(DURABILITIES),
    )


async def fork(
    plan: Plan, chance: random.Random, store: CheckpointStore, story: Story
) -> bool:
    """One request is answered differently on forks, and neither sees the other's. False
    when the run asks nothing.
    """
    asking = [
        number - 1
        for number, content in enumerate(story.contents)
        if content.cause == "response"
    ]
    if not asking:
        return False
    position = chance.choice(asking)
    one, same, other = [
        await _forked(plan, store, story, position, salt) for salt in (1, 0, 1)
    ]
    assert same.contents[position + 1].cause == "fork"
    check_equal(
        [*same.contents[: position + 1], *same.contents[position + 2 :]], story.contents
    )
    assert list(same.outputs) == story.outputs_after(position)
    assert same.state == story.state
    check_equal(one.contents[: position + 1], story.contents[: position + 1])
    check_equal(one.contents, other.contents)
    assert one.contents != same.contents, "another answer has changed nothing"
    return True


async def _forked(
    plan: Plan, store: CheckpointStore, story: Story, position: int, salt: int
) -> Story:
    runner = Runner(build(plan), store)
    await runner.restore(story.headers[position].id, fork=True)
    return await told(runner, store, await drive(runner, plan, salt=salt))
