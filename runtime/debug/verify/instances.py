"""Instances of a workflow at a checkpoint: what their hooks make of a saved state, and
which objects they could change for others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from runtime.checkpoints.archive import Archive
from runtime.codec import DEFAULT_TYPES, TypeRegistry
from runtime.concurrency.cancellation import StopSignal, run_in_own_task
from runtime.debug.compare.values import differences
from runtime.debug.sections import Place, frames, way_of
from runtime.debug.verify.hidden_state import (
    Holder,
    Remembered,
    mutable_objects_of,
    remembered_by,
)
from runtime.debug.verify.plain_trees import mutable_objects, tree_of
from runtime.debug.verify.results import ATTRIBUTES, SHARING, Finding
from runtime.engine.invoke import load_state, snapshot
from runtime.engine.sub_runs import sub_workflow
from runtime.errors import WorkflowCheckpointException
from runtime.executors.payload_types import register
from runtime.state import RunState, owner_of
from runtime.stores.memory import MemoryStore
from runtime.values.copies import isolate
from runtime.values.sealed import Sealed, stored_values
from runtime.values.user_failures import text_of

if TYPE_CHECKING:
    from runtime.checkpoint import CheckpointStore
    from runtime.executors.executor import Executor
    from runtime.graph.workflow_graph import WorkflowGraph
    from runtime.workflow.workflow import Workflow


def archive_of(workflow: Workflow, store: CheckpointStore | None = None) -> Archive:
    """Return an archive that knows the types of a workflow."""
    types = TypeRegistry(DEFAULT_TYPES)
    register(workflow.types, types)
    return Archive(store or MemoryStore(), types)


# --- hooks --------------------------------------------------------------------------------------------------------


async def hook_findings(workflow: Workflow, state: RunState) -> list[Finding]:
    """Give each executor with hooks its saved state, and return where its hook then
    saves another one.
    """

    async def work(stop: StopSignal) -> list[Finding]:
        findings: list[Finding] = []
        for way, executor, kept in _with_hooks(workflow, state):
            findings += await _hooks_of(way, executor, kept, stop)
        return findings

    return await run_in_own_task(work)


def _with_hooks(
    workflow: WorkflowGraph, state: RunState
) -> Iterator[tuple[tuple[str, ...], Executor, RunState]]:
    for prefix, run_state in frames(state):
        way = way_of(prefix)
        graph = workflow
        for key in way:
            graph = sub_workflow(graph, owner_of(key))
        for executor in graph.executors.values():
            if executor.has_hooks:
                yield way, executor, run_state


async def _hooks_of(
    way: tuple[str, ...], executor: Executor, state: RunState, stop: StopSignal
) -> list[Finding]:
    record = state.executors.get(executor.id)
    where = "/".join((*way, executor.id))
    at = Place(way, executor.id)
    hook_state = executor.engine_hook_state
    try:
        # The engine skips the hook where it knows that the attributes hold this state.
        # A proof must not trust that.
        hook_state.loaded = None
        await load_state(executor, record, stop)
        again = await snapshot(executor, stop)
    except WorkflowCheckpointException as error:
        text = text_of(error)
        return [Finding("executors", where, text=text, writer=where, at=at)]
    finally:
        hook_state.loaded = None
    saved = hook_state.initial if record is None else record.state
    return [
        Finding(
            "executors",
            f"['{where}'].state{path}",
            kind,
            old,
            new,
            text="Its hook restores this state, and then saves another one.",
            writer=where,
            at=at,
        )
        for path, kind, old, new, *_ in differences(tree_of(saved), tree_of(again))
    ]


# --- what an instance remembers -----------------------------------------------------------------------------------


def attribute_findings(
    before: Remembered, after: Remembered, text: str, only: Remembered | None = None
) -> list[Finding]:
    """Return the data that differs between two looks at what a workflow remembers, one
    for each attribute. `text` says what is wrong, with `{name}` for the attribute.
    `only` is a third look at some holders: what is the same there is left out.
    """
    findings = []
    for holder, values in after.items():
        earlier = before.get(holder, {})
        for name in dict.fromkeys((*earlier, *values)):
            change = next(_changes(earlier, values, name), None)
            if change is None:
                continue
            if (
                only is not None
                and holder in only
                and not any(_changes(only[holder], values, name))
            ):
                continue
            path, kind, old, new, *_ = change
            where = f"{holder.kind} {holder.where}"
            findings.append(
                Finding(
                    ATTRIBUTES,
                    f"{holder.where}: {path}",
                    kind,
                    old,
                    new,
                    text=text.format(name=name, where=where),
                    writer=holder.where if holder.kind == "executor" else "",
                    at=_place_of(holder),
                )
            )
    return findings


def _changes(
    before: Mapping[str, Any], after: Mapping[str, Any], name: str
) -> Iterator[Any]:
    old = {name: before[name]} if name in before else {}
    new = {name: after[name]} if name in after else {}
    for change in differences(old, new):
        yield change._replace(path=change.path.replace(f"[{name!r}]", name, 1))


def _place_of(holder: Holder) -> Place:
    executor = holder.path[0] if holder.path else ""
    if not executor and holder.kind == "executor":
        executor = holder.name
    return Place((), executor)


# --- sharing ------------------------------------------------------------------------------------------------------


def payloads(state: RunState) -> Iterator[tuple[str, Any, Place]]:
    """Yield each value of a run and of the runs inside it, with its section and path,
    and where it is.
    """
    for prefix, run_state in frames(state):
        way = way_of(prefix)
        for index, message in enumerate(run_state.queue):
            at = Place(way, message.target_id or "", message.source_id)
            yield f"messages {prefix}[{index}]", message.data, at
        for key, messages in run_state.buffers.items():
            for index, message in enumerate(messages):
                at = Place(way, "", message.source_id, key)
                yield f"joins {prefix}{key}[{index}]", message.data, at
        for key, value in stored_values(run_state.shared).items():
            if not isinstance(value, Sealed):
                yield f"state {prefix}[{key!r}]", value, Place(way, key=key)
        for executor_id, record in run_state.executors.items():
            at = Place(way, executor_id)
            yield f"executors {prefix}[{executor_id!r}].state", record.state, at
        for request in run_state.requests.values():
            at = Place(way, request.executor_id)
            yield f"requests {prefix}[{request.id!r}]", request.data, at


def uncopied_findings(state: RunState) -> list[Finding]:
    """Return the values of a run of which a copy is the same object: whoever gets one
    changes it for all others.
    """
    findings = []
    seen: set[type] = set()
    for name, value, at in payloads(state):
        section, _, start = name.partition(" ")
        for path, found in mutable_objects(value, start):
            cls = type(found)
            if cls in seen or cls.__module__ == "builtins":
                continue
            seen.add(cls)
            if isolate(found) is found:
                text = (
                    f"A copy of this {cls.__qualname__} is the same object. Two executors "
                    "that get it share it, and a change by one is seen by the other."
                )
                writer = "/".join((*at.way, at.source)) if at.source else ""
                finding = Finding(SHARING, f"{section} {path}", text=text, at=at)
                findings.append(finding._replace(writer=writer))
    return findings


def shared_findings(
    state: RunState, other: RunState | None, workflow: Workflow
) -> list[Finding]:
    """Return the objects of a restored run that another load of the checkpoint, or an
    object of the workflow, could change as well.
    """
    owners: dict[int, tuple[str, Any]] = {}
    if other is not None:
        for name, value, _ in payloads(other):
            for _, found in mutable_objects(value, name):
                owners[id(found)] = "another load of this checkpoint", found
    for holder, path, found in mutable_objects_of(workflow):
        owners[id(found)] = f"{path} of {holder.kind} {holder.where}", found
    findings = []
    for name, value, at in payloads(state):
        section, _, start = name.partition(" ")
        for path, found in mutable_objects(value, start):
            if id(found) in owners:
                owner = owners[id(found)][0]
                text = f"This value and {owner} are one object."
                findings.append(Finding(SHARING, f"{section} {path}", text=text, at=at))
    return findings


__all__ = [
    "archive_of",
    "attribute_findings",
    "hook_findings",
    "remembered_by",
    "shared_findings",
    "uncopied_findings",
]
