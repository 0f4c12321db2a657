"""Conditions answer as CEL's specification says, and where they do not, the table of
the guide names the difference.
"""

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from runtime.errors import ConditionError
from runtime.expressions.cel import Condition, Expression
from tests import cel_conformance

MOMENT = datetime(2009, 2, 13, 23, 31, 30, 500_000, tzinfo=UTC)


@pytest.mark.parametrize("text", ["日本語", "πέντε", "\U0001f600"])
def test_size_counts_code_points_of_a_text(text):
    assert (
        Expression("size(message)")(message=text)
        == Expression("message.size()")(message=text)
        == len(text)
    )


def test_size_counts_code_points_inside_macros_and_of_literals():
    assert Condition("message.names.all(name, name.size() <= 2)")(
        {"names": ["日本", "ab"]}
    )
    assert Condition("size('日本語') == message")(3)


def test_size_of_bytes_lists_and_maps_beside_other_alphabets():
    message = {"bytes": "日".encode(), "list": ["日", "本"], "日": 1}
    assert Expression("[size(message.bytes), message.list.size(), size(message)]")(
        message=message
    ) == [3, 2, 3]


def test_a_field_that_is_called_size_is_no_call():
    assert (
        Expression("message.size + size(message.unit)")(
            message={"size": 2, "unit": "日"}
        )
        == 3
    )


def test_size_refuses_what_has_no_length_in_words():
    with pytest.raises(ConditionError, match="size takes no value of type int"):
        Expression("size(message.n)")(message={"n": 1, "text": "日"})


def test_size_in_a_loop_over_long_texts_counts_only_its_own_element():
    rows = [{"name": "日" * 40} for _ in range(5000)]
    assert Condition("message.all(row, size(row.name) == 40 && row.name.size() == 40)")(
        rows
    )


def test_size_of_the_whole_message_in_a_loop_is_refused_before_it_costs_minutes():
    rows = [{"name": "日"} for _ in range(20_000)]
    with pytest.raises(ConditionError, match="too costly"):
        Condition("message.all(row, size(message) > 1)")(rows)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("bool('t')", True),
        ("bool('FALSE')", False),
        ("bool(true)", True),
        ("int(timestamp('2004-09-16T23:59:59Z'))", 1095379199),
        ("timestamp(1000000000) == timestamp(timestamp('2001-09-09T01:46:40Z'))", True),
        ("string(true)", "true"),
        ("string(1.5)", "1.5"),
        ("string(7u)", "7"),
        ("string(b'\\xe6\\x97\\xa5')", "æ\x97¥".encode("latin-1").decode()),
        ("string(timestamp('0099-02-13T23:31:30Z'))", "0099-02-13T23:31:30Z"),
        ("string(duration('1000000s'))", "1000000s"),
        ("string(duration('-1.5s'))", "-1.5s"),
        ("duration(duration('1m'))", timedelta(minutes=1)),
        ("duration('123.321s').getMilliseconds()", 321),
        ("message.getMilliseconds()", 500),
        ("string(message)", "2009-02-13T23:31:30.5Z"),
        ("message.getDate('Australia/Sydney')", 14),
        ("message.getDayOfMonth('+11:00')", 13),
        ("message.getDayOfWeek('UTC')", 5),
        ("message.getDayOfYear('US/Central')", 43),
        ("message.getHours('02:00')", 1),
        ("message.getMinutes('Asia/Kathmandu')", 16),
        ("message.getFullYear('-09:30')", 2009),
        ("message.getMonth('UTC')", 1),
        ("message.getSeconds('-00:00')", 30),
    ],
)
def test_standard_functions_answer_as_the_specification_says(text, answer):
    assert Expression(text)(message=MOMENT) == answer


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("bool('maybe')", "bool cannot read 'maybe'"),
        ("bool(1)", "bool takes no value of type int"),
        ("int(null)", "int takes no value of type null"),
        ("timestamp(1.5)", "timestamp takes no value of type double"),
        ("string([1])", "string takes no value of type list"),
        ("string(b'\\xff')", "no UTF-8 text"),
        ("'a'.getHours()", "getHours takes no value of type string"),
        ("message.getHours('Mars/Olympus')", "there is no time zone 'Mars/Olympus'"),
        ("duration('320000000000s')", "too long"),
        ("duration('soon')", "Duration|duration"),
    ],
)
def test_a_refused_argument_is_told_in_words(text, reason, capfd):
    with pytest.raises(ConditionError, match=reason):
        Expression(text)(message=MOMENT)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("text", "message", "reason"),
    [
        (
            "message.price > 3",
            {"price": "3"},
            r"message\.price is a text; write double\(message\.price\)",
        ),
        (
            "message.a < message.b",
            {"a": 1, "b": "x"},
            r"message\.a is a whole number and message\.b is a text",
        ),
        (
            "message[0].n + 0.5",
            [{"n": 1}],
            r"message\[0\]\.n is a whole number; write double",
        ),
        ("message.n > 3", {"n": None}, r"message\.n is null; test for null first"),
        ("message.n.size() > 3", {"n": 5}, r"size\(\) takes no value of this type"),
    ],
)
def test_types_that_do_not_fit_are_named(text, message, reason):
    with pytest.raises(ConditionError, match=reason):
        Expression(text)(message=message)


# The rows of the guide's table of what differs from CEL, in its order.
@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("{1: 'a'}[1u]", ConditionError),
        ("1.0 in {1: 'a'}", ConditionError),
        ("{'content-type': 1}.`content-type`", ConditionError),
        ("{true: 1, true: 3}[true]", 3),
        ("-true", False),
        ("[1, 2, 3].all(n, 6 / (2 - n) == 6)", ConditionError),
        ("[7, 8][dyn(0.0)]", ConditionError),
        ("duration('1s') + timestamp('2009-02-13T23:31:30Z')", ConditionError),
        (
            "string(timestamp('2009-02-13T23:31:30.123456789Z'))",
            "2009-02-13T23:31:30.123456Z",
        ),
        ("unknown || true", ConditionError),
        ("-(-9223372036854775808)", -(2**63)),
    ],
)
def test_what_differs_from_the_specification_is_as_the_guide_says(text, answer):
    if answer is ConditionError:
        with pytest.raises(ConditionError):
            Expression(text)(message=None)
    else:
        assert Expression(text)(message=None) == answer


PUBLISHED = """
# As CEL publishes its tests.
section {
  name: "size"
  test { name: "code_points" expr: "size('\\u00ff')" value { int64_value: 1 } }
  test { name: "wrong" expr: "1 + 1" value: { int64_value: 3 } }
  test { name: "error" expr: "1 / zero" bindings { key: "zero" value { value { int64_value: 0 } } }
         eval_error { errors { message: "divide by zero" } } }
  test { name: "message" expr: "TestAllTypes{}" value { null_value: NULL_VALUE } }
  test {
    name: "values"
    expr: "[{'a': 1.5}, b'\\\\x01', timestamp('1970-01-01T00:00:01Z')]"
    value { list_value {
      values { map_value { entries { key { string_value: "a" } value { double_value: 1.5 } } } }
      values { bytes_value: "\\001" }
      values { object_value { [type.googleapis.com/google.protobuf.Timestamp] { seconds: 1 } } } } }
  }
}
"""


def test_the_comparison_with_published_tests_counts_what_agrees_and_names_what_differs(
    tmp_path: Path,
):
    (tmp_path / "string.textproto").write_text(PUBLISHED, "utf-8")
    (tmp_path / "math_ext.textproto").write_text(PUBLISHED, "utf-8")
    counts, different = cel_conformance.differences(tmp_path)
    assert counts == {
        ("string", "agree"): 3,
        ("string", "differ"): 1,
        ("string", "left out"): 1,
    }
    assert [(difference.case.name, difference.answer) for difference in different] == [
        ("string/size/wrong", 2)
    ]


WITHOUT_ITS_COMMAND_LINE = """
import sys
from runtime.expressions.cel import Condition
assert Condition("message > 1")(2)
print(sorted({"cel.cli", "prompt_toolkit", "typer"} & set(sys.modules)))
import cel.cli
print(hasattr(cel.cli, "app"))
"""


def test_a_condition_does_not_import_the_command_line_of_the_library() -> None:
    printed = subprocess.run(
        [sys.executable, "-c", WITHOUT_ITS_COMMAND_LINE],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert printed.splitlines() == ["[]", "True"]
