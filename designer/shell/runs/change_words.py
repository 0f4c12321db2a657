"""A changed graph beside a recorded run, in words: for the banner and for the dialog."""

from __future__ import annotations

from collections.abc import Callable

from designer.session.session import DebugSession
from designer.shell.runs.words import Trouble
from runtime.debug.protocol import ChangePlanBody, GraphChange
from runtime.values.words import counted

MOST = 2  # changes that the banner names
Title = Callable[[str], str]


def offer(session: DebugSession) -> Trouble | None:
    """Return what the banner says while the changed document is edited; None without
    changes.
    """
    difference = session.difference
    if not difference.changes:
        return None
    timeline = session.timeline
    count = counted(len(difference.changes), "change")
    title = f"{count} since {timeline.name(difference.origin)}"
    text = named(difference.changes)
    before = timeline.name(difference.before)
    if difference.before != difference.origin and before:
        text += f" · it makes no difference until {before}"
    if not difference.complete:
        text += " · only the newest supersteps were looked at"
    return Trouble("accent", "pencil", title, text)


def in_the_past(session: DebugSession) -> str:
    """Return what the banner of the past adds where the graph has changed since."""
    changes = session.difference.changes
    if not changes:
        return ""
    return f"the graph has {counted(len(changes), 'change')} since: {named(changes)}"


def named(changes: tuple[GraphChange, ...]) -> str:
    """Return the first changes, and how many more there are."""
    text = "; ".join(change.text for change in changes[:MOST])
    if len(changes) > MOST:
        text += f"; and {len(changes) - MOST} more"
    return text


def sections(
    plan: ChangePlanBody, title: Title
) -> list[tuple[str, tuple[str, ...], str]]:
    """Return the parts of a plan: title, lines, and the tone of the lines. `title`
    returns what an executor is called.
    """
    parts = [
        ("Changed", tuple(change.text for change in plan.changes), ""),
        ("To decide", tuple(thing.text for thing in plan.problems), "bad"),
        ("Kept", plan.kept, ""),
        ("Dropped", tuple(thing.text for thing in plan.dropped), "warn"),
    ]
    if not plan.problems:
        parts.append(("Next superstep", next_superstep(plan, title), ""))
    return [part for part in parts if part[1]]


def next_superstep(plan: ChangePlanBody, title: Title) -> tuple[str, ...]:
    """Return who runs next, and which messages nothing takes."""

    def named_source(source: str) -> str:
        return "the input" if source.startswith("internal:") else title(source)

    if plan.error:
        return (f"It cannot be known: {plan.error}",)
    lines = []
    for call in plan.upcoming:
        times = f", {call.calls} times" if call.calls > 1 else ""
        # Inside of a sub-workflow the same id may be another executor.
        executor = call.executor if call.path else title(call.executor)
        name = "/".join((*call.path, executor))
        name_source = _source if call.path else named_source
        sources = ", ".join(name_source(source) for source in call.sources)
        line = f"{name} runs{times}"
        if sources:
            line += f", with messages of {sources}"
        lines.append(line)
    for lost in plan.lost:
        way = f"to {title(lost.target)}" if lost.target else "to nobody"
        source = named_source(lost.source)
        lines.append(f"A message of {source} {way} is dropped: {lost.reason}")
    return tuple(lines) or ("Nobody runs: the run rests.",)


def _source(source: str) -> str:
    return "the input" if source.startswith("internal:") else source


def summary(plan: ChangePlanBody) -> str:
    """Return the state of the plan in one line, beside the buttons."""
    if plan.problems:
        return f"{counted(len(plan.problems), 'thing')} to decide"
    if plan.dropped:
        return f"{counted(len(plan.dropped), 'thing')} dropped"
    if not plan.changes:
        return "The graph is that of this checkpoint."
    return "Everything that the run holds is kept."
