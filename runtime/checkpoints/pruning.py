"""Making room in a store: old checkpoints go, and whatever somebody may want to go back to stays.

Every checkpoint is whole in itself, so what is kept restores as before; its `parent` may then name one that is gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from runtime.agent_framework.storage_adapter import store_behind
from runtime.checkpoint import CheckpointHeader, CheckpointStore
from runtime.errors import CheckpointDamagedError, CheckpointKeptError

if TYPE_CHECKING:
    from runtime.agent_framework.storages import StoreCheckpointStorage


async def prune(
    store: CheckpointStore | StoreCheckpointStorage,
    *,
    run_id: str | None = None,
    keep: int | None = None,
    older_than: float | None = None,
    dry_run: bool = False,
) -> list[CheckpointHeader]:
    """Remove old checkpoints of one run, or of all. The headers of those that went, in the order of their sequence.

    keep         the newest so many of each branch of a run stay, at least 1
    older_than   seconds since 1970: only what was saved before goes

    At least one of the two must be given; with both, only what fulfils both goes. Kept always: what has a tag
    (`PINNED` or any other), the head of each branch, both ends of each fork (where a branch leaves another, and its own
    first checkpoint), and what is damaged. So a lineage stays one tree, and a run that goes on meanwhile is not
    disturbed: a checkpoint that may not go any more, because somebody has pinned it since, stays.

    Each run is one transaction. With `dry_run` nothing is changed, and the headers are those that would go.
    Raises `ValueError` for a rule that is missing or makes no sense, `TypeError` for a storage of one's own, whose
    checkpoints cannot be listed run by run, and what `CheckpointStore.delete` raises.
    """
    if keep is None and older_than is None:
        raise ValueError(
            "prune would remove nearly everything: say what to keep, or how old what goes must be"
        )
    if keep is not None and keep < 1:
        raise ValueError(
            f"keep is {keep}: the newest checkpoint of a branch always stays, so give 1 or more"
        )
    kept = _store_in(store)
    gone: list[CheckpointHeader] = []
    for run in _by_run(await kept.headers(run_id=run_id)):
        old = [
            header
            for header in removable(run, 1 if keep is None else keep)
            if older_than is None or header.time < older_than
        ]
        gone += old if dry_run else await _remove(kept, old)
    return sorted(gone, key=lambda header: header.sequence)


def _store_in(storage: CheckpointStore | StoreCheckpointStorage) -> CheckpointStore:
    store = store_behind(storage)
    if store is None:
        raise TypeError(
            "prune takes a store of open_store(), an InMemoryCheckpointStorage or a FileCheckpointStorage; got "
            f"{type(storage).__name__}. Remove checkpoints of a storage of your own by its delete()."
        )
    return store


def removable(run: Sequence[CheckpointHeader], keep: int = 1) -> list[CheckpointHeader]:
    """Those of a run's headers that are not kept always, nor are of the newest `keep` of their branch."""
    stays = (
        _ends_of_forks(run)
        | _newest(run, keep)
        | _newest([header for header in run if not header.damaged], 1)
    )
    return [
        header
        for header in run
        if header.id not in stays and not header.tags and not header.damaged
    ]


def _ends_of_forks(run: Sequence[CheckpointHeader]) -> set[str]:
    branch_of = {header.id: header.branch for header in run}
    ends: set[str] = set()
    for header in run:
        if header.parent in branch_of and branch_of[header.parent] != header.branch:
            ends |= {header.id, header.parent}
    return ends


def _newest(run: Sequence[CheckpointHeader], keep: int) -> set[str]:
    branches: dict[str, list[str]] = {}
    for header in run:
        branches.setdefault(header.branch, []).append(header.id)
    return {id_ for ids in branches.values() for id_ in ids[-keep:]}


async def _remove(
    store: CheckpointStore, old: list[CheckpointHeader]
) -> list[CheckpointHeader]:
    """Remove what may still go, and say which; between the look and the deed others write."""
    while old:
        try:
            await store.delete([header.id for header in old])
            break
        except (CheckpointKeptError, CheckpointDamagedError) as error:
            fewer = [header for header in old if header.id != error.checkpoint_id]
            if len(fewer) == len(old):
                raise
            old = fewer
    return old


def _by_run(headers: Iterable[CheckpointHeader]) -> Iterable[list[CheckpointHeader]]:
    runs: dict[str, list[CheckpointHeader]] = {}
    for header in headers:
        runs.setdefault(header.run_id, []).append(header)
    return runs.values()
