"""Fresh workflows for a proof: a new instance for each restore, from what a checkpoint
keeps, from a file, or from a function.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import ValidationError

from runtime.debug.verify.results import UncheckedError
from runtime.document.definition import WorkflowDefinition
from runtime.document.sub_workflows import saved_files
from runtime.errors import DefinitionError, WorkflowValidationError
from runtime.values.user_failures import text_of

if TYPE_CHECKING:
    from runtime.nodes import Catalogue
    from runtime.workflow.workflow import Workflow

IN_PYTHON = (
    "This run's workflow was built in Python. Name the function that makes it: "
    "stepwell verify STORE --app MODULE:NAME"
)


class Workflows(Protocol):
    """Makes the workflow of a checkpoint as often as it is asked."""

    def fresh(self, definition: Mapping[str, Any] | None) -> Workflow:
        """Return a new instance. Raise `UncheckedError` if it cannot be built."""


class SavedWorkflows:
    """Builds what a checkpoint carries. The node types of a folder are read once.

    otherwise  makes the workflow of a checkpoint that carries none
    """

    def __init__(self, otherwise: Callable[[], Workflow] | None = None) -> None:
        self._otherwise = otherwise
        self._catalogues: dict[str, Catalogue] = {}

    def fresh(self, definition: Mapping[str, Any] | None) -> Workflow:
        if definition is None or "workflow" not in definition:
            if self._otherwise is None:
                raise UncheckedError(IN_PYTHON)
            return _made(self._otherwise)
        folder = str(definition.get("folder", "."))

        def make() -> Workflow:
            from runtime.loader.build import build

            workflow = WorkflowDefinition.model_validate(definition["workflow"])
            catalogue = self._catalogue(folder).with_files(saved_files(definition))
            return build(workflow, catalogue, folder)

        return _made(make)

    def _catalogue(self, folder: str) -> Catalogue:
        from runtime.nodes import catalogue

        if folder not in self._catalogues:
            self._catalogues[folder] = catalogue(folder)
        return self._catalogues[folder]


class WorkflowOfFile:
    """Builds a workflow file as it is now, whatever a checkpoint carries."""

    def __init__(self, definition: WorkflowDefinition, folder: Path) -> None:
        from runtime.nodes import catalogue

        self._definition = definition
        self._folder = folder
        self._catalogue = catalogue(folder)

    def fresh(self, definition: Mapping[str, Any] | None) -> Workflow:
        from runtime.loader.build import build

        return _made(lambda: build(self._definition, self._catalogue, self._folder))


class WorkflowOfCode:
    """Calls a function that makes the workflow, whatever a checkpoint carries."""

    def __init__(self, make: Callable[[], Workflow]) -> None:
        self._make = make

    def fresh(self, definition: Mapping[str, Any] | None) -> Workflow:
        return _made(self._make)


def _made(make: Callable[[], Workflow]) -> Workflow:
    logger = logging.getLogger("runtime")
    level = logger.level
    # What the checks of a graph warn of was said when the run was made.
    logger.setLevel(logging.ERROR)
    try:
        return make()
    except (DefinitionError, WorkflowValidationError, ValidationError) as error:
        text = f"The workflow cannot be built: {text_of(error)}"
        raise UncheckedError(text) from error
    finally:
        logger.setLevel(level)
