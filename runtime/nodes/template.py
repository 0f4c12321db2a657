"""Text template: makes text of a message."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.expressions.template import Template
from runtime.nodes.base import DATA, NodeParams, NodeType, Place, TemplateText, render


class TemplateParams(NodeParams):
    text: TemplateText = Field(
        "{message}",
        title="Text",
        description="The text to make. {message} is the arriving message, {message.name} "
        "and {message[0]} are parts of it, "
        "{{ and }} are braces.",
    )


class TemplateExecutor(Executor):
    def __init__(self, id: str, text: str) -> None:
        super().__init__(id, type=TEMPLATE.type)
        self._template = Template(text)

    @handler
    async def fill_in(self, message: Any, ctx: WorkflowContext[str]) -> None:
        await ctx.send_message(render(self._template, message, self.id))


def _make(place: Place, params: TemplateParams) -> Executor:
    return TemplateExecutor(place.node_id, params.text)


TEMPLATE = NodeType(
    type="template",
    title="Text template",
    category=DATA,
    icon="text",
    description="Makes text of each message: a fixed text with placeholders such as {message.name}. "
    "Placeholders only look at data, they cannot run code.",
    params=TemplateParams,
    make=_make,
    outputs=("str",),
    summary="text",
    always_sends=True,
)
