"""Files that become something else while they are open, and what is dropped by mistake: said, and nothing is lost."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from designer.document import Document
from designer.journal import FOLDER
from designer.model import edits
from designer.model.files import load, save
from designer.shell.dialogs import Choice
from runtime.places import data_dir
from tests.designer.panels.fakes import design
from tests.designer.shell.support import Hand
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


def test_a_file_that_is_a_link_is_written_through_and_stays_a_link(hand: Hand, path: Path, tmp_path: Path) -> None:
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


def test_twenty_files_at_once_are_twenty_tabs_and_a_folder_is_none(hand: Hand, tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.stepwell.json" for number in range(20)]
    for file in files:
        save(file, design())
    assert drop(hand, *files, tmp_path)
    assert [one.document.path for one in hand.window.workspaces] == files
    assert hand.somebody.told == []
    assert not drop(hand, tmp_path)


def test_of_several_files_the_good_ones_open(hand: Hand, path: Path, tmp_path: Path) -> None:
    (tmp_path / "cut.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    (tmp_path / "bad.json").write_text("{")
    drop(hand, tmp_path / "cut.png", tmp_path / "bad.json", path)
    assert [one.document.path for one in hand.window.workspaces] == [path]
    assert [title for title, _ in hand.somebody.told] == ["cut.png cannot be opened", "bad.json cannot be opened"]


def test_two_windows_that_both_save_lose_nothing(hand: Hand, path: Path) -> None:
    hand.window.files.open(path)
    mine, theirs = hand.workspace.document, Document()
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


def test_a_tab_that_is_closed_unsaved_over_a_broken_place_is_among_the_backups(hand: Hand, path: Path) -> None:
    hand.window.files.open(path)
    add(hand.workspace.document, "late")
    backups = hand.workspace.document.earlier_versions
    as_folder(path)
    hand.somebody.changes = Choice.DISCARD
    hand.key(Qt.Key.Key_W, CTRL)
    assert hand.window.workspaces == []
    assert "late" in ids(backups()[0].file)
