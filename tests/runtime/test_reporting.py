"""What people read: timelines, joins, questions, problems, progress. And what machines
get of joins and secrets.
"""

from __future__ import annotations

import io
import itertools
import json
import re
import shlex
from dataclasses import replace

import pytest
from rich.console import Console

from runtime.checkpoint import Cause, Checkpoint, CheckpointHeader
from runtime.checkpoints.archive import Archive
from runtime.cli import json_values, report
from runtime.cli.progress import Progress
from runtime.cli.timeline import print_timeline
from runtime.debug.compare.checkpoints import compare
from runtime.document.problem import Problem
from runtime.events import RunEvent, RunEventKind
from runtime.state import ExecutorRecord, Invocation, RunState, Trace
from runtime.stores.memory import MemoryStore

HEADER = CheckpointHeader(
    "a" * 20, "run" * 8, "audit", 0, Cause.INPUT, time=1.0, queued=1
)


@pytest.fixture
def narrow(monkeypatch):
    monkeypatch.setattr(report.out, "width", 80)
    monkeypatch.setattr(report.err, "width", 80)


def test_a_fork_hangs_on_the_checkpoint_that_it_came_from(capsys) -> None:
    second = replace(
        HEADER,
        id="b" * 20,
        parent=HEADER.id,
        superstep=1,
        cause=Cause.SUPERSTEP,
        buffered=2,
    )
    fork = replace(
        second, id="c" * 20, parent=second.id, branch="what if", cause=Cause.FORK
    )
    last = replace(
        second,
        id="d" * 20,
        parent=second.id,
        superstep=2,
        buffered=0,
        queued=0,
        status="IDLE",
    )
    print_timeline([HEADER, second, fork, last])
    lines = [
        re.split(r" +\w{8}  ", line)[0]
        for line in capsys.readouterr().out.splitlines()[1:]
    ]
    assert lines == [
        "└── main",
        "    ├── ▼ s0",
        "    ├── ● s1",
        "    │   └── what if  fork of s1 bbbbbbbb",
        "    │       └── ◎ s1",
        "    └── ● s2",
    ]


def test_lines_are_drawn_by_their_parents_whatever_the_branches_are_called(
    capsys,
) -> None:
    """Two who went on from one checkpoint are two lines, also where both say that they
    are the same branch.
    """

    def header(
        id: str, parent: str, superstep: int, branch: str = "main"
    ) -> CheckpointHeader:
        return replace(
            HEADER,
            id=id * 20,
            parent=parent * 20,
            superstep=superstep,
            cause=Cause.SUPERSTEP,
            branch=branch,
        )

    two = [
        header("b", "a", 1),
        header("c", "a", 1),
        header("d", "b", 2),
        header("e", "c", 2),
        header("f", "z", 3, "x"),
    ]
    print_timeline([HEADER, *two])
    title, *rest = capsys.readouterr().out.splitlines()
    assert title.endswith("6 checkpoints, 3 branches")
    assert [re.split(r"  (superstep|input)", line)[0] for line in rest] == [
        "├── main",
        "│   ├── ▼ s0   aaaaaaaa",
        "│   │   └── main  fork of s0 aaaaaaaa",
        "│   │       ├── ● s1   cccccccc",
        "│   │       └── ● s2   eeeeeeee",
        "│   ├── ● s1   bbbbbbbb",
        "│   └── ● s2   dddddddd",
        "└── x",
        "    ├── ┊ removed",
        "    └── ● s3   ffffffff",
    ]


def test_case_94_a_line_goes_on_over_a_gap_and_marks_it(capsys) -> None:
    """The first of the run, one in the middle of main, and one in the middle of the
    fork are removed.
    """

    def header(
        id: str, parent: str, superstep: int, branch: str = "main"
    ) -> CheckpointHeader:
        return replace(
            HEADER, id=id * 20, parent=parent * 20, superstep=superstep, branch=branch
        )

    fork = [header("f", "b", 1, "fork"), header("h", "g", 3, "fork")]
    print_timeline(
        [header("b", "a", 1), header("d", "c", 3), *fork, header("e", "d", 4)]
    )
    title, *rest = capsys.readouterr().out.splitlines()
    assert title.endswith("5 checkpoints, 2 branches")
    assert [re.split(r"  input", line)[0] for line in rest] == [
        "└── main",
        "    ├── ┊ removed",
        "    ├── ▼ s1   bbbbbbbb",
        "    │   └── fork  fork of s1 bbbbbbbb",
        "    │       ├── ▼ s1   ffffffff",
        "    │       ├── ┊ removed",
        "    │       └── ▼ s3   hhhhhhhh",
        "    ├── ┊ removed",
        "    ├── ▼ s3   dddddddd",
        "    └── ▼ s4   eeeeeeee",
    ]


def test_that_values_are_cut_is_said_once(capsys, narrow) -> None:
    report.print_sections(
        HEADER, {"state": {"a": "x" * 99, "b": "y" * 99, "c": "…"}}, "s.db"
    )
    report.print_sections(HEADER, {"state": {"c": "short…"}}, "s.db")
    assert (
        capsys.readouterr().err
        == "Values that end in … are cut; --json shows them whole.\n"
    )
    change = {
        "section": "state",
        "path": "['a']",
        "kind": "changed",
        "old": "x" * 99,
        "new": "y",
    }
    report.print_changes(HEADER, HEADER, [change])
    assert (
        capsys.readouterr().err
        == "Values that end in … are cut; --json shows them whole.\n"
    )


def test_a_checkpoint_says_what_waits_in_it() -> None:
    header = replace(
        HEADER,
        queued=2,
        buffered=1,
        requests=2,
        stalled=0,
        tags=("before",),
        note="look",
        damaged="",
    )
    line = report.checkpoint_line(header).plain
    assert line.endswith(
        "input  2 queued  1 held by joins  2 open questions  before  look"
    )


def request(**more) -> dict:
    schema = {
        "type": "object",
        "properties": {"verdict": {"enum": ["yes", "no"]}},
        "required": ["verdict"],
    }
    return {
        "id": "it's:1:0",
        "executor": "it's",
        "superstep": 1,
        "question": {"text": "Ship?"},
        "schema": schema,
        **more,
    }


def test_a_question_tells_how_to_answer_it_in_a_command_that_a_shell_takes(
    capsys,
) -> None:
    report.print_question(request(), "sqlite:my runs.db", "c" * 20)
    err = capsys.readouterr().err
    assert "? Ship?" in err
    assert "verdict: yes or no" in err
    command = err.splitlines()[-1].partition("answer: ")[2]
    words = shlex.split(command)
    assert words[:5] == [
        "stepwell",
        "resume",
        "sqlite:my runs.db",
        "--checkpoint",
        "c" * 8,
    ]
    assert json.loads(words[-1].removeprefix("it's:1:0=")) == {"verdict": "yes"}


def test_a_long_question_is_wrapped_under_its_indent(capsys, narrow) -> None:
    report.print_question(request(question={"text": "word " * 40}), "memory:")
    lines = capsys.readouterr().err.splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert all(line.startswith("    word") for line in lines[1:3])


def outcome(**more) -> dict:
    found = {
        "run_id": "r",
        "branch": "main",
        "status": "IDLE",
        "checkpoint": "c" * 20,
        "superstep": 3,
    }
    nothing = {
        "outputs": [],
        "dropped": [],
        "requests": [],
        "joins": [],
        "unreadable": [],
        "error": None,
        "taken_back": [],
    }
    return {**found, **nothing, **more}


def test_outputs_are_written_as_they_are(capsys) -> None:
    texts = ["one\ttab [bold]", "two\n", {"three": [3]}]
    report.print_outcome(
        outcome(outputs=[{"data": text} for text in texts]), "memory:", is_newest=True
    )
    assert (
        capsys.readouterr().out
        == 'one\ttab [bold]\ntwo\n{\n  "three": [\n    3\n  ]\n}\n'
    )


def test_a_run_in_memory_that_waits_says_how_to_keep_it(capsys) -> None:
    report.print_outcome(outcome(requests=[request()]), "memory:", is_newest=True)
    err = capsys.readouterr().err
    assert "--store sqlite:FILE" in err
    assert "--answer" not in err


def test_problems_have_place_remedy_and_rule(capsys) -> None:
    found = Problem(
        severity="error",
        rule="r",
        message="It is wrong.",
        location="node",
        part="params.path",
        remedy="Mend.",
    )
    report.print_problems([found], report.out)
    assert (
        capsys.readouterr().out
        == "error node params.path: It is wrong.\n    Mend.  [r]\n"
    )


def test_secrets_are_masked_in_every_form() -> None:
    def checkpoint(value: str) -> Checkpoint:
        return Checkpoint(
            HEADER,
            RunState(
                shared={"api_key": value, "open": {"password": value}, "plain": value}
            ),
        )

    found = [
        json_values.change_json(change)
        for change in compare(checkpoint("old"), checkpoint("new"))
    ]
    assert [(change["path"], "old" in str(change["old"])) for change in found] == [
        ("['api_key']", False),
        ("['open']['password']", False),
        ("['plain']", True),
    ]


async def test_sections_mask_secrets_and_a_checkpoint_without_joins_has_none() -> None:
    archive = Archive(MemoryStore())
    seen = Checkpoint(HEADER, RunState(shared={"api_key": "hush", "n": 1}))
    found = await json_values.sections(archive, seen)
    assert "hush" not in json.dumps(found)
    assert (found["state"]["n"], found["joins"]) == (1, [])


# --- progress -----------------------------------------------------------------------------------------------------


def event(kind: RunEventKind, superstep: int, **data) -> RunEvent:
    return RunEvent(1, 0.0, kind, superstep, (), data)


def test_progress_tells_superstep_pace_and_who_runs_for_how_long() -> None:
    now = [0.0]
    progress = Progress(Console(file=io.StringIO()), clock=lambda: now[0])
    assert progress.line() == "starting"
    for superstep in (1, 2):
        progress.observe(event(RunEventKind.SUPERSTEP_STARTED, superstep))
        progress.observe(event(RunEventKind.SUPERSTEP_ENDED, superstep))
    progress.observe(event(RunEventKind.SUPERSTEP_STARTED, 3))
    for who in "abcdef":
        progress.observe(event(RunEventKind.HANDLER_STARTED, 3, executor=who))
    now[0] = 4.0
    progress.observe(event(RunEventKind.HANDLER_ENDED, 3, executor="a"))
    assert (
        progress.line()
        == "superstep 3 · 0.5 per second · b 4 s, c 4 s, d 4 s, e 4 s, 1 more"
    )


def test_progress_says_which_attempt_runs_and_a_failure_that_is_taken_is_none_of_the_superstep() -> (
    None
):
    progress = Progress(Console(file=io.StringIO()))
    progress.observe(event(RunEventKind.SUPERSTEP_STARTED, 1))
    progress.observe(
        event(RunEventKind.HANDLER_STARTED, 1, executor="a", attempt=2, attempts=3)
    )
    assert progress.line() == "superstep 1 · a (attempt 2 of 3)"
    progress.observe(event(RunEventKind.HANDLER_FAILED, 1, executor="a", taken=True))
    assert (progress.line(), progress.failed) == ("superstep 1 · saving", None)
    progress.observe(
        event(
            RunEventKind.HANDLER_FAILED,
            1,
            executor="b",
            error_type="ValueError",
            error="no",
        )
    )
    assert progress.failed == "b"


async def test_the_attempts_of_a_superstep_are_shown_with_its_executors(
    capsys, narrow
) -> None:
    calls = (
        Invocation("a", "go", ("s",), 1, 0.0, 0.5, attempt=1, error="ValueError: no"),
        Invocation("a", "go", ("s",), 1, 0.0, 0.25, attempt=2),
        Invocation("b", "go", ("s",), 1, 0.0, 0.25),
    )
    records = {"a": ExecutorRecord({}, 1, 1), "b": ExecutorRecord({}, 1, 1)}
    seen = Checkpoint(HEADER, RunState(1, executors=records), Trace(calls))
    found = await json_values.sections(Archive(MemoryStore()), seen, ["executors"])
    assert "attempts" not in found["executors"]["b"]
    assert [call["error"] for call in found["executors"]["a"]["attempts"]] == [
        "ValueError: no",
        None,
    ]
    report.print_sections(HEADER, found, "s.db")
    lines = capsys.readouterr().out.splitlines()
    assert "      ✗ attempt 1, 500 ms  ValueError: no" in lines
    assert "      ✓ attempt 2, 250 ms" in lines


def test_progress_has_the_newest_outputs_and_which_of_them_are_not_committed() -> None:
    progress = Progress(Console(file=io.StringIO()))
    ordinals = itertools.count(1)

    def put_out(superstep: int, value: object, *, output: bool = True) -> int:
        ordinal = next(ordinals)
        told = event(
            RunEventKind.YIELDED,
            superstep,
            executor="a",
            value=value,
            ordinal=ordinal,
            output=output,
        )
        progress.observe(told)
        return ordinal

    progress.observe(event(RunEventKind.SUPERSTEP_STARTED, 1))
    put_out(1, "first\nof all")
    put_out(1, "on the way", output=False)
    assert progress.outputs() == [
        "a (not committed yet): first of all",
        "a …: on the way",
    ]
    progress.observe(event(RunEventKind.SUPERSTEP_ENDED, 1))
    progress.observe(event(RunEventKind.SUPERSTEP_STARTED, 2))
    progress.observe(
        event(RunEventKind.TOLD, 2, executor="b", type="data", text="x" * 500 + "end")
    )
    ordinal = put_out(2, {"n": 1})
    rows = progress.outputs()
    assert rows[0] == "a (superstep 1): first of all"
    assert rows[1].startswith("b …: xxx")
    assert rows[1].endswith("end")
    assert rows[2] == "a (not committed yet): dict 1 item"
    progress.observe(
        event(RunEventKind.WITHDRAWN, 2, executor="a", value={"n": 1}, ordinal=ordinal)
    )
    assert progress.outputs()[2] == "a (taken back): dict 1 item"
    assert progress.taken_back == [("a", {"n": 1})]


def test_progress_is_silent_where_there_is_no_terminal_and_leaves_nothing_behind_where_there_is_one() -> (
    None
):
    piped = io.StringIO()
    with Progress(Console(file=piped)).displayed():
        pass
    assert piped.getvalue() == ""
    terminal = io.StringIO()
    with Progress(Console(file=terminal, force_terminal=True, width=80)).displayed():
        pass
    assert "starting" in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[2K")


def test_a_value_with_half_a_surrogate_pair_or_a_large_integer_is_printed_as_json() -> (
    None
):
    stream = io.StringIO()
    report.print_json({"\ud800": [10**30, "\udfff"]}, stream)
    assert json.loads(stream.getvalue()) == {"\ud800": [10**30, "\udfff"]}
