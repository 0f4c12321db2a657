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
    continue     ContinueArguments    -              run until the run rests, fails, is paused or stopped
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
    patch_plan   PatchPlanArguments   PatchPlanBody  what a patch makes of a checkpoint, and what comes of it
    restore_plan RestorePlanArguments RestorePlanBody which calls outside of the run would be made from a checkpoint on
    patch_parse  PatchParseArguments  PatchParseBody what is wrong with one change of a patch
    drop         DropArguments        -              end a question that nobody waits for any more
    log          LogArguments         EventsBody     what happened on the way to checkpoints, as it is recorded
    counts       CountsArguments      CountsBody     drops, losses and failures on the way to checkpoints
    find         FindArguments        FindBody       ask the recorded past; hits come as notices `found`
    verify       VerifyArguments      VerifyBody     prove checkpoints; runs handlers; proofs come as notices `proved`
    verify_stop  VerifyStopArguments  -              prove no further checkpoint
    superstep    SuperstepArguments   SuperstepBody  who ran in a superstep, what was dropped, who runs next
    find_stop    FindStopArguments    -              answer a question no further, or end a reverse continue
    explore      ExploreArguments     -              try a superstep in other orders; what is found comes as `explored`
    explore_stop ExploreStopArguments -              end an exploration
    reverse      ReverseArguments     ReverseBody    reverse continue: the nearest hit before a checkpoint
    recorded_result RecordedResultArguments RecordedResultBody what a call that reached outside did, to pin it
    provenance   ProvenanceArguments  ProvenanceBody where a value comes from, back to the input
    board        BoardArguments       BoardBody      who worked in some supersteps, how long, and for whom they waited
    board_times  BoardTimesArguments  BoardTimesBody  where the time of all supersteps on the way to a checkpoint went
    export       ExportArguments      ExportBody     some checkpoints as lines of JSON
    sizes        SizesArguments       SizesBody      how many bytes each part of some checkpoints has
    share        ShareArguments       ShareBody      a run, a branch or a checkpoint to a file
    receive      ReceiveArguments     ReceiveBody    a shared file into the store; changes no checkpoint that is there
    bundle       BundleArguments      BundleBody     a fault as files, or what they would be; runs the test if asked
    bundle_open  BundleOpenArguments  BundleOpenBody unpack a bug bundle, and import its checkpoints
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
    sharing      SharingBody          how far a shared file is that is written or read
    found        FoundBody            hits of a question to the past, and how far it was answered
    explored     ExploredBody         how far an exploration is, and what it has found
    proved       ProvedBody           restore proofs, and how many checkpoints were checked
"""

from __future__ import annotations

from runtime.debug.protocol.board import (
    BoardArguments,
    BoardArrow,
    BoardBody,
    BoardCell,
    BoardColumn,
    BoardJoin,
    BoardTimesArguments,
    BoardTimesBody,
    parted,
)
from runtime.debug.protocol.breakpoints import (
    Breakpoint,
    BreakpointHit,
    BreakpointKind,
    BreakpointsArguments,
    BreakpointsBody,
    BreakpointStatus,
    LoggedBody,
)
from runtime.debug.protocol.bundles import (
    BundleArguments,
    BundleBody,
    BundleItem,
    BundleOpenArguments,
    BundleOpenBody,
)
from runtime.debug.protocol.commands import REPLY_BODIES
from runtime.debug.protocol.comparison import (
    DIFFERENCE_TITLES,
    SECTION_TITLES,
    ChangeItem,
    ChangeKind,
    DiffArguments,
    DiffBody,
    DivergedSide,
    DivergenceArguments,
    DivergenceBody,
    DivergenceReason,
    DivergenceRow,
)
from runtime.debug.protocol.effects import (
    CallMode,
    OnMiss,
    OutsideCall,
    PinnedResult,
    ReplaySettings,
    RestorePlanArguments,
    RestorePlanBody,
)
from runtime.debug.protocol.exploration import (
    ExploreArguments,
    ExploredBody,
    ExploredCall,
    ExploredFinding,
    ExploredLane,
    ExploredOutcome,
    ExploreRequest,
    ExploreStopArguments,
    FindingKind,
)
from runtime.debug.protocol.graph_changes import (
    MAPPING_ASPECTS,
    MAPPING_UNDECIDED,
    ChangePlanArguments,
    ChangePlanBody,
    GraphChange,
    GraphChangesArguments,
    GraphChangesBody,
    HeldThing,
    LostMessage,
    MappingLevel,
    UpcomingCall,
)
from runtime.debug.protocol.joins import JoinFill, JoinMoment, JoinRelease, JoinSource
from runtime.debug.protocol.moments import (
    Drop,
    EdgeMoment,
    InsideMoment,
    InsideRun,
    InspectArguments,
    MessageMoment,
    Moment,
    NodeMoment,
    NodeState,
    RequestMoment,
    Writer,
)
from runtime.debug.protocol.notices import (
    Attempt,
    ConsoleBody,
    EventItem,
    EventsBody,
    HeadersBody,
    InsideProgress,
    ProgressBody,
)
from runtime.debug.protocol.outputs import (
    SAID_LIMIT,
    OutputItem,
    OutputsArguments,
    OutputsBody,
    OutputState,
)
from runtime.debug.protocol.packets import (
    ERROR_MARK,
    PROTOCOL_VERSION,
    Command,
    Notice,
    Reply,
)
from runtime.debug.protocol.past import (
    COUNTED_CHECKPOINTS,
    LOG_CHECKPOINTS,
    CheckpointCounts,
    CountsArguments,
    CountsBody,
    FindArguments,
    FindBody,
    FindStopArguments,
    FoundBody,
    LogArguments,
    PastHit,
    ReverseArguments,
    ReverseBody,
)
from runtime.debug.protocol.patches import (
    JoinForecast,
    Patch,
    PatchChange,
    PatchParseArguments,
    PatchParseBody,
    PatchPlanArguments,
    PatchPlanBody,
    PatchProblem,
    Spot,
    StarvedJoin,
)
from runtime.debug.protocol.proof import (
    PROOF_TITLES,
    ProofCheck,
    ProofCheckName,
    ProofFinding,
    ProofItem,
    ProofOutcome,
    ProofRequest,
    ProvedBody,
    VerifyArguments,
    VerifyBody,
    VerifyStopArguments,
)
from runtime.debug.protocol.provenance import (
    OriginAddress,
    OriginLink,
    OriginStep,
    ProvenanceArguments,
    ProvenanceBody,
)
from runtime.debug.protocol.recorded_results import (
    RecordedResultArguments,
    RecordedResultBody,
)
from runtime.debug.protocol.run_control import (
    AnswerArguments,
    AttachBody,
    CancelArguments,
    CatalogueArguments,
    CatalogueBody,
    ContinueArguments,
    DropArguments,
    HoldArguments,
    HoldBody,
    OpenArguments,
    OpenBody,
    RestoreArguments,
    RunToArguments,
    StartArguments,
    StartBody,
    StepArguments,
)
from runtime.debug.protocol.sharing import (
    ReceiveArguments,
    ReceiveBody,
    ShareArguments,
    ShareBody,
    SharingBody,
)
from runtime.debug.protocol.stops import DeliveryPlace, ResumedBody, StoppedBody
from runtime.debug.protocol.supersteps import (
    Call,
    DeliveryMoment,
    DeliveryState,
    EdgeArguments,
    EdgeBody,
    Failure,
    InsideSuperstep,
    Item,
    NodeArguments,
    NodeBody,
    NodeCalls,
    Reason,
    SuperstepArguments,
    SuperstepBody,
    Turn,
)
from runtime.debug.protocol.timeline import (
    AnnotateArguments,
    DeleteRunsArguments,
    ExportArguments,
    ExportBody,
    PartSize,
    RunInfo,
    RunsArguments,
    RunsBody,
    SizesArguments,
    SizesBody,
    SizesColumn,
    TimelineArguments,
    TimelineBody,
)
from runtime.debug.protocol.values import (
    HEADER_CAPTIONS,
    PINNED,
    ExpandArguments,
    ExpandBody,
    Header,
    HeaderBody,
    Value,
    header_rows,
)

__all__ = [
    "COUNTED_CHECKPOINTS",
    "DIFFERENCE_TITLES",
    "ERROR_MARK",
    "HEADER_CAPTIONS",
    "LOG_CHECKPOINTS",
    "MAPPING_ASPECTS",
    "MAPPING_UNDECIDED",
    "PINNED",
    "PROOF_TITLES",
    "PROTOCOL_VERSION",
    "REPLY_BODIES",
    "SAID_LIMIT",
    "SECTION_TITLES",
    "AnnotateArguments",
    "AnswerArguments",
    "AttachBody",
    "Attempt",
    "BoardArguments",
    "BoardArrow",
    "BoardBody",
    "BoardCell",
    "BoardColumn",
    "BoardJoin",
    "BoardTimesArguments",
    "BoardTimesBody",
    "Breakpoint",
    "BreakpointHit",
    "BreakpointKind",
    "BreakpointStatus",
    "BreakpointsArguments",
    "BreakpointsBody",
    "BundleArguments",
    "BundleBody",
    "BundleItem",
    "BundleOpenArguments",
    "BundleOpenBody",
    "Call",
    "CallMode",
    "CancelArguments",
    "CatalogueArguments",
    "CatalogueBody",
    "ChangeItem",
    "ChangeKind",
    "ChangePlanArguments",
    "ChangePlanBody",
    "CheckpointCounts",
    "Command",
    "ConsoleBody",
    "ContinueArguments",
    "CountsArguments",
    "CountsBody",
    "DeleteRunsArguments",
    "DeliveryMoment",
    "DeliveryPlace",
    "DeliveryState",
    "DiffArguments",
    "DiffBody",
    "DivergedSide",
    "DivergenceArguments",
    "DivergenceBody",
    "DivergenceReason",
    "DivergenceRow",
    "Drop",
    "DropArguments",
    "EdgeArguments",
    "EdgeBody",
    "EdgeMoment",
    "EventItem",
    "EventsBody",
    "ExpandArguments",
    "ExpandBody",
    "ExploreArguments",
    "ExploreRequest",
    "ExploreStopArguments",
    "ExploredBody",
    "ExploredCall",
    "ExploredFinding",
    "ExploredLane",
    "ExploredOutcome",
    "ExportArguments",
    "ExportBody",
    "Failure",
    "FindArguments",
    "FindBody",
    "FindStopArguments",
    "FindingKind",
    "FoundBody",
    "GraphChange",
    "GraphChangesArguments",
    "GraphChangesBody",
    "Header",
    "HeaderBody",
    "HeadersBody",
    "HeldThing",
    "HoldArguments",
    "HoldBody",
    "InsideMoment",
    "InsideProgress",
    "InsideRun",
    "InsideSuperstep",
    "InspectArguments",
    "Item",
    "JoinFill",
    "JoinForecast",
    "JoinMoment",
    "JoinRelease",
    "JoinSource",
    "LogArguments",
    "LoggedBody",
    "LostMessage",
    "MappingLevel",
    "MessageMoment",
    "Moment",
    "NodeArguments",
    "NodeBody",
    "NodeCalls",
    "NodeMoment",
    "NodeState",
    "Notice",
    "OnMiss",
    "OpenArguments",
    "OpenBody",
    "OriginAddress",
    "OriginLink",
    "OriginStep",
    "OutputItem",
    "OutputState",
    "OutputsArguments",
    "OutputsBody",
    "OutsideCall",
    "PartSize",
    "PastHit",
    "Patch",
    "PatchChange",
    "PatchParseArguments",
    "PatchParseBody",
    "PatchPlanArguments",
    "PatchPlanBody",
    "PatchProblem",
    "PinnedResult",
    "ProgressBody",
    "ProofCheck",
    "ProofCheckName",
    "ProofFinding",
    "ProofItem",
    "ProofOutcome",
    "ProofRequest",
    "ProvedBody",
    "ProvenanceArguments",
    "ProvenanceBody",
    "Reason",
    "ReceiveArguments",
    "ReceiveBody",
    "RecordedResultArguments",
    "RecordedResultBody",
    "ReplaySettings",
    "Reply",
    "RequestMoment",
    "RestoreArguments",
    "RestorePlanArguments",
    "RestorePlanBody",
    "ResumedBody",
    "ReverseArguments",
    "ReverseBody",
    "RunInfo",
    "RunToArguments",
    "RunsArguments",
    "RunsBody",
    "ShareArguments",
    "ShareBody",
    "SharingBody",
    "SizesArguments",
    "SizesBody",
    "SizesColumn",
    "Spot",
    "StartArguments",
    "StartBody",
    "StarvedJoin",
    "StepArguments",
    "StoppedBody",
    "SuperstepArguments",
    "SuperstepBody",
    "TimelineArguments",
    "TimelineBody",
    "Turn",
    "UpcomingCall",
    "Value",
    "VerifyArguments",
    "VerifyBody",
    "VerifyStopArguments",
    "Writer",
    "header_rows",
    "parted",
]
