"""The kinds of breakpoints, a line each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from runtime.debug.breakpoints import live_facts
from runtime.debug.facts.fact import Fact
from runtime.debug.values.shapes import line

Place = Literal["executor", "edge", "join", "key"]
# When in a superstep facts of a kind are looked for: once it is routed, before and
# after each handler call, or when the run rests.
Moment = Literal["routed", "before", "after", "rest"]
MOMENTS: tuple[Moment, ...] = get_args(Moment)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of breakpoint, named as its facts are.

    place    what `where` names
    moment   when its facts are looked for
    facts    those facts; its argument is a `RoutedRun`, a `HandlerCall` or a `StarvingJoin`, by the moment
    because  what happened, as a sentence
    """

    name: str
    place: Place
    moment: Moment
    facts: Callable[[Any], Iterator[Fact]]
    because: Callable[[Fact], str]


KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "before",
            "executor",
            "before",
            live_facts.before_facts,
            lambda fact: f"'{fact.executor}' is about to get {line(fact.value)}.",
        ),
        Kind(
            "after",
            "executor",
            "after",
            live_facts.after_facts,
            lambda fact: f"'{fact.executor}' has handled {line(fact.value)}.",
        ),
        Kind(
            "message",
            "edge",
            "routed",
            live_facts.message_facts,
            lambda fact: (
                f"{line(fact.value)} goes from '{fact.source}' to '{fact.executor}'."
            ),
        ),
        Kind(
            "write",
            "key",
            "after",
            live_facts.write_facts,
            lambda fact: f"'{fact.executor}' has written '{fact.key}'.",
        ),
        Kind(
            "failure",
            "executor",
            "after",
            live_facts.failure_facts,
            lambda fact: f"'{fact.executor}' has failed: {fact.reason}",
        ),
        Kind(
            "question",
            "executor",
            "after",
            live_facts.question_facts,
            lambda fact: f"'{fact.executor}' asks {line(fact.value)}.",
        ),
        Kind(
            "fires",
            "join",
            "routed",
            live_facts.release_facts,
            lambda fact: f"The join before '{fact.executor}' fires.",
        ),
        Kind(
            "starves",
            "join",
            "rest",
            live_facts.starving_facts,
            lambda fact: f"The join before '{fact.executor}' starves: {fact.reason}",
        ),
        Kind(
            "output",
            "executor",
            "after",
            live_facts.output_facts,
            lambda fact: f"'{fact.executor}' puts out {line(fact.value)}.",
        ),
    )
}
