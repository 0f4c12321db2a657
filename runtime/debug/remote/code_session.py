"""The session of `stepwell debug MODULE:NAME`: a host that runs a workflow made in code,
in place of the program that would run it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from runtime.debug.protocol import AttachBody
from runtime.debug.remote.code_target import CodeTarget
from runtime.debug.remote.program import ProgramSession
from runtime.debug.session.notices import Notices
from runtime.debug.session.session import CodeReference
from runtime.loader.code_workflow import workflow_of
from runtime.values.unset import UNSET

if TYPE_CHECKING:
    pass


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
    def code_reference(self) -> CodeReference:
        return CodeReference(self._target.reference, self._target.folder)

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
