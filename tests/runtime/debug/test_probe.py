"""Probes over facts: kind, place, condition, and what cannot be evaluated."""

from __future__ import annotations

import pytest

from runtime.debug.facts.fact import FACT_KINDS, NOT_RECORDED, VARIABLES, Fact
from runtime.debug.facts.probe import FactExpression, LogText, Probe
from runtime.debug.values.shapes import MASKED
from runtime.errors import ConditionError

WRITE = Fact(
    "write", 4, executor="rank", key="risk", value=0.9, old=0.4, state={"risk": 0.4}
)


class Unseen:
    """A value that CEL does not have."""


def test_a_probe_without_place_or_condition_takes_every_fact_of_its_kind() -> None:
    assert Probe("write").matches(WRITE)
    assert not Probe("failure").matches(WRITE)


def test_every_variable_can_be_named() -> None:
    for name in VARIABLES:
        assert Probe("write", condition=f"{name} == {name}").matches(WRITE), name


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("value > 0.8 && old < 0.5", True),
        ("message > 0.8", True),
        ("superstep == 4 && executor == 'rank' && target == executor", True),
        ("state.risk > 0.8", False),
        ('state["risk"] < 0.8', True),
        ("has(state.votes)", False),
        ("path == []", True),
    ],
)
def test_a_condition_sees_the_variables_of_the_fact(
    condition: str, expected: bool
) -> None:
    probe = Probe("write", condition=condition)
    assert probe.matches(WRITE) is expected
    assert probe.errors == 0


@pytest.mark.parametrize(
    ("kind", "where", "fact"),
    [
        ("write", "risk", WRITE),
        ("message", "e3", Fact("message", 1, executor="rank", source="a", edge="e3")),
        ("message", "rank", Fact("message", 1, executor="rank", source="a", edge="e3")),
        ("dropped", "a", Fact("dropped", 1, source="a")),
        ("fires", "join", Fact("fires", 1, executor="rank", edge="join")),
        ("before", "rank", Fact("before", 1, executor="rank")),
        ("output", "rank", Fact("output", 1, executor="rank")),
    ],
)
def test_where_is_a_key_an_edge_or_a_node(kind: str, where: str, fact: Fact) -> None:
    assert Probe(kind, where).matches(fact)  # type: ignore[arg-type]
    assert not Probe(kind, where + "x").matches(fact)  # type: ignore[arg-type]


def test_a_key_is_not_the_node_that_writes_it() -> None:
    assert not Probe("write", "rank").matches(WRITE)


@pytest.mark.parametrize(
    ("where", "inside", "run", "expected"),
    [
        ("", (), "", True),
        ("plan", (), "", False),
        ("plan", None, "", True),
        ("plan", ("review",), "", True),
        ("plan", ("review",), "review#2", True),
        ("plan", ("review",), "review#1", False),
        ("", None, "review#1", False),
        ("plan", ("outer", "review"), "", False),
    ],
)
def test_a_fact_of_a_sub_workflow_is_found_by_its_way_and_run(
    where: str, inside: tuple[str, ...] | None, run: str, expected: bool
) -> None:
    fact = Fact("before", 3, path=("review#2",), executor="plan")
    assert Probe("before", where, inside, run).matches(fact) is expected


def test_what_cannot_be_evaluated_is_not_true_and_counted() -> None:
    probe = Probe("write", condition="value.name == 'x'")
    assert not probe.matches(WRITE)
    assert not probe.matches(WRITE)
    assert probe.errors == 2
    assert "value.name == 'x'" in probe.error


def test_a_result_that_is_no_bool_is_an_error() -> None:
    probe = Probe("write", condition="value")
    assert not probe.matches(WRITE)
    assert "not true or false" in probe.error


def test_a_fact_of_another_place_is_not_evaluated() -> None:
    probe = Probe("write", "votes", condition="value.name == 'x'")
    assert not probe.matches(WRITE)
    assert probe.errors == 0


def test_only_what_the_text_names_is_given_to_cel() -> None:
    state = {"risk": 0.9, "model": Unseen()}
    fact = Fact("checkpoint", 2, value=Unseen(), state=state)
    assert Probe("checkpoint", condition="state.risk > 0.8").matches(fact)
    every = Probe("checkpoint", condition="size(state) == 2")
    assert not every.matches(fact)
    assert "Unseen" in every.error


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("state.risk > 0.8 && state['a b'] == 1", {"risk", "a b"}),
        ("has(state.risk)", {"risk"}),
        ("value > 1", set()),
        ("value.state.risk > 1", set()),
        ("'risk' in state", None),
        ("state[key] == value", None),
        ("state.exists(name, name == 'x')", None),
    ],
)
def test_the_keys_of_the_state_that_a_text_names(
    text: str, keys: set[str] | None
) -> None:
    assert FactExpression(text).state_keys == keys


@pytest.mark.parametrize("text", ["value >", "score > 1", "value > 1 ||"])
def test_bad_text_is_refused_when_the_probe_is_made(text: str) -> None:
    with pytest.raises(ConditionError):
        Probe("write", condition=text)


def test_an_unknown_kind_is_refused() -> None:
    assert "checkpoint" in FACT_KINDS
    with pytest.raises(ConditionError, match="no kind of fact 'wrote'"):
        Probe("wrote")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("risk {old} -> {value}", "risk 0.4 -> 0.9"),
        ("{{{executor}}}", "{rank}"),
        ("{ {'a': value}.a } done", "0.9 done"),
        ("{'}' + key}", "}risk"),
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_a_log_text_shows_its_expressions(text: str, expected: str) -> None:
    assert LogText(text).render(WRITE) == expected


def test_an_expression_of_a_log_text_that_fails_is_shown_and_counted() -> None:
    log = LogText("name {value.name}, key {key}")
    assert log.render(WRITE) == "name {value.name?}, key risk"
    assert log.errors == 1
    assert "value.name" in log.error


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [("a {value", 1, 3), ("a } b", 1, 3), ("a\n {scor}", 2, 3), ("{}", 1, 2)],
)
def test_errors_of_a_log_text_point_at_the_place(
    text: str, line: int, column: int
) -> None:
    with pytest.raises(ConditionError) as caught:
        LogText(text)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_a_log_text_shows_no_secret() -> None:
    fact = Fact("checkpoint", 1, state={"api_key": "sk-1", "n": 2})
    assert LogText("{state.api_key} {state.n}").render(fact) == f"{MASKED} 2"
    assert "sk-1" not in LogText("all: {state}").render(fact)


def test_what_is_not_recorded_cannot_be_evaluated() -> None:
    probe = Probe("write", condition="old > 1")
    assert not probe.matches(Fact("write", 1, old=NOT_RECORDED))
    assert "'old' is not recorded" in probe.error


@pytest.mark.parametrize("text", ["{value}", "{old}", "{[message]}", "{state[key]}"])
def test_a_log_text_shows_no_secret_that_is_written(text: str) -> None:
    state = {"api_key": "old"}
    fact = Fact("write", 1, key="api_key", value="new", old="old", state=state)
    assert LogText(f"{{key}}: {text}").render(fact) == f"api_key: {MASKED}"


@pytest.mark.parametrize("piece", ["{{", "{message}", "x"])
def test_a_log_text_that_would_take_long_to_compile_is_refused(piece: str) -> None:
    assert LogText(piece * 100).text
    with pytest.raises(ConditionError, match="longer than 5000 characters"):
        LogText(piece * 100_000)
