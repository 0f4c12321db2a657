"""The restore proof: for each checkpoint, is everything in the record, does it come
back, and does the run go on from it as it did.

The store is only read. Handlers run again, each recorded superstep up to three times,
in instances of their own and with scratch stores in memory. Executors that reach outside
are not run. Cancel the task to stop.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from runtime.checkpoint import Cause, CheckpointHeader, CheckpointStore, Record
from runtime.checkpoints.archive import Archive
from runtime.debug.verify.arrival import Arrival, arrive, engine_findings
from runtime.debug.verify.differing import state_findings, superstep_findings
from runtime.debug.verify.hidden_state import remembered_by
from runtime.debug.verify.instances import (
    archive_of,
    attribute_findings,
    hook_findings,
    shared_findings,
)
from runtime.debug.verify.outside import ONLY_RECORDED, not_recorded, refuse_pinned
from runtime.debug.verify.results import (
    CODE,
    GRAPH,
    Check,
    CheckName,
    Finding,
    Proof,
    UncheckedError,
    concluded,
    unchecked,
)
from runtime.debug.verify.scratch import Taken, runner_of, scratch_of, take
from runtime.debug.verify.workflows import Workflows
from runtime.engine.live_parts import saved_parts
from runtime.engine.runner import Runner
from runtime.errors import (
    CheckpointNotFoundError,
    OutsideCallError,
    SignatureMismatchError,
    WorkflowCheckpointException,
    WorkflowException,
)
from runtime.values.user_failures import text_of
from runtime.workflow.workflow import Workflow

# Arrivals that are kept, because two checkpoints ask for each.
_KEPT = 4
# Results of failed advances that are kept for a look at them.
_KEPT_FAILURES = 20
_NAMES: tuple[CheckName, ...] = ("complete", "round_trip", "advance")
_RESIDUE = "{name} of {where} has data of the run before: no restore takes it away."


class Prover:
    """Proves checkpoints of one store. It keeps a few checkpoints at a time.

    kept  a store for what came of the last failed advances, so that they can be looked at
    """

    def __init__(
        self,
        store: CheckpointStore,
        workflows: Workflows,
        kept: CheckpointStore | None = None,
    ) -> None:
        self._archive = Archive(store)
        self._workflows = workflows
        self._kept = kept
        self._arrivals: OrderedDict[tuple[str, str], Arrival] = OrderedDict()

    async def proofs(
        self,
        headers: Sequence[CheckpointHeader],
        all_headers: Sequence[CheckpointHeader],
    ) -> AsyncIterator[Proof]:
        """Yield the proof of each checkpoint. Their parents and children are looked up
        in `all_headers`.
        """
        known = {header.id: header for header in all_headers}
        children: dict[str, list[CheckpointHeader]] = {}
        for header in all_headers:
            if header.parent is not None:
                children.setdefault(header.parent, []).append(header)
        for header in headers:
            parent = known.get(header.parent or "")
            yield await self.prove(header, parent, children.get(header.id, []))

    async def prove(
        self,
        header: CheckpointHeader,
        parent: CheckpointHeader | None,
        children: Sequence[CheckpointHeader],
    ) -> Proof:
        """Return the proof of one checkpoint."""
        try:
            taken = await take(self._archive, header.id)
        except CheckpointNotFoundError:
            reason = UncheckedError("Not checked: it was removed meanwhile.")
            return Proof(header, tuple(unchecked(name, reason) for name in _NAMES))
        except WorkflowCheckpointException as error:
            return _unreadable(header, text_of(error))
        steps = [child for child in children if child.cause is Cause.SUPERSTEP]
        return Proof(
            header,
            (
                await self._complete(taken, parent),
                await self._round_trip(taken, parent, steps[:1]),
                await self._advance(taken, children),
            ),
        )

    async def _arrival(self, parent: Taken, child: Taken) -> Arrival:
        """Return what leads from a checkpoint to its child now. All supersteps from one
        checkpoint are one, unless their calls have recorded results.
        """
        refuse_pinned(child.viewed.calls)
        is_superstep = child.header.cause is Cause.SUPERSTEP
        # With recorded results, each branch has its own.
        is_shared = is_superstep and not child.viewed.calls
        key = (parent.header.id, "" if is_shared else child.header.id)
        arrival = self._arrivals.get(key)
        if arrival is None:
            arrival = await arrive(self._workflows, parent, child)
            self._arrivals[key] = arrival
            while len(self._arrivals) > _KEPT:
                self._arrivals.popitem(last=False)
        return arrival

    async def _take(self, header: CheckpointHeader) -> Taken:
        try:
            return await take(self._archive, header.id)
        except WorkflowCheckpointException as error:
            short = header.id[:8]
            text = f"Not checked: checkpoint {short} cannot be read: {text_of(error)}"
            raise UncheckedError(text) from error

    # --- complete at save -----------------------------------------------------------------------------------------

    async def _complete(self, taken: Taken, parent: CheckpointHeader | None) -> Check:
        header = taken.header
        parts = len(saved_parts())
        try:
            if header.parent is None:
                findings = await self._registered(taken)
            elif parent is None:
                raise UncheckedError("Not checked: the checkpoint before it is gone.")
            else:
                before = await self._take(parent)
                arrival = await self._arrival(before, taken)
                if arrival.failure:
                    raise UncheckedError(
                        "Not checked: the superstep before it fails when it is done "
                        f"again. {arrival.failure}"
                    )
                findings = arrival.complete
        except UncheckedError as reason:
            return unchecked("complete", reason)
        except WorkflowException as error:
            text = f"Not checked: the checkpoint before it cannot be restored. {text_of(error)}"
            return unchecked("complete", UncheckedError(text))
        return concluded(
            "complete",
            findings,
            proved=f"{parts} parts registered, {parts} in the record.",
            failed="Something that the next superstep may depend on is not in the record:",
        )

    async def _registered(self, taken: Taken) -> list[Finding]:
        """Return what is wrong with the parts of a run that has just begun."""
        workflow = self._workflows.fresh(taken.viewed.definition)
        runner = await _restored(workflow, taken)
        return engine_findings(runner)

    # --- round trip -----------------------------------------------------------------------------------------------

    async def _round_trip(
        self,
        taken: Taken,
        parent: CheckpointHeader | None,
        steps: Sequence[CheckpointHeader],
    ) -> Check:
        try:
            workflow = self._workflows.fresh(taken.viewed.definition)
            try:
                findings = await _fresh_findings(workflow, taken)
            except WorkflowException as error:
                return _refused(error)
            if findings:
                return _round_trip_of(findings, was_used=True)
            try:
                used = await self._used(workflow, taken, parent, steps)
            except UncheckedError as reason:
                text = (
                    f"Equal in a fresh instance. In a used one: {_lower(reason.text)}"
                )
                return unchecked("round_trip", UncheckedError(text, reason.executors))
        except UncheckedError as reason:
            return unchecked("round_trip", reason)
        if used is None:
            return _round_trip_of([], was_used=False)
        return _round_trip_of(used, was_used=True)

    async def _used(
        self,
        fresh: Workflow,
        taken: Taken,
        parent: CheckpointHeader | None,
        steps: Sequence[CheckpointHeader],
    ) -> list[Finding] | None:
        """Return what goes wrong in an instance that has run on and then failed. Return
        None if nothing recorded ran before or after this checkpoint.
        """
        if steps:
            source = taken
            recorded = await self._take(steps[0])
            arrival = await self._arrival(source, recorded)
        elif parent is not None and taken.header.cause is Cause.SUPERSTEP:
            source = await self._take(parent)
            recorded = taken
            arrival = await self._arrival(source, recorded)
        else:
            return None
        workflow = arrival.workflow
        store = await scratch_of(source, recorded)
        runner = runner_of(workflow, store)
        try:
            await runner.restore(source.header.id, replay=ONLY_RECORDED)
            store.refuses = True
            # It fails at its save, after all its handlers have run.
            await runner.step()
        except (KeyboardInterrupt, SystemExit, asyncio.CancelledError):
            raise
        except BaseException:  # noqa: BLE001, S110 - what it leaves behind is looked for below
            pass
        store.refuses = False
        # The recorded child is held already, so this is the checkpoint itself.
        await runner.restore(taken.header.id, replay=ONLY_RECORDED)
        findings = state_findings(taken, await _saved_again(runner, taken))
        findings += await hook_findings(workflow, runner.state)
        await hook_findings(fresh, runner.state)
        findings += attribute_findings(
            remembered_by(fresh), remembered_by(workflow), _RESIDUE
        )
        findings += shared_findings(runner.state, None, workflow)
        if steps and not arrival.failure:
            findings += await _again(runner, arrival)
        return findings

    # --- restore and advance --------------------------------------------------------------------------------------

    async def _advance(
        self, taken: Taken, children: Sequence[CheckpointHeader]
    ) -> Check:
        if not children:
            return Check("advance", "none", "Nothing was recorded after it.")
        findings: list[Finding] = []
        reasons: list[UncheckedError] = []
        recorded = again = ""
        for header in children:
            try:
                found = await self._towards(taken, header)
            except UncheckedError as reason:
                reasons.append(reason)
                continue
            except WorkflowException as error:
                found = [_refusal(error)]
            findings += [finding._replace(checkpoint=header.id) for finding in found]
            if found and not recorded:
                recorded = header.id
                again = await self._keep(taken, header)
        if reasons and not findings:
            return unchecked("advance", reasons[0])
        ways = len(children) - len(reasons)
        check = concluded(
            "advance",
            findings,
            proved=f"It goes on as it was recorded, {ways} way{'s' * (ways != 1)}.",
            failed="What comes from here is not what was recorded:",
        )
        return replace(check, recorded=recorded, again=again)

    async def _keep(self, taken: Taken, child: CheckpointHeader) -> str:
        """Keep what came of a failed advance. Return its id, or "" if it is not kept."""
        arrival = self._arrivals.get((taken.header.id, child.id))
        if arrival is None:
            arrival = self._arrivals.get((taken.header.id, ""))
        if self._kept is None or arrival is None or arrival.failure:
            return ""
        runs = await self._kept.runs()
        for run in runs[_KEPT_FAILURES - 1 :]:
            await self._kept.delete_run(run.run_id)
        again = arrival.again
        id_ = again.header.id
        # A run of its own, so that it can be removed.
        header = replace(again.header, run_id=id_, parent=None, branch=id_)
        if all(run.run_id != id_ for run in runs):
            await self._kept.save(Record(header, again.record.manifest), again.parts)
        return id_

    async def _towards(self, taken: Taken, header: CheckpointHeader) -> list[Finding]:
        child = await self._take(header)
        arrival = await self._arrival(taken, child)
        if arrival.failure:
            text = f"Superstep {header.superstep} was recorded, and fails now: {arrival.failure}"
            return [Finding(CODE, text=text)]
        findings = superstep_findings(child, arrival.again)
        if header.cause is not Cause.SUPERSTEP:
            findings = state_findings(child, arrival.again)
        return [*findings, *arrival.changed]


async def _restored(workflow: Workflow, taken: Taken) -> Runner:
    runner = runner_of(workflow, await scratch_of(taken))
    await runner.restore(taken.header.id)
    return runner


async def _fresh_findings(workflow: Workflow, taken: Taken) -> list[Finding]:
    runner = await _restored(workflow, taken)
    findings = state_findings(taken, await _saved_again(runner, taken))
    findings += await hook_findings(workflow, runner.state)
    other = archive_of(workflow).rebuilt(taken.record, taken.parts)
    return findings + shared_findings(runner.state, other.state, workflow)


async def _saved_again(runner: Runner, taken: Taken) -> Taken:
    """Return the checkpoint that a restored run saves, before it does anything."""
    workflow: Workflow = runner.workflow  # type: ignore[assignment]
    header = taken.header
    archive = archive_of(workflow)
    saved = await archive.save(
        runner.state,
        runner.trace,
        run_id=header.run_id,
        workflow=header.workflow,
        cause=header.cause,
        parent=None,
        branch=header.branch,
        definition=taken.viewed.definition,
    )
    return await take(archive, saved.id)


async def _again(runner: Runner, arrival: Arrival) -> list[Finding]:
    """Return how a superstep in a used instance differs from that in a fresh one."""
    store = runner.store
    try:
        await runner.step()
    except OutsideCallError as error:
        raise not_recorded(error) from error
    except (KeyboardInterrupt, SystemExit, asyncio.CancelledError):
        raise
    except BaseException as error:  # noqa: BLE001 - user code raises anything
        return [Finding(CODE, text=f"In a used instance it fails: {text_of(error)}")]
    if store is None or runner.header is None:
        return []
    again = await take(Archive(store), runner.header.id)
    text = "After a restore into a used instance, the next superstep ends otherwise."
    return [
        finding._replace(text=text)
        for finding in superstep_findings(arrival.again, again)
    ]


# --- words --------------------------------------------------------------------------------------------------------


def _round_trip_of(findings: Sequence[Finding], *, was_used: bool) -> Check:
    proved = "Equal in a fresh and in a used instance; nothing shared."
    if not was_used:
        proved = "Equal in a fresh instance; nothing shared. No instance has run here."
    return concluded(
        "round_trip",
        findings,
        proved=proved,
        failed="What comes back is not what was saved:",
    )


def _refused(error: WorkflowException) -> Check:
    return concluded(
        "round_trip", [_refusal(error)], proved="", failed="It cannot be restored:"
    )


def _refusal(error: WorkflowException) -> Finding:
    if isinstance(error, SignatureMismatchError):
        return Finding(GRAPH, text=text_of(error))
    path = getattr(error, "path", "")
    return Finding("run", str(path or ""), text=text_of(error))


def _unreadable(header: CheckpointHeader, text: str) -> Proof:
    finding = Finding("run", text=text)
    reason = UncheckedError("Not checked: the record cannot be read.")
    return Proof(
        header,
        (
            unchecked("complete", reason),
            concluded("round_trip", [finding], proved="", failed="It cannot be read:"),
            unchecked("advance", reason),
        ),
    )


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
