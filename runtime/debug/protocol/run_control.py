"""Commands that open a workflow and move its run, and their replies."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from runtime.debug.protocol.effects import ReplaySettings
from runtime.debug.protocol.packets import PROTOCOL_VERSION, Model
from runtime.document.definition import NodeInfo
from runtime.document.problem import Problem
from runtime.patches.patch import Patch


class OpenArguments(Model):
    """`document` is a whole file's content (`WorkflowFile`); `folder` is where its
    modules are looked for; `store` is a store URL. With `document` None the host takes
    the definition of the newest run in the store. With `read_only` nothing in the store
    is created or changed.
    """

    document: dict[str, Any] | None = None
    folder: str = ""
    store: str = "memory:"
    read_only: bool = False


class OpenBody(Model):
    protocol: int = PROTOCOL_VERSION
    workflow: str
    problems: tuple[Problem, ...] = ()
    nodes: tuple[str, ...] = ()


class AttachBody(Model):
    """A program that made its workflow in code. The notices before this reply say where
    its run is.

    nodes      its executors; empty as long as no run has begun
    pid        the process
    store      the URL of the store that keeps the checkpoints, without a passphrase
    is_called  whether a call of the program is under way, which waits for its run
    is_followed  whether commands move that run, and not one of the window
    can_start  whether there is an input for a fresh run; else the program begins its runs
    """

    protocol: int = PROTOCOL_VERSION
    program: str = ""
    pid: int = 0
    workflow: str = ""
    nodes: tuple[str, ...] = ()
    store: str = ""
    is_called: bool = False
    is_followed: bool = False
    can_start: bool = False


class StartArguments(Model):
    """`input` None means the definition's own input. With `stop_on_entry` the run stops
    at the input checkpoint.
    """

    input: Any = None
    stop_on_entry: bool = False


class StartBody(Model):
    run_id: str


class ContinueArguments(Model):
    """`live` lets the call be made before which the run stands for the reason "outside";
    there, nothing goes on without it.
    """

    live: bool = False


class StepArguments(Model):
    """Run `count` supersteps, or `count` deliveries (handler calls) in the fixed order.

    From inside a superstep, its rest counts as the first superstep. "out" runs until
    the innermost sub-workflow of the present delivery has ended or rests. `live` is that
    of `ContinueArguments`.
    """

    count: int = Field(default=1, ge=1)
    unit: Literal["superstep", "delivery", "out"] = "superstep"
    live: bool = False


class RunToArguments(Model):
    """Where to stop next, reported as "here": before a call of `node`, when a message
    goes along `edge`, at the barrier of `superstep`, or at the barrier after a
    `question` was asked. Exactly one of them is given.

    `inside` has the node ids of the sub-workflows that lead to the node or edge, and
    `run` the invocation of the innermost, "" for every. `live` is that of
    `ContinueArguments`.
    """

    node: str = ""
    edge: str = ""
    inside: tuple[str, ...] = ()
    run: str = ""
    superstep: int = Field(default=0, ge=0)
    question: bool = False
    live: bool = False

    @model_validator(mode="after")
    def _is_one_place(self) -> RunToArguments:
        places = (self.node, self.edge, self.superstep, self.question)
        if sum(map(bool, places)) != 1:
            raise ValueError("Give one of node, edge, superstep and question.")
        return self


class HoldArguments(Model):
    """An executor, `inside` sub-workflows as in `Breakpoint`."""

    executor: str
    inside: tuple[str, ...] = ()
    run: str = ""
    held: bool = True


class RestoreArguments(Model):
    """`branch` names the new branch; if it is empty, the host chooses a name. The
    past stays as it is. Without `fork` nothing is saved: the run goes on where
    a lost process stopped, on the same branch as long as the checkpoint is its
    head.

    A checkpoint of another graph is refused. With `on_change` "migrate" the workflow as
    it is now takes it over as a fork with the cause `edit`; `mapping` says what became of
    executors and joins, as in the script of `stepwell migrate`.

    With a `patch` the run goes on from the checkpoint as the patch leaves it, as a fork
    with the cause `edit` that keeps the patch. It names the branch if `branch` is empty.

    `replay` says what happens of calls that reach outside, see `restore_plan`.
    """

    checkpoint_id: str
    branch: str = ""
    fork: bool = True
    on_change: Literal["refuse", "migrate"] = "refuse"
    mapping: dict[str, Any] | None = None
    patch: Patch | None = None
    replay: ReplaySettings | None = None


class AnswerArguments(Model):
    """Answers by request id, as JSON values; all are validated before anything
    changes.
    """

    answers: dict[str, Any]


class CancelArguments(Model):
    """`inside` leads into sub-workflows, by node ids, and `runs` names a run of each,
    "" or nothing for all of them.
    """

    executor: str
    inside: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()


class DropArguments(Model):
    """`number` is that of the question. Its reply says that it was dropped; one that
    has its reply already stays as it is.
    """

    number: int


class HoldBody(Model):
    """The held executors, each with the node ids of the sub-workflows that lead to it.
    The last of these may be the key of one invocation.
    """

    held: tuple[tuple[tuple[str, ...], str], ...] = ()


class CatalogueArguments(Model):
    """`folder` is the document's; its own node types are listed too, without
    running them.
    """

    folder: str = ""


class CatalogueBody(Model):
    """`warnings` name node types that are left out because they cannot be used, a
    line each.
    """

    nodes: tuple[NodeInfo, ...]
    warnings: tuple[str, ...] = ()
