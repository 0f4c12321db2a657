"""Where the checkpoints of a run stand: run, branch, parent. And the saving and loading that keeps to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from runtime.checkpoint import (
    MAIN_BRANCH,
    Cause,
    Checkpoint,
    CheckpointHeader,
    CheckpointStore,
)
from runtime.engine.feeds import Teller
from runtime.engine.status import count_stalled, status_of
from runtime.errors import (
    BranchMovedError,
    SignatureMismatchError,
    WorkflowCheckpointException,
)
from runtime.executors.payload_types import register
from runtime.graph.signature import reasons
from runtime.state import Fate, RunState, Trace

if TYPE_CHECKING:
    from runtime.checkpoints.archive import Archive
    from runtime.codec import TypeRegistry
    from runtime.graph.workflow_graph import WorkflowGraph

# How many checkpoints are read to say why a join waits.
LOOK_BACK = 1000

# Saves one barrier on the branch it is given.
_Save = Callable[[str], Awaitable[CheckpointHeader]]


class Lineage:
    """The line of checkpoints that a run stands on; without a store it keeps the names only.

    `header` is the last checkpoint saved or restored: the parent of the next.
    """

    def __init__(
        self,
        workflow: WorkflowGraph,
        store: CheckpointStore | None,
        types: TypeRegistry | None,
        tell: Teller,
        *,
        warn_only: bool,
    ) -> None:
        self._workflow = workflow
        self._types = types
        self._tell = tell
        self._warn_only = warn_only
        self._archive: Archive | None = None
        self.header: CheckpointHeader | None = None
        self.run_id = ""
        self.branch = MAIN_BRANCH
        # Whether we stood at the head of the branch when it was last seen: then it is news that the branch has moved.
        self._at_head = True
        self.use(store)

    @property
    def _place(self) -> tuple[Archive | None, str, str, CheckpointHeader | None, bool]:
        return self._archive, self.run_id, self.branch, self.header, self._at_head

    def undo_use(self) -> None:
        """Be back where the run stood before `use` was called last: what should have begun then has changed nothing."""
        self._archive, self.run_id, self.branch, self.header, self._at_head = (
            self._before
        )

    def use(self, store: CheckpointStore | None) -> None:
        """Keep checkpoints in this store from now on. Another store than before has no parent for the next one."""
        self._before = self._place
        if store is None:
            self._archive = None
        elif self._archive is None or self._archive.store is not store:
            self._archive = self._open(store)
            self.header = None

    def _open(self, store: CheckpointStore) -> Archive:
        from runtime.checkpoints.archive import Archive
        from runtime.codec import DEFAULT_TYPES, TypeRegistry

        types = TypeRegistry(DEFAULT_TYPES if self._types is None else self._types)
        register(self._workflow.types, types)
        return Archive(store, types)

    @property
    def is_kept(self) -> bool:
        """True with a store."""
        return self._archive is not None

    @contextmanager
    def begun(self, run_id: str) -> Iterator[None]:
        """A new run, whose first checkpoint has no parent; if that cannot be saved, the run before goes on."""
        before = self.run_id, self.branch, self.header, self._at_head
        self.run_id = run_id
        self.branch = MAIN_BRANCH
        self.header = None
        self._at_head = True
        try:
            yield
        except BaseException:
            self.run_id, self.branch, self.header, self._at_head = before
            raise

    def stand_at(self, header: CheckpointHeader, *, at_head: bool = False) -> None:
        """Go on from a checkpoint; which branch that is, the store decides at the next save."""
        self.run_id = header.run_id
        self.branch = header.branch
        self.header = header
        self._at_head = at_head

    async def is_head(self, header: CheckpointHeader) -> bool:
        """Whether a checkpoint is the newest of its branch."""
        head = await self._needed().store.latest(
            run_id=header.run_id, branch=header.branch
        )
        return head is not None and head.id == header.id

    async def load(self, checkpoint_id: str) -> Checkpoint:
        """A checkpoint of this graph. Raises `SignatureMismatchError` before anything of it is decoded."""
        archive = self._needed()
        header = (await archive.store.load(checkpoint_id)).header
        if header.signature and header.signature != self._workflow.signature():
            there = (await archive.view(checkpoint_id)).definition
            raise SignatureMismatchError(
                checkpoint_id, reasons(there, self._workflow.saved_definition())
            )
        return await archive.load(checkpoint_id)

    async def fates_before(
        self, newest: CheckpointHeader
    ) -> list[Sequence[Fate] | None]:
        """The fates that led to a checkpoint, from its parent backwards; at last None if there is more, unreadable."""
        found: list[Sequence[Fate] | None] = []
        at = newest.parent
        while at is not None and len(found) < LOOK_BACK:
            try:
                header, trace = await self._needed().trace(at)
            except WorkflowCheckpointException:
                # removed or damaged: whoever asks for that one is told, here it is only missing
                break
            found.append(trace.fates)
            at = header.parent
        return found if at is None else [*found, None]

    def _needed(self) -> Archive:
        if self._archive is None:
            raise ValueError(
                "Cannot restore from checkpoint: either provide checkpoint_storage parameter or build workflow with "
                "WorkflowBuilder(checkpoint_storage=checkpoint_storage); a Runner takes a store."
            )
        return self._archive

    async def fork(self, checkpoint: Checkpoint, branch: str) -> None:
        """Open a new branch at a checkpoint, with a checkpoint of the same barrier as its first."""
        parent = checkpoint.header
        save = partial(
            self._save,
            checkpoint.state,
            checkpoint.trace,
            Cause.FORK,
            parent.run_id,
            parent,
        )
        if not branch:
            header = await self._branch_off(parent.run_id, save)
        elif branch in await self._branches(parent.run_id):
            raise _name_taken(branch)
        else:
            try:
                header = await save(branch)
            except BranchMovedError as error:
                raise _name_taken(branch) from error
        self.stand_at(header, at_head=True)
        self._tell.saved(header)

    async def save(self, state: RunState, trace: Trace, cause: Cause) -> None:
        """Keep a barrier: on the branch while we stand at its head, else on a new one.

        Without a store nothing happens; with `warn_only` a failure is told and the gap stays.
        """
        if self._archive is None:
            return
        was_head = self._at_head
        self._at_head = False
        try:
            try:
                header = await self._save(
                    state, trace, cause, self.run_id, self.header, self.branch
                )
            except BranchMovedError as error:
                save = partial(
                    self._save, state, trace, cause, self.run_id, self.header
                )
                header = await self._go_beside(save, error, was_head)
        except Exception as error:
            if not self._warn_only:
                raise
            self._tell.missed(error)
            return
        self.header = header
        self.branch = header.branch
        self._at_head = True
        self._tell.saved(header)

    async def _go_beside(
        self, save: _Save, error: BranchMovedError, was_head: bool
    ) -> CheckpointHeader:
        header = await self._branch_off(self.run_id, save)
        if was_head:
            self._tell.warn(
                f"Somebody else has gone on with the run on the branch '{error.branch}', to checkpoint "
                f"{error.head}. This run goes on beside it, on the branch '{header.branch}'."
            )
        return header

    async def _branch_off(self, run_id: str, save: _Save) -> CheckpointHeader:
        while True:
            try:
                return await save(_free(await self._branches(run_id)))
            except BranchMovedError:
                # somebody else has taken the name meanwhile, so it is not free any more
                continue

    def _save(
        self,
        state: RunState,
        trace: Trace,
        cause: Cause,
        run_id: str,
        parent: CheckpointHeader | None,
        branch: str,
    ) -> Awaitable[CheckpointHeader]:
        workflow = self._workflow
        status = status_of(state)
        return self._needed().save(
            state,
            trace,
            run_id=run_id,
            workflow=workflow.name,
            cause=cause,
            parent=parent,
            branch=branch,
            signature=workflow.signature(),
            status=status.value,
            stalled=count_stalled(state, status),
            definition=workflow.saved_definition(),
        )

    async def _branches(self, run_id: str) -> set[str]:
        return {
            header.branch
            for header in await self._needed().store.headers(run_id=run_id)
        }


def _name_taken(branch: str) -> WorkflowCheckpointException:
    return WorkflowCheckpointException(
        f"The run has a branch '{branch}' already. Choose another name."
    )


def _free(names: set[str]) -> str:
    number = 1
    while f"fork {number}" in names:
        number += 1
    return f"fork {number}"
