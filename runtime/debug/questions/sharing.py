"""Answers of the host about shared files: it writes one from the store that is open, and
reads one into it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from runtime.checkpoint import CheckpointStore
from runtime.debug.protocol import (
    ReceiveArguments,
    ReceiveBody,
    ShareArguments,
    ShareBody,
    SharingBody,
)
from runtime.debug.session.notices import Notices
from runtime.errors import SharedFileError
from runtime.sharing import contents
from runtime.sharing.read import import_file, plan_file
from runtime.sharing.selection import Selection, select
from runtime.sharing.write import share as write_shared

# Seconds between two notices of how far it is.
NOTICE_EVERY = 0.1


class _Progress:
    def __init__(self, notices: Notices) -> None:
        self._notices = notices
        self._due = 0.0

    def __call__(self, done: int, total: int) -> None:
        time_now = time.monotonic()
        if time_now >= self._due:
            self._due = time_now + NOTICE_EVERY
            self._notices.send_now("sharing", SharingBody(done=done, total=total))


async def share(
    store: CheckpointStore, notices: Notices, request: ShareArguments
) -> ShareBody:
    """Write a file, or say what it would hold. Raise `SharedFileError`, `OSError`, and
    what the store raises.
    """
    selection = await _selection(store, request)
    documents = await contents.definitions(store, selection)
    body = ShareBody(
        workflow=selection.workflow,
        checkpoints=len(selection.rows),
        branches=selection.branches,
        bytes=selection.new_bytes,
        holds=(*contents.HOLDS, contents.secret_words(documents)),
        left_out=tuple(selection.damaged),
    )
    if not request.file:
        return body
    report = _Progress(notices)
    total = len(selection.rows)
    progress: Callable[[int], None] = lambda done: report(done, total)  # noqa: E731
    shared = await write_shared(
        store,
        selection,
        Path(request.file),
        forbidden=contents.forbidden_texts(documents),
        progress=progress,
    )
    return body.model_copy(
        update={
            "checkpoints": shared.checkpoints,
            "file_bytes": shared.bytes,
            "left_out": tuple(shared.left_out),
        }
    )


async def _selection(store: CheckpointStore, request: ShareArguments) -> Selection:
    if request.scope == "checkpoint":
        return await select(store, checkpoint_id=request.checkpoint_id)
    branch = request.branch if request.scope == "branch" else None
    return await select(
        store,
        run_id=request.run_id,
        branch=branch,
        with_ancestors=request.ancestors,
    )


async def receive(
    store: CheckpointStore, notices: Notices, request: ReceiveArguments
) -> ReceiveBody:
    """Import a file, or say what an import would do. Raise as `import_file` does, and
    `SharedFileError` if the file cannot be read.
    """
    try:
        return await _receive(store, notices, request)
    except OSError as error:
        why = error.strerror or error
        raise SharedFileError(f"{request.file} cannot be read: {why}.") from error


async def _receive(
    store: CheckpointStore, notices: Notices, request: ReceiveArguments
) -> ReceiveBody:
    report = _Progress(notices)
    newest = ""
    if request.dry_run:
        plan = await plan_file(
            store, Path(request.file), lambda done, _: report(done, 0)
        )
    else:
        # It is read twice, so it is done when it was checked and written.
        imported = await import_file(
            store,
            Path(request.file),
            lambda checked, added: report(added or checked, 0),
        )
        plan = imported.plan
        newest = imported.newest
    run_id, workflow = list(plan.runs.items())[-1]
    return ReceiveBody(
        made_by=str(plan.summary.get("made_by", ""))[:80],
        workflow=workflow,
        checkpoints=plan.checkpoints,
        present=len(plan.present),
        reworded=plan.reworded,
        runs=len(plan.runs),
        run_id=run_id,
        newest=newest,
    )
