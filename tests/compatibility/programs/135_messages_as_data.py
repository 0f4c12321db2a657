"""Messages and errors as data: made, shown as a dict, made again."""

from agent_framework import WorkflowErrorDetails, WorkflowMessage

from tests.compatibility.facts import refused


async def main() -> dict:
    message = WorkflowMessage(
        data=[1], source_id="a", target_id="b", trace_contexts=[{"t": "1"}, {"t": "2"}]
    )
    message.source_span_ids = ["s"]
    again = WorkflowMessage.from_dict(message.to_dict())
    try:
        raise KeyError("gone")
    except KeyError as error:
        details = WorkflowErrorDetails.from_exception(
            error, executor_id="e", extra={"n": 1}, include_sensitive_data=True
        )
        hidden = WorkflowErrorDetails.from_exception(
            error, include_sensitive_data=False
        )
    return {
        "dict": message.to_dict(),
        "again": again == message,
        "first": [
            message.trace_context,
            message.source_span_id,
            WorkflowMessage("x", "a").trace_context,
        ],
        "type": [message.type.value, message.type.name],
        "missing": [
            refused(KeyError, lambda one=one: WorkflowMessage.from_dict(one))
            for one in ({}, {"data": 1})
        ],
        "details": [
            details.error_type,
            details.message,
            details.executor_id,
            details.extra,
            "KeyError" in details.traceback,
        ],
        "hidden": [hidden.error_type, hidden.message, hidden.traceback],
    }
