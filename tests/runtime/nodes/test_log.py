"""Log: a line on the console, an event, and the message passed on."""

from __future__ import annotations

import pytest

from runtime.errors import NodeError
from tests.runtime.nodes.single import one_node, outputs, problems


async def test_the_text_goes_to_standard_error_and_the_message_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    message = {"name": "Ada"}
    assert await outputs(
        "log", message, text="Hello {message.name}", level="warning"
    ) == [message]
    caught = capsys.readouterr()
    assert (caught.out, caught.err) == ("", "WARNING it: Hello Ada\n")


async def test_who_runs_the_workflow_gets_an_event() -> None:
    result = await one_node("log").run("hi")
    (event,) = [one for one in result if one.type == "log"]
    assert (event.executor_id, event.data) == ("it", {"level": "info", "text": "hi"})


async def test_a_placeholder_that_cannot_be_filled_is_an_error() -> None:
    with pytest.raises(NodeError, match="Node 'it': the text cannot be made"):
        await outputs("log", 5, text="{message.name}")
    assert [one.part for one in problems("log", text="{oops}")] == ["params.text"]
