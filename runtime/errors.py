"""Every error of the runtime.

    AgentFrameworkException
    └── WorkflowException
        ├── WorkflowValidationError               the graph is wrong
        │   ├── EdgeDuplicationError
        │   ├── TypeCompatibilityError
        │   ├── GraphConnectivityError
        │   └── NestingError                      sub-workflows are nested too deep
        ├── DefinitionError                       a document cannot be turned into a workflow
        ├── ConditionError                        a condition does not compile, or raised when evaluated
        ├── SourceError                           Python in a document is malformed; names line and column
        ├── NodeError                             a built-in node cannot do this with this message
        ├── ContextClosedError                    a context was used after its superstep
        ├── StateConflictError                    two executors wrote different values to one key in one superstep
        ├── UnknownTargetError                    a message is addressed to an executor that no edge leads to
        ├── RequestError                          a request or an answer is refused
        │   └── NothingAskedError                 an answer came, and no request is open
        ├── CommandError                          a command was given something that it cannot use
        ├── ExtraMissingError                     a package that is an extra is not installed
        ├── AddressError                          a program cannot listen at an address, or be attached to there
        └── WorkflowRunnerException
            ├── WorkflowConvergenceException      the superstep limit is reached
            ├── ExecutorTimeoutError              a handler took longer than its executor's time limit
            ├── ExecutorCancelledError            somebody cancelled one executor, not the run
            └── WorkflowCheckpointException
                ├── CheckpointNotFoundError
                ├── CheckpointConflictError
                │   └── BranchMovedError          another checkpoint is the head of the branch by now
                ├── CheckpointKeptError           a checkpoint may not be removed: it is pinned, or a head
                ├── CheckpointDamagedError
                ├── CheckpointStoreError
                │   └── PartsMissingError         a manifest names parts that the store does not have
                ├── SharedFileError               a shared file cannot be read, or not be imported here
                ├── SignatureMismatchError        the checkpoint belongs to another graph
                └── CodecError
                    ├── EncodeError               a value cannot be saved; names its path
                    └── DecodeError               bytes cannot be turned into a value; names the path and the type

    OSError
    └── UnfitFileError                            no regular file, or a larger one than is read

Each carries the ids it speaks of as attributes, and its text says what to do. The names
above `WorkflowCheckpointException` are agent-framework's, so that code written for it
catches what it means to catch.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from enum import Enum
from typing import Any


class AgentFrameworkException(Exception):
    """Base of all errors, under agent-framework's name and with its arguments;
    `log_level` has no effect.
    """

    def __init__(
        self,
        message: str,
        inner_exception: BaseException | None = None,
        log_level: int | None = 10,
        *args: Any,
    ) -> None:
        super().__init__(
            message, *(args if inner_exception is None else (inner_exception, *args))
        )


class WorkflowException(AgentFrameworkException):
    """Base of all errors of workflows."""


class ValidationTypeEnum(Enum):
    """What kind of rule a workflow breaks."""

    EDGE_DUPLICATION = "EDGE_DUPLICATION"
    EXECUTOR_DUPLICATION = "EXECUTOR_DUPLICATION"
    TYPE_COMPATIBILITY = "TYPE_COMPATIBILITY"
    GRAPH_CONNECTIVITY = "GRAPH_CONNECTIVITY"
    HANDLER_OUTPUT_ANNOTATION = "HANDLER_OUTPUT_ANNOTATION"
    OUTPUT_VALIDATION = "OUTPUT_VALIDATION"


class WorkflowValidationError(WorkflowException):
    """A workflow was built that cannot work; `validation_type` says which kind of rule
    it breaks.
    """

    def __init__(self, message: str, validation_type: ValidationTypeEnum) -> None:
        super().__init__(message)
        self.message = message
        self.validation_type = validation_type

    def __str__(self) -> str:
        return f"[{self.validation_type.value}] {self.message}"


class EdgeDuplicationError(WorkflowValidationError):
    """The same source is joined to the same target twice."""

    def __init__(self, edge_id: str) -> None:
        super().__init__(
            f"Duplicate edge detected: {edge_id}. Each edge in the workflow must be unique.",
            ValidationTypeEnum.EDGE_DUPLICATION,
        )
        self.edge_id = edge_id


class TypeCompatibilityError(WorkflowValidationError):
    """No type that the source sends is one that the target handles."""

    def __init__(
        self,
        source_executor_id: str,
        target_executor_id: str,
        source_types: Sequence[Any],
        target_types: Sequence[Any],
        *,
        joined: bool = False,
    ) -> None:
        remedy = "A fan-in hands over one list: annotate" if joined else "Annotate"
        super().__init__(
            f"Type incompatibility between executors '{source_executor_id}' -> '{target_executor_id}'. "
            f"Source executor outputs types {[str(t) for t in source_types]} but target executor "
            f"can only handle types {[str(t) for t in target_types]}. {remedy} the message of a handler of the target "
            "with one of the former, or correct what the context of the source says it sends.",
            ValidationTypeEnum.TYPE_COMPATIBILITY,
        )
        self.source_executor_id = self.source_id = source_executor_id
        self.target_executor_id = self.target_id = target_executor_id
        self.source_types = list(source_types)
        self.target_types = list(target_types)


class GraphConnectivityError(WorkflowValidationError):
    """An executor cannot be reached from the start executor."""

    def __init__(self, message: str) -> None:
        super().__init__(message, ValidationTypeEnum.GRAPH_CONNECTIVITY)


class NestingError(WorkflowValidationError):
    """Sub-workflows are nested deeper than a run and its checkpoints can be processed."""

    def __init__(self, executor_id: str, levels: int, most: int) -> None:
        super().__init__(
            f"With the sub-workflow of executor '{executor_id}', workflows are nested {levels} levels deep, and at "
            f"most {most} are possible. Join the steps of the inner ones in one workflow.",
            ValidationTypeEnum.GRAPH_CONNECTIVITY,
        )
        self.executor_id = executor_id
        self.levels = levels
        self.most = most


class DefinitionError(WorkflowException):
    """A document cannot be read or built; `location` is a path into it, such as
    `nodes[2].params.path`.
    """

    def __init__(self, message: str, location: str = "") -> None:
        super().__init__(f"{location}: {message}" if location else message)
        self.location = location


class UnfitFileError(OSError):
    """A file is not read: it is none that ends, or larger than what is read. `filename`
    is its path.
    """

    def __init__(self, path: Any, reason: str) -> None:
        super().__init__(errno.EINVAL, reason, str(path))

    def __str__(self) -> str:
        return f"{self.filename}: {self.strerror}"


class ConditionError(WorkflowException):
    """A condition does not compile, or failed on a message. `line` and `column` count
    from 1 where they are known.
    """

    def __init__(
        self, message: str, *, text: str = "", line: int = 0, column: int = 0
    ) -> None:
        super().__init__(message)
        self.text = text
        self.line = line
        self.column = column


class SourceError(WorkflowException, ValueError):
    """Python in a document is malformed. `line` and `column` count from 1 where they
    are known.
    """

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


class InvalidSelectionError(ConditionError, RuntimeError):
    """A selection function named something that is not a target of its edge group."""

    def __init__(
        self, edge_id: str, unknown: Sequence[str], targets: Sequence[str]
    ) -> None:
        super().__init__(
            f"Invalid selection result: {list(unknown)} of edge '{edge_id}'. "
            f"Return only ids of its targets: {list(targets)}."
        )
        self.edge_id = edge_id
        self.unknown = tuple(unknown)


class NodeError(WorkflowException):
    """A built-in node cannot do what its parameters say with the message that it got."""

    def __init__(self, message: str, node_id: str = "") -> None:
        super().__init__(f"Node '{node_id}': {message}" if node_id else message)
        self.node_id = node_id


class ContextClosedError(WorkflowException):
    """A `WorkflowContext` was used after the superstep that it belonged to."""

    def __init__(self, executor_id: str, superstep: int) -> None:
        super().__init__(
            f"The context of executor '{executor_id}' belongs to superstep {superstep}, which is over: it can no "
            "longer send, yield, ask or write. Await inside the handler whatever uses its context."
        )
        self.executor_id = executor_id
        self.superstep = superstep


class StateConflictError(WorkflowException):
    """Two executors wrote different values to one key of the shared state in one
    superstep.
    """

    def __init__(self, key: str, first: str, second: str) -> None:
        super().__init__(
            f"Executors '{first}' and '{second}' wrote different values to the state key '{key}' in one superstep. "
            "Give the key a reducer (reducers={...}) or choose state_conflicts='last'."
        )
        self.key = key
        self.first = first
        self.second = second


class UnknownTargetError(WorkflowException):
    """A message is addressed to an executor that no edge of its sender leads to."""

    def __init__(self, source_id: str, target_id: str) -> None:
        super().__init__(
            f"Executor '{source_id}' sent a message to '{target_id}', but no edge leads from it there. "
            "Add an edge, or correct the target_id."
        )
        self.source_id = source_id
        self.target_id = target_id


class RequestError(WorkflowException, ValueError):
    """A request or an answer is refused. `request_id` names it. Also a `ValueError`, as
    in agent-framework.
    """

    def __init__(self, message: str, request_id: str = "") -> None:
        super().__init__(message)
        self.request_id = request_id


class NothingAskedError(RequestError, RuntimeError):
    """An answer was given while no request is open. Also a `RuntimeError`, as in
    agent-framework.
    """

    def __init__(self, request_id: str) -> None:
        super().__init__(
            f"No pending requests found in workflow context: '{request_id}' is unknown, answered already, or "
            "cancelled.",
            request_id,
        )


class CommandError(WorkflowException):
    """A command was given something that it cannot use: no such file, store or
    checkpoint, or an unreadable value.
    """


class ExtraMissingError(WorkflowException, ImportError):
    """Something needs a package that comes with an extra of ours. Also an
    `ImportError`, as in agent-framework.
    """

    def __init__(self, what: str, package: str, extra: str) -> None:
        super().__init__(
            f"{what} needs {package}, which is not installed: pip install 'stepwell[{extra}]'"
        )
        self.package = package
        self.extra = extra


class AddressError(WorkflowException, ValueError):
    """A program cannot listen at an address, or nobody can be attached to there."""


class WorkflowRunnerException(WorkflowException):
    """A run cannot go on."""


class WorkflowConvergenceException(WorkflowRunnerException):
    """The limit of supersteps is reached and messages still wait. The last checkpoint
    resumes with a higher limit.
    """

    def __init__(self, limit: int, waiting: Sequence[str] = ()) -> None:
        who = ", ".join(waiting)
        super().__init__(
            f"Runner did not converge after {limit} iterations"
            + (f"; still waiting to run: {who}." if who else ".")
            + " Resume from the last checkpoint with a higher limit."
        )
        self.limit = limit
        self.waiting = tuple(waiting)


class ExecutorTimeoutError(WorkflowRunnerException, TimeoutError):
    """A handler took longer than its executor's time limit."""

    def __init__(self, executor_id: str, handler: str, seconds: float) -> None:
        super().__init__(
            f"Handler '{handler}' of executor '{executor_id}' took longer than its time limit of {seconds:g} s."
        )
        self.executor_id = executor_id
        self.handler = handler
        self.seconds = seconds


class ExecutorCancelledError(WorkflowRunnerException):
    """Somebody cancelled one executor while it ran; the run itself was not cancelled."""

    def __init__(self, executor_id: str, handler: str) -> None:
        super().__init__(
            f"Handler '{handler}' of executor '{executor_id}' was cancelled by hand."
        )
        self.executor_id = executor_id
        self.handler = handler


class RecordedFailureError(WorkflowException):
    """A failure of a handler as it was recorded, or as the user pinned it: nothing was
    called. Its class has the name of the recorded one.
    """

    def __init__(
        self, text: str, lines: Sequence[str] = (), *, is_tried_again: bool = False
    ) -> None:
        super().__init__(text)
        self.lines = tuple(lines)
        self.is_tried_again = is_tried_again


class OutsideCallError(WorkflowRunnerException):
    """A call that reaches outside has no recorded result, and nobody allowed it to be
    made again. `name` is how `Replay.live` names its executor.
    """

    def __init__(self, name: str, what: str, reason: str) -> None:
        super().__init__(
            f"Executor '{name}' would reach outside again: {what}. It has no recorded result, because {reason}. "
            f"Let it run, with live={{'{name}'}}, or pin a result."
        )
        self.name = name
        self.what = what
        self.reason = reason


class WorkflowCheckpointException(WorkflowRunnerException):
    """A checkpoint cannot be saved, found or restored."""


class CheckpointNotFoundError(WorkflowCheckpointException, KeyError):
    """No such checkpoint."""

    def __init__(self, checkpoint_id: str) -> None:
        super().__init__(
            f"No checkpoint found with ID {checkpoint_id} in this store. Give a whole id, as headers() and "
            "`stepwell show` have it."
        )
        self.checkpoint_id = checkpoint_id

    def __str__(self) -> str:
        return str(self.args[0])


class CheckpointConflictError(WorkflowCheckpointException):
    """A checkpoint cannot be added where it says: its id is taken, or its parent is
    unknown.
    """

    def __init__(self, message: str, checkpoint_id: str) -> None:
        super().__init__(message)
        self.checkpoint_id = checkpoint_id


class BranchMovedError(CheckpointConflictError):
    """A branch is a line, and the checkpoint would have split it: `head` is the id of
    the one that it must follow.
    """

    def __init__(
        self, checkpoint_id: str, branch: str, head: str, parent: str | None
    ) -> None:
        super().__init__(
            f"Checkpoint {checkpoint_id} follows {parent or 'nothing'}, but the head of branch '{branch}' is {head}: "
            "a branch is a line. Save on a new branch, or go on from the head.",
            checkpoint_id,
        )
        self.branch = branch
        self.head = head
        self.parent = parent


class CheckpointKeptError(WorkflowCheckpointException):
    """A checkpoint may not be removed: `reason` says why."""

    def __init__(self, checkpoint_id: str, reason: str) -> None:
        super().__init__(f"Checkpoint {checkpoint_id} stays: {reason}.")
        self.checkpoint_id = checkpoint_id
        self.reason = reason


class CheckpointDamagedError(WorkflowCheckpointException):
    """A record is there but cannot be read. It is never skipped, hidden or overwritten."""

    def __init__(self, checkpoint_id: str, reason: str) -> None:
        super().__init__(
            f"Checkpoint {checkpoint_id} is damaged: {reason}. Restore another one; this one is left as it is."
        )
        self.checkpoint_id = checkpoint_id
        self.reason = reason


class CheckpointStoreError(WorkflowCheckpointException):
    """The medium of a store failed: busy, full, not writable, of a newer format."""


class PartsMissingError(CheckpointStoreError):
    """A checkpoint names parts that were neither given with it nor are in the store;
    `digests` names them.
    """

    def __init__(self, checkpoint_id: str, digests: Sequence[str]) -> None:
        super().__init__(
            f"Checkpoint {checkpoint_id} cannot be saved: {len(digests)} of its parts are neither given nor in the "
            f"store ({', '.join(digests[:3])}). Give them again: the run that brought them may have been deleted."
        )
        self.checkpoint_id = checkpoint_id
        self.digests = tuple(digests)


class SharedFileError(WorkflowCheckpointException):
    """A shared file cannot be written, read, or imported into this store."""


class SignatureMismatchError(WorkflowCheckpointException):
    """A checkpoint belongs to a graph that differs from this one; `differences` lists
    how.
    """

    def __init__(self, checkpoint_id: str, differences: Sequence[str]) -> None:
        super().__init__(
            f"Workflow graph has changed since the checkpoint was created. Checkpoint {checkpoint_id} was made by "
            "another graph: "
            + ("; ".join(differences) or "the signatures differ")
            + '. Restore it by the graph that made it, go on with this one by on_change="migrate", or start a new run.'
        )
        self.checkpoint_id = checkpoint_id
        self.differences = tuple(differences)


class MappingError(WorkflowCheckpointException):
    """A mapping of executors and joins to those of a changed graph cannot be read."""


class MigrationRefusedError(WorkflowCheckpointException):
    """A changed workflow cannot go on from a checkpoint; `reasons` lists why, each with
    the executor, join, message or file that it is about.
    """

    def __init__(self, checkpoint_id: str, reasons: Sequence[str]) -> None:
        super().__init__(
            f"The changed workflow cannot go on from checkpoint {checkpoint_id}: {'; '.join(reasons)}. "
            "Nothing was changed."
        )
        self.checkpoint_id = checkpoint_id
        self.reasons = tuple(reasons)


class PatchError(WorkflowCheckpointException, ValueError):
    """What should be a patch is none."""


class PatchRefusedError(WorkflowCheckpointException):
    """A patch cannot be applied to a checkpoint; `reasons` lists why, each with the id
    of its change.
    """

    def __init__(self, checkpoint_id: str, reasons: Sequence[str]) -> None:
        super().__init__(
            f"The patch cannot be applied to checkpoint {checkpoint_id}: {' '.join(reasons)} Nothing was changed."
        )
        self.checkpoint_id = checkpoint_id
        self.reasons = tuple(reasons)


class CodecError(WorkflowCheckpointException):
    """A value and its bytes do not agree."""

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(f"{path}: {message}" if path else message)
        self.path = path


class EncodeError(CodecError):
    """A value cannot be saved; `path` says where it is, such as
    `state['draft'].sections[2].owner`.
    """


class DecodeError(CodecError):
    """Bytes cannot be turned into a value: unknown type, wrong shape, newer format."""
