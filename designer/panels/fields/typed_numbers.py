"""Numbers as people type them. "0,7" is accepted; "1,234" is refused, because it may be
two numbers. No widgets.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal, InvalidOperation

_COMMA = re.compile(r"^([-+]?)(\d*),(\d+)((?:[eE][-+]?\d+)?)$")
# Digits in groups of three, and what may follow them: 1,234,567.8 or 1.234.567,8 or 1
# 234 567.
_GROUPED = re.compile(
    r"^[-+]?\d{1,3}(?:(?P<sign>[,.'\u2019\s_])\d{3})(?:(?P=sign)\d{3})*(?:[,.]\d+)?$"
)
_MINUS = "\u2212"


def read_number(typed: str, *, whole: bool) -> int | float:
    """Return the number in a text. Raise `ValueError`, with a sentence, if it is none
    or is ambiguous.
    """
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
    """Return a typed number with a decimal point. Raise `ValueError` if it is
    ambiguous.
    """
    text = typed.strip().replace(_MINUS, "-")
    comma = _COMMA.match(text)
    if comma is not None:
        sign, before, after, power = comma.groups()
        with_dot = f"{sign}{before or '0'}.{after}{power}"
        if len(after) != 3 or power or not 0 < len(before.lstrip("0")) <= 3:
            return with_dot
        joined = f"{sign}{before}{after}"
        choices = joined if whole else f"{with_dot} or {joined}"
        raise ValueError(f"'{text}' can be read in two ways: write {choices}.")
    grouped = _GROUPED.match(text)
    if grouped is not None and not _is_number(text):
        plain = _without_groups(text, grouped["sign"])
        raise ValueError(f"Write {plain}, without signs between the thousands.")
    return text


def times(number: str, factor: float) -> str:
    """Return a number in another unit, as exactly as possible. Raise `ValueError` if it
    is not a finite number.
    """
    if not math.isfinite(float(number)):
        raise ValueError("A finite number is needed.")
    try:
        product = Decimal(number) * Decimal(str(factor))
    except InvalidOperation:
        raise ValueError("A number is needed.") from None
    # A huge integer is written as a float, because it would have hundreds of digits.
    is_small = abs(product) < Decimal("1e300")
    if is_small and product == product.to_integral_value():
        return str(int(product))
    return repr(float(product))


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError("A number is needed.") from None


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # an integer that is too large for a float
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
