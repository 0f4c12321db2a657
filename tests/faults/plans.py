"""Random workflows as data. One generator serves both a seed and hypothesis, whose
`randoms()` shrink.

A plan is small: what costs is running it some ten times. Messages carry their number of
hops, so every loop ends.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from runtime.message import Request
from runtime.state import RunState
from tests.faults.values import Question, answer_to

MAX_HOPS = 4
MAX_DEPTH = 3
JOINS = ("all", "zip", "any", "count")
KINDS = ("loop", "loop", "fan_out", "switch", "selection", *JOINS)


@dataclass(frozen=True)
class Node:
    """An executor: `kind` is hooked, record, function, asker, child or answerer; a
    child has its plan in `inner`.

    habits  what it does besides: "delete" its key now and then, write the key that all write ("last"), "address" its
            messages, send a number too ("number"), and for a child "propagate" and "direct"
    """

    kind: str
    habits: frozenset[str] = frozenset()
    inner: Plan | None = None


@dataclass(frozen=True)
class Group:
    """An edge group: its kind, its sources and its targets by number."""

    kind: str
    sources: tuple[int, ...]
    targets: tuple[int, ...]


@dataclass(frozen=True)
class Plan:
    """A workflow. `outputs` names who yields its outputs, None everybody, and `answers`
    is how requests are answered: at rest "all" at once or in "parts", or "early", one
    by one while the run goes on.
    """

    nodes: tuple[Node, ...]
    groups: tuple[Group, ...]
    outputs: tuple[int, ...] | None = None
    answers: str = "all"
    depth: int = 0
    fails: int = 0

    def answers_at(
        self, state: RunState, active: bool, salt: int = 0
    ) -> dict[str, Any]:
        """What to answer at a barrier: a function of the state, so that a restored run
        is answered as the straight one was. With another `salt` the answers are others.
        """
        requests = list(state.requests.values())
        if active:
            old = [one for one in requests if one.superstep < state.superstep]
            requests = old[:1] if self.answers == "early" else []
        elif self.answers == "parts":
            requests = requests[: (len(requests) + 1) // 2]
        return {one.id: _answer(one, salt) for one in requests}


def _answer(request: Request, salt: int) -> Any:
    assert isinstance(request.data, Question)
    return answer_to(request.data, salt)


def plans() -> st.SearchStrategy[Plan]:
    """Plans for hypothesis."""
    return st.randoms(use_true_random=False).map(plan_of)


def chance_of(seed: int) -> random.Random:
    """The chance of a case: equal whenever it is tried again."""
    return random.Random(seed)  # noqa: S311 - workflows, not secrets


def plan_of(chance: random.Random, depth: int = 0) -> Plan:
    """A random plan. Every node is reached, and no pair is joined twice."""
    count = chance.randint(3, 5) if depth == 0 else chance.randint(1, 3)
    nodes = [_node(chance, depth) for _ in range(count)]
    yielding = [
        number
        for number, node in enumerate(nodes)
        if node.kind != "child" or "direct" in node.habits
    ]
    if not yielding:
        nodes[-1], yielding = Node("hooked"), [count - 1]
    groups = _groups(
        chance,
        count,
        extra=chance.randint(2, 6) if depth == 0 else chance.randint(0, 3),
    )
    for number, node in enumerate(nodes[:]):
        if (
            node.inner is not None
            and asks(node.inner)
            and "propagate" not in node.habits
        ):
            nodes.append(Node("answerer"))
            groups += [
                Group("direct", (number,), (len(nodes) - 1,)),
                Group("direct", (len(nodes) - 1,), (number,)),
            ]
    outputs = None
    # what a child yields are its parent's messages: few of them
    if depth or chance.random() < 0.5:
        outputs = tuple(
            sorted(chance.sample(yielding, chance.randint(1, (len(yielding) + 1) // 2)))
        )
    return Plan(
        tuple(nodes),
        tuple(groups),
        outputs,
        chance.choice(["all", "parts", "early"]),
        depth,
    )


def asks(plan: Plan) -> bool:
    """Whether a request of it, or of what is inside it, comes out of it."""
    return any(
        node.kind == "asker"
        or (node.inner is not None and "propagate" in node.habits and asks(node.inner))
        for node in plan.nodes
    )


def _node(chance: random.Random, depth: int) -> Node:
    kinds = ["hooked", "record", "hooked", "record", "function", "asker"]
    if depth < MAX_DEPTH:
        kinds += ["child"] * (2 if depth == 0 else 1)
    kind = chance.choice(kinds)
    if kind == "child":
        inner = plan_of(chance, depth + 1)
        habits = {one for one in ("propagate", "direct") if chance.random() < 0.4}
        if asks(inner) and "propagate" not in habits:
            # its only messages would be requests, which most targets do not take
            habits.discard("direct")
        return Node(kind, frozenset(habits), inner)
    return Node(
        kind,
        frozenset(
            one
            for one in ("delete", "last", "address", "number")
            if chance.random() < 0.3
        ),
    )


def _groups(chance: random.Random, count: int, extra: int) -> list[Group]:
    used: set[tuple[int, int]] = set()
    groups: list[Group] = []

    def add(kind: str, sources: list[int], targets: list[int]) -> None:
        pairs = {(source, target) for source in sources for target in targets}
        if not pairs & used:
            used.update(pairs)
            groups.append(Group(kind, tuple(sources), tuple(targets)))

    for target in range(1, count):
        if target > 1 and chance.random() < 0.3:
            add(chance.choice(JOINS), chance.sample(range(target), 2), [target])
        else:
            add(
                chance.choice(["direct", "direct", "loop"]),
                [chance.randrange(target)],
                [target],
            )
    for _ in range(extra):
        kind = chance.choice(KINDS)
        one = chance.randrange(count)
        if kind == "loop":
            add("loop", [one], [chance.randrange(count)])
        elif count > 1:
            several = chance.sample(range(count), chance.randint(2, min(3, count)))
            add(kind, *((several, [one]) if kind in JOINS else ([one], several)))
    return groups
