"""The commands: exit codes, one JSON value for every outcome, answers, and that looking
changes nothing.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from resources import examples
from runtime import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    handler,
    response_handler,
)
from runtime.checkpoint import CheckpointStore
from runtime.checkpoints.archive import Archive
from runtime.cli import command_line, json_values
from runtime.cli.exit_codes import ExitCode
from runtime.cli.timeline import print_timeline
from runtime.document.files import read_file
from runtime.engine.runner import Runner
from runtime.stores import open_store
from tests.documents import build
from tests.runtime.command_line import (
    OUTPUT,
    Stepwell,
    ask,
    asking,
    edge,
    failing,
    finishing,
    function,
    stalling,
    template,
    write,
)
from tests.runtime.graphs import uneven_join

AUDIT = next(example.path for example in examples() if example.name == "licence_audit")
YES = '{"verdict":"yes"}'


@pytest.fixture
def stepwell(capsys: pytest.CaptureFixture[str]) -> Stepwell:
    return Stepwell(capsys)


@pytest.fixture(autouse=True)
def _own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


# --- exit codes and outcomes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "code", "status"),
    [
        (finishing, 0, "IDLE"),
        (failing, 1, "FAILED"),
        (asking, 3, "IDLE_WITH_PENDING_REQUESTS"),
        (stalling, 4, "IDLE_WITH_STALLED_JOINS"),
    ],
)
def test_run_and_resume_tell_the_outcome_by_code_and_as_one_json_value(
    stepwell, tmp_path, make, code, status
) -> None:
    for said in (
        stepwell("run", make(tmp_path), "--store", "s.db", "--json"),
        stepwell("resume", "s.db", "--json"),
    ):
        assert said.code == said.json["exit_code"] == code
        assert said.json["status"] == status
        assert said.err == ""


def test_a_result_in_a_pipe_is_the_result_and_nothing_else(stepwell, tmp_path) -> None:
    said = stepwell("run", finishing(tmp_path))
    assert said.out == "x!\n"
    assert "finished after superstep 2" in said.err


def test_what_the_workflow_prints_is_not_taken_for_a_result(tmp_path, capfd) -> None:
    document = write(
        tmp_path, "loud", [function("start", "loud"), OUTPUT], [edge("start", "result")]
    )
    said = Stepwell(capfd)("run", document, "--json")
    assert said.json["outputs"] == [{"executor": "result", "data": "x"}]
    assert "printed" in said.err
    assert "from a child" in said.err


def test_a_failure_takes_back_what_its_superstep_had_put_out(
    stepwell, tmp_path
) -> None:
    nodes = [template("start"), OUTPUT, function("breaks", "boom")]
    document = write(
        tmp_path, "partly", nodes, [edge("start", "result"), edge("start", "breaks")]
    )
    said = stepwell("run", document, "--store", "s.db")
    assert said.out == ""
    assert "taken back: output of result in superstep 2: x" in said.err
    again = stepwell("resume", "s.db", "--json")
    assert (again.json["outputs"], again.json["taken_back"]) == (
        [],
        [{"executor": "result", "data": "x"}],
    )
    assert stepwell("run", finishing(tmp_path), "--json").json["taken_back"] == []


def test_a_failure_names_executor_superstep_place_and_remedy(
    stepwell, tmp_path
) -> None:
    said = stepwell("run", failing(tmp_path), "--store", "s.db")
    assert said.code == 1
    for words in (
        "ValueError: the flux is out of range",
        "executor breaks in superstep 2",
        "code_of_test.py:7 in boom",
    ):
        assert words in said.err
    assert "stepwell resume sqlite:s.db" in said.err
    error = stepwell("resume", "s.db", "--json").json["error"]
    assert (error["executor"], error["superstep"], error["type"]) == (
        "breaks",
        2,
        "ValueError",
    )


def test_a_condition_that_fails_of_a_failure_is_told_with_that_failure_and_not_as_its_executor_s(
    stepwell, tmp_path
) -> None:
    asking = {
        "id": "err",
        "kind": "on_error",
        "source": "breaks",
        "target": "result",
        "condition": "message.gone == 1",
    }
    document = write(tmp_path, "asked", [function("breaks", "boom"), OUTPUT], [asking])
    said = stepwell("run", document)
    assert "ConditionError: Condition 'message.gone == 1' failed" in said.err
    assert "in the condition of error edge 'err'" in said.err
    assert (
        "after executor 'breaks' had failed: ValueError: the flux is out of range"
        in said.err
    )
    assert "raised by executor" not in said.err
    assert stepwell("run", document, "--json").json["error"]["executor"] is None


def test_a_stalled_join_is_named_with_whom_it_waits_for_and_why(
    stepwell, tmp_path
) -> None:
    said = stepwell("run", stalling(tmp_path))
    assert "join into meet  1 of 2, waits for right, for ever" in said.err
    assert "branch not taken" in said.err


def test_the_limit_is_told_with_how_to_go_on_and_a_higher_one_goes_on(
    stepwell, tmp_path
) -> None:
    said = stepwell(
        "run", finishing(tmp_path), "--store", "s.db", "--max-supersteps", 1
    )
    assert said.code == 1
    assert "stepwell resume sqlite:s.db --max-supersteps N" in said.err
    assert stepwell("resume", "s.db", "--max-supersteps", 2).out == "x!\n"


def test_the_input_may_be_given_and_one_that_does_not_fit_is_misuse(
    stepwell, tmp_path
) -> None:
    document = write(
        tmp_path,
        "n",
        [function("start", "number"), OUTPUT],
        [edge("start", "result")],
        input=1,
    )
    assert stepwell("run", document, "--input", "7").out == "7\n"
    said = stepwell("run", document, "--input", '"seven"', "--store", "other.db")
    assert said.code == 2
    assert "Expected input types: int" in said.err


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("0,7", "A number has a dot: 0.7"),
        ("12 apples", "extra data, line 1, column 4"),
        ("apples", 'A text stands in quotes: "apples"'),
        ("NaN", "NaN is not a JSON value"),
        ("1e999", "too large"),
        ('{"a": 1, "a": 2}', "'a' is twice"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_an_input_that_is_no_json_is_refused_by_name(
    stepwell, tmp_path, typed: str, words: str
) -> None:
    said = stepwell("run", finishing(tmp_path), "--input", typed, "--store", "memory:")
    assert (said.code, said.out) == (2, "")
    assert words in said.err


def test_an_input_keeps_every_digit(stepwell, tmp_path) -> None:
    said = stepwell(
        "run",
        finishing(tmp_path),
        "--input",
        "12345678901234567891234",
        "--store",
        "memory:",
    )
    assert said.out == "12345678901234567891234!\n"


# --- one JSON value for every outcome -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("run nowhere.json", 2),
        ("run .", 2),
        ("run broken.json", 1),
        ("run wrong.json", 1),
        ("run good.json --input {", 2),
        ("run good.json --nonsense", 2),
        ("run good.json --max-supersteps 0", 2),
        ("run good.json --store web:x", 2),
        ("run good.json --answer x", 2),
        ("nonsense", 2),
        ("show", 2),
        ("show nowhere.db latest", 2),
        ("show broken.json latest", 2),
        ("show s.db zzz", 2),
        ("show s.db latest --section nonsense", 2),
        ("diff s.db latest zzz", 2),
        ("timeline memory:", 2),
        ("timeline s.db --run zzz", 2),
        ("resume nowhere.db", 2),
        ("resume s.db --checkpoint zzz", 2),
        ("resume s.db --checkpoint=", 2),
        ("resume s.db --file nowhere.json", 2),
        ("resume other.stepwell.json --file good.json", 2),
        ("resume nowhere.stepwell.json", 2),
        ("timeline other.stepwell.json", 2),
        ("resume s.db --file wrong.json", 1),
        ("resume s.db --answer first:9:0=1", 2),
        ("check nowhere.json", 2),
    ],
)
def test_what_goes_wrong_is_one_sentence_and_with_json_one_value(
    stepwell, tmp_path, words, code
) -> None:
    Path("broken.json").write_text("{")
    Path("wrong.json").write_text('{"workflow": {"start": "nobody"}}')
    finishing(tmp_path).rename("good.json")
    finishing(tmp_path).rename("other.stepwell.json")
    stepwell("run", "good.json", "--store", "s.db")
    before = set(tmp_path.rglob("*"))
    said = stepwell(*words.split(), "--json")
    assert said.code == said.json["exit_code"] == code
    assert said.json["error"]["text"] in said.err
    assert said.err.startswith("error: ")
    said = stepwell(*words.split())
    assert (said.code, said.out) == (code, "")
    assert "Traceback" not in said.err
    assert set(tmp_path.rglob("*")) == before


def test_check_tells_of_a_file_that_cannot_be_read_as_of_any_other_problem(
    stepwell,
) -> None:
    Path("broken.json").write_text('{"format": 1,\n ]')
    said = stepwell("check", "broken.json", "--json")
    assert said.code == 1
    (problem,) = said.json
    assert (problem["severity"], problem["location"]) == ("error", "line 2, column 2")
    assert problem["remedy"]


def test_check_finds_problems_and_warnings_alone_are_no_failure(
    stepwell, tmp_path
) -> None:
    assert (
        stepwell("check", finishing(tmp_path)).out
        == "✓ finishing.stepwell.json: no problems\n"
    )
    said = stepwell("check", stalling(tmp_path), "--json")
    assert (said.code, {problem["severity"] for problem in said.json}) == (
        0,
        {"warning"},
    )


def test_nodes_are_listed(stepwell) -> None:
    said = stepwell("nodes", "--json")
    assert {"ask", "collect", "delay", "template"} <= {
        info["type"] for info in said.json
    }
    assert "delay" in stepwell("nodes").out


def test_a_folder_that_is_not_there_has_no_nodes_to_list(stepwell) -> None:
    said = stepwell("nodes", "nowhere")
    assert (said.code, said.out) == (2, "")
    assert "no folder or workflow file nowhere" in said.err


# --- answers ------------------------------------------------------------------------------------------------------


def test_an_answer_may_be_given_before_its_question_comes_up(
    stepwell, tmp_path
) -> None:
    answers = ("--answer", f"first:2:0={YES}", "--answer", f"second:4:0={YES}")
    said = stepwell("run", asking(tmp_path), "--store", "s.db", *answers, "--json")
    assert said.code == 0
    first = stepwell("timeline", "s.db", "--json").json[0]["id"]
    again = stepwell("resume", "s.db", "--checkpoint", first, *answers, "--json")
    assert again.code == 0
    assert again.json["outputs"] == said.json["outputs"]
    assert (said.json["branch"], again.json["branch"]) == ("main", "fork 1")


@pytest.mark.parametrize(
    "request_id",
    ["first:1:0", "nobody:4:0", "start:4:0", "any text", "first:2:0/x#1:3:0"],
    ids=lambda one: one,
)
def test_answers_that_nobody_can_ask_for_are_refused_before_anything_runs(
    stepwell, tmp_path, request_id
) -> None:
    stepwell("run", asking(tmp_path), "--store", "s.db")
    before = stepwell("timeline", "s.db").out
    said = stepwell(
        "resume",
        "s.db",
        "--answer",
        f"first:2:0={YES}",
        "--answer",
        f"{request_id}={YES}",
    )
    assert said.code == 2
    assert f"No question '{request_id}' can come up from here" in said.err
    assert "Open questions: first:2:0" in said.err
    assert stepwell("timeline", "s.db").out == before


def test_an_answer_whose_question_did_not_come_up_is_named_at_the_end_and_what_ran_is_kept(
    stepwell, tmp_path
) -> None:
    stepwell("run", asking(tmp_path), "--store", "s.db")
    answers = ("--answer", f"first:2:0={YES}", "--answer", f"second:7:0={YES}")
    said = stepwell("resume", "s.db", *answers, "--json")
    assert said.code == 2
    assert "'second:7:0' came up" in said.json["error"]["text"]
    assert [request["id"] for request in said.json["requests"]] == ["second:4:0"]
    assert stepwell("resume", "s.db", "--answer", f"second:4:0={YES}").code == 0


def test_an_answer_that_does_not_fit_changes_nothing_and_says_what_would(
    stepwell, tmp_path
) -> None:
    stepwell("run", asking(tmp_path), "--store", "s.db")
    before = stepwell("timeline", "s.db").out
    said = stepwell("resume", "s.db", "--answer", 'first:2:0={"verdict":"perhaps"}')
    assert said.code == 2
    assert "'perhaps' is not one of ['yes', 'no']" in said.err
    assert stepwell("timeline", "s.db").out == before


def test_a_later_answer_that_does_not_fit_leaves_its_question_open(
    stepwell, tmp_path
) -> None:
    answers = ("--answer", f"first:2:0={YES}", "--answer", "second:4:0=7")
    said = stepwell("run", asking(tmp_path), "--store", "s.db", *answers)
    assert said.code == 2
    assert "answer: stepwell resume sqlite:s.db --answer 'second:4:0=" in said.err
    assert said.err.splitlines()[-1].startswith(
        "error: Response type mismatch for request ID second:4:0: "
    )


def test_ids_and_answers_may_hold_the_sign_that_parts_them(stepwell, tmp_path) -> None:
    nodes = [{"id": "a=b", "type": "ask", "params": {"free_text": True}}, OUTPUT]
    document = write(tmp_path, "odd", nodes, [edge("a=b", "result")])
    said = stepwell("run", document, "--answer", 'a=b:1:0="1=1"', "--json")
    assert said.code == 0
    assert said.json["outputs"][0]["data"]["answer"] == "1=1"


def test_an_answer_does_not_hide_what_the_run_had_yielded_before(
    stepwell, tmp_path
) -> None:
    nodes = [template("start"), {"id": "early", "type": "output"}, ask("first"), OUTPUT]
    edges = [
        {
            "id": "both",
            "kind": "fan_out",
            "source": "start",
            "targets": ["early", "first"],
        },
        edge("first", "result"),
    ]
    stepwell("run", write(tmp_path, "early", nodes, edges), "--store", "s.db")
    said = stepwell("resume", "s.db", "--answer", f"first:2:0={YES}", "--json")
    assert [output["executor"] for output in said.json["outputs"]] == [
        "early",
        "result",
    ]


def test_a_run_that_is_not_the_newest_says_from_which_checkpoint_to_go_on(
    stepwell, tmp_path
) -> None:
    old = stepwell("run", asking(tmp_path), "--store", "s.db", "--json").json[
        "checkpoint"
    ]
    stepwell("run", asking(tmp_path), "--store", "s.db")
    said = stepwell("resume", "s.db", "--checkpoint", old)
    assert f"stepwell resume sqlite:s.db --checkpoint {old[:8]} --answer" in said.err
    assert (
        f"--checkpoint {old[:8]} --answer"
        in stepwell("show", "s.db", old, "--section", "requests").out
    )


# --- looking ------------------------------------------------------------------------------------------------------


def half_full(stepwell: Stepwell) -> str:
    return next(
        header["id"]
        for header in stepwell("timeline", "s.db", "--json").json
        if header["buffered"]
    )


def test_timeline_lists_headers(stepwell, tmp_path) -> None:
    stepwell("run", asking(tmp_path), "--store", "s.db")
    headers = stepwell("timeline", "s.db", "--json").json
    assert [(one["cause"], one["superstep"]) for one in headers] == [
        ("input", 0),
        ("superstep", 1),
        ("superstep", 2),
    ]
    assert [one["parent"] for one in headers] == [
        None,
        headers[0]["id"],
        headers[1]["id"],
    ]
    assert headers[-1]["branch"] == "main"
    assert {"queued", "buffered", "requests", "stalled"} <= headers[-1].keys()


def test_the_joins_of_a_checkpoint_say_what_they_hold_and_whom_they_wait_for(
    stepwell,
) -> None:
    lost_join = next(
        example.path for example in examples() if example.name == "lost_join"
    )
    stepwell("run", lost_join, "--store", "s.db")
    at = half_full(stepwell)
    (join,) = stepwell("show", "s.db", at, "--section", "joins", "--json").json
    assert join["target"] == "meet"
    assert [(one["id"], one["have"], one["need"]) for one in join["sources"]] == [
        ("short_way", 1, 1),
        ("long_way_2", 0, 1),
    ]
    assert join["missing"] == ["long_way_2"]
    assert join["messages"] == [
        {"source": "short_way", "data": "the message by the short way"}
    ]
    assert (
        "join into meet  1 of 2, waits for long_way_2"
        in stepwell("show", "s.db", at[:6]).out
    )
    assert (
        "silent since the join fired in superstep 4"
        in stepwell("show", "s.db", "latest").out
    )


def test_the_lesson_of_the_lost_join_is_exact(stepwell, tmp_path) -> None:
    """The commands of its README, one after the other, do what it says there."""
    folder = next(
        example.path for example in examples() if example.name == "lost_join"
    ).parent
    shutil.copy(folder / "lost_join.stepwell.json", tmp_path)
    commands = re.findall(r"`stepwell ([^`]+)`", (folder / "README.md").read_text())
    said = [stepwell(*command.split()) for command in commands]
    assert [one.code for one in said] == [1, 0, 0]  # the first stops at its limit
    assert "join into meet  1 of 2, waits for long_way_2" in said[1].out
    assert (
        said[2].out
        == "the message by the short way\nthe message by the long way, in two parts\n"
    )
    (state,) = [
        one
        for one in stepwell("timeline", "lost_join.stepwell.json", "--json").json
        if one["superstep"] == 3
    ]
    (sent,) = stepwell(
        "show",
        "lost_join.stepwell.json",
        state["id"],
        "--section",
        "messages",
        "--json",
    ).json
    assert sent["source"] == "long_way_2"


def test_show_and_diff_tell_everything_in_json(stepwell, tmp_path) -> None:
    stepwell("run", asking(tmp_path), "--store", "s.db")
    first = stepwell("timeline", "s.db", "--json").json[0]["id"]
    whole = stepwell("show", "s.db", "latest", "--json").json
    assert set(whole) == {
        "checkpoint",
        "state",
        "executors",
        "messages",
        "joins",
        "requests",
        "outputs",
    }
    assert whole["requests"][0]["id"] == "first:2:0"
    changes = stepwell("diff", "s.db", first, "latest", "--json").json
    assert ("requests", "added") in {
        (change["section"], change["kind"]) for change in changes
    }
    assert stepwell("diff", "s.db", first, first, "--json").json == []


def test_the_start_of_an_id_is_enough_and_an_ambiguous_one_is_refused(
    stepwell, tmp_path
) -> None:
    stepwell("run", asking(tmp_path), "--store", "s.db")
    ids = [header["id"] for header in stepwell("timeline", "s.db", "--json").json]
    assert (
        stepwell("show", "s.db", ids[0][:12], "--json").json["checkpoint"]["id"]
        == ids[0]
    )
    # of 17 ids two begin with the same digit
    while len(stepwell("timeline", "s.db", "--json").json) < 17:
        stepwell("run", asking(tmp_path), "--store", "s.db")
    ids = [header["id"] for header in stepwell("timeline", "s.db", "--json").json]
    digit = next(one[0] for one in ids if sum(other[0] == one[0] for other in ids) > 1)
    said = stepwell("show", "s.db", digit)
    assert said.code == 2
    assert "give more of the id" in said.err


def test_looking_makes_no_files_and_runs_no_code(stepwell, tmp_path) -> None:
    document = failing(tmp_path)
    stepwell("run", document, "--store", "s.db")
    (tmp_path / "code_of_test.py").write_text(
        "raise SystemExit('code of the workflow was run')"
    )
    before = set(tmp_path.rglob("*"))
    first = stepwell("timeline", "s.db", "--json").json[0]["id"]
    for words in (
        ["show", "s.db", "latest"],
        ["diff", "s.db", first, "latest"],
        ["check", document],
    ):
        assert stepwell(*words).code == 0
    assert set(tmp_path.rglob("*")) == before
    # the place of its own runs, of which there are none
    said = stepwell("timeline", document)
    assert (said.code, set(tmp_path.rglob("*"))) == (2, before)


def test_runs_beside_a_document_in_a_read_only_folder_are_looked_at_and_no_run_is_made(
    stepwell, tmp_path
) -> None:
    folder = tmp_path / "sealed"
    folder.mkdir()
    document = finishing(folder)
    made = stepwell("run", document, "--json").json["checkpoint"]
    (folder / ".stepwell").chmod(0o555)
    folder.chmod(0o555)
    try:
        assert made in [
            one["id"] for one in stepwell("timeline", document, "--json").json
        ]
        assert stepwell("show", document, made).code == 0
        for command in ("run", "resume"):
            said = stepwell(command, document)
            assert said.code == 2
            assert "folder is read-only" in said.err
    finally:
        folder.chmod(0o755)
        (folder / ".stepwell").chmod(0o755)


def test_the_runs_of_a_document_are_kept_beside_it_and_found_by_its_name(
    stepwell, tmp_path
) -> None:
    document = asking(tmp_path)
    said = stepwell("run", document)
    assert f"stepwell resume {document} --answer" in said.err
    assert (tmp_path / ".stepwell" / "runs.db").exists()
    assert len(stepwell("timeline", document, "--json").json) == 3
    assert stepwell("resume", document, "--answer", f"first:2:0={YES}").code == 3


# --- a workflow file as STORE -------------------------------------------------------------------------------------


def change(document: Path, old: str, new: str) -> None:
    text = document.read_text()
    assert text.count(old) == 1
    document.write_text(text.replace(old, new))


def test_what_was_mended_in_the_file_takes_effect_when_the_file_is_resumed(
    stepwell, tmp_path
) -> None:
    nodes = [
        template("start", "{message}!"),
        function("breaks", "boom"),
        template("last", "old {message}"),
        OUTPUT,
    ]
    edges = [edge("start", "breaks"), edge("breaks", "last"), edge("last", "result")]
    document = write(tmp_path, "m", nodes, edges)
    said = stepwell("run", document)
    assert said.code == 1
    assert f"Correct the cause, then: stepwell resume {document}\n" in said.err
    change(document, "code_of_test:boom", "code_of_test:loud")
    change(document, "old {message}", "new {message}")
    said = stepwell("resume", document)
    assert (said.code, said.out) == (0, "new x!\n")
    assert "as it was saved" not in said.err


def test_a_store_goes_on_with_what_was_saved_and_says_so_or_with_a_file_that_is_named(
    stepwell, tmp_path
) -> None:
    document = failing(tmp_path)
    said = stepwell("run", document, "--store", "s.db")
    assert (
        f"Correct the cause, then: stepwell resume sqlite:s.db --file {document}\n"
        in said.err
    )
    change(document, "code_of_test:boom", "code_of_test:loud")
    said = stepwell("resume", "s.db")
    assert said.code == 1
    assert said.err.startswith(
        "Continuing with the saved workflow. To use the file as it is now: stepwell resume sqlite:s.db --file"
    )
    assert stepwell("resume", "s.db", "--file", document).out == "x\n"


def test_a_file_whose_graph_no_longer_fits_is_refused_with_what_differs_and_what_to_do(
    stepwell, tmp_path
) -> None:
    document = asking(tmp_path)
    stepwell("run", document)
    before = stepwell("timeline", document).out
    change(
        document,
        '"type": "template", "params": {"text": "{message}"}',
        '"type": "input"',
    )
    change(document, "second-result", "renamed")
    said = stepwell("resume", document)
    assert said.code == 1
    for words in (
        'workflow.nodes[start].type: "template" is now "input"',
        "edges[second-result] is gone",
        f"stepwell resume sqlite:{tmp_path}/.stepwell/runs.db --checkpoint ",
        f"From the beginning: stepwell run {document}",
    ):
        assert words in said.err
    error = stepwell("resume", document, "--json").json["error"]
    assert error["type"] == "SignatureMismatchError"
    assert (
        'workflow.nodes[start].type: "template" is now "input"' in error["differences"]
    )
    assert stepwell("timeline", document).out == before


def test_a_file_that_cannot_run_is_not_gone_on_with(stepwell, tmp_path) -> None:
    document = failing(tmp_path)
    stepwell("run", document)
    change(document, '"type": "output"', '"type": "nonsense"')
    said = stepwell("resume", document, "--json")
    assert said.code == said.json["exit_code"] == 1
    assert [problem["location"] for problem in said.json["error"]["problems"]] == [
        "result"
    ]


def test_a_file_means_its_own_runs_and_not_those_of_its_neighbours(
    stepwell, tmp_path
) -> None:
    own = finishing(tmp_path)
    other = asking(tmp_path)
    third = failing(tmp_path)
    stepwell("run", own)
    stepwell("run", other)
    assert {
        header["workflow"] for header in stepwell("timeline", own, "--json").json
    } == {"finishing"}
    assert (
        stepwell("show", own, "latest", "--json").json["checkpoint"]["workflow"]
        == "finishing"
    )
    assert stepwell("resume", own).out == "x!\n"
    theirs = stepwell("timeline", other, "--json").json[-1]["id"]
    for words in (
        ["show", own, theirs],
        ["diff", own, theirs, "latest"],
        ["resume", own, "--checkpoint", theirs[:9]],
    ):
        said = stepwell(*words)
        assert said.code == 2
        assert (
            f"Checkpoint {theirs[:8]} is of the workflow 'asking', not of 'finishing'"
            in said.err
        )
    for words in (["timeline", third], ["resume", third], ["show", third, "latest"]):
        said = stepwell(*words)
        assert said.code == 2
        assert "No run of 'failing' is kept in" in said.err
        assert (
            "There are runs of 'asking', 'finishing': stepwell timeline sqlite:"
            in said.err
        )


# --- what was dropped, and what was put out -----------------------------------------------------------------------


def test_messages_that_were_dropped_are_named(stepwell, tmp_path) -> None:
    """For their type, for want of an edge, and where no way was taken; not where
    another way was.
    """
    nodes = [
        {"id": "start", "type": "input"},
        function("number", "number"),
        template("end"),
        template("way"),
        OUTPUT,
    ]
    edges = [
        edge("start", "number"),
        {**edge("start", "end"), "condition": "message == 'x'"},
        {**edge("start", "way"), "condition": "message == 'y'"},
        {**edge("way", "result"), "condition": "message == 'z'"},
    ]
    document = write(tmp_path, "m", nodes, edges)
    said = stepwell("run", document, "--store", "s.db", "--json")
    assert said.json["dropped"] == [
        {"source": "start", "target": "number", "edge": "start-number", "reason": "type mismatch", "count": 1,
         "superstep": 2},
        {"source": "end", "target": None, "edge": None, "reason": "no edge", "count": 1, "superstep": 3},
    ]  # fmt: skip
    said = stepwell("run", document, "--input", '"y"', "--store", "s.db")
    assert (
        "  dropped in superstep 2: 1 message from start → number, type mismatch, edge start-number\n"
        in said.err
    )
    assert (
        "  dropped in superstep 3: 1 message from way → result, condition false, edge way-result\n"
        in said.err
    )
    assert said.err.count("dropped") == 2
    assert (
        stepwell("resume", "s.db", "--json").json["dropped"][1]["reason"]
        == "condition false"
    )
    assert stepwell("run", asking(tmp_path), "--json").json["dropped"] == []


def test_show_tells_what_was_put_out_until_a_checkpoint(stepwell, tmp_path) -> None:
    nodes = [template("start"), {"id": "early", "type": "output"}, ask("first"), OUTPUT]
    edges = [
        {
            "id": "both",
            "kind": "fan_out",
            "source": "start",
            "targets": ["early", "first"],
        },
        edge("first", "result"),
    ]
    stepwell(
        "run",
        write(tmp_path, "early", nodes, edges),
        "--store",
        "s.db",
        "--answer",
        f"first:2:0={YES}",
    )
    ids = [header["id"] for header in stepwell("timeline", "s.db", "--json").json]
    counts = [
        len(stepwell("show", "s.db", one, "--section", "outputs", "--json").json)
        for one in ids
    ]
    assert counts == [0, 0, 1, 1, 1, 2]
    assert stepwell("show", "s.db", ids[2], "--json").json["outputs"] == [
        {"executor": "early", "data": "x"}
    ]
    assert "\noutputs\n  early: x\n" in stepwell("show", "s.db", ids[2]).out


def test_two_answers_differ_in_what_they_put_out(stepwell, tmp_path) -> None:
    stepwell("run", asking(tmp_path), "--store", "s.db")
    asked = stepwell("timeline", "s.db", "--json").json[-1]["id"]
    for answer in ("yes", "no"):
        stepwell(
            "resume",
            "s.db",
            "--checkpoint",
            asked,
            "--answer",
            f'first:2:0={{"verdict":"{answer}"}}',
        )
        stepwell("resume", "s.db", "--answer", f'second:4:0={{"verdict":"{answer}"}}')
    headers = stepwell("timeline", "s.db", "--json").json
    ends = [
        [one["id"] for one in headers if one["branch"] == branch][-1]
        for branch in ("main", "fork 1")
    ]
    changes = [
        one
        for one in stepwell("diff", "s.db", *ends, "--json").json
        if one["section"] == "outputs"
    ]
    assert [(one["kind"], one["path"]) for one in changes] == [
        ("removed", "result"),
        ("added", "result"),
    ]
    assert changes[0]["old"] != changes[1]["new"]


def test_two_branches_are_named_and_the_first_difference_is_shown(
    stepwell, tmp_path
) -> None:
    stepwell("run", asking(tmp_path), "--store", "s.db")
    asked = stepwell("timeline", "s.db", "--json").json[-1]
    for answer in ("yes", "no"):
        stepwell(
            "resume",
            "s.db",
            "--checkpoint",
            asked["id"],
            "--answer",
            f'first:2:0={{"verdict":"{answer}"}}',
        )
    before = (tmp_path / "s.db").read_bytes()
    value = stepwell("diff", "s.db", "main", "fork 1", "--first", "--json").json
    assert value["reason"]["kind"] == "answer"
    assert value["reason"]["outcomes"] == [
        {"words": "", "value": {"verdict": "yes"}},
        {"words": "", "value": {"verdict": "no"}},
    ]
    assert value["last_equal"][0]["id"] == asked["id"]
    run = asked["run_id"][:8]
    shown = stepwell("diff", "s.db", f"{run}/main", "fork 1", "--first").out
    assert "First difference: superstep 2" in shown
    assert 'A  {"verdict":"yes"}' in shown
    copy = tmp_path / "copy.db"
    copy.write_bytes(before)
    same = stepwell("diff", "s.db", run, "latest", "--first", "--other", "copy.db")
    assert "There is no difference between the runs." in same.out
    assert (tmp_path / "s.db").read_bytes() == before


def test_a_name_that_means_several_runs_is_refused(stepwell, tmp_path) -> None:
    for _ in range(2):
        stepwell("run", asking(tmp_path), "--store", "s.db")
    stepwell("diff", "s.db", "main", "latest", "--first")
    refused = stepwell("diff", "s.db", "nowhere", "latest", "--first")
    assert refused.code == 2
    assert "No checkpoint begins with 'nowhere'" in refused.err


async def _ask_in_python(store: CheckpointStore) -> str:
    workflow = WorkflowBuilder(
        start_executor=Gate("gate"), checkpoint_storage=store
    ).build()
    await workflow.run(7)
    await store.close()
    return workflow.get_last_checkpoint_id() or ""


class Gate(Executor):
    @handler
    async def ask(self, order: int, ctx: WorkflowContext) -> None:
        await ctx.request_info(f"Ship {order}?", bool)

    @response_handler
    async def take(self, question: str, yes: bool, ctx: WorkflowContext) -> None:
        pass


def test_a_question_of_a_workflow_in_python_is_answered_there(stepwell) -> None:
    asked = asyncio.run(_ask_in_python(open_store("sqlite:s.db")))
    shown = stepwell("show", "s.db", "latest").out
    assert (
        f"answer in Python: run(checkpoint_id='{asked}', responses={{'gate:1:0': True}})"
        in shown
    )
    assert "stepwell resume" not in shown


def test_a_damaged_record_on_the_way_hides_nothing_else(stepwell, tmp_path) -> None:
    stepwell("run", asking(tmp_path), "--store", "s.db")
    damaged = stepwell("timeline", "s.db", "--json").json[1]["id"]
    with sqlite3.connect("s.db") as db:
        db.execute("UPDATE checkpoint SET manifest = x'' WHERE id = ?", (damaged,))
    db.close()
    assert (
        f"checkpoint {damaged[:8]} was removed, or cannot be read"
        in stepwell("show", "s.db", "latest").out
    )
    said = stepwell("resume", "s.db", "--json")
    assert (said.code, said.json["unreadable"]) == (3, [damaged])


def test_messages_from_outside_are_called_what_they_are(stepwell, tmp_path) -> None:
    stepwell("run", asking(tmp_path), "--store", "s.db", "--answer", f"first:2:0={YES}")
    ids = [header["id"] for header in stepwell("timeline", "s.db", "--json").json]
    assert "\n  input → start: x\n" in stepwell("show", "s.db", ids[0]).out
    assert "\n  answer → first: " in stepwell("show", "s.db", ids[3]).out
    assert "- input → start: x" in stepwell("diff", "s.db", ids[0], ids[1]).out
    assert all("internal:" not in stepwell("show", "s.db", one).out for one in ids)


# --- packages of others -------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_broken_package_of_node_types_is_one_warning_and_no_command_ends_with_it(
    tmp_path,
) -> None:
    metadata = tmp_path / "broken-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n"
    )
    (metadata / "entry_points.txt").write_text(
        "[stepwell.nodes]\ngone = no_such_module:NODE\nodd = json:dumps\n"
    )
    finishing(tmp_path)
    environ = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), str(tmp_path)]),
    }
    for words in (
        "nodes",
        "check finishing.stepwell.json",
        "run finishing.stepwell.json",
        "resume .stepwell/runs.db",
    ):
        command = [
            sys.executable,
            "-m",
            "designer.cli.commands",
            *words.split(),
            "--json",
        ]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=True,
            env=environ,
            cwd=tmp_path,
        )
        json.loads(done.stdout)
        gone, odd = done.stderr.splitlines()
        assert gone.startswith(
            "warning: The node type 'gone' (no_such_module:NODE) of an installed package is left out"
        )
        assert "no NodeType" in odd


# --- workflows made in Python -------------------------------------------------------------------------------------


async def _run_in_python(url: str) -> None:
    store = open_store(url)
    await uneven_join().run("x", checkpoint_storage=store)
    await store.close()


def test_a_workflow_that_was_made_in_python_can_be_looked_at_and_is_resumed_there(
    stepwell,
) -> None:
    asyncio.run(_run_in_python("sqlite:s.db"))
    assert stepwell("show", "s.db", "latest").code == 0
    said = stepwell("resume", "s.db")
    assert said.code == 2
    assert "built in Python" in said.err


# --- the main job in memory ---------------------------------------------------------------------------------------


async def test_a_fork_from_the_half_full_join_gives_an_equal_report_in_a_memory_store() -> (
    None
):
    definition = read_file(AUDIT).workflow
    store = open_store("memory:")

    async def finish(runner: Runner) -> dict[str, Any]:
        await runner.finish()
        assert list(runner.state.requests) == ["ask_a_person:5:0"]
        await runner.answer({"ask_a_person:5:0": {"verdict": "approve"}})
        await runner.finish()
        return await json_values.outcome(runner, store)

    first = Runner(build(definition, folder=AUDIT.parent), store)
    await first.start(definition.input)
    one = await finish(first)
    header = next(header for header in await store.headers() if header.buffered)
    (join,) = await json_values.joins(
        Archive(store), await Archive(store).view(header.id)
    )
    assert (join["missing"], len(join["messages"])) == (["rank_by_reach"], 2)

    second = Runner(build(definition, folder=AUDIT.parent), store)
    await second.restore(header.id, fork=True)
    two = await finish(second)
    assert one["outputs"] == two["outputs"]
    assert len(one["outputs"]) == 1
    headers = await store.headers()
    assert {one.branch for one in headers} == {"main", "fork 1"}
    print_timeline(headers)


# --- the start ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("when", ["before the command", "after its value"])
def test_ctrl_c_at_any_time_leaves_one_json_value(
    capsys, monkeypatch, when: str
) -> None:
    """Typer makes an exit code of what interrupts it; and closing a store takes a while
    after all was said.
    """
    app = command_line.app

    def interrupted(words: list[str], **options: Any) -> Any:
        if when == "after its value":
            app(words, **options)
            raise KeyboardInterrupt
        return 130

    monkeypatch.setattr(command_line, "app", interrupted)
    assert command_line.main(["nodes", "--json"]) == ExitCode.INTERRUPTED
    said = capsys.readouterr()
    assert ("error" in json.loads(said.out)) == (when == "before the command")
    assert "Stopped by Ctrl+C" in said.err
    monkeypatch.setattr(command_line, "app", boom)
    # what was told before is another command's
    with pytest.raises(ValueError, match="boom"):
        command_line.main(["nodes", "--json"])
    assert json.loads(capsys.readouterr().out)["error"]["text"] == "boom"


def boom(words: list[str], **options: Any) -> Any:
    raise ValueError("boom")


@pytest.mark.parametrize(
    ("words", "closed"),
    [
        ("nodes", ">&-"),
        ("nodes --json", ">&-"),
        ("nodes", ">&- 2>&-"),
        ("show none.db latest", "2>&-"),
        ("show none.db latest", ">&- 2>&-"),
    ],
)
@pytest.mark.slow
def test_a_closed_standard_output_is_no_error(
    tmp_path, words: str, closed: str
) -> None:
    code = "import sys; from designer.cli.commands import main; sys.exit(main())"
    shell = f'"$0" -c "$1" {words} {closed}'
    command = ["/bin/sh", "-c", shell, sys.executable, code]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == (2 if "none.db" in words else 0)
    assert "Traceback" not in done.stderr


def test_help_is_wrapped_by_the_width_of_the_terminal_alone() -> None:
    for command in get_command(command_line.app).commands.values():
        for paragraph in (command.help or "").split("\n\n"):
            assert "\n" not in paragraph


def test_help_is_there_at_once() -> None:
    """What is heavy is imported by the command that needs it."""
    code = (
        "import sys; from designer.cli.commands import main; main(['--help']);"
        "heavy = {'pydantic', 'asyncio', 'networkx', 'PySide6', 'orjson', 'sqlite3', 'cel'} & set(sys.modules);"
        "sys.exit(', '.join(heavy) or 0)"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=root,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "timeline" in done.stdout
    assert "130 stopped by Ctrl+C" in " ".join(done.stdout.split())
