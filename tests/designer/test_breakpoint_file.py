"""The breakpoints of a document beside it: without undo, without a save, shared by two
windows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from designer.document.breakpoints import Breakpoints
from designer.document.document import Document
from designer.model import edits
from designer.model.debug_file import LARGEST
from runtime.debug.protocol import Breakpoint, PinnedResult
from tests.designer.panels.fakes import design


@pytest.fixture
def path(qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "audit.stepwell.json"


@pytest.fixture
def document(path: Path) -> Iterator[Document]:
    document = Document()
    document.apply("Draw", design())
    document.save(path)
    yield document
    document.close()


def kept(path: Path) -> list[str]:
    file = path.with_name("audit.debug.json")
    return [point["id"] for point in json.loads(file.read_text())["breakpoints"]]


def point(id: str = "a", **fields: object) -> Breakpoint:
    return Breakpoint.model_validate({"id": id, "where": "rank", **fields})


def test_a_breakpoint_is_in_the_file_and_is_no_edit(
    document: Document, path: Path
) -> None:
    content = path.read_bytes()
    document.breakpoints.put(point())
    document.breakpoints.finish()
    assert kept(path) == ["a"]
    assert document.is_clean
    assert not document.undo_stack.canUndo() or document.undo_stack.count() == 1
    assert path.read_bytes() == content


def test_opening_and_looking_write_nothing(document: Document, path: Path) -> None:
    document.breakpoints.look()
    document.breakpoints.finish()
    assert not path.with_name("audit.debug.json").exists()


def test_a_document_that_is_not_saved_keeps_them_until_its_first_save(
    path: Path,
) -> None:
    document = Document()
    document.apply("Draw", design())
    document.breakpoints.put(point())
    document.breakpoints.finish()
    document.save(path)
    document.breakpoints.finish()
    assert kept(path) == ["a"]
    document.close()


def test_save_as_keeps_the_breakpoints_of_both_places(
    document: Document, path: Path
) -> None:
    other = path.with_name("other.stepwell.json")
    path.with_name("other.debug.json").write_text(
        '{"breakpoints": [{"id": "there", "where": "age"}]}'
    )
    document.breakpoints.put(point())
    document.save(other)
    document.breakpoints.finish()
    ids = {entry.id for entry in document.breakpoints.notes.breakpoints}
    assert ids == {"there", "a"}


def test_an_opened_document_has_its_breakpoints(document: Document, path: Path) -> None:
    document.breakpoints.put(point())
    document.breakpoints.finish()
    document.open(path)
    assert [entry.id for entry in document.breakpoints.notes.breakpoints] == ["a"]
    document.new()
    assert not document.breakpoints.notes.breakpoints


def test_a_second_window_sees_the_changes_and_neither_loses_any(
    document: Document, path: Path
) -> None:
    second = Document()
    second.open(path)
    document.breakpoints.put(point("first"))
    document.breakpoints.finish()
    second.breakpoints.put(point("second"))
    second.breakpoints.finish()
    document.breakpoints.look()
    for window in (document, second):
        ids = {entry.id for entry in window.breakpoints.notes.breakpoints}
        assert ids == {"first", "second"}
    second.breakpoints.remove({"first"})
    second.breakpoints.finish()
    document.breakpoints.look()
    assert [entry.id for entry in document.breakpoints.notes.breakpoints] == ["second"]
    second.close()


def test_a_damaged_file_is_said_and_kept_before_it_is_replaced(
    document: Document, path: Path
) -> None:
    told: list[str] = []
    document.breakpoints.failed.connect(told.append)
    file = path.with_name("audit.debug.json")
    file.write_text('{"breakpoints": [')
    document.open(path)
    assert "audit.debug.json" in told[0]
    assert file.read_text() == '{"breakpoints": ['
    document.breakpoints.put(point())
    document.breakpoints.finish()
    assert kept(path) == ["a"]
    copy = path.with_name("audit.debug.json.damaged-1")
    assert copy.read_text() == '{"breakpoints": ['
    assert str(copy) in told[-1]


def test_a_file_that_cannot_be_written_is_said_and_nothing_is_lost(
    document: Document, path: Path
) -> None:
    told: list[str] = []
    document.breakpoints.failed.connect(told.append)
    path.with_name("audit.debug.json").mkdir()
    document.breakpoints.put(point())
    document.breakpoints.finish()
    assert "cannot be written" in told[-1]
    assert [entry.id for entry in document.breakpoints.notes.breakpoints] == ["a"]


def test_a_rename_keeps_a_breakpoint_and_undo_takes_it_back(document: Document) -> None:
    document.breakpoints.put(point())
    document.apply("Rename", edits.set_id(document.design, "rank", "reach"))
    assert document.breakpoints.notes.breakpoints[0].where == "reach"
    document.undo_stack.undo()
    assert document.breakpoints.notes.breakpoints[0].where == "rank"


def test_a_deletion_keeps_a_breakpoint_for_undo(document: Document) -> None:
    document.breakpoints.put(point())
    document.apply("Delete", edits.remove(document.design, {"rank"}))
    assert document.breakpoints.notes.breakpoints == (point(),)


def test_a_shipped_example_keeps_them_in_the_users_folder(
    path: Path, tmp_path: Path
) -> None:
    shipped = next(
        Path(__file__)
        .parents[2]
        .joinpath("resources/examples")
        .rglob("*.stepwell.json")
    )
    breakpoints = Breakpoints()
    breakpoints.open(shipped)
    assert breakpoints.path is not None
    assert breakpoints.path.is_relative_to(tmp_path / "data")
    breakpoints.close()


def test_a_pin_is_in_the_file_of_the_breakpoints_and_follows_a_rename(
    document: Document, path: Path
) -> None:
    document.breakpoints.pin("rank", PinnedResult(sent=(7,)))
    document.apply("Rename", edits.set_id(document.design, "rank", "order"))
    document.breakpoints.finish()
    file = json.loads(path.with_name("audit.debug.json").read_text())
    assert file["pinned"] == {"order": {"sent": [7]}}
    document.breakpoints.unpin("order")
    assert not document.breakpoints.notes.pins.results


def test_pins_that_are_too_large_to_be_read_again_are_not_written(
    document: Document, path: Path
) -> None:
    complaints: list[str] = []
    document.breakpoints.failed.connect(complaints.append)
    document.breakpoints.pin("rank", PinnedResult(sent=("x" * LARGEST,)))
    document.breakpoints.finish()
    assert not path.with_name("audit.debug.json").exists()
    assert "Unpin a large result" in complaints[0]
