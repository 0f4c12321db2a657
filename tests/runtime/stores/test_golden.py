"""Stores that were written in an earlier format open and read equal, in this version
and in all that follow.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from runtime.checkpoints.archive import Archive
from runtime.errors import CheckpointStoreError
from runtime.stores import open_store, prune
from runtime.testing.conformance import check_whole, ids, opened, save
from tests.runtime.stores.golden.make import AWKWARD, STATES, fill, told

GOLDEN = Path(__file__).parent / "golden"
FORMATS = [1, 2, 3]  # of records, all there ever were; the last is the present one
# Of the stores around them. Each field that headers got later is a step of SQLite's.
STORE_FORMATS = {"sqlite": 3, "dir": 1}
URLS = {"sqlite": "sqlite:{}/runs.db", "dir": "dir:{}/runs"}


@pytest.fixture(params=FORMATS)
def folder(request: pytest.FixtureRequest) -> Path:
    return GOLDEN / f"format{request.param}"


@pytest.fixture(params=URLS)
def url(request: pytest.FixtureRequest, folder: Path, tmp_path: Path) -> str:
    """A copy that may be written to."""
    shutil.copytree(folder, tmp_path / "copy")
    return URLS[request.param].format(tmp_path / "copy")


def everything(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def expected(folder: Path) -> object:
    """What a folder holds; fields that headers got after it have their defaults."""
    content = json.loads((folder / "expected.json").read_text())
    for header in content["headers"]:
        header.setdefault("changed", "")
        header.setdefault("edited", "")
    return content


@pytest.mark.parametrize("kind", URLS)
async def test_case_122_an_earlier_format_is_read_equal_and_not_changed_by_it(
    folder: Path, kind: str
) -> None:
    before = everything(folder)
    async with opened(
        lambda: open_store(URLS[kind].format(folder), read_only=True)
    ) as store:
        assert json.loads(json.dumps(await told(store))) == expected(folder)
        archive = Archive(store)
        listed = await store.headers(run_id="golden run")
        assert [header.branch for header in listed] == [
            "main",
            "main",
            "fork 1",
            "main",
        ]
        for header, state in zip(
            listed, (STATES[0], STATES[1], STATES[1], STATES[2]), strict=True
        ):
            checkpoint = await archive.load(header.id)
            assert checkpoint.state == state
            assert checkpoint.trace.outputs[0].data == f"out {state.superstep}"
            assert checkpoint.definition is not None
    assert everything(folder) == before


async def test_case_122_an_earlier_format_is_migrated_by_who_writes(
    folder: Path, url: str
) -> None:
    async with opened(lambda: open_store(url)) as store:
        assert json.loads(json.dumps(await told(store))) == expected(folder)
        highest = (await store.headers())[-1].sequence
        (head,) = (await ids(store, run_id=AWKWARD))[-1:]
        assert (
            await save(store, "next", run_id=AWKWARD, branch=AWKWARD)
        ).parent == head
        assert (await store.headers())[-1].sequence > highest
        await prune(store, keep=1)
        # all but one are tagged, and that is the head
        assert len(await ids(store, run_id=AWKWARD)) == 5
    async with opened(lambda: open_store(url)) as store:
        await check_whole(store)
        for run in await store.runs():
            await store.delete_run(run.run_id)


@pytest.mark.parametrize("kind", URLS)
async def test_the_present_format_is_the_last_golden_one(
    tmp_path: Path, kind: str
) -> None:
    """What is written now holds the same as what was written then, and says the same
    format.
    """
    async with opened(lambda: open_store(URLS[kind].format(tmp_path))) as store:
        await fill(store)
        assert json.loads(json.dumps(await told(store))) == expected(
            GOLDEN / f"format{FORMATS[-1]}"
        )
    if kind == "dir":
        mark = json.loads((tmp_path / "runs" / "stepwell-store.json").read_text())
        assert mark["format"] == STORE_FORMATS[kind]
    else:
        with sqlite3.connect(tmp_path / "runs.db") as db:
            assert db.execute("PRAGMA user_version").fetchone() == (
                STORE_FORMATS[kind],
            )
        db.close()


def test_case_122_a_newer_format_is_refused_by_number_and_stays_byte_for_byte(
    url: str, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    with sqlite3.connect(copy / "runs.db") as db:
        db.execute("PRAGMA user_version = 999")
    db.close()
    mark = copy / "runs" / "stepwell-store.json"
    mark.write_text(json.dumps({**json.loads(mark.read_text()), "format": 999}))
    os.utime(mark, ns=(1, 1))
    before = everything(copy)
    for read_only in (False, True):
        with pytest.raises(
            CheckpointStoreError, match=r"has format 999.*formats up to \d+.*untouched"
        ):
            open_store(url, read_only)
    assert everything(copy) == before
