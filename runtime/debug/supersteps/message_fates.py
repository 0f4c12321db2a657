"""The recorded fates of one superstep's messages: those of one run of the tree, and
which messages were lost.

A message is lost when no edge took it. Fates are sums by way: if a source sent several
messages, the positions in the queue tell which of them took the way. Older records have
no positions; what they leave open is None here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from runtime.debug.graphs.graph import Graph
from runtime.debug.supersteps.next_superstep import Routed
from runtime.edges.base import TARGET_MISMATCH
from runtime.state import Fate, Invocation, Release, Trace, owner_of


def routed_in(
    routed: Routed | None, path: Sequence[str], graph: Graph, owners: Collection[str]
) -> Routed | None:
    """Return how messages were routed in one run of the tree; None if that is
    unknown for the whole.
    """
    if routed is None:
        return None
    return Routed(*_ways_in(routed, path, graph, owners))


def trace_in(
    trace: Trace, path: Sequence[str], graph: Graph, owners: Collection[str]
) -> Trace:
    """Return what one run of the tree did in a superstep, with its own names.

    `path` has the keys of the runs that lead to it, and `owners` are its executors:
    the runs inside them are left out. Writes, requests and outputs are recorded for
    the outermost run only; for others, the invocations have them.
    """
    invocations = tuple(_invocations_in(trace.invocations, prefix_of(path), owners))
    fates, releases = _ways_in(trace, path, graph, owners)
    if not path:
        return replace(trace, invocations=invocations, fates=fates, releases=releases)
    return Trace(invocations, fates, releases, seconds=trace.seconds)


def prefix_of(path: Sequence[str]) -> str:
    """Return the prefix of names of a run inside, from the keys of the runs that
    lead to it.
    """
    return "".join(f"{key}/" for key in path)


def _ways_in(
    recorded: Trace | Routed, path: Sequence[str], graph: Graph, owners: Collection[str]
) -> tuple[tuple[Fate, ...], tuple[Release, ...]]:
    prefix = prefix_of(path)
    fates = _fates_in(recorded.fates, prefix, owners)
    releases = _releases_in(recorded.releases, prefix, owners)
    return _named_as_in(graph, tuple(fates), tuple(releases))


def _invocations_in(
    invocations: Iterable[Invocation], prefix: str, owners: Collection[str]
) -> Iterable[Invocation]:
    for invocation in invocations:
        name = _own(invocation.executor_id, prefix, owners)
        if name is not None:
            yield invocation if not prefix else replace(invocation, executor_id=name)


def _fates_in(
    fates: Iterable[Fate], prefix: str, owners: Collection[str]
) -> Iterable[Fate]:
    for fate in fates:
        name = _own(fate.source_id, prefix, owners)
        if name is None:
            continue
        if not prefix:
            yield fate
            continue
        target = fate.target_id
        edge = fate.edge_id
        yield replace(
            fate,
            source_id=name,
            target_id=None if target is None else target.removeprefix(prefix),
            edge_id=None if edge is None else edge.removeprefix(prefix),
        )


def _releases_in(
    releases: Iterable[Release], prefix: str, owners: Collection[str]
) -> Iterable[Release]:
    for release in releases:
        target = _own(release.target_id, prefix, owners)
        if target is not None:
            yield replace(
                release, edge_id=release.edge_id.removeprefix(prefix), target_id=target
            )


def _named_as_in(
    graph: Graph, fates: tuple[Fate, ...], releases: tuple[Release, ...]
) -> tuple[tuple[Fate, ...], tuple[Release, ...]]:
    """Return the fates with the edge ids of the graph. A workflow made in code has
    other ids, because names are not part of a signature; there source and
    target identify the edge.
    """
    known = graph.edge_ids
    others: dict[str, str] = {}
    for fate in fates:
        if fate.edge_id and fate.edge_id not in known and fate.target_id is not None:
            others[fate.edge_id] = graph.edge_of.get(
                (fate.source_id, fate.target_id), fate.edge_id
            )
    if not others:
        return fates, releases
    return (
        tuple(
            replace(fate, edge_id=others.get(fate.edge_id or "", fate.edge_id))
            for fate in fates
        ),
        tuple(
            replace(release, edge_id=others.get(release.edge_id, release.edge_id))
            for release in releases
        ),
    )


def _own(name: str, prefix: str, owners: Collection[str]) -> str | None:
    """Return the name as the run itself has it; None if it belongs to another run."""
    if not name.startswith(prefix):
        return None
    own_name = name[len(prefix) :]
    key, slash, _ = own_name.partition("/")
    is_deeper = bool(slash) and own_name not in owners and owner_of(key) in owners
    return None if is_deeper else own_name


# --- what was lost ------------------------------------------------------------------------------------------------


def losses(fates: Sequence[Fate]) -> dict[Fate, int | None]:
    """Return for each drop how many of its messages no other edge took; None if
    the record leaves it open.
    """
    by_source: dict[str, list[Fate]] = {}
    for fate in fates:
        by_source.setdefault(fate.source_id, []).append(fate)
    return {
        fate: _lost(fate, some)
        for some in by_source.values()
        for fate in some
        if fate.kind == "dropped"
    }


def _lost(dropped: Fate, of_source: Sequence[Fate]) -> int | None:
    carried = [fate for fate in of_source if fate.kind != "dropped"]
    if not carried:
        return dropped.count
    sent = _sent(of_source)
    if any(not fate.positions and fate.count >= sent for fate in carried):
        return 0  # all of its messages went that way
    if not all(fate.positions for fate in carried):
        return None
    taken = {position for fate in carried for position in fate.positions}
    if dropped.positions:
        return len(set(dropped.positions) - taken)
    return dropped.count - len(taken) if dropped.count >= sent else None


def _sent(of_source: Sequence[Fate]) -> int:
    """Return how many messages a source sent, as far as its fates tell: each has
    one on every way that was open to it.
    """
    ways: dict[tuple[str | None, str | None], int] = {}
    elsewhere: dict[str | None, int] = {}
    for fate in of_source:
        if fate.reason == TARGET_MISMATCH:
            elsewhere[fate.edge_id] = elsewhere.get(fate.edge_id, 0) + fate.count
        else:
            way = (fate.edge_id, fate.target_id)
            ways[way] = ways.get(way, 0) + fate.count
    return max(
        (count + elsewhere.get(edge, 0) for (edge, _), count in ways.items()), default=0
    )
