"""What the next superstep of an edited copy would do, in words: who runs, which joins
fire or starve, what is dropped, what is asked, and what happens outside.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from designer.session.staged_patch import StagedPatch
from runtime.debug.protocol import (
    PatchChange,
    PatchPlanBody,
    UpcomingCall,
)
from runtime.values.words import counted

# The name of an executor, by its id and the keys that lead to its run.
Title = Callable[[str, tuple[str, ...]], str]
MANY = 6  # names in one line


class Line(NamedTuple):
    """One line: a mark in a colour role, what it is about, and the words."""

    mark: str
    role: str
    about: str
    text: str


def lines_of(staged: StagedPatch, title: Title) -> list[Line]:
    """Return what the next superstep would do."""
    plan = staged.plan
    if plan is None:
        text = staged.failure
        if not text:
            return [Line("clock", "text3", "", "Being worked out…")]
        return [Line("error", "bad", "", text)]
    return [
        *_runs(plan, title),
        *_joins(plan, title),
        *_dropped(plan, staged.draft.changes, title),
        *_order(staged.draft.changes),
        _requests(plan),
        *_outside(plan, title),
        *_faults(staged),
    ]


def _runs(plan: PatchPlanBody, title: Title) -> Iterator[Line]:
    if plan.error:
        yield Line("error", "bad", "Runs", f"Not known: {plan.error}")
    elif plan.upcoming:
        yield Line("next", "accent", "Runs", _names(plan.upcoming, title))
    else:
        yield Line("minus", "text2", "Runs", "nobody")


def _names(calls: Iterable[UpcomingCall], title: Title) -> str:
    """Return who runs, in order, each once."""
    counts: Counter[str] = Counter()
    for call in calls:
        counts[title(call.executor, call.path)] += call.calls
    names = [
        name if count == 1 else f"{name} {count} times"
        for name, count in counts.items()
    ]
    return _listed(names)


def _listed(names: list[str]) -> str:
    if len(names) > MANY:
        names = [*names[:MANY], f"{len(names) - MANY:,} more"]
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _joins(plan: PatchPlanBody, title: Title) -> Iterator[Line]:
    for join in plan.fires:
        count = sum(number for _, number in join.counts)
        parts = [
            f"{number} from {title(source, join.path)}"
            for source, number in join.counts
        ]
        text = f"into {title(join.target, join.path)} with {counted(count, 'message')}"
        yield Line("tick", "ok", "Join fires", f"{text}: {_listed(parts)}")
    for starved in plan.starves:
        names = _listed([title(source, starved.path) for source in starved.missing])
        text = f"into {title(starved.target, starved.path)}"
        if names:
            text += f" without {names}"
        reason = starved.reason
        if len(starved.missing) == 1:
            reason = reason.removeprefix(f"'{starved.missing[0]}': ")
        if reason:
            text += f": {_titled(reason, title, starved.path)}"
        yield Line("waiting", "warn", "Join waits", text)


def _titled(reason: str, title: Title, path: tuple[str, ...]) -> str:
    """Return a reason with the titles of the nodes that it names by their ids."""

    def named(quoted: re.Match[str]) -> str:
        id_ = quoted[1]
        name = title(id_, path)
        return quoted[0] if name == id_ else name

    return re.sub(r"'([^']+)'", named, reason)


def _dropped(
    plan: PatchPlanBody, changes: Iterable[PatchChange], title: Title
) -> Iterator[Line]:
    by_you = sum(change.do == "drop" for change in changes)
    if by_you:
        text = f"{counted(by_you, 'message')}, by you"
        yield Line("failed", "bad", "Dropped", text)
    for message in plan.dropped:
        text = f"a message from {title(message.source, ())}"
        if message.target:
            text += f" to {title(message.target, ())}"
        if message.reason:
            text += f": {_titled(message.reason, title, ())}"
        yield Line("failed", "bad", "Dropped", text)


def _order(changes: Iterable[PatchChange]) -> Iterator[Line]:
    moved = sum(change.do == "move" for change in changes)
    if moved:
        text = f"{counted(moved, 'message')} delivered in another place"
        yield Line("queued", "accent", "Order", text)


def _requests(plan: PatchPlanBody) -> Line:
    text = "none left open"
    if plan.requests_left:
        text = f"{counted(plan.requests_left, 'question')} left open"
    return Line("ask", "ask", "Requests", text)


def _outside(plan: PatchPlanBody, title: Title) -> Iterator[Line]:
    at_once = {(call.executor, call.path) for call in plan.upcoming}
    for call in plan.outside:
        what = call.what or "a call outside"
        text = f"{what} by {title(call.executor, call.path)}"
        if call.calls > 1:
            text += f", {call.calls} times"
        text += f", {call.mode}"
        is_at_once = (call.executor, call.path) in at_once
        about = "Outside" if is_at_once else "Later"
        yield Line("globe", "warn" if is_at_once else "text2", about, text)


def _faults(staged: StagedPatch) -> Iterator[Line]:
    wrong = [change for change in staged.problems if change]
    if wrong:
        words = counted(len(wrong), "change")
        are = "is" if len(wrong) == 1 else "are"
        text = f"{words} {are} not in this preview until {_it(wrong)} valid."
        yield Line("error", "bad", "", text)
    for text in staged.problems.get("", ()):
        yield Line("error", "bad", "", text)
    for text in staged.warnings.get("", ()):
        yield Line("warning", "warn", "", text)


def _it(things: list[str]) -> str:
    return "it is" if len(things) == 1 else "they are"
