"""A window that is killed at any moment leaves whole files, and no edit that it had
kept is lost.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from designer.document.backups import keep
from designer.model import files
from tests.kills import faults, numbered

ROOT = Path(__file__).resolve().parents[2]


def test_case_147_a_window_killed_while_editing_and_saving_loses_nothing() -> None:
    command = [sys.executable, "-m", "tests.kills", "--times", "12", "--seed", "7"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("12 killed")


def test_what_is_lost_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    file = tmp_path / "flow.stepwell.json"
    files.save(file, numbered(3))
    assert faults(tmp_path, ["edit 3\n", "save 3\n"]) == []
    assert faults(tmp_path, ["edit 3\n", "save 3\n", "edit 4\n"]) == [
        "edit 4 was kept, and only 3 is there"
    ]
    keep(tmp_path / "data", file, files.dumps(numbered(4)).encode(), "discarded")
    assert faults(tmp_path, ["edit 3\n", "save 3\n", "edit 4\n"], later=True) == []
    assert (
        faults(tmp_path, ["edit 6\n", "save 6\n"])[0]
        == "6 was saved, and the file has 3"
    )
    file.write_bytes(file.read_bytes()[:-50])
    assert "not whole" in faults(tmp_path, [])[0]
