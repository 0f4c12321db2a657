"""The same loop in a debug host that tells a window of it, and by itself: supersteps
per second of CPU time.

python -m tests.benchmarks.attached attached '{"n": 10000}'
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import cycle
from pathlib import Path
from typing import Any

from runtime.document.definition import WorkflowDefinition
from runtime.engine.runner import Runner
from runtime.stores import open_store
from tests.benchmarks.measure import Meter, Numbers, scratch, serve
from tests.documents import build

MODULE = "stepwell_benchmark_loop"
CODE = """
async def again(n: int) -> int | None:
    return n - 1 if n else None
"""
_TICKS = os.sysconf("SC_CLK_TCK")


def workflow(n: int) -> dict[str, Any]:
    nodes = [
        {
            "id": node,
            "type": "python_function",
            "params": {"function": f"{MODULE}:again"},
        }
        for node in ("left", "right")
    ]
    edges = [
        {"id": "there", "kind": "direct", "source": "left", "target": "right"},
        {"id": "back", "kind": "direct", "source": "right", "target": "left"},
    ]
    return {
        "name": "loop",
        "start": "left",
        "input": n,
        "nodes": nodes,
        "edges": edges,
        "max_supersteps": n + 1,
    }


class Host:
    """A real host behind pipes, and what it says."""

    def __init__(self) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            [sys.executable, "-m", "runtime.debug"], stdin=pipe, stdout=pipe
        )
        self._seq = 0

    def cpu(self) -> float:
        """Seconds of CPU time so far, in steps of a hundredth."""
        fields = (
            Path(f"/proc/{self._process.pid}/stat")
            .read_text()
            .rpartition(")")[2]
            .split()
        )
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def resident(self) -> float:
        """Megabytes."""
        return (
            int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
            * os.sysconf("SC_PAGESIZE")
            / 2**20
        )

    def say(self, command: str, **arguments: Any) -> None:
        self._seq += 1
        packet = {
            "type": "request",
            "seq": self._seq,
            "command": command,
            "arguments": arguments,
        }
        self._process.stdin.write(json.dumps(packet).encode() + b"\n")  # type: ignore[union-attr]
        self._process.stdin.flush()  # type: ignore[union-attr]

    def hear(self, command: str = "", event: str = "") -> tuple[Any, int]:
        """Wait for the reply to a command, or for a notice: its body, and how many
        bytes came until then.
        """
        heard = 0
        for line in self._process.stdout:  # type: ignore[union-attr]
            heard += len(line)
            packet = json.loads(line)
            if not packet.get("success", True):
                raise RuntimeError(
                    f"The host refused {packet['command']}: {packet['message']}"
                )
            if (command and packet.get("command") == command) or (
                event and packet.get("event") == event
            ):
                return packet["body"], heard
        raise RuntimeError("The host ended.")

    def end(self) -> None:
        self.say("shutdown")
        self._process.communicate()


def conditional(count: int) -> list[dict[str, Any]]:
    """Breakpoints of several kinds, whose conditions are looked at and never true."""
    places = (
        ("before", "left", "message < 0"),
        ("after", "right", "message > 1000000000"),
        ("message", "there", "message == -1 && superstep > 3"),
        ("before", "right", "size(source) > 9"),
        ("message", "back", "message < 0"),
    )
    return [
        {"id": str(number), "kind": kind, "where": where, "condition": condition}
        for number, (kind, where, condition) in zip(
            range(count), cycle(places), strict=False
        )
    ]


async def attached(n: int, breakpoints: int = 0) -> Numbers:
    with scratch() as folder:
        (folder / f"{MODULE}.py").write_text(CODE)
        host = Host()
        host.say(
            "open",
            document={"format": 1, "workflow": workflow(n)},
            folder=str(folder),
            store="memory:",
        )
        host.hear("open")
        host.say("breakpoints", breakpoints=conditional(breakpoints))
        host.say("start", input=n, stop_on_entry=True)
        host.hear(event="stopped")
        before = host.resident()
        begun = host.cpu()
        host.say("continue")
        stopped, heard = host.hear(event="stopped")
        cpu = host.cpu() - begun
        growth = host.resident() - before
        host.end()
    if stopped["superstep"] != n + 1:
        raise AssertionError(f"The host stopped: {stopped}")
    return {
        "rate": n / cpu,
        "cpu_ms": 1000 * cpu / n,
        "growth_mb": growth,
        "heard_bytes": heard / n,
    }


async def detached(n: int) -> Numbers:
    """The same workflow with the same store, without an observer."""
    with scratch() as folder:
        (folder / f"{MODULE}.py").write_text(CODE)
        made = build(WorkflowDefinition.model_validate(workflow(n)), folder=folder)
        store = open_store("memory:")
        runner = Runner(made, store)
        await runner.start(n)
        with Meter() as meter:
            await runner.finish()
        await store.close()
    if runner.state.superstep != n + 1:
        raise AssertionError(f"The run ended at superstep {runner.state.superstep}.")
    return meter.numbers(n)


if __name__ == "__main__":
    serve({"attached": attached, "detached": detached})
