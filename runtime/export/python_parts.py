"""The parts of a workflow that was exported as Python: nodes and conditions as its
file has them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from runtime.document.definition import NodeDefinition, WorkflowDefinition
from runtime.document.secret_places import filled
from runtime.edges.base import EdgeGroup, Predicate, SelectionFunction
from runtime.errors import DefinitionError
from runtime.executors.effects import Reducer
from runtime.executors.executor import Executor
from runtime.loader.build import edge_group, reducer_of
from runtime.loader.conditions import Conditions
from runtime.nodes import Catalogue, catalogue


class Parts:
    """Makes them for a program. Modules and files that they name are looked up in
    `folder` first, as they are for the workflow file. `types` are the node types, those
    that the workflow file has if none are given.
    """

    def __init__(self, folder: Path | str, types: Catalogue | None = None) -> None:
        self._folder = Path(folder).resolve()
        self._types = types or catalogue(folder)

    def node(
        self, id: str, type: str, params: Mapping[str, Any] | None = None
    ) -> Executor:
        """A node of the palette. Raise `DefinitionError` for an unknown type or
        parameters that do not fit.
        """
        return self._types.create(
            NodeDefinition(id=id, type=type, params=dict(params or {})), self._folder
        )

    def filled(self, value: Any) -> Any:
        """The input of a run, with what the environment has where it says `{env.NAME}`
        for a secret.

        Raise `DefinitionError` for a variable that is not set.
        """
        try:
            return filled(value)
        except LookupError as error:
            raise DefinitionError(
                f"The input cannot be made: {error.args[0]}."
            ) from error

    def when(self, condition: str) -> Predicate:
        """A condition in CEL over `message`, or after `py:` a function as
        `module:name`.

        Raise `ConditionError` or `DefinitionError` where there is no such thing.
        """
        return Conditions(self._folder).condition(condition)

    def outputs(
        self,
        *,
        counted: Sequence[Executor] = (),
        on_the_way: Sequence[Executor] = (),
        dropped: Sequence[Executor] = (),
    ) -> dict[str, list[Executor]]:
        """Return, for the builder, whose outputs count and whose are progress, among
        the executors that yield any. Without any, return no choice.
        """
        if not any(
            executor.workflow_output_types
            for executor in (*counted, *on_the_way, *dropped)
        ):
            return {}
        return {
            "output_from": [
                executor for executor in counted if executor.workflow_output_types
            ],
            "intermediate_output_from": [
                executor for executor in on_the_way if executor.workflow_output_types
            ],
        }

    def reducer(self, key: str, text: str) -> Reducer:
        """Return the function that combines values of a key of the shared state:
        `module:function`, or `module:attribute#key`. Raise `DefinitionError` if there
        is none.
        """
        return reducer_of(text, key, self._folder)

    def any_of(self, conditions: Mapping[str, str]) -> SelectionFunction:
        """A selection: every target whose condition is true; an empty condition always
        is.
        """
        return Conditions(self._folder).selection(list(conditions.items()))

    def edge(self, fields: Mapping[str, Any]) -> EdgeGroup:
        """An edge as the workflow file has it, of a kind for which the builder has no
        method.

        Raise `DefinitionError` where it cannot be built.
        """
        [edge] = WorkflowDefinition.model_validate({"edges": [dict(fields)]}).edges
        return edge_group(edge, self._folder)
