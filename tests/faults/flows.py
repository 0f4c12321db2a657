"""Workflows made of plans. Every place where user code runs touches the fuse of the
workflow, which can blow there.

Annotations are no text here, and types are given to the decorators: resolving them took
a third of a case's time, and other tests do it.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from typing import Any, Literal, cast

from runtime.checkpoint import CheckpointStore
from runtime.edges import Case, Default
from runtime.executors.executor import (
    Executor,
    FunctionExecutor,
    WorkflowContext,
    handler,
    response_handler,
)
from runtime.message import ExecutorFailure
from runtime.policy import RetryPolicy
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.sub_workflow import (
    SubWorkflowRequestMessage,
    SubWorkflowResponseMessage,
    WorkflowExecutor,
)
from runtime.workflow.workflow import Workflow
from tests.faults.plans import MAX_HOPS, Node, Plan, chance_of
from tests.faults.values import Question, Token, Verdict, mixed, tokens_of, weight

Context = WorkflowContext[Any, Any]


class InjectedError(Exception):
    """What a fuse raises."""


class Fuse:
    """Raises once, at the n-th touch: of all places, or of one. Never with 0."""

    def __init__(self, at: int = 0, place: str = "") -> None:
        self.at = at
        self.place = place
        self.touches: Counter[str] = Counter()
        self.blown = ""

    def touch(self, place: str) -> None:
        self.touches[place] += 1
        number = self.touches[self.place] if self.place else self.touches.total()
        if (
            self.at
            and not self.blown
            and number >= self.at
            and self.place in ("", place)
        ):
            self.blown = place
            raise InjectedError(f"{place}, touch {number}")


class Worker(Executor):
    """Works on what it gets and sends on what it made. Where its count is kept, is said
    by the subclasses.
    """

    def __init__(
        self, id: str, habits: frozenset[str], fuse: Fuse, delays: random.Random
    ) -> None:
        super().__init__(id)
        self.habits = habits
        self.fuse = fuse
        self.delays = delays
        self.targets: list[str] = []
        self.calls = 0
        self.fails = 0

    @handler(input=Token, output=Any, workflow_output=Any)
    async def one(self, message: Token, ctx: Context) -> None:
        await self._work(message, ctx)

    @handler(input=list[Any], output=Any, workflow_output=Any)
    async def many(self, message: list[Any], ctx: Context) -> None:
        await self._work(message, ctx)

    async def _work(self, message: Any, ctx: Context) -> None:
        self.fuse.touch("handler")
        await self._pause()
        token = self.made(message, ctx)
        if token is not None:
            await self.proceed(token, ctx)
        await self._pause()
        fail_for(message, self.fails)
        self.fuse.touch("handler, at its end")

    async def _pause(self) -> None:
        for _ in range(self.delays.randrange(3)):
            await asyncio.sleep(0)

    def made(self, message: Any, ctx: Context) -> Token | None:
        """What it makes of a message, with all that it writes on the way."""
        self.calls += 1
        return _made(self.id, self.habits, self.calls, message, ctx)

    async def proceed(self, token: Token, ctx: Context) -> None:
        await ctx.yield_output(token)
        if token.hops < MAX_HOPS:
            _send(self.habits, self.targets, self.calls, token, ctx)


class WeakError(Exception):
    """What a handler raises for some messages, each time."""


def fail_for(message: Any, every: int) -> None:
    """Fail for one message in so many, whenever it comes."""
    if every and weight(message) % every == 0:
        raise WeakError(f"cannot take {weight(message)}")


def is_weak(failure: ExecutorFailure) -> bool:
    """What a fuse raises is no matter of the workflow."""
    return failure.error_type == WeakError.__name__


class Rescue(Executor):
    """Takes failures, and tells of them."""

    @handler
    async def take(
        self, failure: ExecutorFailure, ctx: WorkflowContext[Any, Any]
    ) -> None:
        known = [
            failure.executor_id,
            failure.path,
            failure.error,
            failure.attempts,
            failure.superstep,
        ]
        ctx.set_state("log", [f"{self.id}:{mixed(known)}"])
        ctx.executor_state["failures"] = ctx.executor_state.get("failures", 0) + 1
        await ctx.yield_output(
            Token(0, mixed([*known, ctx.executor_state["failures"]]))
        )


class Hooked(Worker):
    """Its count is an attribute behind hooks."""

    async def on_checkpoint_save(self) -> dict[str, Any]:
        self.fuse.touch("on_checkpoint_save")
        await self._pause()
        return {"calls": self.calls}

    async def on_checkpoint_restore(self, state: dict[str, Any]) -> None:
        self.fuse.touch("on_checkpoint_restore")
        self.calls = -1  # half done, if it is ended here
        await self._pause()
        self.calls = state["calls"]


class Recording(Worker):
    """Its count is in `ctx.executor_state`."""

    def made(self, message: Any, ctx: Context) -> Token | None:
        self.calls = ctx.executor_state.get("calls", 0)
        token = super().made(message, ctx)
        ctx.executor_state["calls"] = self.calls
        return token


class Asker(Hooked):
    """Asks, and sends on when it was answered."""

    async def proceed(self, token: Token, ctx: Context) -> None:
        await ctx.request_info(Question(token.hops, token.text), Verdict)

    @response_handler(
        request=Question, response=Verdict, output=Any, workflow_output=Any
    )
    async def answered(
        self, question: Question, verdict: Verdict, ctx: Context
    ) -> None:
        self.fuse.touch("response handler")
        await self._pause()
        self.calls += 1
        ctx.set_state("log", [f"{self.id}:{verdict.text}"])
        token = Token(
            question.hops,
            mixed([self.id, question.text, verdict.good, verdict.text, self.calls]),
        )
        await super().proceed(token, ctx)
        self.fuse.touch("response handler, at its end")


class Answerer(Executor):
    """Answers what a child asks. It has no fuse of its own: it keeps nothing."""

    @handler
    async def answer(self, message: SubWorkflowRequestMessage, ctx: Context) -> None:
        question = message.source_event.data
        await ctx.send_message(
            message.create_response(
                Verdict(weight(question) % 2 == 0, f"p{weight(question)}")
            ),
            target_id=message.executor_id,
        )

    @handler
    async def pass_by(
        self, message: Verdict, ctx: WorkflowContext[SubWorkflowResponseMessage]
    ) -> None:
        """Nobody sends such: the annotation says what this executor sends."""


def _function(
    id: str, habits: frozenset[str], fuse: Fuse, fails: int = 0
) -> FunctionExecutor:
    """A plain function, which runs in a thread. Its count is in `ctx.executor_state`."""

    def work(message: Any, ctx: Context) -> None:
        fuse.touch("function")
        state = ctx.executor_state
        state["calls"] = state.get("calls", 0) + 1
        token = _made(id, habits, state["calls"], message, ctx)
        if token is not None:
            ctx.yield_output(token)
            if token.hops < MAX_HOPS:
                ctx.send_message(token)
        fail_for(message, fails)
        fuse.touch("function, at its end")

    return FunctionExecutor(
        work, id, input=Token | list[Any], output=Any, workflow_output=Any
    )


def _made(
    id: str, habits: frozenset[str], calls: int, message: Any, ctx: Context
) -> Token | None:
    tokens = tokens_of(message)
    if not tokens or max(one.hops for one in tokens) > MAX_HOPS:
        return None
    seen = ctx.get_state(id, [])
    seen.append(len(tokens))
    if "delete" in habits and calls % 3 == 0 and ctx.state.has(id):
        ctx.state.delete(id)
    else:
        ctx.set_state(id, seen)
    made = [
        id,
        calls,
        seen,
        ctx.source_executor_ids,
        ctx.get_state("log", [])[-3:],
        ctx.get_state("hits", 0),
    ]
    token = Token(
        max(one.hops for one in tokens) + 1,
        mixed([*made, [(one.hops, one.text, one.tags) for one in tokens]]),
    )
    ctx.set_state("log", [f"{id}:{token.text}"])
    ctx.set_state("hits", 1)
    if "last" in habits:
        ctx.set_state("last", token.text)
    for one in tokens:
        one.tags.append(f"spoiled by {id}")  # its own copy: nobody may see it
    return token


def _send(
    habits: frozenset[str], targets: list[str], calls: int, token: Token, ctx: Context
) -> None:
    ctx.send_message(
        token,
        targets[calls % len(targets)]
        if "address" in habits and targets and calls % 2
        else None,
    )
    token.tags.append("spoiled after sending")
    if "number" in habits:
        ctx.send_message(calls)  # which only joins take


# --- putting together ---------------------------------------------------------------------------------------------


def build(
    plan: Plan,
    fuse: Fuse | None = None,
    *,
    delays: int = 0,
    name: str = "random",
    store: CheckpointStore | None = None,
    prefix: str = "e",
    retry: RetryPolicy | None = None,
    fails: int = 0,
) -> Workflow:
    """A fresh instance. `delays` seeds how often handlers give the loop a turn, which
    must not matter. `retry` is for its executors, and for those of its sub-workflows.
    Where they fail for some messages, as the plan or `fails` says, failures go along
    error edges: inside, of every second executor.
    """
    fails = fails or plan.fails
    fuse = Fuse() if fuse is None else fuse
    chance = chance_of(delays)
    nodes = [
        _executor(node, f"{prefix}{number}", fuse, chance, retry, fails)
        for number, node in enumerate(plan.nodes)
    ]

    def add(one: Any, two: Any) -> Any:
        fuse.touch("reducer")
        return one + two

    selected: dict[str, Any] = {}
    if plan.outputs is not None:
        selected["output_from"] = [nodes[number] for number in plan.outputs]
        selected["intermediate_output_from"] = "all_other"
    builder = WorkflowBuilder(
        200,
        name,
        start_executor=nodes[0],
        checkpoint_storage=store,
        reducers={"log": add, "hits": add},
        state_conflicts="last",
        retry=retry,
        **selected,
    )
    for number, group in enumerate(plan.groups):
        _join(
            builder,
            group.kind,
            number,
            [nodes[one] for one in group.sources],
            [nodes[one] for one in group.targets],
            fuse,
        )
    if fails:
        rescue = Rescue(f"{prefix}rescue")
        for one in nodes if plan.depth == 0 else nodes[::2]:
            builder.add_error_edge(one, rescue, is_weak)
    workflow = builder.build()
    for one in nodes:
        if isinstance(one, Worker):
            one.targets = sorted(workflow.reach.get(one.id, ()))
    return workflow


def _executor(
    node: Node,
    id: str,
    fuse: Fuse,
    chance: random.Random,
    retry: RetryPolicy | None = None,
    fails: int = 0,
) -> Executor:
    match node.kind:
        case "function":
            return _function(id, node.habits, fuse, fails)
        case "answerer":
            return Answerer(id)
        case "child":
            assert node.inner is not None
            inner = build(
                node.inner,
                fuse,
                delays=chance.randrange(100),
                prefix=f"{id}.",
                retry=retry,
                fails=fails,
            )
            return WorkflowExecutor(
                inner, id, "direct" in node.habits, "propagate" in node.habits
            )
    kinds: dict[str, Callable[..., Worker]] = {
        "hooked": Hooked,
        "record": Recording,
        "asker": Asker,
    }
    worker = kinds[node.kind](id, node.habits, fuse, chance)
    worker.fails = fails
    return worker


def _join(
    builder: WorkflowBuilder,
    kind: str,
    number: int,
    sources: list[Executor],
    targets: list[Executor],
    fuse: Fuse,
) -> None:
    match kind:
        case "direct":
            builder.add_edge(sources[0], targets[0])
        case "loop":
            builder.add_edge(sources[0], targets[0], _condition(number, fuse))
        case "fan_out":
            builder.add_fan_out_edges(sources[0], targets)
        case "switch":
            cases = [
                Case(_predicate(number + one, fuse), target)
                for one, target in enumerate(targets[1:])
            ]
            builder.add_switch_case_edge_group(
                sources[0], [Default(targets[0]), *cases]
            )
        case "selection":
            builder.add_multi_selection_edge_group(
                sources[0], targets, _selection(number, fuse)
            )
        case _:
            policy = cast(Literal["all", "zip", "any", "count"], kind)
            count = len(sources) + number % 2 if kind == "count" else 0
            builder.add_fan_in_edges(sources, targets[0], policy=policy, count=count)


def _condition(number: int, fuse: Fuse) -> Callable[[Any], Any]:
    """True for two messages in three. Every second one must be awaited."""

    def condition(value: Any) -> bool:
        fuse.touch("condition")
        return (weight(value) + number) % 3 > 0

    async def awaited(value: Any) -> bool:
        await asyncio.sleep(0)
        return condition(value)

    return awaited if number % 2 else condition


def _predicate(number: int, fuse: Fuse) -> Callable[[Any], bool]:
    def predicate(value: Any) -> bool:
        fuse.touch("case")
        return (weight(value) + number) % 2 == 0

    return predicate


def _selection(number: int, fuse: Fuse) -> Callable[[Any, list[str]], list[str]]:
    def select(value: Any, ids: list[str]) -> list[str]:
        fuse.touch("selection")
        return [
            one
            for position, one in enumerate(ids)
            if (weight(value) >> position) + number & 1
        ]

    return select
