"""Tables: rows are filtered, sorted, grouped and joined, and what is not computed with
travels as it came.
"""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import ExtraMissingError, NodeError
from runtime.nodes.group_rows import GroupRowsExecutor, GroupRowsParams
from runtime.nodes.join_tables import JoinTablesExecutor, JoinTablesParams
from runtime.nodes.sort_rows import SortRowsExecutor, SortRowsParams
from tests.runtime.nodes.single import outputs, problems

ORDERS = [
    {"id": 1, "customer": "ann", "price": 5, "more": {"gift": True}},
    {"id": 2, "customer": "bob", "price": 12, "more": (1, 2)},
    {"id": 3, "customer": "ann", "price": None, "more": None},
    {"id": 4, "customer": "cat", "price": 7.5},
]
CUSTOMERS = [
    {"name": "ann", "city": "Paris"},
    {"name": "bob", "city": "Oslo"},
    {"name": "dan", "city": "Rome"},
]


def ids(rows: list[dict[str, Any]]) -> list[Any]:
    return [row["id"] for row in rows]


async def test_rows_are_kept_where_the_condition_is_true_as_they_came() -> None:
    (kept,) = await outputs(
        "filter_rows", ORDERS, condition="row.price != null && row.price > 6"
    )
    assert kept == [ORDERS[1], ORDERS[3]]
    assert type(kept[0]["more"]) is tuple


async def test_rows_are_found_where_the_path_says() -> None:
    (kept,) = await outputs(
        "filter_rows",
        {"page": [ORDERS]},
        condition="row.id == 2",
        rows="message.page[0]",
    )
    assert ids(kept) == [2]


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ("row.more == null", "row 3: .*there is no field .?more"),
        ("row.id", "row 0: the condition gives int, not true or false"),
    ],
)
async def test_a_condition_that_cannot_decide_names_the_row(
    condition: str, reason: str
) -> None:
    with pytest.raises(NodeError, match=reason):
        await outputs("filter_rows", ORDERS, condition=condition)


async def test_rows_are_sorted_by_several_columns_and_those_without_a_value_are_last() -> (
    None
):
    (rows,) = await outputs(
        "sort_rows", ORDERS, by={"customer": "ascending", "price": "descending"}
    )
    assert ids(rows) == [1, 3, 2, 4]
    (rows,) = await outputs("sort_rows", ORDERS, by={"price": "descending"})
    assert ids(rows) == [2, 4, 1, 3]


async def test_groups_are_computed_and_picked_values_keep_their_type() -> None:
    moment = datetime(2026, 1, 2, tzinfo=UTC)
    rows = [
        {"k": "x", "n": 2**62, "d": Decimal("1.50"), "t": moment},
        {"k": "y", "n": 1, "d": Decimal("2.125"), "t": None},
        {"k": "x", "n": 2**62, "d": Decimal("0.5"), "t": None},
    ]
    compute = {
        "total": "sum(n)",
        "rows": "count()",
        "times": "count(t)",
        "least": "min(d)",
        "all": "list(d)",
    }
    (grouped,) = await outputs(
        "group_rows",
        rows,
        by=["k"],
        compute={**compute, "t": "first(t)", "kinds": "distinct(n)"},
    )
    half = Decimal("0.5")
    more = Decimal("1.50")
    first = {
        "k": "x",
        "total": 2**63,
        "rows": 2,
        "times": 1,
        "least": half,
        "all": [more, half],
        "t": moment,
        "kinds": 1,
    }
    least = Decimal("2.125")
    second = {
        "k": "y",
        "total": 1,
        "rows": 1,
        "times": 0,
        "least": least,
        "all": [least],
        "t": None,
        "kinds": 1,
    }
    assert grouped == [first, second]
    assert str(grouped[0]["all"][0]) == "1.50"


async def test_without_columns_to_group_by_all_rows_are_one_group() -> None:
    assert await outputs(
        "group_rows", ORDERS, by=[], compute={"mean": "mean(price)"}
    ) == [[{"mean": pytest.approx(24.5 / 3)}]]


JOINED = {
    "inner": [(1, "Paris"), (2, "Oslo"), (3, "Paris")],
    "left": [(1, "Paris"), (2, "Oslo"), (3, "Paris"), (4, None)],
    "right": [(1, "Paris"), (3, "Paris"), (2, "Oslo"), (None, "Rome")],
    "full": [(1, "Paris"), (2, "Oslo"), (3, "Paris"), (4, None), (None, "Rome")],
}


@pytest.mark.parametrize("how", JOINED)
async def test_tables_are_joined(how: str) -> None:
    (rows,) = await outputs(
        "join_tables", [ORDERS, CUSTOMERS], on={"customer": "name"}, how=how
    )
    assert sorted(((row["id"], row["city"]) for row in rows), key=str) == sorted(
        JOINED[how], key=str
    )
    assert all("name" not in row for row in rows)
    if how in ("right", "full"):
        assert {
            "id": None,
            "customer": "dan",
            "price": None,
            "more": None,
            "city": "Rome",
        } in rows


@pytest.mark.parametrize(("how", "expected"), [("semi", [1, 2, 3]), ("anti", [4])])
async def test_rows_of_the_left_table_are_kept_by_their_partners(
    how: str, expected: list[int]
) -> None:
    (rows,) = await outputs(
        "join_tables", [ORDERS, CUSTOMERS], on={"customer": "name"}, how=how
    )
    assert ids(rows) == expected


async def test_a_column_of_both_tables_is_there_twice_and_hides_none() -> None:
    left = [{"k": 1, "v": "l", "v_right": "own"}]
    right = [{"k": 1, "v": "r"}]
    assert await outputs("join_tables", [left, right], on={"k": ""}) == [
        [{"k": 1, "v": "l", "v_right": "own", "v_right_right": "r"}]
    ]


async def test_a_missing_value_equals_nothing_and_an_empty_table_joins() -> None:
    assert await outputs(
        "join_tables", [[{"k": None}], [{"k": None}]], on={"k": ""}
    ) == [[]]
    assert await outputs(
        "join_tables", [[{"k": "a"}], []], on={"k": ""}, how="left"
    ) == [[{"k": "a"}]]


async def test_a_join_that_would_explode_is_refused_before_it_takes_the_memory() -> (
    None
):
    many = [{"k": 1}] * 2000
    with pytest.raises(
        NodeError, match=re.escape("4,000,000 rows together; 1,000,000 are the most")
    ):
        await outputs("join_tables", [many, many], on={"k": ""})


@pytest.mark.parametrize(
    ("type", "message", "params", "reason"),
    [
        (
            "sort_rows",
            5,
            {"by": {"a": "ascending"}},
            "message is of type int, but rows are a list of maps",
        ),
        (
            "sort_rows",
            [{"a": 1}, 7],
            {"by": {"a": "ascending"}},
            "row 1 of message is of type int",
        ),
        (
            "sort_rows",
            [{"a": 1, "b": 2}],
            {"by": {"c": "ascending"}},
            r"no column 'c' in message\. It has: a, b",
        ),
        (
            "sort_rows",
            [{"a": 1}, {"a": "x"}],
            {"by": {"a": "ascending"}},
            "of type int and str, cannot be compared",
        ),
        (
            "sort_rows",
            [{"a": [1]}],
            {"by": {"a": "ascending"}},
            "of type list, cannot be compared",
        ),
        (
            "sort_rows",
            [{"a": 2**200}],
            {"by": {"a": "ascending"}},
            "of type int, cannot be compared",
        ),
        (
            "group_rows",
            [{"a": "x"}],
            {"by": [], "compute": {"s": "sum(a)"}},
            r"sum\(a\) needs numbers",
        ),
        (
            "join_tables",
            [[{"k": 1}], [{"k": "1"}]],
            {"on": {"k": ""}},
            "of other types in the two tables",
        ),
        ("join_tables", [[{"k": 1}]], {"on": {"k": ""}}, "there are no rows"),
    ],
)
async def test_what_is_no_table_is_refused_in_words(
    type: str, message: Any, params: dict[str, Any], reason: str
) -> None:
    with pytest.raises(NodeError, match=reason):
        await outputs(type, message, **params)


@pytest.mark.parametrize(
    ("type", "params", "reason"),
    [
        ("filter_rows", {"condition": "message.price > 1"}, "unknown name 'message'"),
        ("filter_rows", {"condition": "true", "rows": "rows"}, "begins with 'message'"),
        ("group_rows", {"by": ["a"], "compute": {"x": "total(a)"}}, "write one of sum"),
        ("group_rows", {"by": ["a"], "compute": {"x": "sum()"}}, "name the column"),
        ("sort_rows", {"by": {"a": "up"}}, "ascending"),
        ("sort_rows", {"by": {}}, ""),
    ],
)
def test_parameters_are_checked_before_a_run(
    type: str, params: dict[str, Any], reason: str
) -> None:
    (problem,) = problems(type, **params)
    assert problem.severity == "error"
    assert reason in problem.message


async def test_without_the_library_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(
        ExtraMissingError,
        match=re.escape("Sort rows needs polars, which is not installed: pip install"),
    ):
        await outputs("sort_rows", [], by={"a": "ascending"})


class Sent:
    """What a node sends, without a workflow around it."""

    def __init__(self) -> None:
        self.messages: list[Any] = []

    def send_message(self, message: Any) -> None:
        self.messages.append(message)


ROWS = st.lists(
    st.fixed_dictionaries(
        {"k": st.none() | st.integers(0, 3), "v": st.integers(-(2**63), 2**63 - 1)}
    ),
    max_size=12,
)


@given(ROWS)
def test_sorting_is_stable_and_keeps_every_row(rows: list[dict[str, Any]]) -> None:
    sent = Sent()
    SortRowsExecutor("it", SortRowsParams(by={"k": "ascending"})).sort(rows, sent)
    assert sent.messages == (
        [sorted(rows, key=lambda row: (row["k"] is None, row["k"] or 0))]
        if rows
        else [[]]
    )


@given(ROWS)
def test_groups_sum_up_to_the_whole(rows: list[dict[str, Any]]) -> None:
    sent = Sent()
    GroupRowsExecutor(
        "it", GroupRowsParams(by=["k"], compute={"sum": "sum(v)", "rows": "count()"})
    ).group(rows, sent)
    (groups,) = sent.messages
    assert sum(group["sum"] for group in groups) == sum(row["v"] for row in rows)
    assert [group["k"] for group in groups] == list(
        dict.fromkeys(row["k"] for row in rows)
    )


@given(ROWS, ROWS)
def test_an_inner_join_has_each_pair_of_equal_values_once(
    left: list[dict[str, Any]], right: list[dict[str, Any]]
) -> None:
    sent = Sent()
    JoinTablesExecutor("it", JoinTablesParams(on={"k": ""})).join([left, right], sent)
    pairs = [
        (a["v"], b["v"])
        for a in left
        for b in right
        if a["k"] is not None and a["k"] == b["k"]
    ]
    assert [(row["v"], row["v_right"]) for row in sent.messages[0]] == pairs


async def test_columns_may_have_the_names_that_are_used_inside() -> None:
    rows = [
        {"k": "a", "column 0": 1, "row number": 5},
        {"k": "a", "column 0": 2, "row number": 7},
    ]
    rows.append({"k": "b", "column 0": 1, "row number": 9})
    compute = {"sum": "sum(column 0)", "most": "max(row number)"}
    assert await outputs("group_rows", rows, by=["k"], compute=compute) == [
        [{"k": "a", "sum": 3, "most": 7}, {"k": "b", "sum": 1, "most": 9}]
    ]


@pytest.mark.parametrize(
    "values",
    [
        [Decimal("NaN"), Decimal(2)],
        [Decimal("1e-40"), Decimal("1e20")],
        [datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 1)],  # noqa: DTZ001 - that it has no zone is the point
        ["\ud800", "a"],
    ],
)
async def test_values_that_cannot_stand_in_one_column_are_refused_and_end_nothing_else(
    values: list[Any],
) -> None:
    with pytest.raises(NodeError, match="cannot be compared"):
        await outputs(
            "sort_rows", [{"v": value} for value in values], by={"v": "ascending"}
        )


async def test_a_sum_that_is_too_large_is_an_error_of_the_node() -> None:
    with pytest.raises(NodeError, match="cannot be computed"):
        await outputs(
            "group_rows",
            [{"v": timedelta.max}, {"v": timedelta.max}],
            by=[],
            compute={"s": "sum(v)"},
        )


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, 1.0),
        (2.0, 2),
        (Decimal("1.10"), Decimal("1.1")),
        (None, 1),
        (2**60 + 1, "refused"),
    ],
)
async def test_numbers_that_are_equal_join_however_they_are_written(
    left: Any, right: Any
) -> None:
    if right == "refused":
        with pytest.raises(NodeError, match="of other types"):
            await outputs("join_tables", [[{"k": left}], [{"k": 0.5}]], on={"k": ""})
        return
    (rows,) = await outputs(
        "join_tables", [[{"k": left}], [{"k": right}]], on={"k": ""}
    )
    assert rows == ([] if left is None else [{"k": left}])
