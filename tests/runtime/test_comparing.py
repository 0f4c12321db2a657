"""What a diff between two checkpoints must tell: the innermost value that changed, and
nothing that did not.
"""

from collections import Counter
from dataclasses import dataclass, replace
from math import nan

from hypothesis import given
from hypothesis import strategies as st

from runtime.checkpoint import Cause, Checkpoint, CheckpointHeader
from runtime.debug.compare.checkpoints import Change, Past, compare
from runtime.debug.compare.values import Difference, differences, ordinal
from runtime.debug.sections import Place
from runtime.message import Message, Request
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
    assert list(differences(old, new)) == [
        Difference("['draft'].lines[1]", "changed", "y", "z")
    ]


def test_true_and_one_differ_and_nan_does_not_differ_from_nan():
    changes = differences([1, nan], [True, nan])
    assert [change.kind for change in changes] == ["changed"]


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
        Difference("['a']", "removed", 1, None),
        Difference("['b']", "added", None, 2),
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
    assert changes[0] == Change("state", "['k']", "added", None, 1, at=Place(key="k"))


def test_an_empty_buffer_is_no_difference():
    assert (
        compare(checkpoint(RunState()), checkpoint(RunState(buffers={"join": ()})))
        == []
    )


# --- lists ---


def leaves(value):
    """The innermost values, each as often as it is there."""
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return sum(map(leaves, inner), Counter())
    return Counter([repr(value)])


@given(JSON, JSON)
def test_the_kinds_account_for_every_leaf(old, new):
    """What is not gone of the old value is what has not come of the new one."""
    gone = Counter()
    come = Counter()
    for change in differences(old, new):
        gone += (
            leaves(change.old) if change.kind in ("removed", "changed") else Counter()
        )
        come += leaves(change.new) if change.kind in ("added", "changed") else Counter()
    assert not gone - leaves(old)
    assert not come - leaves(new)
    assert leaves(old) - gone == leaves(new) - come


@given(JSON, JSON)
def test_the_other_direction_mirrors_what_was_added_and_removed(old, new):
    there = list(differences(old, new))
    back = list(differences(new, old))

    def paths(changes, kind):
        return sorted(change.path for change in changes if change.kind == kind)

    assert paths(there, "added") == paths(back, "removed")
    assert paths(there, "removed") == paths(back, "added")
    for kind in ("changed", "moved"):
        assert len(paths(there, kind)) == len(paths(back, kind))


def test_an_item_before_others_does_not_change_the_others():
    assert list(differences(["b", "c"], ["a", "b", "c"])) == [
        Difference("[0]", "added", None, "a")
    ]


def test_an_item_in_another_place_of_its_list_is_moved():
    assert list(differences(["a", "b", "c"], ["c", "a", "b"])) == [
        Difference("[0]", "moved", "c", "c", "third of 3", "first of 3")
    ]


def test_a_long_list_is_compared_place_by_place():
    old = list(range(6000))
    changes = list(differences(old, [*old[1:], 0]))
    assert len(changes) == 6000


def test_places_have_their_words():
    assert [ordinal(number) for number in (1, 7, 8, 11, 21, 22, 103, 112)] == [
        "first",
        "seventh",
        "8th",
        "11th",
        "21st",
        "22nd",
        "103rd",
        "112th",
    ]


# --- messages, questions, graph and header ---


def message(data, source="a", target=None):
    return Message(data, source, target)


def test_messages_in_another_order_are_moved():
    old = RunState(queue=(message(1), message(2, "b")))
    new = RunState(queue=(message(2, "b"), message(1)))
    (change,) = compare(checkpoint(old), checkpoint(new))
    assert (change.section, change.kind) == ("messages", "moved")
    assert {change.before, change.after} == {"first of 2", "second of 2"}


def test_a_message_that_went_from_the_queue_into_a_join_is_moved():
    old = RunState(queue=(message(1),))
    new = RunState(buffers={"join": (message(1),)})
    (change,) = compare(checkpoint(old), checkpoint(new))
    assert change == Change(
        "joins",
        "join ← a",
        "moved",
        1,
        1,
        "from a",
        "join ← a",
        Place((), "join", "a", "join"),
    )


def test_a_message_of_another_sender_is_another_message():
    old = RunState(queue=(message(1, "a"),))
    new = RunState(buffers={"join": (message(1, "b"),)})
    kinds = {change.kind for change in compare(checkpoint(old), checkpoint(new))}
    assert kinds == {"removed", "added"}


def test_a_question_answered_on_one_way_only_is_changed():
    request = Request("ask:1:0", "ask", "May it?", str, 1)
    asked = checkpoint(RunState(requests={request.id: request}))
    answered = checkpoint(RunState())
    past = Past({request.id: 5})
    (change,) = compare(asked, answered, after=past)
    assert (change.kind, change.before, change.after) == (
        "changed",
        "open",
        "answered in s5",
    )
    assert change.at == Place((), "ask")
    (back,) = compare(answered, asked, before=past)
    assert (back.kind, back.before, back.after) == (
        "changed",
        "answered in s5",
        "open",
    )


def test_the_graph_is_compared_by_the_ids_of_nodes_and_edges():
    def graph(*nodes):
        header = CheckpointHeader("id", "run", "w", 0, Cause.INPUT)
        definition = {"workflow": {"nodes": list(nodes), "start": "a"}}
        return Checkpoint(header, RunState(), definition=definition)

    first = {"id": "a", "params": {"text": "x"}}
    second = {"id": "b"}
    (change,) = compare(
        graph(first, second), graph(second, {"id": "a", "params": {"text": "y"}})
    )
    assert change[:5] == ("graph", "node a['params']['text']", "changed", "x", "y")
    assert change.at.executor == "a"


def test_facts_of_the_header_are_compared():
    old = CheckpointHeader("id", "run", "w", 0, Cause.INPUT)
    new = replace(old, id="other", branch="fork 1", time=5.0, tags=("kept",))
    changes = compare(Checkpoint(old, RunState()), Checkpoint(new, RunState()))
    assert [change[:5] for change in changes] == [
        ("header", "branch", "changed", "main", "fork 1"),
        ("header", "tags", "changed", "", "kept"),
    ]
