"""Executor of a workflow in Python: what an imported document has for each executor of
the workflow it came from.
"""

from __future__ import annotations

from pydantic import Field

from runtime.document.references import REFERENCE_PATTERN
from runtime.executors.executor import Executor
from runtime.loader.python_links import linked_executor
from runtime.nodes.base import PYTHON, NodeParams, NodeType, Place


class PythonExecutorParams(NodeParams):
    workflow: str = Field(
        title="Workflow",
        pattern=REFERENCE_PATTERN,
        description="module:name of a workflow, or of a function that makes one, in this document's folder or "
        "installed.",
        json_schema_extra={"format": "python-reference"},
    )


def _make(place: Place, params: PythonExecutorParams) -> Executor:
    return linked_executor(params.workflow, place.folder, place.node_id)


PYTHON_EXECUTOR = NodeType(
    type="python_executor",
    title="Executor in Python",
    category=PYTHON,
    icon="code",
    description=(
        "An executor of a workflow that is written in Python: the one with the id "
        "of this node. File > Import from Python makes such nodes. Change what "
        "they do in the code."
    ),
    params=PythonExecutorParams,
    make=_make,
    summary="workflow",
    sink=True,
)
