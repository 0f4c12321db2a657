"""Every built-in node that needs no service: stopped and restored between two
supersteps, it gives the same result.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from runtime.nodes import BUILT_IN
from tests.runtime.nodes.resuming import straight_and_restored
from tests.runtime.nodes.single import one_node

ROWS = [{"n": 1, "s": "é"}, {"n": 2, "s": None}]
CODE = "def run(message, ctx):\n    ctx.executor_state['n'] = 1\n    return [message, ctx.executor_state]\n"
# Type -> its parameters, a message, and the outputs. `{folder}` has the files that are
# read.
CASES: dict[str, tuple[dict[str, Any], Any, list[Any]]] = {
    "input": ({}, ROWS, [ROWS]),
    "switch": ({}, ROWS, [ROWS]),
    "python_function": ({"function": "own:double"}, 4, [8]),
    "python_class": ({"class_name": "own:Adds", "arguments": {"more": 3}}, 4, [7]),
    "inline_code": ({"code": CODE}, "x", [["x", {"n": 1}]]),
    "template": ({"text": "{message[0].s}!"}, ROWS, ["é!"]),
    "json_transform": ({"expression": "message.map(x, x.n * 2)"}, ROWS, [[2, 4]]),
    "read_file": ({"path": "in.json", "content": "json"}, 0, [ROWS]),
    "write_file": ({"path": "out.txt"}, "text", ["text"]),
    "csv_read": (
        {"path": "in.csv", "numbers": True, "each_row": True},
        0,
        [{"a": 1}, {"a": 2}],
    ),
    "csv_write": ({"path": "out.csv"}, ROWS, [ROWS]),
    "filter_rows": ({"condition": "row.n > 1"}, ROWS, [ROWS[1:]]),
    "sort_rows": ({"by": {"n": "descending"}}, ROWS, [ROWS[::-1]]),
    "group_rows": (
        {"by": ["s"], "compute": {"sum": "sum(n)"}},
        ROWS,
        [[{"s": "é", "sum": 1}, {"s": None, "sum": 2}]],
    ),
    "join_tables": (
        {"on": {"n": "m"}},
        [ROWS, [{"m": 2, "t": 5}]],
        [[{"n": 2, "s": None, "t": 5}]],
    ),
    "collect": ({"into": "sum"}, [1, 2.5], [3.5]),
    "merge": ({"conflict": "all"}, ROWS, [{"n": [1, 2], "s": ["é", None]}]),
    "reduce": ({"items": "message.map(x, x.n)", "by": "max"}, ROWS, [2]),
    "sql_query": (
        {"database": "in.db", "statement": "SELECT a FROM t WHERE a > :n"},
        {"n": 1},
        [[{"a": 2}]],
    ),
    "shell_command": (
        {"program": "echo", "arguments": ["{message.n}"], "output": "lines"},
        ROWS[0],
        [["1"]],
    ),
    "sub_workflow": (
        {
            "inline": {
                "format": 1,
                "workflow": {"start": "o", "nodes": [{"id": "o", "type": "output"}]},
            }
        },
        ROWS,
        [ROWS],
    ),
    "for_each": ({"numbered": True}, ["a"], [{"item": "a", "index": 0, "total": 1}]),
    "batch": ({"size": 2}, [1, 2, 3], [[1, 2], [3]]),
    "counter": ({"send": "count", "start": 4}, "x", [5]),
    "loop_guard": (
        {"then": "route"},
        "x",
        [{"again": True, "round": 1, "message": "x"}],
    ),
    "delay": ({"seconds": 0}, ROWS, [ROWS]),
    "schedule": ({"until": "moment", "moment": "2020-01-01T00:00"}, ROWS, [ROWS]),
    "set_state": ({"key": "k"}, ROWS, [ROWS]),
    "get_state": (
        {"key": "k", "missing": "default", "default": [1], "send": "both"},
        1,
        [{"message": 1, "value": [1]}],
    ),
    "log": ({}, ROWS, [ROWS]),
}
# Those have tests of their own: an output ends the run, the others need somebody who
# answers, or code of a workflow.
ELSEWHERE = {"output", "ask", "http_request", "chat_model", "python_executor"}
OWN = """
from runtime import Executor, WorkflowContext, handler

def double(message: int) -> int:
    return message * 2

class Adds(Executor):
    def __init__(self, id: str, more: int) -> None:
        super().__init__(id)
        self.more = more

    @handler
    async def add(self, message: int, ctx: WorkflowContext[int]) -> None:
        await ctx.send_message(message + self.more)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in.json").write_text(
        '[{"n": 1, "s": "é"}, {"n": 2, "s": null}]', encoding="utf-8"
    )
    (tmp_path / "in.csv").write_text("a\n1\n2\n")
    (tmp_path / "own.py").write_text(OWN)
    with closing(sqlite3.connect(tmp_path / "in.db")) as connection, connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS a UNION SELECT 2")
    return tmp_path


@pytest.mark.parametrize("type", CASES)
async def test_a_restore_at_any_moment_gives_the_same_result(
    folder: Path, type: str
) -> None:
    params, message, expected = CASES[type]
    seen, rests = await straight_and_restored(
        lambda: one_node(type, folder, **params), message
    )
    assert seen == expected
    assert rests == [expected] * len(rests)
    assert len(rests) >= 3


def test_every_type_is_tried() -> None:
    assert CASES.keys() | ELSEWHERE == {one.type for one in BUILT_IN}
