"""`stepwell find` and the log of `stepwell show`: codes as grep has them, text and
JSON, and that asking changes nothing.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runtime.command_line import Stepwell, asking, finishing


@pytest.fixture
def stepwell(capsys: pytest.CaptureFixture[str]) -> Stepwell:
    return Stepwell(capsys)


@pytest.fixture(autouse=True)
def _own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


def test_hits_are_printed_with_their_place_and_the_code_is_that_of_grep(
    stepwell: Stepwell, tmp_path: Path
) -> None:
    file = finishing(tmp_path)
    stepwell("run", file)
    said = stepwell("find", file, "message start-result")
    assert said.code == 0
    assert said.out.strip().endswith("main s2  start → result: 'x!'")
    assert stepwell("find", file, "failure").code == 1
    wrong = stepwell("find", file, "message: messag > 1")
    assert wrong.code == 2
    assert "unknown name 'messag'" in wrong.err
    assert "\n           ^" in wrong.err


def test_without_a_hit_it_says_where_it_looked(
    stepwell: Stepwell, tmp_path: Path
) -> None:
    file = finishing(tmp_path)
    stepwell("run", file)
    said = stepwell("find", file, "before nobody")
    assert said.out == ""
    assert (
        said.err.strip() == "No hits in 3 checkpoints in this run; --all looks at all."
    )
    failures = stepwell("find", file, "failure", "--all").err
    assert "No hits in 3 checkpoints in all runs." in failures
    assert "has no checkpoint, so its calls are not recorded" in failures


def test_hits_are_one_json_value(stepwell: Stepwell, tmp_path: Path) -> None:
    file = asking(tmp_path)
    stepwell("run", file, "--answer", 'first:2:0="yes"')
    (hit,) = stepwell("find", file, "question first", "--json").json["hits"]
    assert (hit["kind"], hit["superstep"], hit["executor"]) == ("question", 2, "first")
    none = stepwell("find", file, "failure", "--json")
    assert (none.code, none.json["hits"], none.json["read"]) == (
        1,
        [],
        none.json["read"],
    )


def test_the_newest_run_is_asked_or_a_named_one_or_all(
    stepwell: Stepwell, tmp_path: Path
) -> None:
    file = finishing(tmp_path)
    for _ in range(2):
        stepwell("run", file)
    newest, older = _runs(stepwell, file)

    def asked(*words: str) -> list[str]:
        hits = stepwell("find", file, "output", "--json", *words).json["hits"]
        return [hit["run"] for hit in hits]

    assert asked() == [newest]
    assert asked("--run", older[:8]) == [older]
    assert asked("--all") == [older, newest]
    assert asked("--all", "--first") == [older]
    assert stepwell("find", file, "output", "--run", "zz").code == 2
    assert stepwell("find", file, "output", "--run", older, "--all").code == 2


def _runs(stepwell: Stepwell, file: Path) -> list[str]:
    headers = stepwell("timeline", file, "--json").json
    return list(dict.fromkeys(header["run_id"] for header in reversed(headers)))


def test_a_log_text_is_printed_for_each_hit_and_gaps_are_said(
    stepwell: Stepwell, tmp_path: Path
) -> None:
    file = finishing(tmp_path)
    stepwell("run", file)
    said = stepwell("find", file, "message", "--log", "{source} said {message}")
    assert said.out.strip().endswith("start said x!")
    assert stepwell("find", file, "message", "--log", "{source").code == 2
    said = stepwell("find", file, "message.score > 1")
    assert (said.code, "could not be evaluated 1 time" in said.err) == (1, True)


def test_the_log_of_a_superstep_and_of_a_run_is_shown(
    stepwell: Stepwell, tmp_path: Path
) -> None:
    file = finishing(tmp_path)
    stepwell("run", file)
    said = stepwell("show", file, "latest", "--section", "trace")
    assert "message    start → result: 'x!'" in said.out
    assert "output     result outputs 'x!'" in said.out
    rows = stepwell(
        "show", file, "latest", "--section", "trace", "--whole-run", "--json"
    ).json
    assert [row["superstep"] for row in rows if row["kind"] == "checkpoint"] == [
        0,
        1,
        2,
    ]
    (message,) = [row for row in rows if row["kind"] == "message"]
    assert message["value"] == "x!"
    assert all(row["seconds"] >= 0 for row in rows if row["kind"] == "superstep")
    assert stepwell("show", file, "latest", "--whole-run").code == 2


def test_asking_changes_no_byte_of_the_store(
    stepwell: Stepwell, tmp_path: Path
) -> None:
    file = asking(tmp_path)
    store = tmp_path / "runs.db"
    stepwell("run", file, "--store", f"sqlite:{store}")
    before = store.read_bytes()
    stepwell("find", store, "state: true")
    stepwell("show", store, "latest", "--section", "trace", "--whole-run")
    assert store.read_bytes() == before
