"""The way to a checkpoint: told from memory as the store would tell it, and silent
checkpoints weigh nothing.
"""

from hypothesis import given
from hypothesis import strategies as st

from runtime.checkpoint import Cause, CheckpointHeader
from runtime.checkpoints.archive import Archive
from runtime.debug.timeline.ancestry import Way
from runtime.debug.timeline.outputs import Outputs
from runtime.state import Output, RunState, Trace
from runtime.stores.memory import MemoryStore


class Counting(MemoryStore):
    """Counts how often headers are listed and records are read."""

    listed = loaded = 0

    async def headers(self, **filters):
        self.listed += 1
        return await super().headers(**filters)

    async def load(self, checkpoint_id):
        self.loaded += 1
        return await super().load(checkpoint_id)


async def save(
    archive: Archive, parent: CheckpointHeader | None, branch: str, outputs: int
) -> CheckpointHeader:
    superstep = 0 if parent is None else parent.superstep + 1
    if parent is None:
        cause = Cause.INPUT
    elif parent.branch == branch:
        cause = Cause.SUPERSTEP
    else:
        cause = Cause.FORK
    # A fork repeats the trace of where it leaves: what stands there must not be told
    # twice.
    trace = Trace(
        outputs=tuple(Output("n", f"{superstep}/{at}") for at in range(outputs))
    )
    state = RunState(superstep=superstep)
    return await archive.save(
        state, trace, run_id="r", workflow="w", cause=cause, parent=parent, branch=branch
    )  # fmt: skip


STEPS = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 2), st.booleans(), st.booleans()),
    max_size=12,
)


@given(STEPS, st.randoms(use_true_random=False))
async def test_whatever_was_seen_and_asked_before_a_way_is_told_as_the_store_tells_it(
    steps, dice
) -> None:
    store = MemoryStore()
    archive = Archive(store)
    outputs = Outputs()
    made = [await save(archive, None, "main", 0)]
    heads = {"main": made[0].id}
    for number, (back, values, is_seen, is_asked) in enumerate(steps):
        parent = made[-1 - back % len(made)] if back > 6 else made[-1]
        if heads[parent.branch] == parent.id:
            branch = parent.branch
        else:
            branch = f"fork {number}"
        made.append(await save(archive, parent, branch, values))
        heads[branch] = made[-1].id
        if is_seen:
            _, trace = await archive.trace(made[-1].id)
            outputs.note(made[-1], trace)
        if is_asked:
            await outputs.until(store, dice.choice(made))
    for header in dice.sample(made, len(made)):
        assert await outputs.until(store, header) == await Outputs().until(
            store, header
        )


async def test_checkpoints_that_put_nothing_out_weigh_nothing() -> None:
    way = Way()
    archive = Archive(Counting())
    header = None
    for number in range(100):
        header = await save(archive, header, "main", 0)
        way.note(header, int(number == 50))
    (stretch,) = way._stretches["r", "main"]
    assert [loud.sequence for loud in stretch.loud] == [51]


async def test_who_goes_forward_through_an_old_run_reads_each_checkpoint_once() -> None:
    store = Counting()
    archive = Archive(store)
    made = []
    outputs = Outputs()
    for _ in range(30):
        made.append(await save(archive, made[-1] if made else None, "main", 1))
    for header in made:
        await outputs.until(store, header)
    assert (store.listed, store.loaded) == (0, 29)
    assert len(outputs._way._stretches["r", "main"]) == 1


async def test_a_way_goes_on_before_what_was_removed_after_it_had_been_seen() -> None:
    store = MemoryStore()
    archive = Archive(store)
    outputs = Outputs()
    first = await save(archive, None, "main", 0)
    second = await save(archive, first, "main", 1)
    fork = await save(archive, second, "fork", 1)
    last = await save(archive, fork, "fork", 1)
    await save(archive, second, "main", 0)
    for header in (first, second, fork, last):
        outputs.note(header, (await archive.trace(header.id))[1])
    await store.delete([second.id])
    for _ in range(2):
        body = await outputs.until(store, last)
        assert (len(body.items), body.unreadable) == (1, 1)
        assert body == await Outputs().until(store, last)
