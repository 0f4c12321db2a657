"""`Lineage`: where the next checkpoint of a run belongs (run, branch, parent), and its
saving and loading.

Rules: a checkpoint's parent is the one that was saved or restored last. A branch is a
line, so a run saves on its branch only while it is at the branch's head. If somebody
else has gone on from there, the run gets its own branch. The store decides that, in one
transaction with the save, because two processes may go on from one checkpoint.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from runtime.checkpoint import (
    MAIN_BRANCH,
    Cause,
    Checkpoint,
    CheckpointHeader,
    CheckpointStore,
)
from runtime.engine.notifier import Notifier
from runtime.engine.status import count_stalled, status_of
from runtime.errors import (
    BranchMovedError,
    SignatureMismatchError,
    WorkflowCheckpointException,
)
from runtime.executors.payload_types import register
from runtime.graph.signature import differences, reasons
from runtime.state import Fate, RunState, Trace

if TYPE_CHECKING:
    from runtime.calls import Call
    from runtime.checkpoints.archive import Archive
    from runtime.codec import TypeRegistry
    from runtime.engine.change_plan import ChangePlan
    from runtime.engine.patch_plan import PatchPlan
    from runtime.engine.replay.plan import PlannedCall
    from runtime.engine.replay.player import Player
    from runtime.engine.replay.settings import Replay
    from runtime.graph.workflow_graph import WorkflowGraph

# How many checkpoints are read to explain why a join waits.
LOOK_BACK = 1000

# Makes what the calls of a superstep outside of the run did, with the types of the store.
MakeCalls = Callable[["TypeRegistry"], "tuple[Call, ...]"]
# Saves a barrier on the branch of that name.
_SaveOn = Callable[[str], Awaitable[CheckpointHeader]]


class Place(NamedTuple):
    """Where the next checkpoint belongs.

    header      the checkpoint that was saved or restored last; the parent of the next one
    is_at_head  whether that was the head of its branch when we last knew. If it is not any more, somebody has gone on
    """

    archive: Archive | None = None
    run_id: str = ""
    branch: str = MAIN_BRANCH
    header: CheckpointHeader | None = None
    is_at_head: bool = True


class Lineage:
    """The line of checkpoints of a run. Without a store it only keeps the names.

    place      may be read and put back, to undo what happened in between
    warn_only  when a save fails, warn and go on without that checkpoint
    """

    def __init__(
        self,
        workflow: WorkflowGraph,
        store: CheckpointStore | None,
        types: TypeRegistry | None,
        notifier: Notifier,
        *,
        warn_only: bool,
    ) -> None:
        self._workflow = workflow
        self._types = types
        self._notifier = notifier
        self.warn_only = warn_only
        self.place = Place()
        self.use(store)

    @property
    def types(self) -> TypeRegistry:
        """The types of the workflow, as values are saved with them."""
        return self._required_archive().types

    @property
    def has_store(self) -> bool:
        return self.place.archive is not None

    def is_in(self, store: CheckpointStore | None) -> bool:
        """Return True if checkpoints are kept in this store."""
        archive = self.place.archive
        return store is None if archive is None else archive.store is store

    def use(self, store: CheckpointStore | None) -> None:
        """Keep checkpoints in this store from now on. In another store than before, the
        next one has no parent.
        """
        if store is None:
            self.place = self.place._replace(archive=None)
        elif not self.is_in(store):
            self.place = self.place._replace(archive=self._open(store), header=None)

    def _open(self, store: CheckpointStore) -> Archive:
        from runtime.checkpoints.archive import Archive
        from runtime.codec import DEFAULT_TYPES, TypeRegistry

        types = TypeRegistry(DEFAULT_TYPES if self._types is None else self._types)
        register(self._workflow.types, types)
        return Archive(store, types)

    @contextmanager
    def new_run(self, run_id: str) -> Iterator[None]:
        """Begin a new run, whose first checkpoint has no parent. If that cannot be
        saved, the run before goes on.
        """
        before = self.place
        self.place = Place(before.archive, run_id)
        try:
            yield
        except BaseException:
            self.place = before
            raise

    def move_to(self, header: CheckpointHeader, *, at_head: bool = False) -> None:
        """Go on from a checkpoint. Whether that needs a new branch is decided by the
        store at the next save.
        """
        self.place = Place(
            self.place.archive, header.run_id, header.branch, header, at_head
        )

    # --- loading ------------------------------------------------------------------------------------------------

    async def is_head(self, header: CheckpointHeader) -> bool:
        """Return True if a checkpoint is the newest of its branch."""
        head = await self._required_archive().store.latest(
            run_id=header.run_id, branch=header.branch
        )
        return head is not None and head.id == header.id

    async def load(self, checkpoint_id: str) -> Checkpoint:
        """Return a checkpoint of this graph. Raise `SignatureMismatchError` before any
        of its values is decoded.
        """
        archive = self._required_archive()
        header = (await archive.store.load(checkpoint_id)).header
        if header.signature and header.signature != self._workflow.signature():
            definition = (await archive.view(checkpoint_id)).definition
            raise SignatureMismatchError(
                checkpoint_id,
                _reasons(definition, self._workflow.saved_definition()),
            )
        return await archive.load(checkpoint_id)

    async def fates_before(
        self, newest: CheckpointHeader
    ) -> list[Sequence[Fate] | None]:
        """Return the fates that led to a checkpoint, from its parent backwards; None at
        the end if the rest is missing or was not read.
        """
        traces: list[Sequence[Fate] | None] = []
        checkpoint_id = newest.parent
        while checkpoint_id is not None and len(traces) < LOOK_BACK:
            try:
                header, trace = await self._required_archive().trace(checkpoint_id)
            except WorkflowCheckpointException:
                # Removed or damaged. An explanation of a join is no reason to fail the
                # restore.
                break
            traces.append(trace.fates)
            checkpoint_id = header.parent
        if checkpoint_id is not None:
            traces.append(None)
        return traces

    async def player(
        self, header: CheckpointHeader, replay: Replay | None
    ) -> Player | None:
        """Return what decides about calls outside of the run that goes on from a
        checkpoint; None where all are simply made. Raise `ValueError` for an executor
        that does not reach outside.
        """
        from runtime.engine.replay.player import Player
        from runtime.engine.replay.record import CallRecord
        from runtime.engine.replay.settings import RECORDED_REPLAY

        settings = RECORDED_REPLAY if replay is None else replay
        settings.check(self._workflow)
        archive = self._required_archive()
        here = self.place.header
        prefer = settings.prefer or ("" if here is None else here.id)
        record = await CallRecord.behind(archive, header, prefer)
        player = Player(settings, record, archive.types)
        return None if player.is_over(header.superstep + 1) else player

    async def plan_outside(
        self,
        header: CheckpointHeader,
        state: RunState,
        replay: Replay | None,
        *,
        is_changed: bool,
    ) -> list[PlannedCall]:
        """Return what would happen outside of the run behind a checkpoint."""
        from runtime.engine.replay.plan import plan_outside

        return await plan_outside(
            self._workflow,
            self._required_archive(),
            header,
            state,
            replay,
            is_changed=is_changed,
        )

    def _required_archive(self) -> Archive:
        archive = self.place.archive
        if archive is None:
            raise ValueError(
                "Cannot restore from checkpoint: either provide checkpoint_storage parameter or build workflow with "
                "WorkflowBuilder(checkpoint_storage=checkpoint_storage); a Runner takes a store."
            )
        return archive

    # --- saving -------------------------------------------------------------------------------------------------

    async def save(
        self,
        state: RunState,
        trace: Trace,
        cause: Cause,
        *,
        make_calls: MakeCalls | None = None,
    ) -> None:
        """Save a barrier, if there is a store: on the branch while the run is at its
        head, else on a new one.

        With `warn_only` a failure becomes a warning, and the next checkpoint has the
        parent that this one would have.
        """
        place = self.place
        archive, run_id, branch, parent, was_at_head = place
        if archive is None:
            return
        # Until the store says otherwise, because a save that fails may have moved the
        # head all the same.
        self.place = Place(archive, run_id, branch, parent, False)
        try:
            calls = () if make_calls is None else make_calls(archive.types)
            save_on = partial(
                self._save, state, trace, cause, run_id, parent, calls=calls
            )
            try:
                header = await save_on(branch)
            except BranchMovedError as error:
                header = await self._save_on_new_branch(run_id, save_on)
                if was_at_head:
                    self._notifier.warn(
                        f"Somebody else has gone on with the run on the branch '{error.branch}', to checkpoint "
                        f"{error.head}. This run goes on beside it, on the branch '{header.branch}'."
                    )
        except Exception as error:
            if not self.warn_only:
                raise
            self._notifier.checkpoint_missed(error)
            return
        self.place = Place(archive, run_id, header.branch, header, True)
        self._notifier.checkpoint_saved(header)

    async def load_of_any_graph(self, checkpoint_id: str) -> Checkpoint:
        """Return a checkpoint, also of another graph, with the definition of that one."""
        return await self._required_archive().load(checkpoint_id)

    async def fork(
        self,
        checkpoint: Checkpoint,
        branch: str,
        plan: ChangePlan | None = None,
        patch_plan: PatchPlan | None = None,
    ) -> None:
        """Open a new branch at a checkpoint. Its first checkpoint has the same barrier.

        With a plan, it is the barrier as the changed workflow takes it over, or as the
        patch leaves it, with the cause `edit` and the difference. A patch names the
        branch if nobody else does.
        """
        parent = checkpoint.header
        run_id = parent.run_id
        is_edit = plan is not None or patch_plan is not None
        cause = Cause.EDIT if is_edit else Cause.FORK
        save = self._save
        if is_edit:
            save = partial(self._save, plan=plan, patch_plan=patch_plan)
        save_on = partial(
            save, checkpoint.state, checkpoint.trace, cause, run_id, parent
        )
        if not branch:
            name = "" if patch_plan is None else patch_plan.patch.name
            header = await self._save_on_new_branch(run_id, save_on, name)
        elif branch in await self._branches(run_id):
            raise _name_taken(branch)
        else:
            try:
                header = await save_on(branch)
            except BranchMovedError as error:
                raise _name_taken(branch) from error
        self.move_to(header, at_head=True)
        self._notifier.checkpoint_saved(header)

    async def _save_on_new_branch(
        self, run_id: str, save_on: _SaveOn, name: str = ""
    ) -> CheckpointHeader:
        while True:
            try:
                return await save_on(_free_name(await self._branches(run_id), name))
            except BranchMovedError:
                # Somebody else has taken the name since the branches were listed.
                continue

    def _save(
        self,
        state: RunState,
        trace: Trace,
        cause: Cause,
        run_id: str,
        parent: CheckpointHeader | None,
        branch: str,
        plan: ChangePlan | None = None,
        patch_plan: PatchPlan | None = None,
        calls: tuple[Call, ...] = (),
    ) -> Awaitable[CheckpointHeader]:
        workflow = self._workflow
        status = status_of(state)
        return self._required_archive().save(
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
            change=None if plan is None else plan.record(),
            changed="" if plan is None else plan.summary(),
            patch=None if patch_plan is None else patch_plan.patch.as_json(),
            edited="" if patch_plan is None else patch_plan.summary(),
            calls=calls,
        )

    async def _branches(self, run_id: str) -> set[str]:
        headers = await self._required_archive().store.headers(run_id=run_id)
        return {header.branch for header in headers}


def _reasons(
    before: Mapping[str, Any] | None, after: Mapping[str, Any] | None
) -> list[str]:
    """Return how two definitions differ, child files too: a checkpoint carries them."""
    # Imported here, because most runs never meet another graph.
    from runtime.migration.changes import changes_between
    from runtime.migration.outline_reader import outline_of, with_files_inside

    lines = differences(with_files_inside(before), with_files_inside(after))
    if not lines:
        changes = changes_between(outline_of(before), outline_of(after))
        lines = [change.text for change in changes]
    return lines or reasons(before, after)


def _name_taken(branch: str) -> WorkflowCheckpointException:
    return WorkflowCheckpointException(
        f"The run has a branch '{branch}' already. Choose another name."
    )


def _free_name(names: set[str], wanted: str = "") -> str:
    """Return a name that no branch has: the wanted one, or one with a number."""
    if wanted and wanted not in names:
        return wanted
    number = 2 if wanted else 1
    while f"{wanted or 'fork'} {number}" in names:
        number += 1
    return f"{wanted or 'fork'} {number}"
