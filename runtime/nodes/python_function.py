"""Function: a function of the user as a node; what it returns is sent on."""

from __future__ import annotations

import inspect

from pydantic import Field

from runtime.document.references import REFERENCE_PATTERN
from runtime.errors import DefinitionError
from runtime.executors.executor import Executor
from runtime.loader.python_modules import load
from runtime.nodes.base import PYTHON, NodeParams, NodeType, Place
from runtime.nodes.support.function_executor import CallingExecutor


class PythonFunctionParams(NodeParams):
    function: str = Field(
        title="Function",
        pattern=REFERENCE_PATTERN,
        description="module:name of a function in the workflow's folder or installed. It is called with (message) or "
        "(message, ctx), and may be async.",
        json_schema_extra={"format": "python-reference"},
    )


def _make(place: Place, params: PythonFunctionParams) -> Executor:
    func = load(params.function, place.folder, place.node_id)
    try:
        if inspect.isclass(func) or not callable(func):
            raise ValueError(
                "it is no function; for an Executor use the node type python_class"
            )
        return CallingExecutor(place.node_id, func, PYTHON_FUNCTION.type)
    except ValueError as error:
        raise DefinitionError(
            f"'{params.function}' cannot be a node: {str(error).rstrip('.')}.",
            place.node_id,
        ) from error


PYTHON_FUNCTION = NodeType(
    type="python_function",
    title="Function",
    category=PYTHON,
    icon="code",
    description="Calls a Python function with each message: (message) or (message, ctx). What it returns is sent on; "
    "None sends nothing. Its annotations say what it takes and sends. A function that is not async runs in a thread.",
    params=PythonFunctionParams,
    make=_make,
    summary="function",
    sink=True,
)
