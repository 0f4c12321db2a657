"""Explorations of supersteps, as text and as JSON."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self

from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from runtime.cli import report
from runtime.cli.json_values import change_json, header_json
from runtime.debug.explore.log import Lane
from runtime.debug.explore.report import Exploration, Finding, Group
from runtime.debug.explore.trial import CallName
from runtime.debug.explore.words import call_words, order_words

_TICK = 3  # characters
_MOST_GROUPS = 5


class ShownProgress:
    """A line of progress on standard error, if that is a terminal."""

    def __init__(self, line: Callable[[], str]) -> None:
        self._line = line
        self._spinner = Spinner("dots", style="cyan")
        self._live: contextlib.AbstractContextManager[object] = contextlib.nullcontext()
        if report.err.is_terminal:
            self._live = Live(
                console=report.err,
                get_renderable=self._display,
                refresh_per_second=10,
                transient=True,
            )

    def __enter__(self) -> Self:
        self._live.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.__exit__(kind, error, trace)

    def _display(self) -> Spinner:
        self._spinner.update(text=Text(self._line(), overflow="ellipsis", no_wrap=True))
        return self._spinner


# --- text ---------------------------------------------------------------------------------------------------------


def print_exploration(exploration: Exploration) -> None:
    """Print what was found about one superstep."""
    header = exploration.header
    place = f"superstep {exploration.superstep} after {header.id[:8]} ({header.branch})"
    if exploration.refused:
        report.out.print(Text.assemble((place, "bold"), ": not explored"))
        report.out.print(Text(f"  {exploration.refused}", style="yellow"))
        return
    report.out.print(Text.assemble((place, "bold"), f": {_sum_words(exploration)}"))
    groups = exploration.groups
    if len(groups) > 1:
        for number, group in enumerate(groups[:_MOST_GROUPS], start=1):
            _print_group(exploration, number, group)
        if len(groups) > _MOST_GROUPS:
            left = report.many(len(groups) - _MOST_GROUPS, "more outcome")
            report.out.print(Text(f"  … and {left}"))
    for finding in exploration.findings:
        if finding.kind != "orders":
            _print_finding(finding)
    for note in exploration.notes:
        report.out.print(Text(f"  {note}", style="dim"))


def _sum_words(exploration: Exploration) -> str:
    tries = "1 try" if exploration.tries == 1 else f"{exploration.tries} tries"
    outcomes = report.many(len(exploration.groups), "outcome")
    if any(finding.kind == "not repeatable" for finding in exploration.findings):
        outcomes = "not repeatable"
    every = ", every order" if exploration.is_complete else ""
    calls = report.many(len(exploration.calls), "call")
    return f"{outcomes} · {calls}, {tries}{every}"


def _print_group(exploration: Exploration, number: int, group: Group) -> None:
    when = order_words(
        group.witness.order, lambda call: call_words(exploration.name(call))
    )
    facts = [f"{group.tries}×", when]
    if group.recorded_in:
        facts.append("as recorded")
    report.out.print(Text(f"  outcome {number}  {' · '.join(facts)}", style="yellow"))
    names = [call_words(exploration.name(lane.call)) for lane in group.witness.lanes]
    width = max(map(len, names), default=0)
    for name, lane in zip(names, group.witness.lanes, strict=True):
        report.out.print(Text(f"    {name:<{width}}  {lane_text(lane)}"))
    if group.outcome.error:
        report.out.print(Text(f"    fails: {group.outcome.error}", style="red"))
    report.print_change_list(list(map(change_json, group.changes)), "    ")


def lane_text(lane: Lane) -> str:
    """Return when a call was at work, as blocks in a row."""
    text = ""
    for start, end in lane.work:
        text = text.ljust(start * _TICK) + "█" * ((end - start) * _TICK - 1)
    return text


def _print_finding(finding: Finding) -> None:
    report.out.print(Text.assemble(("  ! ", "bold red"), finding.text))
    report.print_change_list(list(map(change_json, finding.changes)), "    ")


def print_sum(explorations: Sequence[Exploration]) -> None:
    """Print the last line."""
    explored = [each for each in explorations if not each.refused]
    several = sum(len(each.groups) > 1 for each in explored)
    others = sum(
        finding.kind != "orders" for each in explored for finding in each.findings
    )
    left_out = len(explorations) - len(explored)
    facts = [f"{report.many(len(explored), 'superstep')} explored"]
    if several:
        facts.append(f"{several} with several outcomes")
    if others:
        facts.append(report.many(others, "other finding"))
    if left_out:
        facts.append(f"{left_out} left out")
    words = ", ".join(facts)
    if several or others or not explored:
        report.out.print(Text(words, style="yellow"))
    else:
        report.print_fine(f"{words}: each has one outcome")


# --- JSON ---------------------------------------------------------------------------------------------------------


def exploration_json(exploration: Exploration) -> dict[str, Any]:
    """Return an exploration as plain values. Calls are named by their place in `calls`."""
    return {
        "checkpoint": header_json(exploration.header),
        "superstep": exploration.superstep,
        "refused": exploration.refused or None,
        "calls": list(map(_call_json, exploration.calls)),
        "tries": exploration.tries,
        "disturbed": exploration.disturbed,
        "complete": exploration.is_complete,
        "outcomes": [_group_json(exploration, group) for group in exploration.groups],
        "findings": [
            _finding_json(exploration, finding) for finding in exploration.findings
        ],
        "notes": exploration.notes,
    }


def _call_json(call: CallName) -> dict[str, Any]:
    return {
        "path": list(call.path),
        "executor": call.executor,
        "handler": call.handler,
        "delivery": call.number,
        "of": call.of,
    }


def _group_json(exploration: Exploration, group: Group) -> dict[str, Any]:
    return {
        "digest": None if group.outcome.error else group.outcome.digest,
        "error": group.outcome.error or None,
        "tries": group.tries,
        "recorded": group.recorded_in or None,
        "when": order_words(
            group.witness.order, lambda call: call_words(exploration.name(call))
        ),
        "order": [
            {"call": exploration.place(turn.call), "awaits": turn.awaits}
            for turn in group.witness.order
        ],
        "lanes": [
            {
                "call": exploration.place(lane.call),
                "work": [list(span) for span in lane.work],
                "end": lane.end,
            }
            for lane in group.witness.lanes
        ],
        "changes": list(map(change_json, group.changes)),
    }


def _finding_json(exploration: Exploration, finding: Finding) -> dict[str, Any]:
    call = None
    if finding.call is not None:
        call = list(exploration.calls).index(finding.call)
    return {
        "kind": finding.kind,
        "text": finding.text,
        "outcome": finding.group if finding.kind == "orders" else None,
        "call": call,
        "changes": list(map(change_json, finding.changes)),
    }
