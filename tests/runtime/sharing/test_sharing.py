"""Runs, branches and checkpoints go through one file into any store, and are the same
there.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.checkpoint import CheckpointHeader, CheckpointStore
from runtime.debug.protocol import ReceiveArguments
from runtime.debug.questions.sharing import receive
from runtime.debug.session.notices import Notices
from runtime.engine.runner import Runner
from runtime.errors import CheckpointStoreError, SharedFileError
from runtime.sharing.plan import PLACEHOLDER_NOTE
from runtime.sharing.read import import_file, plan_file
from runtime.sharing.selection import select
from runtime.sharing.write import Shared, share
from runtime.stores import open_store, prune
from runtime.stores.memory import MemoryStore
from runtime.testing.conformance import check_whole, ids, save
from runtime.testing.records import HOSTILE, record_of
from tests.postgres import postgres_database, postgres_server, postgres_url
from tests.runtime.graphs import uneven_join
from tests.runtime.test_restore import finished, outputs_of

__all__ = ["postgres_database", "postgres_server", "postgres_url"]
URLS = {"memory": "memory:", "sqlite": "sqlite:{}/runs.db", "dir": "dir:{}/runs"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "a.stepwell-run"


async def forked() -> tuple[MemoryStore, list[CheckpointHeader]]:
    """A run with a fork of its third checkpoint."""
    store = MemoryStore()
    headers = await finished(store)
    runner = Runner(uneven_join(), store)
    await runner.restore(headers[2].id)
    await runner.finish()
    return store, await store.headers()


async def shared(
    store: CheckpointStore, file: Path, **names: str | bool | None
) -> Shared:
    return await share(store, await select(store, **names), file)  # type: ignore[arg-type]


async def content(store: CheckpointStore) -> dict[str, object]:
    """Everything that a store has, but the numbers of its own."""
    out: dict[str, object] = {}
    for header in await check_whole(store):
        record = await store.load(header.id)
        parts = await store.parts(record.digests)
        out[header.id] = (replace(header, sequence=0), record.manifest, parts)
    return out


async def same_there(source: CheckpointStore, target: CheckpointStore) -> bool:
    mine = await content(source)
    theirs = await content(target)
    return mine == theirs and list(mine) == list(theirs)


# --- the same in every store ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", URLS)
async def test_a_shared_run_is_the_same_in_every_store_and_goes_on_to_the_same_end(
    kind: str, file: Path, tmp_path: Path
) -> None:
    source, headers = await forked()
    await source.annotate(headers[1].id, tags=["good", "pinned"], note="Đội 😀")
    await shared(source, file, run_id=headers[0].run_id)
    target = open_store(URLS[kind].format(tmp_path))
    imported = await import_file(target, file)
    assert await same_there(source, target)
    assert imported.newest == headers[-1].id
    runner = Runner(uneven_join(), target)
    await runner.restore(headers[3].id)
    assert await outputs_of(runner) == [["xAB", "xACD"]]
    await target.close()


async def test_a_shared_run_is_the_same_in_postgresql(
    postgres_url: str, file: Path
) -> None:
    source, headers = await forked()
    await shared(source, file, run_id=headers[0].run_id)
    target = open_store(postgres_url)
    await import_file(target, file)
    assert await same_there(source, target)
    branch = {"run_id": headers[0].run_id, "branch": "fork 1"}
    await shared(source, file, **branch, with_ancestors=False)
    assert (await import_file(target, file)).added == 0
    runner = Runner(uneven_join(), target)
    await runner.restore(headers[3].id)
    assert await outputs_of(runner) == [["xAB", "xACD"]]
    await target.close()


async def test_a_checkpoint_alone_restores_and_names_its_parent(file: Path) -> None:
    source, headers = await forked()
    await shared(source, file, checkpoint_id=headers[3].id)
    target = MemoryStore()
    await import_file(target, file)
    (header,) = await target.headers()
    assert replace(header, sequence=0) == replace(headers[3], sequence=0)
    runner = Runner(uneven_join(), target)
    await runner.restore(header.id)
    assert await outputs_of(runner) == [["xAB", "xACD"]]


@pytest.mark.parametrize("with_ancestors", [True, False])
async def test_a_branch_goes_with_what_it_has_forked_from_or_alone(
    with_ancestors: bool, file: Path
) -> None:
    source, headers = await forked()
    names = {"run_id": headers[0].run_id, "branch": "fork 1"}
    await shared(source, file, **names, with_ancestors=with_ancestors)
    target = MemoryStore()
    await import_file(target, file)
    on_fork = [header.id for header in headers if header.branch == "fork 1"]
    before = [header.id for header in headers[:3]]
    assert await ids(target) == (before + on_fork if with_ancestors else on_fork)
    first = (await target.load(on_fork[0])).header
    assert first.parent == headers[2].id


async def test_a_run_with_gaps_goes_on_having_them(file: Path) -> None:
    source, headers = await forked()
    await prune(source, run_id=headers[0].run_id, keep=1)
    await shared(source, file, run_id=headers[0].run_id)
    target = MemoryStore()
    await import_file(target, file)
    assert await same_there(source, target)
    assert len(await target.headers()) < len(headers)


async def test_a_removed_parent_of_two_branches_is_a_gap_of_the_right_one(
    file: Path,
) -> None:
    source = MemoryStore()
    await save(source, "before")
    await save(source, "removed")
    await save(source, "fork", parent="removed", branch="fork 1")
    await save(source, "after", parent="removed")
    await source.delete(["removed"])
    await shared(source, file, run_id="run")
    target = MemoryStore()
    await import_file(target, file)
    assert await same_there(source, target)
    assert await ids(target) == ["before", "fork", "after"]


Line = tuple[int, int, bool]


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    lines=st.lists(
        st.tuples(st.integers(0, 30), st.integers(0, 3), st.booleans()), max_size=14
    ),
    kind=st.sampled_from(sorted(URLS)),
    texts=st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=3),
)
async def test_any_tree_with_any_gaps_and_names_is_the_same_after_the_way(
    lines: list[Line], kind: str, texts: list[str]
) -> None:
    """A line is: the checkpoint that one follows, what its values are, and whether it
    is removed again.
    """
    source = MemoryStore()
    headers = [await save(source, "c0", {"k": b"0"}, note=texts[0])]
    heads = {"main": "c0"}
    for number, (place, value, _) in enumerate(lines, start=1):
        parent = headers[place % len(headers)]
        goes_on = heads[parent.branch] == parent.id
        branch = parent.branch if goes_on else f"{texts[-1]}{number}"
        header = await save(
            source,
            f"c{number}",
            {"k": b"%d" % value, "other": b"%d" % (value % 2)},
            parent=parent.id,
            branch=branch,
            tags=tuple(texts[:value]),
        )
        headers.append(header)
        heads[branch] = header.id
    removed = [h.id for h, line in zip(headers, lines, strict=False) if line[2]]
    await source.delete([id_ for id_ in removed if id_ not in heads.values()])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "x.stepwell-run")
        await shared(source, file, run_id="run")
        target = open_store(URLS[kind].format(folder))
        await import_file(target, file)
        assert await same_there(source, target)
        assert (await import_file(target, file)).added == 0
        inside = {path.name for path in Path(folder).iterdir()}
        assert inside <= {
            "x.stepwell-run",
            "runs.db",
            "runs.db-wal",
            "runs.db-shm",
            "runs",
        }
        await target.close()


# --- what is there already ------------------------------------------------------------------------------------------


async def test_an_import_of_what_is_there_does_nothing_and_says_so(file: Path) -> None:
    source, headers = await forked()
    await shared(source, file, run_id=headers[0].run_id)
    await source.annotate(headers[0].id, note="another")
    imported = await import_file(source, file)
    assert (imported.added, len(imported.plan.present)) == (0, len(headers))
    assert imported.plan.reworded == 1
    assert (await source.load(headers[0].id)).header.note == "another"


async def test_a_run_that_went_on_is_imported_behind_what_is_there(file: Path) -> None:
    source = MemoryStore()
    for number in range(3):
        await save(source, f"c{number}")
    await shared(source, file, run_id="run")
    target = MemoryStore()
    await save(target, "of another run", run_id="other")
    await import_file(target, file)
    await save(source, "c3")
    await shared(source, file, run_id="run")
    assert (await import_file(target, file)).added == 1
    assert await ids(target, run_id="run") == ["c0", "c1", "c2", "c3"]


async def refused(target: CheckpointStore, file: Path, words: str) -> None:
    """An import is refused with these words, and changes nothing."""
    before = await content(target)
    with pytest.raises(SharedFileError, match=words):
        await import_file(target, file)
    assert await content(target) == before


async def test_an_id_with_another_content_is_refused(file: Path) -> None:
    source = MemoryStore()
    await save(source, "c0")
    await save(source, "c1", {"k": b"1"})
    await shared(source, file, run_id="run")
    target = MemoryStore()
    await save(target, "c0")
    await save(target, "c1", {"k": b"2"})
    await refused(target, file, "c1 is in the store memory: with another content")


async def test_a_branch_that_went_on_otherwise_is_refused(file: Path) -> None:
    source = MemoryStore()
    target = MemoryStore()
    for store in (source, target):
        await save(store, "c0")
    await save(source, "mine")
    await save(target, "theirs")
    await shared(source, file, run_id="run")
    await refused(target, file, "ends with checkpoint theirs .* the file has mine")


async def test_an_earlier_part_of_what_is_there_is_refused(file: Path) -> None:
    source, headers = await forked()
    names = {"run_id": headers[0].run_id, "branch": "fork 1"}
    await shared(source, file, **names, with_ancestors=False)
    target = MemoryStore()
    await import_file(target, file)
    await shared(source, file, run_id=headers[0].run_id)
    await refused(target, file, "stands behind all that is there")


# --- failures in the middle -----------------------------------------------------------------------------------------


class FullStore(MemoryStore):
    """Has room for so many checkpoints more."""

    room = 3

    async def save(self, *arguments: object) -> CheckpointHeader:
        self.room -= 1
        if self.room < 0:
            raise CheckpointStoreError("the disk is full")
        return await super().save(*arguments)  # type: ignore[arg-type]


async def test_a_store_that_fails_in_the_middle_has_nothing_of_a_new_run(
    file: Path,
) -> None:
    source, headers = await forked()
    await shared(source, file, run_id=headers[0].run_id)
    target = FullStore()
    with pytest.raises(CheckpointStoreError, match="the disk is full"):
        await import_file(target, file)
    assert await target.headers() == []


async def test_what_a_killed_import_has_left_is_removed_by_the_next(file: Path) -> None:
    source, headers = await forked()
    await shared(source, file, checkpoint_id=headers[3].id)
    target = MemoryStore()
    await target.save(
        *record_of(
            headers[2].id,
            run_id=headers[0].run_id,
            note=PLACEHOLDER_NOTE,
        )
    )
    await import_file(target, file)
    assert await ids(target) == [headers[3].id]


async def test_a_damaged_checkpoint_is_left_out_and_named(file: Path) -> None:
    source, headers = await forked()
    lost = (await source.load(headers[1].id)).manifest[-1].digest
    source._shelf.parts.pop(lost)
    written = await shared(source, file, run_id=headers[0].run_id)
    assert list(written.left_out) == [headers[1].id]
    target = MemoryStore()
    await import_file(target, file)
    assert await ids(target) == [h.id for h in headers if h.id != headers[1].id]


async def test_a_file_is_there_only_when_all_of_it_is(file: Path) -> None:
    source, headers = await forked()
    file.write_text("before")
    selection = await select(source, run_id=headers[0].run_id)
    with pytest.raises(SharedFileError, match="holds the value of a secret"):
        await share(source, selection, file, forbidden=[b"xAB"])
    assert file.read_text() == "before"
    assert [path.name for path in file.parent.iterdir()] == [file.name]


async def test_planning_changes_nothing(file: Path) -> None:
    source, headers = await forked()
    await shared(source, file, run_id=headers[0].run_id)
    target = MemoryStore()
    plan = await plan_file(target, file)
    assert (plan.new, plan.new_runs) == (len(headers), {headers[0].run_id})
    assert await target.headers() == []


async def test_progress_counts_what_was_checked_and_what_was_written(
    file: Path,
) -> None:
    source, headers = await forked()
    counts: list[int] = []
    selection = await select(source, run_id=headers[0].run_id)
    await share(source, selection, file, progress=counts.append)
    assert counts == list(range(1, len(headers) + 1))
    steps: list[tuple[int, int]] = []
    report: Callable[[int, int], None] = lambda *step: steps.append(step)  # noqa: E731
    await import_file(MemoryStore(), file, report)
    assert steps[-1] == (len(headers), len(headers))


async def test_the_window_is_told_in_words_that_a_file_is_not_there(
    tmp_path: Path,
) -> None:
    request = ReceiveArguments(file=str(tmp_path / "none.stepwell-run"), dry_run=True)
    with pytest.raises(SharedFileError, match="cannot be read: No such file"):
        await receive(MemoryStore(), Notices(print), request)
