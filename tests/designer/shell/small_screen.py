"""`python -m tests.designer.shell.small_screen FOLDER`: what does not fit on a screen
of 800 × 500.

That is what 1600 × 1000 leaves at 200 %. Prints the size of the screen, then a line for
each fault of the window, and of each dialog as it opens. Qt reads the size of its
screen when it starts, so this is a process of its own.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

SCREEN = {
    "name": "small",
    "x": 0,
    "y": 0,
    "width": 800,
    "height": 500,
    "logicalDpi": 96,
    "logicalBaseDpi": 96,
    "dpr": 1,
}


def faults(folder: Path) -> Iterator[str]:
    from PySide6.QtWidgets import QApplication, QDialog

    from designer.app import make_application, make_window
    from designer.look.theme import Look
    from designer.model import edits
    from designer.session.session import DebugSession
    from designer.shell.settings.settings import Settings
    from designer.shell.window import Window
    from tests.designer.fakes import RecordingLink
    from tests.designer.shell.fitting import dialog_misfits, misfits

    make_application()
    window: Window = make_window(
        Settings(folder / "settings.json"),
        Look("light"),
        make_session=lambda: DebugSession(RecordingLink()),
    )
    window.show()
    room = window.screen().availableGeometry()
    print(f"{room.width()} {room.height()}", flush=True)  # noqa: T201 - what the test reads
    workspace = window.new_document()
    design, made = edits.add_node(
        workspace.document.design, "delay", (0, 0), name="Wait"
    )
    workspace.document.apply("Add", design)
    workspace.document.select({made})
    workspace.canvas.camera.fit_all(glide=False)
    _settle()
    if not room.contains(window.frameGeometry()):
        yield f"the window stands at {window.frameGeometry().getRect()}"
    yield from misfits(window)
    for name, show in _dialogs(window, folder).items():
        before = {*QApplication.topLevelWidgets()}
        show()
        _settle()
        shown = [
            one
            for one in QApplication.topLevelWidgets()
            if one not in before and one.isVisible()
        ]
        dialogs = [one for one in shown if isinstance(one, QDialog)]
        if not dialogs:
            yield f"{name}: nothing is shown"
        for dialog in dialogs:
            yield from (f"{name}: {fault}" for fault in dialog_misfits(dialog, room))
            dialog.close()
        _settle()
    workspace.document.undo_stack.setClean()
    window.close()


def _settle() -> None:
    from PySide6.QtWidgets import QApplication

    for _ in range(6):
        QApplication.processEvents()


def _dialogs(window: object, folder: Path) -> dict[str, Callable[[], object]]:
    from designer.look.theme import Look
    from designer.panels.code.window import CodeWindow, SourceWindow
    from designer.shell.exchange.dialogs import ExportDialog, Wish
    from designer.shell.files.dialogs import MessageBox
    from designer.shell.files.versions import Version, VersionDialog
    from designer.shell.window import Window

    assert isinstance(window, Window)
    look = Look("light")
    trigger = window.actions_by_id
    lines = "\n".join(f"line {number} of what there is to say" for number in range(60))
    version = Version("Order · 3 nodes, an hour ago", lambda: lines)
    code = "def step(message):\n    return message\n" * 40

    def message() -> None:
        box = MessageBox(
            look,
            window,
            "warn",
            "warn",
            "A title that is rather long, as it names two files",
            lines,
        )
        box.exec = box.show  # type: ignore[method-assign] # not to wait for an answer
        box.choose("Save them all", "Discard", "Cancel")

    def versions() -> None:
        box = VersionDialog(
            look,
            window,
            "restore",
            "Recover?",
            lines[:200],
            [version] * 12,
            checks=True,
        )
        box.exec = box.show  # type: ignore[method-assign]
        box.choose("Recover", "Discard", "Ask again later")

    return {
        "message": message,
        "versions": versions,
        "export": lambda: ExportDialog(
            look, window, "orders", Wish(), lambda _wish: ()
        ).open(),
        "import": trigger["import"].trigger,
        "shortcuts": trigger["shortcuts"].trigger,
        "change shortcuts": trigger["change-shortcuts"].trigger,
        "help": trigger["help"].trigger,
        "editor": trigger["editor"].trigger,
        "undo list": window.show_history,
        "runs": window.show_runs,
        "store": trigger["open-store"].trigger,
        "attach": trigger["attach"].trigger,
        "code": lambda: CodeWindow(look, window, "Code", "python", code).open(),
        "source": lambda: SourceWindow(
            look, window, folder / "a.py", code, 3, lambda _path, _line: ""
        ).open(),
    }


def main(folder: Path) -> int:
    config = folder / "screen.json"
    config.write_text(json.dumps({"screens": [SCREEN]}), "utf-8")
    os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={config}"
    os.environ["STEPWELL_DATA_DIR"] = str(folder / "data")
    os.environ["STEPWELL_RUN_DIR"] = str(folder / "run")
    for fault in faults(folder):
        print(fault, flush=True)  # noqa: T201 - what the test reads
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
