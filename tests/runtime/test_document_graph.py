"""The one graph of a document: how often messages go along its arcs, and what nodes
that are off cut off.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from runtime.document.definition import WorkflowDefinition
from runtime.document.graph import Graph, graph_of, reached, strongly_connected


def graph(nodes: str, *edges: dict[str, Any], off: str = "") -> Graph:
    """The graph of nodes with one letter each; those in `off` are disabled."""
    definition = WorkflowDefinition.model_validate(
        {
            "start": nodes[0],
            "nodes": [
                {"id": id, "type": "log", "off": "disabled" if id in off else ""}
                for id in nodes
            ],
            "edges": [{"id": str(at), **edge} for at, edge in enumerate(edges)],
        }
    )
    return graph_of(definition)


def direct(source: str, target: str, condition: str = "") -> dict[str, Any]:
    ends = {"source": source, "target": target}
    return {"kind": "direct", **ends, "condition": condition}


def join(sources: str, target: str, policy: str = "all") -> dict[str, Any]:
    ends = {"sources": list(sources), "target": target}
    return {"kind": "fan_in", **ends, "policy": policy}


def on_error(source: str, target: str) -> dict[str, Any]:
    return {"kind": "on_error", "source": source, "target": target}


def switch(source: str, *targets: str) -> dict[str, Any]:
    cases = [{"when": "true", "target": target} for target in targets[:-1]]
    return {"kind": "switch", "source": source, "cases": cases, "default": targets[-1]}


def test_an_arc_says_how_often_a_message_goes_along_it() -> None:
    selection = {
        "kind": "multi_selection",
        "source": "a",
        "selections": [{"target": "c"}, {"target": "d", "when": "message > 1"}],
    }
    drawn = graph(
        "abcd",
        direct("a", "b"),
        direct("b", "c", "message > 1"),
        switch("b", "c", "d", "d"),
        selection,
        on_error("b", "d"),
        join("bc", "d"),
    )
    assert [(arc.source, arc.target, arc.taken) for arc in drawn.arcs] == [
        ("a", "b", "always"),
        ("b", "c", "maybe"),
        ("b", "c", "one"),
        ("b", "d", "one"),
        ("a", "c", "always"),
        ("a", "d", "maybe"),
        ("b", "d", "maybe"),
        ("b", "d", "always"),
        ("c", "d", "always"),
    ]


def test_an_arc_is_certain_where_what_the_edge_carries_always_comes_along_it() -> None:
    drawn = graph(
        "ab", on_error("a", "b"), switch("a", "b", "b"), direct("a", "b", "x")
    )
    assert [arc.is_certain for arc in drawn.arcs] == [True, True, False]


def test_between_two_nodes_the_edge_for_messages_is_named_before_the_error_edge() -> (
    None
):
    drawn = graph("ab", direct("a", "b"), on_error("a", "b"))
    assert drawn.edge_of == {("a", "b"): "0"}


def test_a_start_is_reachable_from_itself_only_by_a_loop() -> None:
    line = graph("abc", direct("a", "b"), direct("b", "c"))
    assert line.reachable("a") == {"b", "c"}
    loop = graph("abc", direct("a", "b"), direct("b", "a"), direct("b", "c"))
    assert loop.reachable("a") == {"a", "b", "c"}
    assert reached(line.targets, "b") == {"b", "c"}


@given(st.lists(st.lists(st.integers(0, 11), max_size=4), min_size=12, max_size=12))
def test_components_are_those_of_networkx_in_its_order(ways: list[list[int]]) -> None:
    targets = {str(place): list(map(str, way)) for place, way in enumerate(ways)}
    drawn: nx.DiGraph[str] = nx.DiGraph(targets)
    components = [set(component) for component in strongly_connected(targets)]
    assert components == list(nx.strongly_connected_components(drawn))


def test_components_of_a_chain_of_ten_thousand_nodes_are_its_nodes() -> None:
    targets = {str(place): [str(place + 1)] for place in range(10_000)}
    targets["10000"] = []
    assert len(list(strongly_connected(targets))) == 10_001


def test_components_are_loops_or_single_nodes_in_the_documents_order() -> None:
    drawn = graph(
        "abcd", direct("a", "c"), direct("c", "b"), direct("b", "c"), direct("d", "d")
    )
    components = {tuple(nodes): is_loop for nodes, is_loop in drawn.components}
    assert components == {("a",): False, ("b", "c"): True, ("d",): True}
    assert drawn.component_of["b"] == drawn.component_of["c"]


def test_pairs_that_lead_back_are_found_from_the_start_and_behind_disabled_nodes() -> (
    None
):
    edges = (direct("a", "b"), direct("b", "c"), direct("c", "a"), direct("c", "c"))
    assert graph("abc", *edges, off="b").back_pairs == {("c", "a"), ("c", "c")}


def test_the_walk_for_ways_back_is_not_recursive() -> None:
    ids = [f"n{number}" for number in range(5000)]
    nodes = [{"id": id, "type": "log"} for id in ids]
    edges = [
        {"id": source, **direct(source, target)} for source, target in pairwise(ids)
    ]
    edges.append({"id": "back", **direct(ids[-1], ids[0])})
    definition = WorkflowDefinition.model_validate(
        {"start": ids[0], "nodes": nodes, "edges": edges}
    )
    assert graph_of(definition).back_pairs == {(ids[-1], ids[0])}


def test_without_an_edge_its_arcs_lead_nowhere() -> None:
    drawn = graph("abc", direct("a", "b"), direct("a", "c"))
    assert drawn.targets_without(drawn.edges[0])["a"] == ["c"]


def test_nothing_comes_along_the_arcs_out_of_a_disabled_node() -> None:
    drawn = graph("abcd", direct("a", "b"), direct("b", "c"), direct("c", "d"), off="b")
    assert [arc.source for arc in drawn.live] == ["a", "c"]
    assert [arc.source for arc in drawn.muted] == ["b"]
    assert drawn.lost == {"c": ["b"], "d": ["b"]}


def test_a_join_waits_for_its_other_sources_so_it_is_lost_only_with_all_of_them() -> (
    None
):
    edges = (direct("a", "b"), direct("a", "c"), join("bc", "d"))
    assert graph("abcd", *edges, off="b").lost == {}
    assert graph("abcd", *edges, off="bc").lost == {"d": ["b", "c"]}
