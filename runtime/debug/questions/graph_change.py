"""Answers to the questions how a changed graph differs from that of a checkpoint, and how
it would go on from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from runtime.checkpoint import Cause, CheckpointHeader
from runtime.checkpoints.archive import Archive
from runtime.debug.protocol import (
    ChangePlanArguments,
    ChangePlanBody,
    GraphChange,
    GraphChangesArguments,
    GraphChangesBody,
    HeldThing,
    MappingLevel,
)
from runtime.debug.questions.forecasts import lost_messages, upcoming_calls
from runtime.debug.session.session import Session
from runtime.debug.supersteps.trail import Step as TrailStep
from runtime.debug.values.shapes import clean
from runtime.document.code_files import code_files
from runtime.document.definition import WorkflowDefinition, WorkflowFile
from runtime.document.saved_part import saved_part
from runtime.migration.changes import Change, changes_between
from runtime.migration.effect import Step, effect_of, newest_untouched
from runtime.migration.mapping import mapping_from
from runtime.migration.outline import Outline
from runtime.migration.outline_reader import outline_of
from runtime.migration.proposal import all_renames
from runtime.migration.renames import renames_between
from runtime.migration.report import Item

# Seconds that one question may spend on reading the way to a checkpoint.
READING = 0.2
_MOST_LEVELS = 64


async def graph_changes(
    session: Session, arguments: GraphChangesArguments
) -> GraphChangesBody:
    """Return how a document differs from the graph of a checkpoint, and until where the
    recorded run would have been the same. Builds and runs nothing.
    """
    file = WorkflowFile.model_validate(arguments.document)
    archive = Archive(session.store)
    checkpoint = await archive.view(arguments.checkpoint_id)
    before = outline_of(checkpoint.definition)
    folder = Path(arguments.folder or ".")
    after = outline_of(saved_part(file.workflow, folder))
    renames = all_renames(before, after)
    changes = changes_between(before, after, renames)
    header = checkpoint.header
    changes += _saved_since(file.workflow, folder, header, changes)
    complete = True
    newest = header
    if changes:
        way, complete = await session.trail.line(archive, header, READING)
        effect = effect_of(before, after, changes, renames)
        newest, _ = await archive.trace(newest_untouched(effect, _steps(way)))
    return GraphChangesBody(
        checkpoint_id=header.id,
        changes=_shown(changes),
        before=newest,
        complete=complete,
    )


def _saved_since(
    workflow: WorkflowDefinition,
    folder: Path,
    header: CheckpointHeader,
    known: Sequence[Change],
) -> list[Change]:
    """Return a change for each node and reducer whose Python file was saved after a
    checkpoint, besides those that are known to have changed.
    """
    places = {(change.inside, change.element, change.id) for change in known}
    changes = []
    for file in code_files(workflow, folder):
        place = (file.inside, file.element, file.id)
        if place in places or not _is_newer(file.path, header):
            continue
        places.add(place)
        name = f"Executor '{file.id}'"
        if file.element == "reducer":
            name = f"The reducer of '{file.id}'"
        where = f" in '{'/'.join(file.inside)}'" if file.inside else ""
        text = f"{name}{where}: its file {file.path.name} was saved after the run"
        changes.append(
            Change("changed", file.element, file.id, text, "code", file.inside)
        )
    return changes


def _is_newer(path: Path, header: CheckpointHeader) -> bool:
    try:
        return path.stat().st_mtime > header.time
    except OSError:
        return False


def _steps(way: Sequence[TrailStep]) -> list[Step]:
    return [
        Step(
            step.header.id,
            step.header.parent,
            step.trace,
            step.header.cause is Cause.SUPERSTEP,
        )
        for step in way
    ]


async def change_plan(
    session: Session, arguments: ChangePlanArguments
) -> ChangePlanBody:
    """Return how the open workflow would go on from a checkpoint. Raise `MappingError`
    for what is no mapping.
    """
    # Imported here, because most runs never meet another graph.
    from runtime.engine.forecast import Forecast, next_superstep

    mapping = None if arguments.mapping is None else mapping_from(arguments.mapping)
    runner = session.planning_runner()
    plan = await runner.plan_change(arguments.checkpoint_id, mapping)
    upcoming = Forecast()
    if not plan.problems:
        upcoming = await next_superstep(runner.workflow, plan.after.state)
    before = outline_of(plan.before.definition)
    after = outline_of(runner.workflow.saved_definition())
    header = plan.before.header
    changes = list(plan.changes)
    if session.definition is not None:
        folder = Path(session.folder or ".")
        changes += _saved_since(session.definition, folder, header, changes)
    return ChangePlanBody(
        checkpoint_id=header.id,
        changes=_shown(changes),
        mapping=plan.mapping.as_json(),
        levels=tuple(_levels(before, after, ())),
        kept=plan.kept,
        dropped=_things(plan.dropped),
        problems=_things(plan.problems),
        upcoming=upcoming_calls(upcoming),
        lost=lost_messages(upcoming),
        error=clean(upcoming.error),
    )


def _shown(changes: Sequence[Change]) -> tuple[GraphChange, ...]:
    return tuple(
        GraphChange(
            kind=change.kind,
            element=change.element,
            id=change.id,
            text=clean(change.text),
            field=change.field,
            inside=change.inside,
        )
        for change in changes
    )


def _things(items: Sequence[Item]) -> tuple[HeldThing, ...]:
    return tuple(
        HeldThing(
            text=clean(item.text),
            executor=item.executor,
            aspect=item.aspect,
            inside=item.inside,
        )
        for item in items
    )


def _levels(
    before: Outline, after: Outline, inside: tuple[str, ...]
) -> list[MappingLevel]:
    """Return what a mapping may choose from, level by level."""
    joins = [(edge.id, edge.ways) for edge in after.joins.values()]
    level = MappingLevel(
        inside=inside, executors=tuple(after.executors), joins=tuple(joins)
    )
    levels = [level]
    if len(inside) >= _MOST_LEVELS:
        return levels
    names = renames_between(before, after)
    for old_id, old in before.executors.items():
        new = after.executors.get(names.get(old_id, old_id))
        if old.inner is not None and new is not None and new.inner is not None:
            levels += _levels(old.inner, new.inner, (*inside, old_id))
    return levels
