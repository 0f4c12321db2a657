"""A host that is killed while its run stands inside a superstep loses nothing but that
superstep.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.engine.runner import Runner
from runtime.stores import open_store
from tests.documents import build
from tests.standing_kills import CODE, MODULE, fault_of, main, workflow_file


def test_runs_killed_inside_a_superstep_come_to_the_straight_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--times", "3", "--seed", "3"]) == 0
    assert capsys.readouterr().out.startswith("3 killed inside a superstep")


async def test_another_end_is_found(tmp_path: Path) -> None:
    (tmp_path / f"{MODULE}.py").write_text(CODE)
    url = f"sqlite:{tmp_path / 'runs.db'}"
    await _begin(tmp_path, url)
    assert await fault_of(tmp_path, url, 1, []) == (
        "its last checkpoint is of superstep 0"
    )
    assert "instead of 0, different from number 1" in (
        await fault_of(tmp_path, url, 0, [])
    )


async def _begin(folder: Path, url: str) -> None:
    store = open_store(url)
    await Runner(build(workflow_file().workflow, folder=folder), store).start(1)
    await store.close()
