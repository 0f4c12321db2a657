"""The command of the big campaign: its table, and how a failure is told."""

from __future__ import annotations

import json

import pytest

from tests.faults.__main__ import main
from tests.faults.campaigns import FAULTS, Fault, Runs, Setting


def test_it_counts_cases_and_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(
            [
                "--cases",
                "2",
                "--store",
                "memory",
                "--only",
                "workflows",
                "--jobs",
                "1",
                "--json",
            ]
        )
        == 0
    )
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["fault"], row["store"], row["cases"], row["failures"]) == (
        "workflows",
        "memory",
        2,
        [],
    )
    assert row["runs"]["cut, fresh instance"] == 4


def test_a_failure_is_told_with_its_seed_and_how_to_see_it_again(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def breaks(here: Setting, _every: int) -> Runs:
        assert here.seed != 4, "of the third case"
        return Runs(fine=1)

    monkeypatch.setitem(FAULTS, "odd", Fault("an odd fault", breaks, in_memory=1000))
    assert (
        main(
            [
                "--cases",
                "3",
                "--seed",
                "2",
                "--store",
                "memory",
                "--only",
                "odd",
                "--jobs",
                "1",
            ]
        )
        == 1
    )
    told = capsys.readouterr().out
    assert "of the third case" in told
    assert "python -m tests.faults --only odd --store memory --seed 4 --cases 1" in told
    assert "1 failures" in told


def test_an_unknown_store_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--store", "tape"])
    assert "no such store: tape" in capsys.readouterr().err
