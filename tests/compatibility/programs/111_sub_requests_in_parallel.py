"""One sub-workflow asks for two kinds of things; two executors of the parent each answer theirs, one asks on."""

from dataclasses import dataclass

from agent_framework import (
    Executor,
    SubWorkflowRequestMessage,
    SubWorkflowResponseMessage,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowExecutor,
    handler,
    response_handler,
)


@dataclass
class Resource:
    kind: str
    amount: int


@dataclass
class Policy:
    name: str


@dataclass
class Granted:
    what: str
    by: str


class Requester(Executor):
    @handler
    async def begin(self, wishes: list[str], ctx: WorkflowContext) -> None:
        for wish in wishes:
            if wish.startswith("policy"):
                await ctx.request_info(Policy(wish), Granted)
            else:
                await ctx.request_info(Resource(wish, len(wish)), Granted)

    @response_handler
    async def resource(
        self, asked: Resource, granted: Granted, ctx: WorkflowContext[None, Granted]
    ) -> None:
        await ctx.yield_output(granted)

    @response_handler
    async def policy(
        self, asked: Policy, granted: Granted, ctx: WorkflowContext[None, Granted]
    ) -> None:
        await ctx.yield_output(granted)


class Allocator(Executor):
    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self.cache = {"cpu": 10, "disk": 2}
        self.open: dict[str, SubWorkflowRequestMessage] = {}

    @handler
    async def allocate(
        self,
        request: SubWorkflowRequestMessage,
        ctx: WorkflowContext[SubWorkflowResponseMessage],
    ) -> None:
        asked = request.source_event.data
        if not isinstance(asked, Resource):
            return
        if self.cache.get(asked.kind, 0) >= asked.amount:
            answer = request.create_response(Granted(asked.kind, "cache"))
            await ctx.send_message(answer, target_id=request.executor_id)
        else:
            self.open[asked.kind] = request
            await ctx.request_info(asked, Granted)

    @response_handler
    async def granted(
        self,
        asked: Resource,
        granted: Granted,
        ctx: WorkflowContext[SubWorkflowResponseMessage],
    ) -> None:
        request = self.open.pop(asked.kind)
        await ctx.send_message(
            request.create_response(granted), target_id=request.executor_id
        )


class Rules(Executor):
    @handler
    async def judge(
        self,
        request: SubWorkflowRequestMessage,
        ctx: WorkflowContext[SubWorkflowResponseMessage],
    ) -> None:
        asked = request.source_event.data
        if isinstance(asked, Policy):
            answer = request.create_response(Granted(asked.name, "rules"))
            await ctx.send_message(answer, target_id=request.executor_id)


class Report(Executor):
    @handler
    async def report(self, granted: Granted, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"{granted.what} by {granted.by}")


async def main() -> dict:
    inner = WorkflowBuilder(start_executor=Requester("requester")).build()
    sub, allocator, rules, report = (
        WorkflowExecutor(inner, id="sub"),
        Allocator("allocator"),
        Rules("rules"),
        Report("report"),
    )
    workflow = (
        WorkflowBuilder(start_executor=sub)
        .add_edge(sub, allocator)
        .add_edge(sub, rules)
        .add_edge(sub, report)
        .add_edge(allocator, sub)
        .add_edge(rules, sub)
        .build()
    )
    first = await workflow.run(["cpu", "policy one", "gpu", "disk"])
    asked = {
        event.data.kind: event.request_id for event in first.get_request_info_events()
    }
    second = await workflow.run(
        responses={id_: Granted(kind, "human") for kind, id_ in asked.items()}
    )
    return {
        "first": sorted(first.get_outputs()),
        "state": first.get_final_state(),
        "asked": sorted(asked),
        "second": sorted(second.get_outputs()),
        "end": second.get_final_state(),
    }
