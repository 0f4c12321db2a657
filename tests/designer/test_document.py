"""The document: one gesture is one undo step, the selection exists, and nothing that
was not saved is lost.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from designer.document.document import Document
from designer.document.journal import FOLDER
from designer.model import edits, files
from designer.model.design import Design
from designer.model.diff import Diff, diff
from designer.model.edits.collapse import collapse
from runtime.document.sub_workflows import INLINE
from runtime.errors import DefinitionError
from tests.designer.model.designs import Edit, any_edit, design, direct, fan_out

pytestmark = pytest.mark.usefixtures("data")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "data"
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(folder))
    return folder


@pytest.fixture
def document(data: Path, qapp: object) -> Iterator[Document]:
    made = Document()
    yield made
    made.close()


@pytest.fixture
def saved(document: Document, tmp_path: Path) -> Document:
    """A document with two connected nodes, saved."""
    document.apply("Draw", design("ab", direct("a", "b")))
    document.save(tmp_path / "flow.stepwell.json")
    return document


def journals(data: Path) -> list[Path]:
    return sorted((data / FOLDER).glob("*.json"))


def die(document: Document) -> None:
    """What is on disk after the window was killed: the journal, by a process that is
    not there any more.
    """
    document.flush_journal()
    (file,) = journals(Path(os.environ["STEPWELL_DATA_DIR"]))
    content = json.loads(file.read_text("utf-8"))
    content["journal"]["born"] = "before the flood"
    file.write_text(json.dumps(content), "utf-8")


# --- undo ---------------------------------------------------------------------------------------------------------


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(any_edit(), max_size=10))
def test_undo_n_times_and_redo_n_times_is_identity(
    document: Document, steps: list[Edit]
) -> None:
    document.new()
    states = [document.design]
    for step in steps:
        document.apply("Edit", step(document.design))
        if diff(states[-1], document.design):
            states.append(document.design)
    assert document.undo_stack.count() == len(states) - 1
    for state in reversed(states[:-1]):
        document.undo_stack.undo()
        assert document.design is state
    for state in states[1:]:
        document.undo_stack.redo()
        assert document.design is state


def test_case_141_three_nodes_move_and_come_back_in_one_step(
    document: Document,
) -> None:
    document.apply("Draw", design("abc"))
    before = document.design
    moved = {key: (x + 50, y + 20) for key, (x, y) in before.positions.items()}
    document.apply("Move", edits.move(document.design, moved))
    document.apply("Move", edits.move(document.design, moved))
    assert document.undo_stack.count() == 2
    document.undo_stack.undo()
    assert document.design.positions == before.positions


def test_case_138_what_changes_nothing_is_no_step(document: Document) -> None:
    document.apply("Draw", design("ab", direct("a", "b")))
    document.apply("Delete", edits.remove(document.design, ["nowhere"]))
    document.apply("Same", files.loads(files.dumps(document.design)))
    assert document.undo_stack.count() == 1


def test_typing_is_one_step_and_stops_where_something_else_is_done(
    document: Document,
) -> None:
    document.apply("Draw", design("ab"))
    for text in ("F", "Fe", "Fetch"):
        document.apply(
            f"Rename to {text}",
            edits.rename(document.design, "a", text),
            merge="name of a",
        )
    assert (document.undo_stack.count(), document.undo_stack.undoText()) == (
        2,
        "Rename to Fetch",
    )
    document.apply("Rename", edits.rename(document.design, "b", "B"), merge="name of b")
    document.apply("Rename", edits.rename(document.design, "a", "G"), merge="name of a")
    assert document.undo_stack.count() == 4
    for expected in ("Fetch", "Fetch", ""):
        document.undo_stack.undo()
        assert document.design.workflow.nodes[0].name == expected


def test_typing_back_to_what_was_there_leaves_no_step(document: Document) -> None:
    document.apply("Draw", design("a"))
    for text in ("F", ""):
        document.apply("Rename", edits.rename(document.design, "a", text), merge="name")
    assert document.undo_stack.count() == 1
    assert document.design == design("a")


def test_typing_after_a_save_is_a_new_step(saved: Document) -> None:
    saved.apply("Rename", edits.rename(saved.design, "a", "F"), merge="name")
    saved.save()
    saved.apply("Rename", edits.rename(saved.design, "a", "Fe"), merge="name")
    assert not saved.is_clean
    saved.undo_stack.undo()
    assert saved.is_clean


# --- signals ------------------------------------------------------------------------------------------------------


def test_changed_tells_the_difference_of_each_edit_undo_and_redo(
    document: Document,
) -> None:
    told: list[Diff] = []
    document.changed.connect(told.append)
    document.apply("Draw", design("ab"))
    document.undo_stack.undo()
    document.undo_stack.redo()
    document.undo_stack.setIndex(0)
    added, removed = (
        Diff(**{f"nodes_{word}": frozenset("ab")}, workflow_changed=True)
        for word in ("added", "removed")
    )
    assert told == [added, removed, added, removed]


def test_an_edit_may_follow_from_a_change(document: Document) -> None:
    def follow(difference: Diff) -> None:
        if "a" in difference.nodes_added:
            document.apply("Name", edits.rename(document.design, "a", "First"))

    document.changed.connect(follow)
    document.apply("Draw", design("a"))
    assert document.design.workflow.nodes[0].name == "First"
    assert document.undo_stack.count() == 2


def test_a_node_that_gets_another_id_stays_selected_and_when_that_is_undone(
    document: Document,
) -> None:
    document.apply("Draw", design("ab", direct("a", "b")))
    document.select({"a"})
    document.apply("Id", edits.set_id(document.design, "a", "other"))
    assert document.selection == {"other"}
    document.undo_stack.undo()
    assert document.selection == {"a"}
    gone, _ = edits.add_node(edits.remove(document.design, {"a"}), "switch", (0, 0))
    document.apply("Another in its place", gone)
    assert document.selection == frozenset()


def test_case_153_the_selection_holds_only_what_exists(document: Document) -> None:
    document.apply("Draw", design("ab", fan_out("a", "ab")))
    document.select(["a", "fan_out:a", "nowhere"])
    assert document.selection == {"a", "fan_out:a"}
    seen: list[frozenset[str]] = []
    document.changed.connect(lambda _: seen.append(document.selection))
    document.selection_changed.connect(lambda: seen.append(document.selection))
    document.undo_stack.undo()
    assert seen == [frozenset(), frozenset()]
    document.apply("Delete", edits.remove(document.design, document.selection))
    document.undo_stack.redo()
    assert document.selection == {"a", "fan_out:a"}


def test_undo_and_redo_give_back_what_was_selected(document: Document) -> None:
    document.apply("Draw", design("abc"))
    document.select(["a", "b"])
    document.apply("Delete", edits.remove(document.design, ["a", "b"]))
    document.select(["c"])
    document.apply("Name", edits.rename(document.design, "c", "C"))
    document.select([])
    document.undo_stack.undo()
    assert document.selection == {"c"}
    document.undo_stack.undo()
    assert document.selection == {"a", "b"}
    document.undo_stack.setIndex(3)
    assert document.selection == frozenset()
    document.undo_stack.setIndex(1)
    assert document.selection == {"a", "b"}


def test_undo_gives_back_what_was_selected_inside_a_sub_workflow(
    document: Document,
) -> None:
    made, sub = collapse(design("abc", direct("a", "b"), direct("b", "c")), "b")
    document.apply("Draw", made)
    document.enter(sub)
    document.select(["b"])
    document.apply("Name", edits.rename(document.design, "b", "B"))
    document.leave()
    document.undo_stack.undo()
    assert document.inside == (sub,)
    assert document.selection == {"b"}
    document.leave()
    document.undo_stack.redo()
    assert document.inside == (sub,)
    assert document.selection == frozenset()


def test_selecting_the_same_again_tells_nobody(
    document: Document, qtbot: QtBot
) -> None:
    document.apply("Draw", design("ab"))
    document.select({"a"})
    with qtbot.assertNotEmitted(document.selection_changed):
        document.select(["a", "x"])


# --- files --------------------------------------------------------------------------------------------------------


def test_saving_makes_clean_and_opening_gives_it_back(
    saved: Document, tmp_path: Path
) -> None:
    path = tmp_path / "flow.stepwell.json"
    assert (saved.is_clean, saved.path, saved.display_name, saved.folder) == (
        True,
        path,
        "flow",
        tmp_path,
    )
    assert saved.saved_at == path.stat().st_mtime
    other = Document()
    other.open(path)
    assert other.design == saved.design
    assert (other.is_clean, other.undo_stack.count()) == (True, 0)


def test_a_workflow_that_nobody_named_is_called_as_its_file(
    document: Document, tmp_path: Path
) -> None:
    document.apply("Draw", design("ab"))
    path = tmp_path / "price watch.stepwell.json"
    document.save(path)
    assert document.design.workflow.name == "price watch"
    assert files.load(path) == document.design
    assert document.is_clean
    document.save(tmp_path / "copy.stepwell.json")
    assert document.design.workflow.name == "price watch"


def test_a_name_that_was_given_stays_when_the_file_is_called_otherwise(
    document: Document, tmp_path: Path
) -> None:
    document.apply("Draw", edits.set_workflow(design("ab"), name="mine"))
    document.save(tmp_path / "other.stepwell.json")
    assert document.design.workflow.name == "mine"


def test_the_title_follows_path_and_cleanliness(
    saved: Document, tmp_path: Path, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(saved.title_changed, timeout=0):
        saved.apply("Rename", edits.rename(saved.design, "a", "A"))
    with qtbot.waitSignal(saved.title_changed, timeout=0):
        saved.undo_stack.undo()
    with qtbot.waitSignal(saved.title_changed, timeout=0):
        saved.save(tmp_path / "other.stepwell.json")
    assert saved.display_name == "other"
    with qtbot.waitSignals([saved.replaced, saved.title_changed], timeout=0):
        saved.new()
    assert (saved.display_name, saved.design, saved.path) == (
        "Untitled",
        Design(),
        None,
    )


def test_a_file_that_cannot_be_opened_changes_nothing(
    saved: Document, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.stepwell.json"
    broken.write_text("{", "utf-8")
    saved.apply("Rename", edits.rename(saved.design, "a", "A"))
    before = saved.design, "flow", saved.undo_stack.count(), False
    with pytest.raises(DefinitionError, match="line 1"):
        saved.open(broken)
    with pytest.raises(FileNotFoundError):
        saved.open(tmp_path / "nowhere")
    assert (
        saved.design,
        saved.display_name,
        saved.undo_stack.count(),
        saved.is_clean,
    ) == before


def test_a_save_that_fails_changes_nothing(saved: Document, tmp_path: Path) -> None:
    saved.apply("Rename", edits.rename(saved.design, "a", "A"))
    with pytest.raises(OSError, match="nowhere"):
        saved.save(tmp_path / "nowhere" / "flow.stepwell.json")
    assert (saved.display_name, saved.is_clean) == ("flow", False)
    with pytest.raises(ValueError, match="needs a path"):
        Document().save()


def test_a_change_by_somebody_else_is_noticed(saved: Document, tmp_path: Path) -> None:
    path = tmp_path / "flow.stepwell.json"
    assert not saved.changed_on_disk()
    text = path.read_text("utf-8")
    path.write_text(text.replace('"a"', '"c"'), "utf-8")
    assert saved.changed_on_disk()
    path.write_text(text, "utf-8")
    assert not saved.changed_on_disk()
    path.unlink()
    assert saved.changed_on_disk()
    saved.save()
    assert not saved.changed_on_disk()
    assert not Document().changed_on_disk()


def test_what_a_save_replaces_is_put_aside_and_comes_back_as_one_step(
    saved: Document, tmp_path: Path
) -> None:
    first = saved.design
    saved.apply("Rename", edits.rename(saved.design, "a", "A"))
    saved.save()
    second = saved.design
    path = tmp_path / "flow.stepwell.json"
    path.write_text("of somebody else", "utf-8")
    saved.apply("Rename", edits.rename(saved.design, "a", "B"))
    saved.save()
    foreign, before = saved.earlier_versions()
    assert foreign.file.read_text("utf-8") == "of somebody else"
    with pytest.raises(DefinitionError):
        saved.restore_backup(foreign)
    saved.restore_backup(before)
    assert (saved.design, saved.is_clean, saved.undo_stack.count()) == (first, False, 5)
    saved.undo_stack.undo()
    assert saved.design != second
    assert files.load(path) == saved.design


def test_a_backup_that_cannot_be_made_is_told_and_hinders_no_save(
    saved: Document, data: Path, tmp_path: Path
) -> None:
    told: list[str] = []
    saved.backup_failed.connect(told.append)
    (data / "backups").write_text("in the way", "utf-8")
    saved.apply("Rename", edits.rename(saved.design, "a", "A"))
    saved.save()
    assert files.load(tmp_path / "flow.stepwell.json") == saved.design
    assert "without a backup" in told[0]


def test_unsaved_work_that_is_given_up_is_put_aside(saved: Document) -> None:
    saved.give_up()
    assert saved.earlier_versions() == []
    saved.apply("Rename", edits.rename(saved.design, "a", "A"))
    saved.give_up()
    (kept,) = saved.earlier_versions()
    assert (kept.reason, files.load(kept.file)) == ("discarded", saved.design)


def test_a_change_on_disk_is_news_until_it_is_reloaded_or_known(
    saved: Document, tmp_path: Path
) -> None:
    path = tmp_path / "flow.stepwell.json"
    mine = saved.design
    os.utime(path, ns=(1, 1))  # touched, not changed
    assert saved.disk_news() == ""
    theirs = edits.rename(saved.design, "b", "Theirs")
    files.save(path, theirs)
    assert saved.disk_news() == "changed"
    saved.reload()
    assert (saved.design, saved.is_clean, saved.disk_news()) == (theirs, True, "")
    saved.undo_stack.undo()
    assert (saved.design, saved.is_clean) == (mine, False)
    path.unlink()
    assert saved.disk_news() == "removed"
    saved.keep_mine()
    assert (saved.disk_news(), saved.is_clean, path.exists()) == ("", False, False)
    path.write_text("{", "utf-8")
    with pytest.raises(DefinitionError):
        saved.reload()
    assert (saved.design, saved.disk_news()) == (mine, "changed")


def test_the_second_window_on_a_file_knows_of_the_first_until_it_closes(
    saved: Document, tmp_path: Path
) -> None:
    second = Document()
    second.open(tmp_path / "." / "flow.stepwell.json")
    assert (saved.other_window, second.other_window) == (0, os.getpid())
    saved.save(tmp_path / "elsewhere.stepwell.json")
    assert second.other_window == 0
    again = Document()
    again.open(tmp_path / "flow.stepwell.json")
    assert again.other_window == os.getpid()
    second.close()
    assert again.other_window == 0
    again.close()


_OTHER_WINDOW = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from designer.document.document import Document
application, document = QCoreApplication([]), Document()
document.open(Path(sys.argv[1]))
print("open", flush=True)
sys.stdin.read()
"""


def test_a_window_of_another_process_is_known_while_it_lives_and_not_when_it_was_killed(
    saved: Document, tmp_path: Path
) -> None:
    path = tmp_path / "flow.stepwell.json"
    saved.close()
    command = [sys.executable, "-c", _OTHER_WINDOW, str(path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        saved.open(path)
        assert saved.other_window == other.pid
        other.kill()
        other.wait()
        assert saved.other_window == 0


@pytest.mark.parametrize("write", [0o400, 0o444])
def test_a_read_only_file_is_not_replaced_not_even_by_root(
    saved: Document, tmp_path: Path, write: int
) -> None:
    path = tmp_path / "flow.stepwell.json"
    before = path.read_bytes()
    path.chmod(write)
    saved.apply("Rename", edits.rename(saved.design, "a", "A"))
    with pytest.raises(PermissionError, match="save elsewhere"):
        saved.save()
    assert (path.read_bytes(), saved.is_clean) == (before, False)


def test_a_drawing_whose_file_was_removed_is_put_aside(
    saved: Document, tmp_path: Path
) -> None:
    (tmp_path / "flow.stepwell.json").unlink()
    saved.give_up()
    assert [files.load(kept.file) for kept in saved.earlier_versions()] == [
        saved.design
    ]


def test_what_is_not_recovered_becomes_a_backup(saved: Document) -> None:
    saved.apply("Rename", edits.rename(saved.design, "a", "A"))
    die(saved)
    (entry,) = Document.recoverable()
    Document.discard(entry)
    assert Document.recoverable() == []
    assert files.load(saved.earlier_versions()[0].file) == saved.design


def test_runs_are_kept_beside_the_document_or_with_the_user(
    saved: Document, tmp_path: Path, data: Path
) -> None:
    assert saved.store_url() == f"sqlite:{tmp_path / '.stepwell' / 'runs.db'}"
    assert Document().store_url().startswith(f"sqlite:{data}")


# --- recovery -----------------------------------------------------------------------------------------------------


def test_an_edit_is_in_the_journal_within_a_moment(
    document: Document, data: Path, qtbot: QtBot
) -> None:
    document.apply("Draw", design("a"))
    qtbot.waitUntil(lambda: len(journals(data)) == 1, timeout=15000)
    assert files.load(journals(data)[0]).workflow == document.design.workflow
    assert Document.recoverable() == []  # this process lives


@pytest.mark.parametrize("end", ["save", "undo", "close", "new"])
def test_nothing_is_left_to_recover_after_a_proper_end(
    saved: Document, data: Path, end: str
) -> None:
    saved.apply("Rename", edits.rename(saved.design, "a", "A"))
    saved.flush_journal()
    assert len(journals(data)) == 1
    if end == "undo":
        saved.undo_stack.undo()
        saved.flush_journal()
    else:
        getattr(saved, end)()
    assert journals(data) == []


def test_unsaved_changes_of_a_dead_window_come_back_as_an_undo_step(
    saved: Document, data: Path
) -> None:
    before = saved.design
    saved.apply("Rename", edits.rename(saved.design, "a", "A"))
    die(saved)
    (entry,) = Document.recoverable()
    assert entry.name == "flow"
    again = Document()
    again.recover(entry)
    assert (again.design, again.path, again.is_clean) == (
        saved.design,
        saved.path,
        False,
    )
    assert not entry.file.exists()
    assert len(journals(data)) == 1  # its own: it may die, too
    again.undo_stack.undo()
    assert again.design == before
    assert again.is_clean
    again.close()


def test_a_drawing_that_was_never_saved_comes_back(document: Document) -> None:
    document.apply("Draw", design("abc"))
    die(document)
    again = Document()
    again.recover(Document.recoverable()[0])
    assert (again.design, again.path, again.is_clean) == (document.design, None, False)
    again.close()


def test_recovery_does_not_need_the_file(saved: Document, tmp_path: Path) -> None:
    saved.apply("Rename", edits.rename(saved.design, "a", "A"))
    die(saved)
    (tmp_path / "flow.stepwell.json").write_text("half a fi", "utf-8")
    again = Document()
    again.recover(Document.recoverable()[0])
    assert (again.design, again.is_clean) == (saved.design, False)
    again.save()
    assert files.load(tmp_path / "flow.stepwell.json") == saved.design


def test_a_journal_that_cannot_be_written_is_told_once_until_it_can_be_again(
    document: Document, data: Path
) -> None:
    told: list[str] = []
    document.journal_failed.connect(told.append)
    (data / FOLDER).write_text("in the way", "utf-8")
    for number in range(3):
        document.apply("Draw", design("abc"[: number + 1]))
        document.flush_journal()
    assert told == [document.unprotected]
    assert FOLDER in document.unprotected
    (data / FOLDER).unlink()
    document.flush_journal()
    assert len(journals(data)) == 1
    assert (told[1:], document.unprotected) == ([""], "")


def test_to_save_works_where_the_journal_does_not(
    document: Document, data: Path, tmp_path: Path
) -> None:
    (data / FOLDER).write_text("in the way", "utf-8")
    document.apply("Draw", design("a"))
    document.save(tmp_path / "flow.stepwell.json")
    assert (document.is_clean, document.path) == (True, tmp_path / "flow.stepwell.json")


def test_a_closed_document_is_not_kept_alive_by_its_undo_steps(data: Path) -> None:
    document = Document()
    document.apply("Draw", design("ab"))
    document.close()
    gone = weakref.ref(document)
    del document
    gc.collect()
    assert gone() is None


# --- places -----------------------------------------------------------------------------------------------------------


def without_places(path: Path, *kept: str) -> Path:
    """The file of a row of three nodes in which only these have a place."""
    drawing = design("abc", direct("a", "b"), direct("b", "c"))
    files.save(
        path, Design(drawing.workflow, {key: drawing.positions[key] for key in kept})
    )
    return path


def test_a_file_without_places_is_laid_out_and_that_is_no_edit(
    document: Document, tmp_path: Path
) -> None:
    document.open(without_places(tmp_path / "bare.stepwell.json"))
    places = document.design.positions
    assert len({places[key] for key in "abc"}) == 3
    assert places["a"][0] < places["b"][0] < places["c"][0]
    assert document.is_clean
    assert not document.undo_stack.canUndo()
    assert document.disk_news() == ""


def test_who_has_a_place_in_a_file_keeps_it(document: Document, tmp_path: Path) -> None:
    document.open(without_places(tmp_path / "bare.stepwell.json", "b"))
    assert document.design.positions["b"] == design("abc").positions["b"]
    assert document.design.positions.keys() == {"a", "b", "c"}


def test_a_sub_workflow_without_places_is_laid_out_when_one_looks_inside(
    document: Document, tmp_path: Path
) -> None:
    drawing, node = collapse(
        design("abc", direct("a", "b"), direct("b", "c")), ["a", "b"]
    )
    inner = drawing.workflow.node(node)
    assert inner is not None
    bare = {
        key: value for key, value in inner.params[INLINE].items() if key != "layout"
    }
    assert bare != inner.params[INLINE]
    drawing = edits.set_params(drawing, node, {**inner.params, INLINE: bare})
    document.apply("Draw", drawing)
    document.enter(node)
    places = document.design.positions
    assert places["a"] != places["b"]
    assert document.design.workflow.node("a") is not None
