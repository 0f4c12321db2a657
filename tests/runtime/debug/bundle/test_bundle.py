"""A bug bundle: its test is red on the fault and green after the mend, it holds what it
needs and no more, and secrets and personal data are covered.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runtime.checkpoint import Cause, Checkpoint, CheckpointHeader
from runtime.debug.bundle.draft import Draft, Wish, draft_of
from runtime.debug.bundle.expectation import ROOTS, differing, parse, views_of
from runtime.debug.bundle.opener import open_bundle
from runtime.debug.bundle.trial import (
    CODE_VARIABLE,
    Bundle,
    TrialRun,
    run_test,
    what_comes,
)
from runtime.errors import (
    CommandError,
    OutsideCallError,
    SharedFileError,
    WorkflowException,
)
from runtime.loader.python_modules import load
from runtime.patches.patch import Patch, PatchChange, Spot
from runtime.state import RunState
from runtime.stores import open_store
from runtime.testing.conformance import ids
from tests.runtime.command_line import OUTPUT, Stepwell, edge, template, write

RANKING = """
import counting


def rank(message: dict) -> dict:
    return {"certifi": counting.reach(message) + 1}
"""
COUNTING = """
def reach(message):
    return message["n"]
"""
NODES = [
    {"id": "rank", "type": "python_function", "params": {"function": "ranking:rank"}},
    {"id": "keep", "type": "set_state", "params": {"key": "reach", "value": "message"}},
    OUTPUT,
]
EXPECTED = 'messages[0]["data"]["certifi"] == 12'


@pytest.fixture
def stepwell(capsys: pytest.CaptureFixture[str]) -> Stepwell:
    return Stepwell(capsys)


@pytest.fixture
def flow(stepwell: Stepwell, tmp_path: Path) -> Path:
    """The folder of a workflow with a run that shows a fault: 13 where 12 is right."""
    folder = tmp_path / "flow"
    folder.mkdir()
    (folder / "ranking.py").write_text(RANKING)
    (folder / "counting.py").write_text(COUNTING)
    given = {"n": 12, "author": "Ada Lovelace", "mail": "ada@example.com"}
    wires = [edge("rank", "keep"), edge("keep", "result")]
    document = write(folder, "audit", NODES, wires, input=given)
    said = stepwell("run", document, "--store", f"sqlite:{folder}/runs.db")
    assert said.code == 0, said.err
    return folder


def mend(folder: Path) -> None:
    (folder / "ranking.py").write_text(RANKING.replace("+ 1", "+ 0  "))


def checkpoint_ids(folder: Path) -> list[str]:
    async def read() -> list[str]:
        store = open_store(f"sqlite:{folder}/runs.db", True)
        found = await ids(store)
        await store.close()
        return found

    return asyncio.run(read())


def written(flow: Path, to: Path, *expect: str, at: int = 0, **wish: Any) -> Draft:
    """Write a bundle of a checkpoint, without running anything."""

    async def make() -> Draft:
        store = open_store(f"sqlite:{flow}/runs.db", True)
        checkpoint_id = (await ids(store))[at]
        draft = await draft_of(store, Wish(checkpoint_id, expect, **wish))
        to.mkdir()
        await draft.write(to)
        await store.close()
        return draft

    return asyncio.run(make())


@pytest.fixture
def at_code(flow: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(CODE_VARIABLE, str(flow))
    return flow


# --- red and green ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_test_is_red_on_the_fault_and_green_after_the_mend(
    stepwell: Stepwell, flow: Path, tmp_path: Path
) -> None:
    first = checkpoint_ids(flow)[0]
    to = tmp_path / "bug"
    store = f"sqlite:{flow}/runs.db"
    said = stepwell("bundle", store, first, "--expect", EXPECTED, "--to", to, "--json")
    assert (said.code, said.json["fails"]) == (0, True), said.err
    assert said.json["expected"][0]["actual"] == 'messages[0]["data"]["certifi"] == 13'
    mend(flow)
    verdict = run_test(to, said.json["test"], flow)
    assert not verdict.fails
    assert verdict.text == "The test passes: the fault does not show."


def test_without_an_expectation_what_was_recorded_is_expected(
    stepwell: Stepwell, flow: Path, tmp_path: Path
) -> None:
    first = checkpoint_ids(flow)[0]
    said = stepwell(
        "bundle", f"sqlite:{flow}/runs.db", first, "--to", tmp_path / "none"
    )
    assert said.code == 2
    assert "comes out as it was recorded" in said.err
    assert not (tmp_path / "none").exists()
    mend(flow)
    draft = written(flow, tmp_path / "bug")
    draft.expect_recorded(what_comes(tmp_path / "bug", 1, flow))
    (item,) = draft.expected
    assert str(item) == 'messages[0]["data"]["certifi"] == 13'
    assert item.actual(draft.actual or {}) == 'messages[0]["data"]["certifi"] == 12'
    assert draft.source == "as recorded in checkpoint #2"


def test_a_trial_goes_on_from_the_checkpoint_without_the_store(
    at_code: Path, tmp_path: Path
) -> None:
    draft = written(at_code, tmp_path / "bug", EXPECTED)
    (at_code / "runs.db").unlink()
    with Bundle(tmp_path / "bug" / draft.test) as bundle:
        run = bundle.restore(1)
        assert run.messages[0]["data"]["n"] == 12
        run.step(effects="recorded")
        assert run.messages[0]["data"] == {"certifi": 13}
        run.step()
        run.step()
        assert (run.state, run.status) == ({"reach": {"certifi": 13}}, "IDLE")
        assert run.outputs == [{"certifi": 13}]
        with pytest.raises(WorkflowException, match="is about checkpoint #1"):
            bundle.restore(2)


@pytest.mark.parametrize(
    ("expect", "look"),
    [
        ('state["lost"] == 12', lambda run: run.state["lost"]),
        ("outputs[0] == 12", lambda run: run.outputs[0]),
        ('messages[0]["data"]["n"] == 12', lambda run: run.messages[0]["data"]["n"]),
    ],
)
def test_a_value_that_is_missing_fails_the_test_by_its_assertion(
    at_code: Path, tmp_path: Path, expect: str, look: Callable[[TrialRun], Any]
) -> None:
    draft = written(at_code, tmp_path / "bug", expect)
    with Bundle(tmp_path / "bug" / draft.test) as bundle:
        run = bundle.restore(1)
        run.step(effects="recorded")
        with pytest.raises(AssertionError, match="is missing"):
            look(run)


def test_a_run_that_has_failed_is_expected_not_to_fail(
    stepwell: Stepwell, flow: Path, tmp_path: Path
) -> None:
    (flow / "counting.py").write_text("def reach(message):\n    raise KeyError('n')")
    store = f"sqlite:{flow}/runs.db"
    assert stepwell("run", flow / "audit.stepwell.json", "--store", store).code == 1
    draft = written(flow, tmp_path / "bug", at=-1)
    assert draft.child is None
    draft.expect_recorded(what_comes(tmp_path / "bug", draft.number, flow))
    assert [str(item) for item in draft.expected] == ["error is None"]


def test_a_superstep_that_fails_is_red_by_its_text(
    at_code: Path, tmp_path: Path
) -> None:
    written(at_code, tmp_path / "bug", EXPECTED)
    (at_code / "counting.py").write_text("def reach(message):\n    raise KeyError('n')")
    with Bundle(tmp_path / "bug") as bundle:
        run = bundle.restore(1)
        run.step()
        assert run.error is not None
        with pytest.raises(AssertionError, match=r"The superstep failed: .*KeyError"):
            assert run.messages


def test_a_mended_document_is_taken_where_the_graph_has_changed(
    at_code: Path, tmp_path: Path
) -> None:
    to = tmp_path / "bug"
    written(at_code, to, 'state["reach"]["certifi"] == 12', at=1)
    file = to / "audit.stepwell.json"
    document = json.loads(file.read_text())
    value = document["workflow"]["nodes"][1]["params"]
    value["value"] = '{"certifi": message.certifi - 1}'
    file.write_text(json.dumps(document))
    with Bundle(to) as bundle:
        run = bundle.restore(2)
        run.step()
        assert run.state["reach"]["certifi"] == 12


# --- what goes in ----------------------------------------------------------------------------------------------------


def test_only_what_shows_the_fault_goes_in_and_the_code_only_if_asked(
    flow: Path, tmp_path: Path
) -> None:
    written(flow, tmp_path / "bug", 'status == "IDLE"', at=1)
    names = {path.name for path in (tmp_path / "bug").iterdir()}
    assert names == {
        "README.md",
        "audit.stepwell.json",
        "bundle.json",
        "checkpoints.stepwell-run",
        "test_audit_2.py",
    }
    draft = written(flow, tmp_path / "more", EXPECTED, at=1, with_code=True)
    assert [str(path) for path in draft.code] == ["counting.py", "ranking.py"]
    assert (tmp_path / "more" / "counting.py").read_text() == COUNTING
    all_ids = checkpoint_ids(flow)
    assert [row.id for row in draft.selection.rows] == all_ids[:3]
    whole = written(flow, tmp_path / "whole", EXPECTED, at=1, whole_run=True)
    assert [row.id for row in whole.selection.rows] == all_ids


def test_a_bundle_with_its_code_needs_no_other_folder(
    flow: Path, tmp_path: Path
) -> None:
    written(flow, tmp_path / "bug", EXPECTED, with_code=True)
    (flow / "ranking.py").unlink()
    with Bundle(tmp_path / "bug") as bundle:
        run = bundle.restore(1)
        run.step()
        assert run.messages[0]["data"] == {"certifi": 13}


def test_personal_data_is_covered_if_asked_and_equal_texts_stay_equal(
    at_code: Path, tmp_path: Path
) -> None:
    written(at_code, tmp_path / "open", EXPECTED)
    written(at_code, tmp_path / "covered", EXPECTED, cover_personal=True)
    with Bundle(tmp_path / "open") as bundle:
        assert bundle.restore(1).messages[0]["data"]["author"] == "Ada Lovelace"
    with Bundle(tmp_path / "covered") as bundle:
        data = bundle.restore(1).messages[0]["data"]
        assert data["author"].startswith("person ")
        assert data["mail"].endswith("@example.org")
        assert data["n"] == 12
        assert {"author", "mail"} <= set(bundle.manifest.covered)
    document = (tmp_path / "covered" / "audit.stepwell.json").read_text()
    assert "ada@example.com" not in document


def test_secrets_are_masked_by_name_and_by_text(
    stepwell: Stepwell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "tok-1234567")
    key = {"api_key": "sk-987654", "text": "with tok-1234567", "url": "{env.MY_TOKEN}"}
    folder = tmp_path / "flow"
    folder.mkdir()
    document = write(folder, "keyed", [OUTPUT], [], input=key)
    stepwell("run", document, "--store", f"sqlite:{folder}/runs.db")
    written(folder, tmp_path / "bug", "outputs == []")
    with Bundle(tmp_path / "bug") as bundle:
        data = bundle.restore(1).messages[0]["data"]
        assert data["text"] == "with ***"
    assert "INPUT_API_KEY" not in os.environ
    for path in (tmp_path / "bug").iterdir():
        assert b"sk-987654" not in path.read_bytes()
        assert b"tok-1234567" not in path.read_bytes()
    readme = (tmp_path / "bug" / "README.md").read_text()
    assert "INPUT_API_KEY" in readme


def test_code_with_the_value_of_a_secret_is_not_written(
    stepwell: Stepwell, flow: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "tok-1234567")
    document = json.loads((flow / "audit.stepwell.json").read_text())
    document["workflow"]["description"] = "{env.MY_TOKEN}"
    (flow / "audit.stepwell.json").write_text(json.dumps(document))
    (flow / "counting.py").write_text(COUNTING + "\nTOKEN = 'tok-1234567'\n")
    stepwell("run", flow / "audit.stepwell.json", "--store", f"sqlite:{flow}/runs.db")
    with pytest.raises(
        SharedFileError, match=r"counting\.py holds the value of a secret"
    ):
        written(flow, tmp_path / "bug", EXPECTED, with_code=True, at=-1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("n = 1", "no line of Python"),
        ("state", "no comparison"),
        ("1 < state < 2", "no comparison"),
        ("shared['n'] == 1", "'shared' is none of state"),
        ("state[n] == 1", "a text or a number"),
        ("state['n']() == 1", "no place"),
        ("state['n'] == __import__('os')", "not written out"),
        ("state['n'] == [1e999]", "numbers that JSON does not have"),
        ("state['n'] == b'x'", "bytes"),
        ("(" * 500, "no line of Python"),
    ],
)
def test_what_cannot_be_expected_is_said(
    flow: Path, tmp_path: Path, text: str, words: str
) -> None:
    with pytest.raises(CommandError, match=words.replace("'", ".")):
        written(flow, tmp_path / "bug", text)


def test_a_name_cannot_bring_code_into_the_test(
    stepwell: Stepwell, tmp_path: Path
) -> None:
    folder = tmp_path / "flow"
    folder.mkdir()
    document = write(folder, 'x"""\nimport os\n"""', [OUTPUT], [], input=1)
    stepwell("run", document, "--store", f"sqlite:{folder}/runs.db")
    draft = written(folder, tmp_path / "bug", "outputs == [2]")
    text = (tmp_path / "bug" / draft.test).read_text()
    assert "import os" not in text.splitlines()
    compile(text, draft.test, "exec")


# --- opening ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["", ".zip"])
def test_a_bundle_opens_with_its_document_and_its_checkpoints(
    stepwell: Stepwell, flow: Path, tmp_path: Path, suffix: str
) -> None:
    from runtime.debug.bundle.target import place_for

    target = tmp_path / f"bug{suffix}"
    with place_for(target) as folder:
        folder.rmdir()
        written(flow, folder, EXPECTED, with_code=True)
    opened = asyncio.run(open_bundle(target))
    assert opened.document is not None
    assert opened.document.is_file()
    assert opened.document.with_name("ranking.py").is_file()
    said = stepwell("timeline", opened.store, "--json")
    assert [header["id"] for header in said.json] == checkpoint_ids(flow)[:2]
    assert opened.manifest.checkpoint == checkpoint_ids(flow)[0]
    again = asyncio.run(open_bundle(opened.folder / "bundle.json"))
    assert again.store == opened.store


# --- places ----------------------------------------------------------------------------------------------------------


def views(**roots: Any) -> dict[str, Any]:
    return {**dict.fromkeys(ROOTS), **roots}


@pytest.mark.parametrize(
    ("recorded", "now", "expected"),
    [
        ({"n": {"a": 1}}, {"n": {"a": 2}}, 'state["n"]["a"] == 1'),
        ({}, {"n": 1}, '"n" not in state'),
        ({"n": 1}, {}, 'state["n"] == 1'),
        ({"n": None}, {"n": 1}, 'state["n"] is None'),
        ({"n": [1, 2]}, {"n": [1]}, 'state["n"] == [1, 2]'),
        ({"n": [1, 2]}, {"n": [1, 3]}, 'state["n"][1] == 2'),
        ({"n": [*range(200), 7]}, {"n": [*range(200)]}, 'state["n"][200] == 7'),
        ({"it's": 1}, {"it's": 2}, 'state["it\'s"] == 1'),
    ],
)
def test_a_difference_is_expected_at_its_deepest_place(
    recorded: dict[str, Any], now: dict[str, Any], expected: str
) -> None:
    (item,) = differing(views(state=recorded), views(state=now))
    assert str(item) == expected
    assert not item.is_met(views(state=now))
    assert item.is_met(views(state=recorded))
    if not item.is_behind:
        assert parse(expected) == item


def test_a_number_that_no_json_has_is_a_text_and_no_difference() -> None:
    header = CheckpointHeader("a" * 20, "b" * 20, "flow", 1, Cause.FORK)

    def views_with_numbers() -> dict[str, Any]:
        state = RunState(shared={"n": [float("nan"), float("-inf")]})
        return views_of(Checkpoint(header, state))

    assert views_with_numbers()["state"] == {"n": ["nan", "-inf"]}
    assert differing(views_with_numbers(), views_with_numbers()) == []


def test_a_difference_inside_a_sub_workflow_is_found() -> None:
    recorded = views(runs={"review#1": {"state": {"n": 1}}})
    now = views(runs={"review#1": {"state": {"n": 2}}})
    (item,) = differing(recorded, now)
    assert str(item) == 'runs["review#1"]["state"]["n"] == 1'


# --- recorded results ------------------------------------------------------------------------------------------------


def reading(stepwell: Stepwell, folder: Path) -> None:
    """A run that has read a file, which is gone since."""
    folder.mkdir()
    (folder / "price.txt").write_text("9.90")
    read = {"id": "read", "type": "read_file", "params": {"path": "price.txt"}}
    document = write(folder, "reading", [read, OUTPUT], [edge("read", "result")])
    said = stepwell("run", document, "--store", f"sqlite:{folder}/runs.db")
    assert said.code == 0, said.err
    (folder / "price.txt").unlink()


def test_a_call_that_reached_outside_has_its_recorded_result(
    stepwell: Stepwell, tmp_path: Path
) -> None:
    reading(stepwell, tmp_path / "flow")
    draft = written(tmp_path / "flow", tmp_path / "bug", "status == 'IDLE'")
    assert draft.calls == 1
    with Bundle(tmp_path / "bug") as bundle:
        run = bundle.restore(1)
        run.step(effects="recorded")
        assert run.messages[0]["data"] == "9.90"
        live = bundle.restore(1)
        live.step(effects="live")
        assert live.error is not None


def test_a_pinned_result_that_no_record_keeps_is_no_fault(
    stepwell: Stepwell, tmp_path: Path
) -> None:
    (tmp_path / "price.txt").write_text("9.90")
    (tmp_path / "pin.json").write_text('{"sent": ["1.00"]}')
    read = {"id": "read", "type": "read_file", "params": {"path": "price.txt"}}
    nodes = [template("start", "now"), read, OUTPUT]
    wires = [edge("start", "read"), edge("read", "result")]
    document = write(tmp_path, "reading", nodes, wires)
    store = f"sqlite:{tmp_path}/runs.db"
    stepwell("run", document, "--store", store)
    first, *_ = checkpoint_ids(tmp_path)
    pin = f"read={tmp_path / 'pin.json'}"
    stepwell("resume", store, "--checkpoint", first, "--pin", pin)
    # The fork has the superstep of the template, and then the pinned one.
    before = checkpoint_ids(tmp_path)[4]
    said = stepwell("bundle", store, before, "--to", tmp_path / "bug")
    assert said.code == 2
    assert "Superstep 2 from there had a pinned result" in said.err
    assert not (tmp_path / "bug").exists()


def test_without_a_recorded_result_nothing_is_done_outside(
    stepwell: Stepwell, tmp_path: Path
) -> None:
    folder = tmp_path / "flow"
    folder.mkdir()
    node = {"id": "note", "type": "write_file", "params": {"path": "note.txt"}}
    document = write(folder, "noting", [node, OUTPUT], [edge("note", "result")])
    stepwell("run", document, "--store", f"sqlite:{folder}/runs.db")
    written(folder, tmp_path / "bug", "status == 'IDLE'")
    file = tmp_path / "bug" / "noting.stepwell.json"
    content = json.loads(file.read_text())
    content["workflow"]["nodes"][0]["params"]["path"] = "other.txt"
    file.write_text(json.dumps(content))
    with Bundle(tmp_path / "bug") as bundle:
        run = bundle.restore(1)
        with pytest.raises(OutsideCallError, match="has no recorded result"):
            run.step()
    assert not list(tmp_path.rglob("other.txt"))


# --- patches and workflows in Python ---------------------------------------------------------------------------------


def test_a_patch_goes_along_and_is_applied_first(at_code: Path, tmp_path: Path) -> None:
    change = PatchChange(
        id="c1",
        do="set",
        section="queue",
        spot=Spot(place=0),
        path=("n",),
        value=20,
    )
    patch = Patch(changes=(change,))
    draft = written(at_code, tmp_path / "bug", EXPECTED, patch=patch)
    assert draft.recorded is None
    with Bundle(tmp_path / "bug") as bundle:
        run = bundle.restore(1)
        run.step()
        assert run.messages[0]["data"] == {"certifi": 21}
        assert bundle.restore(1, patched=False).messages[0]["data"]["n"] == 12


CODE = """
from runtime import WorkflowBuilder, WorkflowContext, executor


@executor(id="double")
async def double(number: int, ctx: WorkflowContext[None, int]) -> None:
    await ctx.yield_output(number * 2 + 1)


def workflow():
    return WorkflowBuilder(start_executor=double).build()
"""


async def run_of_code(folder: Path) -> None:
    (folder / "doubling.py").write_text(CODE)
    workflow = load("doubling:workflow", folder)()
    store = open_store(f"sqlite:{folder}/runs.db")
    await workflow.run(4, checkpoint_storage=store)
    await store.close()


def test_a_workflow_built_in_python_is_named_by_what_makes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "code"
    folder.mkdir()
    asyncio.run(run_of_code(folder))
    with pytest.raises(CommandError, match="built in Python"):
        written(folder, tmp_path / "none", "outputs == [8]")
    app = "doubling:workflow"
    written(folder, tmp_path / "bug", "outputs == [8]", app=app)
    monkeypatch.setenv(CODE_VARIABLE, str(folder))
    with Bundle(tmp_path / "bug") as bundle:
        run = bundle.restore(1)
        run.step()
        assert run.outputs == [9]


@pytest.mark.slow
def test_a_long_value_is_cut_where_it_is_printed(
    stepwell: Stepwell, flow: Path, tmp_path: Path
) -> None:
    first = checkpoint_ids(flow)[0]
    expect = f'messages[0]["data"]["certifi"] == "{"long " * 200}"'
    store = f"sqlite:{flow}/runs.db"
    said = stepwell("bundle", store, first, "--expect", expect, "--to", tmp_path / "b")
    [line] = [line for line in said.out.splitlines() if "expected" in line]
    assert len(line) < 400
    assert line.endswith("…")
    assert "long " * 200 in (tmp_path / "b" / "bundle.json").read_text()
