"""A slow disk stops nobody who draws; the recovery file has the newest in the end, and
none comes after a save.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest
from pytestqt.qtbot import QtBot

from designer.document.document import Document
from designer.document.journal import FOLDER, Journal
from designer.model import edits, files
from runtime.document.files import write_bytes

WAIT = 20


class SlowDisk:
    """Each write begins, and ends when it is let go."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.go = Event()
        self.error = ""

    def write(self, path: Path, content: bytes) -> None:
        self.begun.append(files.loads(content.decode()).workflow.description)
        assert self.go.wait(WAIT)
        if self.error:
            raise OSError(self.error)
        write_bytes(path, content)


@pytest.fixture
def disk() -> SlowDisk:
    return SlowDisk()


@pytest.fixture
def document(
    qtbot: QtBot, disk: SlowDisk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Document]:
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path))
    made = Document(journal=Journal(tmp_path, disk.write))
    yield made
    disk.go.set()
    made.close()


def say(document: Document, text: str) -> None:
    document.apply("Describe", edits.set_workflow(document.design, description=text))


def written(folder: Path) -> list[str]:
    return [
        files.load(path).workflow.description
        for path in (folder / FOLDER).glob("*.json")
    ]


def test_who_draws_goes_on_while_the_disk_is_slow_and_the_newest_is_written_in_the_end(
    document: Document, disk: SlowDisk, qtbot: QtBot, tmp_path: Path
) -> None:
    say(document, "one")
    # the window's loop runs on: this waits in it
    qtbot.waitUntil(lambda: disk.begun == ["one"])
    for text in ("two", "three"):
        say(document, text)
        document._write_journal()
    assert disk.begun == ["one"]
    disk.go.set()
    qtbot.waitUntil(lambda: written(tmp_path) == ["three"])
    assert disk.begun == ["one", "three"]


def test_what_has_to_be_on_disk_now_comes_after_what_was_being_written(
    document: Document, disk: SlowDisk, qtbot: QtBot, tmp_path: Path
) -> None:
    say(document, "one")
    qtbot.waitUntil(lambda: disk.begun == ["one"])
    say(document, "two")
    document._write_journal()
    say(document, "last")
    disk.go.set()
    document.flush_journal()
    assert written(tmp_path) == ["last"]
    qtbot.wait(1)  # what the thread told is heard, and is nothing any more
    assert disk.begun == ["one", "last"]


def test_after_a_save_no_recovery_file_comes_back(
    document: Document, disk: SlowDisk, qtbot: QtBot, tmp_path: Path
) -> None:
    say(document, "one")
    qtbot.waitUntil(lambda: disk.begun == ["one"])
    say(document, "two")
    document._write_journal()
    disk.go.set()
    document.save(tmp_path / "it.stepwell.json")
    assert written(tmp_path) == []
    qtbot.wait(1)
    assert (written(tmp_path), disk.begun) == ([], ["one"])


def test_a_write_that_fails_beside_the_window_is_told_and_so_is_that_it_works_again(
    document: Document, disk: SlowDisk, qtbot: QtBot
) -> None:
    disk.error = "the disk is full"
    disk.go.set()
    say(document, "one")
    qtbot.waitUntil(lambda: document.unprotected == "the disk is full")
    disk.error = ""
    say(document, "two")
    qtbot.waitUntil(lambda: document.unprotected == "")
