"""A state comes back as it was; what did not change costs nothing; refusals name their
place.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.checkpoint import (
    COMMON_FORMAT,
    FORMAT_VERSION,
    Cause,
    CheckpointHeader,
    Part,
    Record,
    digest_of,
)
from runtime.checkpoints.archive import Archive
from runtime.checkpoints.capture import Capture
from runtime.checkpoints.parts import make_trace, queue_bytes, trace_bytes
from runtime.codec import Record as Seen
from runtime.codec import TypeRegistry, encode
from runtime.errors import (
    CheckpointDamagedError,
    CheckpointNotFoundError,
    CheckpointStoreError,
    DecodeError,
    EncodeError,
)
from runtime.message import Message, Request
from runtime.state import (
    ExecutorRecord,
    Fate,
    Invocation,
    Output,
    Release,
    RunState,
    Trace,
    Write,
)
from runtime.stores.memory import MemoryStore


@dataclasses.dataclass
class Draft:
    title: str
    sections: list[Any]


class Listening(MemoryStore):
    """Notes what each save gives, and can refuse."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[dict[str, bytes]] = []
        self.refuse = False

    async def save(
        self, record: Record, parts: Mapping[str, bytes]
    ) -> CheckpointHeader:
        if self.refuse:
            raise CheckpointStoreError("busy")
        self.given.append(dict(parts))
        return await super().save(record, parts)


QUESTION = Request(
    "r1", "ask", {"q": ("a", 1)}, Literal["yes", "no"], 3, 1, {"enum": ["yes", "no"]}
)
CHILD = RunState(
    2,
    (Message("in child", "x"),),
    {"join": (Message(1, "y"),)},
    {"x": ExecutorRecord({"n": 1}, 2, 2)},
    {"k": (1, 2)},
    {"cr": dataclasses.replace(QUESTION, id="cr")},
    {"inner#0": RunState(1, shared={"deep": 1}), 'odd "#1': RunState()},
)
STATE = RunState(
    4,
    (Message({"a": (1,)}, "a"), Message("yes", "ask", "ask", QUESTION)),
    {
        'fan_in:[["a","j"],["b","j"]]': (Message(1, "a"), Message(None, "b")),
        "empty": (),
    },
    {"a": ExecutorRecord({"seen": [1]}, 3, 4), "b": ExecutorRecord()},
    {"z": 1, "a": Draft("t", [1]), "m": {"x": [None]}},
    {"r2": dataclasses.replace(QUESTION, id="r2"), "r1": QUESTION},
    {"w#1": CHILD, "w#0": RunState(1)},
)
TRACE = Trace(
    (Invocation("a", "handle", ("s", "t"), 2, 0.25, 0.5, 1, 1),),
    (Fate("dropped", "a", None, None, 2, "no edge"), Fate("delivered", "a", "b", "e")),
    (Release("e", "j", (1, 2)),),
    (Output("a", (1, 2)),),
    (Write("k", "a"), Write("l", "b", deleted=True)),
    ("r1",),
    ("r0",),
    0.75,
)
DOCUMENT = {"name": "flow", "nodes": [{"id": "a"}]}


def types() -> TypeRegistry:
    made = TypeRegistry()
    made.register(Draft)
    return made


async def keep(
    archive: Archive, state: RunState, trace: Trace | None = None, **fields: Any
) -> CheckpointHeader:
    head = await archive.store.latest()
    place: Any = {
        "run_id": "run",
        "workflow": "flow",
        "cause": Cause.SUPERSTEP,
        "parent": head,
        "branch": "main",
    }
    return await archive.save(
        state, Trace() if trace is None else trace, **{**place, **fields}
    )


# --- there and back -----------------------------------------------------------------------------------------------


async def test_everything_comes_back_in_its_order() -> None:
    archive = Archive(
        MemoryStore(), types(), clock=lambda: 12.5, new_id=iter(["one", "two"]).__next__
    )
    header = await keep(
        archive,
        STATE,
        TRACE,
        definition=DOCUMENT,
        signature="s",
        status="IDLE",
        stalled=2,
    )
    back = await archive.load("one")
    assert back.state == STATE
    assert back.trace == TRACE
    assert back.definition == DOCUMENT
    assert back.header == header
    assert list(back.state.shared) == list(STATE.shared)
    assert list(back.state.requests) == list(STATE.requests)
    assert list(back.state.children) == list(STATE.children)
    assert type(back.state.shared["a"]) is Draft
    second = await keep(
        archive,
        STATE,
        TRACE,
        definition=DOCUMENT,
        parent=header,
        branch="fork",
        cause=Cause.FORK,
    )
    assert (second.id, second.parent, second.branch, second.cause) == (
        "two",
        "one",
        "fork",
        Cause.FORK,
    )
    assert (await archive.load("two")).state == STATE


async def test_the_header_counts_the_whole_tree() -> None:
    header = await keep(
        Archive(MemoryStore(), types(), clock=lambda: 12.5),
        STATE,
        TRACE,
        stalled=2,
        status="IDLE",
    )
    assert (header.queued, header.buffered, header.requests, header.stalled) == (
        3,
        3,
        3,
        2,
    )
    assert (header.superstep, header.time, header.status, header.format) == (
        4,
        12.5,
        "IDLE",
        COMMON_FORMAT,
    )
    assert header.size >= header.new_size > 500


VALUES: Any = st.recursive(
    st.none() | st.integers() | st.text(max_size=5) | st.floats(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner)
        | st.dictionaries(st.text(max_size=2), inner)
    ),
    max_leaves=5,
)
NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
MESSAGES = st.lists(
    st.builds(Message, VALUES, NAMES, st.none() | NAMES), max_size=2
).map(tuple)
STATES: Any = st.deferred(
    lambda: st.builds(
        RunState,
        st.integers(0, 9),
        MESSAGES,
        st.dictionaries(NAMES, MESSAGES, max_size=2),
        st.dictionaries(
            NAMES,
            st.builds(ExecutorRecord, st.dictionaries(NAMES, VALUES, max_size=2)),
            max_size=2,
        ),
        st.dictionaries(NAMES, VALUES, max_size=3),
        st.just({}),
        st.dictionaries(NAMES, STATES, max_size=2) | st.just({}),
    )
)


@given(st.lists(STATES, max_size=4))
def test_any_states_one_after_the_other_come_back(states: list[RunState]) -> None:
    async def there_and_back() -> None:
        archive = Archive(MemoryStore())
        headers = [await keep(archive, state) for state in states]
        for header, state in zip(headers, states, strict=True):
            assert (await archive.load(header.id)).state == state

    asyncio.run(there_and_back())


@given(
    st.lists(
        st.lists(
            st.tuples(st.integers(0, 4), st.integers(0, 2)),
            unique_by=lambda pair: pair[0],
        ),
        max_size=6,
    )
)
def test_what_a_save_takes_over_from_the_one_before_is_what_a_whole_one_makes(
    steps: list[list[tuple[int, int]]],
) -> None:
    """Whatever keys come, go, change their value or their place: the same manifest, and
    the same number of bytes.
    """
    registry = types()
    values = [[0], ["one"], {"two": 2}]
    before = None
    for step, pairs in enumerate(steps):
        shared = {f"k{key}": values[value] for key, value in pairs}
        buffers = {key: (Message(1, "a", "b"),) for key in shared}
        state = RunState(
            step,
            shared=shared,
            buffers=buffers,
            children={"c#1": RunState(step, shared=shared)},
        )
        taken = Capture(registry, state, TRACE, None, before)
        whole = Capture(registry, state, TRACE, None, None)
        assert taken.manifest() == whole.manifest()
        assert (
            taken.size
            == whole.size
            == sum(len(whole.new[part.digest]) for part in whole.manifest())
        )
        assert taken.snapshot.buffered == whole.snapshot.buffered == len(pairs)
        before = taken


# --- what it costs ------------------------------------------------------------------------------------------------


async def test_only_what_changed_is_encoded_and_given() -> None:
    store = Listening()
    archive = Archive(store, types())
    await keep(archive, STATE, TRACE, definition=DOCUMENT)
    # What cannot be encoded is not looked at again either: the value is the same
    # object.
    STATE.shared["m"]["x"].append(object())
    try:
        later = dataclasses.replace(STATE, shared={**STATE.shared, "z": 2})
        header = await keep(archive, later, TRACE, definition=dict(DOCUMENT))
    finally:
        STATE.shared["m"]["x"].pop()
    assert store.given[1] == {digest_of(b"2"): b"2"}
    assert header.new_size == 1
    assert (await archive.load(header.id)).state == later


async def test_an_unchanged_child_costs_nothing_and_a_changed_one_only_its_part() -> (
    None
):
    store = Listening()
    archive = Archive(store, types())
    await keep(archive, STATE)
    inner = {**CHILD.children, "inner#0": RunState(1, shared={"deep": 2})}
    child = dataclasses.replace(CHILD, children=inner)
    later = dataclasses.replace(STATE, children={**STATE.children, "w#1": child})
    header = await keep(archive, later)
    assert store.given[1] == {digest_of(b"2"): b"2"}
    assert (await archive.load(header.id)).state == later


async def test_a_save_that_failed_is_not_taken_for_saved() -> None:
    store = Listening()
    archive = Archive(store)
    await keep(archive, RunState(shared={"k": 1}))
    store.refuse = True
    changed = RunState(1, shared={"k": 2})
    with pytest.raises(CheckpointStoreError):
        await keep(archive, changed)
    store.refuse = False
    header = await keep(archive, changed)
    assert digest_of(b"2") in store.given[1]
    assert (await archive.load(header.id)).state == changed


async def test_case_84_everything_is_encoded_before_the_store_is_awaited() -> None:
    class Slow(MemoryStore):
        def __init__(self) -> None:
            super().__init__()
            self.reached = asyncio.Event()
            self.go_on = asyncio.Event()

        async def save(
            self, record: Record, parts: Mapping[str, bytes]
        ) -> CheckpointHeader:
            self.reached.set()
            await self.go_on.wait()
            return await super().save(record, parts)

    store = Slow()
    archive = Archive(store)
    value = list(range(1000))
    async with asyncio.TaskGroup() as group:
        saving = group.create_task(keep(archive, RunState(shared={"k": value})))
        await store.reached.wait()
        value.clear()
        store.go_on.set()
    assert (await archive.load(saving.result().id)).state.shared["k"] == list(
        range(1000)
    )


async def test_a_small_change_in_a_large_value_stores_a_small_difference() -> None:
    store = Listening()
    archive = Archive(store)
    items: list[Any] = [
        {"id": number, "name": f"item {number}", "tags": ["a", "b"]}
        for number in range(2500)
    ]
    document = {"title": "t", "items": items}
    size = (await keep(archive, RunState(shared={"doc": document}))).size
    assert size > 100_000
    for place, item in (
        (0, {"id": -1}),
        (1200, {}),
        (1200, {"id": 5, "name": "longer" * 9}),
        (2499, None),
    ):
        items = [*items[:place], item, *items[place + 1 :]]
        document = {"title": "t", "items": items}
        header = await keep(archive, RunState(shared={"doc": document}))
        assert header.new_size < 10_000
        assert (await archive.load(header.id)).state.shared["doc"] == document
    for grown in ([*items, {"id": "new"}], [{"id": "new"}, *items], items[5:]):
        header = await keep(
            archive, RunState(shared={"doc": {"title": "t", "items": grown}})
        )
        assert header.new_size < 20_000
        assert (await archive.load(header.id)).state.shared["doc"]["items"] == grown


# --- refusals -----------------------------------------------------------------------------------------------------

ODD = object()


@pytest.mark.parametrize(
    ("state", "trace", "path"),
    [
        (
            RunState(shared={"draft": Draft("t", [0, ODD])}),
            Trace(),
            "state['draft'].sections[1]",
        ),
        (
            RunState(executors={"x": ExecutorRecord({"k": [ODD]})}),
            Trace(),
            "executor 'x' ['k'][0]",
        ),
        (
            RunState(queue=(Message(1, "a"), Message([ODD], "b"))),
            Trace(),
            "message from 'b'[0]",
        ),
        (
            RunState(buffers={"j": (Message((ODD,), "c"),)}),
            Trace(),
            "message from 'c'[0]",
        ),
        (
            RunState(requests={"r": Request("r", "a", ODD, str, 1)}),
            Trace(),
            "request 'r'",
        ),
        (
            RunState(requests={"r": Request("r", "a", 1, asyncio.Task, 1)}),
            Trace(),
            "request 'r' response_type",
        ),
        (
            RunState(children={"w#0": RunState(shared={"k": ODD})}),
            Trace(),
            "state['k']",
        ),
        (RunState(), Trace(outputs=(Output("a", {1: ODD}),)), "output of 'a'[1]"),
    ],
)
async def test_case_75_a_refusal_names_the_place(
    state: RunState, trace: Trace, path: str
) -> None:
    store = MemoryStore()
    archive = Archive(store, types())
    with pytest.raises(EncodeError) as caught:
        await keep(archive, state, trace)
    assert caught.value.path == path
    assert await store.headers() == []


async def test_case_115_an_unknown_type_is_refused_on_load_and_shown_by_view() -> None:
    store = MemoryStore()
    header = await keep(Archive(store, types()), STATE, TRACE)
    other = Archive(store, TypeRegistry())
    with pytest.raises(
        DecodeError, match=rf"^state\['a'\]: type {__name__}:Draft is not registered"
    ):
        await other.load(header.id)
    for archive in (other, Archive(store, types())):
        seen = (await archive.view(header.id)).state
        assert seen.shared["a"] == Seen(
            f"{__name__}:Draft", {"title": "t", "sections": [1]}
        )
        assert dataclasses.replace(seen, shared=STATE.shared) == STATE


async def test_what_is_not_there_or_damaged_is_said_with_its_id() -> None:
    store = MemoryStore()
    archive = Archive(store)
    with pytest.raises(CheckpointNotFoundError):
        await archive.load("none")
    header = CheckpointHeader("bad", "run", "flow", 1, Cause.INPUT)
    for number, data in enumerate((b"{}", b"[1]", b'[1,[["a"]]]', b"not JSON")):
        bad = dataclasses.replace(header, id=f"bad {number}", run_id=f"run {number}")
        await store.save(
            Record(bad, (Part("queue", "", digest_of(data)),)), {digest_of(data): data}
        )
        with pytest.raises(
            CheckpointDamagedError,
            match=f"Checkpoint bad {number} is damaged: its part 'queue' has a wrong",
        ):
            await archive.load(bad.id)
    lost = digest_of(b"0")
    await store.save(Record(header, (Part("queue", "", lost),)), {lost: b"1"})
    with pytest.raises(CheckpointDamagedError, match="Checkpoint bad is damaged: part"):
        await archive.load("bad")


# --- formats ------------------------------------------------------------------------------------------------------


async def test_the_record_of_format_1_is_read_as_ever() -> None:
    """A golden record: if this fails, `FORMAT_VERSION` must grow, with a function in
    `migrations`.
    """
    golden = json.loads(
        Path(__file__).with_name("format_1.json").read_text(encoding="utf-8")
    )
    parts = [(kind, name, text.encode()) for kind, name, text in golden["parts"]]
    store = MemoryStore()
    header = CheckpointHeader(
        "golden", "run", "flow", 4, Cause.SUPERSTEP, format=golden["format"]
    )
    manifest = tuple(Part(kind, name, digest_of(data)) for kind, name, data in parts)
    await store.save(
        Record(header, manifest), {digest_of(data): data for _, _, data in parts}
    )
    registry = TypeRegistry()
    registry.alias("golden:Draft", Draft)
    back = await Archive(store, registry).load("golden")
    assert (back.state, back.trace, back.definition) == (STATE, TRACE, DOCUMENT)


async def test_case_122_a_newer_format_is_refused_by_number() -> None:
    store = MemoryStore()
    header = CheckpointHeader("new", "run", "flow", 1, Cause.INPUT, format=9)
    await store.save(
        Record(header, (Part("future", "", digest_of(b"?")),)), {digest_of(b"?"): b"?"}
    )
    for read in (Archive(store).load, Archive(store).view):
        with pytest.raises(DecodeError, match=rf"format 9.*up to {FORMAT_VERSION}"):
            await read("new")


_QUEUED = '["data","a",null,null]'
_ASKED = '["ask",{},"str",1,0,null]'


@pytest.mark.parametrize(
    ("kind", "name", "content"),
    [
        ("queue", "", '["2",[]]'),
        ("queue", "", '[2,[["data",5,null,null]]]'),
        ("queue", "", '[2,[["data","a",["j"],null]]]'),
        ("queue", "", f'[2,[["data","a",null,[{{}},{_ASKED[1:-1]}]]]]'),
        ("queue", "", f"[2,{_QUEUED}]"),
        ("executor", "a", '["no mapping",1,2]'),
        ("executor", "a", '[{},"1",2]'),
        ("request", "r", '[["ask"],{},null,1,0,null]'),
        ("request", "r", '["ask",{},null,1.5,0,null]'),
        ("buffer", "join", f'{{"a":{_QUEUED}}}'),
        ("trace", "", '[[],[["delivered","a",5,null,1,"",""]],[],[],[],[],[],0]'),
        ("trace", "", '[[["a","take","sources",1,0,0,0,0]],[],[],[],[],[],[],0]'),
        ("trace", "", '[[["a","take",["s"],1,0,0,0,0,["k"]]],[],[],[],[],[],[],0]'),
        ("trace", "", '[[["a","take",["s"],1,0,0,0,0,["k"],[1]]],[],[],[],[],[],[],0]'),
        ("trace", "", '[[],[["delivered","a","b",null,1,"","",["x"]]],[],[],[],[],[],0]'),
        ("trace", "", '[[],[],[["e","t",["1"]]],[],[],[],[],0]'),
        ("trace", "", '[[],[],[],[],[],[1],[],0]'),
        ("trace", "", '[[],[],[],[],[],[],[],"long"]'),
        ("definition", "", "[1]"),
        ("child", '["sub#1","queue",""]', '[null,[]]'),
        ("unknown", "", "{}"),
    ],
)  # fmt: skip
async def test_rule_30_a_part_of_another_shape_reaches_neither_a_run_nor_a_viewer(
    kind: str, name: str, content: str
) -> None:
    """Whoever writes a store can make parts whose digests are right: what they hold is
    looked at all the same.
    """
    store = MemoryStore()
    data = content.encode()
    record = Record(
        CheckpointHeader("c", "run", "w", 2, Cause.SUPERSTEP),
        (Part(kind, name, digest_of(data)),),
    )
    await store.save(record, {digest_of(data): data})
    for read in (Archive(store).load, Archive(store).view):
        with pytest.raises(CheckpointDamagedError, match="Checkpoint c is damaged"):
            await read("c")


async def test_a_checkpoint_that_is_removed_while_it_is_read_is_not_called_damaged() -> (
    None
):
    class Pruned(MemoryStore):
        """Somebody removes the run between the record and its parts."""

        async def parts(self, digests: Sequence[str]) -> dict[str, bytes]:
            await self.delete_run("run")
            return await super().parts(digests)

    archive = Archive(Pruned())
    header = await archive.save(
        RunState(shared={"k": 1}),
        Trace(),
        run_id="run",
        workflow="w",
        cause=Cause.INPUT,
        parent=None,
        branch="main",
    )
    with pytest.raises(CheckpointNotFoundError):
        await archive.load(header.id)


# --- rows ---------------------------------------------------------------------------------------------------------

LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**65), 2**65),
    st.sampled_from([-(2**63) - 1, -(2**63), 2**64 - 1, 2**64]),
    st.floats(),
    st.text(st.characters(exclude_categories=[])),
)


@given(LEAVES)
def test_a_value_in_a_row_is_written_as_the_codec_writes_it(value: Any) -> None:
    """Small values stand in their row at once: the bytes are those of the codec for all
    of them.
    """
    registry = TypeRegistry()
    data = encode(value)
    message = Message(value, "a", "b")
    assert queue_bytes(1, (message,), registry) == b'[1,[[%b,"a","b",null]]]' % data
    outputs = orjson.loads(trace_bytes(Trace(outputs=(Output("a", value),)), registry))[
        3
    ]
    assert outputs == [["a", orjson.loads(data)]]


def test_the_rows_of_a_trace_are_the_fields_of_its_records_in_order() -> None:
    """A field that is added to one of them would be lost silently."""
    records = (
        Invocation(
            "a",
            "run",
            ("b",),
            1,
            0.5,
            0.25,
            2,
            3,
            ("k",),
            ("q",),
            2,
            "ValueError: no",
            "recorded",
        ),
        Fate("dropped", "a", "b", "e", 4, "why", "0", (1, 2, 3, 5)),
        Release("e", "b", (1, 2)),
        Write("k", "a", True),
    )
    invocation, fate, release, write = records
    trace = Trace((invocation,), (fate,), (release,), (), (write,), ("q",), ("r",), 1.5)
    rows = [
        orjson.loads(orjson.dumps(list(dataclasses.astuple(one)))) for one in records
    ]
    expected = [[rows[0]], [rows[1]], [rows[2]], [], [rows[3]], ["q"], ["r"], 1.5]
    assert orjson.loads(trace_bytes(trace, TypeRegistry())) == expected
    assert make_trace(expected, lambda tree, _path: tree) == trace


def test_a_trace_of_before_knows_less_and_is_read_all_the_same() -> None:
    """Rows without the fields that came later: who wrote and asked, and which messages
    went a way.
    """
    rows = [
        [["a", "run", ["b"], 1, 0.5, 0.25, 2, 3]],
        [["delivered", "a", "b", "e", 4, "", "0"]],
        *[[]] * 5,
        1.5,
    ]
    trace = make_trace(rows, lambda tree, _path: tree)
    assert trace.invocations == (Invocation("a", "run", ("b",), 1, 0.5, 0.25, 2, 3),)
    assert trace.fates == (Fate("delivered", "a", "b", "e", 4, "", "0"),)
    assert orjson.loads(trace_bytes(trace, TypeRegistry())) == rows
