"""What the check knows of code that sends several messages for one: it does not warn of
joins that these fill.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from runtime.checks.check import check
from runtime.document.definition import WorkflowDefinition
from runtime.expressions.python_sends import sends_many
from runtime.expressions.python_source import Function
from runtime.nodes import catalogue

SENDS_TWICE = "    ctx.send_message(1)\n    ctx.send_message(2)\n"


@pytest.mark.parametrize(
    ("body", "many"),
    [
        ("return message", False),
        ("ctx.send_message(1)", False),
        ("ctx.send_message(1); return None", False),
        ("ctx.send_message(1); return 2", True),
        ("ctx.send_message(1); ctx.send_message(2)", True),
        ("if message: ctx.send_message(1)\n    else: ctx.send_message(2)", False),
        ("for one in message: ctx.send_message(one)", True),
        ("while message: ctx.send_message(1)", True),
        ("[ctx.send_message(one) for one in message]", True),
        ("for one in message: print(one)\n    return one", False),
        ("helper(message, ctx)", True),
        ("helper(message, to=ctx)", True),
        ("helper(ctx.superstep)", False),
    ],
)
def test_the_syntax_tells_whether_several_messages_may_be_sent(
    body: str, many: bool
) -> None:
    (function,) = ast.parse(f"async def run(message, ctx):\n    {body}\n").body
    assert isinstance(function, Function)
    assert sends_many(function) is many
    (cls,) = ast.parse(
        f"class C:\n  def __init__(self): pass\n  def run(self, message, ctx):\n    {body}\n"
    ).body
    assert isinstance(cls, ast.ClassDef)
    # what a handler of a class returns is not sent
    assert sends_many(cls) is (many and "return 2" not in body)


def joined_behind_a_switch(folder: Path, node: dict[str, Any]) -> list[str]:
    """The rules that the check names for: node -> switch -> a or b, joined into c."""
    nodes = [
        {"id": "it", **node},
        *({"id": one, "type": "switch"} for one in ("choose", "a", "b", "c")),
    ]
    cases = [{"when": "message == 1", "target": "a"}]
    edges = [
        {"kind": "direct", "id": "e", "source": "it", "target": "choose"},
        {
            "kind": "switch",
            "id": "s",
            "source": "choose",
            "cases": cases,
            "default": "b",
        },
        {"kind": "fan_in", "id": "j", "sources": ["a", "b"], "target": "c"},
    ]
    definition = WorkflowDefinition.model_validate(
        {"start": "it", "nodes": nodes, "edges": edges}
    )
    infos = {one.type: one for one in catalogue(folder).infos()}
    return [one.rule for one in check(definition, infos, folder) if one.location == "j"]


@pytest.mark.parametrize(
    ("type", "params"),
    [
        ("python_function", {"function": "own:run"}),
        ("python_class", {"class_name": "own:Own"}),
        ("inline_code", {"code": "def run(message, ctx):\n    {}"}),
        ("nodes.mine:mine", {}),
    ],
)
def test_a_join_that_several_messages_fill_is_not_called_one_that_never_fills(
    tmp_path: Path, type: str, params: dict[str, str]
) -> None:
    (tmp_path / "nodes").mkdir()

    def rules(body: str) -> list[str]:
        code = f"    def run(self, message, ctx):\n        {body.replace(chr(10), chr(10) + '    ')}"
        (tmp_path / "own.py").write_text(
            f"def run(message, ctx):\n    {body}\nclass Own:\n{code}\n"
        )
        (tmp_path / "nodes" / "mine.py").write_text(
            f"def mine(message, ctx):\n    {body}\n"
        )
        filled = {name: value.replace("{}", body) for name, value in params.items()}
        return joined_behind_a_switch(tmp_path, {"type": type, "params": filled})

    assert rules("ctx.send_message(message)") == ["join-can-fill"]
    assert rules("ctx.send_message(1)\n    ctx.send_message(2)") == []
