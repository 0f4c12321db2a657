"""A run and the runs of its sub-workflows, advanced together: one barrier for the whole tree.

A `Frame` is one run of the tree during one superstep. Frames are made depth first, and merged from the leaves up, so
that what a child yields and asks becomes an effect of the executor that wraps it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from runtime.context import Effects
from runtime.errors import RequestError
from runtime.failures import as_failure
from runtime.routing import Decisions, Routing, let_go, route
from runtime.state import ExecutorRecord, RunState, owner_of
from runtime.superstep import Done, Merged, advance, answered, is_active

if TYPE_CHECKING:
    from runtime.workflow import Workflow

Path = tuple[str, ...]


@dataclass(slots=True)
class Frame:
    """One run during one superstep: where its messages go, what its executors did, and the runs below it."""

    path: Path
    workflow: Workflow
    state: RunState
    routing: Routing
    done: dict[str, Done] = field(default_factory=dict)
    children: dict[str, Frame] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Frame]:
        """The frame itself and all below it, depth first."""
        yield self
        for child in self.children.values():
            yield from child


def route_tree(workflow: Workflow, state: RunState, decisions: dict[Path, Decisions], path: Path = ()) -> Frame:
    """The frames of a run and of every active run below it."""
    frame = Frame(path, workflow, state, route(workflow, state, decisions.setdefault(path, {})))
    try:
        for key, child in state.children.items():
            if is_active(child):
                inner = sub_workflow(workflow, owner_of(key))
                frame.children[key] = route_tree(inner, child, decisions, (*path, key))
    except BaseException:
        give_up(frame)
        raise
    return frame


async def decided_tree(workflow: Workflow, state: RunState, decisions: dict[Path, Decisions]) -> Frame:
    """The frames, once every condition that must be awaited has been."""
    root = route_tree(workflow, state, decisions)
    if not any(frame.routing.undecided for frame in root):
        return root
    try:
        for frame in root:
            await _decide(frame.routing, decisions[frame.path])
    finally:
        give_up(root)
    return route_tree(workflow, state, decisions)


async def _decide(routing: Routing, decisions: Decisions) -> None:
    for key, waiting in (routing.undecided or {}).items():
        try:
            decisions[key] = bool(await waiting)
        except SystemExit as error:
            raise as_failure(error, f"The condition of edge '{key[1]}'") from error
        except Exception as error:
            error.add_note(f"in the condition of edge '{key[1]}'")
            raise


def give_up(root: Frame) -> None:
    """Let the conditions of all frames go that were not awaited."""
    for frame in root:
        let_go(frame.routing.undecided)


def sub_workflow(workflow: Workflow, executor_id: str) -> Workflow:
    """The workflow that an executor wraps."""
    return workflow.executors[executor_id].workflow  # type: ignore[attr-defined, no-any-return]


def merge_tree(frame: Frame) -> Merged:
    """The next state of a frame, with those of the frames below in it."""
    if not frame.state.children and not any(
        effects.spawned for done in frame.done.values() for effects in done.effects
    ):
        return advance(frame.workflow, frame.state, frame.routing, list(frame.done.values()))
    children = dict(frame.state.children)
    for key, child in frame.children.items():
        merged = merge_tree(child)
        children[key] = merged.state
        _pass_up(frame, owner_of(key), merged)
    done = sorted(frame.done.values(), key=lambda one: frame.workflow.order[one.executor_id])
    for one in done:
        _begin(frame, one, children)
        _reply(one, children)
    alive = {key: child for key, child in children.items() if _is_alive(child)}
    return advance(frame.workflow, frame.state, frame.routing, done, alive)


def _pass_up(frame: Frame, owner: str, merged: Merged) -> None:
    """What a child yielded and asked, as effects of the executor that wraps it."""
    effects = Effects()
    frame.workflow.executors[owner].take_from_child(effects, merged, frame.state.superstep + 1)  # type: ignore[attr-defined]
    frame.done.setdefault(owner, Done(owner)).effects.append(effects)


def _begin(frame: Frame, done: Done, children: dict[str, RunState]) -> None:
    # A delivery begins at most one run; numbering by deliveries keeps keys unique as long as the run lasts.
    before = frame.state.executors.get(done.executor_id, ExecutorRecord()).runs
    for number, effects in enumerate(done.effects[: done.deliveries], start=before + 1):
        for child in effects.spawned:
            children[f"{done.executor_id}#{number}"] = child


def _reply(done: Done, children: dict[str, RunState]) -> None:
    """Hand answers to the runs that asked. They were checked one by one; that one came twice shows only here."""
    for request_id, answer in (reply for effects in done.effects for reply in effects.replies):
        asking = [key for key, child in children.items() if owner_of(key) == done.executor_id]
        key = next((key for key in asking if request_id in children[key].requests), None)
        if key is None:
            raise RequestError(
                f"The request '{request_id}' of sub-workflow '{done.executor_id}' was answered twice in one "
                "superstep. Answer it once.",
                request_id,
            )
        child = children[key]
        children[key] = answered(child, {request_id: (child.requests[request_id], answer)})


def _is_alive(state: RunState) -> bool:
    """A finished child is let go; one that asks, or whose join holds messages, stays to be seen."""
    return bool(state.requests or state.buffers or state.children) or is_active(state)
