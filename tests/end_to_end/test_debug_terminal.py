"""`stepwell debug --terminal`: a real process with the lines of a user."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import runtime
from runtime.debug import listen
from tests.runtime.command_line import Stepwell

pytestmark = pytest.mark.slow
CODE = """
import asyncio
from runtime import WorkflowBuilder, WorkflowContext, executor

@executor(id="again")
async def again(number: int, context: WorkflowContext[int, int]) -> None:
    if number == 1:
        print("it moves", flush=True)
    await asyncio.sleep(0.001)
    await context.send_message(number + 1)

builder = WorkflowBuilder(start_executor=again, name="endless", max_iterations=10**9)
workflow = builder.add_edge(again, again).build()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STEPWELL_RUN_DIR", str(tmp_path / "run"))
    (tmp_path / "endless.py").write_text(CODE)
    return tmp_path


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "designer.cli.commands", "debug", *words]


def environment() -> dict[str, str]:
    root = str(Path(runtime.__file__).parents[1])
    return {**os.environ, "PYTHONPATH": root, "PYTHONUNBUFFERED": "1"}


def test_a_script_of_commands_leaves_a_transcript(folder: Path) -> None:
    lines = ["step 2", "state", "nonsense", "back", "timeline", "quit"]
    done = subprocess.run(
        command("endless:workflow", "--input", "1", "--terminal"),
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=environment(),
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "■ at its input · main\n(s0) step 2\n" in done.stdout
    assert "it moves" in done.stdout
    assert "✗ There is no command 'nonsense'" in done.stdout
    assert "□ s1 of main, looking at" in done.stdout


def test_ctrl_c_pauses_a_run_that_moves(folder: Path) -> None:
    process = subprocess.Popen(
        command("endless:workflow", "--input", "1", "--terminal"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=environment(),
    )
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("continue\n")
        process.stdin.flush()
        while "it moves" not in process.stdout.readline():
            pass
        process.send_signal(signal.SIGINT)
        while "paused after superstep" not in process.stdout.readline():
            pass
        process.stdin.write("quit\n")
        process.stdin.flush()
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.communicate()


def test_ctrl_c_ends_the_command_while_code_is_loaded(folder: Path) -> None:
    """As a terminal does, the signal goes to every process of the group."""
    loading = "import time\nprint('it loads', flush=True)\ntime.sleep(1000)\n"
    (folder / "loading.py").write_text(loading)
    process = subprocess.Popen(
        command("loading:workflow", "--terminal"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=environment(),
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        while "it loads" not in process.stdout.readline():
            pass
        os.killpg(process.pid, signal.SIGINT)
        said = process.communicate(timeout=30)[1]
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 130
    assert said == "error: Stopped by Ctrl+C.\n"


def test_code_that_cannot_be_loaded_is_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    said = Stepwell(capsys)("debug", "missing:workflow", "--terminal")
    assert said.code == 1
    assert "Module 'missing' cannot be imported" in said.err


def test_a_terminal_attaches_with_the_token_that_is_listed(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with listen(address="127.0.0.1:0") as listener:
        done = subprocess.run(
            command("--attach", listener.address, "--terminal"),
            input="where\nquit\n",
            capture_output=True,
            text=True,
            check=False,
            env=environment(),
            timeout=60,
        )
    assert done.returncode == 0, done.stderr
    assert "No run is under way" in done.stderr


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "Give MODULE:NAME, or --attach ADDRESS"),
        (["a:b", "--attach", "127.0.0.1:1"], "Give MODULE:NAME, or --attach"),
        (["--attach", "example.org:80"], "is not this machine"),
        (["--attach", "127.0.0.1:1", "--input", "1"], "has its own input"),
        (["--attach", "127.0.0.1:1", "--terminal"], "No program answers at"),
    ],
)
def test_words_that_lead_nowhere_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], reason: str
) -> None:
    said = Stepwell(capsys)("debug", *words)
    assert said.code == 2
    assert reason in said.err
