"""References to Python in a document: `module:name`, and the folder of its own node types."""

from __future__ import annotations

import re
from pathlib import Path

REFERENCE_PATTERN = r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$"
_REFERENCE = re.compile(REFERENCE_PATTERN)
# In a document's folder: modules of node types. It is a package also without an __init__.py.
NODES_FOLDER = "nodes"


def is_reference(text: str) -> bool:
    """Whether a text has the form `module:name`."""
    return _REFERENCE.match(text) is not None


def own_file(type: str, folder: Path) -> Path | None:
    """The file of a node type of a folder, by its name `nodes.<file>:<name>`; None for any other node type."""
    module = type.partition(":")[0].split(".")
    is_own = is_reference(type) and len(module) == 2 and module[0] == NODES_FOLDER
    return folder / NODES_FOLDER / f"{module[1]}.py" if is_own else None
