"""The process of a restore proof. It gets a `ProofRequest` on its standard input, and
writes `ProvedBody`s as lines of JSON.

A process of its own, because handlers that run again may block, print, end the process,
or keep something in modules: nothing of that reaches the run that the host drives, and
to stop the proof is to end the process.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

from runtime.debug.protocol import ProofItem, ProofRequest, ProvedBody
from runtime.debug.values.shapes import clean
from runtime.debug.verify.bodies import proof_item
from runtime.debug.verify.prover import Prover
from runtime.debug.verify.workflows import SavedWorkflows
from runtime.errors import WorkflowException
from runtime.loader.code_workflow import workflow_of
from runtime.stores import open_store
from runtime.values.user_failures import in_words, text_of
from runtime.workflow.workflow import Workflow

PROGRESS_EVERY = 0.1  # seconds between two bodies
Send = Callable[[ProvedBody], None]


def main() -> None:
    """Read the request, prove, and write what was found."""
    request = ProofRequest.model_validate_json(sys.stdin.buffer.read())
    results = os.fdopen(os.dup(1), "wb")
    # Prints of the workflow's code must not stand among the results.
    os.dup2(2, 1)

    def send(body: ProvedBody) -> None:
        _write(results, body)

    asyncio.run(answer(request, send))


def _write(results: IO[bytes], body: ProvedBody) -> None:
    results.write(body.model_dump_json(exclude_defaults=True).encode() + b"\n")
    results.flush()


async def answer(request: ProofRequest, send: Send) -> None:
    """Send bodies until all checkpoints are proved, or an error ends it."""
    reporter = _Reporter(request, send)
    try:
        await _prove(request, reporter)
    except (KeyboardInterrupt, SystemExit, asyncio.CancelledError):
        raise
    except BaseException as error:  # noqa: BLE001 - user code raises anything, and the window says what
        expected = isinstance(error, WorkflowException)
        reporter.fail(clean(text_of(error) if expected else in_words(error)))


async def _prove(request: ProofRequest, reporter: _Reporter) -> None:
    arguments = request.arguments
    store = open_store(request.store, True)
    kept = open_store(request.kept)
    try:
        every = await store.headers(run_id=arguments.run_id)
        known = {header.id: header for header in every}
        chosen = [known[id_] for id_ in arguments.checkpoints if id_ in known]
        reporter.of = len(chosen or every)
        otherwise = _maker_of(request) if request.reference else None
        prover = Prover(store, SavedWorkflows(otherwise), kept)
        async for proof in prover.proofs(chosen or every, every):
            reporter.add(proof_item(proof))
        reporter.end()
    finally:
        await kept.close()
        await store.close()


def _maker_of(request: ProofRequest) -> Callable[[], Workflow]:
    return lambda: workflow_of(request.reference, Path(request.folder))


class _Reporter:
    """Sends proofs, not too often."""

    def __init__(self, request: ProofRequest, send: Send) -> None:
        self._id = request.arguments.id
        self._send = send
        self._last = 0.0
        self._waiting: list[ProofItem] = []
        self._read = 0
        self.of = 0

    def add(self, item: ProofItem) -> None:
        self._read += 1
        self._waiting.append(item)
        now = time.monotonic()
        if now - self._last >= PROGRESS_EVERY:
            self._last = now
            self._tell()

    def end(self) -> None:
        self._tell(done=True)

    def fail(self, text: str) -> None:
        self._tell(failed=text)

    def _tell(self, *, done: bool = False, failed: str = "") -> None:
        body = ProvedBody(
            id=self._id,
            proofs=tuple(self._waiting),
            read=self._read,
            of=self.of,
            done=done,
            failed=failed,
        )
        self._waiting.clear()
        self._send(body)
