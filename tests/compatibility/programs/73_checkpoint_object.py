"""A checkpoint as an object: made by hand, as data, saved and loaded."""

from agent_framework import (
    InMemoryCheckpointStorage,
    WorkflowCheckpoint,
    WorkflowMessage,
)

from tests.compatibility.facts import plain


async def main() -> dict:
    made = WorkflowCheckpoint(workflow_name="w", graph_signature_hash="h")
    full = WorkflowCheckpoint(
        workflow_name="w",
        graph_signature_hash="h",
        checkpoint_id="c2",
        previous_checkpoint_id=made.checkpoint_id,
        messages={"a": [WorkflowMessage(data="x", source_id="a", target_id="b")]},
        state={"key": [1, 2]},
        iteration_count=3,
        metadata={"note": "n", "mine": [1, {"a": 2}]},
    )
    storage = InMemoryCheckpointStorage()
    saved = [await storage.save(made), await storage.save(full)]
    loaded = await storage.load("c2")
    other = InMemoryCheckpointStorage()
    await other.save(loaded)
    again = await other.load("c2")
    loaded_ids = await other.list_checkpoint_ids(workflow_name="w")
    message = loaded.messages["a"][0]
    latest = await storage.get_latest(workflow_name="w")
    return {
        "defaults": [
            made.messages,
            made.state,
            made.iteration_count,
            made.metadata,
            made.version,
        ],
        "previous": made.previous_checkpoint_id,
        "saved": [saved[0] == made.checkpoint_id, saved[1]],
        "loaded": [loaded.workflow_name, loaded.state, loaded.iteration_count],
        "metadata": [
            loaded.metadata.get("note"),
            loaded.metadata.get("mine"),
            again.metadata.get("mine"),
        ],
        "message": [message.data, message.source_id, message.target_id],
        "keys": sorted(full.to_dict()),
        "there and back": plain(WorkflowCheckpoint.from_dict(made.to_dict()).to_dict())
        == plain(made.to_dict()),
        "latest": latest.checkpoint_id,
        "in the other": loaded_ids,
    }
