"""Values of classes that are none of a program's plain data: pydantic's own types and
what it can write and read, secrets, and exceptions.
"""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import (
    BaseModel,
    ByteSize,
    HttpUrl,
    PostgresDsn,
    RedisDsn,
    Secret,
    SecretBytes,
    SecretStr,
)
from pydantic_core import core_schema

from runtime import Executor, Workflow, WorkflowBuilder, WorkflowContext, handler
from runtime.checkpoints.archive import Archive
from runtime.cli.json_values import sections
from runtime.codec import (
    DEFAULT_TYPES,
    Record,
    TypeRegistry,
    can_register,
    decode,
    encode,
    view,
)
from runtime.codec.pydantic_types import MASKED
from runtime.debug.values.display import plain, to_value
from runtime.engine.runner import Runner
from runtime.errors import (
    CodecError,
    DecodeError,
    EncodeError,
    RequestError,
    WorkflowConvergenceException,
)
from runtime.executors.payload_types import types_of
from runtime.stores import open_store
from runtime.values.copies import Shared, isolate
from tests.runtime.codec_values import Celsius, OrderError

# --- what pydantic brings, and what it can write ------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [HttpUrl("https://a.b/c?d=1"), RedisDsn("redis://h/1"), ByteSize(5)],
    ids=repr,
)
def test_a_type_of_pydantics_own_needs_no_registration(value: Any):
    back = decode(encode([value]))[0]
    assert (back, type(back)) == (value, type(value))
    shown = view(encode(value))
    assert (shown.type, str(shown.fields["value"])) == (
        f"pydantic:{type(value).__name__}",
        str(int(value) if value == 5 else value),
    )


def test_a_class_that_pydantic_writes_and_reads_is_registered_in_one_line():
    with pytest.raises(
        EncodeError,
        match=r"not registered. Register it with runtime.codec.DEFAULT_TYPES.register\(C",
    ):
        encode(Celsius(1.5))
    types = TypeRegistry()
    types.register(Celsius)
    data = encode({"t": Celsius(1.5)}, types)
    assert decode(data, types) == {"t": Celsius(1.5)}
    assert view(data) == {"t": Record(f"{Celsius.__module__}:Celsius", {"value": 1.5})}
    with pytest.raises(DecodeError, match="not registered"):
        decode(data)


class Rounded(Celsius):
    """What pydantic writes of it is another value."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        return core_schema.no_info_after_validator_function(
            cls,
            core_schema.float_schema(),
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda value: round(value.degrees)
            ),
        )


class Nameless:
    """It is written and read, and cannot say that two are equal."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        return core_schema.no_info_after_validator_function(
            lambda _: cls(),
            core_schema.int_schema(),
            serialization=core_schema.plain_serializer_function_ser_schema(lambda _: 1),
        )


@pytest.mark.parametrize(
    "value", [Rounded(1.5), Nameless()], ids=["rounded", "without equality"]
)
def test_what_would_come_back_as_another_value_is_refused_with_its_path(value: Any):
    types = TypeRegistry()
    types.register(type(value))
    with pytest.raises(
        EncodeError, match=r"^state\['t'\]: this \w+ would not come back equal"
    ):
        encode({"t": value}, types, "state")
    assert (
        type(decode(encode(Rounded(2.0), registered(Rounded)), registered(Rounded)))
        is Rounded
    )


def registered(*classes: type) -> TypeRegistry:
    types = TypeRegistry()
    for cls in classes:
        types.register(cls)
    return types


@pytest.mark.parametrize(
    "name",
    [
        "pydantic:BaseModel",
        "pydantic:create_model",
        "builtins:eval",
        "builtins:int",
        "errors",
    ],
)
def test_a_name_stands_for_nothing_but_values(name: str):
    for tree in (
        {"$": name, "v": {"value": 1}},
        {"$": name, "v": {"args": {"$": "tuple", "v": []}}},
    ):
        with pytest.raises(DecodeError):
            decode(json.dumps(tree, separators=(",", ":")).encode())
    assert DEFAULT_TYPES.class_of(name) is None


def test_pydantic_is_not_imported_to_look_or_to_refuse():
    program = """
import sys
from runtime.codec import encode, view
from runtime.errors import EncodeError
print(view(b'{"$":"pydantic:HttpUrl","v":{"value":"https://a.b"}}').fields["value"])
print(encode(ValueError("x")).decode()[:23])
print("pydantic" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["https://a.b", '{"$":"builtins:ValueErr', "False"]


# --- secrets ------------------------------------------------------------------------------------------------------

SECRETS = [
    SecretStr("hush-hush"),
    SecretBytes(b"hush-hush"),
    Secret({"k": "hush-hush"}),
]


@pytest.mark.parametrize("value", SECRETS, ids=["text", "bytes", "any"])
def test_a_secret_comes_back_and_stands_nowhere_to_be_seen(value: Any):
    data = encode({"token": [value]})
    assert decode(data)["token"][0].get_secret_value() == value.get_secret_value()
    assert b"hush" not in data
    shown = view(data)
    assert shown == {
        "token": [Record(f"pydantic:{type(value).__name__}", {"value": MASKED})]
    }
    for one in (value, shown["token"][0]):
        assert "hush" not in f"{to_value(one, 5)} {plain(one)}"


def test_the_password_of_an_address_is_masked_in_views():
    value = PostgresDsn("postgres://me:hush@h/d")
    data = encode(value)
    assert decode(data) == value
    for one in (value, view(data)):
        assert "hush" not in f"{to_value(one, 5)} {plain(one)}"
        assert "postgres://me:" in f"{to_value(one, 5)}"


async def test_a_secret_in_a_run_is_in_no_export_and_in_no_file_as_it_is(
    tmp_path: Path,
):
    class Settings(BaseModel):
        key: SecretStr
        home: HttpUrl

    class Keep(Executor):
        @handler
        async def keep(
            self, settings: Settings, ctx: WorkflowContext[Settings, str]
        ) -> None:
            ctx.set_state("key", settings.key)
            await ctx.send_message(settings)

    class Use(Executor):
        @handler
        async def use(self, settings: Settings, ctx: WorkflowContext[Any, str]) -> None:
            await ctx.yield_output(
                settings.key.get_secret_value()
                + ctx.get_state("key").get_secret_value()[:4]
            )

    def build() -> Workflow:
        keep = Keep("keep")
        use = Use("use")
        return (
            WorkflowBuilder(name="settings", start_executor=keep)
            .add_edge(keep, use)
            .build()
        )

    store = open_store(f"dir:{tmp_path / 'runs'}")
    runner = Runner(build(), store)
    await runner.start(
        Settings(key=SecretStr("hush-hush"), home=HttpUrl("https://a.b"))
    )
    await runner.step()
    assert runner.header is not None
    again = Runner(build(), store)
    await again.restore(runner.header.id)
    await again.finish()
    assert again.trace.outputs[0].data == "hush-hushhush"
    viewed = await Archive(store).view(runner.header.id)
    assert "hush" not in json.dumps(await sections(Archive(store), viewed), default=str)
    assert MASKED in json.dumps(
        await sections(Archive(store), viewed), ensure_ascii=False
    )
    await store.close()
    files = [
        path.read_bytes() for path in (tmp_path / "runs").rglob("*") if path.is_file()
    ]
    # the output, which is a plain text
    assert [b"hush-hush" in data for data in files].count(True) == 1


# --- exceptions ---------------------------------------------------------------------------------------------------


@dataclass
class Failed(Exception):  # noqa: N818
    code: int
    why: str = ""

    def __str__(self) -> str:
        return f"failed with {self.code}"


class Slotted(Exception):  # noqa: N818
    __slots__ = ("more",)


class Row(ValueError, LookupError):  # noqa: N818
    pass


EXCEPTIONS = [
    *(
        ValueError("x", 1),
        KeyError("k"),
        FileNotFoundError(2, "no", "file"),
        OSError(5, "io", "a", None, "b"),
    ),
    *(
        UnicodeDecodeError("utf8", b"\xff", 0, 1, "bad"),
        ImportError("m", name="n", path="p"),
        StopIteration(3),
    ),
    *(
        SyntaxError("bad", ("f", 1, 2, "text", 1, 3)),
        SystemExit(2),
        ExceptionGroup("g", [ValueError(1), KeyError("k")]),
    ),
    *(
        AttributeError("a", name="n"),
        Failed(3, "so"),
        OrderError([1], reason="late"),
        Row("both"),
    ),
    *(WorkflowConvergenceException(3, ["a"]), RequestError("no", "id")),
]


@pytest.mark.parametrize("value", EXCEPTIONS, ids=lambda value: type(value).__name__)
def test_an_exception_comes_back_with_class_arguments_attributes_and_text(
    value: BaseException,
):
    types = registered(Failed, OrderError, Row)
    value.add_note("seen")
    for back in (decode(encode(value, types), types), isolate(value)):
        assert (type(back), str(back), repr(back)) == (
            type(value),
            str(value),
            repr(value),
        )
        assert back is not value
        names = (
            "filename",
            "filename2",
            "name",
            "path",
            "value",
            "code",
            "offset",
            "why",
            "order",
            "limit",
            "request_id",
        )
        for name in ("__notes__", *names):
            assert getattr(back, name, None) == getattr(value, name, None), name


def test_where_an_exception_was_raised_is_not_saved_and_a_copy_has_it():
    try:
        try:
            raise KeyError("first")
        except KeyError as first:
            raise ValueError("second") from first
    except ValueError as error:
        value = error
    back = decode(encode(value))
    assert (back.__traceback__, back.__cause__, back.__context__) == (None, None, None)
    copy = isolate(value)
    assert (copy.__traceback__, copy.__cause__) == (
        value.__traceback__,
        value.__cause__,
    )


def test_what_of_an_exception_cannot_be_saved_is_left_out_and_its_text_stays():
    with socket.socket() as connection:
        value = OrderError(connection, reason="late")
        value.retries = 2  # type: ignore[attr-defined]
        types = registered(OrderError)
        back = decode(encode(value, types), types)
        assert (str(back), vars(back)) == (
            "order socket: late",
            {"reason": "late", "retries": 2},
        )
        back = decode(encode(RuntimeError("lost", connection)))
        assert back.args == (str(RuntimeError("lost", connection)),)
        # A group of exceptions is none without them, and says which one it is.
        with pytest.raises(
            EncodeError, match=r"^k\.args\[1\]\[0\]: type Failed is not registered"
        ):
            encode(ExceptionGroup("g", [Failed(1)]), path="k")


class Counted(ValueError):  # noqa: N818
    """Counts how often its attributes are asked for."""

    looks = 0

    @property
    def __dict__(self) -> dict[str, object]:  # type: ignore[override]
        Counted.looks += 1
        return super().__dict__


def test_each_exception_that_exceptions_carry_is_looked_at_once():
    types = registered(Counted)
    error = Counted("leaf")
    error.lock = threading.Lock()  # type: ignore[attr-defined]
    for level in range(60):
        outer = Counted(level)
        outer.inner = error  # type: ignore[attr-defined]
        error = outer
    Counted.looks = 0
    back = decode(encode(error, types), types)
    assert Counted.looks < 60 * 10
    depth = 0
    while hasattr(back, "inner"):
        back = back.inner
        depth = depth + 1
    assert (depth, vars(back)) == (60, {})


def test_an_exception_that_leads_to_itself_is_saved_without_that_way():
    error = ValueError("a")
    other = KeyError("b")
    error.me = error  # type: ignore[attr-defined]
    error.all = [error]  # type: ignore[attr-defined]
    # type: ignore[attr-defined]
    error.other = other
    other.owner = error
    other.code = 3
    error.add_note("seen")
    back = decode(encode(isolate(error)))
    assert set(vars(back)) == {"other", "__notes__"}
    assert vars(back.other) == {"code": 3}
    error.args = (error,)
    with pytest.raises(EncodeError, match="contains itself"):
        encode(error)


def test_an_exception_is_looked_at_as_a_record_and_its_code_does_not_run():
    types = registered(Failed)
    shown = view(encode(Failed(3, "so"), types), types)
    assert shown == Record(
        f"{Failed.__module__}:Failed",
        {"args": (3, "so"), "text": "failed with 3", "code": 3, "why": "so"},
    )
    assert view(encode(ValueError("x"))) == Record(
        "builtins:ValueError", {"args": ("x",)}
    )
    assert "3" in to_value(Failed(3)).text


def test_an_exception_that_is_not_registered_or_keeps_slots_is_refused():
    with pytest.raises(EncodeError, match="type Failed is not registered"):
        encode(Failed(1))
    assert not can_register(Slotted)
    with pytest.raises(CodecError, match="cannot be registered"):
        TypeRegistry().register(Slotted)


# --- types that annotations name ----------------------------------------------------------------------------------


async def test_types_that_annotations_name_are_registered_when_a_workflow_is_built():
    class Reading(BaseModel):
        at: Celsius
        model_config = {"arbitrary_types_allowed": True}

    class Read(Executor):
        @handler
        async def read(
            self, home: HttpUrl, ctx: WorkflowContext[Reading | OrderError]
        ) -> None:
            await ctx.send_message(Reading(at=1.5))  # type: ignore[arg-type]
            await ctx.send_message(OrderError(home, reason="late"))

    class Tell(Executor):
        @handler
        async def tell(self, reading: Reading, ctx: WorkflowContext[Any, str]) -> None:
            await ctx.yield_output(repr(reading.at))

        @handler
        async def fail(self, error: OrderError, ctx: WorkflowContext[Any, str]) -> None:
            await ctx.yield_output(
                f"{error} {error.order} {re.sub('0x.*', '', error.reason)}"
            )

    def build() -> Workflow:
        read = Read("read")
        tell = Tell("tell")
        return (
            WorkflowBuilder(name="reading", start_executor=read)
            .add_edge(read, tell)
            .build()
        )

    assert {HttpUrl, Reading, Celsius, OrderError} <= set(
        types_of(build().executors.values())
    )
    store = open_store("memory:")
    straight = await build().run(HttpUrl("https://a.b"), checkpoint_storage=store)
    for header in (await store.headers())[:-1]:
        again = await build().run(checkpoint_id=header.id, checkpoint_storage=store)
        assert (
            again.get_outputs()
            == straight.get_outputs()
            == ["Celsius(1.5)", "order HttpUrl: late https://a.b/ late"]
        )


# --- what cannot be copied ----------------------------------------------------------------------------------------


class OneOfAKind:
    def __init__(self) -> None:
        self.seen: list[str] = []

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        raise TypeError("there is one of it")


def test_what_could_not_be_copied_is_said_with_the_reason():
    shared: list[Shared] = []
    value = {"a": [OneOfAKind()], "b": [1]}
    made = isolate(value, shared)
    assert made["a"][0] is value["a"][0]
    assert made["b"] is not value["b"]
    assert [(one.cls, str(one.error)) for one in shared] == [
        (OneOfAKind, "there is one of it")
    ]
    fine: list[Shared] = []
    isolate({"a": [1, Celsius(1.0), ValueError("x")]}, fine)
    assert fine == []


async def test_a_payload_that_cannot_be_copied_is_said_at_its_first_delivery_in_each_run():
    class Make(Executor):
        @handler
        async def make(self, text: str, ctx: WorkflowContext[OneOfAKind]) -> None:
            for _ in range(2):
                await ctx.send_message(OneOfAKind())

    class Take(Executor):
        @handler
        async def take(self, one: OneOfAKind, ctx: WorkflowContext[Any, str]) -> None:
            one.seen.append(self.id)
            ctx.set_state(self.id, one)
            await ctx.yield_output(",".join(one.seen))

    make = Make("make")
    a = Take("a")
    b = Take("b")
    workflow = (
        WorkflowBuilder(start_executor=make).add_fan_out_edges(make, [a, b]).build()
    )
    for _ in range(2):
        result = await workflow.run("x")
        said = [event.data for event in result if event.type == "warning"]
        assert [text.partition(" a value of type ")[0] for text in said] == [
            *(
                "Executor 'a' gets",
                "Executor 'a' writes",
                "Executor 'b' gets",
                "Executor 'b' writes",
            )
        ]
        assert all(
            f"{__name__}.OneOfAKind that cannot be copied (TypeError: there is one of it)"
            in one
            for one in said
        )
    heard: list[Any] = []
    runner = Runner(workflow, observer=heard.append)
    await runner.start("x")
    await runner.finish()
    assert sum(event.kind == "warning" for event in heard) == 4
