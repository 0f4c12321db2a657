"""Values of every type that the codec knows, nested in each other, and what it means
that two of them are the same.
"""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import enum
import math
import pathlib
import re
import types
import zoneinfo
from decimal import Decimal
from ipaddress import ip_interface, ip_network
from typing import Any, Generic, NamedTuple, TypeVar

from hypothesis import strategies as st
from pydantic import (
    AnyUrl,
    BaseModel,
    ConfigDict,
    Field,
    HttpUrl,
    PostgresDsn,
    PrivateAttr,
    SecretBytes,
    SecretStr,
)
from pydantic_core import core_schema

from runtime.codec import TypeRegistry

T = TypeVar("T")


class Colour(enum.Enum):
    RED = 1
    CRIMSON = 1  # noqa: PIE796 - an alias
    BLUE = ("b", 2.5)


class Word(enum.StrEnum):
    YES = "yes"
    NO = "no"


class Number(enum.IntEnum):
    ONE = 1
    BIG = 2**70


class Mixed(str, enum.Enum):  # noqa: UP042 - another kind than StrEnum
    A = "a"


class Right(enum.Flag):
    READ = 1
    WRITE = 2


class Mode(enum.IntFlag):
    R = 4
    X = 1


class Point(NamedTuple):
    x: Any
    y: Any = 0


@dataclasses.dataclass(frozen=True)
class Draft:
    title: str
    sections: Any = ()
    secret: str = dataclasses.field(default="", compare=False, repr=False)


@dataclasses.dataclass(frozen=True)
class Signed(Draft):
    signer: Any = None


@dataclasses.dataclass(slots=True)
class Slotted:
    n: Any
    twice: Any = dataclasses.field(init=False, default=None)

    def __post_init__(self) -> None:
        self.twice = (self.n, 2)


@dataclasses.dataclass(slots=True)
class SlottedMore(Slotted):
    more: Any = None


@dataclasses.dataclass
class Box(Generic[T]):
    inner: T


class Inner(BaseModel):
    value: Any = None


class Model(BaseModel):
    model_config = ConfigDict(extra="allow", populate_by_name=True)
    a: Any = Field(alias="theA")
    inner: Inner = Field(default_factory=Inner)
    b: int = 2
    _private: Any = PrivateAttr(default=None)
    _unset: Any = PrivateAttr()


class Celsius:
    """A class that is none of the codec's kinds, and that pydantic writes and reads."""

    def __init__(self, degrees: float) -> None:
        self.degrees = degrees

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Celsius) and self.degrees == other.degrees

    def __hash__(self) -> int:
        return hash(self.degrees)

    def __repr__(self) -> str:
        return f"Celsius({self.degrees!r})"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        return core_schema.no_info_after_validator_function(
            cls,
            core_schema.float_schema(),
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda value: value.degrees
            ),
        )


class OrderError(Exception):
    """An exception whose arguments are not those that it is made with."""

    def __init__(self, order: Any, *, reason: str) -> None:
        super().__init__(f"order {type(order).__name__}: {reason}")
        self.order = order
        self.reason = reason


CLASSES = (
    *(Colour, Word, Number, Mixed, Right, Mode, Point, Draft, Signed, Slotted, SlottedMore, Box, Inner, Model),
)  # fmt: skip


def registry() -> TypeRegistry:
    made = TypeRegistry()
    for cls in (*CLASSES, Celsius, OrderError):
        made.register(cls)
    return made


# --- sameness -----------------------------------------------------------------------------------------------------


def same(a: Any, b: Any) -> bool:
    """Equal and of equal types all the way down: NaN is itself, zero has a sign,
    mappings have an order.
    """
    if type(a) is not type(b):
        return False
    if dataclasses.is_dataclass(a) and not isinstance(a, type):
        names = [field.name for field in dataclasses.fields(a)]
        return all(same(getattr(a, n), getattr(b, n)) for n in names) and same(
            _held(a), _held(b)
        )
    check = next((check for kinds, check in _CHECKS if isinstance(a, kinds)), None)
    return bool(a == b if check is None else check(a, b))


def _held(value: Any) -> dict[str, Any]:
    return dict(sorted(getattr(value, "__dict__", {}).items()))


def _same_model(a: Any, b: Any) -> bool:
    return all(
        same(one(a), one(b))
        for one in (
            _held,
            lambda m: m.__pydantic_extra__,
            lambda m: m.__pydantic_private__,
            lambda m: m.model_fields_set,
        )
    )


def _same_set(a: Any, b: Any) -> bool:
    rest = list(b)
    for one in a:
        found = next(
            (place for place, other in enumerate(rest) if same(one, other)), None
        )
        if found is None:
            return False
        del rest[found]
    return not rest


def _same_array(a: Any, b: Any) -> bool:
    return bool(
        a.dtype == b.dtype
        and a.shape == b.shape
        and a.tobytes() == b.tobytes()
        and _by_columns(a) == _by_columns(b)
    )


def _by_columns(array: Any) -> bool:
    return bool(array.flags.f_contiguous and not array.flags.c_contiguous)


def _same_moment(a: Any, b: Any) -> bool:
    naive = a.replace(tzinfo=None) == b.replace(tzinfo=None) and a.fold == b.fold
    zones = (a.tzinfo, b.tzinfo)
    return naive and (
        zones[0] is zones[1]
        or (isinstance(zones[0], dt.timezone) and repr(zones[0]) == repr(zones[1]))
    )


def _same_exception(a: BaseException, b: BaseException) -> bool:
    # a text shows a set in any order
    return same(a.args, b.args) and same(vars(a), vars(b))


_CHECKS: list[tuple[Any, Any]] = [
    (BaseException, _same_exception),
    (
        enum.Enum,
        lambda a, b: a is b or (isinstance(a, enum.Flag) and a.value == b.value),
    ),
    (BaseModel, _same_model),
    (
        float,
        lambda a, b: repr(a) == repr(b) and math.copysign(1, a) == math.copysign(1, b),
    ),
    (complex, lambda a, b: same(a.real, b.real) and same(a.imag, b.imag)),
    (Decimal, lambda a, b: a.as_tuple() == b.as_tuple()),
    ((dt.datetime, dt.time), _same_moment),
    (
        collections.defaultdict,
        lambda a, b: (
            a.default_factory is b.default_factory and same([*a.items()], [*b.items()])
        ),
    ),
    (collections.deque, lambda a, b: a.maxlen == b.maxlen and same(list(a), list(b))),
    (
        (dict, types.MappingProxyType),
        lambda a, b: same(list(a.items()), list(b.items())),
    ),
    ((list, tuple), lambda a, b: len(a) == len(b) and all(map(same, a, b))),
    ((set, frozenset), _same_set),
]

# --- values -------------------------------------------------------------------------------------------------------

TEXTS = st.text(st.characters() | st.sampled_from("\ud800\udfff\x00$"), max_size=6)
ZONES = (
    st.none()
    | st.timezones()
    | st.sampled_from([dt.UTC, dt.timezone(dt.timedelta(hours=-3), "três")])
)
_ODD_DECIMALS = (
    "NaN",
    "sNaN",
    "-NaN123",
    "Infinity",
    "-0",
    "-0E+30",
    "1E-400",
    "1.10",
    "9" * 60,
)


def _moments() -> st.SearchStrategy[Any]:
    return st.builds(
        lambda moment, fold: moment.replace(fold=fold),
        st.datetimes(timezones=ZONES) | st.times(timezones=ZONES),
        st.integers(0, 1),
    )


_HASHABLE = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(2**70), 2**70)
    | st.integers(20, 4000).map(lambda digits: -(10**digits))
    | st.floats()
    | TEXTS
    | st.sampled_from(["$", "v", "tuple", '"$":'])
    | st.binary(max_size=4)
    | st.complex_numbers()
    | st.decimals(allow_nan=False)
    | st.fractions()
    | st.uuids()
    | st.dates()
    | st.timedeltas()
    | _moments()
    | st.builds(range, st.integers(), st.integers(), st.integers(-5, 5).filter(bool))
    | TEXTS.map(lambda text: pathlib.Path(text.replace("\0", "")))
    | TEXTS.map(pathlib.PurePosixPath)
    | st.sampled_from(["C:\\a b", "C:a", "\\\\host\\share\\x", "a/b", ".."]).map(
        pathlib.PureWindowsPath
    )
    | st.sampled_from(
        [
            *Colour,
            *Word,
            *Number,
            *Mixed,
            *Right,
            Right(0),
            Right(3),
            *Mode,
            Mode(7),
            Mode(0),
        ]
    )
    | st.ip_addresses()
    | st.sampled_from(
        [
            ip_network("10.0.0.0/8"),
            ip_network("::/0"),
            ip_interface("1.2.3.4/30"),
            ip_interface("::1%9/9"),
        ]
    )
    | st.sampled_from(
        [re.compile(""), re.compile("", re.ASCII), re.compile(rb"[^\0]", re.LOCALE)]
    )
    | st.sampled_from([re.compile("a+"), re.compile("(?i)é", re.MULTILINE)])
    | st.sampled_from(
        [
            HttpUrl("https://é.org/a?b#c"),
            AnyUrl("x:y"),
            PostgresDsn("postgres://u:p@a,b/d"),
        ]
    )
    | st.floats(allow_nan=False, allow_infinity=False).map(Celsius)
    | (TEXTS.map(SecretStr) | st.binary(max_size=3).map(SecretBytes))
    | st.sampled_from(
        [
            dt.UTC,
            zoneinfo.ZoneInfo("Asia/Tokyo"),
            int,
            list[str],
            Draft | None,
            Box[int],
            type(None),
        ]
    )
)
# Deferred, so that a strategy made of them has a short text.
HASHABLE = st.deferred(lambda: _HASHABLE)
_LEAVES = (
    HASHABLE
    | st.sampled_from(_ODD_DECIMALS).map(Decimal)
    | st.binary(max_size=3).map(bytearray)
)
LEAVES = st.deferred(lambda: _LEAVES)
_KEYS = st.recursive(
    HASHABLE,
    lambda inner: (
        st.tuples(inner, inner)
        | st.frozensets(inner, max_size=3)
        | st.builds(Point, inner, inner)
        | st.builds(Signed, TEXTS, inner, TEXTS, inner)
    ),
    max_leaves=4,
)

KEYS = st.deferred(lambda: _KEYS)


def _model(a: Any, inner: Any, extra: Any, private: Any) -> Model:
    made = Model(theA=a, inner=Inner(value=inner), **extra)
    made._private = private
    return made


def _arrays() -> st.SearchStrategy[Any]:
    try:
        import numpy as np
        from hypothesis.extra import numpy as hnp
    except ImportError:
        return st.nothing()
    _CHECKS.append(((np.ndarray, np.generic), _same_array))
    _CHECKS.insert(0, (np.generic, _same_array))  # some are floats and texts, too
    kinds = (
        hnp.scalar_dtypes()
        | hnp.byte_string_dtypes(max_len=4)
        | hnp.unicode_string_dtypes(max_len=4)
    )
    arrays = hnp.arrays(
        kinds, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
    )
    scalars = (
        hnp.scalar_dtypes()
        .flatmap(lambda kind: hnp.arrays(kind, ()))
        .map(lambda array: array[()])
    )
    return (
        arrays
        | arrays.map(np.asfortranarray)
        | arrays.map(lambda array: array[::2] if array.ndim else array)
        | scalars
    )


def containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.lists(inner, max_size=3)
    mappings = st.dictionaries(KEYS, inner, max_size=3)
    return (
        lists
        | lists.map(tuple)
        | st.dictionaries(TEXTS, inner, max_size=3)
        | mappings
        | mappings.map(types.MappingProxyType)
        | mappings.map(collections.OrderedDict)
        | mappings.map(collections.Counter)
        | st.builds(
            collections.defaultdict, st.sampled_from([None, list, int, Inner]), mappings
        )
        | st.sets(KEYS, max_size=3)
        | st.frozensets(KEYS, max_size=3)
        | st.builds(collections.deque, lists, st.none() | st.integers(0, 4))
        | st.builds(Point, inner, inner)
        | st.builds(Draft, TEXTS, inner)
        | st.builds(Signed, TEXTS, inner, TEXTS, inner)
        | st.builds(Slotted, inner)
        | st.builds(SlottedMore, inner, inner)
        | st.builds(Box, inner)
        | st.builds(
            lambda kind, args: kind(*args),
            st.sampled_from([ValueError, KeyError, Exception]),
            lists,
        )
        | st.builds(
            lambda order, reason: OrderError(order, reason=reason), inner, TEXTS
        )
        | st.builds(Box[int], inner)
        | st.builds(
            _model,
            inner,
            inner,
            st.dictionaries(st.sampled_from(["x", "é", "$"]), inner, max_size=2),
            inner,
        )
    )


_ARRAYS = _arrays()
VALUES = st.recursive(LEAVES | st.deferred(lambda: _ARRAYS), containers, max_leaves=12)
