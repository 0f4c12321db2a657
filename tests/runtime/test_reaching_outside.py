"""Who says that it reaches outside of a run, and in which words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from runtime import Executor, WorkflowContext, executor, handler, response_handler
from runtime.document.definition import NodeDefinition
from runtime.nodes import catalogue


def said(reaching: Executor) -> dict[str, str]:
    return {one.name: one.outside.what for one in reaching.all_handlers if one.outside}


class Mixed(Executor):
    @handler(outside="mail to the customer")
    async def mail(self, message: str, ctx: WorkflowContext[Any]) -> None: ...

    @handler
    async def count(self, message: int, ctx: WorkflowContext[Any]) -> None: ...

    @response_handler
    async def answer(
        self, original_request: str, response: bool, ctx: WorkflowContext[Any]
    ) -> None: ...


def test_a_handler_says_it_for_itself() -> None:
    assert said(Mixed("mixed")) == {"mail": "mail to the customer"}
    assert Mixed("mixed").engine_reaches_outside


def test_an_executor_says_it_for_the_handlers_that_do_not() -> None:
    assert said(Mixed("mixed", outside="order")) == {
        "mail": "mail to the customer",
        "count": "order",
        "answer": "order",
    }


def test_a_function_says_it_in_its_decorator() -> None:
    @executor(id="fetch", outside=True)
    async def fetch(message: str, ctx: WorkflowContext[str]) -> None: ...

    assert said(fetch) == {"fetch": "work outside of the run"}


def test_nothing_said_is_nothing_done() -> None:
    @executor(outside="")
    async def quiet(message: str, ctx: WorkflowContext[str]) -> None: ...

    assert not quiet.engine_reaches_outside
    assert not said(quiet)


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(TypeError, match="outside is a text"):
        handler(outside=3)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("node_type", "params", "words", "harmless"),
    [
        (
            "http_request",
            {"url": "https://{env.NAME}:{env.PASSWORD}@example.org/{message}"},
            "HTTP request to example.org",
            False,
        ),
        ("http_request", {"url": "https://{message}/x"}, "HTTP request", False),
        ("shell_command", {"program": "/usr/bin/git"}, "command git", False),
        ("read_file", {"path": "a.txt"}, "read file a.txt", True),
        ("write_file", {"path": "a.txt"}, "write file a.txt", False),
        (
            "sql_query",
            {"database": "a.db", "statement": "select 1"},
            "SQL statement",
            True,
        ),
        (
            "sql_query",
            {
                "database": "a.db",
                "statement": "delete from a",
                "allow_writes": True,
            },
            "SQL statement",
            False,
        ),
        ("delay", {"seconds": 2.0}, "wait of 2 s", True),
        ("ask", {"question": "Well?"}, "question to a person", True),
    ],
)
def test_node_types_say_what_they_do(
    node_type: str, params: dict[str, Any], words: str, harmless: bool
) -> None:
    node = NodeDefinition.model_validate(
        {"id": "it", "type": node_type, "params": params}
    )
    made = catalogue().create(node, ".")  # type: ignore[arg-type]
    declared = {one.outside for one in made.all_handlers if one.request_type is None}
    (outside,) = declared
    assert outside is not None
    assert (outside.what, outside.is_harmless) == (words, harmless)


MARKED = """
from runtime import reaches_outside
from runtime.nodes import node_type

@node_type
@reaches_outside("order at the shop")
def order(message: str) -> str:
    return message
"""


@pytest.mark.parametrize(
    ("node_type", "params"),
    [
        ("python_function", {"function": "shop:order"}),
        ("inline_code", {"code": MARKED.replace("order(", "run(")}),
        ("shop.order", {}),
    ],
)
def test_a_function_of_a_document_says_it_by_a_mark(
    tmp_path: Path, node_type: str, params: dict[str, Any]
) -> None:
    (tmp_path / "shop.py").write_text(MARKED)
    (tmp_path / "nodes").mkdir()
    (tmp_path / "nodes" / "shop.py").write_text(MARKED)
    types = catalogue(tmp_path)
    listed = [info.type for info in types.infos()]
    if node_type == "shop.order":
        node_type = next(name for name in listed if "order" in name.lower())
    node = {"id": "it", "type": node_type, "params": params}
    made = types.create(NodeDefinition.model_validate(node), tmp_path)
    assert set(said(made).values()) == {"order at the shop"}


def test_the_palette_knows_which_node_types_reach_outside() -> None:
    reaching = {info.type for info in catalogue().infos() if info.reaches_outside}
    assert {"http_request", "sql_query", "shell_command", "chat_model"} <= reaching
    assert not {"template", "counter", "python_function"} & reaching
