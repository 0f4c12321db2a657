"""What the host remembers of supersteps that it ran or looked at, so that a moment can tell of those before it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from runtime.checkpoint import CheckpointHeader
from runtime.debug.joins import History
from runtime.state import Trace

REMEMBERED = 2000
LOOK_BACK = 500


@dataclass(frozen=True, slots=True)
class _Step:
    parent: str | None
    superstep: int
    trace: Trace


class Trail:
    """Traces by checkpoint id, the last few thousand; payloads are not kept."""

    def __init__(self) -> None:
        self._steps: OrderedDict[str, _Step] = OrderedDict()

    def add(self, header: CheckpointHeader, trace: Trace) -> None:
        self._steps[header.id] = _Step(header.parent, header.superstep, replace(trace, outputs=()))
        if len(self._steps) > REMEMBERED:
            self._steps.popitem(last=False)

    def clear(self) -> None:
        self._steps.clear()

    def before(self, header: CheckpointHeader) -> History:
        """What is known of the ancestors of a checkpoint, itself not included."""
        seconds: dict[str, float] = {}
        arrived: dict[tuple[str, str], list[tuple[int, int]]] = {}
        fired: dict[str, int] = {}
        for step in self._ancestors(header):
            for invocation in step.trace.invocations:
                seconds.setdefault(invocation.executor_id, invocation.seconds)
            for fate in step.trace.fates:
                if fate.kind == "buffered" and fate.edge_id is not None:
                    arrived.setdefault((fate.edge_id, fate.source_id), []).append((step.superstep, fate.count))
            for release in step.trace.releases:
                fired.setdefault(release.edge_id, step.superstep)
        return History(seconds, arrived, fired)

    def _ancestors(self, header: CheckpointHeader) -> Iterator[_Step]:
        at, left = header.parent, LOOK_BACK
        while left and at is not None and (step := self._steps.get(at)) is not None:
            yield step
            at, left = step.parent, left - 1
