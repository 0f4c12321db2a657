"""Class: an Executor subclass of the user as a node."""

from __future__ import annotations

import inspect
from typing import Any

from pydantic import Field

from runtime.document.references import REFERENCE_PATTERN
from runtime.errors import DefinitionError
from runtime.executors.executor import Executor
from runtime.loader.python_modules import load
from runtime.nodes.base import PYTHON, NodeParams, NodeType, Place
from runtime.nodes.support.class_executor import make_executor


class PythonClassParams(NodeParams):
    class_name: str = Field(
        title="Class",
        pattern=REFERENCE_PATTERN,
        description="module:Name of an Executor subclass, in the workflow's folder or installed.",
        json_schema_extra={"format": "python-reference"},
    )
    arguments: dict[str, Any] = Field(
        default_factory=dict,
        title="Arguments",
        description="Named arguments of its constructor, beside the id.",
    )


def _make(place: Place, params: PythonClassParams) -> Executor:
    cls = load(params.class_name, place.folder, place.node_id)
    if not (inspect.isclass(cls) and issubclass(cls, Executor)):
        raise DefinitionError(
            f"'{params.class_name}' is no subclass of Executor; for a function use the node type python_function.",
            place.node_id,
        )
    return make_executor(cls, params.class_name, place, params.arguments)


PYTHON_CLASS = NodeType(
    type="python_class",
    title="Class",
    category=PYTHON,
    icon="box",
    description="Makes an Executor subclass of yours, with the id of the node and the arguments given here. Use it for "
    "several handlers, questions of its own, or state that is kept over supersteps.",
    params=PythonClassParams,
    make=_make,
    summary="class_name",
    sink=True,
)
