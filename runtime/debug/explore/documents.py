"""Clean instances of workflows that are documents: each loads the code of the document
anew, so that modules keep nothing from one try to the next.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from runtime.debug.explore.trial import Make
from runtime.document.definition import WorkflowDefinition
from runtime.document.sub_workflows import NO_FILES, Files, saved_files
from runtime.errors import DefinitionError
from runtime.loader.build import build
from runtime.loader.python_modules import forget
from runtime.nodes import catalogue
from runtime.workflow.workflow import Workflow


def maker_of_document(
    definition: WorkflowDefinition, folder: str, files: Files = NO_FILES
) -> Make:
    """Return what makes instances of a document. It raises `DefinitionError`."""

    def make() -> Workflow:
        forget()
        return build(definition, catalogue(folder).with_files(files), folder)

    return make


def maker_of_saved(saved: Mapping[str, Any] | None) -> Make:
    """Return what makes instances of the workflow that a checkpoint carries. Raise
    `DefinitionError` if it carries none.
    """
    if saved is None or "workflow" not in saved:
        raise DefinitionError(
            "The workflow was built in Python, so its checkpoint does not say how to make a clean instance. "
            "Explore it there, with runtime.debug.explore.explorer.explore."
        )
    try:
        definition = WorkflowDefinition.model_validate(saved["workflow"])
    except ValidationError as error:
        raise DefinitionError(
            f"The workflow in the checkpoint cannot be read: {error}"
        ) from error
    return maker_of_document(
        definition, str(saved.get("folder", ".")), saved_files(saved)
    )
