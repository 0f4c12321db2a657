"""Edits are total and consistent: a design that holds together still does after any of
them.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from designer.model import edits
from designer.model.design import Design
from designer.model.edits import EditError, ends
from runtime.document.definition import (
    DirectEdge,
    EdgeDefinition,
    FanInEdge,
    FanOutEdge,
    MultiSelectionEdge,
    SwitchCase,
    SwitchEdge,
)
from tests.designer.model.designs import (
    Edit,
    any_edit,
    design,
    designs,
    direct,
    fan_out,
    join,
    selection,
    switch,
)


def assert_consistent(drawing: Design) -> None:
    workflow = drawing.workflow
    nodes = [node.id for node in workflow.nodes]
    ids = nodes + [edge.id for edge in workflow.edges]
    assert len(ids) == len(set(ids))
    pairs = [pair for edge in workflow.edges for pair in edge.pairs]
    assert len(pairs) == len(set(pairs))
    assert {end for pair in pairs for end in pair} <= set(nodes)
    assert workflow.start in {"", *nodes}
    assert drawing.positions.keys() <= set(nodes)
    for edge in workflow.edges:
        if not isinstance(edge, DirectEdge | SwitchEdge):
            assert len(edge.pairs) >= 2


@given(st.lists(any_edit(), max_size=12))
def test_any_edits_leave_a_consistent_design(steps: list[Edit]) -> None:
    drawing = Design()
    for step in steps:
        drawing = step(drawing)
        assert_consistent(drawing)


@given(designs(), any_edit())
def test_a_half_finished_file_can_be_edited(drawing: Design, step: Edit) -> None:
    assert isinstance(step(drawing), Design)


@given(designs(), st.sets(st.sampled_from("abcdef")))
def test_what_is_removed_is_gone_and_nothing_else_is(
    drawing: Design, gone: set[str]
) -> None:
    left = edits.remove(drawing, gone)
    assert [node.id for node in left.workflow.nodes] == [
        n.id for n in drawing.workflow.nodes if n.id not in gone
    ]
    removed = gone & {node.id for node in drawing.workflow.nodes}
    assert not any(ends.ends(edge) & removed for edge in left.workflow.edges)
    untouched = [
        edge for edge in drawing.workflow.edges if not ends.ends(edge) & removed
    ]
    assert [edge for edge in untouched if edge not in left.workflow.edges] == []


# --- nodes --------------------------------------------------------------------------------------------------------


def test_ids_come_from_name_or_type_and_are_unique() -> None:
    drawing = Design()
    for type_, name in [
        ("python", "Fetch the page!"),
        ("python", "Fetch the page"),
        ("ask-person", ""),
        ("x", "入力 2"),
    ]:
        drawing, _ = edits.add_node(drawing, type_, (0, 0), name=name)
    assert [node.id for node in drawing.workflow.nodes] == [
        "fetch_the_page",
        "fetch_the_page_2",
        "ask_person",
        "入力_2",
    ]


def test_a_node_never_gets_the_id_of_an_edge() -> None:
    drawing = design("ab", DirectEdge(id="fetch", source="a", target="b"))
    assert edits.add_node(drawing, "fetch", (0, 0))[1] == "fetch_2"
    with pytest.raises(EditError, match="taken"):
        edits.set_id(drawing, "a", "fetch")


def test_only_the_first_node_becomes_the_start() -> None:
    drawing, first = edits.add_node(Design(), "python", (0, 0))
    drawing, _ = edits.add_node(drawing, "python", (0, 0))
    assert drawing.workflow.start == first
    assert edits.remove(drawing, [first]).workflow.start == ""


def test_a_new_id_is_followed_by_edges_start_and_position() -> None:
    edges = (
        direct("a", "b"),
        join("ac", "d"),
        switch("a", "c", "e"),
        selection("b", "ac"),
        fan_out("e", "ab"),
    )
    changed = edits.set_id(design("abcde", *edges), "a", "first")
    assert changed.workflow.start == "first"
    assert changed.positions["first"] == (0, 0)
    assert "a" not in changed.positions
    assert all("a" not in ends.ends(edge) for edge in changed.workflow.edges)
    assert [edge.id for edge in changed.workflow.edges] == [edge.id for edge in edges]
    with pytest.raises(EditError, match="'b' is taken"):
        edits.set_id(changed, "first", "b")
    with pytest.raises(EditError, match="needs an id"):
        edits.set_id(changed, "first", "  ")


def test_params_are_the_designs_own() -> None:
    given_params = {"list": [1]}
    drawing = edits.set_params(design("a"), "a", given_params)
    given_params["list"].append(2)
    assert drawing.workflow.nodes[0].params == {"list": [1]}


def test_case_144_unknown_fields_of_everything_survive_edits() -> None:
    edge = FanOutEdge.model_validate(
        {"id": "f", "source": "a", "targets": ["b", "c"], "colour": "red"}
    )
    drawing = design("abc", edge)
    node = drawing.workflow.nodes[0].model_copy(
        update={"type": "from.elsewhere", "rank": 7}
    )
    workflow = drawing.workflow.model_copy(
        update={"nodes": (node, *drawing.workflow.nodes[1:]), "owner": "me"}
    )
    drawing = Design(workflow, drawing.positions, {"tool": 1}, {"zoom": 2})
    drawing = edits.move(
        edits.rename(edits.remove(drawing, ["c"]), "a", "A"), {"b": (8, 8)}
    )
    assert drawing.workflow.model_extra == {"owner": "me"}
    assert drawing.workflow.nodes[0].model_extra == {"rank": 7}
    assert drawing.workflow.edges[0].model_extra == {"colour": "red"}
    assert (drawing.extra, drawing.layout_extra) == ({"tool": 1}, {"zoom": 2})


def test_moves_are_exact_and_a_move_to_the_same_place_is_no_edit() -> None:
    drawing = design("ab")
    assert edits.move(drawing, {"a": (0.0, 0.0)}) is drawing
    assert edits.move(drawing, {"a": (0.1, -7)}).positions == {
        "a": (0.1, -7),
        "b": (240, 0),
    }
    with pytest.raises(EditError, match="no node 'x'"):
        edits.move(drawing, {"x": (0, 0)})
    with pytest.raises(EditError, match="no place"):
        edits.move(drawing, {"a": (float("nan"), 0)})


def test_workflow_properties_change_one_by_one() -> None:
    drawing = edits.set_workflow(design("a"), name="Audit", input=[1])
    drawing = edits.set_workflow(drawing, max_supersteps=7, description="d")
    workflow = drawing.workflow
    assert (
        workflow.name,
        workflow.max_supersteps,
        workflow.description,
        workflow.input,
    ) == ("Audit", 7, "d", [1])
    assert edits.set_workflow(drawing, input=None).workflow.input is None
    with pytest.raises(EditError, match="max_supersteps"):
        edits.set_workflow(drawing, max_supersteps=0)


# --- a switch, way by way -----------------------------------------------------------------------------------------


def test_a_switch_grows_way_by_way_from_its_default() -> None:
    drawing, edge_id = edits.connect_case(design("abcd"), "a", "b")
    assert drawing.workflow.edges == (
        SwitchEdge(id=edge_id, source="a", cases=(), default="b"),
    )
    for target in ("c", "d", "c"):
        drawing, same = edits.connect_case(drawing, "a", target)
        assert same == edge_id
    (edge,) = drawing.workflow.edges
    assert isinstance(edge, SwitchEdge)
    assert [(case.name, case.when, case.target) for case in edge.cases] == [
        ("case 1", "", "c"),
        ("case 2", "", "d"),
        ("case 3", "", "c"),
    ]


def test_a_new_case_never_gets_the_name_of_another() -> None:
    edge = SwitchEdge(
        id="s",
        source="a",
        cases=(SwitchCase(name="case 2", when="true", target="b"),),
        default="b",
    )
    assert edits.new_case(edge, "b").name == "case 3"


def test_what_is_left_of_a_switch_is_its_default_when_it_grows_again() -> None:
    drawing = edits.remove(design("abcd", switch("a", "b", "c")), ["b"])
    assert [edge.kind for edge in drawing.workflow.edges] == ["direct"]
    drawing, _ = edits.connect_case(drawing, "a", "d")
    (edge,) = drawing.workflow.edges
    assert isinstance(edge, SwitchEdge)
    assert (edge.default, [case.target for case in edge.cases]) == ("c", ["d"])


def test_a_group_without_ends_is_refused_with_a_reason_when_it_is_converted() -> None:
    with pytest.raises(EditError, match="leads nowhere"):
        edits.convert(design("a", fan_out("a", "")), "fan_out:a", "multi_selection")


# --- edges shrink -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edge", "gone", "left"),
    [
        (direct("a", "b"), "b", None),
        (fan_out("a", "bcd"), "c", fan_out("a", "bd")),
        (fan_out("a", "bc"), "c", direct("a", "b")),
        (fan_out("a", "bc"), "bc", None),
        (fan_out("a", "bc"), "a", None),
        (join("abc", "d", policy="zip"), "b", join("ac", "d", policy="zip")),
        (join("ab", "d"), "b", direct("a", "d")),
        (join("ab", "d"), "d", None),
        (switch("a", "bc", "d"), "b", switch("a", "c", "d")),
        (switch("a", "b", "d"), "b", direct("a", "d")),
        (switch("a", "bc", "d"), "d", None),
        (switch("a", "bcd", "d"), "d", None),
        (selection("a", "bcd"), "c", selection("a", "bd")),
        (selection("a", "bc"), "c", direct("a", "b", "message == 'b'")),
    ],
)
def test_a_group_that_loses_ends_shrinks_sensibly(
    edge: EdgeDefinition, gone: str, left: object
) -> None:
    assert ends.without(edge, gone) == left
    assert list(edits.remove(design("abcd", edge), gone).workflow.edges) == (
        [left] if left else []
    )


# --- connecting ---------------------------------------------------------------------------------------------------


def test_a_plain_edge_goes_beside_groups_but_never_twice() -> None:
    drawing, key = edits.connect(
        design("abcd", fan_out("a", "bc"), join("bc", "d")), "a", "d"
    )
    assert key == "a->d"
    assert drawing.workflow.edges[-1] == direct("a", "d")
    for source, target in [("a", "d"), ("a", "b"), ("c", "d")]:
        with pytest.raises(
            EditError, match=f"'{source}' and '{target}' are connected already"
        ) as caught:
            edits.connect(drawing, source, target)
        assert {source, target} <= set(caught.value.ids)
    with pytest.raises(EditError, match="no node 'x'"):
        edits.connect(drawing, "a", "x")
    assert edits.connect(drawing, "a", "a")[1] == "a->a"


def test_groups_are_made_with_readable_unique_ids() -> None:
    drawing, out = edits.connect_fan_out(design("abcdef"), "a", ["b", "c"])
    drawing, second = edits.connect_fan_out(drawing, "a", ["d", "e"])
    drawing, joined = edits.connect_join(drawing, ["b", "c"], "f")
    case = SwitchCase(when="true", target="a")
    drawing, switched = edits.connect_switch(drawing, "f", [case, case], "a")
    assert (out, second, joined, switched) == (
        "fan_out:a",
        "fan_out:a_2",
        "fan_in:f",
        "switch:f",
    )
    assert_consistent(drawing)


def test_groups_need_two_different_ends() -> None:
    with pytest.raises(EditError, match="two targets or more"):
        edits.connect_fan_out(design("ab"), "a", ["b"])
    with pytest.raises(EditError, match="'b' is in 'fan_in:a' already"):
        edits.connect_join(design("ab"), ["b", "b"], "a")


def test_a_join_takes_one_more_source() -> None:
    drawing = edits.add_to_join(
        design("abcd", join("ab", "d"), direct("a", "b")), "fan_in:d", "c"
    )
    assert drawing.workflow.edges[0] == join("abc", "d")
    with pytest.raises(EditError, match="already"):
        edits.add_to_join(drawing, "fan_in:d", "c")
    with pytest.raises(EditError, match="no join"):
        edits.add_to_join(drawing, "a->b", "c")


def test_fields_of_a_group_change_and_its_kind_stays() -> None:
    drawing = design(
        "abc", join("ab", "c"), switch("a", "b", "c").model_copy(update={"note": "x"})
    )
    changed = edits.set_edge(
        drawing, "switch:a", cases=[{"when": "message > 3", "target": "b"}]
    )
    assert changed.workflow.edges[1].model_extra == {"note": "x"}
    assert changed.workflow.edges[1].cases == (
        SwitchCase(when="message > 3", target="b"),
    )  # type: ignore[union-attr]
    with pytest.raises(EditError, match=r"count: .*integer"):
        edits.set_edge(drawing, "fan_in:c", count="many")
    with pytest.raises(EditError, match="no node 'x'"):
        edits.set_edge(drawing, "switch:a", default="x")
    with pytest.raises(TypeError, match="kind"):
        edits.set_edge(drawing, "fan_in:c", kind="direct")


def test_policy_and_count_of_a_join_agree() -> None:
    drawing = edits.set_edge(design("abc", join("ab", "c")), "fan_in:c", policy="count")
    assert drawing.workflow.edges[0] == join("ab", "c", policy="count", count=2)
    assert edits.set_edge(drawing, "fan_in:c", policy="any").workflow.edges[0] == join(
        "ab", "c", policy="any"
    )


def test_an_edge_that_a_file_left_dangling_can_still_be_edited() -> None:
    drawing = edits.set_edge(design("a", direct("a", "x")), "a->x", condition="true")
    assert drawing.workflow.edges[0] == direct("a", "x", "true")


# --- converting ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plain", "kind", "group"),
    [
        ((direct("a", "b"), direct("a", "c")), "fan_out", fan_out("a", "bc")),
        ((direct("a", "c"), direct("b", "c")), "fan_in", join("ab", "c")),
        (
            (direct("a", "b", "message == 'b'"), direct("a", "c", "message == 'c'")),
            "multi_selection",
            selection("a", "bc"),
        ),
    ],
)
def test_converting_there_and_back_is_lossless(
    plain: tuple[DirectEdge, ...],
    kind: edits.ConvertKind,
    group: FanOutEdge | FanInEdge | MultiSelectionEdge,
) -> None:
    drawing = design("abc", *plain)
    grouped, keys = edits.convert(drawing, {edge.id for edge in plain}, kind)
    assert grouped.workflow.edges == (group,)
    assert keys == (group.id,)
    back, _ = edits.convert(grouped, group.id, "direct")
    assert back == drawing


def test_one_plain_edge_or_its_node_stands_for_its_siblings() -> None:
    drawing = design(
        "abcd", direct("a", "b"), direct("a", "c"), direct("b", "d"), direct("c", "d")
    )
    assert edits.convert(drawing, "a->c", "fan_out") == edits.convert(
        drawing, "a", "fan_out"
    )
    assert edits.convert(drawing, "b->d", "fan_in")[0].workflow.edges[-1] == join(
        "bc", "d"
    )


@pytest.mark.parametrize(
    ("edges", "ids", "kind", "reason"),
    [
        ([switch("a", "b", "c")], "switch:a", "direct", "tries its cases in order"),
        ([join("ab", "c", policy="zip")], "fan_in:c", "direct", "policy 'zip'"),
        (
            [direct("a", "b", "true"), direct("a", "c")],
            "a",
            "fan_out",
            "condition of a -> b",
        ),
        (
            [direct("a", "b"), direct("b", "c")],
            ["a->b", "b->c"],
            "fan_out",
            "leave one node",
        ),
        ([direct("a", "b")], "a->b", "fan_out", "two different edges"),
        ([], "a", "fan_out", "no edge"),
    ],
)
def test_a_conversion_that_would_lose_something_is_refused(
    edges: list[EdgeDefinition], ids: str, kind: edits.ConvertKind, reason: str
) -> None:
    with pytest.raises(EditError, match=reason):
        edits.convert(design("abc", *edges), ids, kind)


@pytest.mark.parametrize("name", [" ", "\t\n", "\u00a0", "\u200b"])
def test_a_name_of_blanks_alone_is_refused(name: str) -> None:
    with pytest.raises(EditError, match="blanks"):
        edits.rename(design("ab"), "a", name)
