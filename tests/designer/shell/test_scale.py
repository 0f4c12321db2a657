"""Everything is larger or smaller by a setting, from the next start on."""

import os
import subprocess
import sys

import pytest

from designer.shell.scale import SIZES, next_size
from designer.shell.settings import Settings

START = """
import sys
from pathlib import Path
from PySide6.QtWidgets import QWidget
from designer.app import start_application
from designer.shell.settings import Settings
start_application(Settings(Path(sys.argv[1])))
print(QWidget().devicePixelRatioF())
"""


def ratio(file, **environment):
    inherited = {name: value for name, value in os.environ.items() if name != "QT_SCALE_FACTOR"}
    command = [sys.executable, "-c", START, str(file)]
    done = subprocess.run(command, env=inherited | environment, capture_output=True, text=True, check=True, timeout=60)
    return float(done.stdout)


@pytest.mark.parametrize("size", [80, 100, 200])
def test_the_next_start_has_the_size_of_the_settings(tmp_path, size):
    settings = Settings(tmp_path / "settings.json")
    settings.values.scale = size
    settings.write()
    assert ratio(tmp_path / "settings.json") == pytest.approx(size / 100)


def test_what_the_environment_says_stays(tmp_path):
    settings = Settings(tmp_path / "settings.json")
    settings.values.scale = 200
    settings.write()
    assert ratio(tmp_path / "settings.json", QT_SCALE_FACTOR="1.5") == 1.5


def test_sizes_go_from_80_to_200_and_no_further():
    assert (SIZES[0], SIZES[-1]) == (80, 200)
    assert (next_size(80, -1), next_size(200, 1), next_size(100, 1)) == (80, 200, 110)


def test_the_command_says_when_it_holds_and_is_off_at_the_end(hand, tmp_path):
    for _ in SIZES:
        hand.window.actions_by_id["larger"].trigger()
    assert Settings(tmp_path / "settings.json").values.scale == 200
    assert "200 % from the next start" in hand.window.status.text
    assert not hand.window.actions_by_id["larger"].isEnabled()
