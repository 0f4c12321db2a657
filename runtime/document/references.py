"""References of a document to Python (`module:name`), and the folder of its node types."""

from __future__ import annotations

import re
from pathlib import Path

REFERENCE_PATTERN = r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$"
_REFERENCE = re.compile(REFERENCE_PATTERN)
# The folder beside a document that has modules of node types. It needs no __init__.py.
NODES_FOLDER = "nodes"


def is_reference(text: str) -> bool:
    """Return whether a text has the form `module:name`."""
    return _REFERENCE.match(text) is not None


def own_file(type: str, folder: Path) -> Path | None:
    """Return the file of a node type that is named `nodes.<file>:<name>`; None for any
    other node type.
    """
    module = type.partition(":")[0].split(".")
    is_own = is_reference(type) and len(module) == 2 and module[0] == NODES_FOLDER
    return folder / NODES_FOLDER / f"{module[1]}.py" if is_own else None
