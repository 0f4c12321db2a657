"""Code: a function written in the document itself; what it returns is sent on."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from runtime.errors import DefinitionError
from runtime.executors.executor import Executor
from runtime.expressions.python_source import ENTRY, PYTHON_FORMAT
from runtime.loader.python_modules import run_text
from runtime.nodes.base import PYTHON, NodeParams, NodeType, Place, well_formed
from runtime.nodes.support.function_executor import CallingExecutor

_EXAMPLE = """\
def run(message):
    return message
"""


class InlineCodeParams(NodeParams):
    code: Annotated[str, well_formed(PYTHON_FORMAT)] = Field(
        _EXAMPLE,
        title="Code",
        description="Python with a function run(message) or run(message, ctx), which may be async. What it returns is "
        "sent on; ctx can send more, yield outputs and keep state. Annotate the message to say what it takes, such as "
        "message: str. Modules of the workflow's folder can be imported.",
        json_schema_extra={
            "format": PYTHON_FORMAT,
            "contentMediaType": "text/x-python",
        },
    )


def _make(place: Place, params: InlineCodeParams) -> Executor:
    module = run_text(params.code, place.node_id, place.folder)
    try:
        return CallingExecutor(
            place.node_id,
            getattr(module, ENTRY, None),  # type: ignore[arg-type]
            INLINE_CODE.type,
        )
    except ValueError as error:
        raise DefinitionError(
            f"The code cannot be a node: {str(error).rstrip('.')}.", place.node_id
        ) from error


INLINE_CODE = NodeType(
    type="inline_code",
    title="Code",
    category=PYTHON,
    icon="pencil",
    description=(
        "Python in the document: write a function run(message). What it returns is "
        "sent on; None sends nothing. The code is checked without running it, and "
        "runs only in a folder that you trust. For longer code put a module into "
        "the folder and use Function."
    ),
    params=InlineCodeParams,
    make=_make,
    sink=True,
)
