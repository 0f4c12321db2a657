"""What a message of a patch may hold, and whom it may go to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args, get_origin

from runtime.codec import TypeRegistry
from runtime.message import Message, Request, internal_source_id, is_failure_of_source
from runtime.patches.json_form import typed
from runtime.patches.refused import Refused
from runtime.values.coercion import coerce
from runtime.values.copies import isolate
from runtime.values.type_matching import describe, is_instance_of, members

if TYPE_CHECKING:
    from runtime.edges.base import EdgeGroup
    from runtime.edges.join import JoinEdgeGroup
    from runtime.executors.executor import Executor
    from runtime.graph.workflow_graph import WorkflowGraph
    from runtime.patches.patch import PatchChange
    from runtime.state import RunState


class Receivers:
    """The executors that may get messages, and what they take: all of those that the
    edges lead to, or the one that is addressed.
    """

    def __init__(
        self, workflow: WorkflowGraph, targets: Sequence[tuple[str, bool]]
    ) -> None:
        self._targets = [
            (workflow.executors[target], in_lists) for target, in_lists in targets
        ]

    def __bool__(self) -> bool:
        return bool(self._targets)

    def take(self, data: Any) -> bool:
        """Return whether one of them has a handler for a value."""
        return any(
            executor.handler_for([data] if in_lists else data) is not None
            for executor, in_lists in self._targets
        )

    def types(self) -> Iterator[Any]:
        """Yield the types that they take, of a join those of the items."""
        for executor, in_lists in self._targets:
            for annotation in executor.input_types:
                yield from _items_of(annotation) if in_lists else members(annotation)

    def words(self) -> str:
        names = dict.fromkeys(executor.id for executor, _ in self._targets)
        return " or ".join(f"'{name}'" for name in names)


def _items_of(annotation: Any) -> Iterator[Any]:
    for member in members(annotation):
        if get_origin(member) is list:
            for argument in get_args(member):
                yield from members(argument)
        elif member in (list, Any, object):
            yield Any


def fitting(
    value: Any, like: Any, type_name: str, receivers: Receivers, types: TypeRegistry
) -> Any:
    """Return a JSON value as the receivers take it: like the value that stood there, or
    as one of their types. Raise `Refused` if they take none of it.
    """
    if type_name:
        candidates = [of_type(value, type_name, receivers.types(), types)]
    else:
        candidates = list(_candidates(value, like, receivers, types))
    for candidate in candidates:
        if not receivers or receivers.take(candidate):
            return candidate
    took = ", ".join(dict.fromkeys(map(describe, receivers.types()))) or "nothing"
    raise Refused(
        f"{receivers.words()} takes no {type(candidates[0]).__name__}. Possible: {took}."
    )


def _candidates(
    value: Any, like: Any, receivers: Receivers, types: TypeRegistry
) -> Iterator[Any]:
    try:
        yield typed(value, like, types)
    except Refused:
        if not receivers:
            raise
        refused = True
    else:
        refused = False
    plain = typed(value, None, types)
    has_fitted = False
    for annotation in receivers.types():
        candidate = coerce(plain, annotation)
        if is_instance_of(candidate, annotation):
            has_fitted = True
            yield candidate
    if refused and not has_fitted:
        # Says what is wrong with it.
        typed(value, like, types)


def of_type(
    value: Any, name: str, annotations: Iterator[Any], types: TypeRegistry
) -> Any:
    """Return a JSON value as a type of that name: a registered one, or one that a
    handler takes. Raise `Refused` if there is none, or if the value does not fit.
    """
    cls = types.class_of(name)
    if cls is None:
        named = [item for item in annotations if getattr(item, "__name__", "") == name]
        cls = named[0] if named else None
    plain = typed(value, None, types)
    if cls is None:
        raise Refused(
            f"No type '{name}' is known here. Write it as 'module:Class', or leave it out."
        )
    made = coerce(plain, cls)
    if not is_instance_of(made, cls):
        raise Refused(f"The value is no {name}.")
    return made


# --- where messages may go ----------------------------------------------------------------------------------------


def receivers_of(workflow: WorkflowGraph, message: Message) -> Receivers:
    """Return who may get a queued message. Raise `Refused` for one that the engine could
    not route. Without any, the message is dropped: nothing leads on from its source.
    """
    source = message.source_id
    target = message.target_id
    if target is not None and target not in workflow.executors:
        raise Refused(f"There is no executor '{target}'.")
    if source not in workflow.executors:
        if target is not None and source == internal_source_id(target):
            return Receivers(workflow, [(target, False)])
        raise Refused(f"There is no executor '{source}' that could have sent it.")
    groups = _groups(workflow, message)
    targets = [
        (target_id, group.delivers_lists)
        for group in groups
        for target_id in group.target_ids
        if target in (None, target_id)
    ]
    if target is not None and not targets:
        raise Refused(
            f"No edge leads from '{source}' to '{target}'. Leave the target out, or choose another source."
        )
    return Receivers(workflow, targets)


def _groups(workflow: WorkflowGraph, message: Message) -> Sequence[EdgeGroup]:
    if is_failure_of_source(message):
        return workflow.error_edges.get(message.source_id, ())
    return workflow.outgoing.get(message.source_id, ())


def types_for(
    workflow: WorkflowGraph, state: RunState, change: PatchChange
) -> list[Any]:
    """Return what the value of a change may be. Inside a value nothing is known, and
    nothing of the shared state. Raise `Refused` where a change means nothing.
    """
    if change.section == "requests" and change.key in state.requests:
        if change.do != "answer":
            return []
        return list(members(state.requests[change.key].response_type))
    if change.path:
        return []
    if change.section == "buffers":
        joins = {join.key: join for join in workflow.joins}
        if change.key not in joins:
            return []
        return list(receivers_of_join(workflow, joins[change.key]).types())
    if change.section != "queue":
        return []
    place = None if change.spot is None else change.spot.place
    if place is not None and 0 <= place < len(state.queue):
        message = state.queue[place]
        if message.request is not None:
            return list(members(message.request.response_type))
        return list(receivers_of(workflow, message).types())
    source = change.source or internal_source_id(change.target or "")
    message = Message(None, source, change.target)
    return list(receivers_of(workflow, message).types())


def receivers_of_join(workflow: WorkflowGraph, join: JoinEdgeGroup) -> Receivers:
    return Receivers(workflow, [(join.target_id, join.delivers_lists)])


def checked(workflow: WorkflowGraph, message: Message) -> str:
    """Return a warning about a queued message, "" for none. Raise `Refused` for one
    that the engine could not route, or that nobody could take.
    """
    request = message.request
    if request is not None:
        executor = workflow.executors[request.executor_id]
        if not _takes_answer(executor, message):
            raise Refused(
                f"'{executor.id}' takes no {type(message.data).__name__} as the answer to its question."
            )
        return ""
    receivers = receivers_of(workflow, message)
    if not receivers:
        return (
            f"No edge leads on from '{message.source_id}', so the message is dropped."
        )
    if not receivers.take(message.data):
        raise Refused(
            f"{receivers.words()} takes no {type(message.data).__name__}. Choose another target, or another value."
        )
    return ""


def _takes_answer(executor: Executor, message: Message) -> bool:
    request = message.request
    if request is None or not is_instance_of(message.data, request.response_type):
        return False
    if executor.wraps_workflow:
        # It hands the answer on to the run that asked.
        return True
    return executor.response_handler_for(request.data, message.data) is not None


def question_of(message: Message) -> str:
    """Return the id of the question that a message is an answer to, or that it passes on
    from a sub-workflow; "" for any other message.
    """
    request = message.request or getattr(message.data, "source_event", None)
    return request.id if isinstance(request, Request) else ""


def copy_of(message: Message) -> Message:
    """Return a message that shares no value with another one."""
    return replace(message, data=isolate(message.data))
