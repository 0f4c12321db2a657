"""The runs of a store for the window."""

from __future__ import annotations

from collections.abc import Iterable

from runtime.checkpoint import RunSummary
from runtime.debug.protocol import RunInfo, RunsBody


def runs_body(summaries: Iterable[RunSummary]) -> RunsBody:
    """Return the runs of a store for the window."""
    return RunsBody(
        runs=tuple(
            RunInfo(
                run_id=run.run_id,
                workflow=run.workflow,
                checkpoints=run.checkpoints,
                branches=run.branches,
                latest=run.latest,
            )
            for run in summaries
        )
    )
