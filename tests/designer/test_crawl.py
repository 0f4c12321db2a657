"""A crawl over the real window, each control once: see `tests.crawl`, which presses
everything in every mode.
"""

from __future__ import annotations

from zlib import crc32

import pytest
from PySide6.QtWidgets import QToolButton

from designer.qt import garbage_collector
from designer.shell.window import Window
from tests.crawl.crawler import crawl
from tests.crawl.modes import MODES, Build

pytestmark = pytest.mark.slow

# one control in so many is pressed by the suite; `python -m tests.crawl` presses all,
# in every mode
SHARE = 36
IN_SUITE = ("start page", "editing a node", "past")


@pytest.fixture(autouse=True)
def no_garbage_is_collected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each press has a window of its own, and all that the other tests have made would be
    walked over when it closes.
    """
    monkeypatch.setattr(garbage_collector, "freeze", lambda: None)
    monkeypatch.setattr(garbage_collector, "collect", lambda: None)


def _sampled(key: str) -> bool:
    return crc32(key.encode()) % SHARE == 0


@pytest.mark.parametrize("mode", IN_SUITE)
def test_what_is_pressed_does_something_and_what_is_off_says_why(mode: str) -> None:
    report = crawl(_sampled, {mode: MODES[mode]}, panels=False)
    assert report.faults == []
    assert report.pressed + report.disabled > 3


def _with_button(connect: object) -> Build:
    def build(window: Window, _folder: object) -> None:
        window.show_start_page()
        button = QToolButton(window.start_page)
        button.setText("Probe")
        if callable(connect):
            button.clicked.connect(connect)
        button.show()

    return build


def _raise() -> None:
    raise ValueError("not today")


@pytest.fixture
def probes() -> dict[str, object]:
    return {"dead": None, "raising": _raise}


def test_the_crawl_finds_what_does_nothing_and_what_raises(
    probes: dict[str, object],
) -> None:
    found = {
        name: crawl(lambda key: "Probe" in key, {name: _with_button(slot)})
        for name, slot in probes.items()
    }
    assert [fault.split(": ", 2)[2] for fault in found["dead"].faults] == [
        "does nothing"
    ]
    assert "ValueError: not today" in found["raising"].faults[0]
