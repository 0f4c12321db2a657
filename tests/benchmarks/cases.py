"""What is measured, with which programs, and how much of it. A process runs one case of
one program.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.benchmarks.measure import KB, MB

OURS = "ours"
FRAMEWORK = "agent-framework"
LANGGRAPH = "langgraph async"
LANGGRAPH_PLAIN = "langgraph sync"
BURR = "burr async"
LANGGRAPHS = (LANGGRAPH, LANGGRAPH_PLAIN)


@dataclass(frozen=True, slots=True)
class Program:
    """Where a program runs: `environment` is the folder below that of the peers, none
    for us; `packages` are told with their versions.
    """

    module: str
    arguments: tuple[str, ...] = ()
    environment: str = ""
    packages: tuple[str, ...] = ()


PROGRAMS = {
    OURS: Program("supersteps", ("ours",), packages=("stepwell",)),
    FRAMEWORK: Program("supersteps", (FRAMEWORK,), "af", ("agent-framework-core",)),
    LANGGRAPH: Program("peer_langgraph", ("async",), "af", ("langgraph",)),
    LANGGRAPH_PLAIN: Program(
        "peer_langgraph", ("plain",), "af", ("langgraph", "langgraph-checkpoint-sqlite")
    ),
    BURR: Program("peer_burr", (), "burr", ("apache-burr",)),
}


@dataclass(frozen=True, slots=True)
class Case:
    """`workload` with `parameters`, in the short mode with those of `short` over them.
    `module` is ours, where it is not `supersteps`.
    """

    workload: str
    parameters: Mapping[str, Any]
    short: Mapping[str, Any] = field(default_factory=dict)
    peers: tuple[str, ...] = ()
    module: str = ""


CASES = {
    "w1": Case("chain", {"n": 100, "reps": 20}, {"reps": 5}, (FRAMEWORK, BURR)),
    "w2": Case("loop", {"n": 2000}, {"n": 1000}, (FRAMEWORK, BURR)),
    "w3": Case("fan", {"n": 100, "rounds": 20}, {"rounds": 5}, (FRAMEWORK,)),
    "w4-100": Case("wide", {"n": 100, "reps": 50}, {"reps": 10}, (FRAMEWORK,)),
    "w4-1000": Case("wide", {"n": 1000, "reps": 5}, {"reps": 1}, (FRAMEWORK,)),
    "w4-5000": Case("wide", {"n": 5000, "reps": 2}, {"reps": 1}, (FRAMEWORK,)),
    "w5": Case("memory", {"n": 1000, "state": 100 * KB}, {"n": 300}, LANGGRAPHS),
    "w5-memory": Case("memory", {"n": 500, "state": MB}, {}, ()),
    "w6": Case("sqlite", {"n": 500, "state": 100 * KB}, {}, LANGGRAPHS),
    "w6k": Case(
        "sqlite", {"n": 200, "state": 100 * KB, "one_key": True}, {}, LANGGRAPHS
    ),
    "w6-postgres": Case("postgres", {"n": 300, "state": 100 * KB}),
    "flat-1kb": Case("flat", {"n": 1000, "state": KB}, {"n": 300}),
    "flat-100mb": Case(
        "flat", {"n": 1000, "state": 100 * MB}, {"n": 300, "state": 10 * MB}
    ),
    "payload-100kb": Case(
        "carried", {"n": 50, "payload": 100 * KB}, {"n": 20}, (FRAMEWORK,)
    ),
    "payload-saved": Case("carried", {"n": 50, "payload": 100 * KB, "saved": True}),
    "payload-1mb": Case("carried", {"n": 10, "payload": MB}, {"n": 4}, (FRAMEWORK,)),
    "threads": Case("plain", {"n": 1000}, {"n": 300}),
    "waits-sync": Case("waiting", {"n": 200, "durability": "sync"}, {"n": 100}),
    "waits-pipelined": Case(
        "waiting", {"n": 200, "durability": "pipelined"}, {"n": 100}
    ),
    "w7": Case(
        "few",
        {"n": 1000, "state": 10 * KB, "reps": 20},
        {},
        (LANGGRAPH_PLAIN,),
        "listing",
    ),
    "w7-100000": Case("many", {"n": 100_000, "reps": 20}, {"n": 10_000}, (), "listing"),
    "w7-dir": Case(
        "many", {"n": 2_000, "reps": 20, "kind": "dir"}, {"n": 500}, (), "listing"
    ),
    "attached": Case("attached", {"n": 20_000}, {"n": 5_000}, (), "attached"),
    "breakpoints": Case(
        "attached",
        {"n": 20_000, "breakpoints": 10},
        {"n": 5_000, "breakpoints": 10},
        (),
        "attached",
    ),
    "detached": Case("detached", {"n": 20_000}, {"n": 5_000}, (), "attached"),
    "w8": Case("import", {"reps": 7}, {"reps": 3}, (FRAMEWORK, LANGGRAPH)),
    "w8-lazy": Case("lazy", {"reps": 7}, {"reps": 3}),
    "w8-help": Case("help", {"reps": 7}, {"reps": 3}),
}
# What a fresh interpreter does for the cases of start-up.
STATEMENTS = {
    ("import", OURS): "from runtime import Executor, WorkflowBuilder",
    ("import", FRAMEWORK): "from agent_framework import Executor, WorkflowBuilder",
    ("import", LANGGRAPH): "from langgraph.graph import StateGraph",
    ("lazy", OURS): "import runtime",
    (
        "help",
        OURS,
    ): "import sys; sys.argv[1:] = ['--help']; from designer.cli.commands import main; main()",
}
