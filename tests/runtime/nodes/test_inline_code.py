"""Code in the document: what it may be, that it is checked without being run, and that
tracebacks show its lines.
"""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

import pytest

from runtime.engine.runner import Runner
from runtime.errors import DefinitionError, NodeError
from runtime.stores.memory import MemoryStore
from tests.runtime.nodes.resuming import looping, straight_and_restored
from tests.runtime.nodes.single import one_node, outputs, problems

COUNTS = """
def run(message, ctx):
    ctx.executor_state["n"] = ctx.executor_state.get("n", 0) + 1
    return ctx.executor_state["n"]
"""
WITH_A_CLASS = """
import math
from dataclasses import dataclass

@dataclass
class A:
    n: int

def run(message: str):
    return A(math.floor(2.5)).n
"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def run(message: str) -> str:\n    return message.upper()", ["HI"]),
        ("async def run(message):\n    return [message]", [["hi"]]),
        (
            "def run(message, ctx):\n    ctx.send_message(1)\n    ctx.send_message(2)",
            [1, 2],
        ),
        ("def run(message, ctx, mark='!'):\n    return message + mark", ["hi!"]),
        (WITH_A_CLASS, [2]),
        ("def run(message):\n    pass", []),
    ],
)
async def test_what_the_function_returns_is_sent_on(
    code: str, expected: list[Any]
) -> None:
    assert await outputs("inline_code", "hi", code=code) == expected


POSTPONED = """
from __future__ import annotations

from dataclasses import dataclass

def run(message: Sum | int) -> Sum:
    return Sum(message if isinstance(message, int) else message.total + 1)

@dataclass
class Sum:
    total: int
"""


async def test_postponed_annotations_and_classes_of_the_code_work_and_are_restored() -> (
    None
):
    def make() -> Any:
        return looping("inline_code", "message.total < 4", code=POSTPONED)

    seen, rests = await straight_and_restored(make, 1)
    assert [one.total for one in seen] == [1, 2, 3, 4]
    assert [[one.total for one in rest] for rest in rests] == [[1, 2, 3, 4]] * len(
        rests
    )


async def test_a_new_node_passes_the_message_on() -> None:
    assert await outputs("inline_code", 5) == [5]


def test_its_annotations_say_what_it_takes_and_sends() -> None:
    made = one_node(
        "inline_code", code="def run(message: list[int]) -> str:\n    return ''"
    ).executors["it"]
    assert (made.input_types, made.output_types) == ([list[int]], [str])


async def test_it_may_import_modules_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "helping.py").write_text("def double(x):\n    return 2 * x\n")
    code = "from helping import double\ndef run(message):\n    return double(message)"
    assert await outputs("inline_code", 4, tmp_path, code=code) == [8]


@pytest.mark.parametrize(
    ("code", "line", "column", "words"),
    [
        ("def run(message):\n    return (", 2, 12, "was never closed"),
        ("def run(message)\n    return 1", 1, 17, "expected ':'"),
        ("def other(message):\n    return 1", 0, 0, "there is no function 'run'"),
        ("", 0, 0, "there is no function 'run'"),
        (
            "x = 1\ndef run():\n    return 1",
            2,
            1,
            "must take (message) or (message, ctx)",
        ),
        (
            "def run(a, b, c):\n    return 1",
            1,
            1,
            "must take (message) or (message, ctx)",
        ),
        (
            "def run(a, *, c):\n    return 1",
            1,
            1,
            "must take (message) or (message, ctx)",
        ),
        ("(" * 5000, 1, None, "too many nested"),
        ("a\0b", None, None, "null bytes"),
    ],
)
def test_check_names_line_and_column(
    code: str, line: int | None, column: int | None, words: str
) -> None:
    (problem,) = problems("inline_code", code=code)
    assert (problem.rule, problem.part) == ("params-valid", "params.code")
    assert line is None or problem.line == line
    assert column is None or problem.column == column
    assert words in problem.message


def test_case_134_check_runs_nothing_of_the_code(tmp_path: Path) -> None:
    trace = tmp_path / "ran"
    code = f"open({str(trace)!r}, 'w').close()\ndef run(message):\n    return 1"
    assert problems("inline_code", code=code) == []
    assert not trace.exists()
    one_node("inline_code", code=code)
    assert trace.exists()


def test_a_doubtful_escape_is_no_problem_of_the_check() -> None:
    assert problems("inline_code", code="def run(message):\n    return '\\d'") == []


async def test_the_traceback_shows_the_line_of_the_user() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        await outputs(
            "inline_code",
            1,
            code="def run(message):\n    x = message - 1\n    return 1 / x  # here",
        )
    text = "".join(traceback.format_exception(caught.value))
    assert 'File "<code of it>", line 3, in run' in text
    assert "return 1 / x  # here" in text


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (
            "import no_such_module\ndef run(message):\n    return 1",
            "line 1: ModuleNotFoundError",
        ),
        (
            "def run(message):\n    return 1\n\nraise ValueError('no')",
            "line 4: ValueError: no",
        ),
        (
            "import sys\nsys.exit(3)\ndef run(message):\n    return 1",
            "line 2: SystemExit",
        ),
        ("def run(message):\n    yield 1", "must not be a generator"),
        ("def run(message: Gone):\n    return 1", "line 1: NameError"),
        ("def run(message):\n    return 1\ndel run", "it is no function"),
        ("def run(message):\n    return 1\nreturn 2", "line 3: SyntaxError"),
    ],
)
def test_code_that_cannot_be_used_says_where(code: str, words: str) -> None:
    with pytest.raises(DefinitionError, match=words) as caught:
        one_node("inline_code", code=code)
    assert caught.value.location == "it"


async def test_a_restore_in_the_middle_has_the_state_of_the_code() -> None:
    seen, rests = await straight_and_restored(
        lambda: looping("inline_code", "message < 4", code=COUNTS), "go"
    )
    assert seen == [1, 2, 3, 4]
    assert rests == [seen] * len(rests)


async def test_other_code_may_go_on_with_a_run() -> None:
    store = MemoryStore()
    runner = Runner(
        one_node("inline_code", code="def run(message):\n    return 1 / 0"), store
    )
    await runner.start(1)
    with pytest.raises(ZeroDivisionError):
        await runner.finish()
    mended = Runner(
        one_node("inline_code", code="def run(message):\n    return 7"), store
    )
    assert runner.header is not None
    await mended.restore(runner.header.id)
    await mended.finish()
    assert mended.state.superstep == 2


@pytest.mark.parametrize(
    "result", ["(i for i in [1])", "map(str, message)", "zip(message)"]
)
async def test_what_can_be_walked_once_only_is_no_message(result: str) -> None:
    with pytest.raises(
        NodeError,
        match=r"Node 'it': 'run' returned a \w+, which can be walked once only\. Return a list",
    ):
        await outputs(
            "inline_code", [1], code=f"def run(message):\n    return {result}\n"
        )


async def test_an_async_function_behind_a_decorator_is_awaited() -> None:
    code = """
def twice(function):
    return lambda message: function(message * 2)

@twice
async def run(message):
    return message + 1
"""
    assert await outputs("inline_code", 2, code=code) == [5]
