"""The node types of the palette. A new one is a file here and a line in `BUILT_IN`.

Other packages add theirs through the entry point group `stepwell.nodes`; each entry is
a `NodeType`, or a function or an Executor class with the decorator `@node_type`. Those
of one document are in `nodes/*.py` in its folder.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path

from runtime.nodes.ask import ASK
from runtime.nodes.base import Catalogue, NodeParams, NodeType, Place
from runtime.nodes.batch import BATCH
from runtime.nodes.chat_model import CHAT_MODEL
from runtime.nodes.collect import COLLECT
from runtime.nodes.counter import COUNTER
from runtime.nodes.csv_read import CSV_READ
from runtime.nodes.csv_write import CSV_WRITE
from runtime.nodes.delay import DELAY
from runtime.nodes.filter_rows import FILTER_ROWS
from runtime.nodes.for_each import FOR_EACH
from runtime.nodes.get_state import GET_STATE
from runtime.nodes.group_rows import GROUP_ROWS
from runtime.nodes.http_request import HTTP_REQUEST
from runtime.nodes.inline_code import INLINE_CODE
from runtime.nodes.input import INPUT
from runtime.nodes.join_tables import JOIN_TABLES
from runtime.nodes.json_transform import JSON_TRANSFORM
from runtime.nodes.log import LOG
from runtime.nodes.loop_guard import LOOP_GUARD
from runtime.nodes.merge import MERGE
from runtime.nodes.output import OUTPUT
from runtime.nodes.python_class import PYTHON_CLASS
from runtime.nodes.python_executor import PYTHON_EXECUTOR
from runtime.nodes.python_function import PYTHON_FUNCTION
from runtime.nodes.read_file import READ_FILE
from runtime.nodes.reduce import REDUCE
from runtime.nodes.schedule import SCHEDULE
from runtime.nodes.set_state import SET_STATE
from runtime.nodes.shell_command import SHELL_COMMAND
from runtime.nodes.sort_rows import SORT_ROWS
from runtime.nodes.sql_query import SQL_QUERY
from runtime.nodes.sub_workflow import SUB_WORKFLOW
from runtime.nodes.support.node_type_decorator import node_type
from runtime.nodes.switch import SWITCH
from runtime.nodes.template import TEMPLATE
from runtime.nodes.write_file import WRITE_FILE

__all__ = [
    "BUILT_IN",
    "ENTRY_POINTS",
    "Catalogue",
    "NodeParams",
    "NodeType",
    "Place",
    "catalogue",
    "node_type",
]

ENTRY_POINTS = "stepwell.nodes"
BUILT_IN: tuple[NodeType, ...] = (
    INPUT,
    OUTPUT,
    PYTHON_FUNCTION,
    PYTHON_CLASS,
    PYTHON_EXECUTOR,
    INLINE_CODE,
    TEMPLATE,
    JSON_TRANSFORM,
    READ_FILE,
    WRITE_FILE,
    CSV_READ,
    CSV_WRITE,
    FILTER_ROWS,
    SORT_ROWS,
    GROUP_ROWS,
    JOIN_TABLES,
    COLLECT,
    MERGE,
    REDUCE,
    HTTP_REQUEST,
    SQL_QUERY,
    SHELL_COMMAND,
    CHAT_MODEL,
    ASK,
    SWITCH,
    SUB_WORKFLOW,
    FOR_EACH,
    BATCH,
    COUNTER,
    LOOP_GUARD,
    DELAY,
    SCHEDULE,
    SET_STATE,
    GET_STATE,
    LOG,
)


def catalogue(folder: Path | str | None = None) -> Catalogue:
    """Return the built-in node types, those of installed packages, and those of a
    document's folder (`nodes/*.py`) without running them; its `warnings` name
    those that cannot be used.
    """
    if folder is None:
        return _installed()
    return _installed().of_folder(Path(folder).resolve())


@lru_cache(maxsize=1)
def _installed() -> Catalogue:
    return Catalogue(
        BUILT_IN, sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name)
    )
