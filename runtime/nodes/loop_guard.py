"""Loop guard: lets a loop go round a certain number of times, and ends it then."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from runtime.errors import NodeError
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.expressions.template import Template
from runtime.nodes.base import FLOW, NodeParams, NodeType, Place, TemplateLine, render
from runtime.nodes.support.own_state import of_this_run

_ROUNDS = "rounds"


class LoopGuardParams(NodeParams):
    times: int = Field(
        3, ge=1, title="Times", description="How many messages may pass."
    )
    key: TemplateLine = Field(
        "",
        title="Count per",
        description="Count separately for each value, such as {message.id}. Left empty, all messages count as one.",
    )
    then: Literal["error", "output", "drop", "route"] = Field(
        "error",
        title="Then",
        description=(
            "What happens to a message that may not pass. error ends the run with "
            "an error, output makes it a result of the workflow, drop discards it. "
            "With route each message is sent as {'again': true or false, 'round': "
            "2, 'message': …}: lead a switch edge out of this node, with the case "
            "message.again for the loop, and the default for the way out."
        ),
    )


class LoopGuardExecutor(Executor):
    """The rounds are its own state, so that a restore brings them back."""

    def __init__(self, id: str, params: LoopGuardParams) -> None:
        super().__init__(id, type=LOOP_GUARD.type)
        self._params = params
        self._key = Template(params.key)

    @handler
    async def guard(self, message: Any, ctx: WorkflowContext[Any, Any]) -> None:
        key = render(self._key, message, self.id)
        rounds = of_this_run(ctx).setdefault(_ROUNDS, {})
        rounds[key] = rounds.get(key, 0) + 1
        again = rounds[key] <= self._params.times
        if self._params.then == "route":
            await ctx.send_message(
                {"again": again, "round": rounds[key], "message": message}
            )
        elif again:
            await ctx.send_message(message)
        elif self._params.then == "output":
            await ctx.yield_output(message)
        elif self._params.then == "error":
            raise self._exhausted(key)

    def _exhausted(self, key: str) -> NodeError:
        which = f" with the key '{key}'" if key else ""
        return NodeError(
            f"{self._params.times} messages{which} have passed, and this is one more. Let the loop end before, raise "
            "'Times', or choose in 'Then' what becomes of the message.",
            self.id,
        )


def _make(place: Place, params: LoopGuardParams) -> Executor:
    return LoopGuardExecutor(place.node_id, params)


LOOP_GUARD = NodeType(
    type="loop_guard",
    title="Loop guard",
    category=FLOW,
    icon="loop",
    description=(
        "Put it into a loop: it passes a message on unchanged a certain number of "
        "times, in all or for each key. Then it ends the loop as you choose: with "
        "an error, with the message as a result, or by another way. Each run "
        "counts from the start. The count is the node's own state and goes back "
        "when an earlier checkpoint is restored."
    ),
    params=LoopGuardParams,
    make=_make,
    summary="times",
    sink=True,
)
