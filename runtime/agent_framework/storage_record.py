"""A store's record of a checkpoint as JSON values in the `metadata` of a
`WorkflowCheckpoint`.

So a storage that knows nothing of stores keeps everything. A restore is exact because
it uses the record, not the fields of the checkpoint.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from runtime.checkpoint import Cause, CheckpointHeader, Part, Record, digest_of
from runtime.checkpoints.storage import WorkflowCheckpoint
from runtime.errors import CheckpointDamagedError

RECORD = "stepwell_record"
FOREIGN = "it has no record of a run in its metadata, so another program made it"


def record_of(record: Record, parts: Mapping[str, bytes]) -> dict[str, Any]:
    """Return a record with all its parts, as JSON values."""
    return {
        "header": asdict(record.header)
        | {"cause": record.header.cause.value, "tags": list(record.header.tags)},
        "manifest": [list(part) for part in record.manifest],
        "parts": {
            part.digest: base64.b64encode(parts[part.digest]).decode("ascii")
            for part in record.manifest
        },
    }


def record_in(checkpoint: WorkflowCheckpoint) -> tuple[Record, dict[str, bytes]] | None:
    """Return the record that a checkpoint carries, with its parts, or None if it
    carries none.

    Raise `CheckpointDamagedError` if it is not what `record_of` made.
    """
    values = checkpoint.metadata.get(RECORD)
    if values is None:
        return None
    try:
        return _record(values)
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise CheckpointDamagedError(
            checkpoint.checkpoint_id,
            f"its metadata['{RECORD}'] is not what was saved ({error})",
        ) from error


def header_in(checkpoint: WorkflowCheckpoint) -> CheckpointHeader:
    """Return the header that a checkpoint carries. If it or its record cannot be read,
    `damaged` says so, and the header is made of the checkpoint's fields if need be.
    """
    try:
        carried = record_in(checkpoint)
        if carried is not None:
            return carried[0].header
        reason = FOREIGN
    except CheckpointDamagedError as error:
        reason = error.reason
    try:
        return replace(_header(checkpoint.metadata[RECORD]["header"]), damaged=reason)
    except (TypeError, ValueError, LookupError, AttributeError):
        return CheckpointHeader(
            id=checkpoint.checkpoint_id,
            run_id="",
            workflow=checkpoint.workflow_name,
            superstep=checkpoint.iteration_count,
            cause=Cause.SUPERSTEP,
            parent=checkpoint.previous_checkpoint_id,
            branch="",
            damaged=reason,
        )


def _header(values: Mapping[str, Any]) -> CheckpointHeader:
    header = CheckpointHeader(
        **{**values, "cause": Cause(values["cause"]), "tags": tuple(values["tags"])}
    )
    texts = (header.id, header.run_id, header.workflow, header.branch, *header.tags)
    if type(header.sequence) is not int or not all(type(text) is str for text in texts):
        raise TypeError("a value of another type")
    return header


def _record(values: Mapping[str, Any]) -> tuple[Record, dict[str, bytes]]:
    header = _header(values["header"])
    manifest = tuple(Part(*row) for row in values["manifest"])
    parts = {
        part.digest: base64.b64decode(values["parts"][part.digest], validate=True)
        for part in manifest
    }
    for digest, data in parts.items():
        if digest_of(data) != digest:
            raise ValueError(f"part {digest} is not intact")
    return Record(header, manifest), parts
