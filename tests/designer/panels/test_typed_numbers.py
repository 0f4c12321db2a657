"""Numbers as people type them."""

import pytest

from designer.panels.fields.typed_numbers import as_plain, read_number, times
from designer.panels.forms.units import without_unit


@pytest.mark.parametrize(
    ("typed", "number"),
    [
        ("1.5", 1.5),
        ("0,7", 0.7),
        (",5", 0.5),
        ("-2,25", -2.25),
        ("12,3456", 12.3456),
        ("0,125", 0.125),
        ("1,234e3", 1234.0),
        ("1234,567", 1234.567),
        (" 7 ", 7),
        ("\u22123", -3),
        ("12345678901234567891", 12345678901234567891),
    ],
)
def test_a_decimal_comma_is_understood_where_it_can_be_nothing_else(typed, number):
    value = read_number(typed, whole=False)
    assert value == number
    assert type(value) is type(number)


@pytest.mark.parametrize(
    ("typed", "whole", "words"),
    [
        ("1,234", False, "write 1.234 or 1234"),
        ("1,234", True, "write 1234"),
        ("1,234,567", True, "Write 1234567"),
        ("1.234.567", False, "Write 1234567"),
        ("1.234,5", False, "Write 1234.5"),
        ("1,234.5", False, "Write 1234.5"),
        ("1 000", False, "Write 1000"),
        ("0,7", True, "whole number"),
        ("5 steps", True, "whole number"),
        ("12 apples", False, "A number is needed"),
        ("1,2,3", False, "A number is needed"),
        ("1,", False, "A number is needed"),
        ("1e999", False, "finite"),
        ("nan", False, "finite"),
    ],
)
def test_what_can_be_two_numbers_or_none_is_refused_by_name(typed, whole, words):
    with pytest.raises(ValueError, match=words):
        read_number(typed, whole=whole)


def test_what_is_proposed_is_what_is_understood():
    for typed in ("1,234,567.25", "1.234.567,25", "1'234'567", "-1 234,5"):
        with pytest.raises(ValueError, match="Write") as refused:
            as_plain(typed)
        proposed = str(refused.value).removeprefix("Write ").partition(", without")[0]
        digits = [sign for sign in typed if sign.isdigit()]
        assert [sign for sign in proposed if sign.isdigit()] == digits
        assert read_number(proposed, whole=False) == float(proposed)


@pytest.mark.parametrize(
    ("typed", "unit", "plain"),
    [("0,5 min", "s", "30"), ("1,5 kB", "bytes", "1500"), ("0.7 s", "s", "0.7")],
)
def test_units_go_with_a_decimal_comma(typed, unit, plain):
    assert without_unit(typed, unit) == plain


def test_a_larger_unit_loses_no_digit():
    assert times("123456789012345678", 1000) == "123456789012345678000"
