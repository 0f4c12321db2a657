"""Edge groups by themselves: whether a message was dealt with, and what a join holds."""

from agent_framework import (
    Executor,
    FanInEdgeGroup,
    FanOutEdgeGroup,
    InProcRunnerContext,
    SingleEdgeGroup,
    SwitchCaseEdgeGroup,
    SwitchCaseEdgeGroupCase,
    SwitchCaseEdgeGroupDefault,
    WorkflowContext,
    WorkflowMessage,
    create_edge_runner,
    executor,
    handler,
)

from tests.compatibility.facts import refused

STATE = None  # what executors of these programs never ask


class Say(Executor):
    @handler
    async def say(self, text: str, ctx: WorkflowContext[str]) -> None:
        await ctx.send_message(f"{self.id} {text}")


@executor
async def joined(texts: list[str], ctx: WorkflowContext[str]) -> None:
    await ctx.send_message("+".join(texts))


EXECUTORS = {"b": Say("b"), "c": Say("c"), "joined": joined}


async def tried(group, *messages: WorkflowMessage) -> list:
    runner, context = create_edge_runner(group, EXECUTORS), InProcRunnerContext()
    dealt = [await runner.send_message(message, STATE, context) for message in messages]
    sent = [
        message.data
        for messages in (await context.drain_messages()).values()
        for message in messages
    ]
    return [dealt, sorted(sent)]


async def main() -> dict:
    text, number = WorkflowMessage("x", "a"), WorkflowMessage(1, "a")
    to_c, to_d = WorkflowMessage("t", "a", "c"), WorkflowMessage("t", "a", "d")
    cases = [
        SwitchCaseEdgeGroupCase(lambda data: data == "x", "b"),
        SwitchCaseEdgeGroupDefault("c"),
    ]
    join = FanInEdgeGroup(["b", "c"], "joined")
    runner, context = create_edge_runner(join, EXECUTORS), InProcRunnerContext()
    nothing = runner.snapshot_state()
    await runner.send_message(WorkflowMessage("1", "b"), STATE, context)
    held = runner.snapshot_state()
    other = create_edge_runner(FanInEdgeGroup(["b", "c"], "joined"), EXECUTORS)
    other.restore_state(held)
    await other.send_message(WorkflowMessage("2", "c"), STATE, context)
    after = other.snapshot_state()
    return {
        "single": await tried(SingleEdgeGroup("a", "b"), text, number, to_c),
        "condition": await tried(
            SingleEdgeGroup("a", "b", lambda data: data == "y"),
            text,
            WorkflowMessage("y", "a"),
        ),
        "nobody is there": await tried(SingleEdgeGroup("a", "z"), text),
        "fan-out": await tried(
            FanOutEdgeGroup("a", ["b", "c"]), text, number, to_c, to_d
        ),
        "selection": await tried(
            FanOutEdgeGroup("a", ["b", "c"], lambda data, ids: ids[:1]), text, to_c
        ),
        "switch": await tried(
            SwitchCaseEdgeGroup("a", cases), text, WorkflowMessage("y", "a"), number
        ),
        "join": await tried(
            join,
            WorkflowMessage("2", "c"),
            WorkflowMessage("1", "b"),
            WorkflowMessage(1, "b"),
        ),
        "held": [
            nothing,
            {key: [one.data for one in value] for key, value in held["buffer"].items()},
            after,
        ],
        "goes on": [
            message.data for message in (await context.drain_messages())["joined"]
        ],
        "one key": runner.state_key == other.state_key,
        "no group": refused(
            ValueError, lambda: create_edge_runner("edges", EXECUTORS), 30
        ),
    }
