"""Answers to the question what differs between two checkpoints.

Everything is read from the store, because values of a live run have other types. Large
states take a while, so the run and other questions get their turns in between, and the
question can be dropped.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from runtime.checkpoint import CheckpointHeader
from runtime.checkpoints.archive import Archive
from runtime.debug.compare.checkpoints import Change, Past, changes
from runtime.debug.compare.divergence import Divergence, Limits, Row, diverge
from runtime.debug.compare.divergence_cause import NOTHING, Outcome, Reason
from runtime.debug.compare.other_store import OtherStore
from runtime.debug.compare.two_lines import Side
from runtime.debug.moments.moment import Snapshot
from runtime.debug.protocol import (
    ChangeItem,
    ChangeKind,
    DiffArguments,
    DiffBody,
    DivergedSide,
    DivergenceArguments,
    DivergenceBody,
    DivergenceReason,
    DivergenceRow,
    InsideRun,
    OutputItem,
    OutputsArguments,
    OutputsBody,
    RunsBody,
)
from runtime.debug.questions.inspector import Inspector
from runtime.debug.sections import GRAPH, HEADER, OUTPUTS
from runtime.debug.session.session import Session
from runtime.debug.supersteps.trail import Step
from runtime.debug.timeline.runs import runs_body
from runtime.debug.values.display import to_value
from runtime.debug.values.shapes import clean
from runtime.errors import WorkflowCheckpointException
from runtime.state import RunState, owner_of

CHANGES = 1000
CHANGE_DEPTH = 2
# Seconds of comparing after which others get their turn.
TURN = 0.02
# Seconds that one question may spend on reading the past of a checkpoint.
PAST_READING = 0.06


@dataclass(frozen=True, slots=True)
class Known:
    """What the traces on the way to a checkpoint tell: when each question was answered,
    and who wrote each key of the state last, by the way to its run and the key.
    """

    answered: dict[str, int] = field(default_factory=dict)
    writers: dict[tuple[tuple[str, ...], str], str] = field(default_factory=dict)


class Comparer:
    """Compare checkpoints of the store that a session has open. Nothing changes."""

    def __init__(self, session: Session, inspector: Inspector) -> None:
        self._session = session
        self._inspector = inspector
        self._other = OtherStore()
        # Seconds that one question may spend on reading outputs, and the pairs of runs
        # with which that was not enough: they are not tried again.
        self.outputs_reading = 1.0
        self._long_runs: set[tuple[str, str]] = set()

    async def close(self) -> None:
        """Close the other store, if one is open, and forget what was read."""
        self._long_runs.clear()
        await self._other.close()

    async def runs(self, url: str) -> RunsBody:
        """Return the runs of another store. Raise `CheckpointStoreError` if it cannot be
        opened.
        """
        return runs_body(await self._other.runs(url))

    async def diff(self, arguments: DiffArguments) -> DiffBody:
        """Return the differences between a checkpoint and the inspected one. Raise
        `LookupError` if no run is inside.
        """
        newer = arguments.checkpoint_id or self._head_id()
        archive = await self._base_archive(arguments)
        before = await self._base(arguments)
        after = await self._inspector.snapshot(newer)
        runs = (_run_id(before), _run_id(after))
        known_before = await self._known(before.header, archive)
        known_after = await self._known(after.header)
        keys: tuple[str, ...] = ()
        base_run = ""
        base_runs: tuple[InsideRun, ...] = ()
        if arguments.inside:
            base_keys = base_way(after, arguments)
            _, present, base_runs = before.follow(arguments.inside, base_keys)
            if present == base_keys:
                base_run = base_keys[-1]
            keys, before, after = inside_both(before, after, arguments)
        items: list[ChangeItem] = []
        more = 0
        turn_ends = time.perf_counter() + TURN
        pasts = Past(known_before.answered), Past(known_after.answered)
        for change in changes(before, after, *pasts):
            if time.perf_counter() > turn_ends:
                await asyncio.sleep(0)
                turn_ends = time.perf_counter() + TURN
            # The facts of the header come last and are few.
            if len(items) < CHANGES or change.section == HEADER:
                known = known_before if change.kind == "removed" else known_after
                items.append(change_item(change, (before, after), known, keys))
            else:
                more += 1
        outputs, outputs_compared = await self._outputs(arguments, newer, runs)
        place = sum(item.section not in (GRAPH, HEADER) for item in items)
        items[place:place] = outputs
        return DiffBody(
            base=arguments.base,
            checkpoint_id=newer,
            changes=tuple(items),
            more=more,
            outputs_compared=outputs_compared,
            base_runs=base_runs,
            base_run=base_run,
        )

    async def _outputs(
        self, arguments: DiffArguments, newer: str | None, runs: tuple[str, str]
    ) -> tuple[list[ChangeItem], bool]:
        """Return the outputs on the way to one checkpoint and not to the other, and
        whether they could be compared: of too many only the newest are known, and the
        first look at a long way takes too long.
        """
        if arguments.inside or newer is None:
            return [], True  # only outputs of the outermost run are recorded
        if runs in self._long_runs:
            return [], False
        try:
            async with asyncio.timeout(self.outputs_reading):
                before = await self._outputs_until_base(arguments)
                question = OutputsArguments(checkpoint_id=newer)
                after = await self._inspector.outputs(question)
        except TimeoutError:
            self._long_runs.add(runs)
            return [], False
        if before.left_out or after.left_out:
            return [], before.items == after.items
        return output_changes(before.items, after.items), True

    async def _outputs_until_base(self, arguments: DiffArguments) -> OutputsBody:
        if not arguments.base_store:
            question = OutputsArguments(checkpoint_id=arguments.base)
            return await self._inspector.outputs(question)
        store = await self._other.open(arguments.base_store)
        header = (await store.load(arguments.base)).header
        return await self._other.outputs.until(store, header)

    async def divergence(self, arguments: DivergenceArguments) -> DivergenceBody:
        """Return where the ways to a checkpoint and to the inspected one part. Raise
        `LookupError` as `diff` does.
        """
        newer = arguments.checkpoint_id or self._head_id()
        before = await self._base(arguments)
        after = await self._inspector.snapshot(newer)
        if before.header is None or after.header is None:
            raise LookupError("There is no checkpoint to compare.")
        keys: tuple[str, ...] = ()
        if arguments.inside:
            keys, _, _ = inside_both(before, after, arguments)
        divergence = await diverge(
            Side(await self._base_archive(arguments), before.header),
            Side(Archive(self._session.store), after.header),
            keys,
            Limits(arguments.seconds, arguments.counting),
        )
        return await self._divergence_body(divergence, arguments, newer, keys)

    async def _base_archive(
        self, arguments: DiffArguments | DivergenceArguments
    ) -> Archive:
        if arguments.base_store:
            return await self._other.archive(arguments.base_store)
        return Archive(self._session.store)

    async def _base(self, arguments: DiffArguments | DivergenceArguments) -> Snapshot:
        """Return the base, as it is in its store."""
        if not arguments.base_store:
            return await self._inspector.snapshot(arguments.base)
        archive = await self._base_archive(arguments)
        return Snapshot.of(await archive.view(arguments.base))

    async def _divergence_body(
        self,
        divergence: Divergence,
        arguments: DivergenceArguments,
        checkpoint_id: str | None,
        keys: tuple[str, ...],
    ) -> DivergenceBody:
        first_base = divergence.base
        first_other = divergence.other
        sides = [header for header in (first_base, first_other) if header is not None]
        archive = await self._base_archive(arguments)
        known_base = await self._known(first_base, archive)
        known_other = await self._known(first_other)
        last = divergence.equal - 1
        equal_base = divergence.lines.base[last] if divergence.equal else None
        equal_other = divergence.lines.other[last] if divergence.equal else None

        def item(change: Change) -> ChangeItem:
            known = known_base if change.kind == "removed" else known_other
            return change_item(change, divergence.barriers, known, keys)

        return DivergenceBody(
            base=arguments.base,
            checkpoint_id=checkpoint_id,
            equal=divergence.equal,
            equal_base=equal_base.id if equal_base is not None else None,
            equal_other=equal_other.id if equal_other is not None else None,
            superstep=equal_base.superstep if equal_base is not None else 0,
            first_base=first_base.id if first_base is not None else None,
            first_other=first_other.id if first_other is not None else None,
            first_superstep=sides[0].superstep if sides else 0,
            is_proved=divergence.first.is_proved,
            unread=divergence.first.unread,
            is_whole=divergence.lines.is_whole,
            reason=_reason(divergence.reason, keys),
            changes=tuple(map(item, divergence.changes)),
            graph=tuple(map(item, divergence.graph)),
            following=tuple(map(_row, divergence.following)),
        )

    def _head_id(self) -> str | None:
        session = self._session
        if session.has_run and session.runner.header is not None:
            return session.runner.header.id
        return None

    async def _known(
        self, header: CheckpointHeader | None, archive: Archive | None = None
    ) -> Known:
        if header is None:
            return Known()
        if archive is None:
            archive = Archive(self._session.store)
        try:
            steps, _ = await self._session.trail.line(archive, header, PAST_READING)
        except WorkflowCheckpointException:
            return Known()
        return known_of(steps)


def _run_id(snapshot: Snapshot) -> str:
    return snapshot.header.run_id if snapshot.header is not None else ""


def _reason(reason: Reason | None, keys: tuple[str, ...]) -> DivergenceReason | None:
    if reason is None:
        return None
    base, other = map(_side, reason.outcomes)
    way = (*keys, *reason.at.way)
    return DivergenceReason(
        kind=reason.kind,
        text=clean(reason.text),
        base=base,
        other=other,
        way=way,
        inside=tuple(owner_of(key) for key in way),
        executor=reason.at.executor,
        source=reason.at.source,
        edge=reason.edge,
        note=clean(reason.note),
    )


def _side(outcome: Outcome) -> DivergedSide:
    value = None
    if outcome.value is not NOTHING:
        value = to_value(outcome.value, CHANGE_DEPTH)
    return DivergedSide(words=clean(outcome.words), value=value)


def _row(row: Row) -> DivergenceRow:
    return DivergenceRow(
        superstep=row.superstep,
        base=row.base.id if row.base is not None else None,
        other=row.other.id if row.other is not None else None,
        differences=row.differences,
    )


def known_of(steps: Iterable[Step]) -> Known:
    """Return what the steps to a checkpoint tell, the newest first."""
    known = Known()
    for step in steps:
        for request_id in step.trace.answered:
            # The superstep that takes the answer names it too, so the oldest counts.
            known.answered[request_id] = step.header.superstep
        for call in reversed(step.trace.invocations):
            *way, executor = call.executor_id.split("/")
            for key in call.wrote:
                known.writers.setdefault((tuple(way), key), executor)
    return known


def output_changes(
    before: Iterable[OutputItem], after: Iterable[OutputItem]
) -> list[ChangeItem]:
    """Return the outputs that only one side has. It does not matter in which superstep
    they were yielded.
    """
    unmatched: dict[str, list[OutputItem]] = {}
    for output in before:
        unmatched.setdefault(_what(output), []).append(output)
    added = []
    for output in after:
        same = unmatched.get(_what(output))
        if same:
            same.pop(0)
        else:
            added.append(_output_change("added", output))
    removed = [
        _output_change("removed", output)
        for outputs in unmatched.values()
        for output in outputs
    ]
    return removed + added


def _what(output: OutputItem) -> str:
    return output.model_dump_json(include={"executor", "path", "text", "cut", "value"})


def _output_change(kind: ChangeKind, output: OutputItem) -> ChangeItem:
    return ChangeItem(
        section=OUTPUTS,
        path=output.executor,
        kind=kind,
        old=output.value if kind == "removed" else None,
        new=output.value if kind == "added" else None,
        way=output.path,
        executor=output.executor,
    )


def base_way(
    after: Snapshot, arguments: DiffArguments | DivergenceArguments
) -> tuple[str, ...]:
    """Return the keys of the run that is compared with: those of the inspected one,
    unless another run of the innermost sub-workflow is chosen.
    """
    _, keys, _ = after.follow(arguments.inside, arguments.runs)
    if isinstance(arguments, DiffArguments) and arguments.base_run:
        return (*keys[:-1], arguments.base_run)
    return keys


def inside_both(
    before: Snapshot, after: Snapshot, arguments: DiffArguments | DivergenceArguments
) -> tuple[tuple[str, ...], Snapshot, Snapshot]:
    """Return the keys of a run of a sub-workflow, and that run in two checkpoints. A
    run that has not begun there, or has ended, is empty.
    """
    _, keys, _ = after.follow(arguments.inside, arguments.runs)
    inner_after = after.run_at(keys)
    inner_before = before.run_at(base_way(after, arguments))
    present = inner_after or inner_before
    if present is None:
        raise LookupError("Nothing runs inside at this moment.")
    empty = replace(present, state=RunState())
    return keys, inner_before or empty, inner_after or empty


def change_item(
    change: Change,
    both: tuple[Snapshot, Snapshot],
    known: Known,
    keys: tuple[str, ...] = (),
) -> ChangeItem:
    """Return a change for the window. `keys` lead to the run that is compared."""
    value_before = None
    value_after = None
    if change.kind != "added":
        value_before = to_value(change.old, CHANGE_DEPTH)
    if change.kind != "removed":
        value_after = to_value(change.new, CHANGE_DEPTH)
    at = change.at
    executor = at.executor
    if not executor and at.key:
        executor = known.writers.get(((*keys, *at.way), at.key), "")
    return ChangeItem(
        section=change.section,
        path=clean(change.path),
        kind=change.kind,
        old=value_before,
        new=value_after,
        before=clean(change.before),
        after=clean(change.after),
        way=at.way,
        executor=executor,
        source=at.source,
        edge=_join_of(change, both),
    )


def _join_of(change: Change, both: tuple[Snapshot, Snapshot]) -> str:
    if not change.at.join:
        return ""
    before, after = both
    outer = before if change.kind == "removed" else after
    run = outer.run_at(change.at.way)
    joins = run.graph.joins if run is not None else ()
    edges = (join.edge for join in joins if join.key == change.at.join)
    return next(edges, "")
