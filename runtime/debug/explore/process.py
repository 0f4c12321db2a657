"""The process of one exploration. It gets an `ExploreRequest` as the first line of its
standard input, and writes `ExploredBody`s as lines of JSON. It ends at once when its
standard input does, because then nobody reads what it finds.

A process of its own, because the handlers of a try may block, print, end the process, or
keep something in modules: nothing of that reaches the run that the host drives, and to
stop the exploration is to end the process.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import IO

from runtime.checkpoint import Checkpoint
from runtime.checkpoints.archive import Archive
from runtime.debug.explore.bodies import Bodies
from runtime.debug.explore.documents import maker_of_document, maker_of_saved
from runtime.debug.explore.explorer import Options, explore
from runtime.debug.explore.recorded import mark_recorded, save_outcomes, start_of
from runtime.debug.explore.report import Exploration, Progress
from runtime.debug.explore.trial import Make
from runtime.debug.protocol import ExploredBody, ExploreRequest
from runtime.debug.values.shapes import clean
from runtime.document.definition import WorkflowDefinition
from runtime.errors import WorkflowException
from runtime.stores import open_store
from runtime.values.user_failures import in_words, text_of

PROGRESS_EVERY = 0.1  # seconds between two bodies
Send = Callable[[ExploredBody], None]


def main() -> None:
    """Read the request, explore, and write what was found."""
    request = ExploreRequest.model_validate_json(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_input, daemon=True).start()
    results = os.fdopen(os.dup(1), "wb")
    # Prints of the workflow's code must not stand among the results.
    os.dup2(2, 1)

    def send(body: ExploredBody) -> None:
        _write(results, body)

    asyncio.run(answer(request, send))


def _end_with_input() -> None:
    # Not by `sys.stdin`, which a thread that waits keeps from being closed in the end.
    while os.read(0, 1024):
        pass
    os._exit(1)


def _write(results: IO[bytes], body: ExploredBody) -> None:
    results.write(body.model_dump_json(exclude_defaults=True).encode() + b"\n")
    results.flush()


async def answer(request: ExploreRequest, send: Send) -> None:
    """Send bodies until the exploration has ended, by itself or by an error."""
    arguments = request.arguments
    try:
        await _explore(request, send)
    except (KeyboardInterrupt, SystemExit, asyncio.CancelledError):
        raise
    except BaseException as error:  # noqa: BLE001 - user code raises anything, and the window says what
        expected = isinstance(error, WorkflowException)
        failed = clean(text_of(error) if expected else in_words(error))
        send(
            ExploredBody(
                id=arguments.id, checkpoint_id=arguments.checkpoint_id, failed=failed
            )
        )


async def _explore(request: ExploreRequest, send: Send) -> None:
    arguments = request.arguments
    store = open_store(request.store, True)
    try:
        archive = Archive(store)
        start = await start_of(archive, arguments.checkpoint_id)
        checkpoint = archive.viewed(start.record, start.parts)
        bodies = Bodies(arguments, checkpoint, request.outcomes)
        options = Options(
            arguments.orders,
            arguments.seed,
            arguments.failures,
            live=arguments.live,
            naming=bodies.naming,
        )
        make = maker_for(request, checkpoint)
        exploration = await explore(make, start, options, _Reporter(bodies, send))
        await mark_recorded(archive, exploration)
        if request.outcomes:
            await _save(request.outcomes, exploration)
        send(bodies.result(exploration))
    finally:
        await store.close()


async def _save(url: str, exploration: Exploration) -> None:
    store = open_store(url)
    try:
        await save_outcomes(store, exploration)
    finally:
        await store.close()


def maker_for(request: ExploreRequest, checkpoint: Checkpoint) -> Make:
    """Return what makes instances: of the open document if its graph is that of the
    checkpoint, else of the one that the checkpoint carries.
    """
    if request.document is not None:
        definition = WorkflowDefinition.model_validate(request.document)
        make = maker_of_document(definition, request.folder)
        try:
            if make().signature() == checkpoint.header.signature:
                return make
        except WorkflowException:
            # It cannot be built as it is now, and the saved one may.
            pass
    return maker_of_saved(checkpoint.definition)


class _Reporter:
    """Sends the progress, not too often."""

    def __init__(self, bodies: Bodies, send: Send) -> None:
        self._bodies = bodies
        self._send = send
        self._last = 0.0

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._last >= PROGRESS_EVERY:
            self._last = now
            self._send(self._bodies.progress(progress))
