"""Restore proofs at the host: made one checkpoint after the other, beside the run, and
only when they are asked for.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from runtime.debug.protocol import (
    PROOF_STORE,
    ProofCheck,
    ProofFinding,
    ProofItem,
    ProvedBody,
    VerifyArguments,
    VerifyBody,
    VerifyStopArguments,
)
from runtime.debug.session.notices import Notices
from runtime.debug.session.session import Session
from runtime.debug.values.display import to_value
from runtime.debug.values.shapes import clean
from runtime.errors import CheckpointNotFoundError
from runtime.values.user_failures import text_of

if TYPE_CHECKING:
    from runtime.checkpoint import CheckpointHeader
    from runtime.debug.verify.results import Check, Finding, Proof

# Seconds between two notices.
PROGRESS_EVERY = 0.2
# While the run moves, a proof waits so long before it looks again.
REST = 0.1


@dataclass(eq=False)
class _Question:
    """One question, and the task that answers it."""

    id: str
    chosen: Sequence[CheckpointHeader]
    every: Sequence[CheckpointHeader]
    task: asyncio.Task[None] | None = None
    read: int = 0
    last_notice: float = 0.0
    waiting: list[ProofItem] = field(default_factory=list)


class Proofs:
    """Proves checkpoints of the store that is open. The store is only read."""

    def __init__(
        self,
        session: Session,
        notices: Notices,
        is_moving: Callable[[], bool],
        start: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
    ) -> None:
        self._session = session
        self._notices = notices
        self._is_moving = is_moving
        self._start = start
        self._question: _Question | None = None

    def forget(self) -> None:
        """Check nothing further, because another store is opened."""
        question = self._question
        self._question = None
        if question is not None and question.task is not None:
            question.task.cancel()

    async def verify(self, arguments: VerifyArguments) -> VerifyBody:
        """Begin to prove checkpoints. Raise `CheckpointNotFoundError` for an id that is
        not in the run.
        """
        every = await self._session.store.headers(run_id=arguments.run_id)
        known = {header.id: header for header in every}
        for checkpoint_id in arguments.checkpoints:
            if checkpoint_id not in known:
                raise CheckpointNotFoundError(checkpoint_id)
        chosen = [known[checkpoint_id] for checkpoint_id in arguments.checkpoints]
        self.forget()
        question = _Question(arguments.id, chosen or every, every)
        self._question = question
        question.task = self._start(self._answer(question))
        return VerifyBody(id=question.id, of=len(question.chosen))

    async def stop(self, arguments: VerifyStopArguments) -> None:
        """Check no further checkpoint."""
        if self._question is not None and self._question.id == arguments.id:
            self.forget()

    async def _answer(self, question: _Question) -> None:
        from runtime.debug.verify.prover import Prover
        from runtime.debug.verify.workflows import SavedWorkflows
        from runtime.stores import open_store

        failed = ""
        try:
            workflows = SavedWorkflows(self._session.workflow_maker)
            kept = open_store(PROOF_STORE)
            prover = Prover(self._session.store, workflows, kept)
            proofs = prover.proofs(question.chosen, question.every)
            while True:
                # Others are served between two checkpoints.
                await asyncio.sleep(REST if self._has_to_wait() else 0)
                if self._has_to_wait():
                    continue
                proof = await anext(proofs, None)
                if proof is None:
                    break
                question.read += 1
                question.waiting.append(proof_item(proof))
                self._report(question)
        except Exception as error:  # noqa: BLE001 - user code raises anything; the host lives on
            failed = clean(text_of(error))
        self._report(question, done=not failed, failed=failed)

    def _has_to_wait(self) -> bool:
        """Whether the run moves, which comes first, or the window is behind."""
        return self._is_moving() or self._notices.is_behind()

    def _report(
        self, question: _Question, *, done: bool = False, failed: str = ""
    ) -> None:
        """Send new proofs, if it is time."""
        is_last = done or bool(failed)
        is_due = time.monotonic() - question.last_notice >= PROGRESS_EVERY
        if not is_last and not is_due:
            return
        question.last_notice = time.monotonic()
        body = ProvedBody(
            id=question.id,
            proofs=tuple(question.waiting),
            read=question.read,
            of=len(question.chosen),
            done=done,
            failed=failed,
        )
        question.waiting.clear()
        self._notices.send_now("proved", body)


def proof_item(proof: Proof) -> ProofItem:
    """Return a proof as it is sent."""
    return ProofItem(
        checkpoint_id=proof.header.id,
        outcome=proof.outcome,
        checks=tuple(map(_check, proof.checks)),
    )


def _check(check: Check) -> ProofCheck:
    return ProofCheck(
        name=check.name,
        outcome=check.outcome,
        text=clean(check.text),
        findings=tuple(map(_finding, check.findings)),
        more=check.more,
        executors=check.executors,
        recorded=check.recorded,
        again=check.again,
    )


def _finding(finding: Finding) -> ProofFinding:
    has_old = finding.kind != "added" and not _is_sentence(finding)
    has_new = finding.kind != "removed" and not _is_sentence(finding)
    return ProofFinding(
        section=finding.section,
        path=clean(finding.path),
        kind=finding.kind,
        old=to_value(finding.old, 1) if has_old else None,
        new=to_value(finding.new, 1) if has_new else None,
        text=clean(finding.text),
        writer=finding.writer,
        way=finding.at.way,
        executor=finding.at.executor,
        key=finding.at.key,
        recorded_in=finding.checkpoint,
    )


def _is_sentence(finding: Finding) -> bool:
    """Whether a finding says all in words."""
    return bool(finding.text) and finding.old is None and finding.new is None
