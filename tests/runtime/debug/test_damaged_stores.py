"""Every question has an answer and changes no byte of its store. So it is in a damaged
one, also where its parents lead round in a circle or a part of a sub-workflow has no
proper name.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from runtime.checkpoint import Cause, CheckpointHeader, Part, Record, digest_of
from runtime.stores import open_store
from tests.runtime.debug.talking import Talk, asking, loop, lost_join, talking


def questions(checkpoint_id: str, first: str) -> list[tuple[str, dict[str, Any]]]:
    """What asks about a checkpoint and the way to it."""
    at = {"checkpoint_id": checkpoint_id}
    return [
        ("inspect", at),
        ("superstep", at),
        ("node", {**at, "node": "a"}),
        ("log", at),
        ("log", {"checkpoints": [checkpoint_id]}),
        ("counts", {"checkpoints": [checkpoint_id]}),
        ("outputs", at),
        ("board", {"checkpoints": [checkpoint_id]}),
        ("board_times", at),
        ("sizes", {"checkpoints": [checkpoint_id]}),
        ("export", {"checkpoints": [checkpoint_id]}),
        ("provenance", {**at, "address": "queue:0"}),
        ("provenance", {**at, "address": "output:0"}),
        ("reverse", {"id": "r", **at, "questions": ["message: message == 99"]}),
        ("edge", {**at, "edge": "in"}),
        ("diff", {"base": first, **at}),
        ("divergence", {"base": first, **at}),
        ("graph_changes", {"document": loop(3), **at}),
        ("change_plan", at),
    ]


async def ask_everything(talk: Talk) -> None:
    headers = (await talk.body("timeline")).headers
    for header in headers:
        for command, arguments in questions(header.id, headers[0].id):
            reply = await talk.ask(command, **arguments)
            names = ("CheckpointDamagedError", "LookupError", "DefinitionError")
            assert reply.success or reply.error_type in names, (command, reply)


@pytest.mark.parametrize("workflow", [loop(4), asking()])
@pytest.mark.parametrize(("place", "parent"), [(2, 4), (3, 3)])
async def test_a_way_ends_where_parents_lead_round_in_a_circle(
    tmp_path: Path, workflow: dict[str, Any], place: int, parent: int
) -> None:
    store = f"sqlite:{tmp_path}/runs.db"
    async with talking(tmp_path) as talk:
        await talk.open(workflow, store)
        await talk.body("start")
        await talk.until("stopped")
    with closing(sqlite3.connect(tmp_path / "runs.db")) as db, db:
        rows = dict(db.execute("SELECT sequence, id FROM checkpoint").fetchall())
        db.execute(
            "UPDATE checkpoint SET parent = ? WHERE sequence = ?",
            (rows.get(parent, rows[place]), place),
        )
    async with talking(tmp_path) as talk:
        await talk.open(None, store)
        await ask_everything(talk)


@pytest.mark.parametrize("name", ["no JSON", "[]", '["sub#1"]', "5", '["a",1,"b"]'])
async def test_a_part_with_a_wrong_name_is_damaged_for_every_question(
    tmp_path: Path, name: str
) -> None:
    store = f"sqlite:{tmp_path}/runs.db"
    planted = open_store(store)
    header = CheckpointHeader("c", "run", "flow", 1, Cause.SUPERSTEP)
    digest = digest_of(b"1")
    await planted.save(Record(header, (Part("child", name, digest),)), {digest: b"1"})
    await planted.close()
    async with talking(tmp_path) as talk:
        await talk.open(None, store)
        await ask_everything(talk)


@pytest.mark.parametrize("kind", ["sqlite", "dir"])
async def test_no_question_changes_a_byte_of_the_store(
    tmp_path: Path, kind: str
) -> None:
    place = tmp_path / "runs"
    async with talking(tmp_path) as talk:
        await talk.open(lost_join(), f"{kind}:{place}")
        await talk.body("start")
        await talk.until("stopped")
    before = bytes_in(tmp_path)
    assert before
    async with talking(tmp_path) as talk:
        await talk.open(loop(3), f"{kind}:{place}")
        await ask_everything(talk)
        for number, question in enumerate(
            ["message", "before a", "state: superstep > 0"]
        ):
            await talk.body("find", id=str(number), question=question)
            while not (await talk.until("found")).done:
                pass
    assert bytes_in(tmp_path) == before


def bytes_in(folder: Path) -> dict[str, bytes]:
    """The files of stores."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {
        str(path): path.read_bytes()
        for path in files
        if path.relative_to(folder).parts[0].startswith("runs")
    }
