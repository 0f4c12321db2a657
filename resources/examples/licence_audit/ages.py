"""How long the packages have been here."""

from __future__ import annotations

from dataclasses import dataclass

from packages import Package


@dataclass(frozen=True)
class AgeReport:
    """Install dates as `YYYY-MM-DD`, empty where no package is dated. `oldest` names some packages of the first date,
    `as_old` counts all of them.
    """

    dated: int
    undated: int
    first: str
    last: str
    oldest: tuple[str, ...]
    as_old: int


def check(message: list[Package]) -> AgeReport:
    """First and last install date, and who came first."""
    dates = {one.name: one.installed for one in message if one.installed}
    first = min(dates.values(), default="")
    oldest = tuple(name for name, date in dates.items() if date == first)
    return AgeReport(
        dated=len(dates),
        undated=len(message) - len(dates),
        first=first,
        last=max(dates.values(), default=""),
        oldest=oldest[:5],
        as_old=len(oldest),
    )
