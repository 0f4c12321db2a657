"""`stepwell resume` from the past: nothing outside is repeated unasked, and the report says
what was.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.recorded_forks import forked
from tests.runtime.command_line import OUTPUT, Stepwell, edge, template, write

COUNT = {
    "id": "count",
    "type": "shell_command",
    "params": {"program": "echo x >> count.txt; wc -l < count.txt", "shell": True},
}


@pytest.fixture
def stepwell(capsys: pytest.CaptureFixture[str]) -> Stepwell:
    return Stepwell(capsys)


@pytest.fixture(autouse=True)
def _own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


def counting(folder: Path, text: str = "{message}!") -> Path:
    """Make a text, count by a command, and put the count out."""
    return write(
        folder,
        "counting",
        [template("start", text), COUNT, OUTPUT],
        [edge("start", "count"), edge("count", "result")],
    )


def counted() -> int:
    return len(Path("count.txt").read_text().splitlines())


@pytest.fixture
def first(stepwell: Stepwell, tmp_path: Path) -> str:
    """The first checkpoint of a run that has counted once."""
    assert stepwell("run", counting(tmp_path), "--store", "s.db").code == 0
    return str(stepwell("timeline", "s.db", "--json").json[0]["id"])


def test_an_older_checkpoint_goes_on_with_what_was_recorded(
    stepwell: Stepwell, first: str
) -> None:
    said = stepwell("resume", "s.db", "--checkpoint", first)
    assert (said.code, said.out) == (0, "1\n")
    assert "outside: 1 recorded" in said.err
    assert counted() == 1


@pytest.mark.parametrize("name", ["count", "all"])
def test_what_is_named_live_is_called(
    stepwell: Stepwell, first: str, name: str
) -> None:
    said = stepwell("resume", "s.db", "--checkpoint", first, "--live", name)
    assert (said.code, said.out) == (0, "2\n")
    assert "outside: 1 live: command echo" in said.err
    assert counted() == 2


def test_another_message_ends_with_the_option_that_lets_it_run(
    stepwell: Stepwell, first: str, tmp_path: Path
) -> None:
    file = counting(tmp_path, "{message}?")
    words = ("resume", "s.db", "--checkpoint", first, "--file", file)
    said = stepwell(*words)
    assert said.code == 1
    assert "its message is another one" in said.err
    [line] = [line for line in said.err.splitlines() if "To let it run: " in line]
    again = shlex.split(line.partition(": stepwell ")[2])
    assert again[-2:] == ["--live", "count"]
    assert counted() == 1
    assert stepwell(*again).out == "2\n"


def test_a_patch_says_which_recorded_results_no_longer_fit(
    stepwell: Stepwell, first: str
) -> None:
    change = {
        "id": "c1",
        "do": "set",
        "section": "queue",
        "spot": {"place": 0},
        "value": "other",
    }
    Path("patch.json").write_text(json.dumps({"changes": [change]}))
    second = stepwell("timeline", "s.db", "--json").json[1]["id"]
    said = stepwell("patch", "s.db", second, "patch.json")
    assert "count (command echo): " in said.out
    assert "To let it run: --live count" in said.err


def test_a_pinned_result_is_read_from_a_file(stepwell: Stepwell, first: str) -> None:
    Path("pin.json").write_text(json.dumps({"sent": ["seven"]}))
    said = stepwell(
        "resume", "s.db", "--checkpoint", first, "--pin", "count=pin.json", "--json"
    )
    assert said.json["outputs"][-1]["data"] == "seven"
    assert said.json["outside"] == {
        "words": "1 pinned",
        "calls": [{"mode": "pinned", "what": "command echo", "calls": 1}],
    }
    assert counted() == 1


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--live", "start"), "'start' is no executor that reaches outside"),
        (("--pin", "count"), "NAME=FILE"),
        (("--pin", "count=none.json"), "cannot be read"),
        (("--pin", "count=wrong.json"), "is no result at sent"),
        (("--pin", "count=patch.json"), "is no result: it has 'changes'"),
        (("--pin", "count=a.json", "--pin", "count=a.json"), "Give one for each"),
        (("--pin", "count=a.json", "--live", "count"), "both live and pinned"),
    ],
)
def test_options_without_a_meaning_are_refused_before_anything_runs(
    stepwell: Stepwell, first: str, options: tuple[str, ...], text: str
) -> None:
    Path("wrong.json").write_text('{"sent": 3}')
    Path("a.json").write_text('{"sent": [3]}')
    Path("patch.json").write_text('{"changes": []}')
    said = stepwell("resume", "s.db", "--checkpoint", first, *options)
    assert said.code == 2
    assert text in " ".join(said.err.split())
    assert len(stepwell("timeline", "s.db", "--json").json) == 4


def test_the_calls_of_a_checkpoint_are_shown(stepwell: Stepwell, first: str) -> None:
    headers = stepwell("timeline", "s.db", "--json").json
    third = headers[2]["id"]
    said = stepwell("show", "s.db", third, "--section", "calls")
    assert "count · command echo" in said.out
    (call,) = stepwell("show", "s.db", third, "--section", "calls", "--json").json
    assert (call["executor"], call["sent"]) == ("count", ["1\n"])
    assert "none" in stepwell("show", "s.db", first, "--section", "calls").out


async def test_a_few_forks_of_forks_ask_no_server_again(tmp_path: Path) -> None:
    assert "2 requests and 1 command" in await forked(5, tmp_path)
