"""What pruning takes and what it leaves, and the commands prune, pin and delete."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from runtime.agent_framework.storages import (
    FileCheckpointStorage,
    InMemoryCheckpointStorage,
)
from runtime.checkpoint import PINNED, Cause, CheckpointHeader
from runtime.cli.remove import moment_of
from runtime.errors import CommandError
from runtime.stores.memory import MemoryStore
from runtime.stores.retention import prune, removable
from runtime.testing.records import ids, save
from tests.runtime.command_line import Stepwell, asking, finishing


def header(
    id: str, parent: str | None = None, branch: str = "main", **fields
) -> CheckpointHeader:
    return CheckpointHeader(
        id, "run", "w", 0, Cause.SUPERSTEP, parent, branch, **fields
    )


def names(headers: Sequence[CheckpointHeader]) -> str:
    return "".join(one.id for one in headers)


def test_heads_forks_tags_and_damage_stay() -> None:
    run = [
        *(
            header(id, before)
            for before, id in zip((None, *"abcdef"), "abcdefg", strict=True)
        ),
        header("p", "c", "fork"),
        header("q", "p", "fork"),
        header("r", "q", "fork"),
        header("h", "g", tags=("mine",)),
        header("i", "h"),
        header("j", "i", damaged="cut"),
    ]
    # c and p are the ends of a fork, h is tagged, j is damaged, i is the newest that
    # can be read, r a head.
    assert names(removable(run)) == "abdefgq"
    assert names(removable(run, keep=5)) == "abde"


def test_both_ends_of_a_fork_stay_also_after_a_first_pruning() -> None:
    run = [
        header("a"),
        header("b", "a"),
        header("c", "b"),
        header("p", "a", "fork"),
        header("q", "p", "fork"),
    ]
    left = [one for one in run if one not in removable(run)]
    assert names(left) == "acpq"
    assert removable(left) == []


@pytest.mark.parametrize("kind", ["memory", "file"])
async def test_what_a_storage_keeps_is_pruned_in_its_store(
    kind: str, tmp_path: Path
) -> None:
    if kind == "memory":
        storage = InMemoryCheckpointStorage()
    else:
        storage = FileCheckpointStorage(tmp_path)
    for number in range(4):
        await save(storage.store, str(number))
    assert names(await prune(storage, keep=2)) == "01"
    assert names(await storage.store.headers()) == "23"


async def test_what_cannot_be_pruned_is_told_apart_from_what_is_empty() -> None:
    with pytest.raises(TypeError, match="got str"):
        await prune("memory:", keep=1)


async def chain(store: MemoryStore) -> None:
    for number in range(6):
        await save(store, str(number), time=float(number))


@pytest.mark.parametrize(
    ("rules", "gone"),
    [
        ({"keep": 1}, "01234"),
        ({"keep": 4}, "01"),
        ({"keep": 100}, ""),
        ({"older_than": 3.0}, "012"),
        ({"older_than": 99.0}, "01234"),
        ({"keep": 5, "older_than": 3.0}, "0"),
        ({"keep": 2, "older_than": 2.0}, "01"),
    ],
)
async def test_what_goes_must_fulfil_every_rule(
    rules: dict[str, float], gone: str
) -> None:
    store = MemoryStore()
    await chain(store)
    assert names(await prune(store, dry_run=True, **rules)) == gone
    assert len(await ids(store)) == 6
    assert names(await prune(store, **rules)) == gone
    assert "".join(await ids(store)) == "".join(id for id in "012345" if id not in gone)


async def test_what_is_pinned_between_the_look_and_the_deed_stays() -> None:
    class Late(MemoryStore):
        """Somebody pins 2 as soon as a deletion is asked for."""

        async def delete(self, checkpoint_ids: Sequence[str]) -> int:
            await self.annotate("2", tags=[PINNED])
            return await super().delete(checkpoint_ids)

    store = Late()
    await chain(store)
    assert names(await prune(store, keep=1)) == "0134"
    assert await ids(store) == ["2", "5"]


# --- the commands -------------------------------------------------------------------------------------------------


@pytest.fixture
def stepwell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., object]:
    monkeypatch.chdir(tmp_path)
    return Stepwell(capsys)


def left(stepwell, store: object = "s.db") -> list[str]:
    return [one["id"] for one in stepwell("timeline", store, "--json").json]


@pytest.fixture
def chain_of(stepwell, tmp_path) -> list[str]:
    """The ids of the three checkpoints of a run that has ended."""
    assert stepwell("run", finishing(tmp_path), "--store", "s.db").code == 0
    return left(stepwell)


def test_prune_shows_what_would_go_and_then_removes_it(stepwell, chain_of) -> None:
    shown = stepwell("prune", "s.db", "--keep", "1", "--dry-run")
    assert shown.code == 0
    assert all(one[:8] in shown.out for one in chain_of[:-1])
    assert "Nothing was changed" in shown.err
    assert left(stepwell) == chain_of
    said = stepwell("prune", "s.db", "--keep", "1", "--json").json
    assert (said["dry_run"], [one["id"] for one in said["removed"]]) == (
        False,
        chain_of[:-1],
    )
    assert left(stepwell) == chain_of[-1:]
    assert "┊ removed" in stepwell("timeline", "s.db").out
    again = stepwell("prune", "s.db", "--keep", "1")
    assert (again.code, again.out) == (0, "")
    assert "nothing is old enough" in again.err


def test_a_pinned_checkpoint_is_not_pruned(stepwell, chain_of) -> None:
    assert "pinned" in stepwell("pin", "s.db", chain_of[0][:10]).out
    assert stepwell("pin", "s.db", chain_of[0], "--json").json["tags"] == ["pinned"]
    stepwell("prune", "s.db", "--older-than", "2999-01-01")
    assert left(stepwell) == [chain_of[0], chain_of[-1]]
    assert stepwell("pin", "s.db", chain_of[0], "--unpin", "--json").json["tags"] == []
    stepwell("prune", "s.db", "--keep", "1")
    assert left(stepwell) == chain_of[-1:]


def test_what_is_young_stays(stepwell, chain_of) -> None:
    stepwell("prune", "s.db", "--older-than", "1h")
    assert left(stepwell) == chain_of


def test_delete_removes_one_run(stepwell, chain_of, tmp_path) -> None:
    stepwell("run", finishing(tmp_path), "--store", "s.db")
    run = next(
        one["run_id"]
        for one in stepwell("timeline", "s.db", "--json").json
        if one["id"] not in chain_of
    )
    said = stepwell("delete", "s.db", "--run", run[:12])
    assert (said.code, said.out) == (0, f"✓ Run {run} is deleted: 3 checkpoints.\n")
    assert left(stepwell) == chain_of
    assert stepwell("delete", "s.db", "--run", run).code == 2


def test_with_a_workflow_file_only_its_own_runs_count(stepwell, tmp_path) -> None:
    """Two workflows keep their runs in one file beside them."""
    own = finishing(tmp_path)
    other = asking(tmp_path)
    for file in (own, other):
        stepwell("run", file)
    theirs = left(stepwell, other)
    run = stepwell("timeline", other, "--json").json[0]["run_id"]
    stepwell("prune", own, "--keep", "1")
    assert (len(left(stepwell, own)), left(stepwell, other)) == (1, theirs)
    for words in (
        ["delete", own, "--run", run],
        ["prune", own, "--keep", 1, "--run", run],
        ["pin", own, theirs[0]],
    ):
        assert stepwell(*words).code == 2
    assert left(stepwell, other) == theirs


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("prune s.db", "--keep or --older-than"),
        ("prune s.db --keep 0", "--keep"),
        ("prune s.db --older-than soon", "no age and no date"),
        ("prune s.db --keep 1 --run zzz", "No run begins with"),
        ("pin s.db zzz", "No checkpoint begins with"),
        ("delete s.db", "--run"),
        ("delete s.db --run zzz", "No run begins with"),
        ("prune none.db --keep 1", "There is no file"),
        ("pin none.db latest", "There is no file"),
        ("delete none.db --run a", "There is no file"),
        ("prune memory: --keep 1", "in memory"),
    ],
)
def test_misuse_is_refused_and_changes_nothing(
    stepwell, chain_of, tmp_path, words: str, reason: str
) -> None:
    before = {path.name for path in tmp_path.iterdir()}
    said = stepwell(*words.split())
    assert said.code == 2
    assert reason in said.err
    assert left(stepwell) == chain_of
    assert {path.name for path in tmp_path.iterdir()} == before


def test_an_ambiguous_start_of_a_run_is_refused(stepwell, chain_of) -> None:
    with sqlite3.connect("s.db") as db:
        db.execute(
            "INSERT INTO run (run_id) SELECT substr(run_id, 1, 4) || 'x' FROM run"
        )
        db.execute("UPDATE checkpoint SET run = 2 WHERE sequence = 3")
    db.close()
    run = stepwell("timeline", "s.db", "--json").json[0]["run_id"]
    said = stepwell("delete", "s.db", "--run", run[:4])
    assert (said.code, "2 runs begin with" in said.err) == (2, True)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30d", 30 * 86400),
        ("12h", 12 * 3600),
        ("45m", 45 * 60),
        ("2w", 14 * 86400),
        ("0m", 0),
    ],
)
def test_an_age_is_counted_back_from_now(text: str, seconds: int) -> None:
    assert moment_of(text, 1e9) == 1e9 - seconds


def test_a_date_is_local_unless_it_says_its_zone() -> None:
    assert moment_of("2026-01-31T00:00:00+00:00", 0) == 1769817600
    assert moment_of("2026-01-31", 0) == moment_of("2026-01-31T00:00", 0)
    for text in ("30", "d", "-1d", "30 days", "2026-13-01", ""):
        with pytest.raises(CommandError, match="no age and no date"):
            moment_of(text, 0)
