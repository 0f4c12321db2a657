"""`ChangePlan`: how a changed workflow goes on from a checkpoint, known before anything
is done: what changed, what is kept and dropped, why it cannot, and who runs next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from runtime.concurrency.cancellation import StopSignal, run_in_own_task
from runtime.engine.restore_checks import misfits
from runtime.engine.route import Decisions
from runtime.engine.sub_runs import (
    Frame,
    Path,
    decide_and_route,
    give_up_conditions,
    has_undecided,
    route_tree,
)
from runtime.migration.changes import Change, changes_between, summary
from runtime.migration.mapping import NO_MAPPING, GraphMapping
from runtime.migration.outline import Outline
from runtime.migration.outline_reader import outline_of
from runtime.migration.proposal import all_renames, needs_of, propose
from runtime.migration.renamed_trace import renamed_trace
from runtime.migration.report import Item
from runtime.migration.transfer import transfer
from runtime.values.user_failures import in_words

if TYPE_CHECKING:
    from runtime.checkpoint import Checkpoint
    from runtime.graph.workflow_graph import WorkflowGraph
    from runtime.state import RunState

_LONGEST_SUMMARY = 300


@dataclass(frozen=True, slots=True)
class Delivered:
    """An executor that the next superstep runs: with how many calls, and whose
    messages.
    """

    executor_id: str
    calls: int
    sources: tuple[str, ...]
    path: Path = ()

    @property
    def name(self) -> str:
        return "/".join((*self.path, self.executor_id))


@dataclass(frozen=True, slots=True)
class NextSuperstep:
    """What the next superstep does, or why that is not known.

    lost  the messages that nothing takes, as (source, target, reason)
    """

    delivered: tuple[Delivered, ...] = ()
    released: tuple[str, ...] = ()
    lost: tuple[tuple[str, str, str], ...] = ()
    error: str = ""


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


async def next_superstep(workflow: WorkflowGraph, state: RunState) -> NextSuperstep:
    """Return what the next superstep of a state does. Conditions are evaluated, and
    what one raises is the error. No handler runs.
    """
    try:
        root = await run_in_own_task(partial(_routed, workflow, state))
    except Exception as error:  # noqa: BLE001 - a condition is user code and raises anything
        return NextSuperstep(error=in_words(error))
    delivered: list[Delivered] = []
    released: list[str] = []
    lost: list[tuple[str, str, str]] = []
    for frame in root:
        routing = frame.routing
        for executor_id, deliveries in routing.deliveries.items():
            sources = dict.fromkeys(
                source for delivery in deliveries for source in delivery.sources
            )
            delivered.append(
                Delivered(executor_id, len(deliveries), tuple(sources), frame.path)
            )
        released += [release.edge_id for release in routing.releases]
        lost += [
            (fate.source_id, fate.target_id or "", fate.reason)
            for fate in routing.fates
            if fate.kind == "dropped"
        ]
    return NextSuperstep(tuple(delivered), tuple(released), tuple(lost))


async def _routed(workflow: WorkflowGraph, state: RunState, stop: StopSignal) -> Frame:
    decisions: dict[Path, Decisions] = {}
    root = route_tree(workflow, state, decisions)
    if has_undecided(root):
        return await decide_and_route(root, decisions, stop)
    give_up_conditions(root)
    return root
