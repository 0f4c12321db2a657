"""The targets: each is a number of a case, as a ratio to the best of some peers, to
another case of ours, or by itself.

`row` is the row of the project's performance targets that it stands in. Where no bound
is given, the number is only told. Ratios are of CPU time, of medians of one run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tests.benchmarks.cases import (
    BURR,
    FRAMEWORK,
    LANGGRAPH,
    LANGGRAPH_PLAIN,
    LANGGRAPHS,
    OURS,
)

# case -> program -> number -> its median
Medians = Mapping[str, Mapping[str, Mapping[str, float]]]


@dataclass(frozen=True, slots=True)
class Target:
    """`least` and `most` bound the ratio if there are `peers` or a `base` (one of our
    own cases), else the number.
    """

    row: str
    title: str
    case: str
    number: str
    unit: str
    least: float | None = None
    most: float | None = None
    peers: tuple[str, ...] = ()
    base: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A target with what was measured; None for what was not, or does not apply."""

    target: Target
    theirs: float | None
    whose: str
    ours: float | None
    ratio: float | None
    met: bool | None


_W12 = "W1 chain of 100, W2 loop of 2,000: supersteps/s"
_W3 = "W3 fan-out 100 → fan-in, 20 rounds: messages/s"
_W4 = "W4 one superstep, 100 / 1,000 / 5,000 wide: deliveries/s"
_W5 = "W5 checkpoint in memory each superstep, 100 KB of state, one small key changes"
_W6 = "W6 the same on SQLite, one fsync per superstep"
_W6K = "W6k the same with the whole 100 KB under one key"
_FLAT = "flatness: checkpoint cost with 1 KB vs 100 MB of untouched state"
_W7 = "W7 1,000 checkpoints: list for a timeline / latest / one by id, ms"
_W8 = "W8 import over bare Python"
_DEBUG = "debugger attached, no breakpoint"
_F = (FRAMEWORK,)
_B = (BURR,)

TARGETS = (
    Target(_W12, "W1 chain of 100", "w1", "rate", "supersteps/s", least=10, peers=_F),
    Target(_W12, "W1 chain of 100", "w1", "rate", "supersteps/s", least=2, peers=_B),
    Target(_W12, "W2 loop", "w2", "rate", "supersteps/s", least=10, peers=_F),
    Target(_W12, "W2 loop", "w2", "rate", "supersteps/s", least=2, peers=_B),
    Target(
        _W3, "W3 fan-out 100, fan-in", "w3", "rate", "messages/s", least=8, peers=_F
    ),
    Target(_W4, "W4 100 wide", "w4-100", "rate", "deliveries/s", least=5, peers=_F),
    Target(_W4, "W4 1,000 wide", "w4-1000", "rate", "deliveries/s", least=5, peers=_F),
    Target(_W4, "W4 5,000 wide", "w4-5000", "rate", "deliveries/s", least=5, peers=_F),
    Target(
        _W4,
        "W4 5,000 wide, to 100 wide",
        "w4-5000",
        "rate",
        "deliveries/s",
        least=0.8,
        base="w4-100",
    ),
    # Linear, with some room for what a larger heap costs by itself; quadratic would be
    # five.
    Target(
        _W4,
        "W4 building 5,000, to 1,000",
        "w4-5000",
        "build_us",
        "µs/executor",
        most=1.5,
        base="w4-1000",
    ),
    Target(
        _W5,
        "W5 memory, 100 KB",
        "w5",
        "rate",
        "checkpoints/s",
        least=12,
        peers=LANGGRAPHS,
    ),
    Target(_W5, "W5 memory, 500 × 1 MB grow", "w5-memory", "growth_mb", "MB", most=15),
    Target(
        _W6,
        "W6 SQLite, 100 KB",
        "w6",
        "cpu_ms",
        "ms/checkpoint",
        most=1 / 6,
        peers=LANGGRAPHS,
    ),
    Target(_W6, "W6 on disk", "w6", "disk_kb", "KB/checkpoint", most=1),
    Target(_W6, "W6 commits", "w6", "commits", "/superstep", most=1),
    Target(
        _W6K,
        "W6k SQLite, one key",
        "w6k",
        "cpu_ms",
        "ms/checkpoint",
        most=1 / 2,
        peers=LANGGRAPHS,
    ),
    Target(_W6K, "W6k on disk", "w6k", "disk_kb", "KB/checkpoint", most=8),
    Target("", "W6 PostgreSQL, 100 KB", "w6-postgres", "cpu_ms", "ms/checkpoint"),
    Target(
        _FLAT,
        "flatness, 100 MB to 1 KB",
        "flat-100mb",
        "cpu_ms",
        "ms/checkpoint",
        most=1.5,
        base="flat-1kb",
    ),
    Target(
        "", "message of 100 KB", "payload-100kb", "cpu_ms", "ms/superstep", peers=_F
    ),
    Target("", "message of 100 KB, saved", "payload-saved", "cpu_ms", "ms/superstep"),
    Target("", "message of 1 MB", "payload-1mb", "cpu_ms", "ms/superstep", peers=_F),
    Target("", "loop of plain functions", "threads", "cpu_ms", "ms/superstep"),
    Target(
        "",
        "pipelined saves, handlers wait 1 ms",
        "waits-pipelined",
        "wall_ms",
        "ms/superstep",
        base="waits-sync",
    ),
    Target(_W7, "W7 list 1,000", "w7", "list_ms", "ms", most=5),
    Target(_W7, "W7 latest of 1,000", "w7", "latest_ms", "ms", most=0.5),
    Target(_W7, "W7 one by id", "w7", "one_ms", "ms", most=1),
    Target(
        "", "W7 list 1,000, to theirs", "w7", "list_ms", "ms", peers=(LANGGRAPH_PLAIN,)
    ),
    Target(
        "", "W7 latest, to theirs", "w7", "latest_ms", "ms", peers=(LANGGRAPH_PLAIN,)
    ),
    Target(_W7, "W7 first page of 100,000", "w7-100000", "first_ms", "ms", most=10),
    Target("", "W7 page from the middle", "w7-100000", "middle_ms", "ms"),
    Target("", "W7 latest of 100,000", "w7-100000", "latest_ms", "ms"),
    Target("", "W7 list all 100,000", "w7-100000", "list_ms", "ms"),
    Target("", "W7 folder, list all 2,000", "w7-dir", "list_ms", "ms"),
    Target(
        _DEBUG,
        "debugger attached, to detached",
        "attached",
        "rate",
        "supersteps/s",
        least=0.5,
        base="detached",
    ),
    Target(
        _DEBUG,
        "ten conditional breakpoints, to none",
        "breakpoints",
        "rate",
        "supersteps/s",
        least=0.5,
        base="attached",
    ),
    Target("", "debugger: host grows", "attached", "growth_mb", "MB"),
    Target(
        _W8, "W8 import over bare Python", "w8", "cpu_ms", "ms", most=1 / 2, peers=_F
    ),
    Target("", "W8 import, to langgraph", "w8", "cpu_ms", "ms", peers=(LANGGRAPH,)),
    Target("", "import runtime alone", "w8-lazy", "cpu_ms", "ms"),
    Target("", "stepwell --help over bare Python", "w8-help", "cpu_ms", "ms"),
)


def judge(target: Target, medians: Medians) -> Finding:
    """What was measured against a target."""
    case = medians.get(target.case, {})
    ours = case.get(OURS, {}).get(target.number)
    measured = {
        peer: case[peer][target.number]
        for peer in target.peers
        if target.number in case.get(peer, {})
    }
    if target.base:
        base = medians.get(target.base, {}).get(OURS, {})
        measured = {target.base: base[target.number]} if target.number in base else {}
    # The best of the peers is the one that is hardest to beat; a rate is better the
    # higher it is.
    whose = (max if target.number == "rate" else min)(
        measured, key=measured.__getitem__, default=""
    )
    theirs = measured.get(whose)
    ratio = None if ours is None or not theirs else ours / theirs
    judged = ratio if target.peers or target.base else ours
    return Finding(target, theirs, whose, ours, ratio, _is_met(target, judged))


def _is_met(target: Target, judged: float | None) -> bool | None:
    if judged is None or (target.least is None and target.most is None):
        return None
    return (target.least is None or judged >= target.least) and (
        target.most is None or judged <= target.most
    )
