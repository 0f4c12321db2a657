"""Slow imports happen beside the window: it stays alive meanwhile, and a check waits for them instead of standing."""

import os
import subprocess
import sys

CODE = """
import sys, time
from PySide6.QtCore import QTimer
from designer import warm
from designer.app import make_application
from tests.designer.fakes import Stall
app = make_application()
assert "cel" not in sys.modules
with Stall() as stall:
    warm.start()
    warm.start()
    assert warm.is_busy()
    watch = QTimer(interval=5)
    watch.timeout.connect(lambda: None if warm.is_busy() else app.quit())
    watch.start()
    app.exec()
assert {"cel", "networkx", "jsonschema"} <= set(sys.modules)
print(stall.longest)
"""


def test_the_event_loop_goes_round_while_modules_are_imported(tmp_path):
    environment = {**os.environ, "STEPWELL_DATA_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True, env=environment)
    # On the window's own thread it is one stall of all of it, most of a second.
    assert float(done.stdout) < 0.25
