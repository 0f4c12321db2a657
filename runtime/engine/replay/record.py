"""`CallRecord`: the recorded calls that come after a checkpoint, on any branch of its run,
read superstep by superstep.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from runtime.checkpoint import CheckpointHeader, parent_among
from runtime.errors import WorkflowCheckpointException

if TYPE_CHECKING:
    from runtime.calls import Call, Results
    from runtime.checkpoints.archive import Archive, RecordedCall

# A checkpoint that keeps calls has this format at least.
_FIRST_FORMAT = 3
# So many checkpoints of one superstep are read. Of a thousand branches most tell the same.
_MOST_LINES = 64


class CallRecord:
    """The calls of checkpoints that come after one.

    headers  the checkpoints, in order of preference
    """

    def __init__(self, archive: Archive, after: Sequence[CheckpointHeader]) -> None:
        self._archive = archive
        self.headers = after
        self._by_superstep: dict[int, list[CheckpointHeader]] = {}
        for header in after:
            self._by_superstep.setdefault(header.superstep, []).append(header)
        # As far as the run went before.
        self.last_superstep = max(self._by_superstep, default=0)

    @classmethod
    async def behind(
        cls, archive: Archive, header: CheckpointHeader, prefer: str = ""
    ) -> CallRecord:
        """Return what is recorded behind a checkpoint. The results on the line that
        leads to the checkpoint `prefer` come first, then those on the checkpoint's own
        branch, then the newest.
        """
        headers = await archive.store.headers(run_id=header.run_id)
        return cls(archive, _after(header, headers, prefer))

    async def calls_at(self, superstep: int) -> list[list[RecordedCall]]:
        """Return the calls of a superstep, a list for each checkpoint that has some."""
        holders = [
            header
            for header in self._by_superstep.get(superstep, ())
            if header.format >= _FIRST_FORMAT
        ]
        lines = []
        for header in holders[:_MOST_LINES]:
            try:
                calls = await self._archive.calls(header.id)
            except WorkflowCheckpointException:
                # Removed or damaged: then its calls are made again, as if nothing were
                # recorded.
                continue
            if calls:
                lines.append(calls)
        return lines

    async def line_at(self, superstep: int) -> list[Call]:
        """Return the calls of a superstep on the preferred line alone."""
        at = self._by_superstep.get(superstep)
        if not at or at[0].format < _FIRST_FORMAT:
            return []
        try:
            calls = await self._archive.calls(at[0].id)
        except WorkflowCheckpointException:
            return []
        return [recorded.call for recorded in calls]

    def reader_of(self, recorded: RecordedCall) -> Callable[[], Results]:
        """Return a function that makes what a call did, anew each time."""
        return partial(self._archive.results, recorded)


def _after(
    header: CheckpointHeader, headers: Sequence[CheckpointHeader], prefer: str
) -> list[CheckpointHeader]:
    """Return the checkpoints that come after one, the preferred ones first.

    What comes after a checkpoint of a fork is what comes after the place where the run
    first left its first branch: so a fork that was interrupted goes on as one that was
    not.
    """
    known = {other.id: other for other in headers}
    parents = _parents(headers, known)
    root = _root(header.id, known, parents)
    is_after: dict[str, bool] = {root: True}
    for other in headers:
        parent = parents.get(other.id, "")
        is_after.setdefault(other.id, is_after.get(parent, False))
    after = [
        other
        for other in headers
        if is_after[other.id] and other.superstep > header.superstep
    ]
    line = _line(prefer, parents)
    after.sort(
        key=lambda other: (
            other.id not in line,
            other.branch != header.branch,
            -other.sequence,
        )
    )
    return after


def _root(
    checkpoint_id: str,
    known: Mapping[str, CheckpointHeader],
    parents: Mapping[str, str],
) -> str:
    """Return the checkpoint at which the way to one left the first branch of the run; on
    that branch the checkpoint itself.
    """
    root = here = checkpoint_id
    while here in parents:
        parent = parents[here]
        if known[parent].branch != known[here].branch:
            root = parent
        here = parent
    return root


def _parents(
    headers: Sequence[CheckpointHeader], known: Mapping[str, CheckpointHeader]
) -> dict[str, str]:
    """Return the parent of each checkpoint. Where it was removed, the one before on the
    branch stands for it.
    """
    parents: dict[str, str] = {}
    heads: dict[str, str] = {}
    for header in headers:
        parent = parent_among(header, known)
        if parent is not None:
            parents[header.id] = parent.id
        elif header.parent is not None and header.branch in heads:
            parents[header.id] = heads[header.branch]
        heads[header.branch] = header.id
    return parents


def _line(checkpoint_id: str, parents: Mapping[str, str]) -> set[str]:
    line: set[str] = set()
    while checkpoint_id and checkpoint_id not in line:
        line.add(checkpoint_id)
        checkpoint_id = parents.get(checkpoint_id, "")
    return line
