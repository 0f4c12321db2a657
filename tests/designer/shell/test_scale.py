"""Everything is larger or smaller by a setting, from the next start on."""

import os
import subprocess
import sys

import pytest

from designer.shell.settings.scale import SIZES
from designer.shell.settings.settings import Settings

pytestmark = pytest.mark.slow

START = """
import sys
from pathlib import Path
from PySide6.QtWidgets import QWidget
from designer.app import start_application
from designer.shell.settings.settings import Settings
start_application(Settings(Path(sys.argv[1])))
print(QWidget().devicePixelRatioF())
"""


def ratio(file, **environment):
    inherited = {
        name: value for name, value in os.environ.items() if name != "QT_SCALE_FACTOR"
    }
    command = [sys.executable, "-c", START, str(file)]
    done = subprocess.run(
        command,
        env=inherited | environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return float(done.stdout)


@pytest.mark.parametrize("size", [80, 200])
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


def test_each_size_is_one_command_that_says_when_it_holds(hand, tmp_path):
    for size in SIZES:
        action = hand.window.actions_by_id[f"scale-{size}"]
        action.trigger()
        assert Settings(tmp_path / "settings.json").values.scale == size
        assert f"{size} % from the next start" in hand.window.status.text
        checked = [
            other
            for other in SIZES
            if hand.window.actions_by_id[f"scale-{other}"].isChecked()
        ]
        assert checked == [size]


def test_a_size_of_the_environment_is_told_to_count_more(hand, monkeypatch):
    monkeypatch.setenv("QT_SCALE_FACTOR", "1.5")
    hand.window.actions_by_id["scale-200"].trigger()
    assert "QT_SCALE_FACTOR is set" in hand.window.status.text
