"""The audit as Markdown. Nothing in it depends on the clock or on chance: the same findings give the same text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Never

from ages import AgeReport
from dependencies import Ranking
from licences import LicenceReport

from runtime import WorkflowContext


async def write(
    message: list[Any] | dict[str, Any], ctx: WorkflowContext[Never, str]
) -> None:
    """Take the three findings, with a person's answer about them if one was asked, and yield the report."""
    answer = message["answer"] if isinstance(message, dict) else None
    licences, ranking, ages = (
        message["message"] if isinstance(message, dict) else message
    )
    await ctx.yield_output("\n".join(_lines(licences, ranking, ages, answer)) + "\n")


def _lines(
    licences: LicenceReport,
    ranking: Ranking,
    ages: AgeReport,
    answer: dict[str, str] | None,
) -> Iterator[str]:
    yield from (
        "# Licence audit",
        "",
        f"{licences.packages} packages.",
        "",
        "| Family | Packages |",
        "|---|--:|",
    )
    yield from (
        f"| {family} | {number} |" for family, number in licences.families.items()
    )
    yield from ("", "## At issue", "")
    yield from _at_issue(licences, ranking)
    yield from ("", "## Decision", "", _decision(answer), "", "## Farthest reach", "")
    far = list(ranking.reach.items())[:10]
    yield from (
        f"{place}. {name}: {reach} packages need it"
        for place, (name, reach) in enumerate(far, start=1)
    )
    yield from ("", "## Age", "", _age(ages))


def _at_issue(licences: LicenceReport, ranking: Ranking) -> Iterator[str]:
    names = sorted(
        [*licences.copyleft, *licences.unknown],
        key=lambda name: (-ranking.reach.get(name, 0), name),
    )
    says = {one.partition(" ")[0]: one.partition(" ")[2] for one in licences.at_issue}
    yield from (
        f"- {name} {says[name]}, needed by {ranking.reach.get(name, 0)}"
        for name in names
    )
    if not names:
        yield "Nothing: every licence is known and permissive."


def _decision(answer: dict[str, str] | None) -> str:
    if answer is None:
        return "None was needed."
    reason = answer.get("reason", "").strip()
    return f"**{answer['verdict']}**" + (f": {reason}" if reason else "")


def _age(ages: AgeReport) -> str:
    if not ages.dated:
        return f"None of {ages.undated} packages is dated."
    undated = f" {ages.undated} are undated." if ages.undated else ""
    others = ages.as_old - len(ages.oldest)
    first = ", ".join(ages.oldest) + (f" and {others} more" if others else "")
    return f"Installed from {ages.first} to {ages.last}; first came {first}.{undated}"
