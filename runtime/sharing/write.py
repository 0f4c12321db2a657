"""Checkpoints of a store, written to one file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from runtime.checkpoint import CheckpointStore, Record
from runtime.document.files import replacing
from runtime.errors import (
    CheckpointDamagedError,
    CheckpointNotFoundError,
    SharedFileError,
)
from runtime.sharing.blocks import BlockWriter
from runtime.sharing.entries import EntryWriter, Gap
from runtime.sharing.selection import Row, Scope, Selection
from runtime.values.json_bytes import json_bytes

# Is called with the number of checkpoints that are done.
Progress = Callable[[int], None]
_SHOWN = 200  # characters of a name in the summary, and ids of what was left out


@dataclass(frozen=True)
class Shared:
    """What was written.

    left_out  ids of checkpoints that are damaged, or were removed meanwhile
    bytes     of the file
    """

    checkpoints: int
    parts: int
    bytes: int
    unpacked: int
    left_out: Sequence[str]


async def share(
    store: CheckpointStore,
    selection: Selection,
    path: Path,
    *,
    forbidden: Iterable[bytes] = (),
    progress: Progress = lambda _done: None,
) -> Shared:
    """Write the selected checkpoints to a file, which is there only when all of it is.

    forbidden  texts that must not be in the file: the values of secrets

    Each part is read once and checked against its digest. A damaged checkpoint is left
    out and named in what is returned. Raise `SharedFileError` if nothing is left, or if
    a forbidden text is found; `OSError` if the file cannot be written; and what the
    store raises.
    """
    if not path.absolute().parent.is_dir():
        raise SharedFileError(
            f"There is no folder {path.parent}. Make it, or choose another."
        )
    with replacing(path) as stream:
        blocks = BlockWriter(stream)
        work = _Work(store, selection, EntryWriter(blocks), tuple(forbidden))
        for done, row in enumerate(selection.rows, start=1):
            await work.add(row)
            progress(done)
        entries = work.entries
        if not entries.checkpoints:
            raise SharedFileError(
                "Nothing was shared: no selected checkpoint can be read."
            )
        left_out = [*selection.damaged, *work.left_out]
        blocks.finish(_summary(selection, entries, blocks.unpacked, left_out))
    return Shared(
        entries.checkpoints,
        entries.parts,
        path.stat().st_size,
        blocks.unpacked,
        left_out,
    )


class _Work:
    def __init__(
        self,
        store: CheckpointStore,
        selection: Selection,
        entries: EntryWriter,
        forbidden: tuple[bytes, ...],
    ) -> None:
        self._store = store
        self.entries = entries
        self.left_out: list[str] = []
        self._forbidden = forbidden
        self._written: set[str] = set()
        self._heads: set[tuple[str, str]] = set()
        self._branches_after = _branches_after(selection.rows)

    async def add(self, row: Row) -> None:
        try:
            record = await self._store.load(row.id)
            parts = await self._store.parts(self.entries.missing(record))
        except (CheckpointDamagedError, CheckpointNotFoundError):
            self.left_out.append(row.id)
            return
        self._check_names(record)
        for digest, data in parts.items():
            self._check(record, digest, data)
            self.entries.part(digest, data)
        if record.header.parent is not None:
            self._add_gap(record, record.header.parent)
        self.entries.checkpoint(record)
        self._written.add(row.id)
        self._heads.add((row.run_id, row.branch))

    def _add_gap(self, record: Record, parent: str) -> None:
        """Say of a parent that is not in the file where it stood.

        A reader puts something in its place, on a branch on which a child follows. If
        that branch has earlier checkpoints, it must be this one.
        """
        if parent in self._written:
            return
        run_id = record.header.run_id
        branch = record.header.branch
        for other in self._branches_after.get(parent, ()):
            if (run_id, other) in self._heads:
                branch = other
        self.entries.gap(Gap(parent, run_id, branch))
        self._written.add(parent)
        self._heads.add((run_id, branch))

    def _check_names(self, record: Record) -> None:
        """Raise `SharedFileError` if a text beside the parts holds a secret. The names of
        parts have the keys of the shared state.
        """
        header = record.header
        texts = [header.note, header.branch, header.workflow, *header.tags]
        names = [part.name for part in record.manifest]
        data = json_bytes([*texts, *names])
        if any(text in data for text in self._forbidden):
            raise SharedFileError(
                f"Nothing was shared: checkpoint {header.id} holds the value of a secret, in its note, a tag, or the "
                "name of a key or a branch. Take it out there, or share other checkpoints."
            )

    def _check(self, record: Record, digest: str, data: bytes) -> None:
        if not any(text in data for text in self._forbidden):
            return
        kinds = [part for part in record.manifest if part.digest == digest]
        named = f"{kinds[0].kind} {kinds[0].name}".strip()
        raise SharedFileError(
            f"Nothing was shared: checkpoint {record.header.id} holds the value of a secret, in its part '{named}'. "
            "A handler has put it there. Share checkpoints from before, or let the handler not keep it."
        )


def _branches_after(rows: Sequence[Row]) -> dict[str, list[str]]:
    """Return the branches of the children of each parent that is not selected."""
    selected = {row.id for row in rows}
    branches: dict[str, list[str]] = {}
    for row in rows:
        if row.parent is not None and row.parent not in selected:
            branches.setdefault(row.parent, []).append(row.branch)
    return branches


def _summary(
    selection: Selection,
    entries: EntryWriter,
    unpacked: int,
    left_out: Sequence[str],
) -> dict[str, Any]:
    return {
        "made_by": f"Stepwell {metadata.version('stepwell')}",
        "scope": selection.scope.value,
        "workflow": selection.workflow[:_SHOWN],
        "run": selection.run_id[:_SHOWN],
        "branch": selection.branch[:_SHOWN] if selection.scope is Scope.BRANCH else "",
        "checkpoint": selection.checkpoint_id[:_SHOWN],
        "checkpoints": entries.checkpoints,
        "parts": entries.parts,
        "bytes": unpacked,
        "left_out": len(left_out),
    }
