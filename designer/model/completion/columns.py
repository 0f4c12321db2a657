"""The columns of tables, as completion offers them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from designer.model.completion.cel_words import Word, type_word
from runtime.expressions.text_formats import AGGREGATES


def complete_column(text: str, cursor: int, row: Any) -> list[Word]:
    """Return the columns of a row that begin with the text before the cursor, and then
    those that contain it.
    """
    if not isinstance(row, Mapping):
        return []
    typed = text[:cursor].casefold()
    names = [str(name) for name in row if typed in str(name).casefold()]
    names.sort(key=lambda name: not name.casefold().startswith(typed))
    return [Word(name, type_word(row[name]), name, 0) for name in names]


def complete_aggregate(text: str, cursor: int, row: Any) -> list[Word]:
    """Return what can be computed of a column, and inside the brackets the columns."""
    before = text[:cursor]
    function, bracket, typed = before.partition("(")
    if bracket:
        return [
            word._replace(start=len(function) + 1)
            for word in complete_column(typed, len(typed), row)
        ]
    names = [name for name in AGGREGATES if name.startswith(before.strip().casefold())]
    return [Word(f"{name}()", "", f"{name}()", 0, 1) for name in names]
