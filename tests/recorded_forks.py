"""`python -m tests.recorded_forks [N]`: N forks from the checkpoints of one run, forks of
these forks among them, and not one more request at the server.

The workflow asks a server on loopback, in a sub-workflow too, runs a command and writes a
file. Prints how many checkpoints, branches and requests there are in the end.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

from runtime.engine.replay.settings import Replay
from runtime.engine.runner import Runner
from runtime.stores import open_store
from runtime.workflow.workflow import Workflow
from tests.documents import build
from tests.runtime.debug.talking import direct
from tests.runtime.nodes.web import Reply, Web, web


def definition(server: Web) -> Any:
    from runtime.document.definition import WorkflowDefinition

    inner = {
        "name": "inner",
        "start": "ask",
        "nodes": [_request("ask", server), {"id": "done", "type": "output"}],
        "edges": [direct("ask", "done")],
    }
    nodes = [
        _request("fetch", server),
        {
            "id": "review",
            "type": "sub_workflow",
            "params": {"inline": {"format": 1, "workflow": inner}},
        },
        {
            "id": "count",
            "type": "shell_command",
            "params": {"program": "echo x >> count.txt; echo done", "shell": True},
        },
        {"id": "keep", "type": "write_file", "params": {"path": "kept.txt"}},
        {"id": "end", "type": "output"},
    ]
    ids = [str(node["id"]) for node in nodes]
    edges = [direct(*pair) for pair in pairwise(ids)]
    return WorkflowDefinition.model_validate(
        {"name": "forks", "start": "fetch", "nodes": nodes, "edges": edges}
    )


def _request(id_: str, server: Web) -> dict[str, Any]:
    return {
        "id": id_,
        "type": "http_request",
        "params": {"url": server.url, "send": "message", "method": "POST"},
    }


async def forked(count: int, folder: Path) -> str:
    """Make the forks, and return what came of them. Raise `AssertionError` if one of
    them reached outside or ended in another way.
    """
    async with web(*(Reply(body={"n": number}) for number in range(9))) as server:
        store = open_store(f"sqlite:{folder}/runs.db")

        def workflow() -> Workflow:
            return build(definition(server), folder=folder)

        runner = Runner(workflow(), store)
        await runner.start("a")
        await runner.finish()
        end = runner.state
        requests = len(server.asked)
        choice = random.Random(1)  # noqa: S311 - chooses a checkpoint
        begun = time.perf_counter()
        for number in range(count):
            headers = await store.headers(limit=200, after=max(number - 100, 0))
            header = choice.choice(headers)
            await runner.restore(header.id, fork=True, replay=Replay(on_miss="refuse"))
            await runner.finish()
            assert runner.state == end, header
            assert len(server.asked) == requests
        lines = len((folder / "count.txt").read_text().splitlines())
        assert lines == 1
        headers = await store.headers()
        await store.close()
    seconds = time.perf_counter() - begun
    branches = len({header.branch for header in headers})
    return (
        f"{count} forks, {branches} branches, {len(headers)} checkpoints, {seconds:.1f} s: "
        f"{requests} requests and {lines} command, all of the first run"
    )


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as folder:
        sys.stdout.write(asyncio.run(forked(count, Path(folder))) + "\n")


if __name__ == "__main__":
    main()
