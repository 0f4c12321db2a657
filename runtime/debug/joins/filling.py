"""How a join filled, superstep by superstep: counted back from what it holds now, by the
recorded arrivals and releases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from runtime.debug.graphs.graph import Join
from runtime.debug.protocol import JoinFill
from runtime.debug.supersteps.past_supersteps import Past
from runtime.debug.supersteps.trail_facts import RELEASES
from runtime.state import Trace

SHOWN = 8  # supersteps, the newest ones


def filling(
    join: Join, held: Mapping[str, int], trace: Trace, superstep: int, history: Past
) -> tuple[JoinFill, ...]:
    """Return the supersteps in which something arrived at the join or left it, the
    oldest first. `held` is what it holds of each source after `superstep`.
    """
    arrived, released = _changes(join, trace, superstep, history)
    have = Counter({source: held.get(source, 0) for source in join.sources})
    fills = list[JoinFill]()
    for number in sorted(arrived.keys() | released.keys(), reverse=True):
        came = arrived.get(number, Counter())
        left = released.get(number, Counter())
        fills.append(
            JoinFill(
                superstep=number,
                have=tuple(have[source] for source in join.sources),
                released=tuple(left[source] for source in join.sources),
            )
        )
        have.update(left)
        have.subtract(came)
        # A part of the record is missing, so earlier counts are not known.
        if len(fills) == SHOWN or min(have.values(), default=0) < 0:
            break
    return tuple(reversed(fills))


_Changes = dict[int, Counter[str]]


def _changes(
    join: Join, trace: Trace, superstep: int, history: Past
) -> tuple[_Changes, _Changes]:
    """Return by superstep how many messages of each source arrived and left."""
    arrived: _Changes = {}
    released: _Changes = {}
    for fate in trace.fates:
        if fate.edge_id == join.edge and fate.kind != "dropped":
            arrived.setdefault(superstep, Counter())[fate.source_id] += fate.count
    for release in trace.releases:
        if release.edge_id == join.edge:
            counts = dict(zip(join.sources, release.counts, strict=False))
            released.setdefault(superstep, Counter()).update(counts)
    releases = history.releases.get(join.edge, ())
    for when, counts_by_source in releases:
        counts = dict(zip(join.sources, counts_by_source, strict=False))
        released.setdefault(when.superstep, Counter()).update(counts)
    # Before the oldest release of a cut list nothing is known.
    known_since = releases[-1][0].superstep if len(releases) == RELEASES else 0
    for source in join.sources:
        way = (join.edge, source)
        for arrivals in (history.arrived.get(way, ()), history.passed.get(way, ())):
            for number, count in arrivals:
                if number >= known_since:
                    arrived.setdefault(number, Counter())[source] += count
    return arrived, released
