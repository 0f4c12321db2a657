"""Who mends a failure stands in the field that the error is about."""

from __future__ import annotations

from typing import Any

import pytest

from designer.model.fixes.failed_field import failed_field
from runtime.errors import ConditionError, NodeError
from runtime.expressions.cel import Expression
from runtime.expressions.text_formats import ROW_VARIABLES
from runtime.nodes import catalogue
from runtime.nodes.support.tables import Table

SCHEMAS = {info.type: info.params_schema for info in catalogue().infos()}
ROWS = [{"region": "north", "amount": 3}]


def missing_column(column: str, node: str = "group_rows") -> str:
    with pytest.raises(NodeError) as caught:
        Table(ROWS, "message", node).series(column, column)
    return str(caught.value)


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"by": ["regiom"], "compute": {"amount": "sum(amount)"}}, "by"),
        ({"by": ["region"], "compute": {"total": "sum(regiom)"}}, "compute"),
        ({"by": ["region", "regiom"], "rows": "message"}, "by"),
    ],
)
def test_a_column_that_is_not_there_leads_to_the_field_that_names_it(
    params: dict[str, Any], field: str
) -> None:
    assert (
        failed_field(missing_column("regiom"), params, SCHEMAS["group_rows"]) == field
    )


def test_columns_that_there_are_do_not_lead_to_the_fields_that_name_them() -> None:
    params = {"left_key": "region", "right_key": "regiom"}
    assert failed_field(missing_column("regiom"), params, {}) == "right_key"


def test_a_condition_that_failed_leads_to_the_condition_whatever_it_quotes_itself() -> (
    None
):
    condition = "row.city == 'rows' && row.amount >= 3"
    with pytest.raises(ConditionError) as caught:
        Expression(condition, ROW_VARIABLES).measured({"row": ROWS[0]})
    error = f"Node 'filter_rows': row 0: {caught.value}"
    assert (
        failed_field(
            error, {"rows": "message", "condition": condition}, SCHEMAS["filter_rows"]
        )
        == "condition"
    )


def test_an_error_that_quotes_no_value_leads_to_the_parameter_that_it_names() -> None:
    schema = {
        "properties": {name: {} for name in ("text", "time_limit", "time")},
        "required": ["text"],
    }
    assert failed_field("Node 'a': the time limit is over", {}, schema) == "time_limit"


def test_without_any_hint_it_is_the_first_that_is_required_and_not_one_with_its_default() -> (
    None
):
    params = {"by": ["region"], "rows": "message"}
    assert (
        failed_field(
            "Node 'group_rows': 'message' is odd", params, SCHEMAS["group_rows"]
        )
        == "by"
    )
    assert failed_field("no", {}, {"properties": {"text": {}}}) == ""
