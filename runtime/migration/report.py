"""What became of everything that a run holds, in words and counts."""

from __future__ import annotations

from dataclasses import dataclass, field

# What a run holds, in the order in which it is listed, with the plural.
KEPT = {
    "queued message": "queued messages",
    "message held by a join": "messages held by joins",
    "message sent again": "messages sent again",
    "open question": "open questions",
    "executor record": "executor records",
    "sub-workflow run": "sub-workflow runs",
    "shared value": "shared values",
}


@dataclass(frozen=True, slots=True)
class Item:
    """Something that a run holds, in words.

    executor  the executor or join that it belongs to, by its id in the graph before
    aspect    a field of `ExecutorMapping`, or "join"
    inside    the executors that lead to the sub-workflow in which it is
    """

    text: str
    executor: str = ""
    aspect: str = ""
    inside: tuple[str, ...] = ()


@dataclass
class Report:
    """What became of everything: `kept` counts, `dropped` and `problems` name."""

    kept: dict[str, int] = field(default_factory=dict)
    dropped: list[Item] = field(default_factory=list)
    problems: list[Item] = field(default_factory=list)

    def keep(self, what: str, number: int = 1) -> None:
        self.kept[what] = self.kept.get(what, 0) + number

    def kept_words(self) -> list[str]:
        """Return what is kept, such as "2 queued messages"."""
        order = [noun for noun in KEPT if self.kept.get(noun)]
        return [_counted(self.kept[noun], noun) for noun in order]


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun if number == 1 else KEPT[noun]}"
