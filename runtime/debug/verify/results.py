"""What a restore proof says of a checkpoint: three checks, each with what it has found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from runtime.checkpoint import CheckpointHeader
from runtime.debug.compare.values import Kind
from runtime.debug.sections import Place

Outcome = Literal["proved", "failed", "unchecked", "none"]
CheckName = Literal["complete", "round_trip", "advance"]

TITLES: dict[CheckName, str] = {
    "complete": "Complete at save",
    "round_trip": "Round trip",
    "advance": "Restore and advance",
}
# Sections of findings that are not sections of a checkpoint.
ATTRIBUTES = "attributes"
SHARING = "sharing"
ENGINE = "engine"
CODE = "code"
GRAPH = "graph"
FINDING_TITLES = {
    ATTRIBUTES: "Attributes",
    SHARING: "Shared values",
    ENGINE: "Engine",
    CODE: "Code",
}
# So many findings of one check are kept; the others are counted.
MOST_FINDINGS = 50


class Finding(NamedTuple):
    """One fault.

    section     the section of the checkpoint, or one of `FINDING_TITLES`
    path        the place in the section, such as `['reach'].certifi`
    old, new    what was recorded, and what came of it now; both None where `text` says it
    text        what is wrong, as a sentence; "" for a plain difference
    writer      who made the value: the path of an executor
    checkpoint  the id of the recorded checkpoint that it was compared with, if any
    """

    section: str
    path: str = ""
    kind: Kind = "changed"
    old: Any = None
    new: Any = None
    text: str = ""
    writer: str = ""
    at: Place = Place()
    checkpoint: str = ""


@dataclass(frozen=True)
class Check:
    """One of the three checks.

    text       what was checked, or why it was not, in a sentence or two
    executors  the executors that `text` names, by their paths
    more       findings that are not kept
    recorded   of a failed advance: the id of the recorded checkpoint
    again      the id of what came of it now, in the store that keeps it
    """

    name: CheckName
    outcome: Outcome
    text: str
    findings: tuple[Finding, ...] = ()
    more: int = 0
    executors: tuple[str, ...] = ()
    recorded: str = ""
    again: str = ""


@dataclass(frozen=True)
class Proof:
    """The three checks of one checkpoint, in their order."""

    header: CheckpointHeader
    checks: tuple[Check, ...] = field(default=())

    @property
    def outcome(self) -> Outcome:
        """Return `failed` if one check has failed, else `unchecked` if one could not be
        made, else `proved`.
        """
        outcomes = {check.outcome for check in self.checks}
        if "failed" in outcomes:
            return "failed"
        if "unchecked" in outcomes:
            return "unchecked"
        return "proved"


class UncheckedError(Exception):
    """A check cannot be made. Its text says why, and `executors` are those it names."""

    def __init__(self, text: str, executors: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.text = text
        self.executors = tuple(executors)


def concluded(
    name: CheckName,
    findings: Sequence[Finding],
    *,
    proved: str,
    failed: str,
) -> Check:
    """Return a check that was made: failed if it has findings."""
    if not findings:
        return Check(name, "proved", proved)
    return Check(
        name,
        "failed",
        failed,
        tuple(findings[:MOST_FINDINGS]),
        max(0, len(findings) - MOST_FINDINGS),
    )


def unchecked(name: CheckName, reason: UncheckedError) -> Check:
    """Return a check that could not be made."""
    return Check(name, "unchecked", reason.text, executors=reason.executors)
