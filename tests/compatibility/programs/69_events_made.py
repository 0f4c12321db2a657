"""Events as objects: the factories, the fields, and what is only there on requests."""

from agent_framework import (
    WorkflowErrorDetails,
    WorkflowEvent,
    WorkflowEventSource,
    WorkflowRunState,
)

from tests.compatibility.facts import refused, told


async def main() -> dict:
    details = WorkflowErrorDetails(
        error_type="ValueError", message="m", executor_id="a"
    )
    made = [
        WorkflowEvent.started(),
        WorkflowEvent.status(WorkflowRunState.IDLE),
        WorkflowEvent.failed(details),
        WorkflowEvent.warning("careful"),
        WorkflowEvent.error(ValueError("v")),
        WorkflowEvent.request_info("q", "a", "question", bool),
        WorkflowEvent.superstep_started(1),
        WorkflowEvent.superstep_completed(2),
        WorkflowEvent.executor_invoked("a", "in"),
        WorkflowEvent.executor_completed("a", ["out"]),
        WorkflowEvent.executor_failed("a", details),
        WorkflowEvent.executor_bypassed("a"),
    ]
    asked = made[5]
    return {
        "told": told(made),
        "data": [type(one.data).__name__ for one in made],
        "origin": [one.origin.value for one in made],
        "asked": [
            asked.request_id,
            asked.source_executor_id,
            asked.request_type,
            asked.response_type,
        ],
        "to_dict": sorted(asked.to_dict()),
        "no request": refused(RuntimeError, lambda: made[0].request_id, 0),
        "states": [one.value for one in WorkflowRunState if "STALLED" not in one.value],
        "sources": [one.value for one in WorkflowEventSource],
    }
