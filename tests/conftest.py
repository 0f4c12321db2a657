"""What every test shares: an offscreen Qt, a quiet hypothesis profile, and a clean application after each test."""

import gc
import os
import sys
from collections.abc import Generator
from itertools import count
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Processes that tests start run this tree too, whatever is installed.
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH")])
)

import pytest
from hypothesis import HealthCheck, settings

from tests import wrappers

settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("ci")

COLLECT_EVERY = 25  # tests

pytest_plugins = ["tests.postgres"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow what needs a PostgreSQL server."""
    for item in items:
        if "postgres_server" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None]:
    yield
    # Before the teardown, because after it most of them are gone with their owners.
    _no_kept_wrappers()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None]:
    if _has_qt():
        # as in the window: it would take things of Qt away in whichever thread makes an object
        gc.disable()
    yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None]:
    yield
    _clear_style_sheet()
    if _has_qt():
        _collect_garbage()


_tests_done = count(1)


def _collect_garbage() -> None:
    """Collect all garbage now and then, because old widgets make each test slower.

    What is left is frozen: modules are not walked over again, and opening a document
    freezes garbage too.
    """
    from designer.qt.garbage_collector import collect_if_due

    if next(_tests_done) % COLLECT_EVERY:
        collect_if_due()
    else:
        gc.unfreeze()
        gc.collect()
        gc.freeze()


def _has_qt() -> bool:
    return "PySide6.QtCore" in sys.modules


def _clear_style_sheet() -> None:
    """Leave no style sheet to the next test, because every widget would pay for it."""
    if "PySide6.QtWidgets" not in sys.modules:
        return
    from PySide6.QtWidgets import QApplication

    application = QApplication.instance()
    if isinstance(application, QApplication) and application.styleSheet():
        application.setStyleSheet("")


def _no_kept_wrappers() -> None:
    kept = wrappers.kept()
    assert not kept, (
        f"PySide keeps wrappers of what Qt deletes unseen (see tests/wrappers.py): {dict(kept)}"
    )
