"""What a checkpoint keeps of a call: everything comes back, no secret and nothing large
is kept, and what has another shape is a damage.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.calls import Call, CallError, Inputs, Results
from runtime.checkpoint import Record
from runtime.checkpoints.archive import Archive
from runtime.checkpoints.calls import MOST_BYTES, call_bytes, call_name, make_call
from runtime.codec import DEFAULT_TYPES, rebuild
from runtime.document.definition import NodeDefinition
from runtime.engine.replay.settings import Replay
from runtime.engine.runner import Runner
from runtime.errors import CheckpointDamagedError
from runtime.executors.executor import WorkflowContext, executor
from runtime.expressions.environment import Secrets
from runtime.message import Message, Request
from runtime.nodes import catalogue
from runtime.stores.memory import MemoryStore
from tests.runtime.nodes.single import one_node
from tests.runtime.nodes.web import Reply, web
from tests.runtime.replay.reaching import chain, finished, sink

HIDDEN = 'tö"p/secret'


NOTHING = Results()


def call(results: Results = NOTHING, **more: Any) -> Call:
    return Call(
        ("sub#1",),
        "fetch",
        2,
        "run",
        "request",
        False,
        Inputs("c", "m", "o", {"city": "d"}),
        results,
        **more,
    )


def again(kept: Call) -> Call:
    tree = orjson.loads(call_bytes(kept, DEFAULT_TYPES))
    return make_call(
        call_name(kept), tree, lambda value, path: rebuild(value, DEFAULT_TYPES, path)
    )


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@settings(max_examples=25)
@given(VALUES, st.dictionaries(st.text(min_size=1), VALUES))
def test_everything_that_a_call_did_comes_back(
    value: Any, writes: Mapping[str, Any]
) -> None:
    results = Results(
        (Message(value, "fetch"), Message(value, "fetch", "b")),
        (value,),
        writes,
        ("gone",),
        (Request("q", "fetch", value, bool, 3, 0, {"type": "boolean"}),),
        {"seen": value},
    )
    assert again(call(results)) == call(results)


def test_an_error_comes_back() -> None:
    error = CallError("ValueError", "no", ("line 1", "line 2"), is_tried_again=False)
    assert again(call(Results(error=error))).results.error == error


@pytest.mark.parametrize(
    "holder",
    [
        Results((Message({"header": f"Bearer {HIDDEN}!"}, "fetch"),)),
        Results(outputs=(f"x{HIDDEN}",)),
        Results(writes={HIDDEN: 1}),
        Results(record={"key": [HIDDEN]}),
        Results(error=CallError("E", f"cannot reach {HIDDEN}")),
        Results((Message("https://h/?key=t%C3%B6%22p%2Fsecret", "fetch"),)),
        *(
            Results((Message(b"x" * offset + HIDDEN.encode() + b"yy", "fetch"),))
            for offset in range(3)
        ),
    ],
)
def test_a_result_with_a_secret_is_not_kept_and_the_call_says_so(
    holder: Results,
) -> None:
    kept = call(holder, secrets=frozenset({HIDDEN}))
    data = call_bytes(kept, DEFAULT_TYPES)
    assert again(kept).omitted == "it holds a secret"
    assert again(kept).results == Results()
    assert b"secret" not in data.replace(b"it holds a secret", b"")
    assert base64.b64encode(HIDDEN.encode())[:8] not in data


def test_a_result_without_the_secret_is_kept() -> None:
    kept = call(Results((Message("fine", "fetch"),)), secrets=frozenset({HIDDEN}))
    assert again(kept).results.sent[0].data == "fine"


def test_a_result_that_is_too_large_or_cannot_be_saved_is_not_kept() -> None:
    large = call(Results(outputs=("x" * (MOST_BYTES + 1),)))
    assert again(large).omitted == "it is larger than 8 MB"
    odd = call(Results(writes={"log": [object()]}))
    assert again(odd).omitted == "it holds a value that cannot be saved"


TREE: dict[str, Any] = orjson.loads(
    call_bytes(call(Results(outputs=(1,))), DEFAULT_TYPES)
)


@pytest.mark.parametrize(
    ("name", "tree"),
    [
        ("[]", TREE),
        ('["fetch"]', TREE),
        ('["fetch", "2"]', TREE),
        ('{"a": 1}', TREE),
        ('["fetch", 0]', []),
        ('["fetch", 0]', {}),
        ('["fetch", 0]', {**TREE, "reads": {"a": 1}}),
        ('["fetch", 0]', {**TREE, "harmless": 1}),
        ('["fetch", 0]', {**TREE, "results": []}),
        ('["fetch", 0]', {**TREE, "results": {"sent": {}}}),
        ('["fetch", 0]', {**TREE, "results": {"sent": [[1]]}}),
        ('["fetch", 0]', {**TREE, "results": {"asked": [[]]}}),
        ('["fetch", 0]', {**TREE, "results": {"record": [1]}}),
        ('["fetch", 0]', {**TREE, "results": {"error": ["E", 1, [], True]}}),
        ('["fetch", 0]', {key: TREE[key] for key in TREE if key != "results"}),
    ],
)
def test_another_shape_raises_what_becomes_a_damage(name: str, tree: Any) -> None:
    with pytest.raises((TypeError, ValueError, LookupError)):
        make_call(name, tree, lambda value, _: value)


async def test_a_damaged_call_is_a_damaged_checkpoint_and_its_call_is_made_again() -> (
    None
):
    calls: list[str] = []

    @executor(id="fetch", outside="request")
    async def fetch(message: str, ctx: WorkflowContext[str]) -> None:
        calls.append(message)
        await ctx.send_message(message)

    workflow = chain(fetch, sink())
    good, bad = MemoryStore(), MemoryStore()
    for header in await finished(workflow, good):
        record = await good.load(header.id)
        parts = await good.parts(record.digests)
        for part in record.manifest:
            if part.kind == "call":
                parts[part.digest] = parts[part.digest].replace(b"harmless", b"armless")
        damaged = Record(record.header, record.manifest)
        await _save_as_it_is(bad, damaged, parts)
    headers = await bad.headers()
    with pytest.raises(CheckpointDamagedError, match=r"call \[\"fetch\",0\]"):
        await Archive(bad).load(headers[1].id)
    runner = Runner(workflow, bad)
    await runner.restore(headers[0].id, fork=True)
    await runner.finish()
    assert calls == ["a", "a"]


async def _save_as_it_is(
    store: MemoryStore, record: Record, parts: Mapping[str, bytes]
) -> None:
    """Save a record whose parts are other than their digests say, as a fault would."""
    from runtime.checkpoint import Part, digest_of

    named = {digest: digest_of(data) for digest, data in parts.items()}
    manifest = tuple(
        Part(part.kind, part.name, named[part.digest]) for part in record.manifest
    )
    await store.save(
        Record(record.header, manifest),
        {named[digest]: data for digest, data in parts.items()},
    )


async def test_a_secret_of_the_environment_that_comes_back_is_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SHOP_KEY", "hush-hush")
    async with web(Reply(body={"you": "hush-hush"}), Reply(body={"ok": 1})) as server:
        workflow = one_node(
            "http_request",
            url=server.url,
            headers={"Authorization": "Bearer {env.SHOP_KEY}"},
        )
        for omitted in ("it holds a secret", ""):
            store = MemoryStore()
            headers = await finished(workflow, store)
            (kept,) = (await Archive(store).load(headers[1].id)).calls
            assert kept.omitted == omitted


KEYED = """
from runtime import Executor, WorkflowContext, handler

class Keyed(Executor):
    def __init__(self, id: str, api_key: str) -> None:
        super().__init__(id, outside="request")

    @handler
    async def run(self, message: str, ctx: WorkflowContext[str]) -> None: ...
"""


def test_a_secret_in_an_argument_of_a_node_is_known_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SHOP_KEY", "hush-hush")
    (tmp_path / "keyed.py").write_text(KEYED)
    node = {
        "id": "it",
        "type": "python_class",
        "params": {
            "class_name": "keyed:Keyed",
            "arguments": {"api_key": "{env.SHOP_KEY}"},
        },
    }
    made = catalogue().create(NodeDefinition.model_validate(node), tmp_path)
    assert made.engine_secrets == frozenset({"hush-hush"})


async def test_a_secret_that_a_thread_uses_is_noted() -> None:
    @executor(id="fetch", outside="request")
    def fetch(message: str, ctx: WorkflowContext[str]) -> None:
        ctx.send_message(Secrets({"KEY": "hush-hush"}).value("KEY"))

    store = MemoryStore()
    headers = await finished(chain(fetch, sink()), store)
    (kept,) = (await Archive(store).load(headers[1].id)).calls
    assert kept.omitted == "it holds a secret"
    runner = Runner(chain(fetch, sink()), store)
    plan = await runner.plan_outside(headers[0].id, Replay(on_miss="refuse"))
    assert [call.reason for call in plan] == [
        "its result was not kept: it holds a secret"
    ]
