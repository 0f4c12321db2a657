"""A window that cannot open is refused in one sentence with the remedy, never by an
abort.
"""

import subprocess
import sys

import pytest

from designer import startup


@pytest.mark.parametrize(
    ("qt", "python", "bad"),
    [("6.12.0", (3, 11), True), ("6.11.3", (3, 11), False), ("6.12.0", (3, 12), False)],
)
def test_the_release_that_loses_none_is_refused_on_old_pythons_only(qt, python, bad):
    assert bool(startup.bad_pair(qt, python)) is bad


def test_this_installation_does_not_lose_references_to_none():
    # The defect aborts after some thousand void calls; the count shows it at once.
    code = (
        "import sys; from PySide6.QtCore import QObject; o = QObject(); before = sys.getrefcount(None)\n"
        "for _ in range(2000): o.setObjectName('x')\n"
        "sys.exit(abs(sys.getrefcount(None) - before) > 200)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_no_display_is_said_with_the_way_out(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    problem = startup.display_problem()
    assert problem is not None
    assert "There is no display" in problem
    assert "stepwell --help" in problem


def test_a_display_that_does_not_answer_is_found_before_qt_aborts(monkeypatch):
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    monkeypatch.setenv("DISPLAY", ":4711")
    problem = startup.display_problem()
    assert problem is not None
    assert ":4711 cannot be reached" in problem


def test_off_screen_needs_no_display(monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert startup.display_problem() is None


def test_no_place_for_data_is_one_sentence_with_the_remedy(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "file"))
    assert "Set STEPWELL_DATA_DIR" in startup.data_problem()
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "folder"))
    assert startup.data_problem() is None
