"""Slow imports happen beside the window: it stays alive meanwhile, and a check waits for them instead of standing."""

import os
import subprocess
import sys

CODE = """
import sys
from PySide6.QtCore import QTimer
from designer import warm
from designer.app import make_application
app = make_application()
assert "cel" not in sys.modules
rounds = 0

def watch():
    global rounds
    rounds += warm.is_busy()
    if not warm.is_busy():
        app.quit()

warm.start()
warm.start()
assert warm.is_busy()
timer = QTimer(interval=0)
timer.timeout.connect(watch)
timer.start()
app.exec()
assert {"cel", "networkx", "jsonschema"} <= set(sys.modules)
print(rounds)
"""


def test_the_event_loop_goes_round_while_modules_are_imported(tmp_path):
    environment = {**os.environ, "STEPWELL_DATA_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    # On the window's own thread it would not go round until all of it is imported.
    assert int(done.stdout) > 5
