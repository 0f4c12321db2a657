"""Shared runs in the window: out by a dialog that says what goes in, in by a menu or a
drop, in a process beside the run.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from designer.look.theme import Look
from designer.session.store_process import StoreProcess
from designer.shell.sharing.receive_dialog import ReceiveDialog
from designer.shell.sharing.share_dialog import ShareDialog, Shown
from runtime.debug.protocol import (
    OpenBody,
    ReceiveArguments,
    ReceiveBody,
    Reply,
    ShareArguments,
    ShareBody,
)
from runtime.stores import open_store
from runtime.testing.conformance import save
from tests.designer.fakes import RecordingLink, header
from tests.designer.shell.support import HOST, Hand
from tests.designer.shell.test_exchange import drop

BODY = ShareBody(
    workflow="w", checkpoints=3, branches=2, bytes=41 * 1024, holds=("No code.",)
)
PLAN = ReceiveBody(
    made_by="Stepwell 0.1.0",
    workflow="w",
    checkpoints=5,
    present=2,
    reworded=0,
    runs=1,
    run_id="r1",
)


class Sharing:
    """A share dialog over a link that records; `written` are the files it wrote."""

    def __init__(self, qtbot: QtBot, parent: QWidget, file: Path | None) -> None:
        self.link = RecordingLink()
        self.names: list[str] = []
        self.written: list[Path] = []
        shown = Shown(
            "sqlite:runs.db", header(3, branch="fork 1"), "#3, superstep 2", 2, True
        )
        self.dialog = ShareDialog(
            Look("light"),
            parent,
            shown,
            StoreProcess(self.link),
            lambda name: self.names.append(name) or file,
            lambda path, _body: self.written.append(path),
        )
        self.dialog.open()
        qtbot.waitExposed(self.dialog)
        self.link.reply("open", OpenBody(workflow="w"))

    @property
    def arguments(self) -> ShareArguments:
        return ShareArguments.model_validate(self.link.last("share")["arguments"])


@pytest.fixture
def parent(qtbot: QtBot) -> QWidget:
    widget = QWidget()
    qtbot.addWidget(widget)
    return widget


@pytest.fixture
def sharing(qtbot: QtBot, parent: QWidget, tmp_path: Path) -> Sharing:
    return Sharing(qtbot, parent, tmp_path / "w")


def click(qtbot: QtBot, widget: QWidget) -> None:
    """Click near the left end, where a radio button takes it."""
    at = QPoint(10, widget.height() // 2)
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, pos=at)


def test_the_dialog_says_what_goes_in_before_anything_is_written(
    qtbot: QtBot, sharing: Sharing
) -> None:
    dialog = sharing.dialog
    assert not dialog.share_button.isEnabled()
    assert (sharing.arguments.scope, sharing.arguments.file) == ("run", "")
    sharing.link.reply("share", BODY)
    assert dialog.counts.text() == "3 checkpoints, 41 KiB"
    assert dialog.holds.text() == "No code."
    assert dialog.share_button.isEnabled()
    click(qtbot, dialog.radios["branch"])
    click(qtbot, dialog.ancestors)
    assert (sharing.arguments.scope, sharing.arguments.branch) == ("branch", "fork 1")
    assert not sharing.arguments.ancestors
    click(qtbot, dialog.radios["checkpoint"])
    assert (sharing.arguments.scope, sharing.arguments.checkpoint_id) == (
        "checkpoint",
        "c3",
    )
    assert not dialog.ancestors.isEnabled()


def test_share_writes_the_chosen_file_and_says_how_far_it_is(
    qtbot: QtBot, sharing: Sharing, tmp_path: Path
) -> None:
    dialog = sharing.dialog
    sharing.link.reply("share", BODY)
    click(qtbot, dialog.share_button)
    assert sharing.names == ["w.stepwell-run"]
    assert sharing.arguments.file == str(tmp_path / "w.stepwell-run")
    sharing.link.notice("sharing", {"done": 4000, "total": 100_000})
    assert dialog.counts.text() == "Writing 4,000 of 100,000 checkpoints…"
    sharing.link.reply("share", BODY)
    assert sharing.written == [tmp_path / "w.stepwell-run"]
    assert not dialog.isVisible()
    assert sharing.link.kills == 1


def test_a_refusal_is_said_in_the_dialog_which_stays(
    qtbot: QtBot, sharing: Sharing
) -> None:
    sharing.link.reply("share", BODY)
    click(qtbot, sharing.dialog.share_button)
    sharing.link.reply("share", error="Nothing was shared: it holds a secret.")
    assert sharing.dialog.error.text() == "Nothing was shared: it holds a secret."
    assert sharing.dialog.isVisible()
    assert sharing.dialog.share_button.isEnabled()


def test_cancel_ends_the_writing_first_and_closes_then(
    qtbot: QtBot, sharing: Sharing
) -> None:
    sharing.link.reply("share", BODY)
    click(qtbot, sharing.dialog.share_button)
    number = sharing.link.last("share")["seq"]
    click(qtbot, sharing.dialog.cancel_button)
    assert sharing.link.last("drop")["arguments"]["number"] == number
    assert sharing.dialog.isVisible()
    click(qtbot, sharing.dialog.cancel_button)
    assert not sharing.dialog.isVisible()
    assert sharing.written == []


class Receiving:
    def __init__(self, qtbot: QtBot, parent: QWidget, folder: Path) -> None:
        self.link = RecordingLink()
        self.received: list[tuple[str, ReceiveBody]] = []
        self.store = f"sqlite:{folder}/runs.db"
        Path(folder, "runs.db").touch()
        self.dialog = ReceiveDialog(
            Look("light"),
            parent,
            folder / "x.stepwell-run",
            [
                ("The runs of w", self.store),
                ("x.db, beside the file", f"sqlite:{folder}/x.db"),
            ],
            StoreProcess(self.link),
            lambda store, body: self.received.append((store, body)),
        )
        self.dialog.open()
        qtbot.waitExposed(self.dialog)

    def opened(self) -> tuple[str, bool]:
        arguments = self.link.last("open")["arguments"]
        self.link.reply("open", OpenBody(workflow="w"))
        return arguments["store"], arguments["read_only"]


@pytest.fixture
def receiving(qtbot: QtBot, parent: QWidget, tmp_path: Path) -> Receiving:
    return Receiving(qtbot, parent, tmp_path)


def test_a_file_is_checked_against_the_store_without_writing_and_then_imported(
    qtbot: QtBot, receiving: Receiving
) -> None:
    dialog = receiving.dialog
    assert receiving.opened() == (receiving.store, True)
    assert receiving.link.last("receive")["arguments"]["dry_run"]
    receiving.link.reply("receive", PLAN)
    assert dialog.says.text() == (
        "5 checkpoints of w, written by Stepwell 0.1.0. 2 are there already, 3 are new."
    )
    click(qtbot, dialog.import_button)
    assert receiving.opened() == (receiving.store, False)
    receiving.link.notice("sharing", {"done": 7, "total": 0})
    assert dialog.says.text() == "Importing 7 checkpoints…"
    receiving.link.reply("receive", PLAN.model_copy(update={"newest": "c5"}))
    ((store, body),) = receiving.received
    assert (store, body.newest) == (receiving.store, "c5")
    assert not dialog.isVisible()


def test_a_store_that_is_not_there_is_not_made_by_looking(
    qtbot: QtBot, receiving: Receiving, tmp_path: Path
) -> None:
    receiving.opened()
    receiving.dialog.stores.setFocus()
    qtbot.keyClick(receiving.dialog.stores, "x")
    assert receiving.opened() == ("memory:", False)
    receiving.link.reply("receive", PLAN)
    click(qtbot, receiving.dialog.import_button)
    assert receiving.opened() == (f"sqlite:{tmp_path}/x.db", False)


def test_another_store_is_typed_and_a_wrong_file_is_said(
    qtbot: QtBot, receiving: Receiving, tmp_path: Path
) -> None:
    dialog = receiving.dialog
    receiving.opened()
    receiving.link.reply("receive", error="The shared file is damaged in block 1.")
    assert dialog.error.text() == "The shared file is damaged in block 1."
    assert not dialog.import_button.isEnabled()
    dialog.stores.setFocus()
    qtbot.keyClick(dialog.stores, "A")
    assert dialog.field.isVisible()
    qtbot.keyClicks(dialog.field, str(tmp_path))
    dialog._later.timeout.emit()
    assert receiving.opened() == (f"dir:{tmp_path}", True)


def test_the_menu_and_a_drop_ask_where_a_shared_run_goes(
    hand: Hand, tmp_path: Path
) -> None:
    file = tmp_path / "x.stepwell-run"
    file.touch()
    sharing = hand.window.sharing
    sharing.make_process = lambda: StoreProcess(RecordingLink())
    hand.window.actions_by_id["receive"].trigger()
    assert sharing.dialog is None
    hand.somebody.shared_from = file
    hand.window.actions_by_id["receive"].trigger()
    assert isinstance(sharing.dialog, ReceiveDialog)
    hand.press("Cancel", sharing.dialog)
    assert drop(hand, file)
    assert isinstance(sharing.dialog, ReceiveDialog)
    assert sharing.dialog.isVisible()
    assert sharing.dialog.store == f"sqlite:{tmp_path}/x.db"
    hand.press("Cancel", sharing.dialog)
    assert not hand.window.actions_by_id["share"].isEnabled()


def test_a_run_goes_through_a_file_in_a_process_beside_the_window(
    qtbot: QtBot, tmp_path: Path
) -> None:
    store = f"sqlite:{tmp_path}/runs.db"
    file = tmp_path / "x.stepwell-run"

    async def fill() -> None:
        opened = open_store(store)
        await save(opened, "c1")
        await save(opened, "c2")
        await opened.close()

    asyncio.run(fill())
    process = StoreProcess()
    replies: list[Reply] = []
    arguments = ShareArguments(scope="run", run_id="run", file=str(file))
    process.ask(store, "share", arguments, replies.append)
    qtbot.waitUntil(lambda: len(replies) == 1, timeout=HOST)
    assert replies[0].success, replies[0].message
    target = f"dir:{tmp_path}/other"
    receive = ReceiveArguments(file=str(file))
    process.ask(target, "receive", receive, replies.append, read_only=False)
    qtbot.waitUntil(lambda: len(replies) == 2, timeout=HOST)
    body = ReceiveBody.model_validate(replies[1].body)
    assert (body.added, body.newest) == (2, "c2")
    process.close()
