"""Inside of sub-workflows: one document, one undo stack, one file, wherever in it one
edits.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from designer.document.checks import Checks
from designer.document.document import Document
from designer.model import edits, files
from designer.model.diff import diff
from designer.model.edits.collapse import collapse
from designer.model.errors import EditError
from designer.model.inside import child
from runtime.document.problem import Problem
from tests.designer.fake_session import FakeSession
from tests.designer.model.designs import Edit, any_edit, design, direct


@pytest.fixture
def document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qapp: object
) -> Iterator[Document]:
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    made = Document()
    drawn, _ = collapse(
        design("abcd", direct("a", "b"), direct("b", "c"), direct("c", "d")),
        "bc",
        name="Sub",
    )
    made.apply("Draw", drawn)
    yield made
    made.close()


def rename(document: Document, node: str, name: str, merge: str = "") -> None:
    document.apply("Rename", edits.rename(document.design, node, name), merge=merge)


def way(document: Document) -> str:
    return "/".join(document.inside)


def name_inside(document: Document, node: str) -> str:
    found = child(document.root, "sub").workflow.node(node)
    assert found is not None
    return found.name


def test_an_edit_inside_changes_the_whole_in_one_step(document: Document) -> None:
    document.enter("sub")
    assert {node.id for node in document.design.workflow.nodes} == {"b", "c", "output"}
    rename(document, "b", "Bee")
    assert name_inside(document, "b") == "Bee"
    assert document.undo_stack.count() == 2
    document.undo_stack.undo()
    assert name_inside(document, "b") == ""


def test_undo_leads_to_where_the_step_was_done(document: Document) -> None:
    document.enter("sub")
    rename(document, "b", "Bee")
    document.leave()
    rename(document, "a", "Ay")
    document.enter("sub")
    document.undo_stack.undo()
    assert way(document) == ""
    assert document.design.workflow.node("a").name == ""  # type: ignore[union-attr]
    document.undo_stack.undo()
    assert way(document) == "sub"
    assert document.design.workflow.node("b").name == ""  # type: ignore[union-attr]
    document.undo_stack.undo()  # before there was a sub-workflow
    assert way(document) == ""
    assert document.design.workflow.nodes == ()
    for _ in range(3):
        document.undo_stack.redo()
    assert (name_inside(document, "b"), document.root.workflow.node("a").name) == (
        "Bee",
        "Ay",
    )  # type: ignore[union-attr]


def test_what_is_seen_is_told_once_when_the_level_changes(document: Document) -> None:
    heard: list[str] = []
    document.entered.connect(lambda: heard.append(f"at {'/'.join(document.inside)}"))
    document.replaced.connect(lambda: heard.append("another document"))
    document.changed.connect(lambda _diff: heard.append("changed"))
    document.enter("sub")
    rename(document, "b", "Bee")
    document.leave()
    document.undo_stack.undo()
    assert heard == ["at sub", "changed", "at ", "at sub", "changed"]


def test_one_comes_out_with_the_sub_workflow_selected(document: Document) -> None:
    document.enter("sub")
    document.select({"b"})
    document.leave()
    assert document.selection == {"sub"}
    document.leave()
    assert way(document) == ""


def test_levels_stand_in_each_other(document: Document) -> None:
    document.enter("sub")
    made, inner = collapse(document.design, "b", name="Deep")
    document.apply("Collapse", made)
    document.enter(inner)
    rename(document, "b", "Bee")
    assert way(document) == "sub/deep"
    document.leave(2)
    assert way(document) == ""
    assert child(child(document.root, "sub"), "deep").workflow.node("b").name == "Bee"  # type: ignore[union-attr]


def test_saving_inside_writes_the_whole_and_stays_inside(
    document: Document, tmp_path: Path
) -> None:
    document.enter("sub")
    rename(document, "b", "Bee")
    document.save(tmp_path / "whole.stepwell.json")
    assert way(document) == "sub"
    assert document.is_clean
    saved = files.load(tmp_path / "whole.stepwell.json")
    assert {node.id for node in saved.workflow.nodes} == {"a", "sub", "d"}
    assert not diff(saved, document.root)
    document.open(tmp_path / "whole.stepwell.json")
    assert way(document) == ""


def test_what_was_edited_inside_is_recovered_after_a_crash(document: Document) -> None:
    document.enter("sub")
    rename(document, "b", "Bee")
    document.flush_journal()
    journal = files.load(document._journal.file)
    assert not diff(child(journal, "sub"), document.design)


def test_reloading_leads_out_where_the_sub_workflow_is_gone(
    document: Document, tmp_path: Path
) -> None:
    path = tmp_path / "whole.stepwell.json"
    document.save(path)
    document.enter("sub")
    files.save(path, edits.remove(document.root, {"sub"}))
    document.reload()
    assert way(document) == ""
    document.undo_stack.undo()
    assert way(document) == "sub"


def test_typing_is_one_step_inside_too_and_steps_of_two_levels_stay_two(
    document: Document,
) -> None:
    document.enter("sub")
    for text in ("B", "Be", "Bee"):
        rename(document, "b", text, merge="name")
    assert document.undo_stack.count() == 2
    document.leave()
    rename(document, "a", "A", merge="name")
    assert document.undo_stack.count() == 3


def test_there_is_no_way_into_a_node_that_has_nothing_inside(
    document: Document,
) -> None:
    with pytest.raises(EditError, match="no sub-workflow"):
        document.enter("a")
    assert way(document) == ""


def test_what_the_host_finds_in_the_whole_is_not_told_of_a_node_inside_with_the_same_id(
    document: Document,
) -> None:
    session = FakeSession()
    checks = Checks(document, session, check=lambda _workflow, _infos: ())  # type: ignore[arg-type]
    document.enter("sub")
    checks.run()
    session.problems = (
        Problem(severity="error", rule="build", message="No.", location="b"),
    )
    session.changed.emit()
    checks.run()
    assert checks.problems == ()
    checks.stop()


Step = tuple[str, Edit]
STEPS = st.lists(
    st.tuples(st.sampled_from(["edit", "enter", "leave", "undo", "redo"]), any_edit()),
    max_size=25,
)


@given(STEPS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_the_whole_always_has_what_is_seen_and_undo_gives_back_the_beginning(
    document: Document, steps: list[Step]
) -> None:
    while document.undo_stack.canUndo():
        document.undo_stack.undo()
    document.undo_stack.redo()
    document.leave(9)
    document.undo_stack.setClean()
    begun = document.root
    for kind, edit in steps:
        match kind:
            case "edit":
                document.apply("Edit", edit(document.design))
            case "enter" if document.design.workflow.node("sub") is not None:
                document.enter("sub")
            case "leave":
                document.leave()
            case "undo" if document.undo_stack.index() > 1:
                document.undo_stack.undo()
            case "redo" if document.undo_stack.canRedo():
                document.undo_stack.redo()
        seen = document.root
        for node in document.inside:
            seen = child(seen, node)
        assert not diff(seen, document.design)
    while document.undo_stack.index() > 1:
        document.undo_stack.undo()
    assert not diff(document.root, begun)
