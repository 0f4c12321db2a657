"""Restore proofs: which checkpoints are checked, and what was found."""

from __future__ import annotations

from typing import Literal

from runtime.debug.protocol.comparison import ChangeKind
from runtime.debug.protocol.packets import Model
from runtime.debug.protocol.values import Value

ProofOutcome = Literal["proved", "failed", "unchecked", "none"]
ProofCheckName = Literal["complete", "round_trip", "advance"]
PROOF_TITLES: dict[ProofCheckName, str] = {
    "complete": "Complete at save",
    "round_trip": "Round trip",
    "advance": "Restore and advance",
}


class VerifyArguments(Model):
    """Prove some checkpoints, or with none all those of a run. Handlers run again. The
    results come as notices `proved` under the `id` of the asker, and another question
    ends this one.
    """

    id: str
    run_id: str
    checkpoints: tuple[str, ...] = ()


class VerifyStopArguments(Model):
    id: str


class VerifyBody(Model):
    """How many checkpoints will be checked, and the URL of the store that keeps what
    came of failed advances, so that it can be compared with what was recorded.
    """

    id: str
    of: int
    kept: str


class ProofRequest(Model):
    """What the process of a proof is asked, on its standard input.

    kept               the store for what comes of failed advances
    reference, folder  what makes a workflow that was made in code, if something does
    """

    store: str
    kept: str
    arguments: VerifyArguments
    reference: str = ""
    folder: str = ""


class ProofFinding(Model):
    """One fault: the part of the checkpoint and the path in it, what was recorded and
    what came of it now.

    text      what is wrong, as a sentence; "" for a plain difference
    writer    who made the value: the path of an executor
    way, executor, key   what it leads to, as in a `ChangeItem`
    recorded_in          the id of the recorded checkpoint that it was compared with, if any
    """

    section: str
    path: str = ""
    kind: ChangeKind = "changed"
    old: Value | None = None
    new: Value | None = None
    text: str = ""
    writer: str = ""
    way: tuple[str, ...] = ()
    executor: str = ""
    key: str = ""
    recorded_in: str = ""


class ProofCheck(Model):
    """One of the three checks.

    executors  the executors that the text names, by their paths
    more       findings that are not sent
    recorded, again   of a failed advance: the id of the recorded checkpoint, and of the
                      one in the kept store that came of it now
    """

    name: ProofCheckName
    outcome: ProofOutcome
    text: str = ""
    findings: tuple[ProofFinding, ...] = ()
    more: int = 0
    executors: tuple[str, ...] = ()
    recorded: str = ""
    again: str = ""


class ProofItem(Model):
    """The proof of one checkpoint."""

    checkpoint_id: str
    outcome: ProofOutcome
    checks: tuple[ProofCheck, ...] = ()


class ProvedBody(Model):
    """New proofs, and how far the question is answered: `read` of `of` checkpoints.

    done    all are checked
    failed  why no more can be checked, or ""
    """

    id: str
    proofs: tuple[ProofItem, ...] = ()
    read: int = 0
    of: int = 0
    done: bool = False
    failed: str = ""
