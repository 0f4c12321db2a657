"""The dialog *Bug bundle*: what is expected and what came, what goes in, and the test,
which is run before the dialog says that it fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QGridLayout, QLabel, QLineEdit, QWidget

from designer.look.fonts import data_font
from designer.look.theme import Look
from designer.panels.code.text import CodeText
from designer.panels.fields.error_line import ErrorLine
from designer.panels.widgets.basic import (
    CheckBox,
    DelayedCall,
    ElidedLabel,
    Glyph,
    allow,
    button,
    hairline,
    icon_button,
    label,
    scrolling,
    set_style,
)
from designer.panels.widgets.dialog import Dialog
from designer.qt.layouts import column, put, put_empty, row, stack
from designer.session.store_process import StoreProcess
from designer.shell.sharing.words import amount
from runtime.debug.protocol import (
    BundleArguments,
    BundleBody,
    BundleItem,
    Patch,
    Reply,
)

SIZE = (680, 640)
TYPED = 500  # ms after the last key until what is expected is read
TITLES = {
    "graph": "Graph",
    "checkpoints": "Checkpoints",
    "effects": "Effects",
    "patch": "Patch",
    "code": "Code",
    "personal": "Cover personal data",
    "run": "Whole run",
}
# What the user chooses; the other parts are always in.
CHOSEN = ("code", "personal", "run")
_WAITS = "The bundle is being put together."
_NOT_RUN = "not run yet"
_EXAMPLE = 'state["reach"]["certifi"] == 12'


@dataclass(frozen=True)
class Fault:
    """What the dialog begins with.

    place   the checkpoint in words, such as "#14, superstep 6"
    expect  what should be after one superstep, each line as Python
    source  where that comes from, such as "as recorded in #15"
    patch   what is applied to the checkpoint first
    """

    store: str
    checkpoint_id: str
    place: str
    expect: tuple[str, ...] = ()
    source: str = ""
    patch: Patch | None = None
    app: str = ""


class BundleDialog(Dialog):
    """Puts a bundle together without keeping it, as often as something is changed, and
    writes it at last.

    trust    asks whether code of a folder may run; `is_trusted` says whether it may already
    written  is called with the folder or the zip
    """

    def __init__(
        self,
        look: Look,
        parent: QWidget,
        fault: Fault,
        process: StoreProcess,
        home: Path,
        trust: Callable[[str], bool],
        is_trusted: Callable[[str], bool],
        written: Callable[[Path], object],
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Bug bundle")
        self._look = look
        self._fault = fault
        self._process = process
        self._home = home
        self._trust = trust
        self._is_trusted = is_trusted
        self._written = written
        self._body: BundleBody | None = None
        self._is_writing = False
        # A test that was run is about what was asked then.
        self._may_run = False
        process.setParent(self)
        self._make_fields()
        self._build()
        self._later = DelayedCall(self, TYPED, self._ask)
        self.expected.edited.connect(self._on_typed)
        self.folder.textChanged.connect(self._follow)
        self._ask()

    def _make_fields(self) -> None:
        look = self._look
        self.expected = CodeText(look, "python", least=2, most=5, numbers=False)
        self.expected.setAccessibleName("Expected")
        self.expected.setPlaceholderText(_EXAMPLE)
        self.expected.set_text("\n".join(self._fault.expect))
        self.actual = CodeText(look, "python", least=2, most=5, numbers=False)
        self.actual.setAccessibleName("Actual")
        self.actual.setReadOnly(True)
        for field in (self.expected, self.actual):
            field.setLineWrapMode(CodeText.LineWrapMode.WidgetWidth)
        self.source = label(
            self._fault.source or "What should be.", "secondary", wrap=True
        )
        words = f"One superstep from {self._fault.place}"
        self.step = label(words, "secondary", wrap=True)
        self.checks: dict[str, CheckBox] = {}
        self._rows: dict[str, tuple[CheckBox, ElidedLabel, QLabel]] = {}
        self._grid = QGridLayout()
        self.test_name = label("", "data2")
        self._sign = Glyph(look, "failed", "bad", 14)
        self.verdict = label("")
        self.run_button = button("Run the test", self._run_test, small=True)
        self.run_button.setAutoDefault(False)
        self.code = CodeText(look, "python", least=5, most=9, numbers=False)
        self.code.setReadOnly(True)
        self.code.setAccessibleName("The test")
        self.error = ErrorLine(look)
        self.folder = QLineEdit()
        self.folder.setFont(data_font())
        self.folder.setAccessibleName("Folder")
        self.folder.setToolTip("A new folder, or a file that ends with .zip")
        self.browse = icon_button(look, "open", "Choose a folder", self._browse)
        self.write_button = button("Write bundle", self._write, primary=True)
        self.write_button.setDefault(True)
        self.cancel_button = button("Cancel", self.reject)
        self.cancel_button.setAutoDefault(False)

    def _build(self) -> None:
        layout = column(self, margins=(20, 16, 20, 16), gap=12)
        about = label(
            "A folder that shows the fault, with a test that is red until it is mended.",
            "secondary",
            wrap=True,
        )
        glyph = Glyph(self._look, "box", "text2", 20)
        put(layout, row(glyph, label("Bug bundle", "section"), (about, 1), gap=10))
        layout.addWidget(hairline())
        mine = stack(label("Expected", "secondary"), self.expected, self.source, gap=4)
        theirs = stack(label("Actual", "secondary"), self.actual, self.step, gap=4)
        # It scrolls, so that the dialog fits a small screen.
        page = QWidget()
        inside = column(page, margins=(0, 0, 8, 0), gap=12)
        put(inside, row((mine, 1), (theirs, 1), gap=12))
        inside.addWidget(self.error)
        inside.addWidget(label("What goes in", "secondary"))
        self._grid = put_empty(inside, self._grid)
        self._grid.setColumnStretch(1, 1)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(6)
        put(
            inside,
            row((self.test_name, 1), self._sign, self.verdict, self.run_button, gap=6),
        )
        inside.addWidget(self.code)
        inside.addStretch(1)
        layout.addWidget(scrolling(page), 1)
        layout.addWidget(hairline())
        put(
            layout,
            row(
                self.write_button,
                self.cancel_button,
                None,
                label("Folder", "secondary"),
                (self.folder, 2),
                self.browse,
            ),
        )
        self.resize(*SIZE)

    # --- what would be in it ---

    @property
    def expectations(self) -> tuple[str, ...]:
        lines = self.expected.toPlainText().splitlines()
        return tuple(line.strip() for line in lines if line.strip())

    def _arguments(self, to: str = "", *, run_test: bool = False) -> BundleArguments:
        return BundleArguments(
            checkpoint_id=self._fault.checkpoint_id,
            expect=self.expectations,
            patch=self._fault.patch,
            app=self._fault.app,
            with_code=self._is_checked("code"),
            cover_personal=self._is_checked("personal"),
            whole_run=self._is_checked("run"),
            to=to,
            run_test=run_test,
        )

    def _is_checked(self, name: str) -> bool:
        check = self.checks.get(name)
        return check is not None and check.isChecked()

    def _on_typed(self) -> None:
        self._process.cancel()
        self._allow(_WAITS)
        self._later.start()

    def _on_checked(self, _checked: bool) -> None:
        self._ask()

    def _ask(self) -> None:
        """Ask what would be in the bundle, and run its test if the folder is trusted."""
        self._allow(_WAITS)
        runs = self._body is not None and self._can_run(self._body)
        arguments = self._arguments(run_test=runs)
        if runs and not arguments.expect:
            arguments = arguments.model_copy(update={"find_fault": True})
        self._process.ask(self._fault.store, "bundle", arguments, self._on_plan)

    def _can_run(self, body: BundleBody) -> bool:
        return self._may_run or self._is_trusted(body.folder)

    def _on_plan(self, reply: Reply) -> None:
        # Without an expectation, a refusal only says that one is needed.
        is_asked = bool(self.expectations)
        self.error.say("" if reply.success else reply.message, calm=not is_asked)
        if not reply.success:
            self._say_verdict("", "")
            return
        is_first = self._body is None
        body = self._body = BundleBody.model_validate(reply.body)
        if body.expected and not is_asked:
            self.expected.set_text("\n".join(line for line, _ in body.expected))
            self.source.setText(_sentence(body.source))
        self._show(body)
        if is_first and self._can_run(body):
            self._ask()
        else:
            self._follow()

    def _show(self, body: BundleBody) -> None:
        self.actual.set_text("\n".join(actual for _, actual in body.expected))
        self.test_name.setText(body.test)
        self.code.set_text(body.test_text.strip())
        self._show_items(body.items)
        if not self.folder.text():
            self.folder.setText(str(self._home / "bugs" / body.name))
        outcomes = {
            "fails": ("fails, as it should", "bad"),
            "passes": ("passes: the fault does not show", "warn"),
            "other": (body.text, "warn"),
        }
        text, tone = outcomes.get(body.verdict, (_NOT_RUN, ""))
        self._say_verdict(text if body.expected else "", tone)

    def _show_items(self, items: Sequence[BundleItem]) -> None:
        for item in items:
            if item.id not in self._rows:
                self._add_row(item.id)
            check, text, size = self._rows[item.id]
            text.setText(item.text)
            if item.names:
                text.setToolTip("\n".join(item.names))
            size.setText(amount(item.bytes) if item.bytes else "")
            check.setVisible(True)

    def _add_row(self, name: str) -> None:
        check = CheckBox(self._look, TITLES[name])
        check.setChecked(name not in CHOSEN)
        check.setEnabled(name in CHOSEN)
        if name not in CHOSEN:
            check.setToolTip("It is always in: without it the test cannot run.")
        check.toggled.connect(self._on_checked)
        text = ElidedLabel("", "secondary")
        size = label("", "data2")
        size.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        place = self._grid.rowCount()
        self._grid.addWidget(check, place, 0)
        self._grid.addWidget(text, place, 1)
        self._grid.addWidget(size, place, 2)
        self.checks[name] = check
        self._rows[name] = (check, text, size)

    def _say_verdict(self, text: str, tone: str) -> None:
        self.verdict.setText(text)
        set_style(self.verdict, role="error" if tone == "bad" else "secondary")
        self._sign.setVisible(tone == "bad")

    def _follow(self, _text: str = "") -> None:
        body = self._body
        why = ""
        if body is None or not body.expected:
            why = f"Write what should be, such as {_EXAMPLE}"
        elif not self.folder.text().strip():
            why = "Name a folder."
        self._allow(why)

    def _allow(self, why_not: str) -> None:
        allow(self.write_button, why_not)
        body = self._body
        can_run = body is not None and not self._can_run(body)
        self.run_button.setVisible(can_run)
        allow(self.run_button, why_not)
        for widget in (
            self.expected,
            *(self.checks[n] for n in CHOSEN if n in self.checks),
        ):
            widget.setEnabled(not self._is_writing)

    def _run_test(self) -> None:
        if self._body is not None and self._trust(self._body.folder):
            self._may_run = True
            self._ask()

    # --- writing ---

    def _browse(self) -> None:
        name = QFileDialog.getExistingDirectory(self, "A folder for the bundle")
        if name and self._body is not None:
            self.folder.setText(str(Path(name) / self._body.name))

    def _write(self) -> None:
        self._is_writing = True
        self._allow("It is being written.")
        # The test was run already, if it may run.
        arguments = self._arguments(self.folder.text().strip())
        self._process.ask(self._fault.store, "bundle", arguments, self._on_written)

    def _on_written(self, reply: Reply) -> None:
        self._is_writing = False
        if reply.success:
            place = Path(self.folder.text().strip())
            self.accept()
            self._written(place)
        else:
            self._follow()
            self.error.say(reply.message)

    def reject(self) -> None:
        """End the writing, and stay; otherwise close."""
        if not self._is_writing:
            super().reject()
            return
        self._is_writing = False
        self._process.cancel()
        self._follow()

    def done(self, result: int) -> None:
        self._later.stop()
        self._process.close()
        super().done(result)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""
