"""The state of a run in words: for the banner, the status bar and the recent workflows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from designer.canvas.drawing.overlay import people
from designer.document.checks import Checks
from designer.document.document import Document
from designer.model.breakpoint_words import count_on
from designer.panels.base import title_in
from designer.session.session import DebugSession
from designer.shell.runs.stop_words import status_place
from designer.shell.status_bar import Words
from runtime.debug.protocol import Drop, RunInfo, StoppedBody
from runtime.values.words import counted

_STORES = {
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
    "entry": "paused before superstep 1",
    "step": "paused after superstep {superstep}",
    "pause": "paused after superstep {superstep}",
    "restored": "restored at superstep {superstep}, on {branch}",
    "finished": "finished after superstep {superstep}",
    "waiting": "waits for an answer",
    "stalled": "finished, but a join still waits",
    "failed": "failed in superstep {next}",
    "limit": "superstep limit reached",
    "cancelled": "stopped after superstep {superstep}",
    "breakpoint": "stopped at a breakpoint after superstep {superstep}",
    "delivery": "paused after superstep {superstep}",
    "here": "stopped here, after superstep {superstep}",
    "held": "only held executors are left, after superstep {superstep}",
    "code": "stopped by breakpoint_here",
    "outside": "stopped before a call that reaches outside",
}
LIVE_RUN = "the live run"


@dataclass(frozen=True)
class Trouble:
    """A message that the user should see and act on. `verb` leads to the panel that
    shows more.
    """

    tone: str
    icon: str
    title: str
    text: str
    verb: str = ""
    panel: str = ""
    icon_role: str = ""  # the colour of the icon, by default that of the tone


def _fill(words: str, stopped: StoppedBody) -> str:
    return words.format(
        superstep=stopped.superstep, next=stopped.superstep + 1, branch=stopped.branch
    )


def _joined(*parts: str) -> str:
    """Join the parts that are not empty."""
    return " · ".join(part for part in parts if part)


# --- runs and their outcomes ---


def outcome(session: DebugSession) -> str:
    """Return how the last run ended, for the recent workflows; "" as long as it has
    not.
    """
    stopped = session.stopped
    if stopped is None:
        return ""
    if stopped.reason == "waiting":
        questions = session.head.requests if session.head is not None else 1
        return f"{counted(questions, 'question')} open"
    return _fill(_OUTCOMES.get(stopped.reason, ""), stopped)


def outcome_of(session: DebugSession, run: RunInfo) -> str:
    """Return the state of a run in the store: of the live one as the host reports it,
    of others from their newest checkpoint.
    """
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
    """Return where the live run stands, and why."""
    stopped = session.stopped
    if stopped is None:
        return "not started"
    if stopped.delivery is not None:
        return f"paused in superstep {stopped.superstep + 1}"
    return _fill(_STANDING.get(stopped.reason, stopped.reason), stopped)


# --- what the run needs of the user ---


def trouble(session: DebugSession) -> Trouble | None:
    """Return what the live run needs of the user; None if nothing."""
    stopped = session.stopped
    if stopped is None or session.running or session.mode != "live":
        return None
    if _only_an_answer_helps(session, stopped):
        return _question(session)
    match stopped.reason:
        case "waiting":
            return _question(session)
        case "failed":
            title = f"Failed in superstep {stopped.superstep + 1}"
            text = _error(session, stopped)
            return Trouble("bad", "error", title, text, "Traceback", "Console")
        case "stalled":
            return _stalled(session)
        case "limit":
            return Trouble("warn", "warn", "Superstep limit reached", stopped.text)
        case "finished":
            return _lost(session)
    return None


def _only_an_answer_helps(session: DebugSession, stopped: StoppedBody) -> bool:
    """Whether the run was restored where it asks, and has nothing else to do."""
    if stopped.reason != "restored" or session.head is None or session.moment is None:
        return False
    return session.head.queued == 0 and len(session.moment.requests) > 0


def _question(session: DebugSession) -> Trouble:
    count = len(session.moment.requests) if session.moment is not None else 0
    text = f"{counted(count, 'question')} open" if count > 1 else ""
    title = "The run waits for an answer"
    return Trouble("ask", "ask", title, text, "Answer", "Requests")


def _stalled(session: DebugSession) -> Trouble:
    """Which join is stalled, which sources it waits for, and why they will send
    nothing.
    """
    title = "A join is stalled"
    text = "It holds messages, and no node is left to run that could complete it."
    moment = session.moment
    joins = moment.joins if moment is not None else ()
    join = next((join for join in joins if join.stalled), None)
    if join is not None:
        missing = [source for source in join.sources if source.id in join.missing]
        names = [title_in(moment, source.id) or source.id for source in missing]
        target = title_in(moment, join.target) or join.target
        title = f"The join into {target} waits for {people(names)}"
        # Without repetition, because several sources may have the same reason.
        reasons = dict.fromkeys(source.reason for source in missing if source.reason)
        text = "; ".join(reasons)
    return Trouble("warn", "warn", title, text, "Show the join", "Joins")


def _lost(session: DebugSession) -> Trouble | None:
    """Return a warning if the run finished because no node takes its last messages."""
    edges = session.moment.edges.values() if session.moment is not None else ()
    drops = [drop for edge in edges for drop in edge.dropped if _is_unwanted(drop)]
    if not drops:
        return None
    first = drops[0]
    title = f"{counted(len(drops), 'message')} went nowhere"
    text = f"{first.target} takes no message of the type that {first.source} sent"
    return Trouble("warn", "warn", title, text, "Show", "Log")


def _is_unwanted(drop: Drop) -> bool:
    """Whether messages were lost that no condition was meant to stop. `lost` is None in
    records of older versions.
    """
    return drop.reason == TYPE_MISMATCH and bool(drop.lost)


def _error(session: DebugSession, stopped: StoppedBody) -> str:
    """Return what failed, and what had failed before."""
    text = _raised(session, stopped)
    if stopped.before:
        text += f"\nIt came after a failure: {stopped.before}"
    return text


def _raised(session: DebugSession, stopped: StoppedBody) -> str:
    """Return the name of the node that failed, the text of the error, and its type.
    Errors of our own nodes need no type, because their text says what is wrong.
    """
    name = title_in(session.moment, stopped.executor) or stopped.executor
    node = f"{name}: " if name else ""
    match stopped.error_type:
        case "NodeError":
            return node + stopped.text.removeprefix(f"Node '{stopped.executor}': ")
        case "ConditionError":
            return node + stopped.text
        case error_type if not stopped.text:
            return f"{node}{error_type}, without any words"
        case "KeyError":
            return f"{node}there is no {stopped.text} (KeyError)"
        case error_type:
            return f"{node}{stopped.text} ({error_type})"


# --- the status bar ---


def status(session: DebugSession, document: Document, checks: Checks) -> Words:
    """Return the texts of the status bar for a document."""
    if session.mode == "edit":
        words = _editing(session, document, checks)
    elif session.staged.is_on:
        words = _editing_copy(session)
    elif session.base:
        words = _comparing(session)
    elif session.mode == "past":
        words = _past(session)
    elif session.running:
        words = _running(session)
    else:
        words = _standing_live(session)
    on = breakpoints_on(document)
    return replace(words, there=_joined(on, words.there), waits=session.waits_long)


def breakpoints_on(document: Document) -> str:
    """Return how many breakpoints are on, if not all; "" without any."""
    notes = document.breakpoints.notes
    return count_on(notes.breakpoints, muted=notes.muted)


def _editing(session: DebugSession, document: Document, checks: Checks) -> Words:
    workflow = document.design.workflow
    nodes = counted(len(workflow.nodes), "node")
    edges = counted(len(workflow.edges), "edge group")
    problems = [
        counted(checks.count(kind), kind)
        for kind in ("error", "warning")
        if checks.count(kind)
    ]
    if session.starting:
        state = "starting the run…"
    elif problems:
        state = ", ".join(problems)
    elif session.stopped is not None and session.stopped.reason == "failed":
        # Beside a failed run, because "no problems" would seem to deny the failure.
        state = "no problems in the drawing"
    else:
        state = "no problems"
    selected = f"{len(document.selection):,} selected" if document.selection else ""
    right = _joined(selected, _saved(document), _stored(session))
    return Words("edit", "Editing", f"{nodes}, {edges} · {state}", right)


def _comparing(session: DebugSession) -> Words:
    title = comparing(session)
    return Words("comparing", title, differences(session), _stored(session))


def editing_copy(session: DebugSession) -> str:
    """Return of what a copy is edited, and how far."""
    staged = session.staged
    timeline = session.timeline
    text = f"a copy of checkpoint {timeline.name(staged.checkpoint)}"
    header = timeline.header(staged.checkpoint)
    if header is not None:
        text += f", superstep {header.superstep}"
    if staged.count:
        text += f" · {counted(staged.count, 'change')}"
    return f"{text} · the past stays as it is"


def _editing_copy(session: DebugSession) -> Words:
    staged = session.staged
    past = _past(session)
    name = session.timeline.name(staged.checkpoint)
    changes = counted(staged.count, "change")
    wrong = counted(staged.wrong, "error") if staged.wrong else ""
    where = _joined(past.where, ", ".join(filter(None, (changes, wrong))))
    return Words("copy", f"Editing a copy of checkpoint {name}", where, past.there)


def _past(session: DebugSession) -> Words:
    timeline = session.timeline
    title = f"Viewing the past, checkpoint {timeline.name(session.viewing)}"
    header = timeline.header(session.viewing)
    place = ""
    if header is not None:
        place = f"branch {header.branch} · superstep {header.superstep}"
    live = ""
    if session.has_live and session.running:
        live = "live: running"
    elif session.has_live and session.has_ended:
        live = f"run: {standing(session)}"
    elif session.has_live:
        live = f"live: {standing(session)}"
    return Words("past", title, place, _joined(live, _stored(session)))


def _running(session: DebugSession) -> Words:
    progress = session.progress
    superstep = 1
    if progress is not None:
        superstep = progress.superstep
    elif session.head is not None:
        superstep = session.head.superstep + 1
    handlers = ""
    rate = ""
    if progress is not None and progress.running:
        handlers = f"{counted(len(progress.running), 'handler')} running"
    if progress is not None and progress.rate >= 1:
        rate = f"{progress.rate:,.0f} supersteps/s"
    details = _joined(_branch(session), handlers, rate)
    return Words("live", f"Live, superstep {superstep:,}", details, _stored(session))


def _standing_live(session: DebugSession) -> Words:
    stopped = session.stopped
    branch = _branch(session)
    stored = _stored(session)
    if session.has_left:
        return Words("", "Not attached", _joined(standing(session), branch), stored)
    if session.has_ended:
        after = f"after superstep {stopped.superstep}" if stopped is not None else ""
        return Words("ended", outcome(session), _joined(after, branch), stored)
    if stopped is not None and stopped.reason == "failed":
        after = f"can continue after superstep {stopped.superstep}"
        return Words("failed", outcome(session), _joined(after, branch), stored)
    if stopped is not None and stopped.delivery is not None:
        title = f"Live, {standing(session)}"
        place = status_place(session, stopped)
        return Words("live", title, _joined(place, branch), stored)
    return Words("live", "Live, at rest", _joined(standing(session), branch), stored)


def _branch(session: DebugSession) -> str:
    return f"branch {session.head.branch}" if session.head is not None else ""


def _saved(document: Document) -> str:
    if document.path is None:
        return "not saved yet"
    if document.is_clean:
        return "saved"
    saved_step = max(document.undo_stack.cleanIndex(), 0)
    changes = abs(document.undo_stack.index() - saved_step)
    return f"{counted(max(changes, 1), 'change')} not saved"


def _stored(session: DebugSession) -> str:
    """Return how many checkpoints there are, and where."""
    rows = session.timeline.rowCount()
    if not rows:
        return "no run yet"
    store = _STORES.get(session.store_kind, session.store_kind)
    return f"{counted(rows, 'checkpoint')} · {store}"


# --- comparisons ---


def _compared(session: DebugSession) -> str | None:
    """Return the checkpoint that is compared with the base."""
    if session.viewing:
        return session.viewing
    return session.head.id if session.head is not None else None


def comparing(session: DebugSession) -> str:
    """Return which two checkpoints are compared; of two runs, each with its run."""
    base = "" if session.base_name else session.timeline.name(session.base)
    shown = session.timeline.name(_compared(session))
    if session.base == _compared(session):
        return f"Comparing with {base or LIVE_RUN}: now choose another checkpoint"
    if base:
        return f"Comparing {base} with {shown or LIVE_RUN}"
    place = ", ".join(part for part in (session.timeline_run, shown) if part)
    return f"Comparing {session.base_name or 'another run'} with {place or LIVE_RUN}"


def differences(session: DebugSession) -> str:
    """Return how many differences there are; "" as long as they are those of another
    pair.
    """
    body = session.comparison
    compared = _compared(session)
    if body is None or session.base == compared:
        return ""
    if (body.base, body.checkpoint_id) != (session.base, compared):
        return ""
    return counted(body.count, "difference")


# --- times ---


def day(time: float, now: float) -> str:
    """Return a day as people say it, in local time: "Today, 14:30", "3 March 2026"."""
    moment = datetime.fromtimestamp(time).astimezone()
    present = datetime.fromtimestamp(now).astimezone()
    days_ago = (present.date() - moment.date()).days
    if days_ago == 0:
        return f"Today, {moment:%H:%M}"
    if days_ago == 1:
        return f"Yesterday, {moment:%H:%M}"
    return f"{moment.day} {moment:%B %Y}"
