"""The times of a run are those of its handlers, live and when it is opened again."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from runtime.debug.protocol import BoardTimesBody
from tests.runtime.debug.talking import Talk, direct, document, node, talking

COUNT = 10
QUICK = """
import time

def quick(message: int) -> int:
    time.sleep(0.001)
    return message
"""


def chain() -> dict[str, Any]:
    nodes = [node(f"n{number}", "quick") for number in range(COUNT)]
    edges = [direct(f"n{number}", f"n{number + 1}") for number in range(COUNT - 1)]
    return document(nodes, edges)


async def times_at_the_end(talk: Talk) -> tuple[BoardTimesBody, list[float]]:
    """The sums of the board, and the seconds of each handler."""
    headers = (await talk.body("timeline")).headers
    end = headers[-1].id
    times = await talk.body("board_times", checkpoint_id=end)
    ids = [header.id for header in headers]
    columns = (await talk.body("board", checkpoints=ids)).columns
    seconds = [cell.seconds for column in columns for cell in column.cells]
    return times, seconds


async def test_case_197_quick_handlers_take_what_they_took_live_and_opened_again(
    tmp_path: Path,
) -> None:
    store = f"sqlite:{tmp_path / 'runs.db'}"
    async with talking(tmp_path) as talk:
        (talk.folder / "steps.py").write_text(QUICK)
        await talk.open(chain(), store)
        began = time.perf_counter()
        await talk.body("start")
        await talk.until("stopped")
        elapsed = time.perf_counter() - began
        live, live_seconds = await times_at_the_end(talk)
    assert len(live_seconds) == COUNT
    # Not one of them is rounded up to a second: together they fit into the whole.
    assert COUNT * 0.001 <= live.critical < elapsed
    async with talking(tmp_path) as talk:
        await talk.open(None, store)
        again, seconds_again = await times_at_the_end(talk)
    assert seconds_again == live_seconds
    assert again.critical == live.critical
