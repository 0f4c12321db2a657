"""What the next superstep does, as lines and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from runtime.values.words import counted

if TYPE_CHECKING:
    from runtime.engine.forecast import Forecast


def forecast_json(forecast: Forecast) -> dict[str, Any]:
    from runtime.engine.forecast import waits_for

    return {
        "runs": [
            {"executor": call.name, "calls": call.calls, "sources": list(call.sources)}
            for call in forecast.delivered
        ],
        "fires": [
            {
                "join": _named(firing.path, firing.edge_id),
                "target": firing.target_id,
                "counts": dict(firing.counts),
            }
            for firing in forecast.fires
        ],
        "waits": [
            {
                "join": _named(join.path, join.group.id),
                "target": join.group.target_id,
                "counts": dict(join.held),
                "missing": [source for source, _ in join.missing],
                "reason": waits_for(join),
            }
            for join in forecast.starves
        ],
        "lost": [
            {
                "source": _named(lost.path, lost.source),
                "target": lost.target,
                "reason": lost.reason,
                "count": lost.count,
            }
            for lost in forecast.lost
        ],
        "outside": [
            {
                "executor": _named(reached.path, reached.executor_id),
                "calls": reached.calls,
                "what": reached.what,
            }
            for reached in forecast.reached
        ],
        "questions": forecast.requests_left,
        "error": forecast.error,
    }


def next_lines(forecast: Forecast) -> list[str]:
    """Return what happens next, in words."""
    from runtime.engine.forecast import waits_for

    if forecast.error:
        return [f"cannot be known: {forecast.error}"]
    lines = []
    for call in forecast.delivered:
        times = "" if call.calls == 1 else f", {call.calls} times"
        lines.append(f"{call.name} runs{times}, with {_given(call.sources)}")
    for firing in forecast.fires:
        counts = ", ".join(f"{count} of {source}" for source, count in firing.counts)
        target = _named(firing.path, firing.target_id)
        lines.append(f"the join before {target} fires: {counts}")
    for join in forecast.starves:
        target = _named(join.path, join.group.target_id)
        lines.append(f"the join before {target} waits for {waits_for(join)}")
    for lost in forecast.lost:
        way = f"to {lost.target}" if lost.target else "to nobody"
        source = _named(lost.path, lost.source)
        if lost.count == 1:
            what = "a message"
        else:
            what = f"{lost.count} messages"
        verb = "is" if lost.count == 1 else "are"
        lines.append(f"{what} from {source} {way} {verb} dropped: {lost.reason}")
    for reached in forecast.reached:
        name = _named(reached.path, reached.executor_id)
        lines.append(f"{name} reaches outside: {reached.what}")
    if forecast.requests_left:
        lines.append(f"{counted(forecast.requests_left, 'question')} stay open")
    return lines or ["nobody runs: the run rests"]


def _given(sources: Sequence[str]) -> str:
    """Return what a call gets, by its sources: messages, the input, and answers."""
    from runtime.debug.supersteps.next_superstep import INTERNAL

    outside = {source for source in sources if source.startswith(INTERNAL)}
    names = [source for source in sources if source not in outside]
    words = []
    if names:
        words.append(f"messages of {', '.join(names)}")
    if outside:
        words.append("a message from outside: an input or an answer")
    return ", and ".join(words)


def print_list(title: str, lines: Sequence[str]) -> None:
    """Print lines under a title, or nothing if there are none."""
    from rich.text import Text

    from runtime.cli import report

    if not lines:
        return
    report.out.print(Text(f"\n{title}", style="bold"))
    for line in lines:
        report.out.print(Text(f"  {line}"))


def _named(path: Sequence[str], name: str) -> str:
    return "/".join((*path, name))
