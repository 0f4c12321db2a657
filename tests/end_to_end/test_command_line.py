"""The command line as real processes: the main job, Ctrl+C, and a kill at any moment.

`STEPWELL_KILLS` says how many random moments are tried.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from resources import examples
from runtime.checkpoint import CheckpointHeader
from runtime.stores import open_store
from tests.runtime.command_line import OUTPUT, edge, write

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
AUDIT = next(example.path for example in examples() if example.name == "licence_audit")
KILLS = int(os.environ.get("STEPWELL_KILLS", "4"))
APPROVE = 'ask_a_person:5:0={"verdict":"approve"}'


class Process:
    """Starts `stepwell` with a data folder of its own, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._environ = {
            **os.environ,
            "STEPWELL_DATA_DIR": str(folder / "data"),
            "PYTHONPATH": str(ROOT),
        }

    def start(self, *words: object) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "designer.cli.commands", *map(str, words)],
            cwd=self.folder,
            env=self._environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: object, code: int = 0) -> str:
        """What the command writes to standard output; its exit code must be this one."""
        with self.start(*words) as process:
            out, err = process.communicate()
        assert process.returncode == code, err + out
        return out

    def json(self, *words: object, code: int = 0) -> Any:
        return json.loads(self.run(*words, "--json", code=code))


def saved(stepwell: Process, name: str) -> list[CheckpointHeader]:
    """The headers in a store, read without one more process."""

    async def read() -> list[CheckpointHeader]:
        store = open_store(f"sqlite:{stepwell.folder / name}", read_only=True)
        try:
            return await store.headers()
        finally:
            await store.close()

    return asyncio.run(read())


@pytest.fixture
def stepwell(tmp_path: Path) -> Process:
    return Process(tmp_path)


def test_the_main_job(stepwell: Process) -> None:
    """A run asks; a look back at the half-full join; an answer; the same from that join
    on a new branch.
    """
    assert (
        stepwell.json("run", AUDIT, "--store", "sqlite:runs.db", code=3)["requests"][0][
            "id"
        ]
        == "ask_a_person:5:0"
    )
    (earlier,) = [
        header for header in stepwell.json("timeline", "runs.db") if header["buffered"]
    ]
    (join,) = stepwell.json(
        "show", "sqlite:runs.db", earlier["id"], "--section", "joins"
    )
    assert {one["id"]: one["have"] for one in join["sources"]} == {
        "classify_licences": 1,
        "rank_by_reach": 0,
        "age_check": 1,
    }
    assert join["missing"] == ["rank_by_reach"]
    assert [message["source"] for message in join["messages"]] == [
        "classify_licences",
        "age_check",
    ]

    report = stepwell.run("resume", "runs.db", "--answer", APPROVE)
    assert "# Licence audit" in report
    assert "**approve**" in report
    again = stepwell.run(
        "resume", "runs.db", "--checkpoint", earlier["id"], "--answer", APPROVE
    )
    assert again == report

    headers = stepwell.json("timeline", "runs.db")
    assert {header["branch"] for header in headers} == {"main", "fork 1"}
    assert (
        next(header["parent"] for header in headers if header["branch"] == "fork 1")
        == earlier["id"]
    )
    assert "2 branches" in stepwell.run("timeline", "runs.db")
    assert {path.name for path in stepwell.folder.iterdir()} == {"runs.db"}


# --- Ctrl+C -------------------------------------------------------------------------------------------------------


def sleeping(folder: Path, kind: str) -> Path:
    """Superstep 2 never ends: it waits, or it blocks the loop. Its code says when it
    has begun.
    """
    path = write(
        folder,
        kind,
        [
            {"id": "start", "type": "input"},
            {
                "id": "sleeper",
                "type": "python_function",
                "params": {"function": f"sleepers:{kind}"},
            },
            OUTPUT,
        ],
        [edge("start", "sleeper"), edge("sleeper", "result")],
    )
    (folder / "sleepers.py").write_text(
        "import asyncio\n"
        "async def waits(message: str) -> str:\n    print('begun', flush=True)\n    await asyncio.Event().wait()\n"
        "async def blocks(message: str) -> str:\n    print('begun', flush=True)\n    while True: pass\n"
    )
    return path


@pytest.mark.parametrize(
    ("kind", "number"),
    [("waits", signal.SIGINT), ("blocks", signal.SIGINT), ("waits", signal.SIGTERM)],
)
def test_a_signal_keeps_what_ran_and_says_how_to_go_on(
    stepwell: Process, kind: str, number: signal.Signals
) -> None:
    with stepwell.start(
        "run", sleeping(stepwell.folder, kind), "--store", "s.db", "--json"
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "begun\n"
        process.send_signal(number)
        out, err = process.communicate()
    assert process.returncode == json.loads(out)["exit_code"] == 128 + number
    assert "Traceback" not in err
    if kind == "blocks":  # it could only be ended with the process
        assert "stepwell resume sqlite:s.db" in err
    else:
        assert json.loads(out)["status"] == "CANCELLED"
        assert "Stopped by" not in err  # the report has said so
    assert [header.superstep for header in saved(stepwell, "s.db")] == [0, 1]


# --- kills --------------------------------------------------------------------------------------------------------

ROUNDS = 50
CHAIN = """
from hashlib import blake2b

def digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=8).hexdigest()

def begin(message: dict) -> dict:
    return {"round": message["round"] + 1, "digest": digest(message["digest"] + "begin")}

def left(message: dict) -> str:
    return digest(message["digest"] + "left")

def right(message: dict) -> str:
    return digest(message["digest"] + "right") + f" {message['round']}"

def further(message: str) -> str:
    return digest(message.split()[0]) + " " + message.split()[1]

def meet(message: list[str]) -> dict:
    one, two = message
    return {"round": int(two.split()[1]), "digest": digest(one + two)}
"""


def chain(folder: Path, name: str, *, seconds: float | None) -> Path:
    """A loop whose join is half full in every round, and whose result depends on every
    message of every round.
    """
    (folder / "chain.py").write_text(CHAIN)
    rounds = ROUNDS if seconds is None else 4
    nodes: list[dict[str, Any]] = [
        {"id": one, "type": "python_function", "params": {"function": f"chain:{one}"}}
        for one in ("begin", "left", "right", "further", "meet")
    ]
    nodes += [
        {"id": "again", "type": "switch"},
        {"id": "wait", "type": "delay", "params": {"seconds": seconds or 0}},
    ]
    case = {"name": "again", "when": f"message.round < {rounds}", "target": "begin"}
    edges = [
        {
            "id": "split",
            "kind": "fan_out",
            "source": "begin",
            "targets": ["left", "right"],
        },
        edge("right", "wait"),
        edge("wait", "further"),
        {
            "id": "join",
            "kind": "fan_in",
            "sources": ["left", "further"],
            "target": "meet",
        },
        edge("meet", "again"),
        {
            "id": "loop",
            "kind": "switch",
            "source": "again",
            "cases": [case],
            "default": "result",
        },
    ]
    start = {"round": 0, "digest": ""}
    return write(
        folder, name, [*nodes, OUTPUT], edges, input=start, max_supersteps=10_000
    )


class Undisturbed(NamedTuple):
    """A run that nobody killed: its report, and how long it took from its first
    checkpoint to the last.
    """

    document: Path
    outputs: list[Any]
    supersteps: int
    seconds: float


@pytest.fixture(scope="module", params=["busy", "slow"])
def undisturbed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Undisturbed:
    """`busy` spends its time between supersteps and in the store, `slow` in handlers
    that wait.
    """
    stepwell = Process(tmp_path_factory.mktemp(request.param))
    document = chain(
        stepwell.folder,
        request.param,
        seconds=None if request.param == "busy" else 0.03,
    )
    report = stepwell.json("run", document, "--store", "reference.db")
    assert report["status"] == "IDLE"
    headers = saved(stepwell, "reference.db")
    return Undisturbed(
        document,
        report["outputs"],
        report["superstep"],
        headers[-1].time - headers[0].time,
    )


def kill_while_saving(
    process: subprocess.Popen[str], log: Path, seconds: float
) -> None:
    """Kill so many seconds after the process has begun to write to the store, if it
    still runs then.
    """
    before = stamp(log)
    with process:
        while process.poll() is None and stamp(log) == before:
            wait(process, 0.001)
        wait(process, seconds)
        process.kill()


def stamp(log: Path) -> tuple[int, int]:
    """What changes with every write."""
    try:
        status = log.stat()
    except FileNotFoundError:  # it goes when the store is closed
        return (0, 0)
    return (status.st_size, status.st_mtime_ns)


def wait(process: subprocess.Popen[str], seconds: float) -> None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=seconds)


def finished(stepwell: Process, document: Path) -> Any:
    """The report of the run that goes on. One that was killed before its input was
    saved begins anew.
    """
    with stepwell.start("resume", "s.db", "--json") as process:
        out, err = process.communicate()
    if process.returncode == 2:
        assert "no checkpoint yet" in err or "made by the first run" in err
        return stepwell.json("run", document, "--store", "s.db")
    assert process.returncode == 0, err + out
    return json.loads(out)


@pytest.mark.parametrize("number", range((KILLS + 1) // 2))
def test_a_kill_at_any_moment_loses_nothing(
    stepwell: Process, undisturbed: Undisturbed, number: int
) -> None:
    """Kill the run, kill the run that went on, then let it finish: the report and the
    lineage are those of one run.
    """
    moment = random.Random(f"{undisturbed.document.name} {number}").random()  # noqa: S311
    log = stepwell.folder / "s.db-wal"
    running = stepwell.start("run", undisturbed.document, "--store", "s.db", "--json")
    kill_while_saving(running, log, moment * undisturbed.seconds)
    resumed = stepwell.start("resume", "s.db", "--json")
    kill_while_saving(resumed, log, moment * (1 - moment) * undisturbed.seconds)

    report = finished(stepwell, undisturbed.document)
    assert report["outputs"] == undisturbed.outputs
    headers = saved(stepwell, "s.db")
    assert [header.superstep for header in headers] == list(
        range(undisturbed.supersteps + 1)
    )
    assert [header.parent for header in headers[1:]] == [
        header.id for header in headers[:-1]
    ]
    assert {header.branch for header in headers} == {"main"}
