"""A run of a workflow that is built in Python, kept in a file."""

from __future__ import annotations

import asyncio
from pathlib import Path

from runtime.debug.remote.code_session import workflow_of
from runtime.engine.runner import Runner
from runtime.stores import open_store


def run_once(folder: Path) -> None:
    """Run `made:build` of a folder, with its checkpoints in `made.db`."""

    async def main() -> None:
        store = open_store(f"sqlite:{folder / 'made.db'}")
        runner = Runner(workflow_of("made:build", folder), store)
        await runner.start("x")
        await runner.finish()
        await store.close()

    asyncio.run(main())
