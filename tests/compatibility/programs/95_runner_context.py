"""The context of a test: settings outlive an applied checkpoint, questions are announced and answered once."""

import warnings

from agent_framework import (
    InProcRunnerContext,
    RunnerContext,
    WorkflowCheckpoint,
    WorkflowEvent,
    WorkflowMessage,
)

from tests.compatibility.facts import caught, told


async def main() -> dict:
    context = InProcRunnerContext()
    context.set_streaming(True)
    context.set_runtime_tools(["tool"])
    await context.send_message(WorkflowMessage("old", "a"))
    await context.add_event(WorkflowEvent("custom", 1))
    question = WorkflowEvent.request_info("q", "asker", "sure?", bool)
    checkpoint = WorkflowCheckpoint(
        workflow_name="w",
        graph_signature_hash="h",
        messages={"a": [WorkflowMessage("new", "a")]},
        pending_request_info_events={"q": question},
    )
    await context.apply_checkpoint(checkpoint)
    settings = [
        context.is_streaming(),
        context.get_runtime_tools(),
        context.has_checkpointing(),
    ]
    announced = told(await context.drain_events())
    pending = list(await context.get_pending_request_info_events())
    await context.send_request_info_response("q", True)
    queued = {
        source: [one.data for one in messages]
        for source, messages in (await context.drain_messages()).items()
    }
    other = InProcRunnerContext()
    await other.add_request_info_event(WorkflowEvent.request_info("a", "x", 1, int))
    await other.add_request_info_event(WorkflowEvent.request_info("b", "x", 2, int))
    gone = await other.cancel_request_info_events({"a", "nobody"})
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        context.reset_for_new_run()
    return {
        "settings": settings,
        "announced": announced,
        "pending": pending,
        "queued": queued,
        "answered twice": await caught(
            ValueError, lambda: context.send_request_info_response("q", True), 60
        ),
        "wrong type": await caught(
            TypeError, lambda: other.send_request_info_response("b", "x")
        ),
        "no question": await caught(
            ValueError,
            lambda: other.add_request_info_event(WorkflowEvent("output", 1)),
            33,
        ),
        "cancelled": [
            list(gone),
            sorted(await other.get_pending_request_info_events()),
        ],
        "is a RunnerContext": isinstance(context, RunnerContext),
        "reset": [one.category.__name__ for one in said],
        "streaming after it": context.is_streaming(),
        "no storage": await caught(
            ValueError, lambda: context.load_checkpoint("x"), 33
        ),
    }
