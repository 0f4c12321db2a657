"""Numbers with a unit: "5 min" is 300 seconds, "10 MB" ten million bytes. No widgets."""

from __future__ import annotations

import re
from collections.abc import Mapping

from designer.panels.fields.typed_numbers import as_plain, times

# The units that can be typed, and their factors, by the unit of the value.
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
    """Return a typed text in the field's unit: "5 min" -> "300". A text without a unit
    is returned as it is.

    Raise `ValueError` for an ambiguous number, and for an unknown unit, with the known
    units.
    """
    typed = _TYPED.match(text.strip())
    known = UNITS.get(unit, {})
    if typed is None or not known:
        return text
    factors = {name.lower(): factor for name, factor in known.items()}
    factor = factors.get(typed[2].lower())
    if factor is None:
        raise ValueError(f"'{typed[2]}' is no unit here. Use {', '.join(known)}.")
    number = as_plain(typed[1])
    try:
        return times(number, factor)
    except ValueError:
        return text


def in_words(value: float, unit: str) -> str:
    """Return the unit, with the value in a larger unit if that is a round number: 300
    -> "s = 5 min".
    """
    known = UNITS.get(unit)
    if known is None:
        return unit
    for name in _SHOWN[unit]:
        amount = value / known[name]
        if amount >= 1 and round(amount, 2) == amount:
            return f"{unit} = {amount:g} {name}"
    return unit
