"""Slow imports happen beside the window: it stays alive meanwhile, and a check waits
for them instead of blocking.
"""

import subprocess
import sys
from threading import Event

from PySide6.QtCore import QTimer

from designer import warm

STARTED = """
import sys
from designer import warm
from designer.app import make_application
make_application()
print(sorted({"cel", "networkx", "jsonschema"} & set(sys.modules)))
warm.start()
warm._thread.join()
print(set(warm.MODULES) <= set(sys.modules))
"""


def test_the_event_loop_goes_round_while_modules_are_imported(qtbot, monkeypatch):
    loop_went_round = Event()
    imported = []

    def import_slowly(name: str) -> None:
        assert loop_went_round.wait(30)
        imported.append(name)

    monkeypatch.setattr(warm, "import_module", import_slowly)
    monkeypatch.setattr(warm, "_thread", None)
    warm.start()
    warm.start()
    assert warm.is_busy()
    # On the window's own thread the import would wait for this for ever.
    QTimer.singleShot(0, loop_went_round.set)
    qtbot.waitUntil(lambda: not warm.is_busy(), timeout=30_000)
    assert imported == list(warm.MODULES)


def test_a_window_starts_without_them_and_has_them_afterwards(tmp_path, monkeypatch):
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path))
    printed = subprocess.run(
        [sys.executable, "-c", STARTED], capture_output=True, text=True, check=True
    ).stdout
    assert printed.splitlines() == ["[]", "True"]
