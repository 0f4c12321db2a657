"""What `test_made_up_header_field` runs in a process where a header has the further
field `cost`.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import sys
from dataclasses import replace

from runtime.checkpoint import CheckpointHeader
from runtime.checkpoints.archive import Archive
from runtime.debug.protocol import TimelineBody
from runtime.stores import open_store
from runtime.stores.sqlite import schema
from runtime.testing.conformance import check_whole, opened, save


def costs(headers: list[CheckpointHeader]) -> list[float]:
    return [header.cost for header in headers]  # type: ignore[attr-defined]


async def keep(url: str) -> None:
    async with opened(lambda: open_store(url)) as store:
        await save(store, "free")
        saved = await save(store, "dear", cost=1.5)
        assert costs([saved]) == [1.5]
        assert costs(await store.headers()) == [0.0, 1.5]
        assert (await store.load("dear")).header == saved
        annotated = await store.annotate("dear", note="dear")
        assert annotated == replace(saved, note="dear")
        assert [run.latest for run in await store.runs()] == [annotated]
    if url == "memory:":
        return
    async with opened(lambda: open_store(url, read_only=True)) as store:
        assert costs(await check_whole(store)) == [0.0, 1.5]


async def lift(url: str) -> None:
    """A store of before has the default in its records; who reads only sees what
    another one adds meanwhile.
    """
    async with opened(lambda: open_store(url, read_only=True)) as reading:
        before = await check_whole(reading)
        assert costs(before) == [0.0] * len(before)
        async with opened(lambda: open_store(url)) as store:
            await save(store, "dear", run_id="another", cost=1.5)
            assert costs(await check_whole(store)) == [*costs(before), 1.5]
        after = await check_whole(reading)
        assert after[:-1] == before
        assert costs(after[-1:]) == [1.5]
    assert schema.FORMAT == 4


async def show(url: str) -> None:
    async with opened(lambda: open_store(url)) as store:
        header = await save(store, "dear", {"k": b"1"}, cost=1.5)
        assert costs([(await Archive(store).view("dear")).header]) == [1.5]
    sent = TimelineBody(headers=(header,)).model_dump_json()
    assert TimelineBody.model_validate_json(sent).headers == (header,)


def show_for_people(url: str) -> None:
    from designer.cli.commands import main

    with contextlib.redirect_stdout(io.StringIO()) as printed:
        assert main(["show", url, "dear"]) == 0
    assert "cost: 1.5" in printed.getvalue()


def show_in_the_window(url: str) -> None:
    from PySide6.QtWidgets import QApplication

    from designer.look.theme import Look
    from designer.panels.timeline.details import TimelineDetails
    from tests.designer.fake_session import FakeSession
    from tests.designer.fakes import header

    application = QApplication([])
    session = FakeSession()
    session.timeline.append([header(1, cost=1.5)])
    session.timeline.flush()
    details = TimelineDetails(session, Look(parent=application))
    details.show_checkpoint("c1")
    assert details.values["Cost"].text() == "1.5"


if __name__ == "__main__":
    what, *urls = sys.argv[1:]
    for url in urls:
        asyncio.run({"keep": keep, "lift": lift, "show": show}[what](url))
        if what == "show":
            show_for_people(url)
            show_in_the_window(url)
