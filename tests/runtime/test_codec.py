"""The codec gives back equal values of the same types, or refuses with a path; and
looking runs no code.
"""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import inspect
import json
import math
import os
import pathlib
import subprocess
import sys
import types
import typing
import uuid
import zoneinfo
from typing import Any, Literal, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, PrivateAttr, RootModel

from runtime import checkpoint, events, message, state
from runtime.codec import (
    DEFAULT_TYPES,
    Record,
    TypeRegistry,
    can_register,
    decode,
    encode,
    view,
)
from runtime.errors import CodecError, DecodeError, EncodeError
from runtime.workflow.sub_workflow import (
    SubWorkflowRequestMessage,
    SubWorkflowResponseMessage,
)


class Colour(enum.Enum):
    RED = 1
    CRIMSON = 1  # noqa: PIE796 - an alias
    BLUE = "b"


class Word(enum.StrEnum):
    YES = "yes"


class Right(enum.Flag):
    READ = 1
    WRITE = 2


class Point(NamedTuple):
    x: Any
    y: Any = 0


@dataclasses.dataclass(frozen=True)
class Draft:
    title: str
    sections: Any = ()
    secret: str = dataclasses.field(default="", compare=False, repr=False)


@dataclasses.dataclass(slots=True)
class Slotted:
    n: Any
    twice: Any = dataclasses.field(init=False, default=None)

    def __post_init__(self) -> None:
        self.twice = self.n


@dataclasses.dataclass
class Loud:
    """Every way of running its code is counted."""

    n: int
    ran: typing.ClassVar[list[str]] = []

    def __post_init__(self) -> None:
        Loud.ran.append("post_init")

    def __setattr__(self, name: str, value: Any) -> None:
        Loud.ran.append("setattr")
        object.__setattr__(self, name, value)


class Model(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)
    a: Any
    b: int = 2
    _private: Any = PrivateAttr(default=None)


class Names(RootModel[list[str]]):
    pass


class Plain:
    pass


@pytest.fixture
def registry() -> TypeRegistry:
    made = TypeRegistry()
    for cls in (Colour, Word, Right, Point, Draft, Slotted, Loud, Model, Names):
        made.register(cls)
    return made


def same(a: Any, b: Any) -> bool:
    """Equal and of equal types all the way down; NaN is itself, and zero has a sign."""
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return (math.isnan(a) and math.isnan(b)) or (
            a == b and math.copysign(1, a) == math.copysign(1, b)
        )
    if (
        isinstance(a, collections.defaultdict)
        and a.default_factory is not b.default_factory
    ):
        return False
    if isinstance(a, collections.deque) and a.maxlen != b.maxlen:
        return False
    if isinstance(a, dict):
        return same(list(a.items()), list(b.items()))
    if isinstance(a, (list, tuple, collections.deque)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, (set, frozenset)):
        return a == b and {type(x) for x in a} == {type(x) for x in b}
    if isinstance(a, (Draft, Slotted, Model)):
        return same(
            [(k, getattr(a, k)) for k in shown(a)],
            [(k, getattr(b, k)) for k in shown(b)],
        )
    return bool(a == b) and (isinstance(a, int) or repr(a) == repr(b))


def shown(value: Any) -> list[str]:
    if isinstance(value, Model):
        return [
            *vars(value),
            *(value.model_extra or ()),
            "model_fields_set",
            "_private",
        ]
    return [field.name for field in dataclasses.fields(value)]


def strict(data: bytes) -> Any:
    def refuse(name: str) -> Any:
        raise AssertionError(f"{name} is not strict JSON")

    return json.loads(data, parse_constant=refuse)


PLUS_2 = dt.timezone(dt.timedelta(hours=2), "two")
VALUES = [
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        2**63 - 1,
        2**63,
        2**64 - 1,
        2**64,
        -(2**63),
        -(2**63) - 1,
        10**400,
        -(10**5000),
    ),
    *(1.5, 0.1, -0.0, 5e-324, 1e308, math.inf, -math.inf, math.nan, -math.nan),
    *("", "a\x00b", "Đội 😀", "\ud800", "a\udfff\\u0041\n", "\ud83d\ude00", "$"),
    *(
        [],
        {},
        (),
        [[]],
        {"a": {"b": [1, None]}},
        {"$": 1},
        {"$": "tuple", "v": []},
        {"\ud800": 1},
        {"a": {"$": {}}},
    ),
    *(
        {1: "a", "1": "b"},
        {True: "c"},
        {None: 0},
        {1.0: 0},
        {(1, 2): 0},
        {Colour.RED: 1},
        {10**30: 1},
        {b"k": 1},
    ),
    *(
        (1, [2, (3,)]),
        {1, 2},
        {(1, 2), (3, 4)},
        frozenset({frozenset({1}), frozenset()}),
        {Colour.RED, Colour.BLUE},
    ),
    *(
        b"",
        b"\x00\xff",
        bytearray(b"ab"),
        1 + 2j,
        complex(-0.0, math.inf),
        range(3),
        range(5, 10**30, 7),
    ),
    *(
        decimal.Decimal("1.10"),
        decimal.Decimal("-0E+3"),
        decimal.Decimal("Infinity"),
        fractions.Fraction(1, 10**30),
    ),
    *(
        uuid.UUID(int=5),
        pathlib.Path("a/b"),
        pathlib.PureWindowsPath("C:\\x"),
        pathlib.PurePosixPath("/x"),
    ),
    *(
        dt.date(2024, 2, 29),
        dt.datetime(2024, 1, 1, 1, 2, 3, 4),  # noqa: DTZ001
        dt.datetime(2024, 10, 27, 2, 30, fold=1),  # noqa: DTZ001
    ),
    *(
        dt.datetime(1, 1, 1, tzinfo=dt.UTC),
        dt.datetime(2024, 1, 1, tzinfo=PLUS_2),
        dt.time(1, 2, fold=1),
    ),
    *(
        dt.datetime(
            2024, 10, 27, 2, 30, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin"), fold=1
        ),
        dt.time(1, tzinfo=dt.UTC),
    ),
    *(
        dt.timedelta(microseconds=1),
        dt.timedelta(days=-3),
        dt.UTC,
        PLUS_2,
        zoneinfo.ZoneInfo("Asia/Tokyo"),
    ),
    *(
        collections.deque([1, 2], maxlen=2),
        collections.deque(),
        collections.Counter("aab"),
        collections.Counter(a=-1),
    ),
    *(
        collections.defaultdict(list, {1: [2]}),
        collections.defaultdict(None, a=1),
        collections.OrderedDict(b=1, a=2),
    ),
    types.MappingProxyType({"a": (1,)}),
    *(
        Colour.RED,
        Colour.CRIMSON,
        Colour.BLUE,
        Word.YES,
        Right.READ,
        Right.READ | Right.WRITE,
        Right(0),
    ),
    *(
        Point(1),
        Point((1,), [Point({})]),
        Draft("t", [Draft("u")], "s"),
        Model(a=1),
        Model(a=(1,), b=3, c={1}),
    ),
    *(Names(["a"]), Slotted((1,))),
    *(
        str,
        type(None),
        list,
        pathlib.Path,
        Colour,
        Draft,
        dict,
        dt.datetime,
        list[str],
        dict[str, list[int]],
        tuple[int, ...],
    ),
    *(
        str | None,
        Draft | int,
        Literal["a", 1],
        Any,
        typing.Optional[int],  # noqa: UP045
        typing.List[str],  # noqa: UP006
        set[Draft],
    ),
    *([Draft, [str]], (Word.YES, "yes"), {"k": Word.YES}, [(1,)] * 2),
]


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_round_trip_is_exact(value: Any, registry: TypeRegistry) -> None:
    data = encode(value, registry)
    strict(data)
    assert same(decode(data, registry), value)
    nested = {"deep": [value, (value, {"k": value})]}
    assert same(decode(encode(nested, registry), registry), nested)


LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(st.characters(), max_size=8)
    | st.sampled_from(["$", "v", "\ud800", "\x00", "tuple"])
    | st.binary(max_size=4)
    | st.decimals(allow_nan=False)
    | st.fractions()
    | st.uuids()
    | st.dates()
    | st.times()
    | st.datetimes()
    | st.timedeltas()
    | st.sampled_from([*Colour, *Word, *Right, dt.UTC, PLUS_2])
)
KEYS = st.recursive(
    LEAVES,
    lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3),
    max_leaves=4,
)


def containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=3) | st.just("$"), inner, max_size=4)
        | st.dictionaries(KEYS, inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.sets(KEYS, max_size=3)
        | st.builds(Point, inner, inner)
        | st.builds(Draft, st.text(max_size=3), inner)
        | st.builds(Slotted, inner)
        | st.builds(lambda a, c: Model(a=a, extra=c), inner, inner)
        | st.builds(
            collections.deque,
            st.lists(inner, max_size=2),
            st.none() | st.integers(2, 5),
        )
        | st.builds(
            collections.OrderedDict,
            st.dictionaries(st.text(max_size=2), inner, max_size=2),
        )
    )


@given(st.recursive(LEAVES, containers, max_leaves=20))
def test_round_trip_of_anything_nested(value: Any) -> None:
    registry = TypeRegistry()
    for cls in (Colour, Word, Right, Point, Draft, Slotted, Model):
        registry.register(cls)
    data = encode(value, registry)
    strict(data)
    back = decode(data, registry)
    assert same(back, value)
    assert encode(back, registry) == data
    view(data, registry)


@given(
    st.recursive(
        st.sampled_from([1, "a", 1.5, None, True]),
        lambda i: st.lists(i) | st.dictionaries(st.text(), i),
    )
)
def test_a_foreign_leaf_is_seen_wherever_it_stands(tree: Any) -> None:
    """The scan of the fast way reaches every place of a tree."""

    def places(value: Any) -> list[Any]:
        if isinstance(value, list):
            inner = value
        elif isinstance(value, dict):
            inner = list(value.values())
        else:
            inner = []
        return [value, *(place for item in inner for place in places(item))]

    for place in places(tree):
        for foreign in ((), Word.YES, math.nan):
            if isinstance(place, list):
                place.append(foreign)
                assert b'"$":' in encode(tree, registry_of(Word))
                place.pop()
            elif isinstance(place, dict):
                place["new"] = foreign
                assert b'"$":' in encode(tree, registry_of(Word))
                del place["new"]


def registry_of(*classes: type) -> TypeRegistry:
    made = TypeRegistry()
    for cls in classes:
        made.register(cls)
    return made


def test_equal_sets_give_equal_bytes_under_any_hash_seed() -> None:
    script = (
        "from runtime.codec import encode; import sys;"
        "sys.stdout.buffer.write(encode({frozenset({'a', 'b', 'c'}), 'x', 'y', 3, (1, 'z')}))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": "C"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1


def test_numpy_arrays_and_scalars() -> None:
    numpy = pytest.importorskip("numpy")
    for value in (
        numpy.arange(6, dtype="<i2").reshape(2, 3),
        numpy.asfortranarray(numpy.ones((2, 2))),
        numpy.array([], dtype="f4"),
        numpy.array(3.5),
        numpy.array(["a", "bc"]),
        numpy.float64(1.5),
        numpy.int8(3),
    ):
        back = decode(encode([value]))[0]
        assert type(back) is type(value)
        assert back.dtype == value.dtype
        assert numpy.array_equal(back, value)
    with pytest.raises(EncodeError, match=r"a\[0\]: an array of object"):
        encode([numpy.array([object()])], path="a")


# --- refusals -----------------------------------------------------------------------------------------------------


class StrChild(str):
    __slots__ = ()


class DictChild(dict[str, Any]):
    pass


class OddZone(dt.tzinfo):
    pass


REFUSED = [
    ({"a": [Plain()]}, r"state['draft']['a'][0]"),
    ((1, {2: Plain()}), r"state['draft'][1][2]"),
    (Draft("x", [0, 1, Draft("y", Plain())]), r"state['draft'].sections[2].sections"),
    (Model(a=1, z=Plain()), r"state['draft'].z"),
    ({Point(1): 0, Plain: 0}, r"state['draft'][key of type type]"),
    ({Plain()}, r"state['draft']{…}"),
    (lambda: 0, r"state['draft']"),
    (StrChild("a"), r"state['draft']"),
    ([DictChild()], r"state['draft'][0]"),
    ({"k": {StrChild("k"): 1}}, r"state['draft']['k'][key of type StrChild]"),
    (collections.defaultdict(lambda: 0), r"state['draft']"),
    (dt.datetime(2024, 1, 1, tzinfo=OddZone()), r"state['draft']"),
    (list[Plain], r"state['draft']"),
    (typing.Callable[[int], str], r"state['draft']"),
    ((x for x in ()), r"state['draft']"),
]


@pytest.mark.parametrize(("value", "path"), REFUSED, ids=range(len(REFUSED)))
def test_case_75_what_cannot_come_back_is_refused_with_its_path(
    value: Any, path: str, registry: TypeRegistry
) -> None:
    with pytest.raises(EncodeError) as caught:
        encode(value, registry, "state['draft']")
    assert caught.value.path == path
    assert str(caught.value).startswith(f"{path}: ")


def test_the_refusal_names_the_type_and_the_remedy(registry: TypeRegistry) -> None:
    @dataclasses.dataclass
    class Fit:
        pass

    with pytest.raises(
        EncodeError,
        match=r"^state\['d'\].title: type .*Fit is not registered. Register it with",
    ):
        encode(Draft(Fit()), registry, "state['d']")  # type: ignore[arg-type]
    with pytest.raises(
        EncodeError,
        match=r"^state\['d'\].title: type Plain cannot be saved: plain values can, data",
    ):
        encode(Draft(Plain()), registry, "state['d']")  # type: ignore[arg-type]


def cyclic_list() -> Any:
    value: list[Any] = []
    value.append([value, value])
    return value


def cyclic_mixture() -> Any:
    value: dict[str, Any] = {"a": (1, [])}
    value["a"][1].append(Point(value))
    return value


def cyclic_pair() -> Any:
    """Each holds the other many times, between leaves: whoever follows all ways fills
    the memory.
    """
    value: list[Any] = []
    other: list[Any] = [value, 1] * 30
    value.extend([other, 2] * 30)
    return value


def cyclic_wide() -> Any:
    value: list[Any] = [0] * 100_000
    value[50_000] = [value, *[0] * 100_000]
    return value


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "make", [cyclic_list, cyclic_mixture, cyclic_pair, cyclic_wide]
)
def test_case_117_a_value_that_contains_itself_is_refused_at_once(
    make: Any, registry: TypeRegistry
) -> None:
    with pytest.raises(EncodeError, match="contains itself") as caught:
        encode(make(), registry, "state['k']")
    assert caught.value.path.startswith("state['k'][")


def test_case_117_a_value_that_is_shared_is_saved_as_two() -> None:
    shared: list[int] = []
    first, second = decode(encode([shared, shared]))
    assert first == second == []
    assert first is not second


@pytest.mark.parametrize("wrap", [lambda inner: [inner], lambda inner: (inner,)])
def test_a_tree_that_is_too_deep_is_refused_and_a_deep_one_is_saved(wrap: Any) -> None:
    value: Any = 1
    for _ in range(100):
        value = wrap(value)
    assert decode(encode(value)) == value
    for _ in range(5000):
        value = wrap(value)
    with pytest.raises(EncodeError, match="nested too deep"):
        encode(value, path="state['k']")


def test_a_namedtuple_with_attributes_beside_its_items_is_refused() -> None:
    class Wide(Point):
        pass

    wide = Wide(1, 2)
    wide.more = 3  # type: ignore[attr-defined]
    with pytest.raises(EncodeError, match="would not come back equal"):
        encode(wide, registry_of(Wide))


# --- registry -----------------------------------------------------------------------------------------------------


def test_registering_is_idempotent_and_a_name_belongs_to_one_class() -> None:
    registry = TypeRegistry()
    assert registry.register(Point) is Point
    registry.register(Point)
    assert registry.name_of(Point) == f"{__name__}:Point"
    with pytest.raises(CodecError, match="belongs to"):
        registry.register(Draft, f"{__name__}:Point")
    with pytest.raises(CodecError, match="built-in"):
        registry.register(Draft, "tuple")


def test_a_class_defined_again_replaces_the_earlier_one() -> None:
    def define() -> Any:
        @dataclasses.dataclass
        class Local:
            n: int

        return Local

    first = define()
    second = define()
    registry = registry_of(first)
    data = encode(first(1), registry)
    registry.register(second)
    assert type(decode(data, registry)) is second
    with pytest.raises(EncodeError, match="not registered"):
        encode(first(1), registry)


def test_case_122_a_moved_type_is_read_under_its_old_name() -> None:
    old = TypeRegistry()
    old.register(Draft, "somewhere.else:Draft")
    data = encode(Draft("t"), old)
    new = TypeRegistry()
    new.alias("somewhere.else:Draft", Draft)
    assert decode(data, new) == Draft("t")
    assert encode(Draft("t"), new) != data


@pytest.mark.parametrize("cls", [Plain, int, StrChild, DictChild])
def test_what_cannot_be_restored_exactly_cannot_be_registered(cls: type) -> None:
    assert not can_register(cls)
    with pytest.raises(CodecError, match="cannot be registered"):
        TypeRegistry().register(cls)


def test_a_dataclass_over_a_builtin_container_cannot_be_registered() -> None:
    @dataclasses.dataclass
    class Odd(list[int]):
        n: int = 0

    with pytest.raises(CodecError, match="extends a built-in"):
        TypeRegistry().register(Odd)


def test_fields_that_a_class_has_got_since_take_their_default() -> None:
    @dataclasses.dataclass
    class V1:
        a: int

    @dataclasses.dataclass
    class V2:
        a: int
        b: list[int] = dataclasses.field(default_factory=list)

    @dataclasses.dataclass
    class V3:
        a: int
        c: int

    old = TypeRegistry()
    old.register(V1, "app:V")
    data = encode([V1(1)], old)
    new = TypeRegistry()
    broken = TypeRegistry()
    new.register(V2, "app:V")
    assert decode(data, new) == [V2(1, [])]
    broken.register(V3, "app:V")
    with pytest.raises(
        DecodeError, match=r"x\[0\].*V3 has changed since: no value for c"
    ):
        decode(data, broken, "x")


# --- decoding -----------------------------------------------------------------------------------------------------


def test_case_115_an_unknown_type_is_refused_on_load_with_path_and_name(
    registry: TypeRegistry,
) -> None:
    data = encode({"a": [Draft("t")]}, registry)
    with pytest.raises(
        DecodeError,
        match=rf"^state\['k'\]\['a'\]\[0\]: type {__name__}:Draft is not registered",
    ):
        decode(data, TypeRegistry(), "state['k']")


MALFORMED = [
    b"",
    b"{",
    b'{"$":"tuple"}',
    b'{"$":"tuple","v":3}',
    b'{"$":5,"v":3}',
    b'{"$":"int","v":"zz"}',
    b'{"$":"Decimal","v":"x"}',
    b'{"$":"set","v":[[]]}',
    b'{"$":"set","v":[1,1]}',
    b'{"$":"dict","v":[[1,2],[1,3]]}',
    b'{"$":"dict","v":[[1]]}',
    b'{"$":"bytes","v":"*"}',
    b'{"$":"type","v":"os:system"}',
    b'{"$":"os:system","v":{}}',
    b'{"$":"datetime","v":["x",0,null]}',
    b'{"$":"ZoneInfo","v":"../../etc/passwd"}',
    b'{"$":"Message","v":[1]}',
    b'{"$":"Message","v":{"data":1,"source_id":"a","target_id":null,"request":null,"__class__":1}}',
    b'{"$":"Cause","v":{"name":"nothing"}}',
    b'{"$":"ndarray","v":["O",[1],"C",""]}',
    b"[" * 3000 + b"]" * 3000,
    b"\x80\x04cos\nsystem\n(S'true'\ntR.",
]


@pytest.mark.parametrize(
    "data", MALFORMED, ids=lambda data: data[:40].decode("latin-1")
)
def test_case_137_malformed_bytes_are_refused_with_the_path(data: bytes) -> None:
    with pytest.raises(DecodeError) as caught:
        decode(data, path="part")
    assert caught.value.path.startswith("part")


def test_case_127_nothing_is_imported_and_no_code_of_a_value_runs_on_load(
    registry: TypeRegistry,
) -> None:
    data = encode([Loud(1)], registry)
    Loud.ran.clear()
    modules = set(sys.modules)
    assert decode(data, registry)[0].n == 1
    assert view(data, registry) == [Record(f"{__name__}:Loud", {"n": 1})]
    assert Loud.ran == []
    with pytest.raises(DecodeError):
        decode(b'{"$":"antigravity:fly","v":{}}')
    assert view(b'{"$":"antigravity:fly","v":{"a":1}}') == Record(
        "antigravity:fly", {"a": 1}
    )
    assert set(sys.modules) - modules == set()


def test_a_stored_attribute_cannot_change_the_class(registry: TypeRegistry) -> None:
    name = f"{__name__}:Draft"
    fields = {"title": "t", "sections": [], "secret": ""}
    data = json.dumps(
        {
            "$": name,
            "v": fields,
            "a": {"__class__": {"$": "type", "v": f"{__name__}:Loud"}},
        }
    )
    assert type(decode(data.encode(), registry)) is Draft


def test_view_shows_user_types_as_records_and_rebuilds_the_runtimes_own(
    registry: TypeRegistry,
) -> None:
    question = message.Request(
        "r", "a", Draft("t"), Draft | None, 3, schema={"type": "string"}
    )
    seen = view(
        encode(message.Message((1, Colour.RED), "a", "b", question), registry), registry
    )
    assert isinstance(seen, message.Message)
    assert seen.data == (1, Record(f"{__name__}:Colour", {"name": "RED"}))
    assert seen.request is not None
    assert seen.request.data == Record(
        f"{__name__}:Draft", {"title": "t", "sections": (), "secret": ""}
    )
    assert seen.request.response_type == Record("type", {"name": "Draft | NoneType"})
    assert view(encode({Point(1), Point(2)}, registry), registry) == {
        Record(f"{__name__}:Point", {"x": 1, "y": 0}),
        Record(f"{__name__}:Point", {"x": 2, "y": 0}),
    }
    factory = view(encode(collections.defaultdict(Draft), registry), registry)
    assert factory.type == "defaultdict"


def test_view_shows_what_is_malformed_instead_of_failing() -> None:
    assert view(b'[{"$":"Message","v":{"new":1}}]') == [
        Record("Message", {"v": {"new": 1}})
    ]


def test_case_123_the_runtimes_own_values_need_no_registration() -> None:
    question = message.Request("r", "a", {"q": 1}, Literal["yes", "no"], 2)
    header = checkpoint.CheckpointHeader(
        "i", "r", "w", 1, checkpoint.Cause.INPUT, tags=("t",)
    )
    samples = [
        message.Message(1, "a", "b", question),
        header,
        checkpoint.Checkpoint(header, state.RunState(queue=(message.Message(1, "a"),))),
        checkpoint.Record(header, (checkpoint.Part("shared", "k", "00"),)),
        checkpoint.RunSummary("r", "w", 1, 1, header),
        events.RunEvent(
            1,
            0.5,
            events.RunEventKind.STATUS,
            0,
            ("p",),
            {"status": events.WorkflowRunState.IDLE},
        ),
        state.Trace(
            (state.Invocation("a", "h", ("b",), 1, 0.0, 0.1),),
            (state.Fate("dropped", "a", None, None),),
        ),
    ]
    assert [decode(encode(sample)) for sample in samples] == samples
    told = events.WorkflowEvent("output", (1,), executor_id="a")
    again = decode(encode(told))
    assert [getattr(again, name) for name in told.__slots__] == [
        getattr(told, name) for name in told.__slots__
    ]
    for module in (message, state, checkpoint, events):
        for name, cls in inspect.getmembers(module, inspect.isclass):
            if cls.__module__ == module.__name__ and can_register(cls):
                assert DEFAULT_TYPES.name_of(cls) == name


def test_case_123_messages_of_sub_workflows_are_known_before_their_module_is() -> None:
    question = message.Request("r", "a", 1, str, 1)
    for sent in (
        SubWorkflowRequestMessage(question, "w"),
        SubWorkflowResponseMessage("yes", question),
    ):
        data = encode(sent, TypeRegistry())
        assert decode(data, TypeRegistry()) == view(data, TypeRegistry()) == sent


def test_what_is_decoded_is_the_callers_own() -> None:
    data = encode({"a": [1]})
    decode(data)["a"].append(2)
    assert decode(data) == {"a": [1]}


def test_plain_trees_are_stored_as_plain_json() -> None:
    tree = {"a": [1, 2.5, None, True, "x"], "b": {"c": []}}
    assert encode(tree) == json.dumps(tree, separators=(",", ":")).encode()


def test_a_registry_over_another_one_keeps_its_names_and_has_its_own_first() -> None:
    base = TypeRegistry()
    base.register(Point, "old:Point")
    over = TypeRegistry(base)
    over.register(Point)
    assert encode(Point(1), over) == encode(Point(1), base)
    # The module is read again, and with it comes a new class of the same name.
    again = enum.Enum(
        "Point", ["A"], module=Point.__module__, qualname=Point.__qualname__
    )
    base.register(again, "old:Point")
    assert (base.class_of("old:Point"), over.class_of("old:Point")) == (again, Point)
    assert decode(encode(Point(1), over), over) == Point(1)
    base.register(Colour)
    assert over.name_of(Colour) == base.name_of(Colour)
