"""A user's Executor class as the executor of a node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runtime.errors import DefinitionError
from runtime.executors.executor import Executor
from runtime.nodes.base import Place


def make_executor(
    cls: type[Executor], name: str, place: Place, arguments: Mapping[str, Any]
) -> Executor:
    """Return the executor with the id of the node. Raise `DefinitionError` for a
    class that cannot be one.
    """
    try:
        executor = cls(id=place.node_id, **arguments)
    except (TypeError, ValueError) as error:
        raise DefinitionError(
            f"'{name}' cannot be made: {error}.", place.node_id
        ) from error
    if not hasattr(executor, "_handlers"):
        raise DefinitionError(
            f"'{name}' was not made: its constructor must call super().__init__(id).",
            place.node_id,
        )
    if executor.id != place.node_id:
        raise DefinitionError(
            f"'{name}' gave itself the id '{executor.id}': its constructor must pass the id on.",
            place.node_id,
        )
    return executor
