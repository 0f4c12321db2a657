"""Collects the facts of earlier supersteps from their traces, the newest first."""

from __future__ import annotations

from runtime.checkpoint import CheckpointHeader
from runtime.debug.supersteps.nodes import attempts_of, errors_of, seconds_of
from runtime.debug.supersteps.past_supersteps import Past, When
from runtime.state import Fate, Release, Trace

RELEASES = 20  # of one join


class PastFacts:
    """Collect the facts of supersteps, the newest first: what is known stays."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._ran: dict[str, int] = {}
        self._errors: dict[str, str] = {}
        self._attempts: dict[str, int] = {}
        self._arrived: dict[tuple[str, str], list[tuple[int, int]]] = {}
        self._passed: dict[tuple[str, str], list[tuple[int, int]]] = {}
        self._fired: dict[str, int] = {}
        self._releases: dict[str, list[tuple[When, tuple[int, ...]]]] = {}
        self._taken: dict[str, tuple[int, str]] = {}
        self._refused: dict[tuple[str, str], tuple[int, str]] = {}
        self._dropped: dict[tuple[str, str], tuple[int, str]] = {}
        self._wrote: dict[tuple[str, str], When] = {}

    def add(self, header: CheckpointHeader, trace: Trace) -> None:
        when = When(header.superstep, header.id)
        failed = errors_of(trace)
        tried = attempts_of(trace)
        for executor_id, took in seconds_of(trace).items():
            self._seconds.setdefault(executor_id, took)
            self._ran.setdefault(executor_id, when.superstep)
            self._errors.setdefault(executor_id, failed.get(executor_id, ""))
            self._attempts.setdefault(executor_id, tried[executor_id])
        firing = {release.edge_id for release in trace.releases}
        for fate in trace.fates:
            self._add_fate(fate, when.superstep)
            if fate.kind == "delivered" and fate.edge_id in firing:
                passed = self._passed.setdefault((fate.edge_id, fate.source_id), [])
                if len(passed) < RELEASES:
                    passed.append((when.superstep, fate.count))
        for release in trace.releases:
            self._add_release(release, when)
        for call in trace.invocations:
            for key in call.wrote:
                self._wrote.setdefault((call.executor_id, key), when)
        for write in trace.writes:
            self._wrote.setdefault((write.executor_id, write.key), when)

    def _add_fate(self, fate: Fate, superstep: int) -> None:
        if fate.edge_id is None:
            return
        if fate.case:
            self._taken.setdefault(fate.edge_id, (superstep, fate.case))
        if fate.kind == "buffered":
            arrivals = self._arrived.setdefault((fate.edge_id, fate.source_id), [])
            arrivals.append((superstep, fate.count))
        if fate.kind == "dropped" and fate.target_id is not None:
            drop = (superstep, fate.reason)
            self._refused.setdefault((fate.edge_id, fate.target_id), drop)
            self._dropped.setdefault((fate.edge_id, fate.source_id), drop)

    def _add_release(self, release: Release, when: When) -> None:
        self._fired.setdefault(release.edge_id, when.superstep)
        releases = self._releases.setdefault(release.edge_id, [])
        if len(releases) < RELEASES:
            releases.append((when, release.counts))

    def past(self) -> Past:
        return Past(
            seconds=self._seconds,
            arrived=self._arrived,
            passed=self._passed,
            fired=self._fired,
            errors=self._errors,
            attempts=self._attempts,
            taken=self._taken,
            ran=self._ran,
            releases=self._releases,
            refused=self._refused,
            dropped=self._dropped,
            wrote=self._wrote,
        )
