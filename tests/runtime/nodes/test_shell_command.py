"""Shell command: what a program gets and gives, that no message becomes a command, and
that nothing outlives it.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from runtime.errors import DefinitionError, NodeError
from runtime.nodes.support.processes import Command, run
from tests.runtime.nodes.single import one_node, outputs, problems

TYPE = "shell_command"
SHOW = "import sys, os; print(*sys.argv[1:], sep='|', end='')"


async def python(
    code: str,
    message: Any = 0,
    folder: Path | str = ".",
    *arguments: str,
    **params: Any,
) -> Any:
    (made,) = await outputs(
        TYPE,
        message,
        folder,
        program=sys.executable,
        arguments=["-c", code, *arguments],
        **params,
    )
    return made


async def test_an_argument_stays_one_whatever_it_holds() -> None:
    hostile = "a b; echo $HOME `id` 'q' \n*"
    assert (
        await python(SHOW, {"x": hostile}, ".", "{message.x}", "--n={message.x}")
        == f"{hostile}|--n={hostile}"
    )


async def test_with_a_shell_a_message_is_still_no_command(tmp_path: Path) -> None:
    command = "printf '%s|' \"$1\" | tr a-z A-Z"
    hostile = '"; touch hacked; "'
    params = {"program": command, "shell": True, "arguments": ["{message}"]}
    made = await outputs(TYPE, hostile, tmp_path, **params)
    assert made == [f"{hostile.upper()}|"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("message", "expected"),
    [("é\n", "é\n"), (b"raw", "raw"), ({"a": [1]}, '{"a": [1]}')],
)
async def test_the_message_may_be_what_the_program_reads(
    message: Any, expected: str
) -> None:
    code = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"
    assert await python(code, message, stdin="message") == expected
    assert await python(code, message) == ""


async def test_a_program_need_not_read_its_input() -> None:
    assert await python("print('done')", "x" * 1_000_000, stdin="message") == "done\n"


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("text", "[1,\n2]\n"),
        ("lines", ["[1,", "2]"]),
        ("json", [1, 2]),
        ("bytes", b"[1,\n2]\n"),
    ],
)
async def test_the_output_is_read_as_was_chosen(output: str, expected: Any) -> None:
    assert await python("print('[1,\\n2]')", output=output) == expected


async def test_it_runs_in_the_folder_of_the_document(tmp_path: Path) -> None:
    (tmp_path / "hello.sh").write_text("#!/bin/sh\npwd\n")
    (tmp_path / "hello.sh").chmod(0o700)
    assert await outputs(TYPE, 0, tmp_path, program="./hello.sh", output="lines") == [
        [str(tmp_path.resolve())]
    ]


async def test_the_environment_holds_what_is_needed_and_what_was_chosen(
    monkeypatch,
) -> None:
    monkeypatch.setenv("SHOP_KEY", "very-secret")
    monkeypatch.setenv("SHOP_NAME", "shop")
    code = "import os; print([os.environ.get(one) for one in ('SHOP_KEY', 'SHOP_NAME')], 'PATH' in os.environ, end='')"
    assert await python(code, variables=["SHOP_NAME"]) == "[None, 'shop'] True"
    with pytest.raises(NodeError, match="variable SHOP_GONE is not set"):
        await python(code, variables=["SHOP_GONE"])
    with pytest.raises(NodeError, match=r"exit code 1: \*\*\*") as caught:
        await python(
            "import os, sys; sys.exit(os.environ['SHOP_KEY'])", variables=["SHOP_KEY"]
        )
    assert "secret" not in str(caught.value)


async def test_an_exit_code_is_an_error_unless_it_is_expected() -> None:
    code = "import sys; print('out', end=''); sys.exit('why')"
    with pytest.raises(NodeError, match="ended with exit code 1: why"):
        await python(code)
    assert await python(code, exit_codes=["0", "1"]) == "out"
    assert await python(code, exit_codes=["any"], whole_result=True) == {
        "exit_code": 1,
        "output": "out",
        "errors": "why\n",
    }
    with pytest.raises(NodeError, match="was ended by SIGTERM"):
        await python("import os, signal; os.kill(os.getpid(), signal.SIGTERM)")


@pytest.mark.parametrize(
    ("program", "params", "words"),
    [
        (
            "no-such-program",
            {},
            r"cannot be started: No such file or directory \(no-such-program\)",
        ),
        ("echo", {"arguments": ["\0"]}, "cannot be started: embedded null byte"),
        ("echo", {"arguments": ["{message.gone}"]}, "has no 'gone'"),
        ("echo", {"output": "json"}, "did not write JSON"),
        (
            "sleep",
            {"arguments": ["1000"], "timeout": 0.05},
            r"did not end within 0\.05 s",
        ),
        ("yes", {"max_bytes": 1000}, "wrote more than 1000 bytes"),
    ],
)
async def test_what_goes_wrong_is_said(
    program: str,
    params: dict[str, Any],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Because where a folder of the PATH may not be read, the system says that instead.
    monkeypatch.setenv("PATH", os.defpath)
    with pytest.raises(NodeError, match=f"Node 'it': .*{words}"):
        await outputs(TYPE, 0, program=program, **params)


CALLS_BACK = """
import signal, socket, subprocess, sys
if len(sys.argv) > 2:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the child inherits that
line = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
line.sendall(b"here")
subprocess.run(["sleep", "1000"], pass_fds=[line.fileno()])
"""


async def cancelled_while_it_runs(
    start: Callable[[int], Coroutine[Any, Any, Any]],
) -> None:
    """Start it with the port where it has to call back; cancel it then; wait until
    nobody holds the line any more.
    """
    lines: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = (
        asyncio.Queue()
    )
    server = await asyncio.start_server(
        lambda *line: lines.put_nowait(line), "127.0.0.1", 0
    )
    async with server, asyncio.TaskGroup() as group:
        task = group.create_task(start(server.sockets[0].getsockname()[1]))
        reader, writer = await lines.get()
        assert await reader.readexactly(4) == b"here"
        task.cancel()
        assert await reader.read() == b""
        writer.close()
    assert task.cancelled()


async def test_stop_ends_the_program_and_all_that_it_started() -> None:
    workflow = one_node(
        TYPE, program=sys.executable, arguments=["-c", CALLS_BACK, "{message}"]
    )
    await cancelled_while_it_runs(workflow.run)


async def test_a_program_that_does_not_want_to_end_is_ended() -> None:
    def start(port: int) -> Coroutine[Any, Any, Any]:
        return run(
            Command(
                [sys.executable, "-c", CALLS_BACK, str(port), "stubborn"],
                Path(),
                {},
                b"",
            ),
            60,
            1000,
            0.01,
        )

    await cancelled_while_it_runs(start)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"program": ""}, "Program"),
        ({"program": "x", "arguments": ["{x}"]}, "begins with 'message'"),
        ({"program": "x", "exit_codes": ["no"]}, "right form"),
        ({"program": "x", "variables": ["A B"]}, "right form"),
    ],
)
def test_check_refuses_what_is_malformed(params: dict[str, Any], words: str) -> None:
    (problem,) = problems(TYPE, **params)
    assert words in problem.message
    with pytest.raises(DefinitionError):
        one_node(TYPE, **params)


async def test_lines_are_cut_where_editors_cut_them() -> None:
    assert await python(r"print('a\x0bb\u2028c\r\nd\n')", output="lines") == [
        "a\x0bb\u2028c",
        "d",
        "",
    ]


async def test_json_without_an_end_is_an_error_of_the_node() -> None:
    with pytest.raises(NodeError, match=r"did not write JSON .*nested too deeply"):
        await python("print('[' * 100_000)", output="json")


async def test_what_a_program_leaves_in_the_background_is_told_from_a_program_that_takes_long() -> (
    None
):
    held = {"program": "sleep 1000 & echo hi", "shell": True, "timeout": 0.3}
    with pytest.raises(
        NodeError,
        match=r"ended, but what it has started held its output open for 0\.3 s",
    ):
        await outputs(TYPE, 0, **held)
    elsewhere = {"program": "sleep 1000 >/dev/null 2>&1 & echo hi", "shell": True}
    assert await outputs(TYPE, 0, **elsewhere) == ["hi\n"]
