"""What waits for a disk is done in a thread, and the window goes on meanwhile."""

from __future__ import annotations

import ast
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

import designer
from designer.document.document import Document
from designer.model import edits, files
from designer.qt.background import SHORT, is_waiting, run_in_background
from designer.shell.disk_watch import DiskWatch
from tests.designer.panels.fakes import design

PATIENCE = 20  # s


@pytest.fixture
def document(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Document]:
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    document = Document()
    document.apply("Draw", design())
    yield document
    document.close()


class Spy:
    """In which threads the files of a folder were opened; hears of each, as Python
    tells an auditor.
    """

    def __init__(self, folder: Path) -> None:
        self.threads: dict[str, threading.Thread] = {}
        self._folder: str | None = str(folder)

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if (
            self._folder is not None
            and event == "open"
            and str(arguments[0]).startswith(self._folder)
        ):
            self.threads[str(arguments[0])] = threading.current_thread()

    def stop(self) -> None:
        self._folder = None  # an auditor can never be taken away


@pytest.fixture
def spy(tmp_path: Path) -> Iterator[Spy]:
    spy = Spy(tmp_path)
    sys.addaudithook(spy)
    yield spy
    spy.stop()


@pytest.mark.usefixtures("qapp")
def test_an_answer_and_an_error_come_from_another_thread() -> None:
    assert run_in_background(threading.current_thread) is not threading.main_thread()
    with pytest.raises(ZeroDivisionError):
        run_in_background(lambda: 1 // 0)
    assert not is_waiting()


def test_work_of_a_thread_is_done_in_place(qapp: object) -> None:
    threads: list[list[threading.Thread]] = []
    own = threading.Thread(
        target=lambda: threads.append(
            [threading.current_thread(), run_in_background(threading.current_thread)]
        )
    )
    own.start()
    own.join(PATIENCE)
    assert threads == [[own, own]]


def test_the_window_goes_on_while_a_disk_is_slow_but_keys_wait(qtbot: QtBot) -> None:
    ended = threading.Event()
    waited = []
    field = QLineEdit()
    qtbot.addWidget(field)
    field.show()
    qtbot.waitExposed(field)

    def meanwhile() -> None:
        waited.append(is_waiting())
        ended.set()

    QTimer.singleShot(int(SHORT * 2000), field, meanwhile)
    assert run_in_background(
        lambda: ended.wait(PATIENCE)
    )  # ends only when the timer rang
    assert waited == [True]
    assert not is_waiting()


def test_no_news_of_a_file_are_told_while_it_is_being_saved(
    document: Document, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "flow.stepwell.json"
    ended = threading.Event()
    document.save(path)
    watch = DiskWatch(document, document)
    path.write_text("{}", encoding="utf-8")

    def meanwhile() -> None:
        watch.look()
        ended.set()

    QTimer.singleShot(int(SHORT * 2000), watch, meanwhile)
    run_in_background(lambda: ended.wait(PATIENCE))
    assert watch.news == ""
    watch.look()
    assert watch.news == "changed"
    watch.stop()


def test_neither_a_save_nor_its_backup_is_written_in_the_thread_of_the_window(
    document: Document, tmp_path: Path, spy: Spy
) -> None:
    path = tmp_path / "flow.stepwell.json"
    document.save(path)
    document.apply("Draw", edits.set_workflow(document.root, name="other"))
    spy.threads.clear()
    document.save()
    written = [name for name in spy.threads if "journal" not in name]
    assert any("backups" in name for name in written)
    assert any("flow.stepwell.json" in name for name in written)
    assert threading.main_thread() not in [spy.threads[name] for name in written]
    assert files.load(path).workflow.name == "other"
    assert document.is_clean


def test_what_is_discarded_is_put_aside_in_another_thread(
    document: Document, spy: Spy
) -> None:
    document.give_up()
    written = [name for name in spy.threads if "backups" in name]
    assert written
    assert threading.main_thread() not in [spy.threads[name] for name in written]


def test_threads_are_made_here_alone_and_none_by_qt() -> None:
    """A `QRunnable`, or a thread that has a widget, dies with things of Qt in it."""
    root = Path(designer.__file__).parent
    makers = {
        path.name
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Name)
        and node.id in {"QRunnable", "QThreadPool", "Thread", "ThreadPoolExecutor"}
    }
    # the second imports modules, before any document is there
    assert makers == {"background.py", "warm.py"}
