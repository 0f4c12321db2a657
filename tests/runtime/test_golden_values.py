"""Every kind of value as format 1 writes it: what was saved is read for ever, and
written in the same bytes.

If a test here fails, `FORMAT_VERSION` must grow, with a function in `migrations`: the
file is never made anew.
"""

from __future__ import annotations

import collections
import datetime as dt
import fractions
import ipaddress
import json
import math
import pathlib
import re
import types
import uuid
import zoneinfo
from decimal import Decimal
from typing import Any, Literal

import pytest
from pydantic import HttpUrl, PostgresDsn, Secret, SecretBytes, SecretStr

from runtime.checkpoints.parts import KINDS
from runtime.codec import TypeRegistry, decode, encode, view
from runtime.codec.builtin import BY_TAG
from runtime.codec.sections import (
    EXTRA,
    FIELDS,
    FIELDS_SET,
    HIDDEN,
    PRIVATE,
    SECTIONS,
    UNDECLARED,
)
from runtime.events import WorkflowEvent
from tests.runtime import codec_values
from tests.runtime.codec_values import (
    CLASSES,
    Box,
    Celsius,
    Colour,
    Draft,
    Inner,
    Mode,
    Model,
    Number,
    OrderError,
    Point,
    Right,
    Slotted,
    Word,
    same,
)

HERE = pathlib.Path(__file__).parent
GOLDEN: dict[str, str] = json.loads(
    (HERE / "format_1_values.json").read_text(encoding="utf-8")
)


def model() -> Model:
    made = Model(theA=(1,), inner=Inner(value={2}), more="extra")  # type: ignore[call-arg]
    made._private = [1]
    return made


def registry() -> TypeRegistry:
    """The classes under names that do not follow them when they move."""
    made = TypeRegistry()
    for cls in (*CLASSES, Celsius, OrderError):
        made.register(cls, f"golden:{cls.__name__}")
    return made


BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
VALUES: dict[str, Any] = {
    "plain": {"a": [1, -1, 1.5, None, True, "x", "Đội 😀", "a\x00b"], "b": {}},
    "int": [2**63, 2**64, -(2**63) - 1, 10**30],
    "float": [math.nan, -math.nan, math.inf, -math.inf, -0.0, 5e-324],
    "str": ["\ud800", "\ud83d\ude00", "a\udfff\\u0041\n"],
    "tuple": (1, (2, [(3,)]), ()),
    "dict": {1: "a", "1": "b", None: 0, (1, 2): {"$": 1}},
    "set": {(1, 2), "a", 3},
    "frozenset": frozenset({frozenset(), frozenset({1})}),
    "bytes": [b"", b"\x00\xff"],
    "bytearray": bytearray(b"ab"),
    "complex": [1 + 2j, complex(-0.0, math.inf)],
    "range": range(5, 10**30, 7),
    "mappingproxy": types.MappingProxyType({"a": (1,)}),
    "Decimal": [Decimal("1.10"), Decimal("-0E+3"), Decimal("sNaN"), Decimal("-NaN12"), Decimal("Infinity")],
    "Fraction": fractions.Fraction(-1, 10**30),
    "UUID": uuid.UUID(int=5),
    "Path": pathlib.Path("a/b"),
    "PurePosixPath": pathlib.PurePosixPath("/x/y"),
    "PureWindowsPath": pathlib.PureWindowsPath("C:\\x"),
    "date": dt.date(2024, 2, 29),
    "datetime": [
        dt.datetime(2024, 1, 1, 1, 2, 3, 4),  # noqa: DTZ001 - naive on purpose
        dt.datetime(2024, 10, 27, 2, 30, tzinfo=BERLIN, fold=1),
        dt.datetime(1, 1, 1, tzinfo=dt.UTC),
    ],
    "time": [dt.time(1, 2, fold=1), dt.time(1, tzinfo=dt.UTC)],
    "timedelta": [dt.timedelta(microseconds=1), dt.timedelta(days=-3, seconds=5)],
    "timezone": [dt.UTC, dt.timezone(dt.timedelta(hours=2), "two")],
    "ZoneInfo": BERLIN,
    "deque": [collections.deque([1, 2], maxlen=2), collections.deque()],
    "Counter": collections.Counter(a=2, b=-1),
    "OrderedDict": collections.OrderedDict([("b", 1), ("a", 2)]),
    "defaultdict": [collections.defaultdict(list, {1: [2]}), collections.defaultdict(None, a=1)],
    "type": [str, type(None), pathlib.Path, list[str], dict[str, list[int]], str | None, Literal["a", 1], Draft,
             Box[int]],
    "enum": [Colour.RED, Colour.BLUE, Word.YES, Number.BIG, Right.READ, Right(3), Mode(7)],
    "named tuple": Point(1, (2,)),
    "dataclass": [Draft("t", (1,), "s"), Slotted(1), Box[int](1)],
    "pydantic": [model(), Inner()],
    "addresses": [*map(ipaddress.ip_address, ("1.2.3.4", "fe80::1%eth0")),
                  *map(ipaddress.ip_network, ("10.0.0.0/8", "::/64")),
                  *map(ipaddress.ip_interface, ("1.2.3.4/24", "::1/64"))],
    "Pattern": [re.compile("(?i)a+", re.MULTILINE), re.compile(b"[^\\0]")],
    "pydantic's own": [HttpUrl("https://a.b/c?d=1"), PostgresDsn("postgres://u:p@h/d"), SecretStr("hush"),
                       SecretBytes(b"\xff"), Secret((1,))],
    "written by pydantic": Celsius(1.5),
    "exception": [ValueError("x", 1), FileNotFoundError(2, "no", "f"), ImportError("m", name="n"),
                  OrderError((1,), reason="late"),
                  UnicodeDecodeError("utf8", b"\xff", 0, 1, "bad"), ExceptionGroup("g", [KeyError("k")])],
    "slots": None,  # made below: events have no equality
}  # fmt: skip


def arrays() -> dict[str, Any]:
    numpy = pytest.importorskip("numpy")
    return {
        "ndarray": [
            numpy.arange(6, dtype="<i2").reshape(2, 3),
            numpy.asfortranarray(numpy.array([[1.5, 2], [3, -0.0]], dtype=">f8")),
            numpy.array(["a", "bc"]),
            numpy.array(["2024-01-01", "NaT"], dtype="<M8[D]"),
            numpy.zeros((0, 3), dtype="|b1"),
        ],
        "numpy": [
            numpy.float64(1.5),
            numpy.int8(-3),
            numpy.bool_(True),
            numpy.timedelta64(3, "s"),
        ],
    }


@pytest.mark.parametrize("name", [name for name in VALUES if name != "slots"])
def test_a_value_of_format_1_is_read_and_written_as_ever(name: str) -> None:
    data = GOLDEN[name].encode("utf-8")
    assert same(decode(data, registry()), VALUES[name])
    assert encode(VALUES[name], registry()) == data
    view(data, registry())


def test_arrays_of_format_1_are_read_and_written_as_ever() -> None:
    for name, value in arrays().items():
        data = GOLDEN[name].encode("utf-8")
        assert same(decode(data, registry()), value)
        assert encode(value, registry()) == data


def test_an_event_of_format_1_is_read_and_written_as_ever() -> None:
    event = WorkflowEvent("output", (1,), executor_id="a")
    back = decode(GOLDEN["slots"].encode())
    assert (type(back), back.type, back.data, back.executor_id) == (
        WorkflowEvent,
        "output",
        (1,),
        "a",
    )
    assert encode(event) == GOLDEN["slots"].encode()


def tags(tree: Any) -> set[str]:
    if isinstance(tree, list):
        return set().union(*map(tags, tree))
    if not isinstance(tree, dict):
        return set()
    if "$" in tree:
        return {tree["$"]} | set().union(*map(tags, tree.values()))
    return set().union(*map(tags, tree.values()))


def sections(tree: Any) -> set[str]:
    if isinstance(tree, dict):
        inner = list(tree.values())
    elif isinstance(tree, list):
        inner = tree
    else:
        inner = []
    own = set(tree) & set(SECTIONS) if isinstance(tree, dict) and "$" in tree else set()
    return own.union(*map(sections, inner))


def test_the_golden_values_have_every_tag_every_section_and_every_kind_of_class() -> (
    None
):
    trees = [json.loads(text) for text in GOLDEN.values()]
    assert tags(trees) >= {*BY_TAG, "type", "ndarray", "numpy", "WorkflowEvent"}
    assert sections(trees) == {FIELDS, EXTRA, PRIVATE, UNDECLARED, FIELDS_SET, HIDDEN}
    assert set(GOLDEN) == {*VALUES, "ndarray", "numpy"}
    assert codec_values.Draft is Draft


def test_the_golden_record_has_every_kind_of_part_also_in_children() -> None:
    parts = json.loads((HERE / "format_1.json").read_text(encoding="utf-8"))["parts"]
    assert {kind for kind, _, _ in parts} == {
        *(kind.name for kind in KINDS),
        "queue",
        "trace",
        "definition",
        "child",
    }
    assert {json.loads(name)[-2] for kind, name, _ in parts if kind == "child"} == {
        *(kind.name for kind in KINDS),
        "queue",
    }
