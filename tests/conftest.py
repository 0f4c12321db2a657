"""What every test shares: an offscreen Qt, a quiet hypothesis profile, and a clean
application after each test.
"""

import gc
import os
import sys
import tempfile
from collections.abc import Generator
from itertools import count
from pathlib import Path
from zlib import crc32

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# A process that writes to a store is killed three times and not six.
os.environ.setdefault("STEPWELL_STORE_ROUNDS", "3")
# Processes that tests start run this tree too, whatever is installed.
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH")])
)

import pytest
from hypothesis import HealthCheck, settings

from tests import wrappers

MEMORY = Path("/dev/shm")  # noqa: S108 - pytest makes a folder of its own in it


def _has_room_in_memory() -> bool:
    if not hasattr(os, "statvfs") or not os.access(MEMORY, os.W_OK):
        return False
    place = os.statvfs(MEMORY)
    may_run_programs = not place.f_flag & os.ST_NOEXEC
    return may_run_programs and place.f_bavail * place.f_frsize > 2 * 2**30


# Thousands of saves wait for a disk otherwise, and the system works for each.
if "TMPDIR" not in os.environ and _has_room_in_memory():
    # for processes, and for this one, which may have asked already
    tempfile.tempdir = os.environ["TMPDIR"] = str(MEMORY)

settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
# Others each time, and many.
settings.register_profile(
    "long", parent=settings.get_profile("ci"), derandomize=False, max_examples=1000
)
# For .ci/quick. A test that gives a number of its own keeps it.
settings.register_profile("quick", parent=settings.get_profile("ci"), max_examples=25)
settings.load_profile("ci")

COLLECT_EVERY = 25  # tests
LOOK_AFTER_ALL = "STEPWELL_WRAPPERS" in os.environ
# Whole windows, real hosts, installed packages, pictures and long properties: too slow for
# the inner loop, all of them.
SLOW = (
    "tests/end_to_end/",
    "tests/faults/",
    "tests/plugins/",
    "tests/designer/session/test_with_host.py",
    "tests/designer/shell/test_versions.py",
    "tests/designer/test_app.py",
    "tests/designer/test_journal_thread.py",
    "tests/designer/test_kills.py",
    "tests/designer/test_random_gestures.py",
    "tests/designer/test_user_nodes.py",
    "tests/runtime/migration/test_effect.py",
    "tests/runtime/migration/test_random_changes.py",
    "tests/runtime/stores/test_hostile_records.py",
    "tests/runtime/test_codec_laws.py",
    "tests/runtime/test_examples.py",
    "tests/runtime/test_export_python.py",
    "tests/runtime/test_transforms.py",
    "tests/runtime/viz/",
    "tests/test_readme.py",
)

pytest_plugins = ["tests.postgres"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow what is listed or needs a PostgreSQL server, and run slow tests first.

    First, because processes that share the tests then end at the same time, and because
    a server or a wheel is made in one of them.
    """
    for item in items:
        needs_server = "postgres_server" in getattr(item, "fixturenames", ())
        if needs_server or item.nodeid.startswith(SLOW):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


# To look for garbage while thousands of tests are collected, and among them afterwards,
# takes a quarter of the time of collecting.
gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    yield
    # Looking through all wrappers takes 6 ms late in a run, so it is done after each
    # fourth test with widgets, always the same ones; after all of them where
    # STEPWELL_WRAPPERS is set.
    if _uses_widgets(item) and (LOOK_AFTER_ALL or crc32(item.nodeid.encode()) % 4 == 0):
        _no_kept_wrappers()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None]:
    if _has_qt():
        # as in the window: it would take things of Qt away in whichever thread makes an
        # object
        gc.disable()
    yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None]:
    yield
    if _has_qt():
        _delete_widgets()
        _clear_style_sheet()
        _collect_garbage(item)


def _delete_widgets() -> None:
    """Do what `deleteLater` asked for, because outside of an event loop Qt does not."""
    from PySide6.QtCore import QCoreApplication, QEvent

    if QCoreApplication.instance() is not None:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


_widget_tests = count(1)


def _collect_garbage(item: pytest.Item) -> None:
    """Collect the widgets of old tests now and then, because they slow each test down.

    What is left is frozen, so that the modules are not walked over again.
    """
    from designer.qt.garbage_collector import collect_if_due

    if _uses_widgets(item) and next(_widget_tests) % COLLECT_EVERY == 0:
        gc.collect()
        gc.freeze()
    else:
        collect_if_due()


def _uses_widgets(item: pytest.Item) -> bool:
    return "qapp" in getattr(item, "fixturenames", ())


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
