"""Known faults of codecs: keys, sets, subclasses, large and odd numbers, dates, unknown
types, our own messages.
"""

from __future__ import annotations

import collections
import collections.abc
import dataclasses
import datetime as dt
import enum
import inspect
import itertools
import json
import math
import os
import pathlib
import subprocess
import sys
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar, get_args, get_origin, get_type_hints
from zoneinfo import ZoneInfo

import pytest
from pydantic import BaseModel, PrivateAttr

from runtime import calls, checkpoint, events, message, state
from runtime.codec import (
    DEFAULT_TYPES,
    TypeRegistry,
    can_register,
    decode,
    encode,
    view,
)
from runtime.engine.runner import Runner
from runtime.errors import CodecError, DecodeError, EncodeError
from runtime.executors.executor import (
    Executor,
    WorkflowContext,
    handler,
    response_handler,
)
from runtime.stores.memory import MemoryStore
from runtime.workflow import sub_workflow
from runtime.workflow.builder import WorkflowBuilder

T = TypeVar("T")


class Colour(enum.Enum):
    RED = 1
    BLUE = "b"


@dataclasses.dataclass
class Reading:
    value: float | None
    more: Any = None


@dataclasses.dataclass
class Box(Generic[T]):
    inner: T


class Measured(BaseModel):
    value: float


class Secretive(BaseModel):
    n: int
    _unset: int = PrivateAttr()
    _made: list[int] = PrivateAttr(
        default_factory=lambda: Secretive.ran.append("factory") or []
    )  # type: ignore[func-returns-value]
    ran: typing.ClassVar[list[str]] = []


def known(*classes: type) -> TypeRegistry:
    made = TypeRegistry()
    for cls in classes:
        made.register(cls)
    return made


def back(value: Any, *classes: type) -> Any:
    registry = known(*classes)
    data = encode(value, registry)
    json.loads(
        data, parse_constant=lambda name: pytest.fail(f"{name} is not strict JSON")
    )
    return decode(data, registry)


# --- keys, sets, mappings -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "mapping",
    [
        {1: "a", "1": "b", True: "c"},  # noqa: F601 - one key in Python
        {"1": "b", True: "c", 0: "d", "True": "e"},
        {None: 0, "None": 1, "null": 2},
        {1.0: 0, "1.0": 1, 2.5: 2, -0.0: 3},
        {(1, 2): 0, "(1, 2)": 1, (1, (2.0, None)): 2},
        {Colour.RED: 0, "RED": 1, frozenset({1}): 2, b"k": 3, "k": 4},
        {"z": {2: {3: {"z": 0}}}, "a": [{4: 1}]},
    ],
)
def test_case_104_keys_keep_their_type_and_their_order(mapping: dict[Any, Any]) -> None:
    again = back(mapping, Colour)
    assert list(again.items()) == list(mapping.items())
    assert [type(key) for key in again] == [type(key) for key in mapping]


def test_case_104_a_key_that_cannot_come_back_is_named() -> None:
    class Key:
        pass

    for mapping, path in (
        ({Key(): 1}, "state[key of type Key]"),
        ({(1, Key()): 1}, "state[key of type tuple][1]"),
        ({10**5000: Key()}, "state[number of 16610 bits]"),
        ({"x" * 100: Key()}, f"state['{'x' * 59}…]"),
    ):
        with pytest.raises(EncodeError) as caught:
            encode(mapping, path="state")
        assert caught.value.path == path


@pytest.mark.parametrize(
    "value",
    [
        {(1, 2), (3, 4)},
        frozenset({frozenset({frozenset(), frozenset({1})}), frozenset({"a"})}),
        {Colour.RED, Colour.BLUE},
        {"k": [{(None, b"x", 1.5)}, set(), frozenset()]},
        {1, "1", b"1", (1,), None},
    ],
)
def test_case_106_sets_of_anything_hashable_come_back(value: Any) -> None:
    again = back(value, Colour)
    assert (again, type(again)) == (value, type(value))


@pytest.mark.parametrize(
    "tree",
    [
        '{"$":"set","v":[{"$":"tuple","v":[1,{"$":"int","v":"zz"}]}]}',
        '{"$":"set","v":[{"$":"tuple","v":null}]}',
        '{"$":"set","v":[[]]}',
        '{"$":"set","v":null}',
        '{"$":"set"}',
    ],
)
def test_case_106_a_set_that_cannot_be_decoded_is_never_none(tree: str) -> None:
    with pytest.raises(DecodeError) as caught:
        decode(f'{{"k":{tree}}}'.encode(), path="state")
    assert caught.value.path.startswith("state['k']")


def test_case_107_mappings_come_back_with_their_behaviour() -> None:
    groups, count, ordered = back(
        [
            collections.defaultdict(list, {"b": [1], "a": []}),
            collections.Counter({"x": 2, "y": -1}),
            collections.OrderedDict([("b", 1), ("a", 2)]),
        ]
    )
    groups["new"].append(1)
    assert list(groups.items()) == [("b", [1]), ("a", []), ("new", [1])]
    assert (type(count), count["unknown"], count.most_common(1)) == (
        collections.Counter,
        0,
        [("x", 2)],
    )
    ordered.move_to_end("b")
    assert list(ordered) == ["a", "b"]
    assert ordered != collections.OrderedDict([("b", 1), ("a", 2)])


class OwnDict(dict[str, Any]):
    pass


def marked(value: Any) -> Any:
    value.mark = "an attribute"
    return value


@pytest.mark.parametrize(
    "value",
    [
        OwnDict(a=1),
        collections.UserDict(a=1),
        collections.ChainMap({"a": 1}),
        collections.defaultdict(lambda: 0),
        marked(collections.OrderedDict(a=1)),
        marked(collections.Counter(a=1)),
        types.MappingProxyType(OwnDict(a=1)),
    ],
)
def test_case_107_what_would_come_back_as_less_is_refused(value: Any) -> None:
    with pytest.raises(EncodeError) as caught:
        encode({"k": value}, path="state")
    assert caught.value.path == "state['k']"


# --- numbers and dates --------------------------------------------------------------------------------------------

LARGE = [
    2**63 - 1,
    2**63,
    2**64 - 1,
    2**64,
    -(2**63),
    -(2**63) - 1,
    10**400,
    -(10**5000),
    0,
    -1,
]


def test_case_109_integers_of_any_size_are_exact_as_items_and_as_keys() -> None:
    value = {
        "list": LARGE,
        "keys": dict.fromkeys(LARGE, 1),
        "set": frozenset(LARGE),
        "pair": (LARGE[6], [LARGE[7]]),
    }
    assert back(value) == value
    assert all(type(number) is int for number in back(LARGE))


FLOATS = [
    math.nan,
    -math.nan,
    math.inf,
    -math.inf,
    -0.0,
    0.0,
    5e-324,
    1.7976931348623157e308,
    0.1,
]


def bits(numbers: list[Any]) -> list[tuple[str, float]]:
    return [(repr(number), math.copysign(1, number)) for number in numbers]


def test_case_111_no_float_becomes_null_and_signs_stay() -> None:
    assert bits(back(FLOATS)) == bits(FLOATS)
    for number in FLOATS:
        for value in (Reading(number), Measured.model_construct(value=number)):
            assert bits([back(value, Reading, Measured).value]) == bits([number])
    assert back({math.nan: 1, (math.inf,): -0.0}).keys() >= {(math.inf,)}


MOMENTS = [
    dt.datetime(2024, 3, 31, 2, 30),  # noqa: DTZ001 - naive on purpose
    dt.datetime(2024, 10, 27, 2, 30, fold=1),  # noqa: DTZ001
    dt.date(2024, 2, 29),
    dt.time(23, 59, 59, 999_999),
    dt.timedelta(microseconds=1),
    dt.timedelta(days=-1, microseconds=1),
]
IN_TOKYO = """
import sys, time
time.tzset()
from runtime.codec import decode, encode
data = sys.stdin.buffer.read()
value = decode(data)
assert time.tzname[0] == "JST", time.tzname
assert all(getattr(moment, "tzinfo", None) is None for moment in value)
sys.stdout.buffer.write(encode(value))
"""


def test_case_114_naive_dates_stay_naive_under_another_zone() -> None:
    again = back(MOMENTS)
    assert again == MOMENTS
    assert [
        (getattr(one, "tzinfo", None), getattr(one, "fold", 0)) for one in again
    ] == [(None, getattr(one, "fold", 0)) for one in MOMENTS]
    data = encode(MOMENTS)
    environment = {
        **os.environ,
        "TZ": "Asia/Tokyo",
        "PYTHONPATH": str(pathlib.Path(__file__).parents[2]),
    }
    run = subprocess.run(
        [sys.executable, "-c", IN_TOKYO],
        input=data,
        capture_output=True,
        env=environment,
        check=True,
    )
    assert run.stdout == data


def test_a_zone_is_saved_only_if_its_name_gives_it_again(
    tmp_path: pathlib.Path,
) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    assert back(berlin) is berlin
    tzdata = pytest.importorskip("tzdata")
    file = pathlib.Path(tzdata.__file__).parent / "zoneinfo" / "Asia" / "Tokyo"
    with file.open("rb") as stream:
        disguised = ZoneInfo.from_file(stream, key="Europe/Berlin")
    for zone in (disguised, ZoneInfo.no_cache("Europe/Berlin")):
        with pytest.raises(EncodeError, match="not the one that its name gives"):
            encode(dt.datetime(2024, 1, 1, tzinfo=zone))


# --- values that contain themselves, and values that cannot come back ----------------------------------------------


@pytest.mark.parametrize(
    "wrap",
    [
        Box,
        lambda inner: Reading(1.0, inner),
        lambda inner: {1: (inner,)},
        lambda x: [x],
    ],
)
def test_case_117_a_cycle_through_anything_is_refused_with_its_path(
    wrap: Callable[[Any], Any],
) -> None:
    inside: list[Any] = []
    value = wrap(inside)
    inside.append(value)
    with pytest.raises(EncodeError, match="contains itself") as caught:
        encode(value, known(Box, Reading), "state['k']")
    assert caught.value.path.startswith("state['k']")


def test_case_117_a_shared_value_is_saved_once_per_place() -> None:
    shared: list[int] = []
    first, box, nested = back([shared, Box(shared), {"k": (shared, shared)}], Box)
    assert [first, box.inner, *nested["k"]] == [[], [], [], []]
    assert len({id(one) for one in (first, box.inner, *nested["k"])}) == 4


def test_a_generic_comes_back_with_its_arguments_and_as_an_annotation() -> None:
    value = Box[int](1)
    assert back(value, Box).__orig_class__ == Box[int]
    for annotation in (Box[int], list[Box[str]], Box[int] | None, dict[str, Box[Any]]):
        assert back(annotation, Box) == annotation
    assert view(encode(Box[int], known(Box))).fields["name"] == "Box[int]"


@pytest.mark.parametrize(
    "annotation",
    [typing.List, typing.Dict, typing.Tuple, typing.Tuple[()], tuple[()], list],  # noqa: UP006
)
def test_an_annotation_without_arguments_comes_back(annotation: Any) -> None:
    assert back(annotation) == annotation


@pytest.mark.parametrize(
    "annotation", [tuple[*tuple[int, ...]], collections.abc.Callable[..., str], Box[T]]
)  # type: ignore[valid-type]
def test_an_annotation_that_would_come_back_as_another_is_refused(
    annotation: Any,
) -> None:
    with pytest.raises(EncodeError):
        encode(annotation, known(Box))


def test_private_attributes_come_back_as_they_were_and_no_factory_runs() -> None:
    unset = Secretive(n=1)
    given = Secretive(n=1)
    given._unset = 5
    Secretive.ran.clear()
    for value in (unset, given):
        again = back(value, Secretive)
        assert again == value
        assert again.__pydantic_private__ == value.__pydantic_private__
    assert Secretive.ran == []


def test_a_model_that_lacks_a_field_is_refused_when_it_is_saved_not_when_it_is_loaded() -> (
    None
):
    gone = Secretive(n=1)
    del gone._made
    for value in (Secretive.model_construct(), gone):  # type: ignore[call-arg]
        with pytest.raises(EncodeError, match="it has no"):
            encode(value, known(Secretive))


class Slots:
    __slots__ = ("cache",)


class Loud:
    def __set__(self, instance: object, value: object) -> None:
        raise AssertionError("ran")


def test_classes_whose_content_is_not_in_their_fields_cannot_be_registered() -> None:
    with_slot = dataclasses.make_dataclass(
        "with_slot", ["n"], bases=(Slots,), slots=True
    )
    behind = dataclasses.make_dataclass("behind", ["n"])
    behind.n = Loud()  # type: ignore[attr-defined]
    day = dataclasses.make_dataclass("day", ["n"], bases=(dt.date,))
    for cls in (with_slot, behind, day):
        with pytest.raises(CodecError, match="cannot be registered"):
            TypeRegistry().register(cls)


@pytest.mark.parametrize("attribute", ["\ud800", 5])
def test_an_attribute_whose_name_is_no_text_is_refused_by_name(attribute: Any) -> None:
    value = Reading(1.0)
    vars(value)[attribute] = 1
    with pytest.raises(
        EncodeError, match=r"x\[0\]: an attribute of this Reading has a name"
    ):
        encode([value], known(Reading), "x")


def test_what_is_saved_at_the_deepest_level_is_loaded_and_viewed() -> None:
    registry = known(Box)
    value: Any = 1
    for _ in range(300):
        try:
            data = encode(Box(value), registry)
        except EncodeError:
            break
        value = Box(value)
    data = encode(value, registry)
    assert decode(data, registry) == value
    assert view(data, registry).type.endswith(":Box")


# --- the library's own messages -----------------------------------------------------------------------------------

OWN = [message, state, calls, checkpoint, events, sub_workflow]
PLAIN: dict[Any, Any] = {
    str: "x", int: 3, float: 0.5, bool: True, bytes: b"x", Any: (1, "a"), object: {1: {2}}, type(None): None,
}  # fmt: skip


def sample(annotation: Any, depth: int = 3) -> Any:
    """Some value of a type, for every field something."""
    origin = get_origin(annotation)
    arguments = get_args(annotation)
    if annotation in PLAIN:
        return PLAIN[annotation]
    if origin in (types.UnionType, typing.Union):
        if depth > 0:
            return sample(
                next(one for one in arguments if one is not type(None)), depth
            )
        return None
    if origin is typing.Literal:
        return arguments[0]
    if origin is tuple:
        if depth > 0:
            return tuple(sample(one, depth - 1) for one in arguments if one is not ...)
        return ()
    if inspect.isclass(origin) and issubclass(origin, Mapping):
        if depth > 0:
            return {sample(arguments[0]): sample(arguments[1], depth - 1)}
        return {}
    if inspect.isclass(origin) and issubclass(origin, collections.abc.Collection):
        if origin in (list, set):
            return origin([sample(arguments[0], depth - 1)] if depth > 0 else [])
        return ()
    if inspect.isclass(annotation) and issubclass(annotation, enum.Enum):
        return next(reversed(annotation))
    if annotation is type or origin is type:
        return str
    return instance(annotation, depth - 1)


def instance(cls: Any, depth: int = 3) -> Any:
    hints = get_type_hints(cls)
    if dataclasses.is_dataclass(cls):
        names = [one.name for one in dataclasses.fields(cls) if one.init]
    else:
        names = cls._fields
    return cls(**{name: sample(hints[name], depth) for name in names})


def own_classes() -> list[type]:
    found = [
        cls
        for module in OWN
        for cls in vars(module).values()
        if isinstance(cls, type)
        and cls.__module__ == module.__name__
        and can_register(cls)
    ]
    assert len(found) > 20
    return found


@pytest.mark.parametrize("cls", own_classes(), ids=lambda cls: cls.__name__)
def test_case_123_every_own_message_comes_back_with_default_settings(cls: Any) -> None:
    if issubclass(cls, enum.Enum):
        values = list(cls)
    elif dataclasses.is_dataclass(cls) or hasattr(cls, "_fields"):
        values = [instance(cls), instance(cls, 1)]
    else:
        assert cls is events.WorkflowEvent
        values = [
            events.WorkflowEvent("output", (1,), executor_id="a"),
            events.WorkflowEvent("status", state=events.WorkflowRunState.IDLE),
        ]
    for value in values:
        again = decode(encode({"k": [value]}))["k"][0]
        assert type(again) is cls
        assert again == value or fields_of(again) == fields_of(value)
    assert DEFAULT_TYPES.name_of(cls) == cls.__name__


def fields_of(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in type(value).__slots__}


def test_case_137_a_mark_makes_only_what_is_registered() -> None:
    names = [
        "os:system",
        "builtins:eval",
        "collections:OrderedDict",
        f"{__name__}:OwnDict",
        f"{__name__}:Loud",
    ]
    for name, sections in itertools.product(
        names, ("", ',"v":{}', ',"v":{"args":["x"]}', ',"v":[]')
    ):
        with pytest.raises(DecodeError, match="not registered") as caught:
            decode(f'[{{"$":"{name}"{sections}}}]'.encode(), path="state")
        assert caught.value.path == "state[0]"


@pytest.mark.parametrize(
    "tree",
    [
        '{"$":"%s:Colour","v":{"value":1}}',
        '{"$":"%s:Colour","v":{"name":"__class__"}}',
        '{"$":"%s:Colour","v":{"name":["RED"]}}',
        '{"$":"%s:Reading","v":{"name":"RED"}}',
        '{"$":"%s:Reading","v":{"value":1,"more":2,"other":3}}',
        '{"$":"%s:Reading","v":{"more":2}}',
        '{"$":"%s:Reading","v":{"value":1},"new":{"b":1}}',
        '{"$":"%s:Reading","v":{"value":1},"a":[1]}',
        '{"$":"%s:Secretive","v":{"n":1},"p":{"__class__":1}}',
        '{"$":"type","v":["typing:Generic","str","int"]}',
        '{"$":"type","v":["typing:Generic"]}',
        '{"$":"type","v":"%s:OwnDict"}',
        '{"$":"tuple","v":{"a":1}}',
        '{"$":"dict","v":{"ab":1}}',
        '{"$":"dict","v":["ab"]}',
    ],
)
def test_case_137_a_mark_on_something_of_another_shape_is_refused(tree: str) -> None:
    data = tree.replace("%s", __name__).encode()
    with pytest.raises(DecodeError):
        decode(data, known(Colour, Reading, Secretive), "state")
    view(data, known(Colour, Reading, Secretive))


# --- a type that is no longer known, in a run ---------------------------------------------------------------------


class Careful(Executor):
    """Notes what of it runs."""

    def __init__(self) -> None:
        super().__init__("careful")
        self.ran: list[str] = []

    @handler
    async def take(self, text: str, ctx: WorkflowContext[Any, Any]) -> None:
        self.ran.append("handler")
        await ctx.request_info(text, str)

    @response_handler
    async def answered(
        self, question: str, answer: str, ctx: WorkflowContext[Any, Any]
    ) -> None:
        self.ran.append("answer")

    async def on_checkpoint_save(self) -> dict[str, Any]:
        return {"reading": [Reading(1.5)]}

    async def on_checkpoint_restore(self, state: dict[str, Any]) -> None:
        self.ran.append("restore")


async def test_case_115_a_type_that_is_not_registered_any_more_stops_a_restore_before_anything_runs() -> (
    None
):
    store = MemoryStore()
    old = TypeRegistry()
    new = TypeRegistry()
    old.register(Reading, "old:Reading")
    runner = Runner(
        WorkflowBuilder(start_executor=Careful(), name="w").build(), store, types=old
    )
    await runner.start("x")
    await runner.finish()
    careful = Careful()
    again = Runner(
        WorkflowBuilder(start_executor=careful, name="w").build(), store, types=new
    )
    header = await store.latest()
    assert header is not None
    with pytest.raises(
        DecodeError,
        match=r"^executor 'careful' \['reading'\]\[0\]: type old:Reading is not reg",
    ):
        await again.restore(header.id)
    assert careful.ran == []
    assert await store.latest() == header
    new.alias("old:Reading", Reading)
    await again.restore(header.id)
    assert again.state.executors["careful"].state == {"reading": [Reading(1.5)]}
