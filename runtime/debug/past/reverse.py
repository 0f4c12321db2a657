"""Reverse continue: the nearest hit on the way that leads to a checkpoint.

The way is looked through from its end, a few checkpoints at a time, because the nearest
hit is mostly near. A question that counts its hits is looked through from the start,
because its numbers begin there.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from runtime.checkpoint import CheckpointHeader
from runtime.debug.past.find import FIRST_BATCH, LARGEST_BATCH, Hit, Search


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest hit, and the place of its search among those that were given. `read`
    checkpoints were looked at; a search that was stopped is not `complete`.
    """

    hit: Hit | None = None
    search: int = -1
    read: int = 0
    complete: bool = True


class Reverse:
    """Looks for the last checkpoint of a way, the oldest first, at which one of some
    searches has a hit. `rest` is called after each part and returns whether to go on.
    """

    def __init__(
        self,
        searches: Sequence[Search],
        way: Sequence[CheckpointHeader],
        rest: Callable[[], Awaitable[bool]],
    ) -> None:
        self._searches = searches
        self._way = way
        self._rest = rest
        # checkpoint -> the hits there of the searches that count
        self._counted: dict[str, dict[int, Hit]] = {}
        self._read = 0

    async def nearest(self) -> Nearest:
        """Return the nearest hit, or none if there is none or it was stopped."""
        for place, search in enumerate(self._searches):
            if search.query.counts_hits and not await self._count(place, search):
                return Nearest(read=self._read, complete=False)
        end = len(self._way)
        size = FIRST_BATCH
        while end:
            start = max(0, end - size)
            nearest = await self._last_in(self._way[start:end])
            if nearest is not None:
                return nearest
            end = start
            size = min(2 * size, LARGEST_BATCH)
            if end and not await self._rest():
                return Nearest(read=self._read, complete=False)
        return Nearest(read=self._read)

    async def _count(self, place: int, search: Search) -> bool:
        """Note all hits of a search on the way; return False if it was stopped."""
        for start in range(0, len(self._way), LARGEST_BATCH):
            for hit in await search.look(self._way[start : start + LARGEST_BATCH]):
                self._counted.setdefault(hit.header.id, {})[place] = hit
            if not await self._rest():
                return False
        return True

    async def _last_in(self, headers: Sequence[CheckpointHeader]) -> Nearest | None:
        """Return the last hit in a part of the way."""
        self._read += len(headers)
        hits = {header.id: dict(self._counted.get(header.id, {})) for header in headers}
        for place, search in enumerate(self._searches):
            if not search.query.counts_hits:
                for hit in await search.look(headers):
                    hits[hit.header.id][place] = hit
        for header in reversed(headers):
            if hits[header.id]:
                place = min(hits[header.id])
                return Nearest(hits[header.id][place], place, self._read)
        return None
