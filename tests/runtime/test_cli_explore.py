"""`stepwell explore`: codes, text and JSON, and that the store stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runtime.command_line import (
    OUTPUT,
    Stepwell,
    edge,
    finishing,
    function,
    template,
    write,
)

RACE = """
seen = []


def note_left(message: str) -> str:
    seen.append("left")
    return ",".join(seen)


def note_right(message: str) -> str:
    seen.append("right")
    return ",".join(seen)
"""


@pytest.fixture
def stepwell(capsys: pytest.CaptureFixture[str]) -> Stepwell:
    return Stepwell(capsys)


@pytest.fixture(autouse=True)
def _own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


def racing(folder: Path) -> Path:
    """Two functions that append to one list of their module."""
    nodes = [
        template("start"),
        function("left", "note_left"),
        function("right", "note_right"),
        {"id": "meet", "type": "collect"},
        OUTPUT,
    ]
    edges = [
        {
            "id": "out",
            "kind": "fan_out",
            "source": "start",
            "targets": ["left", "right"],
        },
        {"id": "in", "kind": "fan_in", "sources": ["left", "right"], "target": "meet"},
        edge("meet", "result"),
    ]
    path = write(folder, "racing", nodes, edges)
    (folder / "code_of_test.py").write_text(RACE)
    return path


def test_a_workflow_without_races_has_one_outcome_and_the_code_0(
    stepwell: Stepwell, tmp_path: Path
) -> None:
    file = finishing(tmp_path)
    stepwell("run", file)
    said = stepwell("explore", file)
    assert said.code == 0
    assert "superstep 1 after " in said.out
    assert "2 supersteps explored: each has one outcome" in said.out


def test_a_race_in_a_module_is_shown_with_its_two_orders_and_the_code_1(
    stepwell: Stepwell, tmp_path: Path
) -> None:
    store = tmp_path / "runs.db"
    stepwell("run", racing(tmp_path), "--store", store)
    before = store.read_bytes()
    said = stepwell("explore", store, "--superstep", "2")
    assert said.code == 1
    assert store.read_bytes() == before
    assert "2 outcomes" in said.out
    assert "in the fixed order" in said.out
    assert "right before left" in said.out
    assert "Not repeatable in one process" in said.out
    lanes = [line.split() for line in said.out.splitlines() if "█" in line]
    assert lanes == [["left", "██"], ["right", "██"], ["left", "██"], ["right", "██"]]


def test_json_has_the_outcomes_with_their_orders_and_differences(
    stepwell: Stepwell, tmp_path: Path
) -> None:
    file = racing(tmp_path)
    stepwell("run", file)
    value = stepwell("explore", file, "--superstep", "2", "--json").json
    assert value["exit_code"] == 1
    (superstep,) = value["supersteps"]
    assert superstep["superstep"] == 2
    assert superstep["complete"]
    first, second = superstep["outcomes"]
    assert [turn["call"] for turn in second["order"]] == [1, 0]
    assert second["lanes"][0] == {"call": 0, "work": [[1, 2]], "end": "ended"}
    assert {change["section"] for change in second["changes"]} == {"messages"}
    assert first["changes"] == []
    kinds = [finding["kind"] for finding in superstep["findings"]]
    assert kinds == ["kept outside", "orders"]


def test_failures_are_left_out_on_request(stepwell: Stepwell, tmp_path: Path) -> None:
    file = finishing(tmp_path)
    stepwell("run", file)
    value = stepwell("explore", file, "--no-failures", "--json").json
    assert [each["disturbed"] for each in value["supersteps"]] == [0, 0]
    for superstep in value["supersteps"]:
        (outcome,) = superstep["outcomes"]
        assert outcome["recorded"]


def test_what_cannot_be_explored_is_said_before_any_code_runs(
    stepwell: Stepwell, tmp_path: Path
) -> None:
    file = finishing(tmp_path)
    stepwell("run", file)
    said = stepwell("explore", file, "latest")
    assert said.code == 2
    assert "nothing is queued there" in said.err
    assert stepwell("explore", file, "--superstep", "9").code == 2
    assert stepwell("explore", file, "latest", "--superstep", "1").code == 2


def test_what_reaches_outside_has_its_recorded_result_unless_it_is_live(
    stepwell: Stepwell, tmp_path: Path
) -> None:
    path = tmp_path / "out.txt"
    writing = {"id": "keep", "type": "write_file", "params": {"path": "out.txt"}}
    file = write(
        tmp_path, "writing", [template("start"), writing], [edge("start", "keep")]
    )
    stepwell("run", file)
    path.unlink()
    said = stepwell("explore", file, "--superstep", "2")
    assert said.code == 0
    assert "Results of the record were used for 1 call" in said.out
    assert not path.exists()
    assert stepwell("explore", file, "--superstep", "2", "--live").code in (0, 1)
    assert path.exists()


def test_a_superstep_that_was_never_run_and_reaches_outside_is_left_out(
    stepwell: Stepwell, tmp_path: Path
) -> None:
    writing = {"id": "keep", "type": "write_file", "params": {"path": "out.txt"}}
    file = write(
        tmp_path, "writing", [template("start"), writing], [edge("start", "keep")]
    )
    stepwell("run", file, "--max-supersteps", "1")
    said = stepwell("explore", file, "latest")
    assert said.code == 1
    assert "keep: write file out.txt" in said.out
    assert not (tmp_path / "out.txt").exists()
