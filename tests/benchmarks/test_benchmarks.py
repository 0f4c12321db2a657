"""What the table says is right: who is the best peer, what is met, how many commits a
log holds; and it can be made.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.benchmarks.cases import CASES
from tests.benchmarks.measure import commits, make_state
from tests.benchmarks.targets import TARGETS, Target, judge

ROOT = Path(__file__).parents[2]


def case(**rates: float) -> dict[str, dict[str, dict[str, float]]]:
    return {
        "w": {
            program: {"rate": rate, "cpu_ms": 1 / rate}
            for program, rate in rates.items()
        }
    }


def test_ours_is_compared_with_the_best_of_the_peers() -> None:
    rate = judge(
        Target("", "", "w", "rate", "", least=10, peers=("slow", "fast")),
        case(ours=100, slow=1, fast=20),
    )
    assert (rate.whose, rate.ratio, rate.met) == ("fast", 5, False)
    cost = judge(
        Target("", "", "w", "cpu_ms", "", most=0.2, peers=("slow", "fast")),
        case(ours=100, slow=1, fast=20),
    )
    assert (cost.whose, cost.met) == ("fast", True)


def test_a_ratio_without_a_peer_is_neither_met_nor_missed() -> None:
    found = judge(
        Target("", "", "w", "rate", "", least=10, peers=("fast",)), case(ours=100)
    )
    assert (found.ours, found.ratio, found.met) == (100, None, None)


def test_a_number_without_peers_is_compared_with_the_bound_itself() -> None:
    assert judge(Target("", "", "w", "rate", "", most=100), case(ours=100)).met
    assert not judge(Target("", "", "w", "rate", "", most=99), case(ours=100)).met


def test_each_target_names_cases_and_peers_that_are_measured() -> None:
    for target in TARGETS:
        assert set(target.peers) <= set(CASES[target.case].peers), target
        assert not target.base or target.base in CASES, target


def test_commits_are_counted_also_when_one_writes_many_pages(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "x.db", isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE t (data BLOB)")
        before = commits(tmp_path / "x.db")
        for size in (10, 100_000, 10):
            db.execute("INSERT INTO t VALUES (?)", (bytes(size),))
        assert commits(tmp_path / "x.db") - before == 3


def test_the_state_is_as_large_as_asked() -> None:
    size = len(json.dumps(make_state(100_000), separators=(",", ":")))
    assert size == pytest.approx(100_000, rel=0.01)


@pytest.mark.parametrize(
    ("workload", "parameters"),
    [
        ("loop", {"n": 20}),
        ("fan", {"n": 3, "rounds": 2}),
        ("sqlite", {"n": 5, "state": 9}),
    ],
)
def test_a_workload_runs_and_tells_its_numbers(
    workload: str, parameters: dict[str, int]
) -> None:
    command = [
        sys.executable,
        "-m",
        "tests.benchmarks.supersteps",
        "ours",
        workload,
        json.dumps(parameters),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["rate"] > 0


def test_places_are_read_from_what_dot_writes() -> None:
    from tests.benchmarks.window_layout import places_of_plain

    text = "graph 1 4 2\nnode n0 1.5 1 2.3 0.8 n0 solid box black lightgrey\nedge n0 n1 4 0 0 1 1 solid black\nstop\n"
    assert places_of_plain(text) == {"n0": (108 - 84, -72 - 30)}
