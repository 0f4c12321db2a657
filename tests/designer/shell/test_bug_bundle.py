"""The dialog of a bug bundle: it says what is expected and what came, what goes in, and
that the test fails only once it was run.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from designer.look.theme import Look
from designer.session.store_process import StoreProcess
from designer.shell.sharing.bug_bundles import is_bundle
from designer.shell.sharing.bundle_dialog import BundleDialog, Fault
from runtime.debug.protocol import (
    BundleArguments,
    BundleBody,
    BundleItem,
    BundleOpenBody,
    OpenBody,
)
from tests.designer.fakes import RecordingLink
from tests.designer.shell.support import Hand
from tests.designer.shell.test_exchange import drop

LINE = 'state["n"] == 12'
ITEMS = (
    BundleItem(id="graph", text="workflow as run, 8 nodes", bytes=6144),
    BundleItem(id="checkpoints", text="3 of 24", bytes=41 * 1024),
    BundleItem(id="effects", text="recorded results of 6 calls"),
    BundleItem(id="code", text="rank.py"),
    BundleItem(id="personal", text="author"),
    BundleItem(id="run", text="24 checkpoints"),
)


def body(*expected: tuple[str, str], verdict: str = "none") -> BundleBody:
    return BundleBody(
        place="#14",
        expected=expected,
        source="",
        items=ITEMS,
        test="test_audit_14.py",
        test_text="def test_advance_from_14(bundle):\n",
        name="audit-14",
        folder="/code",
        verdict=verdict,
    )


FAULT = body((LINE, 'state["n"] == 13'))
FAILS = body((LINE, 'state["n"] == 13'), verdict="fails")


class Bundling:
    """The dialog over a link that records."""

    def __init__(self, qtbot: QtBot, folder: Path, *, trusted: bool = False) -> None:
        self.link = RecordingLink()
        self.asked: list[str] = []
        self.trusted = trusted
        self.written: list[Path] = []
        parent = QWidget()
        qtbot.addWidget(parent)
        self._parent = parent
        self.dialog = BundleDialog(
            Look("light"),
            parent,
            Fault("sqlite:runs.db", "c14", "#14, superstep 6"),
            StoreProcess(self.link),
            folder,
            self._trust,
            lambda _folder: self.trusted,
            self.written.append,
        )
        self.dialog.open()
        qtbot.waitExposed(self.dialog)
        self.link.reply("open", OpenBody(workflow="w"))

    def _trust(self, folder: str) -> bool:
        self.asked.append(folder)
        self.trusted = True
        return True

    @property
    def arguments(self) -> BundleArguments:
        return BundleArguments.model_validate(self.link.last("bundle")["arguments"])

    def expect(self, qtbot: QtBot, text: str) -> None:
        qtbot.keyClicks(self.dialog.expected, text)
        self.dialog._later.timeout.emit()


@pytest.fixture
def bundling(qtbot: QtBot, tmp_path: Path) -> Bundling:
    return Bundling(qtbot, tmp_path)


def click(qtbot: QtBot, widget: QWidget) -> None:
    at = QPoint(10, widget.height() // 2)
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, pos=at)


def test_nothing_can_be_written_before_something_is_expected(
    qtbot: QtBot, bundling: Bundling, tmp_path: Path
) -> None:
    dialog = bundling.dialog
    bundling.link.reply("bundle", body())
    assert not dialog.write_button.isEnabled()
    assert dialog.folder.text() == str(tmp_path / "bugs" / "audit-14")
    bundling.expect(qtbot, LINE)
    assert bundling.arguments.expect == (LINE,)
    bundling.link.reply("bundle", error="It is no comparison.")
    assert dialog.error.text() == "It is no comparison."
    bundling.expect(qtbot, " ")
    bundling.link.reply("bundle", FAULT)
    assert dialog.actual.toPlainText() == 'state["n"] == 13'
    assert dialog.write_button.isEnabled()


def test_the_test_is_run_only_in_a_trusted_folder_and_then_said_to_fail(
    qtbot: QtBot, bundling: Bundling
) -> None:
    dialog = bundling.dialog
    bundling.link.reply("bundle", body())
    bundling.expect(qtbot, LINE)
    assert not bundling.arguments.run_test
    bundling.link.reply("bundle", FAULT)
    assert dialog.verdict.text() == "not run yet"
    click(qtbot, dialog.run_button)
    assert bundling.asked == ["/code"]
    assert bundling.arguments.run_test
    bundling.link.reply("bundle", FAILS)
    assert dialog.verdict.text() == "fails, as it should"
    assert not dialog.run_button.isVisible()


def test_in_a_trusted_folder_what_was_recorded_is_expected_by_itself(
    qtbot: QtBot, tmp_path: Path
) -> None:
    bundling = Bundling(qtbot, tmp_path, trusted=True)
    dialog = bundling.dialog
    assert not bundling.arguments.find_fault
    bundling.link.reply("bundle", body())
    assert bundling.arguments.find_fault
    recorded = FAILS.model_copy(update={"source": "as recorded in checkpoint #15"})
    bundling.link.reply("bundle", recorded)
    assert dialog.expected.text() == LINE
    assert dialog.source.text() == "As recorded in checkpoint #15."
    assert dialog.verdict.text() == "fails, as it should"
    assert dialog.write_button.isEnabled()


def test_what_goes_in_is_listed_with_sizes_and_chosen(
    qtbot: QtBot, bundling: Bundling
) -> None:
    dialog = bundling.dialog
    bundling.link.reply("bundle", body())
    assert [check.text() for check in dialog.checks.values()] == [
        "Graph",
        "Checkpoints",
        "Effects",
        "Code",
        "Cover personal data",
        "Whole run",
    ]
    assert dialog._rows["checkpoints"][2].text() == "41 KiB"
    assert not dialog.checks["graph"].isEnabled()
    click(qtbot, dialog.checks["code"])
    assert bundling.arguments.with_code
    click(qtbot, dialog.checks["personal"])
    click(qtbot, dialog.checks["run"])
    assert bundling.arguments.cover_personal
    assert bundling.arguments.whole_run


def test_write_bundle_writes_the_folder_and_closes(
    qtbot: QtBot, bundling: Bundling, tmp_path: Path
) -> None:
    bundling.trusted = True
    bundling.link.reply("bundle", body())
    bundling.expect(qtbot, LINE)
    bundling.link.reply("bundle", FAILS)
    click(qtbot, bundling.dialog.write_button)
    assert bundling.arguments.to == str(tmp_path / "bugs" / "audit-14")
    bundling.link.reply("bundle", error="It is there already, and not empty.")
    assert bundling.dialog.error.text() == "It is there already, and not empty."
    click(qtbot, bundling.dialog.write_button)
    bundling.link.reply("bundle", FAILS)
    assert bundling.written == [tmp_path / "bugs" / "audit-14"]
    assert not bundling.dialog.isVisible()


def test_a_dropped_bundle_opens_at_its_checkpoint(hand: Hand, tmp_path: Path) -> None:
    link = RecordingLink()
    bundles = hand.window.bundles
    bundles.make_process = lambda: StoreProcess(link)
    folder = tmp_path / "bug"
    folder.mkdir()
    (folder / "bundle.json").write_text("{}")
    assert is_bundle(folder)
    assert is_bundle(tmp_path / "bug.zip")
    assert not is_bundle(tmp_path)
    assert drop(hand, folder)
    link.reply("open", OpenBody(workflow="w"))
    assert link.last("bundle_open")["arguments"] == {"path": str(folder)}
    link.reply("bundle_open", error="It is damaged.")
    assert hand.somebody.told == [
        ("This bug bundle cannot be opened", "It is damaged.")
    ]
    assert drop(hand, folder)
    link.reply("open", OpenBody(workflow="w"))
    store = f"sqlite:{tmp_path}/runs.db"
    (tmp_path / "runs.db").touch()
    link.reply(
        "bundle_open",
        BundleOpenBody(
            folder=str(folder),
            document="",
            store=store,
            run_id="r1",
            checkpoint_id="c1",
        ),
    )
    assert hand.workspace.document.store_url() == store
    assert link.kills == 2
