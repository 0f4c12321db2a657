"""Addresses are checked by a sub-workflow whose question an executor of the parent answers; what it learnt stays."""

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
class Address:
    original: str
    clean: str
    is_valid: bool


@dataclass
class Mail:
    to: str
    text: str


class Clean(Executor):
    @handler
    async def clean(self, address: str, ctx: WorkflowContext[Address]) -> None:
        await ctx.send_message(Address(address, address.strip(), False))


class Format(Executor):
    @handler
    async def check(
        self, address: Address, ctx: WorkflowContext[Address, Address]
    ) -> None:
        await (
            ctx.send_message(address)
            if "." in address.clean.split("@")[-1]
            else ctx.yield_output(address)
        )


class Domain(Executor):
    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self.waiting: dict[str, Address] = {}

    @handler
    async def ask(self, address: Address, ctx: WorkflowContext) -> None:
        domain = address.clean.split("@")[-1]
        self.waiting[domain] = address
        await ctx.request_info(request_data=domain, response_type=bool)

    @response_handler
    async def told(
        self, domain: str, is_valid: bool, ctx: WorkflowContext[None, Address]
    ) -> None:
        address = self.waiting.pop(domain)
        await ctx.yield_output(Address(address.original, address.clean, is_valid))


class Send(Executor):
    def __init__(self, id: str, domains: set[str]) -> None:
        super().__init__(id=id)
        self.domains, self.good, self.bad = domains, set(), set()
        self.waiting: dict[str, Mail] = {}

    @handler
    async def begin(self, mail: Mail, ctx: WorkflowContext[Mail | str, str]) -> None:
        if mail.to in self.good:
            await ctx.send_message(mail)
        elif mail.to in self.bad:
            await ctx.yield_output("blocked again")
        else:
            self.waiting[mail.to] = mail
            await ctx.send_message(mail.to)

    @handler
    async def check(
        self,
        request: SubWorkflowRequestMessage,
        ctx: WorkflowContext[SubWorkflowResponseMessage],
    ) -> None:
        known = request.source_event.data in self.domains
        await ctx.send_message(
            request.create_response(known), target_id=request.executor_id
        )

    @handler
    async def checked(self, address: Address, ctx: WorkflowContext[Mail, str]) -> None:
        mail = self.waiting.pop(address.original)
        (self.good if address.is_valid else self.bad).add(address.original)
        mail.to = address.clean
        await (
            ctx.send_message(mail) if address.is_valid else ctx.yield_output("blocked")
        )


class Deliver(Executor):
    @handler
    async def deliver(self, mail: Mail, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"delivered to {mail.to!r}")


async def main() -> dict:
    clean, format_, domain = Clean("clean"), Format("format"), Domain("domain")
    inner = (
        WorkflowBuilder(start_executor=clean)
        .add_chain([clean, format_, domain])
        .build()
    )
    send, deliver, sub = (
        Send("send", {"example.com"}),
        Deliver("deliver"),
        WorkflowExecutor(inner, id="check"),
    )
    workflow = (
        WorkflowBuilder(start_executor=send)
        .add_edge(send, sub)
        .add_edge(sub, send)
        .add_edge(send, deliver)
        .build()
    )
    mails = [
        Mail(to, "hi")
        for to in (
            "a@example.com",
            " b@none",
            " c@example.com ",
            "d@x.org",
            "a@example.com",
            " b@none",
        )
    ]
    results = [await workflow.run(mail) for mail in mails]
    return {
        "outputs": [result.get_outputs() for result in results],
        "states": sorted({result.get_final_state().value for result in results}),
        "asked": sum(len(result.get_request_info_events()) for result in results),
    }
