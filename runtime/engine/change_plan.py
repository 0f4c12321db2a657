"""`ChangePlan`: how a changed workflow goes on from a checkpoint, known before anything
is done: what changed, what is kept and dropped, and why it cannot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from runtime.engine.restore_checks import misfits
from runtime.migration.changes import Change, changes_between, summary
from runtime.migration.mapping import NO_MAPPING, GraphMapping
from runtime.migration.outline import Outline
from runtime.migration.outline_reader import outline_of
from runtime.migration.proposal import all_renames, needs_of, propose
from runtime.migration.renamed_trace import renamed_trace
from runtime.migration.report import Item
from runtime.migration.transfer import transfer

if TYPE_CHECKING:
    from runtime.checkpoint import Checkpoint
    from runtime.graph.workflow_graph import WorkflowGraph

_LONGEST_SUMMARY = 300


@dataclass(frozen=True)
class ChangePlan:
    """How the changed workflow goes on from `before`.

    after    the checkpoint as the changed workflow takes it over; it counts only without problems
    changes  how the two graphs differ; empty where they do not
    mapping  where everything goes: the proposal, with the caller's entries in its place
    kept     what goes on, counted in words; `dropped` and `problems` name each thing
    """

    before: Checkpoint
    after: Checkpoint
    changes: tuple[Change, ...]
    mapping: GraphMapping
    kept: tuple[str, ...]
    dropped: tuple[Item, ...]
    problems: tuple[Item, ...]

    def record(self) -> dict[str, Any]:
        """Return what the checkpoint of the change keeps of it."""
        header = self.before.header
        return {
            "from": header.id,
            "signature": header.signature,
            "changes": [change.as_json() for change in self.changes],
            "mapping": self.mapping.as_json(),
            "kept": list(self.kept),
            "dropped": [item.text for item in self.dropped],
        }

    def summary(self) -> str:
        """Return the difference as one line, for the header of the checkpoint."""
        text = summary(self.changes)
        if len(text) > _LONGEST_SUMMARY:
            text = text[: _LONGEST_SUMMARY - 1] + "…"
        return text


def plan_of(
    workflow: WorkflowGraph, checkpoint: Checkpoint, mapping: GraphMapping | None
) -> ChangePlan:
    """Return how a workflow goes on from a checkpoint. Reads nothing, runs nothing."""
    before = outline_of(checkpoint.definition)
    after = outline_of(workflow.saved_definition())
    proposal = propose(before, after, needs_of([checkpoint.state]))
    full_mapping = (mapping or NO_MAPPING).over(proposal)
    changes = _changes(workflow, checkpoint, before, after)
    moved = transfer(before, workflow, checkpoint.state, full_mapping)
    report = moved.report
    problems = list(report.problems)
    if not problems:
        problems = [Item(text) for text in misfits(workflow, moved.state)]
    after_change = replace(
        checkpoint,
        state=moved.state,
        trace=renamed_trace(checkpoint.trace, full_mapping),
    )
    return ChangePlan(
        before=checkpoint,
        after=after_change,
        changes=tuple(changes),
        mapping=full_mapping,
        kept=tuple(report.kept_words()),
        dropped=tuple(report.dropped),
        problems=tuple(problems),
    )


def _changes(
    workflow: WorkflowGraph, checkpoint: Checkpoint, before: Outline, after: Outline
) -> Sequence[Change]:
    changes = changes_between(before, after, all_renames(before, after))
    signature = checkpoint.header.signature
    if changes or signature in ("", workflow.signature()):
        return changes
    return [unseen_change(before)]


def unseen_change(before: Outline) -> Change:
    """Return the change of which a checkpoint of an older version keeps too little."""
    files = [
        f"'{executor.id}' ({executor.file})"
        for executor in before.executors.values()
        if executor.file and executor.inner is None
    ]
    if files:
        text = f"The file of the sub-workflow {' or '.join(files)} is not what it was"
    else:
        text = "A class, or the Python code of a condition, is not what it was"
    return Change("changed", "workflow", "", text, "code")


def reducer_changes(workflow: WorkflowGraph, checkpoint: Checkpoint) -> list[Change]:
    """Return which reducers of the shared state are others than in a checkpoint."""
    before = outline_of(checkpoint.definition)
    after = outline_of(workflow.saved_definition())
    changes = changes_between(before, after)
    return [change for change in changes if change.element == "reducer"]
