"""`WorkflowExecutor`: a workflow as an executor of another one. Each message begins a
run inside the parent's state.

There is one barrier for the whole tree: a superstep of the root advances every active
child by one superstep. A child has its own shared state, and knows of the parent's only
what the parent sends.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from runtime.engine.answers import check_reply
from runtime.engine.commit import first_state
from runtime.events import WorkflowEvent
from runtime.executors.context import WorkflowContext
from runtime.executors.effects import Effects, more
from runtime.executors.executor import Executor
from runtime.executors.handlers import Handler
from runtime.message import Message, Request
from runtime.values.coercion import coerce
from runtime.values.type_matching import is_instance_of
from runtime.workflow.workflow import Workflow

if TYPE_CHECKING:
    from runtime.engine.commit import Merged

_LOG = logging.getLogger("runtime")


@dataclass(frozen=True, slots=True)
class SubWorkflowRequestMessage:
    """A request of a child on its way to an executor of the parent, which answers with
    `create_response`.
    """

    source_event: Request
    executor_id: str

    def create_response(self, data: Any) -> SubWorkflowResponseMessage:
        """Return the answer, to be sent with `target_id=request.executor_id`. Raise
        `TypeError` for another type.
        """
        response_type = self.source_event.response_type
        if not is_instance_of(coerce(data, response_type), response_type):
            raise TypeError(
                f"Response data type {type(data)} does not match expected type {response_type} for request_id "
                f"{self.source_event.request_id}."
            )
        return SubWorkflowResponseMessage(data, self.source_event)


@dataclass(frozen=True, slots=True)
class SubWorkflowResponseMessage:
    """The answer of an executor of the parent to a child's request. `source_event` may
    be a `request_info` event.
    """

    data: Any
    source_event: Request

    def __post_init__(self) -> None:
        event: Any = self.source_event
        # An answer made by hand may have the event. Checkpoints keep requests, so it is
        # converted.
        if isinstance(event, WorkflowEvent):
            request = Request(
                event.request_id,
                event.source_executor_id,
                event.data,
                event.response_type,
                0,
            )
            object.__setattr__(self, "source_event", request)


class WorkflowExecutor(Executor):
    """Runs `workflow` for each message it gets.

    The outputs of a child become messages of this executor, or with
    `allow_direct_output` outputs of the parent. Its requests go as
    `SubWorkflowRequestMessage` along the edges, or with `propagate_request` to the
    outside.

    entries  executor of the parent -> executor inside at which its messages enter; all others enter at the start
    exits    executor inside -> executors of the parent to which alone goes what it yields
    """

    wraps_workflow = True

    def __init__(
        self,
        workflow: Workflow,
        id: str,
        allow_direct_output: bool = False,
        propagate_request: bool = False,
        *,
        type: str | None = None,
        entries: Mapping[str, str] | None = None,
        exits: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        super().__init__(id, type=type, defer_discovery=True)
        if not isinstance(workflow, Workflow):
            raise TypeError(
                f"A WorkflowExecutor runs a Workflow, not a {workflow.__class__.__name__}: give what build() makes."
            )
        if workflow.checkpoint_storage is not None:
            _LOG.warning(
                "Sub workflow %s has its own checkpoint storage configured, which is not used here: its runs are saved "
                "with those of the workflow around it.",
                workflow.id,
            )
        self.workflow = workflow
        self.allow_direct_output = allow_direct_output
        self.propagate_request = propagate_request
        self.entries = dict(entries or {})
        self.exits = {inner: tuple(to) for inner, to in (exits or {}).items()}
        self._refuse_unknown([*self.entries.values(), *self.exits])
        self._register(self._make_handlers())

    def _make_handlers(self) -> list[Handler]:
        yielded = tuple(self.workflow.output_types)
        sends = () if self.allow_direct_output and not self.exits else yielded
        if self._asks and not self.propagate_request:
            sends = (*sends, SubWorkflowRequestMessage)
        outputs = yielded if self.allow_direct_output else ()
        # A workflow that starts with a sub-workflow takes answers there, but these are
        # answers to that one's questions.
        inputs = [
            type_
            for type_ in self._entering()
            if type_ is not SubWorkflowResponseMessage
        ]
        handlers = [
            Handler(f"run_{number}", self._begin, type_, sends, outputs)
            for number, type_ in enumerate(inputs)
        ]
        handlers.append(Handler("answer", self._answer, SubWorkflowResponseMessage))
        handlers.append(
            Handler("answer_request", self._answer_request, Any, request_type=Any)
        )
        return handlers

    def _entering(self) -> list[Any]:
        """Return the types that the start takes, and those that the other ways in take."""
        executors = self.workflow.executors
        entry_types = [
            type_
            for entry in self.entries.values()
            for type_ in executors[entry].input_types
        ]
        return list(dict.fromkeys([*self.workflow.input_types, *entry_types]))

    def _refuse_unknown(self, inner: Iterable[str]) -> None:
        for executor_id in inner:
            if executor_id not in self.workflow.executors:
                raise ValueError(
                    f"A way into or out of '{self.id}' names '{executor_id}', which is not inside. Name one that "
                    "is, or remove the way."
                )

    @property
    def is_request_response_capable(self) -> bool:
        """Whether the sub-workflow may ask, with its questions going to the outside."""
        return self.propagate_request and self._asks

    @property
    def _asks(self) -> bool:
        return any(
            executor.is_request_response_capable
            for executor in self.workflow.executors.values()
        )

    async def _begin(self, message: Any, ctx: WorkflowContext[Any, Any]) -> None:
        # A join may have several sources with a way in. These lead to one place,
        # because the join has one target.
        entry = next(
            (
                self.entries[source]
                for source in ctx.source_executor_ids
                if source in self.entries
            ),
            "",
        )
        ctx.effects.spawned = [first_state(self.workflow, message, entry)]

    async def _answer(
        self, message: SubWorkflowResponseMessage, ctx: WorkflowContext[Any, Any]
    ) -> None:
        request_id = message.source_event.request_id
        answer = check_reply(self.workflow, ctx.runs(), request_id, message.data)
        ctx.effects.replies = [(request_id, answer)]

    async def _answer_request(
        self, _request: Any, answer: Any, ctx: WorkflowContext[Any, Any]
    ) -> None:
        ctx.effects.replies = [(ctx.request_id or "", answer)]

    def take_from_child(self, effects: Effects, merged: Merged, superstep: int) -> None:
        """Turn what a child yielded and asked in this superstep into effects of this
        executor; engine only.
        """
        if self.exits:
            self._use_exits(effects, merged)
        elif self.allow_direct_output:
            effects.outputs = [output.data for output in merged.outputs]
        else:
            effects.sent = [Message(output.data, self.id) for output in merged.outputs]
        for request in merged.asked:
            if self.propagate_request:
                own_request = replace(request, executor_id=self.id, superstep=superstep)
                effects.requests = more(effects.requests, own_request)
            else:
                asking = Message(SubWorkflowRequestMessage(request, self.id), self.id)
                effects.sent = more(effects.sent, asking)

    def passes_out(self, inner_id: str) -> bool:
        """Return True if an output of an executor inside is an output of this one, and
        no message; engine only.
        """
        return self.allow_direct_output and inner_id not in self.exits

    def _use_exits(self, effects: Effects, merged: Merged) -> None:
        outputs = []
        sent = []
        for output in merged.outputs:
            if output.executor_id in self.exits:
                sent += [
                    Message(output.data, self.id, target)
                    for target in self.exits[output.executor_id]
                ]
            elif self.passes_out(output.executor_id):
                outputs.append(output.data)
            else:
                sent.append(Message(output.data, self.id))
        effects.outputs = outputs
        effects.sent = sent

    def can_ask(self, request_data: Any, response_type: Any) -> bool:
        return False

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"workflow": self.workflow.to_dict()}
