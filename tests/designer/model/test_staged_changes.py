"""Staged changes: a change about the same thing takes the place of the one before, each is
undone on its own, and messages stand where the user put them.
"""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from designer.model.staged_changes import Draft, Entry, order_of, spot_of
from runtime.debug.protocol import PatchChange

QUEUE = PatchChange(id="", do="drop", section="queue")


def change(do: Any, entry: Entry | None = None, **fields: Any) -> PatchChange:
    spot = spot_of(entry) if entry is not None else None
    fields = {"section": "queue", **fields}
    return PatchChange(id="", do=do, spot=spot, **fields)


def state(value: Any, *path: str | int, key: str = "limit") -> PatchChange:
    return change("set", section="state", key=key, path=path, value=value)


def draft_of(*changes: PatchChange) -> Draft:
    draft = Draft()
    for each in changes:
        draft = draft.with_change(each)
    return draft


def doings(draft: Draft) -> list[str]:
    return [each.do for each in draft.changes]


def test_each_change_gets_an_id_of_its_own() -> None:
    draft = draft_of(state(1), state(2, key="other"), change("drop", 0))
    assert [each.id for each in draft.changes] == ["c1", "c2", "c3"]


def test_a_second_value_for_the_same_place_replaces_the_first() -> None:
    draft = draft_of(state(1, "a"), state(2, "b"), state(3, "a"))
    values = {each.path: each.value for each in draft.changes}
    assert values == {("a",): 3, ("b",): 2}


def test_a_value_for_the_whole_replaces_those_inside_of_it() -> None:
    draft = draft_of(state(1, "a"), state(2, "b"), state({"a": 0}))
    assert [each.path for each in draft.changes] == [()]


def test_dropping_a_message_replaces_what_was_changed_of_it() -> None:
    draft = draft_of(change("set", 1, value=5), change("move", 1, to=0))
    assert doings(draft.with_change(change("drop", 1))) == ["drop"]


def test_dropping_an_added_message_takes_the_addition_back() -> None:
    draft = draft_of(change("add", value=1), change("duplicate", 0))
    gone = draft.with_change(change("drop", "c1"))
    assert doings(gone) == ["duplicate"]


def test_an_added_message_is_edited_where_it_is_added() -> None:
    draft = draft_of(change("add", value="", source="a"))
    edited = draft.with_change(change("set", "c1", value={"n": 1}))
    (added,) = edited.changes
    assert (added.do, added.value, added.source) == ("add", {"n": 1}, "a")


def test_taking_a_duplicate_back_takes_its_own_changes_back() -> None:
    draft = draft_of(change("duplicate", 0), change("set", "c1", value=1), state(1))
    assert [each.section for each in draft.without(["c1"]).changes] == ["state"]


def test_an_answer_and_a_withdrawal_replace_each_other() -> None:
    answer = change("answer", section="requests", key="r1", value="yes")
    withdraw = change("withdraw", section="requests", key="r1")
    assert doings(draft_of(answer, withdraw)) == ["withdraw"]
    assert doings(draft_of(withdraw, answer)) == ["answer"]


def test_a_message_that_is_moved_back_is_not_moved() -> None:
    draft = Draft().with_order(QUEUE, [1, 0, 2], 1, 3)
    assert doings(draft) == ["move"]
    assert draft.with_order(QUEUE, [0, 1, 2], 1, 3).changes == ()


def test_a_duplicate_stands_behind_its_original() -> None:
    draft = draft_of(change("duplicate", 0))
    assert order_of(draft.changes, QUEUE, 2) == [0, "c1", 1]


def test_a_chain_of_duplicates_may_be_longer_than_calls_nest() -> None:
    ids = [f"c{number}" for number in range(1_500)]
    chain = [
        change("duplicate", entry).model_copy(update={"id": id})
        for entry, id in zip([0, *ids], ids, strict=False)
    ]
    assert order_of(chain, QUEUE, 2) == [0, *ids, 1]


@given(
    moves=st.lists(
        st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=8
    ),
    drops=st.sets(st.integers(0, 5), max_size=3),
    added=st.integers(0, 2),
)
def test_messages_stand_where_the_user_put_them(
    moves: list[tuple[int, int]], drops: set[int], added: int
) -> None:
    draft = draft_of(*(change("drop", place) for place in drops))
    for _ in range(added):
        draft = draft.with_change(change("add", value=1))
    for which, where in moves:
        order = order_of(draft.changes, QUEUE, 6)
        entry = order.pop(which % len(order))
        order.insert(where % (len(order) + 1), entry)
        draft = draft.with_order(QUEUE, order, entry, 6)
        assert order_of(draft.changes, QUEUE, 6) == order
