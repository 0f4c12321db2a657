"""Numbers as people type them: "0,7" is understood, "1,234" can be two numbers and is refused by name. No widgets."""

from __future__ import annotations

import math
import re
from decimal import Decimal, InvalidOperation

_COMMA = re.compile(r"^([-+]?)(\d*),(\d+)((?:[eE][-+]?\d+)?)$")
# Digits in groups of three, and what may follow them: 1,234,567.8 or 1.234.567,8 or 1 234 567.
_GROUPED = re.compile(
    r"^[-+]?\d{1,3}(?:(?P<sign>[,.'\u2019\s_])\d{3})(?:(?P=sign)\d{3})*(?:[,.]\d+)?$"
)
_MINUS = "\u2212"


def read_number(typed: str, *, whole: bool) -> int | float:
    """The number that a text means. Raise `ValueError`, with a sentence, for what is none or can be two."""
    text = as_plain(typed, whole=whole)
    try:
        number: int | float = int(text)
    except ValueError:
        if whole:
            raise ValueError("A whole number is needed.") from None
        number = _float(text)
    if not whole and not _is_finite(number):
        raise ValueError("A finite number is needed.")
    return number


def as_plain(typed: str, *, whole: bool = False) -> str:
    """A number with a dot, whatever was typed for it. Raise `ValueError` for one that can be read in two ways."""
    text = typed.strip().replace(_MINUS, "-")
    comma = _COMMA.match(text)
    if comma is not None:
        sign, before, after, power = comma.groups()
        with_dot = f"{sign}{before or '0'}.{after}{power}"
        if len(after) != 3 or power or not 0 < len(before.lstrip("0")) <= 3:
            return with_dot
        joined = f"{sign}{before}{after}"
        ways = joined if whole else f"{with_dot} or {joined}"
        raise ValueError(f"'{text}' can be read in two ways: write {ways}.")
    grouped = _GROUPED.match(text)
    if grouped is not None and not _is_number(text):
        raise ValueError(
            f"Write {_without_groups(text, grouped['sign'])}, without signs between the thousands."
        )
    return text


def times(number: str, factor: float) -> str:
    """A number in another unit, as exactly as it can be written. Raise `ValueError` for what is no finite number."""
    if not math.isfinite(float(number)):
        raise ValueError("A finite number is needed.")
    try:
        product = Decimal(number) * Decimal(str(factor))
    except InvalidOperation:
        raise ValueError("A number is needed.") from None
    is_whole = (
        abs(product) < Decimal("1e300") and product == product.to_integral_value()
    )
    return str(int(product)) if is_whole else repr(float(product))


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError("A number is needed.") from None


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # of an integer that no float is as large as
        return False


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _without_groups(text: str, sign: str) -> str:
    head, comma, tail = text.rpartition("," if sign != "," else ".")
    integer_part, fraction = (head, tail) if comma else (text, "")
    digits = re.sub(r"[^\d+-]", "", integer_part)
    return f"{digits}.{fraction}" if fraction else digits
