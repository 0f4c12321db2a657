"""A run and the runs of its sub-workflows, advanced together: there is one barrier for
the whole tree.

A `Frame` is one run of the tree during one superstep. Frames are made depth first, each
after the one around it, and merged from the leaves up, so that what a child yields and
asks becomes an effect of the executor that wraps it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, cast

from runtime.concurrency.cancellation import StopSignal
from runtime.engine.commit import (
    Merged,
    advance,
    answered,
    is_active,
    is_alive,
    without_requests,
)
from runtime.engine.route import (
    Decisions,
    Routing,
    close_conditions,
    place_of,
    route,
)
from runtime.errors import RequestError, WorkflowConvergenceException
from runtime.executors.effects import Effects, TurnResult, more
from runtime.message import Message, Request
from runtime.state import ExecutorRecord, RunState, owner_of
from runtime.values.user_failures import blame

if TYPE_CHECKING:
    from runtime.engine.invoke import WatchedRound
    from runtime.graph.workflow_graph import WorkflowGraph
    from runtime.message import ExecutorFailure

# The keys of the sub-workflow runs on the way from the root: () is the root itself.
Path = tuple[str, ...]


class WorkflowWrapper(Protocol):
    """What the engine needs of an executor that wraps a workflow;
    `runtime.workflow.sub_workflow` has the class.
    """

    workflow: WorkflowGraph
    propagate_request: bool

    def take_from_child(
        self, effects: Effects, merged: Merged, superstep: int
    ) -> None: ...

    def passes_out(self, inner_id: str) -> bool: ...


def wrapper_of(workflow: WorkflowGraph, executor_id: str) -> WorkflowWrapper:
    return cast("WorkflowWrapper", workflow.executors[executor_id])


def sub_workflow(workflow: WorkflowGraph, executor_id: str) -> WorkflowGraph:
    """Return the workflow that an executor wraps."""
    return wrapper_of(workflow, executor_id).workflow


@dataclass(slots=True)
class Frame:
    """One run during one superstep: where its messages go, what its executors did, and
    the runs below it.

    merged    what it came to at the barrier; None where the run was ended by the failure of an executor in it
    round     what its deliveries share, if failures are watched in this run
    progress  (executor, value): what sub-workflows yield through executors that are designated as intermediate
    """

    path: Path
    workflow: WorkflowGraph
    state: RunState
    routing: Routing
    done: dict[str, TurnResult] = field(default_factory=dict)
    children: dict[str, Frame] = field(default_factory=dict)
    merged: Merged | None = None
    progress: list[tuple[str, Any]] = field(default_factory=list)
    round: WatchedRound | None = None

    def __iter__(self) -> Iterator[Frame]:
        """Iterate the frame itself and all below it, depth first."""
        return self._depth_first() if self.children else iter((self,))

    def _depth_first(self) -> Iterator[Frame]:
        yield self
        for child in self.children.values():
            yield from child

    def all_done(self) -> list[TurnResult]:
        """Return what the executors did, in the order of the definition."""
        done = list(self.done.values())
        if self.children:
            # Jobs are made in that order; only what children passed up came later.
            order = self.workflow.order
            done.sort(key=lambda item: order[item.executor_id])
        return done


# --- route --------------------------------------------------------------------------------------------------------


def route_tree(
    workflow: WorkflowGraph,
    state: RunState,
    decisions: dict[Path, Decisions],
    path: Path = (),
) -> Frame:
    """Return the frames of a run and of every active run below it."""
    routing = route(workflow, state, decisions.setdefault(path, {}))
    frame = Frame(path, workflow, state, routing)
    try:
        for key, child in state.children.items():
            if is_active(child):
                inner = sub_workflow(workflow, owner_of(key))
                frame.children[key] = route_tree(inner, child, decisions, (*path, key))
    except BaseException:
        give_up_conditions(frame)
        raise
    return frame


def has_undecided(root: Frame) -> bool:
    """Return True if a condition must be awaited before the routing is complete."""
    if root.routing.undecided:
        return True
    return bool(root.children) and any(frame.routing.undecided for frame in root)


async def decide_and_route(
    root: Frame, decisions: dict[Path, Decisions], stop: StopSignal
) -> Frame:
    """Await every condition that must be, and return the frames again, now complete."""
    try:
        for frame in root:
            await _decide(frame, decisions[frame.path], stop)
    finally:
        give_up_conditions(root)
    return route_tree(root.workflow, root.state, decisions)


async def _decide(frame: Frame, decisions: Decisions, stop: StopSignal) -> None:
    for key, condition in (frame.routing.undecided or {}).items():
        try:
            answer = bool(await condition)
        except BaseException as error:
            stop.raise_if_set()
            _, edge_id = key
            group = next(
                group for group in frame.workflow.edge_groups if group.id == edge_id
            )
            blame(error, "A condition", place_of(group))
            raise
        stop.raise_if_set()
        decisions[key] = answer


def give_up_conditions(root: Frame) -> None:
    """Close the conditions of all frames that were not awaited."""
    for frame in root:
        close_conditions(frame.routing.undecided)


# --- commit -------------------------------------------------------------------------------------------------------


def merge_tree(frame: Frame) -> Merged:
    """Return the next state of a frame, with those of the frames below in it."""
    if frame.workflow.wraps_workflows and (frame.state.children or _begins_run(frame)):
        merged = _merge_with_children(frame)
    else:
        merged = advance(
            frame.workflow, frame.state, frame.routing, [*frame.done.values()]
        )
    frame.merged = merged
    return merged


def _begins_run(frame: Frame) -> bool:
    """Return True if a run of a sub-workflow begins in this superstep."""
    return any(
        effects.spawned for done in frame.done.values() for effects in done.effects
    )


def _merge_with_children(frame: Frame) -> Merged:
    children = dict(frame.state.children)
    withdrawn: dict[str, None] = {}
    for key, child in frame.children.items():
        owner = owner_of(key)
        failure = None if child.round is None else child.round.failure
        if failure is not None:
            # An error edge around the sub-workflow takes the failure, so its run has
            # ended, and its questions with it.
            del children[key]
            withdrawn |= dict.fromkeys(child.state.requests)
            _pass_up_failure(frame, owner, failure)
            continue
        merged_child = merge_tree(child)
        withdrawn |= dict.fromkeys(merged_child.withdrawn)
        children[key] = merged_child.state
        _pass_up_results(frame, owner, merged_child)
    _refuse_ids_asked_twice(frame, children)
    # After the children were merged: a run that begins now has its first superstep with
    # the next one of the root, and an answer meets the state in which this superstep
    # leaves the run that asked.
    all_done = frame.all_done()
    for done in all_done:
        _begin_runs(frame, done, children)
        _reply_to_runs(done, children)
    alive = {key: child for key, child in children.items() if is_alive(child)}
    merged = advance(frame.workflow, frame.state, frame.routing, all_done, alive)
    # A question stays open here if another run of the same sub-workflow asks under an
    # id that looks the same.
    withdrawn_here = tuple(
        request_id
        for request_id in withdrawn
        if request_id in frame.state.requests and not _is_asked_by(alive, request_id)
    )
    return without_requests(merged, withdrawn_here) if withdrawn_here else merged


def _is_asked_by(children: Mapping[str, RunState], request_id: str) -> bool:
    return any(request_id in child.requests for child in children.values())


def _pass_up_failure(frame: Frame, owner: str, failure: ExecutorFailure) -> None:
    """Let the executor that wraps the sub-workflow send the failure."""
    done = frame.done.setdefault(owner, TurnResult(owner))
    done.effects = more(done.effects, Effects(sent=(Message(failure, owner),)))


def _pass_up_results(frame: Frame, owner: str, merged: Merged) -> None:
    """Turn what a child yielded and asked into effects of the executor that wraps it."""
    effects = Effects()
    wrapper_of(frame.workflow, owner).take_from_child(
        effects, merged, frame.state.superstep + 1
    )
    if frame.workflow.output_kind(owner) == "intermediate":
        frame.progress.extend((owner, value) for value in effects.outputs)
    done = frame.done.setdefault(owner, TurnResult(owner))
    done.effects = more(done.effects, effects)
    # A request may be open here although it was answered there: if the handler failed
    # at its first try.
    answered_here = [
        request_id
        for request_id in merged.answered
        if request_id in frame.state.requests
    ]
    done.answered = [*done.answered, *answered_here]


def _refuse_ids_asked_twice(frame: Frame, children: Mapping[str, RunState]) -> None:
    """Raise `RequestError` if two runs of one sub-workflow ask under one id, because an
    answer could not tell them apart.
    """
    has_asked = any(
        child.merged and child.merged.asked for child in frame.children.values()
    )
    if not has_asked:
        return
    counts = Counter(
        (owner_of(key), request_id)
        for key, child in children.items()
        for request_id in child.requests
    )
    for (owner, request_id), count in counts.items():
        if count > 1:
            raise RequestError(
                f"The request id '{request_id}' is in use by {count} runs of the sub-workflow '{owner}' at once. Leave "
                "the id out, then each gets its own.",
                request_id,
            )


def _begin_runs(frame: Frame, done: TurnResult, children: dict[str, RunState]) -> None:
    # A delivery begins at most one run, so numbering them by deliveries keeps the keys
    # unique in the whole run.
    record = frame.state.executors.get(done.executor_id, ExecutorRecord())
    own_effects = done.effects[: done.deliveries]
    for number, effects in enumerate(own_effects, start=record.runs + 1):
        for child in effects.spawned:
            children[f"{done.executor_id}#{number}"] = child


def _reply_to_runs(done: TurnResult, children: dict[str, RunState]) -> None:
    """Hand answers to the runs that asked. Each was checked when it was given, so only
    an answer that came twice is refused here.
    """
    own_keys = [key for key in children if owner_of(key) == done.executor_id]
    for effects in done.effects:
        for request_id, answer in effects.replies:
            for key in own_keys:
                child = children[key]
                request = child.requests.get(request_id)
                if request is not None:
                    children[key] = answered(child, {request_id: (request, answer)})
                    break
            else:
                raise RequestError(
                    f"The request '{request_id}' of sub-workflow '{done.executor_id}' was answered twice in one "
                    "superstep. Answer it once.",
                    request_id,
                )


# --- requests, wherever in the tree they were asked ---------------------------------------------------------------


def answer_tree(
    workflow: WorkflowGraph,
    state: RunState,
    answers: Mapping[str, tuple[Request, Any]],
) -> RunState:
    """Return the state with the answers queued for the executors that asked.

    If a request is open again because the handler of its answer has failed, that answer
    is still queued where it was asked, perhaps in a sub-workflow. Then it is replaced
    there.
    """
    for request_id, (request, answer) in answers.items():
        replaced = _replace_answer(workflow, state, request, answer)
        if replaced is None:
            state = answered(state, {request_id: (request, answer)})
        else:
            state = replaced
    return state


def _replace_answer(
    workflow: WorkflowGraph, state: RunState, request: Request, answer: Any
) -> RunState | None:
    """Replace the queued answer to a request in the sub-workflow that asked. Return
    None if there is none queued.
    """
    for key, child in state.children.items():
        inner_request = child.requests.get(request.id)
        if inner_request is None or owner_of(key) != request.executor_id:
            continue
        has_queued_answer = any(
            message.request is not None and message.request.id == request.id
            for message in child.queue
        )
        new_child: RunState | None
        if has_queued_answer:
            new_child = answered(child, {request.id: (inner_request, answer)})
        else:
            inner = sub_workflow(workflow, owner_of(key))
            new_child = _replace_answer(inner, child, inner_request, answer)
        if new_child is not None:
            requests = dict(state.requests)
            requests.pop(request.id, None)
            children = {**state.children, key: new_child}
            return replace(state, children=children, requests=requests)
    return None


def reopen_request(
    workflow: WorkflowGraph, state: RunState, path: Path, request: Request
) -> RunState:
    """Return the state with a request open again that was asked at this path, and in
    all runs above that passed it on.

    The superstep in which a run above had passed it on is counted back from the
    superstep of the asker.
    """
    if not path:
        return replace(state, requests={**state.requests, request.id: request})
    key = path[0]
    owner = owner_of(key)
    wrapper = wrapper_of(workflow, owner)
    child = reopen_request(wrapper.workflow, state.children[key], path[1:], request)
    requests = dict(state.requests)
    inner_request = child.requests.get(request.id)
    if inner_request is not None and wrapper.propagate_request:
        supersteps_ago = child.superstep - inner_request.superstep
        asked_in = max(state.superstep - supersteps_ago, 0)
        requests[request.id] = replace(
            inner_request, executor_id=owner, superstep=asked_in
        )
    return replace(state, children={**state.children, key: child}, requests=requests)


# --- limits -------------------------------------------------------------------------------------------------------


def check_limits(
    workflow: WorkflowGraph,
    state: RunState,
    decisions: dict[Path, Decisions],
    limit: int,
    raised_limit: int = 0,
) -> None:
    """Raise `WorkflowConvergenceException` if a run has used all its supersteps and the
    next one would run an executor.

    A sub-workflow has a limit of its own, or `raised_limit` if that is higher.
    """
    limits = dict(_runs_at_limit(workflow, state, limit, raised_limit, ()))
    if not limits:
        return
    root = route_tree(workflow, state, decisions)
    give_up_conditions(root)
    for path, reached_limit in limits.items():
        frame = next(frame for frame in root if frame.path == path)
        waiting = [
            "/".join((*path, executor_id)) for executor_id in frame.routing.deliveries
        ]
        # Otherwise the messages are only dropped or held by a join, which runs no
        # executor.
        if waiting or frame.routing.undecided:
            raise WorkflowConvergenceException(reached_limit, waiting)


def _runs_at_limit(
    workflow: WorkflowGraph,
    state: RunState,
    limit: int,
    raised_limit: int,
    path: Path,
) -> Iterator[tuple[Path, int]]:
    """Yield the paths and limits of the runs that have messages and have used all their
    supersteps.
    """
    # A run that only waits for those below it has an empty queue: then their limits
    # count.
    if state.own_supersteps >= limit and state.queue:
        yield path, limit
    for key, child in state.children.items():
        inner = sub_workflow(workflow, owner_of(key))
        inner_limit = max(inner.max_iterations, raised_limit)
        yield from _runs_at_limit(inner, child, inner_limit, raised_limit, (*path, key))
