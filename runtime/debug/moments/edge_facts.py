"""The recorded messages of an edge group, collected one by one."""

from __future__ import annotations

from collections import Counter

from runtime.debug.protocol import Drop, EdgeMoment
from runtime.state import Fate


class EdgeFacts:
    """Collect the facts of one edge group."""

    def __init__(self) -> None:
        self.delivered: Counter[tuple[str, str]] = Counter()
        self.queued: Counter[tuple[str, str]] = Counter()
        self.dropped: list[Drop] = []
        self.cases: dict[str, None] = {}
        self.taken: dict[str, None] = {}

    def add_drop(self, fate: Fate, lost: int | None) -> None:
        drop = Drop(
            source=fate.source_id,
            target=fate.target_id or "",
            reason=fate.reason,
            count=fate.count,
            lost=lost,
        )
        self.dropped.append(drop)

    def moment(self) -> EdgeMoment:
        return EdgeMoment(
            delivered=tuple(
                (source, target, count)
                for (source, target), count in self.delivered.items()
            ),
            dropped=tuple(self.dropped),
            queued=tuple(
                (source, target, count)
                for (source, target), count in self.queued.items()
            ),
            cases=tuple(self.cases),
            taken=tuple(self.taken),
        )
