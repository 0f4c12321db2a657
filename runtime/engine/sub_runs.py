"""A run and the runs of its sub-workflows, advanced together: one barrier for the whole tree.

A `Frame` is one run of the tree during one superstep. Frames are made depth first, and merged from the leaves up, so
that what a child yields and asks becomes an effect of the executor that wraps it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from runtime.concurrency.cancellation import StopSignal
from runtime.engine.commit import (
    Merged,
    advance,
    answered,
    is_active,
    is_alive,
    without_requests,
)
from runtime.engine.route import Decisions, Routing, let_go, place_of, route
from runtime.errors import RequestError, WorkflowConvergenceException
from runtime.executors.effects import Done, Effects, more
from runtime.message import Message, Request
from runtime.state import ExecutorRecord, RunState, owner_of
from runtime.values.user_failures import blame

if TYPE_CHECKING:
    from runtime.engine.invoke import WatchedRound
    from runtime.graph.workflow_graph import WorkflowGraph
    from runtime.message import ExecutorFailure

Path = tuple[str, ...]


@dataclass(slots=True)
class Frame:
    """One run during one superstep: where its messages go, what its executors did, and the runs below it.

    merged    what it came to, after the barrier; None where it was given up as an executor in it failed
    round     what its deliveries share, where some failure is watched for
    progress  (executor, value): what sub-workflows put out through executors that are designated as intermediate
    """

    path: Path
    workflow: WorkflowGraph
    state: RunState
    routing: Routing
    done: dict[str, Done] = field(default_factory=dict)
    children: dict[str, Frame] = field(default_factory=dict)
    merged: Merged | None = None
    progress: list[tuple[str, Any]] = field(default_factory=list)
    round: WatchedRound | None = None

    def __iter__(self) -> Iterator[Frame]:
        """The frame itself and all below it, depth first."""
        return self._depth_first() if self.children else iter((self,))

    def _depth_first(self) -> Iterator[Frame]:
        yield self
        for child in self.children.values():
            yield from child

    def all_done(self) -> list[Done]:
        """What the executors did, in the order of the definition. Made in that order, unless children passed up."""
        done = list(self.done.values())
        if self.children:
            return sorted(done, key=lambda one: self.workflow.order[one.executor_id])
        return done


def route_tree(
    workflow: WorkflowGraph,
    state: RunState,
    decisions: dict[Path, Decisions],
    path: Path = (),
) -> Frame:
    """The frames of a run and of every active run below it."""
    frame = Frame(
        path, workflow, state, route(workflow, state, decisions.setdefault(path, {}))
    )
    try:
        for key, child in state.children.items():
            if is_active(child):
                inner = sub_workflow(workflow, owner_of(key))
                frame.children[key] = route_tree(inner, child, decisions, (*path, key))
    except BaseException:
        give_up(frame)
        raise
    return frame


def is_undecided(root: Frame) -> bool:
    """True where a condition must be awaited first."""
    return any(frame.routing.undecided for frame in root)


async def decided_tree(
    root: Frame, decisions: dict[Path, Decisions], stop: StopSignal
) -> Frame:
    """The frames anew, once every condition that must be awaited has been."""
    try:
        for frame in root:
            await _decide(frame, decisions[frame.path], stop)
    finally:
        give_up(root)
    return route_tree(root.workflow, root.state, decisions)


async def _decide(frame: Frame, decisions: Decisions, stop: StopSignal) -> None:
    for key, waiting in (frame.routing.undecided or {}).items():
        try:
            answer = bool(await waiting)
        except BaseException as error:
            stop.raise_if_set()
            group = next(
                group for group in frame.workflow.edge_groups if group.id == key[1]
            )
            blame(error, "A condition", place_of(group))
            raise
        stop.raise_if_set()
        decisions[key] = answer


def give_up(root: Frame) -> None:
    """Let the conditions of all frames go that were not awaited."""
    for frame in root:
        let_go(frame.routing.undecided)


def sub_workflow(workflow: WorkflowGraph, executor_id: str) -> WorkflowGraph:
    """The workflow that an executor wraps."""
    return workflow.executors[executor_id].workflow  # type: ignore[attr-defined, no-any-return]


def merge_tree(frame: Frame) -> Merged:
    """The next state of a frame, with those of the frames below in it."""
    if frame.workflow.wraps_workflows and (frame.state.children or _begins(frame)):
        merged = frame.merged = _with_children(frame)
    else:
        merged = frame.merged = advance(
            frame.workflow, frame.state, frame.routing, [*frame.done.values()]
        )
    return merged


def _begins(frame: Frame) -> bool:
    """True when a run of a sub-workflow begins here."""
    return any(one.spawned for done in frame.done.values() for one in done.effects)


def _with_children(frame: Frame) -> Merged:
    children = dict(frame.state.children)
    withdrawn: dict[str, None] = {}
    for key, child in frame.children.items():
        failure = None if child.round is None else child.round.failure
        if failure is not None:
            del children[key]
            withdrawn |= dict.fromkeys(child.state.requests)
            _take_failure(frame, owner_of(key), failure)
            continue
        merged = merge_tree(child)
        withdrawn |= dict.fromkeys(merged.withdrawn)
        children[key] = merged.state
        _pass_up(frame, owner_of(key), merged)
    _refuse_twice_asked(frame, children)
    done = frame.all_done()
    for one in done:
        _begin(frame, one, children)
        _reply(one, children)
    alive = {key: child for key, child in children.items() if is_alive(child)}
    merged = advance(frame.workflow, frame.state, frame.routing, done, alive)
    # Another run of the same sub-workflow may ask under an id that only looks like one of these: then it stays open.
    gone = tuple(
        key
        for key in withdrawn
        if key in frame.state.requests and not _asks(alive, key)
    )
    return without_requests(merged, gone) if gone else merged


def _asks(children: Mapping[str, RunState], request_id: str) -> bool:
    return any(request_id in child.requests for child in children.values())


def _take_failure(frame: Frame, owner: str, failure: ExecutorFailure) -> None:
    """A sub-workflow has ended as an executor in it failed: that is what its `WorkflowExecutor` sends."""
    done = frame.done.setdefault(owner, Done(owner))
    done.effects = more(done.effects, Effects(sent=(Message(failure, owner),)))


def _pass_up(frame: Frame, owner: str, merged: Merged) -> None:
    """What a child yielded and asked, as effects of the executor that wraps it."""
    effects = Effects()
    frame.workflow.executors[owner].take_from_child(  # type: ignore[attr-defined]
        effects, merged, frame.state.superstep + 1
    )
    if frame.workflow.output_kind(owner) == "intermediate":
        frame.progress.extend((owner, value) for value in effects.outputs)
    done = frame.done.setdefault(owner, Done(owner))
    done.effects = more(done.effects, effects)
    # Open here although it is answered there: the handler had failed at a first try.
    done.answered = [
        *done.answered,
        *(one for one in merged.answered if one in frame.state.requests),
    ]


def _refuse_twice_asked(frame: Frame, children: Mapping[str, RunState]) -> None:
    """Two runs of one sub-workflow that ask under one id could not be told apart by the answer."""
    if not any(
        child.merged and child.merged.asked for child in frame.children.values()
    ):
        return
    asked = Counter(
        (owner_of(key), request_id)
        for key, child in children.items()
        for request_id in child.requests
    )
    for (owner, request_id), count in asked.items():
        if count > 1:
            raise RequestError(
                f"The request id '{request_id}' is in use by {count} runs of the sub-workflow '{owner}' at once. Leave "
                "the id out, then each gets its own.",
                request_id,
            )


def _begin(frame: Frame, done: Done, children: dict[str, RunState]) -> None:
    # A delivery begins at most one run; numbering by deliveries keeps keys unique as long as the run lasts.
    before = frame.state.executors.get(done.executor_id, ExecutorRecord()).runs
    for number, effects in enumerate(done.effects[: done.deliveries], start=before + 1):
        for child in effects.spawned:
            children[f"{done.executor_id}#{number}"] = child


def _reply(done: Done, children: dict[str, RunState]) -> None:
    """Hand answers to the runs that asked. They were checked one by one; that one came twice shows only here."""
    for request_id, answer in (
        reply for effects in done.effects for reply in effects.replies
    ):
        asking = [
            key for key, child in children.items() if owner_of(key) == done.executor_id
        ]
        key = next(
            (key for key in asking if request_id in children[key].requests), None
        )
        if key is None:
            raise RequestError(
                f"The request '{request_id}' of sub-workflow '{done.executor_id}' was answered twice in one "
                "superstep. Answer it once.",
                request_id,
            )
        child = children[key]
        children[key] = answered(
            child, {request_id: (child.requests[request_id], answer)}
        )


# --- requests, wherever in the tree they were asked ---------------------------------------------------------------


def answered_tree(
    workflow: WorkflowGraph, state: RunState, answers: Mapping[str, tuple[Request, Any]]
) -> RunState:
    """The state with the answers queued for those who asked.

    The answer of a request that is open again, as its handler failed, waits where it was asked: there it is replaced.
    """
    for request_id, (request, answer) in answers.items():
        again = _answered_again(workflow, state, request, answer)
        if again is None:
            state = answered(state, {request_id: (request, answer)})
        else:
            state = again
    return state


def _answered_again(
    workflow: WorkflowGraph, state: RunState, request: Request, answer: Any
) -> RunState | None:
    for key, child in state.children.items():
        inner = child.requests.get(request.id)
        if inner is not None and owner_of(key) == request.executor_id:
            made: RunState | None
            if any(
                message.request is not None and message.request.id == request.id
                for message in child.queue
            ):
                made = answered(child, {request.id: (inner, answer)})
            else:
                made = _answered_again(
                    sub_workflow(workflow, owner_of(key)), child, inner, answer
                )
            if made is not None:
                requests = {
                    id_: one for id_, one in state.requests.items() if id_ != request.id
                }
                return replace(
                    state, children={**state.children, key: made}, requests=requests
                )
    return None


def reopened(
    workflow: WorkflowGraph, state: RunState, path: Path, request: Request
) -> RunState:
    """The state with a request open again that was asked at this path, and in all runs above that passed it on.

    Of these, in which superstep they passed it on is counted back from where the asker stands.
    """
    if not path:
        return replace(state, requests={**state.requests, request.id: request})
    key = path[0]
    rest = path[1:]
    owner = owner_of(key)
    child = reopened(sub_workflow(workflow, owner), state.children[key], rest, request)
    requests = dict(state.requests)
    inner = child.requests.get(request.id)
    if inner is not None and workflow.executors[owner].propagate_request:  # type: ignore[attr-defined]
        since = max(state.superstep - (child.superstep - inner.superstep), 0)
        requests[request.id] = replace(inner, executor_id=owner, superstep=since)
    return replace(state, children={**state.children, key: child}, requests=requests)


# --- limits -------------------------------------------------------------------------------------------------------


def check_limits(
    workflow: WorkflowGraph,
    state: RunState,
    decisions: dict[Path, Decisions],
    limit: int,
    raised: int = 0,
) -> None:
    """Raises `WorkflowConvergenceException` if a run has had all its supersteps and the next would run somebody."""
    limits = dict(_reached(workflow, state, limit, raised, ()))
    if not limits:
        return
    root = route_tree(workflow, state, decisions)
    give_up(root)
    for path, most in limits.items():
        frame = next(frame for frame in root if frame.path == path)
        waiting = ["/".join((*path, one)) for one in frame.routing.deliveries]
        # Messages that lead to nobody may still be dropped, or laid into a join: that runs no executor.
        if waiting or frame.routing.undecided:
            raise WorkflowConvergenceException(most, waiting)


def _reached(
    workflow: WorkflowGraph, state: RunState, limit: int, raised: int, path: Path
) -> Iterator[tuple[Path, int]]:
    """The runs that have messages and have had all their supersteps. A sub-workflow has a limit of its own, or `raised`
    if that is higher.
    """
    # A run that only waits for those below runs nobody: these have their own limits.
    if state.own_supersteps >= limit and state.queue:
        yield path, limit
    for key, child in state.children.items():
        inner = sub_workflow(workflow, owner_of(key))
        yield from _reached(
            inner, child, max(inner.max_iterations, raised), raised, (*path, key)
        )
