"""Numbers with a unit: "5 min" is 300 seconds, "10 MB" ten million bytes. No widgets."""

from __future__ import annotations

import re
from collections.abc import Mapping

from designer.panels.forms.typed_numbers import as_plain, times

# By the unit that the value is in: what can be typed, and how much that is.
UNITS: Mapping[str, Mapping[str, float]] = {
    "s": {"ms": 0.001, "s": 1, "min": 60, "h": 3600, "d": 86_400},
    "bytes": {
        "B": 1,
        "kB": 1000,
        "MB": 10**6,
        "GB": 10**9,
        "KiB": 1024,
        "MiB": 1024**2,
        "GiB": 1024**3,
    },
}
_SHOWN = {"s": ("d", "h", "min"), "bytes": ("GB", "MB", "kB")}
_TYPED = re.compile(r"^(.*\d[.,]?)\s*([A-Za-z]+)$")


def without_unit(text: str, unit: str) -> str:
    """A typed text with its unit worked in: "5 min" -> "300". As it is where it has none.

    Raise `ValueError` for a number that can be read in two ways, and, with the units that there are, for a unit that
    is not known.
    """
    typed = _TYPED.match(text.strip())
    known = UNITS.get(unit, {})
    if typed is None or not known:
        return text
    factor = next(
        (size for name, size in known.items() if name.lower() == typed[2].lower()), None
    )
    if factor is None:
        raise ValueError(f"'{typed[2]}' is no unit here. There are {', '.join(known)}.")
    number = as_plain(typed[1])
    try:
        return times(number, factor)
    except ValueError:
        return text


def in_words(value: float, unit: str) -> str:
    """The unit, or the value in a larger one where that is a round number: 300 -> "= 5 min"."""
    known = UNITS.get(unit)
    if known is None:
        return unit
    for name in _SHOWN[unit]:
        amount = value / known[name]
        if amount >= 1 and round(amount, 2) == amount:
            return f"{unit} = {amount:g} {name}"
    return unit
