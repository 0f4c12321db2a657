"""What going on from the past would do outside, in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from designer.session.results import Results, name_of
from designer.session.session import DebugSession
from runtime.debug.protocol import OutsideCall, RestorePlanBody
from runtime.values.words import counted


@dataclass(frozen=True)
class OutsideRow:
    """An executor that reaches outside, and what becomes of its calls.

    path     its name: "review/judge"
    lines    what it does, a line for each kind of call
    reasons  why recorded results do not fit
    unasked  whether a call would run live that the user has not chosen
    """

    path: str
    lines: tuple[str, ...]
    reasons: tuple[str, ...] = ()
    unasked: bool = False


def in_the_past(session: DebugSession) -> str:
    """Return what the banner of the past says; "" where nothing reaches outside, and as
    long as it is not known: with a changed graph not before the user goes on, because
    the host has the one of before.
    """
    plan = session.results.plan
    if plan is None or not plan.calls or session.difference.changes:
        return ""
    return f"outside: {plan.words.rstrip('.') or _counts(plan.calls)}"


def pins_in_new_run(session: DebugSession) -> str:
    """Return what is added to the words for a new run, if it uses pinned results."""
    pinned = session.results.settings.pinned
    if not session.results.in_new_runs or not pinned:
        return ""
    return f", with {counted(len(pinned), 'pinned result')}"


def _counts(calls: Iterable[OutsideCall]) -> str:
    counts: dict[str, int] = {}
    for call in calls:
        counts[call.mode] = counts.get(call.mode, 0) + call.calls
    return ", ".join(f"{count:,} {mode}" for mode, count in counts.items())


def rows(plan: RestorePlanBody, results: Results) -> list[OutsideRow]:
    """Return the executors of a plan, those first that would run live unasked."""
    groups: dict[str, list[OutsideCall]] = {}
    for call in plan.calls:
        groups.setdefault(name_of(call), []).append(call)
    unasked = {name_of(call) for call in results.unasked(plan)}
    found = []
    for path, calls in groups.items():
        reasons = dict.fromkeys(call.reason for call in calls if call.reason)
        lines = tuple(map(_line, calls))
        found.append(OutsideRow(path, lines, tuple(reasons), path in unasked))
    return sorted(found, key=lambda row: not row.unasked)


def _line(call: OutsideCall) -> str:
    count = counted(call.calls, "call")
    where = f"superstep {call.superstep:,}" if call.superstep else ""
    return " · ".join(filter(None, (call.mode, call.what, count, where)))
