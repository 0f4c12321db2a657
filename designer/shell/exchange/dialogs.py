"""The dialogs of exports and imports: the format of a drawing, and the workflow in
Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtWidgets import QFormLayout, QLineEdit, QSizePolicy, QWidget

from designer.look.theme import Look, ThemeName
from designer.panels.widgets.basic import Choice, Glyph, button, label, set_style
from designer.panels.widgets.dialog import Dialog, LongText
from designer.qt.layouts import column, put, put_empty, row, stack
from designer.session.importer import Importer
from runtime.document.references import is_reference
from runtime.document.secret_values import Omitted
from runtime.export.formats import FORMATS, ExportFormat

WIDTH = 420  # of the texts
NOTE_WIDTH = 340  # px of a note in the form
SHOWN = 8  # secrets that are listed
SCALES = (1.0, 2.0, 3.0, 4.0)


@dataclass(frozen=True)
class Wish:
    """The choices of an export."""

    to: ExportFormat = FORMATS["png"]
    theme: ThemeName = "light"
    scale: float = 2.0


class _Dialog(Dialog):
    def __init__(
        self, look: Look, parent: QWidget, icon: str, title: str, text: str
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.about = label(text, "secondary", wrap=True)
        self.about.setMinimumWidth(WIDTH)
        words = stack(label(title, "section", wrap=True), self.about, gap=8)
        glyph = Glyph(look, icon, "accent", 24)
        layout = column(self, margins=(24, 20, 20, 16), gap=20)
        above = put(layout, row(glyph, (words, 1), gap=16))
        above.setAlignment(glyph, Qt.AlignmentFlag.AlignTop)
        self.form = put_empty(layout, QFormLayout())
        self.form.setHorizontalSpacing(16)
        self.form.setVerticalSpacing(8)
        self.form.setContentsMargins(40, 0, 0, 0)
        self.form.setFieldGrowthPolicy(
            QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow
        )
        self.below = put(layout, row(None, gap=8))
        layout.setSizeConstraint(layout.SizeConstraint.SetFixedSize)

    def field(self, name: str, widget: QWidget) -> None:
        """A named row of the form."""
        widget.setAccessibleName(name)
        widget.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.form.addRow(label(name), widget)


def _noted(sign: QWidget, text: QWidget) -> QWidget:
    """Return a text with a sign before it, as a row of the form."""
    holder = QWidget()
    put(holder, row(sign, (text, 1))).setAlignment(sign, Qt.AlignmentFlag.AlignTop)
    return holder


class ExportDialog(_Dialog):
    """Asks for the format. `wished` and `copied` carry the choices."""

    wished = Signal(object)  # Wish
    copied = Signal(object)  # Wish

    def __init__(
        self,
        look: Look,
        parent: QWidget,
        name: str,
        wish: Wish,
        omitted: Callable[[Wish], Sequence[Omitted]],
    ) -> None:
        super().__init__(look, parent, "doc", f"Export {name}", "")
        self._omitted = omitted
        self.formats = Choice(look)
        self.themes = Choice(look)
        self.scales = Choice(look)
        self.formats.fill(
            [(f"{to.title} ({to.suffix})", to.name) for to in FORMATS.values()],
            wish.to.name,
        )
        self.themes.fill([("Light", "light"), ("Dark", "dark")], wish.theme)
        self.scales.fill(
            [(f"{scale * 100:.0f} %", scale) for scale in SCALES], wish.scale
        )
        self.field("Format", self.formats)
        self.field("Colours", self.themes)
        self.field("Scale", self.scales)
        self.secrets = label("", "secondary", wrap=True)
        self.secrets.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
        )
        self._left_out = _noted(
            Glyph(look, "warn", "warn"), LongText(self.secrets, NOTE_WIDTH)
        )
        self.form.addRow(self._left_out)
        self.copy = button("Copy", lambda: self._answer(self.copied))
        self.copy.setToolTip("Copy the text to the clipboard")
        self.go = button("Export…", lambda: self._answer(self.wished), primary=True)
        for choice in (button("Cancel", self.reject), self.copy, self.go):
            choice.setAutoDefault(choice is self.go)
            self.below.addWidget(choice)
        self.go.setDefault(True)
        self.formats.currentIndexChanged.connect(self._follow)
        self._follow()
        self.formats.setFocus()

    @property
    def _to(self) -> ExportFormat:
        return FORMATS[self.formats.currentData()]

    @property
    def wish(self) -> Wish:
        return Wish(self._to, self.themes.currentData(), self.scales.currentData())

    def _follow(self, _index: int = 0) -> None:
        to = self._to
        self.about.setText(to.about)
        self.form.setRowVisible(self.themes, to.is_picture)
        self.form.setRowVisible(self.scales, to.has_scale)
        self.copy.setVisible(not to.is_picture)
        omitted = self._omitted(self.wish)
        self.secrets.setText(_secrets_text(omitted))
        self.form.setRowVisible(self._left_out, bool(omitted))

    def _answer(self, signal: SignalInstance) -> None:
        wish = self.wish
        self.accept()
        signal.emit(wish)


def _secrets_text(omitted: Sequence[Omitted]) -> str:
    """Return which secrets are not in the export, and what to do about it."""
    lines = [
        "Secrets are left out. Set these variables of the environment where it is used:"
    ]
    lines += [f"{secret.variable}   {secret.place}" for secret in omitted[:SHOWN]]
    if len(omitted) > SHOWN:
        lines.append(f"and {len(omitted) - SHOWN} more")
    return "\n".join(lines)


class ImportDialog(_Dialog):
    """Asks for a workflow in Python, and stays until it is imported, so that the user
    can correct a mistake.

    imported  the path of the new file
    """

    imported = Signal(str)

    def __init__(
        self,
        look: Look,
        parent: QWidget,
        folder: Path,
        importer: Importer,
        may_run: Callable[[str], bool],
        choose_folder: Callable[[Path], Path | None],
        free_file: Callable[[Path, str], Path],
    ) -> None:
        text = (
            "The new workflow keeps a link to the code: each executor there becomes a node here. Importing runs the "
            "module, in a process of its own."
        )
        super().__init__(look, parent, "code", "Import a workflow from Python", text)
        self._importer = importer
        self._may_run = may_run
        self._choose = choose_folder
        self._free = free_file
        importer.setParent(self)
        self.reference = QLineEdit()
        self.folder = QLineEdit(str(folder))
        self.reference.setPlaceholderText("module:workflow")
        self.reference.setToolTip(
            "The name of the module, a colon, and the name in it: of a Workflow, a WorkflowBuilder, or a "
            "function without arguments that returns one."
        )
        self.folder.setToolTip(
            "The folder of the module, and of the new workflow file."
        )
        self.field("Workflow", self.reference)
        self.browse = button("Browse…", self._browse)
        holder = QWidget()
        put(holder, row(self.folder, self.browse))
        self.form.addRow(label("Folder"), holder)
        self.folder.setAccessibleName("Folder")
        self.news = label("", wrap=True)
        self._sign = Glyph(look, "error", "bad")
        self._said = _noted(self._sign, LongText(self.news, NOTE_WIDTH))
        self.form.addRow(self._said)
        self.go = button("Import", self._start, primary=True)
        self.stop = button("Cancel", self.reject)
        for choice in (self.stop, self.go):
            self.below.addWidget(choice)
        for choice in (self.stop, self.browse):
            choice.setAutoDefault(False)
        self.go.setDefault(True)
        self.reference.textChanged.connect(self._follow)
        self.folder.textChanged.connect(self._follow)
        importer.done.connect(self._on_done)
        importer.failed.connect(self._on_failed)
        self._follow()
        self.reference.setFocus()

    def suggest(self, reference: str) -> None:
        """Fill in a reference, and select the name after the colon, which the user may
        replace.
        """
        self.reference.setText(reference)
        start = reference.index(":") + 1
        self.reference.setSelection(start, len(reference) - start)

    def reject(self) -> None:
        """Cancel a running import and stay open for another try; otherwise close."""
        if self._importer.running:
            self._importer.cancel()
        else:
            super().reject()

    def _follow(self, _text: str = "") -> None:
        reference = self.reference.text().strip()
        folder = self.folder.text().strip()
        why = ""
        if reference and not is_reference(reference):
            why = "Write module:name, such as flows.report:workflow."
        elif not Path(folder).is_dir():
            why = "There is no such folder."
        self._tell(why, bad=bool(why))
        set_style(
            self.reference, invalid=bool(reference) and not is_reference(reference)
        )
        set_style(self.folder, invalid=not Path(folder).is_dir())
        self._allow(bool(reference) and not why)

    def _allow(self, can: bool) -> None:
        self.go.setEnabled(can)
        for widget in (self.reference, self.folder, self.browse):
            widget.setEnabled(not self._importer.running)

    def _tell(self, text: str, *, bad: bool = False) -> None:
        self.news.setText(text)
        self._sign.setVisible(bad)
        self.form.setRowVisible(self._said, bool(text))

    def _browse(self) -> None:
        folder = self._choose(Path(self.folder.text()))
        if folder is not None:
            self.folder.setText(str(folder))

    def _start(self) -> None:
        folder = Path(self.folder.text().strip()).resolve()
        reference = self.reference.text().strip()
        if not self._may_run(str(folder)):
            self._tell("The folder is not trusted, so its code was not run.", bad=True)
            return
        self._importer.start(reference, self._free(folder, reference))
        self._tell("Importing…")
        self._allow(False)

    def _on_done(self, path: str) -> None:
        self.accept()
        self.imported.emit(path)

    def _on_failed(self, why: str) -> None:
        self._follow()
        self._tell(why, bad=True)
        self.reference.setFocus()
