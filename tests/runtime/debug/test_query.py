"""Questions to the past as text: what they mean, their text, and where errors are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.debug.facts.fact import FACT_KINDS
from runtime.debug.past.query import KIND_WORDS, Query, parse
from runtime.errors import ConditionError


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("state.score > 0.8", Query("checkpoint", condition="state.score > 0.8")),
        ("superstep > 3", Query("checkpoint", condition="superstep > 3")),
        ("state: state.a == 1", Query("checkpoint", condition="state.a == 1")),
        ("message > 3", Query("message", condition="message > 3")),
        ("message in [1, 2]", Query("message", condition="message in [1, 2]")),
        ("source == 'a'", Query("message", condition="source == 'a'")),
        ("old < value", Query("write", condition="old < value")),
        ("reason != ''", Query("dropped", condition="reason != ''")),
        ("error.contains('429')", Query("failure", condition="error.contains('429')")),
        ("executor == 'plan'", Query("before", condition="executor == 'plan'")),
        ("write votes: value > 3", Query("write", "votes", condition="value > 3")),
        ("message e3", Query("message", "e3")),
        ('message "a -> b": message > 1', Query("message", "a -> b", None, "", "message > 1")),
        ("failure", Query("failure")),
        ("  failure plan ", Query("failure", "plan")),
        ("first write plan", Query("write", "plan", first=True)),
        ("first state.a == 1", Query("checkpoint", condition="state.a == 1", first=True)),
        ("before plan in review", Query("before", "plan", ("review",))),
        ("failure in review#2", Query("failure", "", ("review",), "review#2")),
        (
            'write votes in outer/"my review"#1: value == 0',
            Query("write", "votes", ("outer", "my review"), "my review#1", "value == 0"),
        ),
        ("starves", Query("starves")),
    ],
)  # fmt: skip
def test_a_text_asks_this_question(text: str, query: Query) -> None:
    assert parse(text) == query


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("", 1, "empty"),
        ("first", 6, "empty"),
        ("wrote votes", 1, "no kind 'wrote'; did you mean 'write'"),
        ("writes", 1, "no kind 'writes'"),
        ("write votes: value >", 21, "too early"),
        ("write votes: score > 1", 14, "unknown name 'score'"),
        ("state.a >", 10, "too early"),
        ("value > 3", 1, "'value' alone"),
        ("superstep == 1 && value > 3", 19, "'value' alone"),
        ("first kind == 'write'", 7, "'kind' alone"),
    ],
)
def test_errors_point_at_the_place(text: str, column: int, words: str) -> None:
    with pytest.raises(ConditionError) as caught:
        parse(text)
    assert (caught.value.line, caught.value.column) == (1, column)
    assert words in str(caught.value)


NAMES = st.text(st.characters(categories=("L", "N", "Zs"), exclude_characters='"')).map(
    str.strip
)
CONDITIONS = st.sampled_from(["", "value > 3", "state.a == 1", "message.x < old"])


@given(
    st.builds(
        Query,
        st.sampled_from(FACT_KINDS),
        NAMES,
        st.none() | st.lists(NAMES.filter(bool), min_size=1, max_size=3).map(tuple),
        st.just(""),
        CONDITIONS,
        st.booleans(),
    ),
    st.integers(0, 2),
)
def test_the_text_of_a_question_asks_it_again(query: Query, number: int) -> None:
    if number and query.inside:
        run = f"{query.inside[-1]}#{number}"
        query = Query(
            query.kind, query.where, query.inside, run, query.condition, query.first
        )
    assert parse(query.text) == query


def test_every_kind_has_a_word() -> None:
    assert sorted(KIND_WORDS.values()) == sorted(FACT_KINDS)
    for word, kind in KIND_WORDS.items():
        assert parse(word) == Query(kind)


def test_hit_counts_choose_among_the_hits_of_a_way() -> None:
    def counted(query: Query) -> list[int]:
        return [number for number in range(1, 8) if query.counts(number)]

    assert counted(Query("write")) == [1, 2, 3, 4, 5, 6, 7]
    assert counted(Query("write", first=True)) == [1]
    assert counted(Query("write", hits="from", count=3)) == [3, 4, 5, 6, 7]
    assert counted(Query("write", hits="every", count=3)) == [3, 6]
