"""How many bytes each part of a checkpoint has: a state key, an executor, a queue, a
join, a request.
"""

from __future__ import annotations

from collections.abc import Sequence

from runtime.checkpoint import CheckpointStore, Record
from runtime.checkpoints.archive import seen_way
from runtime.debug.protocol import PartSize, SizesBody, SizesColumn
from runtime.errors import WorkflowCheckpointException
from runtime.values.user_failures import text_of


class PartSizes:
    """The sizes of the parts of one store. A part is read once, because most parts of a
    checkpoint are those of the one before.
    """

    def __init__(self) -> None:
        self._sizes: dict[str, int] = {}  # bytes, by digest

    async def columns(
        self, store: CheckpointStore, checkpoint_ids: Sequence[str]
    ) -> SizesBody:
        """Return the sizes of some checkpoints, in the order of their ids. One that
        cannot be read has no parts, and says why.
        """
        columns = []
        for checkpoint_id in checkpoint_ids:
            try:
                record = await store.load(checkpoint_id)
                await self._measure(store, record)
            except WorkflowCheckpointException as error:
                unreadable = SizesColumn(
                    checkpoint_id=checkpoint_id, unreadable=text_of(error)
                )
                columns.append(unreadable)
            else:
                columns.append(self._column(record))
        return SizesBody(columns=tuple(columns))

    async def _measure(self, store: CheckpointStore, record: Record) -> None:
        unknown = [digest for digest in record.digests if digest not in self._sizes]
        if unknown:
            for digest, data in (await store.parts(unknown)).items():
                self._sizes[digest] = len(data)

    def _column(self, record: Record) -> SizesColumn:
        sizes: dict[tuple[str, str], int] = {}
        for part in record.manifest:
            key = (part.kind, part.name)
            sizes[key] = sizes.get(key, 0) + self._sizes[part.digest]
        parts = tuple(_part(kind, name, size) for (kind, name), size in sizes.items())
        return SizesColumn(checkpoint_id=record.header.id, parts=parts)


def _part(kind: str, name: str, size: int) -> PartSize:
    if kind == "child":
        # Its name is the way to the part: invocation keys, then kind and name there.
        *way, kind, name = seen_way(name)
        return PartSize(kind=kind, name=name, size=size, way=tuple(way))
    return PartSize(kind=kind, name=name, size=size)
