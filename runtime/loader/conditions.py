"""The functions that the conditions of a document mean: CEL, or functions of Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from runtime.edges.base import Predicate, SelectionFunction, own_copy
from runtime.errors import DefinitionError
from runtime.expressions.cel import PYTHON_PREFIX, Condition
from runtime.loader.python_links import is_link, linked_function
from runtime.loader.python_modules import load


class Conditions:
    """Makes the functions of one edge. Modules are looked up in `folder` first."""

    def __init__(self, folder: Path, edge_id: str = "") -> None:
        self._folder = folder
        self._edge_id = edge_id

    def condition(self, text: str) -> Predicate:
        """Return the function of a condition: CEL, or after `py:` a function of Python,
        by its name or by its place in a workflow that is written in Python.

        Raise `ConditionError` for CEL that does not compile, and `DefinitionError` for
        what cannot be loaded.
        """
        if not text.startswith(PYTHON_PREFIX):
            return Condition(text)
        reference = text.removeprefix(PYTHON_PREFIX)
        if is_link(reference):
            function = linked_function(reference, self._folder, self._edge_id)
        else:
            function = load(reference, self._folder, self._edge_id)
        if not callable(function):
            raise DefinitionError(
                f"'{text}' is no function of a message.", self._edge_id
            )
        return function

    def selection(self, ways: Sequence[tuple[str, str]]) -> SelectionFunction:
        """Return what chooses among targets with conditions, an empty one always.

        A selection of a workflow in Python decides about all ways at once, so it stands
        at every way.
        """
        links = {
            reference
            for _, text in ways
            if (reference := _selection_link(text)) is not None
        }
        if not links:
            return Selecting(ways, self)
        link = min(links)
        if {text for _, text in ways} != {PYTHON_PREFIX + link}:
            raise DefinitionError(
                f"The selection '{PYTHON_PREFIX}{link}' decides about all ways at once. "
                "Give each way this condition, or none.",
                self._edge_id,
            )
        return linked_function(link, self._folder, self._edge_id)


def _selection_link(text: str) -> str | None:
    """Return the place of a whole selection; that of a case has a number after a dot."""
    if not text.startswith(PYTHON_PREFIX):
        return None
    reference = text.removeprefix(PYTHON_PREFIX)
    is_case = "." in reference.partition("#")[2]
    return reference if is_link(reference) and not is_case else None


class Selecting:
    """Return the targets whose condition is true, in declared order.

    `text` stands for it in the signature of the graph; `labels` has the conditions by
    target, for pictures.
    """

    # Each condition gets a copy of its own, so the whole needs none.
    only_reads = True

    def __init__(self, ways: Sequence[tuple[str, str]], conditions: Conditions) -> None:
        self._tests = [
            (target, conditions.condition(text) if text else None)
            for target, text in ways
        ]
        self.labels = {target: text for target, text in ways if text}
        self.text = "; ".join(f"{target}: {text}" for target, text in ways)

    def __call__(self, data: Any, target_ids: list[str]) -> list[str]:
        return [
            target
            for target, test in self._tests
            if test is None or test(own_copy(test, data))
        ]
