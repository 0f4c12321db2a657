"""`stepwell migrate`, and `resume --on-change`: what is planted, repaired, and gone on
with from the command line.
"""

from __future__ import annotations

import json
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


def counting(id: str, expression: str = "message + 1") -> dict[str, Any]:
    return {"id": id, "type": "json_transform", "params": {"expression": expression}}


def change(path: Path, edit: Any) -> None:
    """Edit the workflow of a document in its file."""
    file = json.loads(path.read_text())
    edit(file["workflow"])
    path.write_text(json.dumps(file))


def chain(folder: Path) -> Path:
    edges = [{**edge("a", "b"), "condition": "message > 100"}, edge("b", "result")]
    return write(
        folder, "chain", [counting("a"), counting("b"), OUTPUT], edges, input=1
    )


def checkpoints(stepwell: Stepwell, store: object) -> list[dict[str, Any]]:
    return stepwell("timeline", store, "--json").json


def test_a_changed_condition_goes_on_from_before_it(stepwell, tmp_path) -> None:
    document = chain(tmp_path)
    assert stepwell("run", document, "--json").json["outputs"] == []
    before = checkpoints(stepwell, document)
    change(
        document, lambda workflow: workflow["edges"][0].update(condition="message > 1")
    )
    refused = stepwell("resume", document, "--checkpoint", before[1]["id"])
    assert refused.code == 1
    assert ".." not in refused.err.replace("…", "")
    # The command that the refusal prints.
    said = stepwell(
        "resume",
        document,
        "--checkpoint",
        before[1]["id"],
        "--on-change",
        "migrate",
        "--json",
    )
    assert said.code == 0
    assert said.json["outputs"] == [{"executor": "result", "data": 3}]
    after = checkpoints(stepwell, document)
    assert after[: len(before)] == before
    assert after[len(before)]["cause"] == "edit"
    assert "condition is now" in after[len(before)]["changed"]
    shown = stepwell("show", document, after[len(before)]["id"])
    assert 'condition is now "message > 1" and was "message > 100"' in shown.out
    whole = stepwell("show", document, after[len(before)]["id"], "--json").json
    assert whole["change"]["from"] == before[1]["id"]


def test_an_edit_is_the_first_difference_and_stands_whole_in_the_timeline(
    stepwell, tmp_path
) -> None:
    document = chain(tmp_path)
    stepwell("run", document)
    change(
        document, lambda workflow: workflow["edges"][0].update(condition="message > 1")
    )
    first = checkpoints(stepwell, document)[1]["id"]
    stepwell("resume", document, "--checkpoint", first, "--on-change", "migrate")
    changed = next(
        header["changed"]
        for header in checkpoints(stepwell, document)
        if header["changed"]
    )
    assert f"graph changed: {changed}" in stepwell("timeline", document).out
    run = checkpoints(stepwell, document)[0]["run_id"]
    said = stepwell("diff", document, f"{run}/main", f"{run}/fork 1", "--first")
    assert "The workflow was changed" in said.out
    assert changed in said.out


def test_every_command_of_a_refusal_works(stepwell, tmp_path) -> None:
    document = chain(tmp_path)
    stepwell("run", document)
    change(
        document, lambda workflow: workflow["edges"][0].update(condition="message > 1")
    )
    refused = stepwell("resume", document).err
    # Each has a line of its own, so that it is copied as it stands.
    commands = [
        line.partition(": stepwell ")[2].split()
        for line in refused.splitlines()
        if ": stepwell " in line
    ]
    assert len(commands) == 3
    for words in commands:
        assert stepwell(*words).code == 0


def switching(folder: Path) -> Path:
    switch = {
        "id": "size",
        "kind": "switch",
        "source": "a",
        "cases": [
            {"when": "message > 10", "target": "small"},
            {"when": "message > 0", "target": "large"},
        ],
        "default": "result",
    }
    nodes = [
        counting("a"),
        template("small", "small"),
        template("large", "large"),
        OUTPUT,
    ]
    edges = [switch, edge("small", "result"), edge("large", "result")]
    return write(folder, "switching", nodes, edges, input=1)


def test_swapped_cases_go_on_from_before_them(stepwell, tmp_path) -> None:
    document = switching(tmp_path)
    assert stepwell("run", document, "--json").json["outputs"][0]["data"] == "large"
    before = checkpoints(stepwell, document)

    def swap(workflow: dict[str, Any]) -> None:
        cases = workflow["edges"][0]["cases"]
        cases[0]["target"], cases[1]["target"] = "large", "small"

    change(document, swap)
    said = stepwell(
        "migrate", document, document, "--checkpoint", before[1]["id"], "--json"
    ).json
    assert [item["field"] for item in said["changes"]] == [
        "pairs",
        "cases 1.target",
        "cases 2.target",
    ]
    assert said["next"]["runs"] == [{"executor": "small", "calls": 1, "sources": ["a"]}]
    resumed = stepwell("resume", document, "--json")
    assert resumed.json["outputs"][0]["data"] == "small"


def test_a_renamed_node_takes_over_what_was_its_own(stepwell, tmp_path) -> None:
    nodes = [template("start"), ask("first"), OUTPUT]
    document = write(
        tmp_path, "asks", nodes, [edge("start", "first"), edge("first", "result")]
    )
    assert stepwell("run", document).code == 3
    text = document.read_text().replace('"first"', '"question"')
    document.write_text(text)
    before = checkpoints(stepwell, document)
    dry = stepwell("migrate", document, document, "--dry-run", "--json")
    assert dry.json["mapping"]["executors"] == {"first": "question"}
    assert dry.json["kept"] == ["1 open question", "2 executor records"]
    assert checkpoints(stepwell, document) == before
    said = stepwell("migrate", document, document)
    assert said.code == 0
    assert "first → question" in said.out
    assert "Taken over" in said.out
    open_question = stepwell("show", document, "latest", "--json").json["requests"][0][
        "id"
    ]
    done = stepwell(
        "resume", document, "--answer", f'{open_question}={{"verdict":"yes"}}', "--json"
    )
    assert done.json["status"] == "IDLE", done.json


def parent(folder: Path, child_text: str = "{message} in") -> Path:
    (folder / "parts").mkdir(exist_ok=True)
    write(
        folder / "parts",
        "child",
        [template("start", child_text), template("end"), OUTPUT],
        [edge("start", "end"), edge("end", "result")],
    )
    judge = {
        "id": "judge",
        "type": "sub_workflow",
        "params": {"file": "parts/child.stepwell.json"},
    }
    nodes = [template("start"), judge, OUTPUT]
    return write(
        folder, "parent", nodes, [edge("start", "judge"), edge("judge", "result")]
    )


def test_a_changed_child_file_is_named_and_the_run_goes_on_both_ways(
    stepwell, tmp_path
) -> None:
    document = parent(tmp_path)
    child = tmp_path / "parts" / "child.stepwell.json"
    assert stepwell("run", document).code == 0
    before = checkpoints(stepwell, document)
    inside = before[3]["id"]

    def renamed(workflow: dict[str, Any]) -> None:
        workflow["nodes"][1]["id"] = "last"
        workflow["edges"][0]["target"] = workflow["edges"][1]["source"] = "last"

    change(child, renamed)
    refused = stepwell("resume", document, "--checkpoint", inside, "--json").json[
        "error"
    ]
    assert any(
        "nodes[judge].workflow.nodes[end] is gone" in text
        for text in refused["differences"]
    )
    as_saved = stepwell(
        "resume",
        f"sqlite:{tmp_path}/.stepwell/runs.db",
        "--checkpoint",
        inside,
        "--json",
    )
    assert as_saved.json["outputs"] == [{"executor": "result", "data": "x in"}]
    plan = stepwell(
        "migrate", document, document, "--checkpoint", inside, "--dry-run", "--json"
    ).json
    assert plan["changes"][0]["text"] == (
        "Executor 'end' is now 'last' in 'judge' (parts/child.stepwell.json)"
    )
    assert plan["problems"] == []
    said = stepwell(
        "resume", document, "--checkpoint", inside, "--on-change", "migrate", "--json"
    )
    assert said.json["outputs"] == [{"executor": "result", "data": "x in"}]


def joining(folder: Path) -> Path:
    join = {"id": "both", "kind": "fan_in", "sources": ["b", "d"], "target": "sum"}
    nodes = [
        counting("a"),
        counting("b"),
        counting("c"),
        counting("d"),
        {
            "id": "sum",
            "type": "json_transform",
            "params": {"expression": "type(message) == list ? size(message) : message"},
        },
        OUTPUT,
    ]
    edges = [
        {"id": "fan", "kind": "fan_out", "source": "a", "targets": ["b", "c"]},
        {**edge("c", "d"), "condition": "message > 100"},
        join,
        edge("sum", "result"),
    ]
    return write(folder, "joining", nodes, edges, input=1)


def test_a_removed_join_hands_on_what_it_held(stepwell, tmp_path) -> None:
    document = joining(tmp_path)
    assert stepwell("run", document).code == 4

    def without_join(workflow: dict[str, Any]) -> None:
        workflow["edges"][2:3] = [edge("b", "sum"), edge("d", "sum")]

    change(document, without_join)
    said = stepwell("resume", document, "--on-change", "migrate", "--json")
    assert said.json["outputs"] == [{"executor": "result", "data": 3}]


def test_what_is_not_decided_is_refused_until_a_mapping_says_it(
    stepwell, tmp_path
) -> None:
    document = joining(tmp_path)
    stepwell("run", document)

    def without_b(workflow: dict[str, Any]) -> None:
        workflow["nodes"] = [node for node in workflow["nodes"] if node["id"] != "b"]
        workflow["edges"] = [
            edge("a", "c"),
            workflow["edges"][1],
            edge("d", "sum"),
            edge("sum", "result"),
        ]

    change(document, without_b)
    before = checkpoints(stepwell, document)
    refused = stepwell("migrate", document, document)
    assert refused.code == 1
    assert "join 'both' holds 1 message and is gone" in refused.err
    assert checkpoints(stepwell, document) == before
    plan = stepwell("migrate", document, document, "--dry-run", "--json")
    assert plan.code == 1
    script = tmp_path / "mapping.json"
    assert "Save the mapping" in refused.err
    script.write_text(plan.out)
    again = stepwell("migrate", document, document, "--mapping", script)
    assert "Change the given mapping" in again.err
    script.write_text(plan.out.replace('"?"', "null"))
    # The script of one run serves others.
    run_id = before[0]["run_id"]
    words = ("migrate", document, document, "--mapping", script, "--run", run_id[:8])
    done = stepwell(*words, "--json").json
    assert done["saved"]["cause"] == "edit"
    assert any("record of 'b'" in text for text in done["dropped"])
    assert any("join 'both' holds" in text for text in done["dropped"])
    resumed = stepwell("resume", document, "--on-change", "migrate", "--json")
    assert resumed.code == 0


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "is no mapping"),
        ('{"executors": {"a": 3}}', "executors.a"),
        (None, "cannot be read"),
    ],
)
def test_a_mapping_that_cannot_be_read_is_misuse(
    stepwell, tmp_path, content, words
) -> None:
    document = chain(tmp_path)
    stepwell("run", document)
    script = tmp_path / "mapping.json"
    if content is not None:
        script.write_text(content)
    said = stepwell("migrate", document, document, "--mapping", script)
    assert said.code == 2
    assert words in said.err


def test_wrong_words_of_the_commands_are_misuse(stepwell, tmp_path) -> None:
    document = chain(tmp_path)
    stepwell("run", document)
    both = stepwell("migrate", document, document, "--run", "a", "--checkpoint", "b")
    assert both.code == 2
    assert stepwell("migrate", document, document, "--run", "zz").code == 2
    assert stepwell("resume", document, "--on-change", "yes").code == 2
    nothing = stepwell("migrate", document, document)
    assert nothing.code == 0
    assert "nothing has to be taken over" in nothing.out
