"""The only language between the window and a run: JSON lines, in the shape of the Debug
Adapter Protocol.

One line of UTF-8 JSON per packet. The window sends `Command` packets, the host answers
each with one `Reply` and tells of everything else in `Notice` packets. Commands that
move the run (start, step, continue, restore, fork, answer) are done one after the
other; questions (inspect, node, edge, timeline, runs, and more) and `pause` are
answered at once, also while a superstep runs. The host says what is the case
(`resumed`, `stopped`); the window only mirrors it.

A run that stands inside a superstep is at no checkpoint: `stop`, `start`, `restore`,
`open` and the end of the process cancel that superstep, and the run is at its last
barrier.

    command      arguments            reply body
    open         OpenArguments        OpenBody       build the workflow, open the store; runs nothing
    attach       -                    AttachBody     what a program that listens runs; nothing changes
    follow       -                    -              leave a run of the window, and stand with that of the program
    start        StartArguments       StartBody      a fresh run
    step         StepArguments        -              run supersteps or deliveries, then stop
    run_to       RunToArguments       -              run to an executor, an edge, a superstep or a question
    continue     -                    -              run until the run rests, fails, is paused or stopped
    pause        -                    -              stop at the next barrier
    stop         -                    -              cancel the superstep; the run stands at its last barrier
    restore      RestoreArguments     HeaderBody     stand at a checkpoint; saves a fork checkpoint on a new branch
    answer       AnswerArguments      HeaderBody     answer open requests; saves a response checkpoint
    inspect      InspectArguments     Moment         everything there is to see at one moment
    expand       ExpandArguments      ExpandBody     more of a large value
    outputs      OutputsArguments     OutputsBody    everything that was put out on the way to a checkpoint
    node         NodeArguments        NodeBody       what one executor got and did in a superstep, call by call
    edge         EdgeArguments        EdgeBody       which messages went along an edge group, and which did not
    diff         DiffArguments        DiffBody       what differs between two checkpoints, section by section
    divergence   DivergenceArguments  DivergenceBody where the ways to two checkpoints part, and why
    graph_changes GraphChangesArguments GraphChangesBody how a document differs from the graph of a checkpoint
    change_plan  ChangePlanArguments  ChangePlanBody how the changed workflow would go on from a checkpoint
    drop         DropArguments        -              end a question that nobody waits for any more
    log          LogArguments         EventsBody     what happened on the way to checkpoints, as it is recorded
    counts       CountsArguments      CountsBody     drops, losses and failures on the way to checkpoints
    find         FindArguments        FindBody       ask the recorded past; hits come as notices `found`
    superstep    SuperstepArguments   SuperstepBody  who ran in a superstep, what was dropped, who runs next
    find_stop    FindStopArguments    -              answer a question no further, or end a reverse continue
    reverse      ReverseArguments     ReverseBody    reverse continue: the nearest hit before a checkpoint
    provenance   ProvenanceArguments  ProvenanceBody where a value comes from, back to the input
    board        BoardArguments       BoardBody      who worked in some supersteps, how long, and for whom they waited
    board_times  BoardTimesArguments  BoardTimesBody  where the time of all supersteps on the way to a checkpoint went
    export       ExportArguments      ExportBody     some checkpoints as lines of JSON
    sizes        SizesArguments       SizesBody      how many bytes each part of some checkpoints has
    timeline     TimelineArguments    TimelineBody   headers, a page at a time
    runs         RunsArguments        RunsBody       the runs in the store, or in another one
    delete_runs  DeleteRunsArguments  RunsBody       remove runs whole; the runs that are left
    annotate     AnnotateArguments    HeaderBody     set tags or note
    cancel       CancelArguments      -              end what one executor does just now; the others go on
    breakpoints  BreakpointsArguments BreakpointsBody where the run stops; replaces all that were set before
    hold         HoldArguments        HoldBody       keep one executor from its next handler call, or let it go on
    catalogue    CatalogueArguments   CatalogueBody  the node types; runs no code of the folder
    shutdown     -                    -              close the store and end

    notice       body
    resumed      ResumedBody          the run moves
    stopped      StoppedBody          the run stands; why
    checkpoints  HeadersBody          checkpoints that were saved, in order
    progress     ProgressBody         who runs, how fast; at most 30 per second
    console      ConsoleBody          a line that user code printed
    event        EventsBody           what an observer hears; bounded, says how many were left out
    program      AttachBody           a call of the program began or returned, or another run is moved
    breakpoints  BreakpointsBody      breakpoints were verified anew, or were hit
    logged       LoggedBody           the log text of a breakpoint
    found        FoundBody            hits of a question to the past, and how far it was answered
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.dataclasses import dataclass

from runtime import checkpoint
from runtime.checkpoint import HEADER_FIELDS, CheckpointHeader, shown_fields
from runtime.debug.sections import COMPARED_TITLES, HEADER, SECTIONS
from runtime.document.definition import NodeInfo
from runtime.document.problem import Problem
from runtime.migration.mapping import ASPECTS, UNDECIDED

PROTOCOL_VERSION = 1
# A line of the host's stderr that begins with this was written as an error, not
# printed.
ERROR_MARK = b"\x1e"
LOG_CHECKPOINTS = 200  # in one question about the log
COUNTED_CHECKPOINTS = 1000  # in one question about counts
SAID_LIMIT = 8_000  # characters of progress, or of an output, while an executor runs

# kept: in a checkpoint; coming: an output that counts once its superstep is done; told:
# progress, such as the pieces of a streamed answer, and no output; taken_back: it does
# not count, because its superstep failed or was cancelled.
OutputState = Literal["kept", "coming", "told", "taken_back"]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Command(_Model):
    type: Literal["request"] = "request"
    seq: int
    command: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class Reply(_Model):
    type: Literal["response"] = "response"
    request_seq: int
    command: str
    success: bool
    message: str = ""
    error_type: str = ""
    body: Any = None

    @classmethod
    def failure(
        cls, number: int, message: str, error_type: str, command: str = ""
    ) -> Reply:
        return cls(
            request_seq=number,
            command=command,
            success=False,
            message=message,
            error_type=error_type,
        )


class Notice(_Model):
    type: Literal["event"] = "event"
    event: str
    body: Any = None


# What of an executor a mapping may send to different places, with what people call it;
# and the choice that is not made yet.
MAPPING_ASPECTS = ASPECTS
MAPPING_UNDECIDED = UNDECIDED


# --- values and headers -------------------------------------------------------------------------------------------


class Value(_Model):
    """A value for display: the name of its type, one line of text, and its children as
    far as they were requested.

    `count` is the number of children; `children` is None if they were not sent. The
    way to a child is its position: `expand` takes the list of positions from the
    root of the section.
    """

    type: str
    text: str
    count: int = 0
    children: tuple[tuple[str, Value], ...] | None = None


# A header travels as it is declared. It is no model, because a window holds one for
# each checkpoint of a timeline, and a model weighs 3 KB.
Header = CheckpointHeader
# Names of further rows for a header, with a function that tells which of them a header
# has.
HEADER_CAPTIONS = tuple(
    field.kept.caption for field in HEADER_FIELDS if field.kept.caption
)
header_rows = shown_fields
PINNED = checkpoint.PINNED  # a tag


# --- commands -----------------------------------------------------------------------------------------------------


class OpenArguments(_Model):
    """`document` is a whole file's content (`WorkflowFile`); `folder` is where its
    modules are looked for; `store` is a store URL. With `document` None the host takes
    the definition of the newest run in the store. With `read_only` nothing in the store
    is created or changed.
    """

    document: dict[str, Any] | None = None
    folder: str = ""
    store: str = "memory:"
    read_only: bool = False


class OpenBody(_Model):
    protocol: int = PROTOCOL_VERSION
    workflow: str
    problems: tuple[Problem, ...] = ()
    nodes: tuple[str, ...] = ()


class AttachBody(_Model):
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


class StartArguments(_Model):
    """`input` None means the definition's own input. With `stop_on_entry` the run stops
    at the input checkpoint.
    """

    input: Any = None
    stop_on_entry: bool = False


class StartBody(_Model):
    run_id: str


class StepArguments(_Model):
    """Run `count` supersteps, or `count` deliveries (handler calls) in the fixed order.

    From inside a superstep, its rest counts as the first superstep. "out" runs until
    the innermost sub-workflow of the present delivery has ended or rests.
    """

    count: int = Field(default=1, ge=1)
    unit: Literal["superstep", "delivery", "out"] = "superstep"


class RunToArguments(_Model):
    """Where to stop next, reported as "here": before a call of `node`, when a message
    goes along `edge`, at the barrier of `superstep`, or at the barrier after a
    `question` was asked. Exactly one of them is given.

    `inside` has the node ids of the sub-workflows that lead to the node or edge, and
    `run` the invocation of the innermost, "" for every.
    """

    node: str = ""
    edge: str = ""
    inside: tuple[str, ...] = ()
    run: str = ""
    superstep: int = Field(default=0, ge=0)
    question: bool = False

    @model_validator(mode="after")
    def _is_one_place(self) -> RunToArguments:
        places = (self.node, self.edge, self.superstep, self.question)
        if sum(map(bool, places)) != 1:
            raise ValueError("Give one of node, edge, superstep and question.")
        return self


# --- breakpoints ---

BreakpointKind = Literal[
    "before",
    "after",
    "message",
    "write",
    "failure",
    "question",
    "fires",
    "starves",
    "output",
]


class Breakpoint(_Model):
    """Where a run stops, or what it logs without a stop.

    where      node id, edge id, or key of the shared state; "" for any
    inside     node ids of the sub-workflows that lead there
    run        one invocation of the innermost of them, "" for every
    condition  CEL over the variables of a fact
    hits       which of the hits count: all, those from the `count`th on, or every `count`th
    log        text with CEL in braces; it is logged instead of a stop
    once       whether it counts only until it has stopped the run
    """

    id: str
    kind: BreakpointKind = "before"
    where: str = ""
    inside: tuple[str, ...] = ()
    run: str = ""
    condition: str = ""
    hits: Literal["always", "from", "every"] = "always"
    count: int = Field(default=1, ge=1)
    log: str = ""
    once: bool = False
    enabled: bool = True


class BreakpointStatus(_Model):
    """What became of a breakpoint: if it is not `verified`, `reason` says why it can
    never be hit; `error` is what its condition or log text failed with last.
    """

    id: str
    verified: bool
    reason: str = ""
    hits: int = 0
    error: str = ""


class BreakpointsArguments(_Model):
    """All breakpoints from now on. While they are `muted` none of them stops or logs,
    and neither does `breakpoint_here`.
    """

    breakpoints: tuple[Breakpoint, ...]
    muted: bool = False


class HoldArguments(_Model):
    """An executor, `inside` sub-workflows as in `Breakpoint`."""

    executor: str
    inside: tuple[str, ...] = ()
    run: str = ""
    held: bool = True


class RestoreArguments(_Model):
    """`branch` names the new branch; if it is empty, the host chooses a name. The
    past stays as it is. Without `fork` nothing is saved: the run goes on where
    a lost process stopped, on the same branch as long as the checkpoint is its
    head.

    A checkpoint of another graph is refused. With `on_change` "migrate" the workflow as
    it is now takes it over as a fork with the cause `edit`; `mapping` says what became of
    executors and joins, as in the script of `stepwell migrate`.
    """

    checkpoint_id: str
    branch: str = ""
    fork: bool = True
    on_change: Literal["refuse", "migrate"] = "refuse"
    mapping: dict[str, Any] | None = None


class GraphChangesArguments(_Model):
    """How a document differs from the graph of a checkpoint. Nothing of the document is
    built or run. `document` is a whole file's content, `folder` where its files are.
    """

    document: dict[str, Any]
    folder: str = ""
    checkpoint_id: str


class ChangePlanArguments(_Model):
    """How the workflow that is open would go on from a checkpoint of another graph.
    Nothing is changed. The conditions of the next superstep are evaluated.
    """

    checkpoint_id: str
    mapping: dict[str, Any] | None = None


class AnswerArguments(_Model):
    """Answers by request id, as JSON values; all are validated before anything
    changes.
    """

    answers: dict[str, Any]


class InspectArguments(_Model):
    """`checkpoint_id` None means the run as it is now. `depth` is how many levels of
    the value trees are sent.

    `inside` leads into sub-workflows, by node ids from the outermost on; `runs`
    names a run of each, "" or nothing for the newest.
    """

    checkpoint_id: str | None = None
    depth: int = Field(default=2, ge=0, le=16)
    inside: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()


class ExpandArguments(_Model):
    """`section` is that of a tree, such as state, or `request:<id>`, `output:<index>`,
    `queue:<place>`, `held:<place>`, `params:<node>`, `own:<node>`; `path` are
    positions, and `inside` and `runs` lead to a run of a sub-workflow as in
    `InspectArguments`.
    """

    checkpoint_id: str | None = None
    section: str
    path: tuple[int, ...] = ()
    offset: int = Field(default=0, ge=0)
    limit: int = Field(default=200, ge=1, le=2000)
    inside: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()


class NodeArguments(_Model):
    """`node` at a moment, as in `InspectArguments`. The answer comes from the
    store, so that it is the same for a reopened run; only a failure, for
    `checkpoint_id` None, comes from the live run.
    """

    checkpoint_id: str | None = None
    node: str
    inside: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()


class EdgeArguments(_Model):
    """The same for an edge group."""

    checkpoint_id: str | None = None
    edge: str
    inside: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()


class SuperstepArguments(_Model):
    """The superstep that led to a moment, and the next one."""

    checkpoint_id: str | None = None
    inside: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()


class CancelArguments(_Model):
    """`inside` leads into sub-workflows, by node ids, and `runs` names a run of each,
    "" or nothing for all of them.
    """

    executor: str
    inside: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()


class DiffArguments(_Model):
    """`base` is the checkpoint to compare with; the rest names the inspected one,
    as in `InspectArguments`. `base_run` is the run of the innermost sub-workflow that
    is compared with, if it is not the inspected one, and `base_store` the URL of the
    store that has the base, if it is not the one that is open.
    """

    base: str
    base_run: str = ""
    base_store: str = ""
    checkpoint_id: str | None = None
    inside: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()


class DivergenceArguments(_Model):
    """The same for the ways to both. `seconds` is how long the first difference is
    searched before the rest is bisected, and `counting` how long what follows is counted.
    """

    base: str
    base_store: str = ""
    checkpoint_id: str | None = None
    inside: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    seconds: float = Field(default=5.0, ge=0)
    counting: float = Field(default=0.5, ge=0)


class RunsArguments(_Model):
    """`store` is the URL of another store than the one that is open; it is only read."""

    store: str = ""


class DropArguments(_Model):
    """`number` is that of the question. Its reply says that it was dropped; one that
    has its reply already stays as it is.
    """

    number: int


class LogArguments(_Model):
    """`checkpoints` are the ids of those whose lines are asked for, at most
    `LOG_CHECKPOINTS`. Without them: the last ones on the way to `checkpoint_id`, where
    None means the head of the run as it is now.
    """

    checkpoint_id: str | None = None
    checkpoints: tuple[str, ...] = Field(default=(), max_length=LOG_CHECKPOINTS)


class CountsArguments(_Model):
    checkpoints: tuple[str, ...] = Field(max_length=COUNTED_CHECKPOINTS)


class FindArguments(_Model):
    """A question to the recorded past, under an `id` of the asker.

    `question` is its text (`runtime.debug.query`); else `breakpoint` is applied to the
    past. It is about one run, or about all runs of the workflow that is open. With
    `goes_on`, the question of this id is answered further, with what was saved since.
    """

    id: str
    question: str = ""
    breakpoint: Breakpoint | None = None
    run_id: str | None = None
    goes_on: bool = False


class FindStopArguments(_Model):
    id: str


class ReverseArguments(_Model):
    """Reverse continue from a checkpoint: to the nearest checkpoint on the way to it,
    not it itself, at which a breakpoint or a question has a hit. Breakpoints with a log
    text do not stop. `find_stop` with the `id` ends the search.
    """

    id: str
    checkpoint_id: str
    breakpoints: tuple[Breakpoint, ...] = ()
    questions: tuple[str, ...] = ()


class ProvenanceArguments(_Model):
    """`address` names a value of the inspected moment: `state:KEY`, `queue:N`,
    `held:N`, `output:N`, `request:ID`, or `own:NODE` for an executor's own state. With
    `path`, positions as in `ExpandArguments`, `state` alone is enough: the first
    position is that of the key.

    `limit` is how many origins are looked up at most.
    """

    checkpoint_id: str | None = None
    address: str
    path: tuple[int, ...] = ()
    inside: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    limit: int = Field(default=200, ge=1, le=2000)


class BoardArguments(_Model):
    """The checkpoints at the end of the supersteps, in the order of the answer."""

    checkpoints: tuple[str, ...] = Field(max_length=64)


class BoardTimesArguments(_Model):
    """The supersteps on the way from the input of the run to a checkpoint."""

    checkpoint_id: str


class ExportArguments(_Model):
    """The checkpoints to export, in the order of the answer."""

    checkpoints: tuple[str, ...] = Field(max_length=64)


class SizesArguments(_Model):
    """The checkpoints to measure, in the order of the answer."""

    checkpoints: tuple[str, ...] = Field(max_length=64)


class OutputsArguments(_Model):
    """`checkpoint_id` None means the head of the run as it is now."""

    checkpoint_id: str | None = None


class TimelineArguments(_Model):
    run_id: str | None = None
    after: int = Field(default=0, ge=0)
    limit: int = Field(default=2000, ge=1)


class DeleteRunsArguments(_Model):
    """The live run cannot be deleted. If it is among them, none is deleted."""

    run_ids: tuple[str, ...]


class AnnotateArguments(_Model):
    checkpoint_id: str
    tags: tuple[str, ...] | None = None
    note: str | None = None


# --- reply bodies -------------------------------------------------------------------------------------------------


class HeaderBody(_Model):
    header: Header


class BreakpointsBody(_Model):
    statuses: tuple[BreakpointStatus, ...]


class CheckpointCounts(_Model):
    """What went wrong in the superstep that led to a checkpoint: messages that an edge
    dropped; `lost` of them nobody took; handler calls that failed, although the
    superstep did not; joins that wait for ever.
    """

    checkpoint_id: str
    dropped: int = 0
    lost: int = 0
    failures: int = 0
    starving: int = 0


class CountsBody(_Model):
    counts: tuple[CheckpointCounts, ...]


class FindBody(_Model):
    """The question as it was understood; `text` says it in the grammar."""

    id: str
    kind: str
    where: str = ""
    condition: str = ""
    text: str = ""


class PastHit(_Model):
    """A fact of the past that a question is true for: the checkpoint that its superstep
    led to, the fact in one line, its value and the one before a write. A value that
    the record leaves open is None. `log` is the log text of the question.
    """

    checkpoint_id: str
    run_id: str
    branch: str
    superstep: int
    sequence: int
    kind: str
    path: tuple[str, ...] = ()
    executor: str = ""
    source: str = ""
    edge: str = ""
    key: str = ""
    text: str = ""
    value: Value | None = None
    old: Value | None = None
    log: str = ""


class ReverseBody(_Model):
    """The nearest hit, and the id of its breakpoint or the text of its question.

    read         checkpoints that were looked at
    errors       how often a condition could not be evaluated; `error` is the last reason
    complete     False if it was stopped before it found a hit
    """

    hit: PastHit | None = None
    breakpoint: str = ""
    question: str = ""
    read: int = 0
    errors: int = 0
    error: str = ""
    complete: bool = True


class FoundBody(_Model):
    """New hits of a question, in the order of their sequence, and how far it was
    answered.

    read         checkpoints that were looked at, of about `of` in all; `unreadable` of them are damaged
    count        hits so far; `left_out` of them are not sent
    errors       how often its condition could not be evaluated; `error` is the last reason
    done         it is answered up to the newest checkpoint
    failed       why it cannot be answered further, or ""
    """

    id: str
    hits: tuple[PastHit, ...] = ()
    read: int = 0
    of: int = 0
    count: int = 0
    left_out: int = 0
    unreadable: int = 0
    errors: int = 0
    error: str = ""
    done: bool = False
    failed: str = ""


class HoldBody(_Model):
    """The held executors, each with the node ids of the sub-workflows that lead to it.
    The last of these may be the key of one invocation.
    """

    held: tuple[tuple[tuple[str, ...], str], ...] = ()


class ExpandBody(_Model):
    """The children of a value, and its other views: `text` is a text with its line
    breaks, of which `cut` characters at the end are left out; `picture` has the
    bytes of a picture in base64.
    """

    children: tuple[tuple[str, Value], ...]
    count: int
    text: str | None = None
    cut: int = 0
    picture: str = ""


class OutputItem(_Model):
    """A value that an executor yielded.

    `index` is its place among the outputs of its checkpoint, where `expand` finds
    its children as `output:<index>`. `text` is a text as it is, None for any other
    value; `cut` is how many characters were left out at its end, or at the
    beginning of a text that comes in pieces. `path` has the sub-workflows that lead
    to it. Only an output that is `kept` has a checkpoint and can be expanded; for
    others `index` only tells them apart.
    """

    superstep: int
    executor: str
    checkpoint_id: str
    index: int = 0
    text: str | None = None
    cut: int = 0
    value: Value
    path: tuple[str, ...] = ()
    state: OutputState = "kept"


class OutputsBody(_Model):
    """Outputs in the order of yielding. `left_out` is how many earlier ones there
    are, `unreadable` how many checkpoints on the way are damaged;
    `checkpoint_id` is None without a run.
    """

    checkpoint_id: str | None = None
    items: tuple[OutputItem, ...] = ()
    left_out: int = 0
    unreadable: int = 0


class TimelineBody(_Model):
    """`more` is true when there are headers after the last of these."""

    headers: tuple[Header, ...]
    more: bool = False


class ExportBody(_Model):
    """A JSON text for each checkpoint."""

    lines: tuple[str, ...]


class PartSize(_Model):
    """`kind` and `name` are those of the part in the manifest: `shared` and the key of
    the state, `executor` and its id, and so on. `size` is in bytes. `way` has the keys
    of the invocations that lead to its run, empty for the outermost.
    """

    kind: str
    name: str
    size: int
    way: tuple[str, ...] = ()


class SizesColumn(_Model):
    """The parts of one checkpoint; none where it is unreadable, with the reason."""

    checkpoint_id: str
    parts: tuple[PartSize, ...] = ()
    unreadable: str = ""


class SizesBody(_Model):
    columns: tuple[SizesColumn, ...]


class RunInfo(_Model):
    run_id: str
    workflow: str
    checkpoints: int
    branches: int
    latest: Header


class RunsBody(_Model):
    runs: tuple[RunInfo, ...]


class CatalogueArguments(_Model):
    """`folder` is the document's; its own node types are listed too, without
    running them.
    """

    folder: str = ""


class CatalogueBody(_Model):
    """`warnings` name node types that are left out because they cannot be used, a
    line each.
    """

    nodes: tuple[NodeInfo, ...]
    warnings: tuple[str, ...] = ()


NodeState = Literal[
    "idle",
    "queued",
    "running",
    "ran",
    "done",
    "next",
    "waiting",
    "asking",
    "failed",
    "stalled",
    "not_taken",
    "cancelled",
]


class NodeMoment(_Model):
    """One executor at one moment.

    `detail` is the right-hand text of its state line ("640 ms", "s5", "2 msg");
    `superstep` is when it last ran, 0 for never. `attempts` and `error` are of its
    last run; `handed_on` says that this run was earlier and that an error edge took
    its failure.
    """

    state: NodeState = "idle"
    detail: str = ""
    superstep: int = 0
    seconds: float | None = None
    queued: int = 0
    questions: int = 0
    attempts: int = 1
    error: str = ""
    handed_on: bool = False

    @property
    def failure_words(self) -> str:
        """Return the words for a failure of an earlier superstep; a run inside has no
        superstep to name.
        """
        if self.detail:
            return f"Failed in {self.detail}, handed on"
        return "Failed, handed on"


class JoinRelease(_Model):
    """A join that fired: how many messages of each source it released as one list.
    `superstep` and `checkpoint_id` say when, for one of an earlier superstep.
    """

    edge: str
    target: str
    counts: tuple[tuple[str, int], ...] = ()
    superstep: int = 0
    checkpoint_id: str | None = None


class Writer(_Model):
    """The executors that wrote a key of the shared state last, and in which superstep
    of the outermost run.
    """

    key: str
    executors: tuple[str, ...]
    superstep: int
    checkpoint_id: str


class JoinSource(_Model):
    """One source of a join: how many of its messages the join has and needs, how many
    it `released` in this superstep, and why one is missing. A join does not wait for a
    `disabled` source. `ages` says of each message in which superstep it arrived, None
    if that is not known; `since` is that of the oldest. `sections` names each message
    for `expand`.

    cause_element    the node or edge that the reason is about, "" for none
    cause_superstep  that of the outermost run in which it happened, 0 for the moment
    """

    id: str
    have: int
    need: int
    released: int = 0
    disabled: bool = False
    since: int | None = None
    reason: str = ""
    cause_element: str = ""
    cause_superstep: int = 0
    messages: tuple[Value, ...] = ()
    ages: tuple[int | None, ...] = ()
    sections: tuple[str, ...] = ()


class JoinFill(_Model):
    """A superstep in which messages arrived at a join or left it: what it had of each
    source afterwards, and how many it released, in the order of the sources.
    """

    superstep: int
    have: tuple[int, ...] = ()
    released: tuple[int, ...] = ()


class JoinMoment(_Model):
    """A join at one moment. `fired` is this superstep if the join fired in it,
    else 0. `stalled` is true when the run rests and the join still holds
    messages. `releases` are the earlier ones, the newest first, and `filling` has the
    last supersteps in which something arrived or left, the oldest first.
    """

    edge: str
    target: str
    policy: str
    sources: tuple[JoinSource, ...]
    missing: tuple[str, ...] = ()
    held: int = 0
    fired: int = 0
    stalled: bool = False
    preview: tuple[str, ...] = ()
    releases: tuple[JoinRelease, ...] = ()
    filling: tuple[JoinFill, ...] = ()

    @property
    def filled(self) -> int:
        """Return how many sources have at least one message here."""
        return sum(1 for source in self.sources if source.have)

    @property
    def awaited(self) -> int:
        """Return how many sources are not disabled."""
        return sum(1 for source in self.sources if not source.disabled)


class Drop(_Model):
    """Messages that an edge dropped. `lost` is how many of them no other edge
    took; None if an older record leaves it open.
    """

    source: str
    target: str
    reason: str
    count: int = 1
    lost: int | None = None


class EdgeMoment(_Model):
    """The recorded messages of an edge group, as (source, target, number of messages).

    delivered  carried in the superstep that led here, into joins too; `dropped` has those it dropped, with the reason
    queued     sent in that superstep and carried in the next one. `Moment.decided` says of all edges
               whether that is recorded, or decided already; else these are the ways that no condition guards
    cases      the cases of a switch that `queued` takes: places from 0, or "default"; `taken` those of `delivered`
    """

    delivered: tuple[tuple[str, str, int], ...] = ()
    dropped: tuple[Drop, ...] = ()
    queued: tuple[tuple[str, str, int], ...] = ()
    cases: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()


class MessageMoment(_Model):
    """A waiting message: `where` is queued or buffered; `target` is empty if it
    goes nowhere or is not routed yet, and `note` says which. `expand` finds its
    children in `section`. `since` is the superstep in which it was sent, or arrived in
    a join; None if that is not known.
    """

    where: Literal["queued", "buffered"]
    source: str
    target: str
    edge: str = ""
    note: str = ""
    section: str = ""
    since: int | None = None
    data: Value


class RequestMoment(_Model):
    """A question: `title` is its text in one line, `text` the text as it was
    written; `schema_` is the JSON Schema of its answer.
    """

    id: str
    executor: str
    title: str
    text: str = ""
    data: Value
    schema_: dict[str, Any] = Field(default_factory=dict, alias="schema")
    superstep: int = 0

    model_config = ConfigDict(
        frozen=True, extra="ignore", populate_by_name=True, serialize_by_alias=True
    )


class InsideRun(_Model):
    """A run of a sub-workflow: one for each message that came in. `superstep` and
    the other fields are its own.
    """

    key: str
    superstep: int = 0
    queued: int = 0
    questions: int = 0


class InsideMoment(_Model):
    """The inside of a sub-workflow, at the barrier of the outer run.

    `way` is the requested way, `keys` the runs shown on it, and `runs` all present runs
    of its last node, the oldest first. `moment` is the moment of the chosen run, or
    None if none is present: a run that has ended is not kept.
    """

    way: tuple[str, ...]
    keys: tuple[str, ...] = ()
    runs: tuple[InsideRun, ...] = ()
    moment: Moment | None = None


class Moment(_Model):
    """Everything to see at one checkpoint, or of the run as it is now (`header` is None
    before its first checkpoint).

    `decided` says whether the ways of the queued messages are known: recorded in the
    superstep that followed, or previewed by the conditions of the live run.

    `messages_left_out` and `outputs_left_out` count further ones.

    `sections` has the trees of the sections that have one (`runtime.debug.sections`),
    by name.

    `writers` says who wrote each key of the shared state last, as far as the earlier
    supersteps are read.

    `inside` is the requested inside of a sub-workflow, with the superstep of the outer
    run. `standing` is the superstep in which the live run stands, None at a barrier.
    """

    header: Header | None = None
    superstep: int = 0
    status: str = ""
    decided: bool = False
    definition: dict[str, Any] | None = None
    nodes: dict[str, NodeMoment] = Field(default_factory=dict)
    edges: dict[str, EdgeMoment] = Field(default_factory=dict)
    joins: tuple[JoinMoment, ...] = ()
    requests: tuple[RequestMoment, ...] = ()
    messages: tuple[MessageMoment, ...] = ()
    outputs: tuple[tuple[str, Value], ...] = ()
    messages_left_out: int = 0
    outputs_left_out: int = 0
    sections: dict[str, Value] = Field(default_factory=dict)
    writers: tuple[Writer, ...] = ()
    inside: InsideMoment | None = None
    standing: InsideSuperstep | None = None

    @property
    def state(self) -> Value:
        return self.sections.get("state", _EMPTY)

    @property
    def executors(self) -> Value:
        return self.sections.get("executors", _EMPTY)


_EMPTY = Value(type="dict", text="empty")


# --- one executor, one edge group ----------------------------------------------------------------------------------


class Reason(_Model):
    """A line of an explanation why an edge did not take a message: a condition, a
    part of it, or a type, with its value for that message.

    holds  whether a condition is true; None for a value, or where it is not known
    depth  0 for a line of its own; others are parts of the last line with a smaller one
    """

    text: str
    value: str = ""
    holds: bool | None = None
    depth: int = 0


class Item(_Model):
    """A message, an output, a question, or a value of the shared state, with its place:
    `expand` finds its children in `section` of `checkpoint_id`, below `path`.

    name     its source or target, or the key of the state; "" if `kind` says enough
    kind     message, input, answer, output, question, state
    edges    the edge groups that carried it
    note     its fate, in words
    old      the value before, for a key of the state that existed
    why      why an edge did not take it, line by line
    lost     whether no other edge took it either; None for a message that was taken, or
             where that is not recorded
    """

    kind: str = "message"
    name: str = ""
    edges: tuple[str, ...] = ()
    note: str = ""
    checkpoint_id: str | None = None
    section: str = ""
    path: tuple[int, ...] = ()
    value: Value
    old: Value | None = None
    why: tuple[Reason, ...] = ()
    lost: bool | None = None


DeliveryState = Literal["done", "running", "next", "waiting", "held", "failed"]


class DeliveryMoment(_Model):
    """One handler call of the superstep in which the run stands.

    place     from 1, in the fixed order
    path      the invocations that lead to its run
    messages  what it gets; `sources` are the executors that sent that
    sent      of a done one: what it has sent, put out, written and asked. Nothing of it counts before the barrier
    error     of a failed one
    """

    place: int
    executor: str
    path: tuple[str, ...] = ()
    handler: str = ""
    state: DeliveryState = "waiting"
    seconds: float | None = None
    messages: tuple[Value, ...] = ()
    sources: tuple[str, ...] = ()
    sent: tuple[Item, ...] = ()
    outputs: tuple[Item, ...] = ()
    wrote: tuple[Item, ...] = ()
    asked: tuple[Item, ...] = ()
    error: str = ""


class InsideSuperstep(_Model):
    """The superstep in which the live run stands: its deliveries in the fixed order,
    and how many more there are.
    """

    superstep: int
    deliveries: tuple[DeliveryMoment, ...] = ()
    left_out: int = 0


class Call(_Model):
    """One call of a handler; in `NodeBody.coming`, a call of the next superstep.

    A list is None if the record leaves it open, as `NodeBody.notes` says. `more` counts
    the items that are not sent, of all lists together. `error` is set for a failed call
    that was tried again, or whose failure an error edge took.
    """

    handler: str = ""
    seconds: float | None = None
    received: tuple[Item, ...] | None = None
    sent: tuple[Item, ...] | None = None
    outputs: tuple[Item, ...] | None = None
    wrote: tuple[Item, ...] | None = None
    asked: tuple[Item, ...] | None = None
    edge: str = ""
    more: int = 0
    attempt: int = 1
    error: str = ""


class Failure(_Model):
    """The failure of the last superstep of the live run in this executor. `call` is the
    failed one among `coming`, -1 if an executor of a sub-workflow inside it failed.
    """

    error_type: str
    text: str
    traceback: str = ""
    handler: str = ""
    call: int = 0


class Turn(_Model):
    """A superstep of the inspected line in which the executor ran."""

    superstep: int
    checkpoint_id: str
    calls: int
    seconds: float
    sent: int = 0
    outputs: int = 0
    wrote: tuple[str, ...] = ()
    asked: int = 0


class NodeBody(_Model):
    """One executor in the superstep that led to a moment, and around it.

    calls      its handler calls in that superstep, in order; `checkpoint_id` is the barrier that they led to
    handed_up  messages and outputs that its sub-workflows handed up in it
    stopped    messages that edges into it dropped in that superstep
    coming     the calls of the next superstep, as far as it is recorded or decided; `waiting` has other messages
               that wait for it
    questions  its open questions
    params     its parameters in the graph that ran, None where the graph is made in code
    own        its own state
    turns      the supersteps of the line in which it ran; `complete` when none is missing at the beginning
    failure    its failure in the live run, if any
    notes      gaps of the record, a sentence each
    """

    node: str
    type: str = ""
    superstep: int = 0
    checkpoint_id: str | None = None
    calls: tuple[Call, ...] = ()
    handed_up: tuple[Item, ...] = ()
    stopped: tuple[Item, ...] = ()
    coming: tuple[Call, ...] = ()
    waiting: tuple[Item, ...] = ()
    questions: tuple[Item, ...] = ()
    params: Value | None = None
    own: Value | None = None
    turns: tuple[Turn, ...] = ()
    complete: bool = True
    failure: Failure | None = None
    notes: tuple[str, ...] = ()


class EdgeBody(_Model):
    """One edge group in the superstep that led to a moment, and in the next.

    carried  messages that went along it in that superstep; `stopped` those that it dropped, with the reason
    released the lists that a join released
    queued   messages that go along it in the next superstep, as far as it is recorded or decided
    refused  messages that it drops in the next superstep, as far as it is recorded or decided
    held     the messages that a join holds
    rules    (target, condition as written), in the order of evaluation
    """

    edge: str
    kind: str = ""
    superstep: int = 0
    carried: tuple[Item, ...] = ()
    stopped: tuple[Item, ...] = ()
    released: tuple[tuple[Item, ...], ...] = ()
    queued: tuple[Item, ...] = ()
    refused: tuple[Item, ...] = ()
    held: tuple[Item, ...] = ()
    rules: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    more: int = 0


# --- a superstep as a whole ------------------------------------------------------------


class NodeCalls(_Model):
    """The handler calls of one executor in a superstep."""

    node: str
    calls: tuple[Call, ...] = ()
    handed_up: tuple[Item, ...] = ()


class SuperstepBody(_Model):
    """A superstep of one run, and the next one.

    ran        who ran, with what, in the order of the definition; `seconds` is how
               long the superstep took
    fired      joins that fired in it
    stopped    messages that edges did not take, with the reasons; those first that
               nothing took
    next       who runs in the next superstep, with what
    fires      joins that fire then; `holds` are those that get messages and wait on
    refused    messages that edges do not take then
    undecided  queued messages of which only the next superstep decides
    decided    whether all of that is recorded, or decided by conditions already
    more       how many entries are not sent, of all lists together
    """

    superstep: int = 0
    checkpoint_id: str | None = None
    seconds: float = 0.0
    ran: tuple[NodeCalls, ...] = ()
    fired: tuple[JoinRelease, ...] = ()
    stopped: tuple[Item, ...] = ()
    next: tuple[NodeCalls, ...] = ()
    fires: tuple[JoinRelease, ...] = ()
    holds: tuple[str, ...] = ()
    refused: tuple[Item, ...] = ()
    undecided: tuple[Item, ...] = ()
    decided: bool = False
    notes: tuple[str, ...] = ()
    more: int = 0


# --- where a value comes from --------------------------------------------------------


class OriginLink(_Model):
    """A value from which another was made: its number, and the edge group that carried
    it ("" if none did). `case` is the place of a switch's case from 0, or "default".
    """

    number: int
    edge: str = ""
    case: str = ""


class OriginAddress(_Model):
    """A value for `ProvenanceArguments`. `runs` has the keys of all runs that lead to
    it; their owners are the way inside.
    """

    checkpoint_id: str
    address: str
    runs: tuple[str, ...] = ()

    @property
    def inside(self) -> tuple[str, ...]:
        return tuple(run.rpartition("#")[0] for run in self.runs)


class OriginStep(_Model):
    """A value on the way back from the requested one, and who made it.

    number         its place, in causal order from 1: sources come before what was made
                   of them, and the requested value is the last
    item           the value with its place; `item_runs` has the keys that lead to its
                   run. Its kind is also `own`, for the own state of an executor
    at             where a further question about it goes on
    executor       who made it, "" for a value from outside; `runs` has the keys that
                   lead to the run of the executor
    how            what the executor did: "sent", "wrote votes"
    superstep      of the outermost run, that led to `checkpoint_id`
    sources        the values from which it was made
    gap            why the record does not say more
    is_open        its origin was not looked up any more, because the walk is bounded
    """

    number: int
    item: Item
    item_runs: tuple[str, ...] = ()
    at: OriginAddress
    executor: str = ""
    runs: tuple[str, ...] = ()
    handler: str = ""
    how: str = ""
    superstep: int = 0
    checkpoint_id: str | None = None
    sources: tuple[OriginLink, ...] = ()
    gap: str = ""
    is_open: bool = False


class ProvenanceBody(_Model):
    """The way of a value, from its farthest known origin on. `complete` is true if
    every way was followed back to the outside.
    """

    steps: tuple[OriginStep, ...]
    complete: bool = True


ChangeKind = Literal["added", "removed", "changed", "moved"]
# The sections of a checkpoint by name, in their order.
SECTION_TITLES = {section.name: section.title for section in SECTIONS}
# The same with what is compared beside them.
DIFFERENCE_TITLES = dict(COMPARED_TITLES)


class ChangeItem(_Model):
    """A value that differs: `section` is one of `COMPARED_TITLES`, `path` where in it.
    `old` is None for what was added, `new` for what was removed.

    before, after  where a moved value was and is, or what became of a question, in words
    way            the keys of the invocations that lead to its run
    executor       who owns it, wrote it, or will get the message; "" for none
    source         who sent the message; "" for none
    edge           the join that holds it; "" for none
    """

    section: str
    path: str
    kind: ChangeKind
    old: Value | None = None
    new: Value | None = None
    before: str = ""
    after: str = ""
    way: tuple[str, ...] = ()
    executor: str = ""
    source: str = ""
    edge: str = ""


class DiffBody(_Model):
    """From `base` to `checkpoint_id`, in the order of the sections; `more` counts
    changes that are not sent. The changes of the section `header` are the facts that
    tell the two checkpoints apart, and count as no difference.

    `outputs_compared` is false if there are too many outputs, or reading them takes too
    long. Inside of a sub-workflow
    `base_runs` are its runs in the base, of which `base_run`
    is compared; "" for none.
    """

    base: str
    checkpoint_id: str | None
    changes: tuple[ChangeItem, ...] = ()
    more: int = 0
    outputs_compared: bool = True
    base_runs: tuple[InsideRun, ...] = ()
    base_run: str = ""

    @property
    def differences(self) -> tuple[ChangeItem, ...]:
        """Return the changes without the facts of the header."""
        return tuple(change for change in self.changes if change.section != HEADER)

    @property
    def count(self) -> int:
        """Return the number of differences, also of those that are not sent."""
        return len(self.differences) + self.more


class GraphChange(_Model):
    """One difference between two graphs, as a sentence without its end.

    element  what it is about: executor, edge, join, start, reducer, workflow
    id       of the executor, edge or key; of what was removed the old one
    field    which of its fields changed; "" for an element that is new or gone
    inside   node ids that lead to the sub-workflow in which it is
    """

    kind: Literal["added", "removed", "renamed", "changed"]
    element: str
    id: str
    text: str
    field: str = ""
    inside: tuple[str, ...] = ()


class GraphChangesBody(_Model):
    """`before` is the newest checkpoint on the way to the asked one at which the change
    makes no difference yet: the changed graph would have come there too. `complete` is
    False if only the newest part of the way was looked at.
    """

    checkpoint_id: str
    changes: tuple[GraphChange, ...] = ()
    before: Header
    complete: bool = True


class HeldThing(_Model):
    """Something that a run holds, in words.

    executor  the executor or join that it belongs to, by its id in the graph before
    aspect    the field of its entry in the mapping: messages_for, messages_from, record,
              requests, runs, or join
    """

    text: str
    executor: str = ""
    aspect: str = ""
    inside: tuple[str, ...] = ()


class MappingLevel(_Model):
    """What of one level a mapping may choose from: executors and joins of the changed
    graph. `inside` has the ids in the graph before; the name of a join is (id, words).
    """

    inside: tuple[str, ...] = ()
    executors: tuple[str, ...] = ()
    joins: tuple[tuple[str, str], ...] = ()


class UpcomingCall(_Model):
    """An executor that the next superstep runs, and whose messages it gets."""

    executor: str
    calls: int = 1
    sources: tuple[str, ...] = ()
    path: tuple[str, ...] = ()


class LostMessage(_Model):
    """A message that nothing takes in the next superstep."""

    source: str
    target: str = ""
    reason: str = ""


class ChangePlanBody(_Model):
    """How the changed workflow goes on from a checkpoint. With `problems` it cannot.

    mapping   where everything goes: the proposal, with the entries that were asked for
    kept      what goes on, counted in words
    dropped   what the mapping drops
    upcoming  who runs in the next superstep; `error` is why that is not known
    """

    checkpoint_id: str
    changes: tuple[GraphChange, ...] = ()
    mapping: dict[str, Any] = Field(default_factory=dict)
    levels: tuple[MappingLevel, ...] = ()
    kept: tuple[str, ...] = ()
    dropped: tuple[HeldThing, ...] = ()
    problems: tuple[HeldThing, ...] = ()
    upcoming: tuple[UpcomingCall, ...] = ()
    lost: tuple[LostMessage, ...] = ()
    error: str = ""


class DivergedSide(_Model):
    """What one of two runs did where they part, in words, and the value if there is
    one.
    """

    words: str = ""
    value: Value | None = None


class DivergenceReason(_Model):
    """Why two runs part.

    kind      input, answer, edit, graph (edited), edge, call (of an executor), order (of writes), end (of one), value
    text      a sentence or its beginning, that names the place
    way       the keys of the invocations that lead to the place; `inside` the nodes that they are runs of
    note      a sentence more, or ""
    """

    kind: str
    text: str
    base: DivergedSide = DivergedSide()
    other: DivergedSide = DivergedSide()
    way: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()
    executor: str = ""
    source: str = ""
    edge: str = ""
    note: str = ""


class DivergenceRow(_Model):
    """A superstep after the first difference: the last checkpoint of each line in it,
    and how many differences there are, None if they were not counted.
    """

    superstep: int
    base: str | None = None
    other: str | None = None
    differences: int | None = None


class DivergenceBody(_Model):
    """Where the ways to two checkpoints part. Without a difference of the runs `reason`
    is None.

    equal             how many checkpoints of both are equal before it; `equal_base` and `equal_other` are the last
                      ones, `superstep` is theirs
    first_base        the first checkpoint that differs, None where the line has ended; `first_other` the same
    first_superstep   its superstep
    is_proved         false if the search took too long, so that an earlier difference is possible
    unread            pairs before it that are damaged
    is_whole          whether both ways reach back to an input
    changes           what differs there
    graph             what differs between the graphs
    """

    base: str
    checkpoint_id: str | None = None
    equal: int = 0
    equal_base: str | None = None
    equal_other: str | None = None
    superstep: int = 0
    first_base: str | None = None
    first_other: str | None = None
    first_superstep: int = 0
    is_proved: bool = True
    unread: int = 0
    is_whole: bool = True
    reason: DivergenceReason | None = None
    changes: tuple[ChangeItem, ...] = ()
    graph: tuple[ChangeItem, ...] = ()
    following: tuple[DivergenceRow, ...] = ()


# --- the superstep board ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, config=ConfigDict(extra="ignore"))
class BoardCell:
    """What one executor did in one superstep.

    executor   its id, with the keys of the invocations that lead to it: "review#1/judge"
    started    seconds from the start of the superstep to its first call
    ended      seconds from the start of the superstep to the end of its last call
    seconds    of all its calls together
    failed     (started, seconds) of the attempts that failed
    error      of the last of them; `is_failed` says that no attempt succeeded and an
               error edge took the failure
    received   number of messages
    """

    executor: str
    started: float = 0.0
    ended: float = 0.0
    seconds: float = 0.0
    calls: int = 1
    failed: tuple[tuple[float, float], ...] = ()
    error: str = ""
    is_failed: bool = False
    received: int = 0
    sent: int = 0
    outputs: int = 0
    asked: int = 0
    wrote: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, config=ConfigDict(extra="ignore"))
class BoardArrow:
    """Messages that reached an executor in a superstep, or a join in front of it. They
    were sent in the superstep before.
    """

    kind: Literal["delivered", "buffered", "dropped"]
    source: str
    target: str
    count: int = 1
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, config=ConfigDict(extra="ignore"))
class BoardJoin:
    """A join that holds messages at the end of the superstep: from `have` of `need`
    sources.
    """

    target: str
    have: int
    need: int
    messages: int


def parted(name: str) -> tuple[tuple[str, ...], str]:
    """Return the keys of the invocations that lead to an executor, and its own id."""
    *keys, executor = name.split("/")
    for key in keys:
        owner, mark, number = key.rpartition("#")
        if not owner or not mark or not number.isdecimal():
            return (), name
    return tuple(keys), executor


class BoardColumn(_Model):
    """One superstep.

    seconds    of the whole superstep
    own        the supersteps of invocations, by their keys from the outermost on, joined
               by "/"; the last one of those that ended in this superstep too
    damaged    why it cannot be read; "" if it can
    """

    checkpoint_id: str
    superstep: int = 0
    seconds: float = 0.0
    cells: tuple[BoardCell, ...] = ()
    arrows: tuple[BoardArrow, ...] = ()
    held: tuple[BoardJoin, ...] = ()
    own: dict[str, int] = Field(default_factory=dict)
    damaged: str = ""


class BoardBody(_Model):
    columns: tuple[BoardColumn, ...] = ()


class BoardTimesBody(_Model):
    """Seconds of handlers over a line of supersteps, as far as it was read.

    critical   of the longest handler of each superstep
    others     of all other handlers
    waiting    that the others waited for the longest one, at barriers
    direct     about how long the run would have been if each handler had begun as soon
               as its messages were sent
    complete   false if there is more to read: ask again
    """

    checkpoint_id: str
    supersteps: int = 0
    critical: float = 0.0
    others: float = 0.0
    waiting: float = 0.0
    direct: float = 0.0
    unreadable: int = 0
    complete: bool = True


# --- notices ------------------------------------------------------------------------------------------------------


class ResumedBody(_Model):
    run_id: str
    branch: str = "main"


class BreakpointHit(_Model):
    """The breakpoint that stopped the run: `because` says in words what happened, `hit`
    is its how manyth hit this was.
    """

    id: str
    kind: BreakpointKind
    where: str = ""
    because: str = ""
    hit: int = 1


class DeliveryPlace(_Model):
    """A delivery of the superstep in which the run stands: `place` of how many, from
    1, in the fixed order.
    """

    executor: str
    path: tuple[str, ...] = ()
    place: int = 1
    of: int = 1
    handler: str = ""


class StoppedBody(_Model):
    """Why the run stopped: `entry`, `step`, `pause`, `restored`, `finished`, `waiting`
    (for answers), `stalled` (a join holds messages for ever), `failed`, `limit` (of
    supersteps), `cancelled`, `breakpoint`, `delivery` (a step of one), `here` (the end
    of `run_to`), `held` (only held executors are left to run), `code`
    (`breakpoint_here`).

    `delivery` is where in a superstep the run stands, None at a barrier: the next
    delivery, or the one that has just ended.

    `failed` names the `executor`. `before` is the failure of an executor from which
    this one followed, such as that of a condition of its error edge. `taken_back`
    are the outputs of a superstep that failed or was cancelled.
    """

    reason: str
    status: str
    superstep: int
    run_id: str = ""
    branch: str = "main"
    checkpoint_id: str | None = None
    text: str = ""
    executor: str = ""
    before: str = ""
    error_type: str = ""
    traceback: str = ""
    taken_back: tuple[OutputItem, ...] = ()
    breakpoint: BreakpointHit | None = None
    delivery: DeliveryPlace | None = None


class LoggedBody(_Model):
    """The log text of a breakpoint; `left_out` is how many came before it and were not
    sent.
    """

    breakpoint: str
    superstep: int
    text: str
    path: tuple[str, ...] = ()
    executor: str = ""
    left_out: int = 0


class HeadersBody(_Model):
    headers: tuple[Header, ...]


class Attempt(_Model):
    """Which attempt of how many an executor makes. After a failed one, its
    `error`, and how long the executor waits.
    """

    number: int
    most: int
    error: str = ""
    wait: float = 0.0


class InsideProgress(_Model):
    """The same for a run inside."""

    running: dict[str, float] = Field(default_factory=dict)
    done: dict[str, float] = Field(default_factory=dict)
    attempts: dict[str, Attempt] = Field(default_factory=dict)


class ProgressBody(_Model):
    """The superstep that runs now: node states that changed, and supersteps per second
    so far.

    `inside` has the runs of sub-workflows, by their keys from the outermost on,
    joined by "/". `attempts` has the executors that run and may try again. `coming`
    are the newest outputs of the superstep so far, and `left_out` is how many came
    before them.
    """

    superstep: int
    running: dict[str, float] = Field(default_factory=dict)
    done: dict[str, float] = Field(default_factory=dict)
    rate: float = 0.0
    inside: dict[str, InsideProgress] = Field(default_factory=dict)
    attempts: dict[str, Attempt] = Field(default_factory=dict)
    coming: tuple[OutputItem, ...] = ()
    left_out: int = 0


class ConsoleBody(_Model):
    category: Literal["stdout", "stderr"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True, config=ConfigDict(extra="ignore"))
class EventItem:
    number: int
    time: float
    kind: str
    superstep: int
    path: tuple[str, ...] = ()
    text: str
    checkpoint_id: str = ""
    executor: str = ""


class EventsBody(_Model):
    """`complete` is false for a recorded log that does not reach back to the input
    of the run.
    """

    events: tuple[EventItem, ...]
    left_out: int = 0
    complete: bool = True


# What the reply to each command has as its body; None for nothing.
REPLY_BODIES: dict[str, type[BaseModel] | None] = {
    "open": OpenBody,
    "attach": AttachBody,
    "follow": None,
    "start": StartBody,
    "step": None,
    "run_to": None,
    "continue": None,
    "pause": None,
    "stop": None,
    "restore": HeaderBody,
    "answer": HeaderBody,
    "inspect": Moment,
    "expand": ExpandBody,
    "outputs": OutputsBody,
    "node": NodeBody,
    "edge": EdgeBody,
    "diff": DiffBody,
    "divergence": DivergenceBody,
    "graph_changes": GraphChangesBody,
    "change_plan": ChangePlanBody,
    "drop": None,
    "log": EventsBody,
    "counts": CountsBody,
    "find": FindBody,
    "find_stop": None,
    "superstep": SuperstepBody,
    "reverse": ReverseBody,
    "provenance": ProvenanceBody,
    "board": BoardBody,
    "board_times": BoardTimesBody,
    "export": ExportBody,
    "sizes": SizesBody,
    "timeline": TimelineBody,
    "runs": RunsBody,
    "delete_runs": RunsBody,
    "annotate": HeaderBody,
    "cancel": None,
    "breakpoints": BreakpointsBody,
    "hold": HoldBody,
    "catalogue": CatalogueBody,
    "shutdown": None,
}
