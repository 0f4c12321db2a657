"""Which checkpoints of a store go into a file, without their content."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from runtime.checkpoint import CheckpointHeader, CheckpointStore
from runtime.errors import SharedFileError

_PAGE = 1000  # headers that are read at once


class Scope(StrEnum):
    STORE = "store"
    RUN = "run"
    BRANCH = "branch"
    CHECKPOINT = "checkpoint"


class Row(NamedTuple):
    """One checkpoint; little, because there may be a hundred thousand."""

    id: str
    parent: str | None
    run_id: str
    branch: str
    size: int


@dataclass(frozen=True)
class Selection:
    """What to share.

    rows     in the order of their sequence
    damaged  ids of checkpoints that would belong to it and cannot be read
    """

    scope: Scope
    workflow: str
    rows: Sequence[Row]
    run_id: str = ""
    branch: str = ""
    checkpoint_id: str = ""
    damaged: Sequence[str] = ()

    @property
    def branches(self) -> int:
        return len({(row.run_id, row.branch) for row in self.rows})

    @property
    def new_bytes(self) -> int:
        """About how many bytes its parts have, before they are compressed."""
        if not self.rows:
            return 0
        return sum(row.size for row in self.rows)


async def select(
    store: CheckpointStore,
    *,
    run_id: str | None = None,
    branch: str | None = None,
    checkpoint_id: str | None = None,
    with_ancestors: bool = True,
) -> Selection:
    """Return what to share: one checkpoint, a branch of a run, a run, or the store.

    A branch comes with the checkpoints from which it has forked, unless
    `with_ancestors` is false. Raise `SharedFileError` if there is nothing of that name,
    and what `CheckpointStore.load` raises.
    """
    if checkpoint_id is not None:
        header = (await store.load(checkpoint_id)).header
        return Selection(
            Scope.CHECKPOINT,
            header.workflow,
            [_row(header, header.size)],
            header.run_id,
            header.branch,
            header.id,
        )
    rows, damaged, workflow = await _all_rows(store, run_id)
    if branch is not None:
        rows = _of_branch(rows, branch, with_ancestors=with_ancestors)
    if not rows:
        raise _nothing(run_id, branch, damaged)
    scope = Scope.STORE
    if run_id is not None:
        scope = Scope.RUN if branch is None else Scope.BRANCH
    return Selection(scope, workflow, rows, run_id or "", branch or "", damaged=damaged)


async def chosen(
    store: CheckpointStore, checkpoint_ids: Iterable[str], focus: str
) -> Selection:
    """Return some checkpoints of one run as a selection; `focus` is the one that it is
    about. Raise what `CheckpointStore.load` raises.
    """
    headers = [(await store.load(id_)).header for id_ in dict.fromkeys(checkpoint_ids)]
    headers.sort(key=lambda header: header.sequence)
    about = next(header for header in headers if header.id == focus)
    return Selection(
        Scope.CHECKPOINT,
        about.workflow,
        [_row(header, header.new_size) for header in headers],
        about.run_id,
        about.branch,
        about.id,
    )


async def _all_rows(
    store: CheckpointStore, run_id: str | None
) -> tuple[list[Row], list[str], str]:
    rows: list[Row] = []
    damaged: list[str] = []
    workflow = ""
    after = 0
    while page := await store.headers(run_id=run_id, after=after, limit=_PAGE):
        for header in page:
            if header.damaged:
                damaged.append(header.id)
            else:
                rows.append(_row(header, header.new_size))
                workflow = header.workflow
        after = page[-1].sequence
    return rows, damaged, workflow


def _row(header: CheckpointHeader, size: int) -> Row:
    return Row(header.id, header.parent, header.run_id, header.branch, size)


def _of_branch(rows: list[Row], branch: str, *, with_ancestors: bool) -> list[Row]:
    on_branch = [row for row in rows if row.branch == branch]
    if not on_branch or not with_ancestors:
        return on_branch
    by_id = {row.id: row for row in rows}
    needed = {row.id for row in on_branch}
    parent = on_branch[0].parent
    while parent in by_id and parent not in needed:
        needed.add(parent)
        parent = by_id[parent].parent
    return [row for row in rows if row.id in needed]


def _nothing(
    run_id: str | None, branch: str | None, damaged: Sequence[str]
) -> SharedFileError:
    if damaged:
        return SharedFileError(
            f"Nothing can be shared: all {len(damaged)} checkpoints of it are damaged."
        )
    if branch is not None:
        return SharedFileError(f"The run {run_id} has no branch '{branch}'.")
    if run_id is not None:
        return SharedFileError(f"There is no run {run_id} in this store.")
    return SharedFileError("The store holds no checkpoint yet.")
