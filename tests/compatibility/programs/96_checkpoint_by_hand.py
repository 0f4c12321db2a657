"""A checkpoint made by hand comes back with every field, whatever no run would say."""

import tempfile

from agent_framework import (
    FileCheckpointStorage,
    InMemoryCheckpointStorage,
    WorkflowCheckpoint,
    WorkflowEvent,
    WorkflowMessage,
)


def shown(checkpoint) -> dict:
    return {
        "id": checkpoint.checkpoint_id,
        "parent": checkpoint.previous_checkpoint_id,
        "timestamp": checkpoint.timestamp,
        "version": checkpoint.version,
        "count": checkpoint.iteration_count,
        "names": [checkpoint.workflow_name, checkpoint.graph_signature_hash],
        "messages": {
            key: [
                [
                    one.data,
                    one.source_id,
                    one.target_id,
                    one.type.value,
                    one.trace_contexts,
                ]
                for one in messages
            ]
            for key, messages in checkpoint.messages.items()
        },
        "state": {
            key: value
            for key, value in checkpoint.state.items()
            if key != "_edge_state"
        },
        "joins": {
            key: {
                source: [one.data for one in messages]
                for source, messages in held["buffer"].items()
            }
            for key, held in checkpoint.state["_edge_state"].items()
        },
        "questions": {
            key: [
                event.request_id,
                event.source_executor_id,
                event.data,
                event.response_type.__name__,
            ]
            for key, event in checkpoint.pending_request_info_events.items()
        },
    }


async def main() -> dict:
    made = WorkflowCheckpoint(
        workflow_name="w",
        graph_signature_hash="h",
        checkpoint_id="mine",
        previous_checkpoint_id="elsewhere",
        timestamp="2020-01-02T03:04:05.678901+00:00",
        messages={
            "key": [
                WorkflowMessage("x", "a", "b", trace_contexts=[{"t": "1"}]),
                WorkflowMessage("y", "other"),
            ],
            "none": [],
            "a": [WorkflowMessage(2, "a")],
        },
        state={
            "k": [1, (2,)],
            "_executor_state": {"e": {"n": 1}, "silent": {}},
            "_edge_state": {
                'FanInEdgeGroup:[["a","c"],["b","c"]]': {
                    "buffer": {"a": [WorkflowMessage("m", "a", "c")]}
                }
            },
        },
        pending_request_info_events={
            "q": WorkflowEvent.request_info("q", "asker", {"d": 1}, str)
        },
        iteration_count=3,
        version="1.1",
    )
    with tempfile.TemporaryDirectory() as folder:
        storages = [InMemoryCheckpointStorage(), FileCheckpointStorage(folder)]
        for storage in storages:
            await storage.save(made)
        loaded = [await storage.load("mine") for storage in storages]
        copied = InMemoryCheckpointStorage()
        await copied.save(loaded[1])
        return {
            "in memory": shown(loaded[0]),
            "in a file": shown(loaded[1]) == shown(made),
            "copied": shown(await copied.load("mine")) == shown(made),
        }
