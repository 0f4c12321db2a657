"""The session of `stepwell debug MODULE:NAME`: a host that runs a workflow made in code,
in place of the program that would run it.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runtime.debug.protocol import AttachBody
from runtime.debug.remote.code_target import CodeTarget
from runtime.debug.remote.program import ProgramSession
from runtime.debug.session.notices import Notices
from runtime.errors import DefinitionError
from runtime.values.unset import UNSET
from runtime.values.user_failures import in_words

if TYPE_CHECKING:
    from runtime.workflow.workflow import Workflow


class CodeSession(ProgramSession):
    """A fresh run loads the workflow again if its code has changed."""

    def __init__(self, notices: Notices, target: CodeTarget) -> None:
        message = target.input if target.has_input else UNSET
        super().__init__(notices, None, None, target.reference, message)
        self.forks = False
        self._target = target

    async def attach(self) -> AttachBody:
        """Describe the workflow. Raise `DefinitionError` if it cannot be loaded, and
        `CheckpointStoreError` if its store cannot be opened.
        """
        if self._workflow is None:
            self._load()
        return await super().attach()

    async def start(self, message: Any) -> None:
        self._load()
        await super().start(message)

    @property
    def workflow_maker(self) -> Callable[[], Workflow]:
        folder = Path(self._target.folder)
        return lambda: workflow_of(self._target.reference, folder)

    def _load(self) -> None:
        from runtime.stores import open_store

        target = self._target
        if self._store is None:
            self._store = open_store(target.store or target.spare_store, False)
        workflow = workflow_of(target.reference, Path(target.folder))
        if not target.store and workflow.checkpoint_storage is not None:
            self._store = workflow.checkpoint_storage
        self._workflow = workflow

    async def close(self) -> None:
        store = self._store
        self._store = self._runner = None
        if store is not None:
            await store.close()


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
