"""`create_edge_runner`: takes messages through one edge group without a workflow, as
agent-framework's tests do.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from runtime.agent_framework.conversion import by_source
from runtime.edges.base import CONDITION_FALSE, EdgeCondition, EdgeGroup, own_copy
from runtime.edges.join import JoinEdgeGroup
from runtime.errors import WorkflowCheckpointException
from runtime.executors.run_one_executor import execute
from runtime.message import Message, WorkflowMessage

if TYPE_CHECKING:
    from runtime.executors.executor import Executor
    from runtime.executors.runner_context import RunnerContext, State

_T = TypeVar("_T")


class EdgeRunner:
    """Takes messages through one edge group and runs the executors that get them, one
    after the other. A join keeps the messages that it holds.
    """

    def __init__(
        self, edge_group: EdgeGroup, executors: Mapping[str, Executor]
    ) -> None:
        self.edge_group = edge_group
        self.executors = executors
        self._held: tuple[Message, ...] = ()
        self._decided: dict[str, Any] = {}
        self._undecided: Awaitable[Any] | None = None

    async def send_message(
        self, message: WorkflowMessage, state: State, ctx: RunnerContext
    ) -> bool:
        """Return True if the message was dealt with: an executor got it, a join holds
        it, or a condition stopped it.

        False if it is for other executors, or if none takes its type. Raise what a
        condition or a handler raises.
        """
        group = self.edge_group
        if message.target_id is not None and message.target_id not in group.targets:
            return False
        self._decided = {}
        self._undecided = None
        sent = Message(message.data, message.source_id, message.target_id)
        ways = group.ways(sent, self)
        if self._undecided is not None:
            self._decided["holds"] = bool(await self._undecided)
            ways = group.ways(sent, self)
        targets = [way.target_id for way in ways if not way.reason]
        if targets and isinstance(group, JoinEdgeGroup):
            await self._join(group, sent, state, ctx)
        else:
            for target in targets:
                await execute(
                    self.executors[target],
                    message.data,
                    [message.source_id],
                    state,
                    ctx,
                )
        return bool(targets) or any(way.reason == CONDITION_FALSE for way in ways)

    async def _join(
        self, group: JoinEdgeGroup, message: Message, state: State, ctx: RunnerContext
    ) -> None:
        lists, self._held = group.release((*self._held, message))
        for held in lists:
            data = group.delivered(held)
            await execute(
                self.executors[group.target_id], data, group.source_ids, state, ctx
            )

    # --- checkpoints ------------------------------------------------------------------------------------

    @property
    def state_key(self) -> str:
        """The name of this runner in a checkpoint. It is the same in a rebuilt
        workflow.
        """
        return self.edge_group.structural_id()

    def snapshot_state(self) -> dict[str, Any] | None:
        """Return what a join holds, by source, or None if it holds nothing."""
        return {"buffer": by_source(self._held)} if self._held else None

    def restore_state(self, state: Mapping[str, Any] | None) -> None:
        """Hold exactly what a snapshot says. Raise `WorkflowCheckpointException` for
        another shape.
        """
        buffered = {} if state is None else state.get("buffer", {})
        lists = list(buffered.values()) if isinstance(buffered, Mapping) else [None]
        held: list[Message] = []
        for messages in lists:
            if not isinstance(messages, list) or not all(
                isinstance(message, WorkflowMessage) for message in messages
            ):
                raise WorkflowCheckpointException(
                    f"Fan-in buffer for edge group {self.edge_group.id} is malformed. Give what snapshot_state() made."
                )
            held += [
                Message(message.data, message.source_id, message.target_id)
                for message in messages
            ]
        self._held = tuple(held)

    # --- questions of the group's rule ----------------------------------------------------------------------------

    def takes(self, target_id: str, data: Any) -> bool:
        return (
            target_id in self.executors
            and self.executors[target_id].handler_for(data) is not None
        )

    def holds(
        self, group: EdgeGroup, condition: EdgeCondition, data: Any
    ) -> bool | None:
        if "holds" not in self._decided:
            answer = condition(own_copy(condition, data))
            if isinstance(answer, Awaitable):
                self._undecided = answer
                return None
            self._decided["holds"] = bool(answer)
        return self._decided["holds"]  # type: ignore[no-any-return]

    def once(self, group: EdgeGroup, decide: Callable[[], _T]) -> _T:
        if "once" not in self._decided:
            self._decided["once"] = decide()
        return cast(_T, self._decided["once"])


def create_edge_runner(
    edge_group: EdgeGroup, executors: Mapping[str, Executor]
) -> EdgeRunner:
    """Return a runner that takes messages through an edge group. Raise `ValueError` for
    another object.
    """
    if not isinstance(edge_group, EdgeGroup):
        raise ValueError(f"Unsupported edge group type: {type(edge_group)}")
    return EdgeRunner(edge_group, executors)
