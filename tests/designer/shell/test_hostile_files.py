"""Files that become something else while they are open, and what is dropped by mistake:
said, and nothing is lost.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from designer.document.document import Document
from designer.document.journal import FOLDER
from designer.model import edits
from designer.model.files import load, save
from designer.shell.files.dialogs import Choice
from designer.shell.settings.settings import Settings
from runtime.system.bounded_files import DEEPEST
from runtime.system.user_folders import data_dir
from tests.designer.panels.fakes import design
from tests.designer.shell.support import BUILT_IN, Hand, link_of
from tests.designer.shell.test_exchange import drop

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "mine.stepwell.json"
    save(file, design())
    return file


def add(document: Document, name: str) -> None:
    drawn, _ = edits.add_node(document.design, "output", (400, 400), node_id=name)
    document.apply("Add Output", drawn)


def ids(path: Path) -> set[str]:
    return {node.id for node in load(path).workflow.nodes}


def as_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def as_circle(path: Path) -> None:
    path.unlink()
    path.symlink_to(path)


def as_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def without_folder(path: Path) -> None:
    path.unlink()
    path.parent.rename(path.parent.with_name("elsewhere"))


@pytest.mark.parametrize("become", [as_folder, as_circle, as_pipe, without_folder])
def test_what_a_file_becomes_while_it_is_open_costs_no_edit(
    become: Callable[[Path], None], hand: Hand, tmp_path: Path
) -> None:
    path = tmp_path / "place" / "mine.stepwell.json"
    path.parent.mkdir()
    save(path, design())
    hand.window.files.open(path)
    document = hand.workspace.document
    become(path)
    add(document, "late")
    document.flush_journal()
    assert len(list((data_dir() / FOLDER).glob("*.json"))) == 1
    hand.workspace.watch.look()
    told: list[str] = []
    document.backup_failed.connect(told.append)
    hand.somebody.elsewhere = True
    hand.key(Qt.Key.Key_S, CTRL)
    assert hand.somebody.told[-1][0] == "mine.stepwell.json cannot be saved"
    assert hand.somebody.save_to is not None
    assert "late" in ids(hand.somebody.save_to)
    assert document.is_clean
    assert told == []  # nothing was said to be saved that was not


def test_a_file_that_is_a_link_is_written_through_and_stays_a_link(
    hand: Hand, path: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link.stepwell.json"
    link.symlink_to(path.name)
    hand.window.files.open(link)
    hand.window.files.open(path)  # the same tab
    assert len(hand.window.workspaces) == 1
    add(hand.workspace.document, "late")
    hand.key(Qt.Key.Key_S, CTRL)
    assert link.is_symlink()
    assert "late" in ids(path)


def test_a_pipe_is_refused_before_it_is_read(hand: Hand, path: Path) -> None:
    as_pipe(path)
    drop(hand, path)
    assert "a pipe" in hand.somebody.told[-1][1]
    picture = path.with_suffix(".png")
    os.mkfifo(picture)
    drop(hand, picture)
    assert "a pipe" in hand.somebody.told[-1][1]
    assert hand.window.workspaces == []


def test_five_files_at_once_are_five_tabs_and_a_folder_is_none(
    hand: Hand, tmp_path: Path
) -> None:
    files = [tmp_path / f"{number}.stepwell.json" for number in range(5)]
    for file in files:
        save(file, design())
    assert drop(hand, *files, tmp_path)
    assert [one.document.path for one in hand.window.workspaces] == files
    assert hand.somebody.told == []
    assert not drop(hand, tmp_path)


def test_of_several_files_the_good_ones_open(
    hand: Hand, path: Path, tmp_path: Path
) -> None:
    (tmp_path / "cut.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    (tmp_path / "bad.json").write_text("{")
    drop(hand, tmp_path / "cut.png", tmp_path / "bad.json", path)
    assert [one.document.path for one in hand.window.workspaces] == [path]
    assert [title for title, _ in hand.somebody.told] == [
        "cut.png cannot be opened",
        "bad.json cannot be opened",
    ]


def test_two_windows_that_both_save_lose_nothing(hand: Hand, path: Path) -> None:
    hand.window.files.open(path)
    mine = hand.workspace.document
    theirs = Document()
    theirs.open(path)
    for round_ in range(3):
        add(theirs, f"theirs{round_}")
        theirs.save()
        add(mine, f"mine{round_}")
        hand.somebody.overwrites = round_ != 1
        hand.key(Qt.Key.Key_S, CTRL)
        assert hand.somebody.asked[-1] == "overwrite mine"
    assert {"mine0", "mine1", "mine2"} <= ids(path)
    kept = set().union(*(ids(backup.file) for backup in mine.earlier_versions()))
    assert {"theirs0", "theirs1", "theirs2"} <= kept
    theirs.close()


def test_a_tab_that_is_closed_unsaved_over_a_broken_place_is_among_the_backups(
    hand: Hand, path: Path
) -> None:
    hand.window.files.open(path)
    add(hand.workspace.document, "late")
    backups = hand.workspace.document.earlier_versions
    as_folder(path)
    hand.somebody.changes = Choice.DISCARD
    hand.key(Qt.Key.Key_W, CTRL)
    assert hand.window.workspaces == []
    assert "late" in ids(backups()[0].file)


# --- what is deep, endless or of any size -----------------------------------------------------------------------------


def nested(depth: int) -> object:
    value: object = "the end"
    for level in range(depth):
        value = [value] if level % 2 else {"token": value}
    return value


def deep_text(depth: int) -> str:
    """A workflow whose params, input and layout have values of this depth, all told."""
    text = nested_json(depth)
    nodes = [
        {"id": "a", "type": "input"},
        {"id": "s", "type": "set_state", "params": {"key": "k", "value": "DEEP"}},
    ]
    edges = [{"id": "as", "kind": "direct", "source": "a", "target": "s"}]
    flow = {
        "name": "deep",
        "start": "a",
        "input": "DEEP",
        "nodes": nodes,
        "edges": edges,
    }
    return json.dumps(
        {"format": 1, "workflow": flow, "layout": {"deep": "DEEP"}}
    ).replace('"DEEP"', text)


def nested_json(depth: int) -> str:
    return json.dumps(nested(depth))


def test_the_deepest_document_is_opened_shown_edited_and_saved(
    hand: Hand, tmp_path: Path
) -> None:
    path = tmp_path / "deep.stepwell.json"
    path.write_text(deep_text(DEEPEST - 6))
    hand.window.files.open(path)
    workspace = hand.workspace
    link_of(workspace).reply("catalogue", BUILT_IN)
    hand.show("Properties")
    for selected in ("s", "a", ""):
        workspace.document.select([selected] if selected else [])
        QApplication.processEvents()
    hand.key(Qt.Key.Key_A, CTRL)
    hand.key(Qt.Key.Key_C, CTRL)
    hand.key(Qt.Key.Key_V, CTRL)
    assert len(workspace.document.design.workflow.nodes) == 4
    hand.key(Qt.Key.Key_S, CTRL)
    assert workspace.document.is_clean
    assert hand.somebody.told == []


def test_a_document_that_is_too_deep_is_refused_with_its_name_place_and_limit(
    hand: Hand, tmp_path: Path
) -> None:
    for depth in (DEEPEST + 1, 250, 900):
        path = tmp_path / f"deep{depth}.stepwell.json"
        path.write_text(deep_text(depth))
        drop(hand, path)
        title, text = hand.somebody.told[-1]
        assert path.name in title
        assert "workflow.input" in text
        assert str(DEEPEST) in text
    assert hand.window.workspaces == []


def test_what_is_pasted_and_too_deep_is_refused(hand: Hand, path: Path) -> None:
    hand.window.files.open(path)
    before = hand.workspace.document.design
    for text in (
        deep_text(300),
        json.dumps({"stepwell": "clip", "nodes": nested(300)}),
        "[" * 100_000,
    ):
        QApplication.clipboard().setText(text)
        hand.workspace.canvas.setFocus()
        hand.key(Qt.Key.Key_V, CTRL)
        assert hand.workspace.document.design is before
    assert hand.somebody.told == []


def test_what_has_no_end_or_any_size_is_refused(hand: Hand, tmp_path: Path) -> None:
    for suffix in (".stepwell.json", ".png", ".svg", ".pdf"):
        device = tmp_path / f"device{suffix}"
        sparse = tmp_path / f"sparse{suffix}"
        device.symlink_to("/dev/zero")
        with sparse.open("wb") as stream:
            stream.truncate(40 * 2**30)
        for path, reason in ((device, "a device"), (sparse, "40,960 MB")):
            drop(hand, path)
            title, text = hand.somebody.told[-1]
            assert path.name in title
            assert reason in text
    assert hand.window.workspaces == []


def test_the_file_of_a_sub_workflow_that_is_none_is_said_and_the_drawing_stays(
    hand: Hand, tmp_path: Path
) -> None:
    outer = tmp_path / "outer.stepwell.json"
    children = {"pipe": as_pipe, "folder": as_folder, "circle": as_circle}
    for name, become in children.items():
        (tmp_path / name).touch()
        become(tmp_path / name)
    nodes = [
        {"id": name, "type": "sub_workflow", "params": {"file": name}}
        for name in children
    ]
    outer.write_text(
        json.dumps(
            {
                "format": 1,
                "workflow": {"name": "w", "start": "pipe", "nodes": nodes, "edges": []},
            }
        )
    )
    hand.window.files.open(outer)
    workspace = hand.workspace
    link_of(workspace).reply("catalogue", BUILT_IN)
    hand.show("Properties")
    for name in children:
        workspace.document.select([name])
        workspace.canvas.setFocus()
        hand.key(Qt.Key.Key_Return)
        assert [one.document.path for one in hand.window.workspaces] == [outer]
        assert name in " ".join(hand.somebody.told[-1])


def test_a_file_whose_name_is_no_text_is_opened_and_remembered(
    hand: Hand, tmp_path: Path
) -> None:
    path = tmp_path / os.fsdecode(b"n\xffme.stepwell.json")
    save(path, design())
    hand.window.files.open(path)
    assert hand.somebody.told == []
    assert [one.document.path for one in hand.window.workspaces] == [path]
    assert Settings(hand.window.settings._file).values.recent[0].path == str(path)
