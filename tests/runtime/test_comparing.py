"""What a diff between two checkpoints must tell: the innermost value that changed, and
nothing that did not.
"""

from dataclasses import dataclass
from math import nan

from hypothesis import given
from hypothesis import strategies as st

from runtime.checkpoint import Cause, Checkpoint, CheckpointHeader
from runtime.debug.compare import Change, compare, differences
from runtime.message import Message
from runtime.state import RunState

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
    max_leaves=10,
)


@dataclass
class Draft:
    title: str
    lines: list[str]


def checkpoint(state):
    return Checkpoint(CheckpointHeader("id", "run", "w", 0, Cause.INPUT), state)


@given(JSON)
def test_a_value_does_not_differ_from_itself(value):
    assert not list(differences(value, value))


@given(JSON, JSON)
def test_no_difference_means_equal(old, new):
    if not list(differences(old, new)):
        assert old == new


def test_the_path_leads_to_the_innermost_change():
    old = {"draft": Draft("a", ["x", "y"])}
    new = {"draft": Draft("a", ["x", "z"])}
    assert list(differences(old, new)) == [("['draft'].lines[1]", "changed", "y", "z")]


def test_true_and_one_differ_and_nan_does_not_differ_from_nan():
    assert [kind for _, kind, _, _ in differences([1, nan], [True, nan])] == ["changed"]


def test_values_that_are_equal_and_of_other_types_differ():
    """Also where whole values are compared at once, as those of JSON's types are."""
    for old, new in (
        (1, 1.0),
        (True, 1),
        ((1,), [1]),
        ({"a": [1, (2,)]}, {"a": [1, [2]]}),
    ):
        assert list(differences({"k": old}, {"k": new}))
    assert not list(differences({"a": 1, "b": [2]}, {"b": [2], "a": 1}))


def test_added_and_removed_are_told_apart():
    assert list(differences({"a": 1}, {"b": 2})) == [
        ("['a']", "removed", 1, None),
        ("['b']", "added", None, 2),
    ]


def test_every_section_is_compared():
    new = RunState(
        queue=(Message("x", "a"),),
        buffers={"join": (Message(1, "b"),)},
        shared={"k": 1},
    )
    changes = compare(checkpoint(RunState()), checkpoint(new))
    assert [(change.section, change.kind) for change in changes] == [
        ("state", "added"),
        ("messages", "added"),
        ("joins", "added"),
    ]
    assert changes[0] == Change("state", "['k']", "added", None, 1)


def test_an_empty_buffer_is_no_difference():
    assert (
        compare(checkpoint(RunState()), checkpoint(RunState(buffers={"join": ()})))
        == []
    )
