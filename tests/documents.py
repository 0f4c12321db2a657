"""Build and import documents with the node types that are installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from runtime.document.definition import WorkflowDefinition, WorkflowFile
from runtime.loader import build as building
from runtime.loader import from_python
from runtime.nodes import Catalogue, catalogue
from runtime.workflow.workflow import Workflow


def build(
    definition: WorkflowDefinition,
    types: Catalogue | None = None,
    folder: Path | str = ".",
    **options: Any,
) -> Workflow:
    """Return the workflow of a definition, with the folder's node types unless others
    are given.
    """
    return building.build(definition, types or catalogue(folder), folder, **options)


def import_workflow(reference: str, folder: Path | str) -> WorkflowFile:
    """Return the document of a workflow in Python."""
    return from_python.import_workflow(reference, folder, catalogue(folder))
