"""Ask a person with a schema of one's own: what is asked for, what is refused, and what
is sent on.
"""

from __future__ import annotations

from typing import Any

import pytest

from runtime.errors import DefinitionError, RequestError
from tests.runtime.nodes.single import one_node, problems

OFFER = {
    "type": "object",
    "properties": {
        "price": {"type": "number", "minimum": 1},
        "by": {"type": "string", "format": "date"},
    },
    "required": ["price"],
    "additionalProperties": False,
}


async def test_the_answer_must_fit_the_schema_and_is_sent_on_with_the_message() -> None:
    workflow = one_node(
        "ask", question="What does {message} cost?", answer_schema=OFFER
    )
    (question,) = (await workflow.run("a ladder")).get_request_info_events()
    assert question.data.answer_schema == OFFER
    for wrong in ({}, {"price": 0}, {"price": 2, "more": 1}, "2"):
        with pytest.raises(RequestError):
            await workflow.run(responses={question.request_id: wrong})
    answer = {"price": 2.5, "by": "2026-03-01"}
    done = await workflow.run(responses={question.request_id: answer})
    assert done.get_outputs() == [{"message": "a ladder", "answer": answer}]


@pytest.mark.parametrize(
    ("schema", "answer"),
    [({"type": "string", "minLength": 3}, "long"), ({"type": "boolean"}, True)],
)
async def test_an_answer_need_not_be_a_map(schema: dict[str, Any], answer: Any) -> None:
    workflow = one_node("ask", answer_schema=schema)
    (question,) = (await workflow.run("x")).get_request_info_events()
    done = await workflow.run(responses={question.request_id: answer})
    assert done.get_outputs() == [{"message": "x", "answer": answer}]


@pytest.mark.parametrize(
    ("params", "part", "words"),
    [
        (
            {"answer_schema": {"type": "array"}},
            "answer_schema",
            "must be object, string or boolean",
        ),
        (
            {"answer_schema": {"properties": {}}},
            "answer_schema",
            "must be object, string or boolean",
        ),
        ({"answer_schema": {"type": "nothing"}}, "answer_schema", "no JSON Schema"),
        (
            {"answer_schema": OFFER, "choices": ["a"]},
            "answer_schema",
            "takes the place of choices",
        ),
        ({"choices": ["a", "a"]}, "choices", "different and not empty"),
        (
            {"choices": ["a"], "reason_required_for": ["b"]},
            "reason_required_for",
            "'b', which is no choice",
        ),
    ],
)
def test_check_finds_what_does_not_go_together(
    params: dict[str, Any], part: str, words: str
) -> None:
    found = problems("ask", **params)
    assert any(one.part == f"params.{part}" and words in one.message for one in found)
    with pytest.raises(DefinitionError):
        one_node("ask", **params)
