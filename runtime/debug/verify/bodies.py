"""Proofs as they are sent to the window."""

from __future__ import annotations

from runtime.debug.protocol import ProofCheck, ProofFinding, ProofItem
from runtime.debug.values.display import to_value
from runtime.debug.values.shapes import clean
from runtime.debug.verify.results import Check, Finding, Proof


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
