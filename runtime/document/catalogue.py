"""What the loader needs of a catalogue of node types: executors for nodes.

The node types stand above the loader, because the type of a sub-workflow builds one. So
the loader asks for this protocol, and its callers hand in `runtime.nodes.catalogue()`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from runtime.document.definition import NodeDefinition
from runtime.executors.executor import Executor


class Catalogue(Protocol):
    """The node types by name."""

    def create(
        self, node: NodeDefinition, folder: Path, chain: tuple[str, ...] = ()
    ) -> Executor:
        """Return the executor of a node; may import user code from the folder.

        Raise `DefinitionError` with the node's id as location for an unknown type, and
        for parameters or code that do not fit.
        """
        ...
