"""The collector takes nothing of Qt away in another thread, and no document that is
open is walked over.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import weakref
from pathlib import Path

import pytest

from designer.model.design import Design
from designer.model.files import save
from designer.qt import garbage_collector

# Two hundred timers in circles, and a thread that makes many objects. Without
# `collect_from_timer` the process dies.
PROGRAM = """
import gc, sys, threading
from PySide6.QtCore import QCoreApplication, QTimer
from designer.qt import garbage_collector

application = QCoreApplication([])
gone = []

class Timer(QTimer):
    def __init__(self):
        super().__init__(interval=5)
        self.itself = self
        self.sign = Sign()
        self.start()

class Sign:
    def __del__(self):
        gone.append(threading.current_thread() is threading.main_thread())

def work():
    for _ in range(40):
        [{k: [k]} for k in range(2000)]

garbage_collector.collect_from_timer(application)
for _ in range(200):
    Timer()
thread = threading.Thread(target=work)
thread.start()
thread.join()
assert not gone, "in another thread"
garbage_collector.collect()
print(set(gone))
"""

STARTED_WITH_A_FILE = """
import gc, sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from designer import app
from designer.document.document import Document

class Watched(Document):
    def open(self, path):
        super().open(path)
        print("walks by itself:", gc.isenabled(), flush=True)
        QTimer.singleShot(0, QApplication.quit)

app.Document = Watched
sys.exit(app.main(Path(sys.argv[1])))
"""


class Ring:
    def __init__(self) -> None:
        self.itself = self


def test_what_is_of_qt_dies_in_the_thread_of_the_window() -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "{True}", "")


@pytest.mark.slow
def test_a_file_that_the_program_is_started_with_is_opened_without_walks(
    tmp_path: Path,
) -> None:
    file = tmp_path / "mine.stepwell.json"
    save(file, Design())
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": "offscreen",
        "STEPWELL_DATA_DIR": str(tmp_path / "data"),
    }
    program = [sys.executable, "-c", STARTED_WITH_A_FILE, str(file)]
    done = subprocess.run(
        program,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "walks by itself: False"), (
        done.stderr
    )


def test_a_walk_is_due_after_many_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage_collector, "THRESHOLDS", (0, 0, 0))
    gone = weakref.ref(Ring())
    for _ in range(3):
        many = [[number] for number in range(10)]
        garbage_collector.collect_if_due()
    assert gone() is None
    assert many


def test_what_is_opened_is_not_walked_over_until_a_document_is_closed() -> None:
    before = gc.get_freeze_count()
    gone = weakref.ref(Ring())
    garbage_collector.freeze()
    assert gc.get_freeze_count() > before
    gc.collect()
    assert gone() is not None
    garbage_collector.collect()
    assert gone() is None
    gc.unfreeze()
