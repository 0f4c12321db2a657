"""How a checkpoint comes from its parent, done again in a fresh instance: a superstep,
answers, a fork or an edit, as its cause says.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from runtime.checkpoint import Cause
from runtime.checkpoints.archive import Archive
from runtime.debug.compare.values import differences, is_plainly_equal
from runtime.debug.sections import Place, frames
from runtime.debug.verify.differing import state_findings
from runtime.debug.verify.hidden_state import remembered_by, remembered_by_hooked
from runtime.debug.verify.instances import (
    archive_of,
    attribute_findings,
    hook_findings,
    shared_findings,
    uncopied_findings,
)
from runtime.debug.verify.outside import (
    ONLY_RECORDED,
    not_recorded,
    refuse_outside,
)
from runtime.debug.verify.plain_trees import tree_of
from runtime.debug.verify.results import ENGINE, Finding, UncheckedError
from runtime.debug.verify.scratch import Taken, runner_of, scratch_of, take
from runtime.engine.live_parts import saved_parts, unknown_parts
from runtime.engine.runner import Runner
from runtime.errors import OutsideCallError, RequestError
from runtime.migration.mapping import mapping_from
from runtime.patches import Patch
from runtime.state import RunState, Trace
from runtime.stores.memory import MemoryStore
from runtime.values.user_failures import in_words, text_of

if TYPE_CHECKING:
    from runtime.debug.verify.hidden_state import Remembered
    from runtime.debug.verify.workflows import Workflows
    from runtime.workflow.workflow import Workflow

_SECTIONS = {
    "shared": "state",
    "queue": "messages",
    "buffers": "joins",
    "executors": "executors",
    "requests": "requests",
}
_NOT_KEPT = "A superstep changed {name} of {where}, and no checkpoint keeps it."


@dataclass
class Arrival:
    """What came of it.

    again     the checkpoint that it led to now
    workflow  the instance that did it
    failure   why the superstep failed, in words; then `again` is the parent
    complete  what is live and not in that checkpoint
    changed   values of the parent that were changed in place meanwhile
    """

    again: Taken
    workflow: Workflow
    failure: str = ""
    complete: list[Finding] = field(default_factory=list)
    changed: list[Finding] = field(default_factory=list)


async def arrive(workflows: Workflows, parent: Taken, child: Taken) -> Arrival:
    """Do what led from a checkpoint to its child. Raise `UncheckedError` if that cannot be
    done again, and what a restore raises.
    """
    cause = child.header.cause
    source = child if cause is Cause.EDIT else parent
    workflow = workflows.fresh(source.viewed.definition)
    is_superstep = cause is Cause.SUPERSTEP
    store = await scratch_of(parent, child if is_superstep else None)
    runner = runner_of(workflow, store)
    if cause is Cause.EDIT:
        await _edit(runner, parent, child)
    else:
        await runner.restore(
            parent.header.id, replay=ONLY_RECORDED if is_superstep else None
        )
    state_before = runner.state
    before = remembered_by(workflow)
    failure = ""
    if is_superstep:
        await refuse_outside(workflow, state_before, child.viewed.calls)
        try:
            if await runner.step() is None:
                failure = "Nothing is queued, so there is no superstep."
        except OutsideCallError as error:
            raise not_recorded(error) from error
        except (KeyboardInterrupt, SystemExit, asyncio.CancelledError):
            raise
        except BaseException as error:  # noqa: BLE001 - user code raises anything; it is the finding
            failure = in_words(error)
    elif cause is Cause.RESPONSE:
        await _respond(runner, parent, child)
    header = runner.header
    again = await take(
        Archive(store), parent.header.id if header is None else header.id
    )
    arrival = Arrival(again, workflow, failure)
    if not failure:
        arrival.complete = await _left_out(workflows, runner, again, before)
        if is_superstep:
            arrival.changed = await _changed_in_place(runner, parent, state_before)
    return arrival


async def _edit(runner: Runner, parent: Taken, child: Taken) -> None:
    if child.viewed.patch is not None:
        patch = Patch.model_validate(child.viewed.patch)
        await runner.restore(parent.header.id, patch=patch)
        return
    change = child.viewed.change
    if change is None or "mapping" not in change:
        raise UncheckedError("Not checked: the record does not say what was edited.")
    mapping = mapping_from(change["mapping"])
    await runner.restore(parent.header.id, on_change="migrate", mapping=mapping)


async def _respond(runner: Runner, parent: Taken, child: Taken) -> None:
    """Give the answers that were given, or cancel the questions that were cancelled."""
    recorded = archive_of_runner(runner).rebuilt(child.record, child.parts)
    answers = {
        message.request.id: message.data
        for _, state in frames(recorded.state)
        for message in state.queue
        if message.request is not None and message.request.id in recorded.trace.answered
    }
    try:
        if recorded.trace.answered:
            await runner.answer(answers)
        else:
            before = parent.viewed.state.requests
            await runner.cancel(
                [id_ for id_ in before if id_ not in recorded.state.requests]
            )
    except RequestError as error:
        # A question that a failed handler has left open is open in memory only.
        raise UncheckedError(f"Not checked: {text_of(error)}") from error


def archive_of_runner(runner: Runner) -> Archive:
    """Return an archive that knows the types of the runner's workflow."""
    workflow: Workflow = runner.workflow  # type: ignore[assignment]
    return archive_of(workflow)


# --- complete at save ---------------------------------------------------------------------------------------------


async def _left_out(
    workflows: Workflows, runner: Runner, again: Taken, before: Remembered
) -> list[Finding]:
    """Return what is live in a run and does not come back from its checkpoint."""
    workflow: Workflow = runner.workflow  # type: ignore[assignment]
    loaded = archive_of(workflow).rebuilt(again.record, again.parts).state
    findings = engine_findings(runner)
    findings += part_findings(runner.state, loaded)
    findings += uncopied_findings(runner.state)
    findings += shared_findings(runner.state, None, workflow)
    after = remembered_by(workflow)
    changed = attribute_findings(before, after, _NOT_KEPT)
    if changed:
        # Hooks may bring back what a handler has changed.
        restored = workflows.fresh(again.viewed.definition)
        await hook_findings(restored, loaded)
        kept = remembered_by_hooked(restored)
        changed = attribute_findings(before, after, _NOT_KEPT, only=kept)
    return findings + changed


def engine_findings(runner: Runner) -> list[Finding]:
    """Return the attributes of the engine of which nobody says where they are kept."""
    return [
        Finding(
            ENGINE,
            f"{part.owner}.{part.attribute}",
            text=f"{part.owner}.{part.attribute} is not registered in "
            "runtime/engine/live_parts.py, so nothing says that a checkpoint keeps it.",
        )
        for part in unknown_parts(runner)
    ]


def part_findings(live: RunState, loaded: RunState) -> list[Finding]:
    """Return where a live state and what a checkpoint gave back differ, part by part."""
    live, loaded = _without_equal_keys(live, loaded)
    before = tree_of(live).fields
    after = tree_of(loaded).fields
    findings = []
    for name in saved_parts():
        changes = differences(before.get(name), after.get(name))
        for path, kind, old, new, *_ in changes:
            section = _SECTIONS.get(name, "run")
            place = path if name in _SECTIONS else f"{name}{path}"
            text = "This is live, and not what the checkpoint gives back."
            findings.append(
                Finding(section, place, kind, old, new, text=text, at=Place())
            )
    return findings


def _without_equal_keys(live: RunState, loaded: RunState) -> tuple[RunState, RunState]:
    """Return both without the keys of the shared state that are plainly equal, because
    a tree of a large value takes ten times as long.
    """
    equal = {
        key
        for key in live.shared.keys() & loaded.shared.keys()
        if is_plainly_equal(live.shared[key], loaded.shared[key])
    }
    left = [
        {key: value for key, value in state.shared.items() if key not in equal}
        for state in (live, loaded)
    ]
    return replace(live, shared=left[0]), replace(loaded, shared=left[1])


async def _changed_in_place(
    runner: Runner, parent: Taken, state: RunState
) -> list[Finding]:
    """Return the values of a state that handlers have changed while they were given
    them, with who got each.
    """
    workflow: Workflow = runner.workflow  # type: ignore[assignment]
    archive = archive_of(workflow, MemoryStore())
    header = parent.header
    saved = await archive.save(
        state,
        Trace(),
        run_id=header.run_id,
        workflow=header.workflow,
        cause=header.cause,
        parent=None,
        branch=header.branch,
        definition=parent.viewed.definition,
    )
    after = await take(archive, saved.id)
    return [
        finding._replace(
            text="Its handler changed the value that it was given. Others have it, too.",
            writer=", ".join(_receivers(runner.trace, finding)),
        )
        for finding in state_findings(parent, after)
    ]


def _receivers(trace: Trace, finding: Finding) -> list[str]:
    before = "".join(f"{key}/" for key in finding.at.way)
    source = finding.at.source
    receivers = [
        call.executor_id
        for call in trace.invocations
        if call.executor_id.startswith(before)
        and (not source or source in call.sources)
    ]
    return list(dict.fromkeys(receivers))
