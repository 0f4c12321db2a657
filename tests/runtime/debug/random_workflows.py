"""Random workflows of all edge kinds, with loops, conditions, joins of all policies and
sub-workflows, as strategies.

Handlers note what they got and did, by themselves: what is shown of a run is held
against that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from runtime.edges.kinds.switch.group import Case, Default
from runtime.executors.executor import Executor, WorkflowContext
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.sub_workflow import WorkflowExecutor
from runtime.workflow.workflow import Workflow
from tests.runtime.graphs import react

SUPERSTEPS = 6
MESSAGES = 60
Ctx = WorkflowContext[Any, Any]


@dataclass
class Noted:
    """One call of a handler: what it got, and what it did."""

    executor: str
    got: list[Any]
    sent: list[Any] = field(default_factory=list)
    wrote: dict[str, Any] = field(default_factory=dict)
    yielded: list[Any] = field(default_factory=list)
    failed: bool = False


@dataclass
class Notebook:
    """What all handlers of a tree noted, superstep by superstep; and who may fail,
    since an error edge takes it.
    """

    calls: list[Noted] = field(default_factory=list)
    numbers: int = 0
    may_fail: set[str] = field(default_factory=set)

    def next_number(self) -> int:
        self.numbers += 1
        return self.numbers

    def take(self) -> dict[str, list[Noted]]:
        """The calls since the last time, by executor."""
        found: dict[str, list[Noted]] = {}
        for noted in self.calls:
            found.setdefault(noted.executor, []).append(noted)
        self.calls = []
        return found


def executor(name: str, notes: Notebook, sends: int, only: Any) -> Executor:
    """Sends new numbers on, and writes one key; or yields a new number."""

    async def go(message: Any, ctx: Ctx) -> None:
        noted = Noted(name, list(message) if isinstance(message, list) else [message])
        if name in notes.may_fail and notes.numbers % 3 == 1:
            notes.next_number()
            noted.failed = True
            notes.calls.append(noted)
            raise ValueError(f"failure {notes.numbers}")
        for _ in range(sends if notes.numbers < MESSAGES else 0):
            number = notes.next_number()
            # which some targets do not take
            message = number if number % 5 else f"{number}"
            noted.sent.append(message)
            await ctx.send_message(message)
        if sends % 2:
            noted.wrote[f"{name} wrote"] = notes.numbers
            ctx.set_state(f"{name} wrote", notes.numbers)
        if not sends:
            noted.yielded.append(notes.next_number())
            await ctx.yield_output(notes.numbers)
        notes.calls.append(noted)

    return react(name, go, input=only)


@st.composite
def workflows(
    draw: st.DrawFn, notes: Notebook, prefix: str = "", *, nested: bool = True
) -> Workflow:
    """A workflow in which every executor is reachable from the first."""
    size = draw(st.integers(3, 6))
    executors = [
        _executor(draw, notes, f"{prefix}{number}", number, nested=nested)
        for number in range(size)
    ]
    builder = WorkflowBuilder(
        start_executor=executors[0], max_iterations=SUPERSTEPS, state_conflicts="last"
    )
    pairs: set[tuple[str, str]] = set()

    def free(source: Executor, *targets: Executor) -> bool:
        """Whether all these ways are new; they are not any more."""
        wanted = {(source.id, target.id) for target in targets}
        if wanted & pairs or len(wanted) < len(targets):
            return False
        pairs.update(wanted)
        return True

    for at in range(1, size):
        source = executors[draw(st.integers(0, at - 1))]
        free(source, executors[at])
        builder.add_edge(source, executors[at], _condition(draw))
    for _ in range(draw(st.integers(1, 4))):
        _add_group(draw, builder, executors, free)
    if draw(st.booleans()):
        source, target = draw(st.permutations(executors))[:2]
        if not source.wraps_workflow and _takes_lists(target) and free(source, target):
            notes.may_fail.add(source.id)
            builder.add_error_edge(source, target)
    return builder.build()


def _executor(
    draw: st.DrawFn, notes: Notebook, name: str, number: int, *, nested: bool
) -> Executor:
    if nested and number == 1 and draw(st.booleans()):
        inner = draw(workflows(notes, f"{name}_", nested=False))
        return WorkflowExecutor(inner, id=name)
    only = draw(st.sampled_from([Any, Any, Any, int]))
    return executor(name, notes, draw(st.integers(0, 3)), only)


def _condition(draw: st.DrawFn) -> Callable[[Any], bool] | None:
    modulus = draw(st.integers(0, 3))
    return None if modulus < 2 else _odd_one(modulus)


def _odd_one(modulus: int) -> Callable[[Any], bool]:
    return lambda message: not isinstance(message, int) or message % modulus == 1


def _add_group(
    draw: st.DrawFn,
    builder: WorkflowBuilder,
    executors: list[Executor],
    free: Callable[..., bool],
) -> None:
    kind = draw(
        st.sampled_from(["loop", "fan_out", "switch", "selection", "join", "join"])
    )
    source = draw(st.sampled_from(executors))
    others = draw(st.permutations(executors))
    first, second, third = others[:3]
    match kind:
        case "loop" if free(source, source):
            builder.add_edge(source, source, _odd_one(draw(st.integers(2, 3))))
        case "fan_out" if free(source, first, second):
            builder.add_fan_out_edges(source, [first, second])
        case "switch" if free(source, first, second):
            cases = [
                Case(_odd_one(2), first),
                Case(_odd_one(3), second),
                Default(first),
            ]
            builder.add_switch_case_edge_group(source, cases)
        case "selection" if free(source, first, second, third):
            builder.add_multi_selection_edge_group(
                source, [first, second, third], _selection
            )
        case "join" if (
            _takes_lists(third) and free(first, third) and free(second, third)
        ):
            policy = draw(st.sampled_from(["all", "zip", "any", "count"]))
            count = 3 if policy == "count" else 0
            builder.add_fan_in_edges([first, second], third, policy=policy, count=count)


def _takes_lists(target: Executor) -> bool:
    """As what a join lets out; a list that begins a run inside would look like one
    there.
    """
    return not target.wraps_workflow and target.handler_for([1]) is not None


def _selection(message: Any, targets: list[str]) -> list[str]:
    if isinstance(message, int):
        return targets[: message % (len(targets) + 1)]
    return targets
