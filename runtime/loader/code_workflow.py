"""A workflow that was made in code, by the name of what makes it."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runtime.errors import DefinitionError
from runtime.values.user_failures import in_words

if TYPE_CHECKING:
    from runtime.workflow.workflow import Workflow


def workflow_of(reference: str, folder: Path) -> Workflow:
    """Return the workflow that `module:name` means: a workflow, a builder of one, or a
    function without parameters that returns either. Raise `DefinitionError`.
    """
    from runtime.loader.python_modules import load
    from runtime.workflow.builder import WorkflowBuilder
    from runtime.workflow.workflow import Workflow

    value = load(reference, folder)
    try:
        if _is_function(value):
            value = value()
        if isinstance(value, WorkflowBuilder):
            value = value.build()
    except (Exception, SystemExit) as error:
        raise DefinitionError(
            f"'{reference}' makes no workflow: {in_words(error)}."
        ) from error
    if isinstance(value, Workflow):
        return value
    if inspect.iscoroutine(value):
        value.close()
    raise DefinitionError(
        f"'{reference}' is of type {type(value).__name__}, and no workflow. {_others(reference)}"
    )


def _is_function(value: Any) -> bool:
    """Whether a value is a function that can be called without an argument."""
    if not inspect.isroutine(value):
        return False
    required = [
        name
        for name, parameter in inspect.signature(value).parameters.items()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    if required:
        raise TypeError(f"the function needs {' and '.join(required)}")
    return True


def _others(reference: str) -> str:
    """Return what in the same module, which is loaded, can be named instead."""
    from runtime.workflow.builder import WorkflowBuilder
    from runtime.workflow.workflow import Workflow

    module = reference.partition(":")[0]
    names = [
        f"{module}:{name}"
        for name, value in vars(sys.modules[module]).items()
        if isinstance(value, Workflow | WorkflowBuilder)
    ]
    if not names:
        return f"There is none in module '{module}'."
    return f"There is {' and '.join(names)}."
