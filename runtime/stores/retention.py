"""Which old checkpoints a store may lose, and `prune`, which removes them.

Every checkpoint is complete in itself. So the ones that stay restore as before, even
when their `parent` is removed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from runtime.checkpoint import CheckpointHeader, CheckpointStore
from runtime.errors import CheckpointDamagedError, CheckpointKeptError


def store_behind(storage: Any) -> CheckpointStore | None:
    """Return the store behind a storage, or `storage` itself if it is a store; None for
    anything else.

    A storage that is a face of a store, as agent-framework's are, has a method
    `store_behind`.
    """
    unwrap = getattr(storage, "store_behind", None)
    if callable(unwrap):
        store: CheckpointStore | None = unwrap()
        return store
    if hasattr(storage, "headers") and hasattr(storage, "parts"):
        return storage  # type: ignore[no-any-return]
    return None


async def prune(
    store: CheckpointStore | Any,
    *,
    run_id: str | None = None,
    keep: int | None = None,
    older_than: float | None = None,
    dry_run: bool = False,
) -> list[CheckpointHeader]:
    """Remove old checkpoints of one run, or of all. Return the headers of those
    removed, in order of sequence.

    store        a store, or a storage that is a face of one, such as `FileCheckpointStorage`
    keep         the newest so many of each branch of a run stay, at least 1
    older_than   seconds since 1970: only what was saved before is removed

    At least one of the two rules must be given; with both, only what fulfils both is
    removed. These always stay: checkpoints with a tag (`PINNED` or any other), the head
    of each branch, both ends of each fork (where a branch leaves another, and its own
    first checkpoint), and damaged ones. So a lineage stays one tree, and a run that
    goes on meanwhile is not disturbed: a checkpoint that somebody pins meanwhile stays.

    Each run is one transaction. With `dry_run` nothing is changed, and the headers are
    those that would be removed. Raise `ValueError` for a rule that is missing or makes
    no sense, `TypeError` for a storage of one's own, whose checkpoints cannot be listed
    run by run, and what `CheckpointStore.delete` raises.
    """
    if keep is None and older_than is None:
        raise ValueError(
            "prune would remove nearly everything: give keep, or older_than, or both"
        )
    if keep is not None and keep < 1:
        raise ValueError(
            f"keep is {keep}: the newest checkpoint of a branch always stays, so give 1 or more"
        )
    inner = store_behind(store)
    if inner is None:
        raise TypeError(
            "prune takes a store of open_store(), an InMemoryCheckpointStorage or a FileCheckpointStorage; got "
            f"{type(store).__name__}. Remove checkpoints of a storage of your own by its delete()."
        )
    removed: list[CheckpointHeader] = []
    for run in _by_run(await inner.headers(run_id=run_id)):
        candidates = removable(run, 1 if keep is None else keep)
        if older_than is not None:
            candidates = [header for header in candidates if header.time < older_than]
        removed += candidates if dry_run else await _remove(inner, candidates)
    return sorted(removed, key=lambda header: header.sequence)


def removable(run: Sequence[CheckpointHeader], keep: int = 1) -> list[CheckpointHeader]:
    """Return the headers of a run that no rule keeps and that are not among the newest
    `keep` of their branch.
    """
    undamaged = [header for header in run if not header.damaged]
    # The newest undamaged one stays as well: a branch whose head is damaged must keep
    # something to go on from.
    keeps = _ends_of_forks(run) | _newest(run, keep) | _newest(undamaged, 1)
    return [
        header for header in undamaged if header.id not in keeps and not header.tags
    ]


def _ends_of_forks(run: Sequence[CheckpointHeader]) -> set[str]:
    branch_of = {header.id: header.branch for header in run}
    ends: set[str] = set()
    for header in run:
        if header.parent in branch_of and branch_of[header.parent] != header.branch:
            ends |= {header.id, header.parent}
    return ends


def _newest(run: Sequence[CheckpointHeader], count: int) -> set[str]:
    branches: dict[str, list[str]] = {}
    for header in run:
        branches.setdefault(header.branch, []).append(header.id)
    newest: set[str] = set()
    for ids in branches.values():
        newest.update(ids[-count:])
    return newest


async def _remove(
    store: CheckpointStore, headers: list[CheckpointHeader]
) -> list[CheckpointHeader]:
    """Remove these checkpoints and return those removed.

    Others write to the store between the listing and the removal: a checkpoint that may
    not go any more is left out.
    """
    while headers:
        try:
            await store.delete([header.id for header in headers])
            break
        except (CheckpointKeptError, CheckpointDamagedError) as error:
            remaining = [
                header for header in headers if header.id != error.checkpoint_id
            ]
            if len(remaining) == len(headers):
                raise
            headers = remaining
    return headers


def _by_run(headers: Iterable[CheckpointHeader]) -> Iterable[list[CheckpointHeader]]:
    runs: dict[str, list[CheckpointHeader]] = {}
    for header in headers:
        runs.setdefault(header.run_id, []).append(header)
    return runs.values()
