"""`stepwell patch`, and what `show` and `timeline` say of the fork that it makes."""

from __future__ import annotations

import io
import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.command_line import OUTPUT, Stepwell, ask, edge, template, write


@pytest.fixture
def stepwell(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Stepwell:
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return Stepwell(capsys)


def chain(folder: Path) -> Path:
    nodes = [template("a", "{message}!"), template("b", "<{message}>"), OUTPUT]
    return write(
        folder, "chain", nodes, [edge("a", "b"), edge("b", "result")], input="x"
    )


def patch_file(folder: Path, *changes: dict[str, Any], **fields: Any) -> Path:
    numbered = [{"id": f"c{n}", **change} for n, change in enumerate(changes, 1)]
    file = folder / "patch.json"
    file.write_text(json.dumps({**fields, "changes": numbered}))
    return file


EDIT = {"do": "set", "section": "queue", "spot": {"place": 0}, "value": "edited"}
SECRET = {"do": "set", "section": "state", "key": "api_key", "value": "s3cret"}


def ids_of(stepwell: Stepwell, document: Path) -> list[str]:
    return [item["id"] for item in stepwell("timeline", document, "--json").json]


def test_a_patch_makes_a_fork_that_goes_on_with_it(stepwell, tmp_path) -> None:
    document = chain(tmp_path)
    stepwell("run", document)
    ids = ids_of(stepwell, document)
    file = patch_file(tmp_path, EDIT, name="by hand")
    said = stepwell("patch", document, ids[1], file, "--json").json
    assert said["saved"]["branch"] == "by hand"
    assert said["saved"]["edited"] == "1 change"
    assert said["next"]["runs"] == [{"executor": "b", "calls": 1, "sources": ["a"]}]
    new = said["saved"]["id"]
    went_on = stepwell("resume", document, "--checkpoint", new, "--json").json
    assert went_on["outputs"] == [{"executor": "result", "data": "<edited>"}]
    assert ids_of(stepwell, document)[: len(ids)] == ids
    assert "edited: 1 change" in stepwell("timeline", document).out
    shown = stepwell("show", document, new, "--section", "patch", "--json").json
    assert shown == said["patch"]
    assert shown["made_for"] == ids[1]
    words = 'set the queued message 0 from a to "edited"'
    assert words in stepwell("show", document, new, "--section", "patch").out
    assert words in stepwell("show", document, new).out
    # What show prints is a patch again.
    again = tmp_path / "again.json"
    again.write_text(json.dumps(shown))
    said = stepwell("patch", document, ids[1], again, "--branch", "twice", "--json")
    assert said.json["saved"]["branch"] == "twice"


def test_a_dry_run_shows_what_would_happen_and_changes_nothing(
    stepwell, tmp_path
) -> None:
    document = chain(tmp_path)
    stepwell("run", document)
    ids = ids_of(stepwell, document)
    file = patch_file(tmp_path, EDIT)
    said = stepwell("patch", document, ids[1], file, "--dry-run")
    assert said.code == 0
    assert "b runs, with messages of a" in said.out
    assert ids_of(stepwell, document) == ids
    assert (
        "No patch made" in stepwell("show", document, ids[1], "--section", "patch").out
    )


def test_a_patch_without_changes_is_refused_in_a_dry_run_too(
    stepwell, tmp_path
) -> None:
    document = chain(tmp_path)
    stepwell("run", document)
    for options in ((), ("--dry-run",)):
        said = stepwell(
            "patch", document, "latest", patch_file(tmp_path), "--json", *options
        )
        assert said.code == 2
        assert "has no changes" in said.json["error"]["text"]


def test_a_name_that_the_branch_cannot_have_is_said_in_a_dry_run_too(
    stepwell, tmp_path
) -> None:
    document = chain(tmp_path)
    stepwell("run", document)
    file = patch_file(tmp_path, SECRET)
    for name, says in (("main", "a branch 'main' already"), ("\ud800", "proper text")):
        for options in ((), ("--dry-run",)):
            words = ("patch", document, "latest", file, "--branch", name)
            said = stepwell(*words, "--json", *options)
            assert said.code == 2
            assert says in said.json["error"]["text"]


def test_a_patch_comes_from_standard_input_too(stepwell, tmp_path, monkeypatch) -> None:
    document = chain(tmp_path)
    stepwell("run", document)
    ids = ids_of(stepwell, document)
    data = patch_file(tmp_path, EDIT).read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    said = stepwell("patch", document, ids[1], "-", "--json").json
    assert said["saved"]["parent"] == ids[1]


def test_a_problem_names_its_change_and_the_exit_code_says_so(
    stepwell, tmp_path
) -> None:
    document = chain(tmp_path)
    stepwell("run", document)
    ids = ids_of(stepwell, document)
    file = patch_file(tmp_path, EDIT, {**EDIT, "spot": {"place": 4}})
    said = stepwell("patch", document, ids[1], file, "--json")
    assert said.code == 1
    assert [item["change"] for item in said.json["problems"]] == ["c2"]
    assert "c2: There is no place 4" in said.err
    assert ids_of(stepwell, document) == ids


def test_each_of_several_problems_stands_on_a_line(stepwell, tmp_path) -> None:
    document = chain(tmp_path)
    stepwell("run", document)
    wrong = {**EDIT, "spot": {"place": 4}}
    said = stepwell("patch", document, "latest", patch_file(tmp_path, wrong, wrong))
    lines = [line.split(":")[0] for line in said.err.splitlines()]
    assert [line.strip() for line in lines] == [
        "error",
        "c1",
        "c2",
        "Nothing was changed.",
    ]


def test_a_kept_patch_is_shown_with_its_note(stepwell, tmp_path) -> None:
    document = chain(tmp_path)
    stepwell("run", document)
    file = patch_file(tmp_path, EDIT, note="typed wrong")
    first = ids_of(stepwell, document)[0]
    stepwell("patch", document, first, file)
    shown = stepwell("show", document, "latest", "--section", "patch").out
    assert shown.split("\n\n") == [shown]
    assert "note: typed wrong" in shown


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"{", "is no patch"),
        (b'{"changes": [{"id": "c1"}]}', r"changes[0].do: Field required"),
        (b'{"format": 9}', "format"),
        (b"\xff", "no text in UTF-8"),
        (b"[]", "is no patch"),
    ],
)
def test_what_is_no_patch_is_an_error_that_names_the_file(
    stepwell, tmp_path, content, says
) -> None:
    document = chain(tmp_path)
    stepwell("run", document)
    file = tmp_path / "wrong.json"
    file.write_bytes(content)
    said = stepwell("patch", document, "latest", file)
    assert said.code != 0
    assert "wrong.json" in said.err
    assert says in said.err
    assert "cannot be read" in stepwell("patch", document, "latest", "none.json").err


def test_a_changed_graph_is_refused_with_commands_that_work(stepwell, tmp_path) -> None:
    document = chain(tmp_path)
    stepwell("run", document)
    ids = ids_of(stepwell, document)
    file = json.loads(document.read_text())
    file["workflow"]["edges"][0]["condition"] = "true"
    document.write_text(json.dumps(file))
    said = stepwell("patch", document, ids[1], patch_file(tmp_path, EDIT))
    assert said.code == 1
    [line] = [line for line in said.err.splitlines() if "saved workflow: " in line]
    command = shlex.split(line.partition(": stepwell ")[2])
    assert stepwell(*command, "--json").json["saved"]["parent"] == ids[1]


def test_a_secret_is_masked_where_a_patch_is_shown(stepwell, tmp_path) -> None:
    document = chain(tmp_path)
    stepwell("run", document)
    ids = ids_of(stepwell, document)
    file = patch_file(tmp_path, SECRET)
    said = stepwell("patch", document, ids[1], file)
    shown = stepwell("show", document, "latest", "--json")
    assert "s3cret" not in said.out + shown.out


def test_a_question_is_answered_by_a_patch(stepwell, tmp_path) -> None:
    nodes = [template("a", "{message}"), ask("q"), OUTPUT]
    edges = [edge("a", "q"), edge("q", "result")]
    document = write(tmp_path, "asks", nodes, edges, input="x")
    stepwell("run", document)
    [key] = stepwell("show", document, "latest", "--section", "requests", "--json").json
    change = {
        "do": "answer",
        "section": "requests",
        "key": key["id"],
        "value": {"verdict": "yes"},
    }
    file = patch_file(tmp_path, change)
    planned = stepwell("patch", document, "latest", file, "--dry-run").out
    assert "q runs, with a message from outside: an input or an answer" in planned
    said = stepwell("patch", document, "latest", file, "--json").json
    assert said["problems"] == []
    assert said["next"]["questions"] == 0
    done = stepwell("resume", document, "--checkpoint", said["saved"]["id"], "--json")
    [output] = done.json["outputs"]
    assert output["data"]["answer"] == {"verdict": "yes"}
