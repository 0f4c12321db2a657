"""agent-framework's storages over our stores, checkpoints in its shape, and storages
that somebody wrote for it.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from runtime import (
    CheckpointStorage,
    FileCheckpointStorage,
    InMemoryCheckpointStorage,
    MessageType,
    StoreCheckpointStorage,
    Workflow,
    WorkflowBuilder,
    WorkflowCheckpoint,
    WorkflowContext,
    WorkflowMessage,
    open_store,
    register_checkpoint_type,
)
from runtime.agent_framework.conversion import (
    EDGE_STATE,
    EXECUTOR_STATE,
    run_state_of,
    to_workflow_checkpoint,
)
from runtime.agent_framework.storage_adapter import StorageAdapter
from runtime.agent_framework.storage_record import RECORD
from runtime.checkpoint import PINNED, Record
from runtime.checkpoints.archive import Archive
from runtime.errors import (
    CheckpointConflictError,
    CheckpointDamagedError,
    CheckpointKeptError,
    CheckpointNotFoundError,
    CheckpointStoreError,
    CodecError,
    EncodeError,
    WorkflowCheckpointException,
)
from runtime.events import WorkflowRunState
from runtime.stores.memory import MemoryStore
from tests.runtime.graphs import react, uneven_join
from tests.runtime.test_cancel_requests import nested
from tests.runtime.test_requests import Asker, Verdict


class JsonStorage:
    """As somebody writes it for agent-framework: each checkpoint's `to_dict()` as JSON
    text.
    """

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    async def save(self, checkpoint: WorkflowCheckpoint) -> str:
        self.texts[checkpoint.checkpoint_id] = json.dumps(
            checkpoint.to_dict(), allow_nan=False
        )
        return checkpoint.checkpoint_id

    async def load(self, checkpoint_id: str) -> WorkflowCheckpoint:
        if checkpoint_id not in self.texts:
            raise WorkflowCheckpointException(
                f"No checkpoint found with ID {checkpoint_id}"
            )
        return WorkflowCheckpoint.from_dict(json.loads(self.texts[checkpoint_id]))

    async def list_checkpoints(self, *, workflow_name: str) -> list[WorkflowCheckpoint]:
        # an order of its own
        found = [await self.load(one) for one in reversed(self.texts)]
        return [one for one in found if one.workflow_name == workflow_name]

    async def list_checkpoint_ids(self, *, workflow_name: str) -> list[str]:
        return [
            one.checkpoint_id
            for one in await self.list_checkpoints(workflow_name=workflow_name)
        ]

    async def get_latest(self, *, workflow_name: str) -> WorkflowCheckpoint | None:
        found = await self.list_checkpoints(workflow_name=workflow_name)
        return max(found, key=lambda one: one.timestamp, default=None)

    async def delete(self, checkpoint_id: str) -> bool:
        return self.texts.pop(checkpoint_id, None) is not None


class Counting(InMemoryCheckpointStorage):
    """A storage of which somebody overrode a method: that has to be called."""

    def __init__(self) -> None:
        super().__init__()
        self.saved: list[str] = []

    async def save(self, checkpoint: WorkflowCheckpoint) -> str:
        self.saved.append(checkpoint.checkpoint_id)
        return await super().save(checkpoint)


Make = Callable[[Path], Any]
MAKERS: list[Make] = [
    lambda _: InMemoryCheckpointStorage(),
    lambda folder: FileCheckpointStorage(folder / "kept"),
    lambda folder: StoreCheckpointStorage(f"sqlite:{folder}/kept.db"),
    lambda _: JsonStorage(),
    lambda _: Counting(),
]


@pytest.fixture(params=MAKERS, ids=["memory", "file", "sqlite", "own", "overridden"])
async def storage(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Any]:
    made = request.param(tmp_path)
    yield made
    if isinstance(made, StoreCheckpointStorage):
        await made.close()


def asking(storage: CheckpointStorage | None = None) -> Workflow:
    return WorkflowBuilder(
        start_executor=Asker(), name="asking", checkpoint_storage=storage
    ).build()


# --- a run with a storage -----------------------------------------------------------------------------------------


async def test_a_run_is_saved_restored_and_answered(storage: Any):
    workflow = asking(storage)
    await workflow.run("circle square")
    ids = await storage.list_checkpoint_ids(workflow_name="asking")
    assert len(ids) == 2
    assert workflow.get_last_checkpoint_id() in ids
    fresh = asking()
    result = await fresh.run(
        checkpoint_id=workflow.get_last_checkpoint_id(),
        checkpoint_storage=storage,
        responses={"ask:1:0": Verdict(True), "ask:1:1": Verdict(True)},
    )
    assert result.get_final_state() is WorkflowRunState.IDLE
    assert len(result.get_outputs()) == 2


async def test_rule_31_every_checkpoint_restores_to_the_same_end(storage: Any):
    workflow = uneven_join()
    straight = (await workflow.run("x", checkpoint_storage=storage)).get_outputs()
    ids = await storage.list_checkpoint_ids(workflow_name="uneven")
    assert len(ids) == 5
    for checkpoint_id in set(ids) - {workflow.get_last_checkpoint_id()}:
        again = await uneven_join().run(
            checkpoint_id=checkpoint_id, checkpoint_storage=storage
        )
        assert again.get_outputs() == straight


async def test_an_overridden_method_is_called():
    storage = Counting()
    workflow = asking(storage)
    await workflow.run("circle")
    assert len(storage.saved) == 2
    assert storage.saved == await storage.list_checkpoint_ids(workflow_name="asking")


async def test_rule_10_a_storage_that_fails_fails_the_step():
    class Full(JsonStorage):
        async def save(self, checkpoint: WorkflowCheckpoint) -> str:
            if self.texts:
                raise OSError("no room")
            return await super().save(checkpoint)

    storage = Full()
    workflow = asking(storage)
    with pytest.raises(OSError, match="no room"):
        await workflow.run("circle")
    assert len(storage.texts) == 1
    assert workflow.status is WorkflowRunState.FAILED


async def test_restored_runs_of_one_storage_go_on_in_it_on_branches_of_their_own(
    storage: Any,
):
    workflow = asking(storage)
    await workflow.run("circle")
    pause = workflow.get_last_checkpoint_id()
    for _ in range(2):
        await asking(storage).run(
            checkpoint_id=pause, responses={"ask:1:0": Verdict(True)}
        )
    if isinstance(storage, InMemoryCheckpointStorage | FileCheckpointStorage):
        store = storage.store
    else:
        store = None
    headers = await (store or StorageAdapter(storage, "asking")).headers()
    assert {header.branch for header in headers} == {"main", "fork 1"}
    assert [header.sequence for header in headers] == sorted(
        {header.sequence for header in headers}
    )


def test_what_keeps_no_checkpoints_is_refused():
    with pytest.raises(TypeError, match="checkpoint_storage"):
        asking({})  # type: ignore[arg-type]


async def test_every_store_has_the_storage_methods_of_agent_framework(
    postgres_url: str, tmp_path: Path
):
    for store in (
        postgres_url,
        f"sqlite:{tmp_path}/runs.db",
        f"dir:{tmp_path}/runs",
        "memory:",
        open_store("memory:"),
    ):
        storage: CheckpointStorage = StoreCheckpointStorage(store)
        await asking(storage).run("circle square")
        latest = await storage.get_latest(workflow_name="asking")
        assert latest is not None
        assert await storage.list_checkpoint_ids(workflow_name="asking") == [
            one.checkpoint_id
            for one in await storage.list_checkpoints(workflow_name="asking")
        ]
        made = WorkflowCheckpoint(
            "by hand", "h", previous_checkpoint_id=latest.checkpoint_id
        )
        await storage.save(made)
        assert (
            await storage.load(made.checkpoint_id)
        ).previous_checkpoint_id == latest.checkpoint_id
        await StoreCheckpointStorage.close(storage)  # type: ignore[arg-type]


async def test_a_store_will_do_wherever_a_storage_does():
    store = open_store("memory:")
    workflow = WorkflowBuilder(
        start_executor=Asker(), name="asking", checkpoint_storage=store
    ).build()
    await workflow.run("circle")
    latest = await store.latest()
    assert latest is not None
    assert latest.id == workflow.get_last_checkpoint_id()
    await store.close()


# --- what a storage shows -----------------------------------------------------------------------------------------


async def uneven(storage: Any) -> list[WorkflowCheckpoint]:
    await uneven_join().run("x", checkpoint_storage=storage)
    return await storage.list_checkpoints(workflow_name="uneven")  # type: ignore[no-any-return]


async def test_a_checkpoint_shows_messages_by_source_and_what_joins_hold():
    first, second, third, fourth, last = await uneven(InMemoryCheckpointStorage())
    assert [one.data for one in first.messages["internal:A"]] == ["x"]
    assert (first.iteration_count, first.previous_checkpoint_id) == (0, None)
    assert [one.data for one in second.messages["A"]] == ["xA"]
    assert second.previous_checkpoint_id == first.checkpoint_id
    assert [one.data for one in third.messages["B"]] == ["xAB"]
    held = fourth.state[EDGE_STATE]['FanInEdgeGroup:[["B","J"],["D","J"]]']["buffer"]
    assert {
        source: [one.data for one in messages] for source, messages in held.items()
    } == {"B": ["xAB"]}
    assert (
        EDGE_STATE in third.state,
        EDGE_STATE in last.state,
        last.iteration_count,
    ) == (False, False, 4)


async def test_a_checkpoint_shows_open_questions_and_queued_answers():
    storage = InMemoryCheckpointStorage()
    workflow = asking(storage)
    await workflow.run("circle square")
    await workflow.run(responses={"ask:1:0": Verdict(True)})
    _, paused, answered, _ = await storage.list_checkpoints(workflow_name="asking")
    assert list(paused.pending_request_info_events) == ["ask:1:0", "ask:1:1"]
    event = paused.pending_request_info_events["ask:1:0"]
    assert (event.data.text, event.response_type, event.source_executor_id) == (
        "circle",
        Verdict,
        "ask",
    )
    (message,) = answered.messages["internal:ask"]
    assert message.type is MessageType.RESPONSE
    assert message.original_request_info_event.request_id == "ask:1:0"
    assert answered.metadata["cause"] == "response"
    assert list(answered.pending_request_info_events) == ["ask:1:1"]


async def test_rule_29_what_a_storage_gives_is_the_callers_own(storage: Any):
    workflow = asking(storage)
    await workflow.run("circle")
    latest = await storage.get_latest(workflow_name="asking")
    latest.state["k"] = 1
    latest.pending_request_info_events.clear()
    latest.metadata.clear()
    again = await storage.load(latest.checkpoint_id)
    assert "k" not in again.state
    assert again.metadata
    await asking(storage).run(
        checkpoint_id=latest.checkpoint_id, responses={"ask:1:0": Verdict(True)}
    )


@pytest.mark.parametrize(
    "make",
    [uneven_join, asking, lambda: nested(2)],
    ids=["join", "questions", "nested"],
)
async def test_what_is_shown_of_a_run_says_all_of_its_state(
    make: Callable[[], Workflow],
):
    workflow = make()
    store = MemoryStore()
    await workflow.run("circle square", checkpoint_storage=store)
    archive = Archive(store)
    for header in await store.headers():
        checkpoint = await archive.load(header.id)
        assert run_state_of(to_workflow_checkpoint(checkpoint)) == checkpoint.state


def test_a_dict_of_other_fields_is_no_checkpoint():
    with pytest.raises(
        WorkflowCheckpointException,
        match="Failed to create WorkflowCheckpoint from dict",
    ):
        WorkflowCheckpoint.from_dict({"workflow_name": "w"})
    made = WorkflowCheckpoint("w", "hash", metadata={"a": 1})
    assert WorkflowCheckpoint.from_dict(made.to_dict()) == made


@pytest.mark.parametrize(
    "wrong",
    [
        {"messages": {"a": [1]}},
        {"state": {EXECUTOR_STATE: 5}},
        {"state": {EDGE_STATE: {"k": {}}}},
    ],
)
async def test_a_checkpoint_of_another_shape_is_refused(wrong: dict[str, Any]):
    with pytest.raises(WorkflowCheckpointException):
        await InMemoryCheckpointStorage().save(WorkflowCheckpoint("w", "hash", **wrong))


# --- saving by hand -----------------------------------------------------------------------------------------------


async def test_a_checkpoint_made_by_hand_is_kept_listed_and_deleted():
    storage = InMemoryCheckpointStorage()
    made = WorkflowCheckpoint("w", "hash", state={"k": [1, (2,)]}, iteration_count=3)
    assert await storage.save(made) == made.checkpoint_id
    back = await storage.load(made.checkpoint_id)
    assert (back.state, back.iteration_count, back.timestamp) == (
        made.state,
        3,
        made.timestamp,
    )
    assert [
        one.checkpoint_id for one in await storage.list_checkpoints(workflow_name="w")
    ] == [made.checkpoint_id]
    assert await storage.list_checkpoints(workflow_name="other") == []
    assert await storage.delete(made.checkpoint_id)
    assert not await storage.delete(made.checkpoint_id)
    assert await storage.get_latest(workflow_name="w") is None


async def test_a_checkpoint_made_by_hand_keeps_what_no_run_would_say(tmp_path: Path):
    """A parent in another storage, a version, keys of messages, where these were
    traced, an executor's empty state.
    """
    made = WorkflowCheckpoint(
        "w",
        "hash",
        previous_checkpoint_id="elsewhere",
        version="1.1",
        messages={
            "of two": [
                WorkflowMessage("x", "a", "b", trace_contexts=[{"t": "1"}]),
                WorkflowMessage(1, "c"),
            ],
            "of none": [],
            "a": [WorkflowMessage(2, "a")],
        },
        state={"k": 1, EXECUTOR_STATE: {"e": {"n": 1}, "silent": {}}},
    )
    for storage in (
        InMemoryCheckpointStorage(),
        FileCheckpointStorage(tmp_path / "kept"),
    ):
        await storage.save(made)
        back = await storage.load(made.checkpoint_id)
        other = InMemoryCheckpointStorage()
        await other.save(back)
        for one in (back, await other.load(made.checkpoint_id)):
            assert replace(one, metadata={}) == made


@pytest.mark.parametrize(
    "change",
    [{"previous_checkpoint_id": "p"}, {"version": "2"}, {"messages": {"k": []}}],
)
async def test_a_field_that_is_no_state_counts_as_a_change_too(change: dict[str, Any]):
    one = InMemoryCheckpointStorage()
    other = InMemoryCheckpointStorage()
    await uneven_join().run("x", checkpoint_storage=one)
    first = (await one.list_checkpoints(workflow_name="uneven"))[0]
    await other.save(replace(first, **change))
    back = await other.load(first.checkpoint_id)
    assert {name: getattr(back, name) for name in change} == change


async def test_a_changed_checkpoint_is_a_new_one_with_what_was_changed():
    storage = InMemoryCheckpointStorage()
    workflow = asking(storage)
    await workflow.run("circle")
    one = await storage.get_latest(workflow_name="asking")
    assert one is not None
    one.state["k"] = "changed"
    with pytest.raises(CheckpointConflictError):
        await storage.save(one)  # the past is never rewritten
    one.previous_checkpoint_id = one.checkpoint_id
    one.checkpoint_id = "mine"
    await storage.save(one)
    again = asking(storage)
    await again.run(checkpoint_id="mine", responses={"ask:1:0": Verdict(True)})
    latest = await storage.get_latest(workflow_name="asking")
    assert latest is not None
    assert latest.state["k"] == "changed"


async def test_a_copy_in_another_storage_is_the_same_checkpoint_to_the_last_part():
    one = InMemoryCheckpointStorage()
    other = InMemoryCheckpointStorage()
    await uneven_join().run("x", checkpoint_storage=one)
    for checkpoint_id in await one.list_checkpoint_ids(workflow_name="uneven"):
        await other.save(await one.load(checkpoint_id))
        record = await one.store.load(checkpoint_id)
        copy = await other.store.load(checkpoint_id)
        assert copy == replace(
            record, header=replace(record.header, sequence=copy.header.sequence)
        )


async def test_a_copy_that_was_changed_is_not_taken_for_the_original():
    one = InMemoryCheckpointStorage()
    other = InMemoryCheckpointStorage()
    await uneven_join().run("x", checkpoint_storage=one)
    checkpoint = (await one.list_checkpoints(workflow_name="uneven"))[0]
    checkpoint.messages["internal:A"][0].data = "y"
    await other.save(checkpoint)
    result = await uneven_join().run(
        checkpoint_id=checkpoint.checkpoint_id, checkpoint_storage=other
    )
    assert result.get_outputs() == [["yAB", "yACD"]]


async def test_the_newest_of_a_line_stays_as_long_as_others_do():
    storage = InMemoryCheckpointStorage()
    await uneven_join().run("x", checkpoint_storage=storage)
    ids = await storage.list_checkpoint_ids(workflow_name="uneven")
    with pytest.raises(CheckpointKeptError):
        await storage.delete(ids[-1])
    assert [await storage.delete(one) for one in ids] == [True] * len(ids)
    assert await storage.list_checkpoint_ids(workflow_name="uneven") == []


# --- what goes wrong ----------------------------------------------------------------------------------------------


async def test_rule_30_a_missing_checkpoint_is_an_error_of_agent_frameworks_kind(
    storage: Any,
):
    with pytest.raises(WorkflowCheckpointException):
        await storage.load("nobody")
    with pytest.raises(WorkflowCheckpointException):
        await asking().run(checkpoint_id="nobody", checkpoint_storage=storage)


async def test_rule_30_a_damaged_checkpoint_is_listed_as_such_and_raises_when_it_is_loaded(
    tmp_path: Path,
):
    storage = FileCheckpointStorage(tmp_path)
    await uneven_join().run("x", checkpoint_storage=storage)
    for part in (tmp_path / "parts").rglob("*"):
        if part.is_file():
            part.write_bytes(b"broken")
    listed = await storage.list_checkpoints(workflow_name="uneven")
    assert len(listed) == 5
    assert all(one.metadata["damaged"] for one in listed)
    with pytest.raises(CheckpointDamagedError):
        await storage.load(listed[0].checkpoint_id)
    await storage.close()


def damaged(storage: JsonStorage, change: Callable[[dict[str, Any]], None]) -> str:
    checkpoint_id, text = next(iter(storage.texts.items()))
    document = json.loads(text)
    change(document)
    storage.texts[checkpoint_id] = json.dumps(document)
    return checkpoint_id


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document["metadata"].clear(),
        lambda document: document["metadata"][RECORD].pop("parts"),
        lambda document: document["metadata"][RECORD]["header"].update(cause="nothing"),
        lambda document: document["metadata"][RECORD]["header"].update(workflow=5),
        lambda document: document["metadata"][RECORD]["header"].update(sequence="5"),
        lambda document: document["metadata"][RECORD]["parts"].update(
            dict.fromkeys(document["metadata"][RECORD]["parts"], "AAAA")
        ),
    ],
    ids=[
        "no record",
        "no parts",
        "a wrong header",
        "a workflow of no text",
        "a sequence of no number",
        "other bytes",
    ],
)
async def test_rule_30_what_a_storage_of_ones_own_damaged_is_marked_and_refused(
    change: Any,
):
    storage = JsonStorage()
    await uneven_join().run("x", checkpoint_storage=storage)
    checkpoint_id = damaged(storage, change)
    with pytest.raises(CheckpointDamagedError):
        await uneven_join().run(checkpoint_id=checkpoint_id, checkpoint_storage=storage)
    headers = await StorageAdapter(storage, "uneven").headers()
    assert len(headers) == 5
    assert [header.id for header in headers if header.damaged] == [checkpoint_id]
    run_id = headers[-1].run_id
    for filters in (
        {"run_id": run_id},
        {"workflow": "uneven"},
        {"branch": "main"},
        {"tag": "any"},
    ):
        assert checkpoint_id in [
            header.id
            for header in await StorageAdapter(storage, "uneven").headers(**filters)
        ]


async def test_a_storage_of_ones_own_of_which_all_is_damaged_never_looks_empty():
    storage = JsonStorage()
    await uneven_join().run("x", checkpoint_storage=storage)
    for checkpoint_id, text in storage.texts.items():
        document = json.loads(text)
        document["metadata"].clear()
        storage.texts[checkpoint_id] = json.dumps(document)
    adapter = StorageAdapter(storage, "uneven")
    for filters in ({}, {"run_id": "lost"}, {"workflow": "uneven"}, {"branch": "main"}):
        latest = await adapter.latest(**filters)
        assert latest is not None
        assert latest.damaged
    assert await adapter.delete_run("lost") == 0


async def test_before_a_damaged_head_the_newest_that_can_be_read_stays():
    storage = JsonStorage()
    await uneven_join().run("x", checkpoint_storage=storage)
    adapter = StorageAdapter(storage, "uneven")
    *_, first, second, last = await adapter.headers()
    storage.texts[last.id] = storage.texts[last.id].replace(
        '"parts": {"', '"parts": {"0'
    )
    assert (await adapter.headers())[-1].damaged
    with pytest.raises(CheckpointKeptError, match="head"):
        await adapter.delete([second.id])
    assert await adapter.delete([first.id]) == 1


async def test_the_adapter_keeps_to_the_contract_of_stores_as_far_as_it_can():
    storage = JsonStorage()
    await uneven_join().run("x", checkpoint_storage=storage)
    adapter = StorageAdapter(storage, "uneven")
    headers = await adapter.headers()
    assert [header.sequence for header in headers] == [1, 2, 3, 4, 5]
    assert await adapter.headers(after=1, limit=2) == headers[1:3]
    assert (
        await adapter.headers(branch="other") == await adapter.headers(tag=PINNED) == []
    )
    assert await adapter.latest() == headers[-1]
    (summary,) = await adapter.runs()
    assert summary.checkpoints == 5
    record = await adapter.load(headers[0].id)
    parts = await adapter.parts([part.digest for part in record.manifest])
    with pytest.raises(CheckpointConflictError):
        await adapter.save(record, parts)
    with pytest.raises(CheckpointConflictError):
        await adapter.save(
            Record(replace(record.header, id="new", parent="nobody"), record.manifest),
            parts,
        )
    with pytest.raises(CheckpointConflictError):  # a branch is a line
        await adapter.save(
            Record(
                replace(record.header, id="new", parent=headers[0].id), record.manifest
            ),
            parts,
        )
    with pytest.raises(CheckpointNotFoundError):
        await adapter.load("nobody")
    with pytest.raises(CheckpointDamagedError):
        await adapter.parts(["0" * 32])
    with pytest.raises(CheckpointStoreError):
        await adapter.annotate(headers[0].id, note="n")
    with pytest.raises(CheckpointKeptError):
        await adapter.delete([headers[-1].id])
    assert await adapter.delete([headers[0].id, "nobody"]) == 1
    assert await adapter.delete_run(headers[0].run_id) == 4
    await adapter.close()


async def test_two_tasks_that_go_on_from_one_checkpoint_are_kept_apart():
    class Slow(JsonStorage):
        async def save(self, checkpoint: WorkflowCheckpoint) -> str:
            await asyncio.sleep(0)
            return await super().save(checkpoint)

    storage = Slow()
    await uneven_join().run("x", checkpoint_storage=storage)
    adapter = StorageAdapter(storage, "uneven")
    head = (await adapter.headers())[-1]
    record = await adapter.load(head.id)
    parts = await adapter.parts([part.digest for part in record.manifest])
    following = [
        Record(replace(head, id=id, parent=head.id), record.manifest)
        for id in ("one", "two")
    ]
    found = await asyncio.gather(
        *(adapter.save(one, parts) for one in following), return_exceptions=True
    )
    assert sum(isinstance(one, CheckpointConflictError) for one in found) == 1


# --- types --------------------------------------------------------------------------------------------------------


@dataclass
class Hidden:
    """In no annotation of a handler."""

    n: int


async def keeps_hidden(_: Any, ctx: WorkflowContext[Any, Any]) -> None:
    ctx.set_state("hidden", Hidden(1))


def hiding(storage: Any) -> Workflow:
    return WorkflowBuilder(
        start_executor=react("h", keeps_hidden),
        name="hiding",
        checkpoint_storage=storage,
    ).build()


async def test_a_type_that_nobody_named_is_refused_and_one_that_is_allowed_is_kept(
    tmp_path: Path,
):
    with pytest.raises(EncodeError, match="Hidden"):
        await hiding(InMemoryCheckpointStorage()).run("x")
    storage = FileCheckpointStorage(
        tmp_path, allowed_checkpoint_types=[f"{__name__}:Hidden"]
    )
    await hiding(storage).run("x")
    latest = await storage.get_latest(workflow_name="hiding")
    assert latest is not None
    assert latest.state["hidden"] == Hidden(1)
    await storage.close()


def test_an_allowed_type_is_imported_when_it_is_read_and_not_before(tmp_path: Path):
    (tmp_path / "shapes.py").write_text(
        "from dataclasses import dataclass\n@dataclass\nclass Box:\n    n: int\n"
    )
    write = """
import asyncio
from runtime import *
import shapes

async def box(_: str, ctx: WorkflowContext) -> None:
    ctx.set_state("box", shapes.Box(3))

register_checkpoint_type(shapes.Box)
asyncio.run(WorkflowBuilder(start_executor=FunctionExecutor(box), name="w",
                            checkpoint_storage=FileCheckpointStorage("kept")).build().run("x"))
"""
    read = """
import asyncio, sys
from runtime import *

storage = FileCheckpointStorage("kept", allowed_checkpoint_types=["shapes:Box", "no_such_module:Thing"])
before = "shapes" in sys.modules
found = asyncio.run(storage.get_latest(workflow_name="w")).state["box"]
print(before, found)
"""
    root = Path(__file__).parents[2]
    for code, wanted in ((write, ""), (read, "False Box(n=3)")):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            cwd=tmp_path,
            env={"PYTHONPATH": f"{root}:{tmp_path}"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.stderr, done.stdout.strip()) == ("", wanted)


def test_only_classes_that_come_back_exactly_are_registered():
    with pytest.raises(TypeError, match="Checkpoint types must be classes"):
        register_checkpoint_type("Box")  # type: ignore[arg-type]
    with pytest.raises(CodecError):
        register_checkpoint_type(type("Plain", (), {}))
    with pytest.raises(ValueError, match="module:qualname"):
        FileCheckpointStorage("unused", allowed_checkpoint_types=["Box"])


async def test_a_listing_shows_values_of_unknown_types_without_making_them():
    storage = InMemoryCheckpointStorage()
    record = WorkflowCheckpoint("w", "hash", state={"v": Verdict(True)})
    register_checkpoint_type(Verdict)
    await storage.save(record)
    from runtime.codec import DEFAULT_TYPES

    names = dict(DEFAULT_TYPES._names)
    classes = dict(DEFAULT_TYPES._classes)
    try:
        name = DEFAULT_TYPES._names.pop(Verdict)
        del DEFAULT_TYPES._classes[name]
        (found,) = await storage.list_checkpoints(workflow_name="w")
        assert found.metadata["not_decoded"]
        assert found.state["v"].fields["accepted"] is True
        with pytest.raises(WorkflowCheckpointException):
            await storage.load(record.checkpoint_id)
    finally:
        DEFAULT_TYPES._names.update(names)
        DEFAULT_TYPES._classes.update(classes)
