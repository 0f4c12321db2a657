"""Where the checkpoints of a run stand: run, branch, parent. And the saving and loading that keeps to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.checkpoint import MAIN_BRANCH, Cause, Checkpoint, CheckpointHeader, CheckpointStore
from runtime.errors import SignatureMismatchError, WorkflowCheckpointException
from runtime.registration import register
from runtime.signature import differences
from runtime.state import RunState, Trace
from runtime.telling import Teller

if TYPE_CHECKING:
    from runtime.archive import Archive
    from runtime.codec import TypeRegistry
    from runtime.workflow import Workflow

# Status and number of stalled joins at the barrier, for the header.
Counts = tuple[str, int]


class Lineage:
    """The line of checkpoints that a run stands on; without a store it keeps the names only.

    `header` is the last checkpoint saved or restored: the parent of the next.
    """

    def __init__(
        self,
        workflow: Workflow,
        store: CheckpointStore | None,
        types: TypeRegistry | None,
        tell: Teller,
        *,
        warn_only: bool,
    ) -> None:
        self._workflow, self._types, self._tell, self._warn_only = workflow, types, tell, warn_only
        self._archive: Archive | None = None
        self.header: CheckpointHeader | None = None
        self.run_id, self.branch = "", MAIN_BRANCH
        # False after a restore, or when a save was interrupted: only the store knows then what the branch's head is.
        self._at_head = True
        self.use(store)

    def use(self, store: CheckpointStore | None) -> None:
        """Keep checkpoints in this store from now on. Another store than before has no parent for the next one."""
        if store is None:
            self._archive = None
        elif self._archive is None or self._archive.store is not store:
            self._archive = self._open(store)
            self.header = None

    def _open(self, store: CheckpointStore) -> Archive:
        from runtime.archive import Archive
        from runtime.codec import DEFAULT_TYPES

        types = DEFAULT_TYPES if self._types is None else self._types
        register(self._workflow.types, types)
        return Archive(store, types)

    @property
    def is_kept(self) -> bool:
        """True with a store."""
        return self._archive is not None

    def begin(self, run_id: str) -> None:
        """A new run: its first checkpoint has no parent."""
        self.run_id, self.branch, self.header, self._at_head = run_id, MAIN_BRANCH, None, True

    def stand_at(self, header: CheckpointHeader) -> None:
        """Go on from a checkpoint; which branch that is, is decided at the next save."""
        self.run_id, self.branch, self.header, self._at_head = header.run_id, header.branch, header, False

    async def load(self, checkpoint_id: str) -> Checkpoint:
        """A checkpoint of this graph. Raises `SignatureMismatchError` before anything of it is decoded."""
        archive = self._needed()
        header = (await archive.store.load(checkpoint_id)).header
        if header.signature and header.signature != self._workflow.signature():
            there = (await archive.view(checkpoint_id)).definition
            raise SignatureMismatchError(checkpoint_id, differences(there, self._workflow.saved_definition()))
        return await archive.load(checkpoint_id)

    def _needed(self) -> Archive:
        if self._archive is None:
            raise ValueError(
                "Cannot restore: this run has no checkpoint storage. Give a store to the Runner, or checkpoint_storage "
                "to the builder or to run()."
            )
        return self._archive

    async def fork(self, checkpoint: Checkpoint, branch: str, counts: Counts) -> None:
        """Open a new branch at a checkpoint, with a checkpoint of the same barrier as its first."""
        parent = checkpoint.header
        names = await self._branches(parent.run_id)
        if branch in names:
            raise WorkflowCheckpointException(f"The run has a branch '{branch}' already. Choose another name.")
        made = branch or _free(names)
        header = await self._save(checkpoint.state, checkpoint.trace, Cause.FORK, counts, parent.run_id, parent, made)
        self.stand_at(header)
        self._at_head = True
        self._tell.saved(header)

    async def save(self, state: RunState, trace: Trace, cause: Cause, counts: Counts) -> None:
        """Keep a barrier. Without a store nothing happens; with `warn_only` a failure is told and the gap stays."""
        if self._archive is None:
            return
        try:
            branch = self.branch if self._at_head else await self._next_branch()
            self._at_head = False
            header = await self._save(state, trace, cause, counts, self.run_id, self.header, branch)
        except Exception as error:
            if not self._warn_only:
                raise
            self._tell.missed(error)
            return
        self.header, self.branch, self._at_head = header, branch, True
        self._tell.saved(header)

    async def _save(
        self,
        state: RunState,
        trace: Trace,
        cause: Cause,
        counts: Counts,
        run_id: str,
        parent: CheckpointHeader | None,
        branch: str,
    ) -> CheckpointHeader:
        return await self._needed().save(
            state,
            trace,
            run_id=run_id,
            workflow=self._workflow.name,
            cause=cause,
            parent=parent,
            branch=branch,
            signature=self._workflow.signature(),
            status=counts[0],
            stalled=counts[1],
            definition=self._workflow.saved_definition(),
        )

    async def _next_branch(self) -> str:
        """The branch to go on with: the present one while its head is where we stand, else a new one."""
        store = self._needed().store
        head = await store.latest(run_id=self.run_id, branch=self.branch)
        if (head and head.id) == (self.header and self.header.id):
            return self.branch
        return _free(await self._branches(self.run_id))

    async def _branches(self, run_id: str) -> set[str]:
        return {header.branch for header in await self._needed().store.headers(run_id=run_id)}


def _free(names: set[str]) -> str:
    number = 1
    while f"fork {number}" in names:
        number += 1
    return f"fork {number}"
