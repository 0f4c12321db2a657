"""How the run stands, in words for people: for the banner, the status bar and the list of recent workflows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from designer.canvas.drawing.overlay import people
from designer.document.checks import Checks
from designer.document.document import Document
from designer.panels.base import title_in
from designer.session.session import DebugSession
from designer.shell.status_bar import Words
from runtime.debug.protocol import Drop, RunInfo, StoppedBody
from runtime.values.words import counted

_PLACES = {
    "sqlite": "SQLite",
    "dir": "folder",
    "postgresql": "PostgreSQL",
    "postgres": "PostgreSQL",
}
TYPE_MISMATCH = "type mismatch"  # the engine's word for it, in `EdgeMoment.dropped`
_OUTCOMES = {
    "finished": "Finished",
    "stalled": "Finished, a join is stalled",
    "failed": "Failed in superstep {next}",
    "limit": "Stopped by the superstep limit",
    "cancelled": "Stopped in superstep {next}",
}
_STANDING = {
    "entry": "stands before superstep 1",
    "step": "stands after superstep {superstep}",
    "pause": "paused after superstep {superstep}",
    "restored": "restored at superstep {superstep}, on {branch}",
    "finished": "finished after superstep {superstep}",
    "waiting": "waits for an answer",
    "stalled": "at rest, but a join waits for ever",
    "failed": "failed in superstep {next}",
    "limit": "superstep limit reached",
    "cancelled": "stopped after superstep {superstep}",
}


@dataclass(frozen=True)
class Trouble:
    """Something that a person should see and act on. `panel` is where more of it stands."""

    tone: str
    icon: str
    title: str
    text: str
    verb: str = ""
    panel: str = ""


def _fill(words: str, stopped: StoppedBody) -> str:
    return words.format(
        superstep=stopped.superstep, next=stopped.superstep + 1, branch=stopped.branch
    )


def outcome(session: DebugSession) -> str:
    """How the last run ended, as the list of recent workflows says it; "" while there is nothing to say."""
    stopped = session.stopped
    if stopped is None:
        return ""
    if stopped.reason == "waiting":
        return f"{counted(session.head.requests if session.head is not None else 1, 'question')} open"
    return _fill(_OUTCOMES.get(stopped.reason, ""), stopped)


def outcome_of(session: DebugSession, run: RunInfo) -> str:
    """How a run of the store stands: the live one as the host told, others as their newest checkpoint says."""
    if run.run_id == session.run_id:
        if session.running:
            return "Running"
        return outcome(session) or standing(session).capitalize()
    superstep = run.latest.superstep
    match run.latest.status:
        case "IDLE":
            return f"Finished after superstep {superstep}"
        case "IDLE_WITH_PENDING_REQUESTS":
            return f"{counted(run.latest.requests, 'question')} open"
        case "IDLE_WITH_STALLED_JOINS":
            return "Finished, a join is stalled"
        case _:
            return f"Not finished, superstep {superstep}"


def standing(session: DebugSession) -> str:
    """Where the live run stands, and why."""
    stopped = session.stopped
    if stopped is not None:
        return _fill(_STANDING.get(stopped.reason, stopped.reason), stopped)
    return "not started"


def trouble(session: DebugSession) -> Trouble | None:
    """What the live run needs of a person; None if nothing."""
    stopped = session.stopped
    if stopped is None or session.running or session.mode != "live":
        return None
    match "waiting" if _only_an_answer_helps(session, stopped) else stopped.reason:
        case "waiting":
            many = session.moment is not None and len(session.moment.requests) > 1
            if many and session.moment:
                text = f"{counted(len(session.moment.requests), 'question')} open"
            else:
                text = ""
            return Trouble(
                "ask", "ask", "The run waits for an answer", text, "Answer", "Requests"
            )
        case "failed":
            title = f"Failed in superstep {stopped.superstep + 1}"
            return Trouble(
                "bad", "error", title, _error(session, stopped), "Traceback", "Console"
            )
        case "stalled":
            return Trouble("warn", "warn", *_starved(session), "Show the join", "Joins")
        case "limit":
            return Trouble("warn", "warn", "Superstep limit reached", stopped.text)
        case "finished":
            return _lost(session)
    return None


def _starved(session: DebugSession) -> tuple[str, str]:
    """Which join waits, for whom, and why nothing will come from there."""
    moment = session.moment
    if moment is not None:
        join = next((join for join in moment.joins if join.stalled), None)
    else:
        join = None
    if moment is None or join is None:
        return (
            "A join waits for ever",
            "It holds messages, and nobody who could complete it is left to run.",
        )
    missing = [source for source in join.sources if source.id in join.missing]
    names = people([title_in(moment, source.id) or source.id for source in missing])
    reasons = "; ".join(
        dict.fromkeys(source.reason for source in missing if source.reason)
    )
    target = title_in(moment, join.target) or join.target
    return f"The join into {target} waits for {names}", reasons


def _lost(session: DebugSession) -> Trouble | None:
    """A run may finish because nobody took its last message, which is no result to be content with."""
    edges = session.moment.edges.values() if session.moment is not None else ()
    lost = [
        (drop.source, drop.target)
        for edge in edges
        for drop in edge.dropped
        if _is_unwanted(drop)
    ]
    if not lost:
        return None
    source, target = lost[0]
    text = f"{target} takes no message of the type that {source} sent"
    return Trouble(
        "warn",
        "warn",
        f"{counted(len(lost), 'message')} went nowhere",
        text,
        "Show",
        "Events",
    )


def _is_unwanted(drop: Drop) -> bool:
    """Whether messages were lost that no condition meant to stop. A record of before may not tell."""
    return drop.reason == TYPE_MISMATCH and bool(drop.lost)


def _error(session: DebugSession, stopped: StoppedBody) -> str:
    """What failed, and what had failed before."""
    said = _raised(session, stopped)
    if stopped.before:
        return f"{said}\nIt came after a failure: {stopped.before}"
    return said


def _raised(session: DebugSession, stopped: StoppedBody) -> str:
    """Who failed, by the name that people know, and what it says; the error's type comes after its words, and not for a
    node of ours, whose words name it.
    """
    name = title_in(session.moment, stopped.executor) or stopped.executor
    who = f"{name}: " if name else ""
    if stopped.error_type == "NodeError":
        return who + stopped.text.removeprefix(f"Node '{stopped.executor}': ")
    if stopped.error_type == "ConditionError":
        return who + stopped.text
    if not stopped.text:
        return f"{who}{stopped.error_type}, without any words"
    if stopped.error_type == "KeyError":
        said = f"there is no {stopped.text}"
    else:
        said = stopped.text
    return f"{who}{said} ({stopped.error_type})"


def _only_an_answer_helps(session: DebugSession, stopped: StoppedBody) -> bool:
    """Whether the run was put where it asks, and has nothing else to do."""
    if stopped.reason != "restored" or session.head is None or session.moment is None:
        return False
    return session.head.queued == 0 and len(session.moment.requests) > 0


def status(session: DebugSession, document: Document, checks: Checks) -> Words:
    """What the status bar says of a document."""
    return replace(_standing_words(session, document, checks), waits=session.waits_long)


def _standing_words(session: DebugSession, document: Document, checks: Checks) -> Words:
    if session.base and session.mode != "edit":
        return Words(
            "comparing", comparing(session), differences(session), _kept(session)
        )
    match session.mode:
        case "edit":
            return _editing(session, document, checks)
        case "past":
            return _past(session)
        case _:
            return _live(session)


def _editing(session: DebugSession, document: Document, checks: Checks) -> Words:
    workflow = document.design.workflow
    found = [
        counted(checks.count(kind), kind)
        for kind in ("error", "warning")
        if checks.count(kind)
    ]
    what = f"{counted(len(workflow.nodes), 'node')}, {counted(len(workflow.edges), 'edge group')}"
    picked = f"{len(document.selection):,} selected" if document.selection else ""
    there = " · ".join(
        part for part in (picked, _saved(document), _kept(session)) if part
    )
    # Beside a run that failed, the drawing alone is meant.
    has_failed = session.stopped is not None and session.stopped.reason == "failed"
    nothing = "no problems in the drawing" if has_failed else "no problems"
    now = "starting the run…" if session.starting else ", ".join(found) or nothing
    return Words("edit", "Editing", f"{what} · {now}", there)


def _compared(session: DebugSession) -> str | None:
    return session.viewing or (session.head.id if session.head is not None else None)


def comparing(session: DebugSession) -> str:
    """Which two checkpoints are compared; of two runs, each with its run."""
    base, now = (
        session.timeline.name(id_) for id_ in (session.base, _compared(session))
    )
    if session.base == _compared(session):
        return f"Comparing with {base or 'the run as it stands'}: now choose another checkpoint"
    if base:
        return f"Comparing {base} with {now or 'the run as it stands'}"
    there = ", ".join(part for part in (session.timeline_run, now) if part)
    return f"Comparing {session.base_name or 'another run'} with {there or 'the run as it stands'}"


def differences(session: DebugSession) -> str:
    """How many differences there are; "" as long as the answer is one to another pair."""
    body = session.comparison
    if session.base == _compared(session):
        return ""  # nothing is chosen yet
    if body is None or (body.base, body.checkpoint_id) != (
        session.base,
        _compared(session),
    ):
        return ""
    return counted(len(body.changes) + body.more, "difference")


def _past(session: DebugSession) -> Words:
    timeline = session.timeline
    header = session.timeline.header(session.viewing)
    if header is not None:
        where = f"branch {header.branch} · superstep {header.superstep}"
    else:
        where = ""
    live = ""
    if session.has_live:
        if session.running:
            live = "live: running"
        else:
            live = f"{'run' if session.has_ended else 'live'}: {standing(session)}"
    there = " · ".join(part for part in (live, _kept(session)) if part)
    return Words(
        "past",
        f"Viewing the past, checkpoint {timeline.name(session.viewing)}",
        where,
        there,
    )


def _live(session: DebugSession) -> Words:
    branch = f"branch {session.head.branch}" if session.head is not None else ""
    if session.has_ended:
        name = outcome(session)
        if session.stopped is not None:
            after = f"after superstep {session.stopped.superstep}"
        else:
            after = ""
        return Words("ended", name, f"{after} · {branch}".rstrip(" ·"), _kept(session))
    if (
        not session.running
        and session.stopped is not None
        and session.stopped.reason == "failed"
    ):
        at = f"stands after superstep {session.stopped.superstep}, and can go on from there"
        return Words(
            "failed", outcome(session), f"{at} · {branch}".rstrip(" ·"), _kept(session)
        )
    if not session.running:
        return Words(
            "live",
            "Live, at rest",
            f"{standing(session)} · {branch}".rstrip(" ·"),
            _kept(session),
        )
    progress = session.progress
    if progress is not None:
        superstep = progress.superstep
    elif session.head:
        superstep = session.head.superstep + 1
    else:
        superstep = 1
    if progress is not None and progress.running:
        at = f"{counted(len(progress.running), 'handler')} running"
    else:
        at = ""
    if progress is not None and progress.rate >= 1:
        rate = f"{progress.rate:,.0f} supersteps/s"
    else:
        rate = ""
    where = " · ".join(part for part in (branch, at, rate) if part)
    return Words("live", f"Live, superstep {superstep:,}", where, _kept(session))


def _saved(document: Document) -> str:
    if document.path is None:
        return "not saved yet"
    changes = abs(
        document.undo_stack.index() - max(document.undo_stack.cleanIndex(), 0)
    )
    if document.is_clean:
        return "saved"
    return f"{counted(max(changes, 1), 'change')} not saved"


def _kept(session: DebugSession) -> str:
    rows = session.timeline.rowCount()
    if not rows:
        return "no run yet"
    return f"{counted(rows, 'checkpoint')} · {_PLACES.get(session.store_kind, session.store_kind)}"


def day(when: float, now: float) -> str:
    """Today and yesterday with words, else the date; local time."""
    then = datetime.fromtimestamp(when).astimezone()
    today = datetime.fromtimestamp(now).astimezone()
    days = (today.date() - then.date()).days
    if days == 0:
        return f"Today, {then:%H:%M}"
    return f"Yesterday, {then:%H:%M}" if days == 1 else f"{then.day} {then:%B %Y}"
