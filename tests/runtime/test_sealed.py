"""A large value of the shared state is kept as JSON: nobody can tell it from one that
is kept as a copy.
"""

from __future__ import annotations

import enum
import math
import operator
import uuid
from copy import deepcopy
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.checkpoints.archive import Archive
from runtime.codec import decode, encode
from runtime.engine.fingerprint import Fingerprint
from runtime.engine.runner import Runner
from runtime.errors import EncodeError, StateConflictError
from runtime.stores.memory import MemoryStore
from runtime.values.copies import copy_for_state, isolate
from runtime.values.sealed import LARGE, Sealed, seal, stored_values, unseal
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.workflow import Workflow
from tests.runtime.codec_values import VALUES, registry, same
from tests.runtime.graphs import react
from tests.runtime.test_copies import shape
from tests.runtime.test_own_state import Ctx, finished, writing

REGISTRY = registry()
BEFORE = Sealed(b"[]")


def large(*extra: Any) -> list[Any]:
    """Enough containers for a large value, and whatever else."""
    items = [
        {"id": n, "ok": n % 2 == 0, "score": n / 8, "none": None, "pos": {"x": -n}}
        for n in range(LARGE // 2)
    ]
    return [items, *extra]


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters() | st.sampled_from("\ud800$\0")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.just("$"), inner),
    max_leaves=20,
)


@given(PLAIN | VALUES)
def test_rule_13_whatever_is_in_a_large_value_comes_back_as_a_copy_of_it_would(
    value: Any,
) -> None:
    value = large(value, [[]])
    for before in (None, BEFORE):
        held = copy_for_state(value, before)
        assert same(unseal(held), isolate(value))
        assert encode(held, REGISTRY) == encode(value, REGISTRY)


@given(PLAIN, PLAIN)
def test_rule_13_what_is_one_object_inside_of_a_large_value_stays_one(
    one: Any, other: Any
) -> None:
    value = large(one, {"a": one, "b": [other, one]}, other)
    assert shape(unseal(copy_for_state(value, BEFORE)), {}) == shape(value, {})  # type: ignore[no-untyped-call]


class Word(enum.StrEnum):
    A = "a"


class Text(str):
    __slots__ = ()


class Whole(int):
    pass


class Rows(list[Any]):
    pass


def nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


ONE: list[Any] = []
CYCLE: list[Any] = []
CYCLE.append(CYCLE)


@pytest.mark.parametrize(
    "number",
    [0, -0.0, 1.5, 1e300, 2**64 - 1, -(2**63), True, None, "null", "", "\0é😀", {}, []],
)
def test_a_large_value_that_json_gives_back_as_it_is_is_sealed(number: Any) -> None:
    value = large({"k": number}, [deepcopy(number)])
    held = copy_for_state(value)
    assert type(held) is Sealed
    assert same(unseal(held), value)


@pytest.mark.parametrize(
    "odd",
    [
        *(
            math.nan,
            math.inf,
            -math.inf,
            2**64,
            -(2**63) - 1,
            "\ud800",
            (),
            (1,),
            Word.A,
            uuid.UUID(int=1),
            Text("a"),
        ),
        *(
            Whole(1),
            Rows(),
            b"",
            {1: 2},
            {Text("a"): 1},
            {None: 1},
            {"\ud800": 1},
            [ONE, [ONE]],
            CYCLE,
            nested(300),
        ),
        *(orjson.Fragment(b"1"), {1}, object(), "long" * 100_000),
    ],
    ids=lambda odd: type(odd).__name__,
)
def test_any_other_is_not(odd: Any) -> None:
    assert seal(large({"k": odd})) is None


def test_nor_is_a_small_value_or_one_of_long_texts_which_copies_share() -> None:
    texts = [{"text": f"{n}" * 1000} for n in range(LARGE)]
    assert copy_for_state([{"n": 1}], BEFORE) == [{"n": 1}]
    assert copy_for_state(texts, BEFORE)[0]["text"] is texts[0]["text"]


def test_a_copy_of_a_sealed_value_is_open_also_inside_of_another_value() -> None:
    held = copy_for_state(large())
    assert isolate({"k": [held]}) == {"k": [large()]}


def test_a_sealed_value_that_looks_like_one_of_the_codec_is_encoded_as_what_it_is() -> (
    None
):
    value = large({"$": "tuple", "v": []})
    held = copy_for_state(value)
    assert type(held) is Sealed
    assert decode(encode(held)) == value


def line(*bodies: Any, **options: Any) -> Workflow:
    """Executors one after the other, each of which does one thing and passes on."""
    made = [react(f"e{at}", body) for at, body in enumerate(bodies)]
    return WorkflowBuilder(start_executor=made[0], **options).add_chain(made).build()


def write(value: Any) -> Any:
    async def body(message: Any, ctx: Ctx) -> None:
        ctx.set_state("k", value)
        await ctx.send_message(message)

    return body


async def test_rule_19_a_large_value_is_everybodys_own() -> None:
    written = large()
    seen = []

    async def first(message: Any, ctx: Ctx) -> None:
        ctx.set_state("k", written)
        written.append("after the write")
        ctx.get_state("k").append("read back")
        seen.append(ctx.get_state("k"))
        await ctx.send_message(message)

    async def second(_message: Any, ctx: Ctx) -> None:
        ctx.get_state("k").append("read from the barrier")
        seen.append(ctx.state.get("k"))

    runner = await finished(line(first, second))
    assert seen == [large(), large()]
    runner.state.shared["k"].append("read of the state")
    assert runner.state.shared == {"k": large()}


def outcome(value: Any) -> bytes | None:
    try:
        return encode(value)
    except EncodeError:
        return None


@pytest.mark.parametrize("levels", range(240, 256))
def test_a_sealed_value_may_have_as_many_levels_as_any(levels: int) -> None:
    value = large(nested(levels))
    assert outcome(copy_for_state(value)) == outcome(value)


async def test_a_state_with_sealed_values_is_a_mapping_like_any_other() -> None:
    shared = (await finished(line(write(1), write(large())))).state.shared
    assert type(stored_values(shared)["k"]) is Sealed
    assert shared == dict(shared) == {**shared} == {"k": large()}
    assert ("k" in shared, "l" in shared, len(shared), list(shared)) == (
        True,
        False,
        1,
        ["k"],
    )
    assert repr(shared) == repr({"k": large()})


async def test_rule_19_equal_large_values_of_two_executors_are_no_conflict_and_different_ones_are() -> (
    None
):
    twice = large(large()[0])
    twice[1] = twice[0]  # equal, but one that cannot be sealed
    for one in (large(large()[0]), twice):
        runner = await finished(writing(write(one), write(large(large()[0]))))
        assert runner.state.shared == {"k": large(large()[0])}
    with pytest.raises(StateConflictError):
        await finished(writing(write(large(1)), write(large(2))))


async def test_rule_19_a_reducer_gets_a_large_value_open_and_may_change_it() -> None:
    workflow = line(
        write(large()), write([1]), write(large()), reducers={"k": operator.iadd}
    )
    assert (await finished(workflow)).state.shared == {"k": [*large(1), *large()]}


def test_a_value_that_has_grown_large_is_sealed() -> None:
    assert type(copy_for_state(large(), copy_for_state([]))) is Sealed


def test_a_value_in_the_place_of_one_that_cannot_be_sealed_is_sealed() -> None:
    assert type(copy_for_state(large(), copy_for_state(large((1,))))) is Sealed


def test_a_large_value_that_is_written_back_as_it_was_read_is_the_one_that_is_kept_already() -> (
    None
):
    held = copy_for_state(large())
    assert copy_for_state(isolate(held), held) is held
    assert unseal(copy_for_state([*isolate(held), 1], held)) == large(1)


async def test_a_sealed_value_that_nobody_writes_stays_the_same_so_that_it_is_not_encoded_again() -> (
    None
):
    runner = Runner(
        line(write(large()), lambda _message, ctx: ctx.set_state("other", 1))
    )
    await runner.start(1)
    await runner.step()
    held = stored_values(runner.state.shared)["k"]
    await runner.finish()
    assert dict(stored_values(runner.state.shared)) == {"k": held, "other": 1}


async def test_rule_29_a_checkpoint_with_a_sealed_value_is_that_of_the_value() -> None:
    store = MemoryStore()
    runner = await finished(line(write(large()), write(large(1))), store=store)
    header = (await store.headers())[-1]
    assert (
        (await Archive(store).load(header.id)).state.shared
        == runner.state.shared
        == {"k": large(1)}
    )
    held = stored_values(runner.state.shared)["k"]
    assert str(Fingerprint("k", held)) == str(Fingerprint("k", large(1)))
