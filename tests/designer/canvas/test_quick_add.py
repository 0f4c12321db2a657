"""Searching node types, and what fits a wire."""

from __future__ import annotations

import pytest

from designer.canvas.wiring import Wiring, common_type
from designer.model.type_search import score, search
from tests.designer.canvas.support import catalogue, licence_audit

INFOS = list(catalogue().values())


@pytest.mark.parametrize(
    ("query", "first"),
    [("te", "Text template"), ("tt", "Text template"), ("rbl", "Route by licence"), ("pers", "Ask a person")],
)
def test_the_best_answer_comes_first(query: str, first: str) -> None:
    assert search(query, INFOS)[0].title == first


def test_letters_must_be_there_and_in_order() -> None:
    assert score("xt", "Text") is not None
    assert score("tx", "xt") is None
    assert search("zzz", INFOS) == []
    assert search("  ", INFOS) == INFOS


def test_a_category_is_found_too() -> None:
    assert "Filter" in [info.title for info in search("data", INFOS)]


@pytest.mark.parametrize(
    ("sent", "taken", "fits"),
    [
        (("Any",), ("str",), True),
        (("int",), ("Any",), True),
        (("int",), ("str",), False),
        (("int", "str"), ("str",), True),
        (("list[str]",), ("list",), True),
        (("list[str]",), ("list[int]",), False),
        (("int | str",), ("str",), True),
        (("int",), ("object",), True),
    ],
)
def test_types_by_name(sent: tuple[str, ...], taken: tuple[str, ...], fits: bool) -> None:
    assert common_type(sent, taken) is fits


def test_a_refusal_says_why() -> None:
    wiring = Wiring(licence_audit().workflow, catalogue())
    assert wiring.refusal("age_check", "rank_by_reach") == "Rank by reach takes Graph, not AgeReport"
    assert wiring.refusal("age_check", "installed_packages").endswith("it only starts")
    assert wiring.refusal("write_report", "age_check") == "Write report sends nothing"
    assert wiring.refusal("dependency_graph", "rank_by_reach") == ""
    assert wiring.refusal("dependency_graph", "route_by_licence", joined=True) == ""


def test_a_node_of_an_unknown_type_fits_everything() -> None:
    wiring = Wiring(licence_audit().workflow, {})
    assert wiring.refusal("age_check", "rank_by_reach") == ""
