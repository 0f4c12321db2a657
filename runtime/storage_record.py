"""A store's record of a checkpoint, whole, as JSON values in the `metadata` of a `WorkflowCheckpoint`.

So a storage that knows nothing of stores keeps everything: what restores exactly is the record, not the fields.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from runtime.checkpoint import Cause, CheckpointHeader, Part, Record, digest_of
from runtime.errors import CheckpointDamagedError
from runtime.workflow_checkpoint import WorkflowCheckpoint

RECORD = "stepwell_record"


def record_of(record: Record, parts: Mapping[str, bytes]) -> dict[str, Any]:
    """A record with all its parts, as JSON values."""
    return {
        "header": asdict(record.header) | {"cause": record.header.cause.value, "tags": list(record.header.tags)},
        "manifest": [list(part) for part in record.manifest],
        "parts": {part.digest: base64.b64encode(parts[part.digest]).decode("ascii") for part in record.manifest},
    }


def record_in(checkpoint: WorkflowCheckpoint) -> tuple[Record, dict[str, bytes]] | None:
    """The record that a checkpoint carries, with its parts; None if it carries none.

    Raises `CheckpointDamagedError` if it is not what `record_of` made.
    """
    found = checkpoint.metadata.get(RECORD)
    if found is None:
        return None
    try:
        return _record(found)
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise CheckpointDamagedError(
            checkpoint.checkpoint_id, f"its metadata['{RECORD}'] is not what was saved ({error})"
        ) from error


def _record(found: Mapping[str, Any]) -> tuple[Record, dict[str, bytes]]:
    values = found["header"]
    header = CheckpointHeader(**values | {"cause": Cause(values["cause"]), "tags": tuple(values["tags"])})
    manifest = tuple(Part(*row) for row in found["manifest"])
    parts = {part.digest: base64.b64decode(found["parts"][part.digest], validate=True) for part in manifest}
    for digest, data in parts.items():
        if digest_of(data) != digest:
            raise ValueError(f"part {digest} is not intact")
    return Record(header, manifest), parts
