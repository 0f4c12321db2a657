"""The composition root: trust is asked once for each folder, and what a killed window
had not saved is offered.
"""

import os
import shutil
import signal
import subprocess
import sys

import pytest
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QApplication

from designer.app import make_application
from designer.document.document import Document
from designer.look.fonts import DATA_FAMILY, UI_FAMILY
from designer.model.files import save
from designer.shell.files.dialogs import Recovery
from resources import examples
from runtime.debug.protocol import OpenBody
from tests.designer.panels.fakes import design

DYING_WINDOW = """
import sys
from pathlib import Path
from designer.app import make_application
from designer.document.document import Document
from designer.model import edits
app = make_application()
document = Document()
document.open(Path(sys.argv[1]))
drawn, _ = edits.add_node(document.design, "output", (400, 400), node_id="not_saved")
document.apply("Add", drawn)
while not document._journal_timer.isActive():
    app.processEvents()
while document._journal_timer.isActive() or document._journal_thread._number:
    app.processEvents()
print("edited", flush=True)
app.exec()
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """The folder of a file that a real process edited when it was killed, and the data
    of that process.
    """
    folder = tmp_path_factory.mktemp("killed")
    path = folder / "mine.stepwell.json"
    save(path, design())
    before = path.read_bytes()
    environment = os.environ | {"STEPWELL_DATA_DIR": str(folder / "data")}
    command = [sys.executable, "-c", DYING_WINDOW, str(path)]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    ) as process:
        assert process.stdout.readline() == "edited\n"
        process.send_signal(signal.SIGKILL)
        process.wait(10)
    assert process.returncode == -signal.SIGKILL
    assert path.read_bytes() == before
    return folder


@pytest.fixture
def edited(killed, tmp_path):
    """The file; its edit is in the data of this test."""
    shutil.copytree(killed / "data", tmp_path / "data", dirs_exist_ok=True)
    return killed / "mine.stepwell.json"


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "mine.stepwell.json"
    save(file, design())
    return file


def test_the_changes_of_a_killed_window_are_offered_and_recovered(hand, edited):
    hand.window.files.offer_recovery()
    assert hand.somebody.asked == ["recover mine"]
    document = hand.workspace.document
    assert document.design.workflow.node("not_saved") is not None
    assert (document.path, document.is_clean) == (edited, False)
    document.undo_stack.undo()
    assert document.design == design()
    hand.window.files.offer_recovery()
    assert len(hand.somebody.asked) == 1


def test_changes_that_are_given_up_are_not_offered_again(hand, edited):
    hand.somebody.recovery = Recovery.LATER
    hand.window.files.offer_recovery()
    assert len(Document.recoverable()) == 1
    hand.somebody.recovery = Recovery.DISCARD
    hand.somebody.asked.clear()
    hand.window.files.offer_recovery()
    hand.window.files.offer_recovery()
    assert (hand.somebody.asked, hand.window.workspaces) == (["recover mine"], [])
    hand.window.files.open(edited)
    assert [backup.reason for backup in hand.workspace.document.earlier_versions()] == [
        "discarded"
    ]


def test_a_recovery_file_that_cannot_be_read_is_told_in_the_window_and_kept(
    hand, tmp_path
):
    broken = tmp_path / "data" / "journal" / "broken.json"
    broken.parent.mkdir(parents=True)
    broken.write_text("half a jour", "utf-8")
    hand.window.files.offer_recovery()
    assert str(broken) in hand.window.status.text
    assert (hand.somebody.asked, broken.read_text("utf-8")) == ([], "half a jour")


def test_trust_is_asked_once_for_a_folder_also_in_the_next_tab(hand, path):
    other = path.with_name("other.stepwell.json")
    other.write_bytes(path.read_bytes())
    for file in (path, other):
        hand.window.files.run(file)
        assert hand.workspace.session._link.last("open")["arguments"]["folder"] == str(
            path.parent
        )
        hand.workspace.session._link.reply("open", OpenBody(workflow="w"))
    assert hand.somebody.asked == [f"trust {path.parent}"]


def test_a_folder_that_is_not_trusted_runs_nothing(hand, path):
    hand.somebody.trusts = False
    hand.window.files.run(path)
    link = hand.workspace.session._link
    assert "start" not in link.commands
    assert all(packet["arguments"].get("document") is None for packet in link.sent)
    assert hand.window.settings.values.trusted == []
    hand.somebody.trusts = True
    hand.workspace.run()
    assert len(hand.somebody.asked) == 2
    assert link.last("open")["arguments"]["document"] is not None


def test_examples_are_trusted_without_asking(hand):
    hand.window.files.run(examples()[0].path)
    assert hand.somebody.asked == []
    assert (
        hand.workspace.session._link.last("open")["arguments"]["document"] is not None
    )


def test_the_application_is_made_once_and_set_in_our_fonts(qapp):
    application = make_application()
    assert application is QApplication.instance() is make_application()
    assert {UI_FAMILY, DATA_FAMILY} <= set(QFontDatabase.families())
    assert application.font().family() == UI_FAMILY


def test_the_window_can_be_imported_without_the_engine():
    """The window shows data and speaks the protocol; engine and stores are the host's,
    and cost start time.
    """
    code = "import sys, designer.app; print(sorted(sys.modules))"
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert not {"runtime.engine.runner", "runtime.stores", "sqlite3", "networkx"} & set(
        names_in(out.stdout)
    )


def names_in(text):
    return text.strip().strip("[]").replace("'", "").split(", ")
