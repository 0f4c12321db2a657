"""The session of a debug host: a document, its store, and one run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from runtime.checkpoint import CheckpointHeader, CheckpointStore
from runtime.debug.protocol import (
    AttachBody,
    OpenArguments,
    OpenBody,
    RestoreArguments,
)
from runtime.debug.session.activity import Activity
from runtime.debug.session.notices import Notices
from runtime.debug.session.replays import replay_of
from runtime.debug.supersteps.trail import Trail
from runtime.debug.timeline.board import Board
from runtime.debug.timeline.board_times import BoardTimes
from runtime.debug.timeline.outputs import Outputs
from runtime.debug.timeline.part_sizes import PartSizes
from runtime.document.definition import WorkflowDefinition, WorkflowFile
from runtime.document.problem import Problem
from runtime.errors import (
    DefinitionError,
    WorkflowCheckpointException,
    WorkflowRunnerException,
)
from runtime.state import owner_of
from runtime.values.user_failures import in_words, text_of

if TYPE_CHECKING:
    from runtime.concurrency.cancellation import StopSignal
    from runtime.engine.runner import Runner
    from runtime.executors.executor import Executor
    from runtime.workflow.workflow import Workflow


class CodeReference(NamedTuple):
    """What makes a workflow in code, as `module:name`, and where its module is."""

    reference: str
    folder: str


class Session:
    """The one session of a host. User code is imported when the workflow is built:
    at `open` if a document came with it, else only when a run is to move.
    Looking into a store never builds.
    """

    def __init__(self, notices: Notices) -> None:
        self.notices = notices
        self._store: CheckpointStore | None = None
        self._workflow: Workflow | None = None
        self._refusal: Exception | None = None
        self._runner: Runner | None = None
        self._folder = ""
        self._inputs: dict[str, tuple[str, ...]] | None = None
        self.definition: WorkflowDefinition | None = None
        self.activity = Activity(notices)
        self.trail = Trail()
        self.outputs = Outputs()
        self.board = Board()
        self.board_times = BoardTimes()
        self.part_sizes = PartSizes()
        # Awaited before another run takes the place of the present one.
        self.before_change: Callable[[], Awaitable[None]] = _nothing

    # --- document and store -----------------------------------------------------------------------------------------

    @property
    def store(self) -> CheckpointStore:
        if self._store is None:
            raise WorkflowRunnerException("Nothing is open. Send `open` first.")
        return self._store

    @property
    def runner(self) -> Runner:
        if self._runner is None:
            raise WorkflowRunnerException(
                "There is no run. Start one, or restore a checkpoint."
            )
        return self._runner

    @property
    def folder(self) -> str:
        """The folder of the document, where its files and modules are."""
        return self._folder

    @property
    def code_reference(self) -> CodeReference | None:
        """The name of what makes the workflow, if it was made in code; None where no
        name leads to it.
        """
        return None

    @property
    def has_run(self) -> bool:
        return self._runner is not None

    @property
    def saved_definition(self) -> Mapping[str, Any] | None:
        """Return the definition part that checkpoints of this workflow carry."""
        if self._workflow is not None:
            return self._workflow.saved_definition()
        if self.definition is None:
            return None
        return {
            "workflow": self.definition.model_dump(mode="json"),
            "folder": self._folder,
        }

    async def open(self, arguments: OpenArguments) -> OpenBody:
        """Open a store and a document. Errors of the document become problems,
        and refuse a run later.
        """
        from runtime.stores import open_store

        await self.close()
        self._store = open_store(arguments.store, arguments.read_only)
        self._folder = arguments.folder
        self._inputs = None
        if arguments.document is None:
            self.definition = await self._newest_definition()
        else:
            self.definition = WorkflowFile.model_validate(arguments.document).workflow
            self._build()
        if self.definition is None:
            return OpenBody(workflow="")
        nodes = tuple(node.id for node in self.definition.nodes)
        return OpenBody(
            workflow=self.definition.name,
            problems=self._problems(self.definition),
            nodes=nodes,
        )

    async def close(self) -> None:
        """Drop the run (its checkpoints stay) and close the store."""
        store = self._store
        self._store = None
        self._runner = self._workflow = self._refusal = self.definition = None
        self.trail.clear()
        self.outputs = Outputs()
        self.board = Board()
        self.board_times = BoardTimes()
        self.part_sizes = PartSizes()
        if store is not None:
            await store.close()

    async def _newest_definition(self) -> WorkflowDefinition | None:
        from runtime.checkpoints.archive import Archive
        from runtime.debug.graphs.graph import read_definition

        newest = await self.store.latest()
        if newest is None:
            return None
        try:
            definition = (await Archive(self.store).view(newest.id)).definition
        except WorkflowCheckpointException:
            # The timeline lists it as damaged, and other checkpoints can still be
            # inspected.
            return None
        self._folder = str((definition or {}).get("folder", self._folder))
        return read_definition(definition)

    def _build(self) -> None:
        from runtime.loader.build import build
        from runtime.nodes import catalogue

        if self.definition is None:
            return
        try:
            self._workflow = build(
                self.definition, catalogue(self._folder), self._folder
            )
        except BaseException as error:  # noqa: BLE001 - user code raises anything; reported when a run is requested
            if isinstance(error, Exception):
                self._refusal = error
            else:
                self._refusal = DefinitionError(in_words(error))

    def _problems(self, definition: WorkflowDefinition) -> tuple[Problem, ...]:
        from runtime.checks.check import check
        from runtime.nodes import catalogue

        problems = tuple(
            check(
                definition,
                {info.type: info for info in catalogue(self._folder).infos()},
                self._folder or None,
            )
        )
        if self._refusal is None or any(
            problem.severity == "error" for problem in problems
        ):
            return problems
        build_problem = Problem(
            severity="error",
            rule="build",
            message=text_of(self._refusal),
            location=getattr(self._refusal, "location", ""),
            remedy="Correct the code, then run again.",
        )
        return (*problems, build_problem)

    def _runnable(self) -> Workflow:
        if self._workflow is None and self._refusal is None:
            self._build()
        if self._refusal is not None:
            raise self._refusal
        if self._workflow is None:
            raise DefinitionError(
                "There is no workflow to run. Open a document, or a store that has a run."
            )
        return self._workflow

    def input_types(self, keys: Sequence[str], executor: str) -> tuple[str, ...]:
        """Return the types that an executor takes, in the run that `keys` lead to.
        Nothing is built for it: empty if the workflow is not built.
        """
        from runtime.values.type_matching import describe

        workflow: Any = self._workflow
        for key in keys:
            wrapper = _executor(workflow, owner_of(key))
            workflow = getattr(wrapper, "workflow", None)
        built = _executor(workflow, executor)
        return () if built is None else tuple(map(describe, built.input_types))

    def listed_types(self, node_type: str) -> tuple[str, ...]:
        """Return the types that a node type says it takes. The code of the folder is
        read for it, and not run.
        """
        from runtime.nodes import catalogue

        if self._inputs is None:
            infos = catalogue(self._folder).infos()
            self._inputs = {info.type: info.inputs for info in infos}
        return self._inputs.get(node_type, ())

    # --- the run --------------------------------------------------------------------------------------------------

    async def attach(self) -> AttachBody:
        """Describe the program that is watched. Raise `WorkflowRunnerException` where
        there is none.
        """
        raise WorkflowRunnerException(
            "This process belongs to a window, which opens a document in it. Send `open`."
        )

    @property
    def is_followed(self) -> bool:
        """Whether commands move the run of a program."""
        return False

    async def follow(self) -> None:
        """Leave a run of the window for that of the program. Raise
        `WorkflowRunnerException` if the program has none under way.
        """
        raise WorkflowRunnerException("There is no program to follow.")

    async def before_move(self) -> None:
        """Prepare the run for a command that moves it on."""

    async def advance(self, stop: StopSignal) -> bool:
        """Do one superstep of the run. Return False if there was nothing to do."""
        return await self.runner.advance(stop)

    def on_stop(self) -> None:
        """Take note that the run stands at a barrier."""

    async def start(self, message: Any) -> None:
        """Start a fresh run and stop at its input. None means the definition's
        own input.
        """
        runner, activity = self._new_runner()
        if message is None and self.definition is not None:
            message = self.definition.input
        await runner.start(message)
        await self.before_change()
        self._runner = runner
        self.activity = activity
        self.note_head()

    async def restore(self, request: RestoreArguments) -> CheckpointHeader:
        """Restore a checkpoint, as a fork on a new branch. If it is refused,
        the present run stays as it is.
        """
        comes_from = None if self._runner is None else self._runner.header
        runner, activity = self._new_runner()
        mapping = None
        if request.mapping is not None:
            from runtime.migration.mapping import mapping_from

            mapping = mapping_from(request.mapping)
        await runner.restore(
            request.checkpoint_id,
            fork=request.fork,
            branch=request.branch,
            on_change=request.on_change,
            mapping=mapping,
            patch=request.patch,
            replay=replay_of(request.replay, comes_from),
        )
        await self.before_change()
        self._runner = runner
        self.activity = activity
        return self.note_head()

    async def answer(self, answers: Mapping[str, Any]) -> CheckpointHeader:
        await self.runner.answer(answers)
        return self.note_head()

    def note_head(self) -> CheckpointHeader:
        """Return the checkpoint at which the run is, and remember it for the
        moments of later checkpoints.
        """
        header = self.runner.header
        if header is None:
            raise WorkflowRunnerException("The run has no checkpoint.")
        self.trail.add(header, self.runner.trace)
        self.outputs.note(header, self.runner.trace)
        return header

    def planning_runner(self) -> Runner:
        """Return a runner of the open workflow that only plans, beside the run."""
        from runtime.engine.runner import Runner

        return Runner(self._runnable(), self.store)

    def _new_runner(self) -> tuple[Runner, Activity]:
        from runtime.engine.runner import Runner

        activity = Activity(self.notices)
        return Runner(self._runnable(), self.store, observer=activity), activity


def _executor(workflow: Workflow | None, executor_id: str) -> Executor | None:
    return None if workflow is None else workflow.executors.get(executor_id)


async def _nothing() -> None:
    """Do nothing."""
