"""Log: writes each message to the console and to the run's listeners."""

from __future__ import annotations

import sys
from typing import Any, Literal

from pydantic import Field

from runtime.events import WorkflowEvent
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.expressions.template import Template
from runtime.nodes.base import FLOW, NodeParams, NodeType, Place, TemplateText, render


class LogParams(NodeParams):
    text: TemplateText = Field(
        "{message}",
        title="Text",
        description="The line, with placeholders such as {message} or {message.name}.",
    )
    level: Literal["debug", "info", "warning", "error"] = Field(
        "info",
        title="Level",
        description=(
            "How much it matters. It is written before the text and changes "
            "nothing else."
        ),
    )


class LogExecutor(Executor):
    def __init__(self, id: str, params: LogParams) -> None:
        super().__init__(id, type=LOG.type)
        self._level = params.level
        self._text = Template(params.text)

    @handler
    async def tell(self, message: Any, ctx: WorkflowContext[Any]) -> None:
        text = render(self._text, message, self.id)
        # Standard output has the results of commands and nothing else; the window shows
        # both in its console.
        sys.stderr.write(f"{self._level.upper()} {self.id}: {text}\n")
        entry = {"level": self._level, "text": text}
        await ctx.add_event(WorkflowEvent("log", entry, executor_id=self.id))
        await ctx.send_message(message)


def _make(place: Place, params: LogParams) -> Executor:
    return LogExecutor(place.node_id, params)


LOG = NodeType(
    type="log",
    title="Log",
    category=FLOW,
    icon="info",
    description=(
        "Writes a line to the console for each message and passes the message on "
        "unchanged. Python code that runs the workflow gets an event of the type "
        "'log'. A superstep that runs again logs again."
    ),
    params=LogParams,
    make=_make,
    summary="text",
    always_sends=True,
    passes_on=True,
    sink=True,
)
