"""A host without a process that answers every command at once, so that a press shows
what it leads to.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QTimer

from runtime.debug.protocol import (
    PROOF_TITLES,
    BreakpointsBody,
    BreakpointStatus,
    CatalogueBody,
    ChangeItem,
    CheckpointCounts,
    CountsBody,
    DiffBody,
    DivergenceBody,
    DivergenceReason,
    EventItem,
    EventsBody,
    ExpandBody,
    FindBody,
    FoundBody,
    Header,
    HeaderBody,
    HeadersBody,
    HoldBody,
    Moment,
    OpenBody,
    OutputsBody,
    PastHit,
    PatchParseBody,
    PatchPlanBody,
    ProofCheck,
    ProofFinding,
    ProofItem,
    ProvedBody,
    ResumedBody,
    ReverseBody,
    RunInfo,
    RunsBody,
    StartBody,
    StoppedBody,
    TimelineBody,
    Value,
    VerifyBody,
)
from tests.designer.fakes import RecordingLink, header, straight
from tests.designer.panels.explored import explored
from tests.designer.panels.fakes import infos, moment

CHECKPOINTS = 4
# The second checkpoint goes on otherwise than it did.
PROOFS = (
    ProofItem(
        checkpoint_id="c1",
        outcome="proved",
        checks=tuple(
            ProofCheck(name=name, outcome="proved", text="Equal.")
            for name in PROOF_TITLES
        ),
    ),
    ProofItem(
        checkpoint_id="c2",
        outcome="failed",
        checks=(
            ProofCheck(name="complete", outcome="proved", text="Equal."),
            ProofCheck(name="round_trip", outcome="unchecked", text="Not checked."),
            ProofCheck(
                name="advance",
                outcome="failed",
                text="What comes from here is not what was recorded:",
                findings=(
                    ProofFinding(
                        section="state",
                        path="['n']",
                        old=Value(type="int", text="1"),
                        new=Value(type="int", text="2"),
                        writer="rank",
                    ),
                ),
                recorded="c3",
                again="again",
            ),
        ),
    ),
)


class PlayedHost(RecordingLink):
    """Tells of one run of four checkpoints; `shown` is the moment at its head."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: dict[str, Any] = {}
        self.headers = straight(CHECKPOINTS)

    def send(self, packet: dict[str, Any]) -> None:
        super().send(packet)
        QTimer.singleShot(0, self, lambda: self._answer(packet))

    def _answer(self, packet: dict[str, Any]) -> None:
        if not self.is_open:
            return
        read = self._body
        if packet["command"].startswith("patch_"):
            read = self._about_copy
        body = read(packet["command"], packet.get("arguments") or {})
        answer = {
            "type": "response",
            "request_seq": packet["seq"],
            "command": packet["command"],
        }
        plain = body.model_dump(mode="json") if body is not None else {}
        self.packet.emit({**answer, "success": True, "message": "", "body": plain})
        if packet["command"] in ("start", "continue", "step"):
            self.notice("resumed", ResumedBody(run_id="r1"))
        if packet["command"] == "find" and not packet["arguments"]["goes_on"]:
            self._find(packet["arguments"]["id"])
        if packet["command"] == "explore":
            self._explore(packet["arguments"])

        if packet["command"] == "verify":
            proved = ProvedBody(
                id=packet["arguments"]["id"], proofs=PROOFS, read=2, of=2, done=True
            )
            self.notice("proved", proved)

    def _explore(self, arguments: dict[str, Any]) -> None:
        """The answer to every exploration: two outcomes, and another finding."""
        found = explored(id=arguments["id"], checkpoint_id=arguments["checkpoint_id"])
        self.notice("explored", found)

    def _find(self, id_: str) -> None:
        """The answer to every question: two checkpoints, so that one can go on."""
        hits = (_hit(2), _hit(3))
        count = len(hits)
        read = CHECKPOINTS
        found = FoundBody(id=id_, hits=hits, read=read, of=read, count=count, done=True)
        self.notice("found", found)

    def _body(self, command: str, arguments: dict[str, Any]) -> Any:
        match command:
            case "catalogue":
                return CatalogueBody(nodes=tuple(infos()))
            case "open":
                return OpenBody(workflow="licence_audit")
            case "start":
                return StartBody(run_id="r1")
            case "runs":
                head = self.headers[-1]
                return RunsBody(
                    runs=(_run_info("r1", CHECKPOINTS, head), self._older_run())
                )
            case "timeline":
                return TimelineBody(headers=tuple(self.headers))
            case "inspect":
                return self._moment(arguments.get("checkpoint_id"))
            case "diff":
                return DiffBody(
                    base=arguments["base"],
                    checkpoint_id=arguments["checkpoint_id"],
                    changes=CHANGES,
                )
            case "divergence":
                return PARTED
            case "outputs":
                return OutputsBody(outputs=())
            case "expand":
                return ExpandBody(children=())
            case "breakpoints":
                points = arguments["breakpoints"]
                return BreakpointsBody(
                    statuses=tuple(
                        BreakpointStatus(id=point["id"], verified=True, hits=1)
                        for point in points
                    )
                )
            case "hold":
                return HoldBody(held=(((), arguments["executor"]),))
            case "annotate" | "restore":
                return HeaderBody(header=header(CHECKPOINTS))
        return _about_the_past(command, arguments)

    def _about_copy(self, command: str, arguments: dict[str, Any]) -> Any:
        if command == "patch_parse":
            return PatchParseBody(change=arguments["change"])
        checkpoint_id = arguments["checkpoint_id"]
        return PatchPlanBody(
            checkpoint_id=checkpoint_id, moment=self._moment(checkpoint_id)
        )

    def _older_run(self) -> RunInfo:
        return _run_info("r0", 1, header(1, run_id="r0"))

    def _moment(self, checkpoint_id: str | None) -> Moment:
        number = int((checkpoint_id or f"c{CHECKPOINTS}").removeprefix("c"))
        more = self.shown if number == CHECKPOINTS else {}
        return moment(number - 1, **{"header": header(number), **more})

    # --- what a run tells ---

    def run_on(self) -> None:
        """The run has made its checkpoints, and moves."""
        self.notice("resumed", ResumedBody(run_id="r1"))
        self.notice("checkpoints", HeadersBody(headers=tuple(self.headers)))

    def stand(self, reason: str, **more: Any) -> None:
        at = {
            "superstep": CHECKPOINTS - 1,
            "run_id": "r1",
            "checkpoint_id": f"c{CHECKPOINTS}",
        }
        self.notice(
            "stopped",
            StoppedBody(
                reason=reason, status=more.pop("status", "IDLE"), **{**at, **more}
            ),
        )


def _about_the_past(command: str, arguments: dict[str, Any]) -> Any:
    match command:
        case "log":
            return EventsBody(events=tuple(map(_line, arguments["checkpoints"])))
        case "counts":
            return CountsBody(counts=tuple(map(_counts, arguments["checkpoints"])))
        case "find":
            return FindBody(id=arguments["id"], kind="write")
        case "reverse":
            return ReverseBody(hit=_hit(1), breakpoint="b")
        case "verify":
            return VerifyBody(id=arguments["id"], of=2, kept="sqlite:kept.db")
    return None


def _hit(number: int) -> PastHit:
    return PastHit(
        checkpoint_id=f"c{number}",
        run_id="r1",
        branch="main",
        superstep=number - 1,
        sequence=number,
        kind="write",
        executor="rank",
        key="reach",
        text="rank wrote reach: 41 → 38",
    )


def _counts(checkpoint_id: str) -> CheckpointCounts:
    return CheckpointCounts(checkpoint_id=checkpoint_id, dropped=2, lost=1)


def _line(checkpoint_id: str) -> EventItem:
    return EventItem(
        number=1,
        time=0.0,
        kind="write",
        superstep=int(checkpoint_id.removeprefix("c")) - 1,
        text="rank wrote reach: 41 → 38",
        checkpoint_id=checkpoint_id,
        executor="rank",
    )


CHANGES = tuple(
    ChangeItem.model_validate(change)
    for change in (
        {
            "section": "state",
            "path": "['reach']",
            "kind": "changed",
            "old": {"type": "int", "text": "41"},
            "new": {"type": "int", "text": "38"},
            "executor": "classify",
        },
        {"section": "state", "path": "['verdict']", "kind": "removed"},
        {"section": "messages", "path": "from scan", "kind": "added"},
        {
            "section": "joins",
            "path": "route ← age",
            "kind": "moved",
            "before": "from age",
            "after": "route ← age",
        },
    )
)
PARTED = DivergenceBody(
    base="c1",
    checkpoint_id=f"c{CHECKPOINTS}",
    equal=1,
    equal_base="c1",
    equal_other="c1",
    first_base="c2",
    first_other="c3",
    first_superstep=1,
    reason=DivergenceReason(
        kind="call", text="classify sent another message", executor="classify"
    ),
)


def _run_info(run_id: str, checkpoints: int, latest: Header) -> RunInfo:
    return RunInfo(
        run_id=run_id,
        workflow="licence_audit",
        checkpoints=checkpoints,
        branches=1,
        latest=latest,
    )
