"""Values for looking at: cut, masked, and made without calling anything of the user's."""

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, SecretStr

from runtime.checkpoint import Cause, CheckpointHeader
from runtime.codec import Record
from runtime.debug.protocol import HeaderBody, Value
from runtime.debug.values.display import TREE_LIMIT, expand, plain, to_value
from runtime.debug.values.display import field as field_of
from runtime.debug.values.shapes import MASKED, line


class Colour(Enum):
    RED = "red"


class Point(NamedTuple):
    x: int
    y: int


@dataclass
class Part:
    name: str
    size: int
    owners: list[str] = field(default_factory=list)


class Account(BaseModel):
    user: str
    password: str


ANN = Account.model_validate({"user": "ann", "password": "hunter2"})


class Hostile:
    def __repr__(self) -> str:
        raise RuntimeError("called")

    __str__ = __repr__


def texts(value: Value) -> dict[str, str]:
    return {label: child.text for label, child in value.children or ()}


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (None, "None", "None"),
        (True, "bool", "True"),
        (7, "int", "7"),
        ("a'b", "str", '"a\'b"'),
        (b"ab", "bytes", "b'ab'"),
        (date(2024, 2, 29), "date", "2024-02-29"),
        (Decimal("1.50"), "Decimal", "1.50"),
        (Colour.RED, "Colour", "Colour.RED"),
        ([], "list", "empty"),
        ([1], "list", "1 item"),
        ({"a": 1, "b": 2}, "dict", "2 items"),
        (deque([1, 2, 3]), "deque", "3 items"),
        (Part("bolt", 3), "Part", "name='bolt', size=3, owners=list[0]"),
        (Record("shop.models:Part", {"name": "bolt"}), "Part", "name='bolt'"),
        (Point(1, 2), "Point", "x=1, y=2"),
        (Hostile(), "Hostile", f"a value of {__name__}.Hostile"),
    ],
)
def test_line_of_text(value: Any, kind: str, text: str) -> None:
    shown = to_value(value)
    assert (shown.type, shown.text) == (kind, text)


def test_long_texts_are_cut() -> None:
    assert to_value(10**5000).text == "an integer of 16,610 bits"
    assert len(to_value("x" * 1_000_000).text) < 140
    assert len(to_value(Part("x" * 1_000_000, 1)).text) <= 120


def test_the_lines_of_a_text_can_be_had_whole() -> None:
    lines, count = expand({"report": "# Title\n" + "x" * 250}, [0])
    assert (count, [(label, line.text[:9]) for label, line in lines]) == (
        2,
        [("1", "'# Title'"), ("2", "'xxxxxxxx")],
    )
    pieces, count = expand({"report": "# Title\n" + "x" * 250}, [0, 1])
    assert "".join(piece.text.strip("'") for _, piece in pieces) == "x" * 250
    assert to_value({"report": "a\nb"}, depth=3).children[0][1].children is None


def test_depth_and_limit() -> None:
    tree = to_value(
        {"a": {"b": {"c": 1}}, "rows": list(range(500))}, depth=2, limit=200
    )
    nested = dict(tree.children or ())["a"]
    rows = dict(tree.children or ())["rows"]
    assert nested.children is not None
    assert nested.children[0][1].children is None
    assert (rows.count, len(rows.children or ())) == (500, 200)


@pytest.mark.parametrize(
    "name",
    [
        "api_key",
        "auth_token",
        "token",
        "password",
        "my_secret",
        "API_KEY",
        "Authorization",
    ],
)
def test_secrets_are_masked_everywhere(name: str) -> None:
    tree = to_value({name: {"inner": "hunter2"}, "x": ANN, "y": SecretStr("hunter2")})
    assert "hunter2" not in tree.model_dump_json()
    assert texts(tree)[name] == MASKED
    assert "hunter2" not in str(plain({name: "hunter2", "x": ANN}))


@pytest.mark.parametrize("name", ["key", "keys", "tokens", "monkey", "path"])
def test_other_names_are_shown(name: str) -> None:
    assert texts(to_value({name: 1})) == {name: "1"}


def test_expand_does_not_lead_into_secrets() -> None:
    with pytest.raises(LookupError, match="masked"):
        expand({"api_key": {"inner": "hunter2"}}, [0])


def test_expand_pages_through_children() -> None:
    children, count = expand({"rows": list(range(500))}, [0], offset=490, limit=200)
    assert (count, [label for label, _ in children]) == (
        500,
        [str(n) for n in range(490, 500)],
    )


def test_expand_of_a_path_that_leads_nowhere_says_so() -> None:
    with pytest.raises(LookupError, match="no child 3"):
        expand([1, 2], [3])


def test_a_set_has_one_order() -> None:
    names = [f"name {n}" for n in range(50)]
    assert list(texts(to_value(set(names))).values()) == sorted(map(repr, names))


def test_mappings_with_any_keys() -> None:
    assert texts(to_value({(1, 2): "a", 3: "b"})) == {"2 items": "'a'", "3": "'b'"}


def test_lone_surrogates_can_travel() -> None:
    to_value({"\ud800": "\ud800", "path": Record("x", {"\udfff": 1})}).model_dump_json()


def test_a_megabyte_of_state_becomes_a_tree_of_bounded_size() -> None:
    state = {
        f"part {n}": {"name": "x" * 500, "rows": [{"n": i} for i in range(10)]}
        for n in range(2000)
    }
    tree = to_value(state, depth=4)
    assert len(tree.children or ()) == 200
    assert tree.model_dump_json().count('"type"') < TREE_LIMIT * 1.5


def test_field_reads_any_shape() -> None:
    assert [
        field_of(v, "name")
        for v in (Part("a", 1), Record("x:Part", {"name": "a"}), {"name": "a"})
    ] == ["a"] * 3
    assert field_of(3, "name") is None


def test_plain_values() -> None:
    value = {
        "part": Part("bolt", 3, ["ann"]),
        "set": {2, 1},
        "big": 2**70,
        "raw": b"\x00",
        1: Counter(a=2),
        "p": Point(1, 2),
    }
    assert plain(value) == {
        "part": {"name": "bolt", "size": 3, "owners": ["ann"]},
        "set": [1, 2],
        "big": str(2**70),
        "raw": "AA==",
        "1": {"a": 2},
        "p": {"x": 1, "y": 2},
    }


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["C"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from("abcd"), inner),
)


@given(json_values)
def test_plain_leaves_json_as_it_is(value: Any) -> None:
    assert plain(value) == value


@given(json_values, st.integers(0, 4))
def test_any_tree_can_be_expanded_where_it_was_cut(value: Any, depth: int) -> None:
    def walk(shown: Value, path: list[int]) -> None:
        children, count = expand(value, path)
        assert count == shown.count
        for position, (label, child) in enumerate(shown.children or ()):
            assert children[position][0] == label
            assert children[position][1].text == child.text
            walk(child, [*path, position])

    walk(to_value(value, depth), [])


@dataclass
class OwnMapping(Mapping[str, int]):
    """A dataclass, so it can be saved; and a mapping whose methods are the user's."""

    size: int = 1

    def __len__(self) -> int:
        raise RuntimeError("called")

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("called")

    def __getitem__(self, key: str) -> int:
        raise RuntimeError("called")


class OwnSequence(Sequence[int]):
    def __len__(self) -> int:
        raise RuntimeError("called")

    def __getitem__(self, position: Any) -> Any:
        raise RuntimeError("called")


def test_containers_of_the_user_are_not_asked_for_their_length() -> None:
    assert (line(OwnMapping()), texts(to_value(OwnMapping()))) == (
        "size=1",
        {"size": "1"},
    )
    assert "OwnSequence" in line(OwnSequence())
    assert line(Part("x", 1, OwnMapping())) == "name='x', size=1, owners=OwnMapping"  # type: ignore[arg-type]
    assert plain([OwnMapping(), OwnSequence()])[0] == {"size": 1}


@pytest.mark.parametrize(
    "value",
    [Fraction(10**5000, 3), range(10**5000), 10**5000],
    ids=["fraction", "range", "int"],
)
def test_numbers_that_python_does_not_write_out_are_described(value: Any) -> None:
    assert "bits" in line(value)


def test_a_long_key_is_cut() -> None:
    [(label, _)] = to_value({"k" * 10_000: 1}).children or ()
    assert len(label) == 500


def test_a_header_arrives_over_the_wire_with_every_field() -> None:
    header = CheckpointHeader(
        id="c1",
        run_id="r1",
        workflow="w",
        superstep=3,
        cause=Cause.FORK,
        parent="c0",
        branch="alt",
        sequence=9,
        signature="sig",
        time=1.5,
        buffered=2,
        tags=("a",),
    )
    sent = HeaderBody(header=header)
    assert HeaderBody.model_validate_json(sent.model_dump_json()).header == header
