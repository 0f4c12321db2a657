"""The three checks of one checkpoint, each with its findings."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QWidget

from designer.look.difference_marks import SIGNS, paint_sign
from designer.look.proof_marks import MARKS, paint_dash
from designer.look.theme import Look
from designer.panels.base import left_out
from designer.panels.values.model import Node
from designer.panels.widgets.basic import (
    ElidedLabel,
    button,
    hairline,
    label,
    paint_mark,
)
from designer.qt.layouts import clear, column, put, row, stack
from runtime.debug.protocol import (
    DIFFERENCE_TITLES,
    PROOF_TITLES,
    ProofCheck,
    ProofFinding,
    ProofItem,
    ProofOutcome,
    Value,
)

SHOWN = 8  # findings of a check
_LONGEST = 60  # characters of a value
_TITLES = {
    **DIFFERENCE_TITLES,
    "attributes": "Attributes",
    "sharing": "Shared values",
    "engine": "Engine",
    "code": "Code",
    "run": "Record",
}
Title = Callable[[str], str]


class OutcomeMark(QWidget):
    """The mark of an outcome."""

    def __init__(self, look: Look, outcome: ProofOutcome) -> None:
        super().__init__()
        self._look = look
        self._outcome: ProofOutcome = outcome
        self.setFixedSize(16, 16)
        self.setAccessibleName(MARKS[outcome].words)
        look.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        mark = MARKS[self._outcome]
        theme = self._look.theme
        if mark.glyph == "none":
            paint_dash(painter, QRectF(self.rect()), theme)
        else:
            paint_mark(painter, mark.glyph, QRectF(self.rect()), theme, mark.role)


class _Sign(QWidget):
    def __init__(self, look: Look, kind: str) -> None:
        super().__init__()
        self._look = look
        self._kind = kind
        self.setFixedSize(12, 16)
        self.setAccessibleName(SIGNS[kind].words)
        look.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = getattr(self._look.theme, SIGNS[self._kind].role)
        paint_sign(painter, self._kind, QRectF(0, 2, 12, 12), colour)


class FindingView(QFrame):
    """One finding: its place, what was recorded and what came now, and who wrote it.

    `writer_requested` carries the path of the executor that wrote it.
    """

    writer_requested = Signal(str)

    def __init__(
        self,
        finding: ProofFinding,
        look: Look,
        title: Title,
        *,
        says_text: bool = True,
    ) -> None:
        super().__init__()
        self.finding = finding
        box = QFrame()
        box.setProperty("role", "well")
        self.place = ElidedLabel(place_of(finding, title), "data")
        self.values = ElidedLabel(
            values_of(finding), "data", Qt.TextElideMode.ElideRight
        )
        lines = [row(_Sign(look, finding.kind), (self.place, 1), gap=8)]
        if self.values.text():
            lines.append(row(20, (self.values, 1)))
        put(box, stack(*lines, gap=2, margins=(8, 5, 8, 5)))
        whole = column(self, gap=3)
        whole.addWidget(box)
        if finding.text and says_text:
            whole.addWidget(label(finding.text, "secondary", wrap=True))
        self.writer = button("", self._go_to_writer, small=True)
        if finding.writer:
            self.writer.setText(title(finding.writer))
            self.writer.setProperty("link", True)
            self.writer.setToolTip("Select it on the canvas")
            by = label("Written by", "secondary")
            put(whole, row(by, self.writer, None, gap=4))

    def _go_to_writer(self) -> None:
        self.writer_requested.emit(self.finding.writer)


class CheckView(QWidget):
    """One check: its mark, its title, what it says, and its findings."""

    writer_requested = Signal(str)

    def __init__(self, check: ProofCheck, look: Look, title: Title) -> None:
        super().__init__()
        self.check = check
        mark = OutcomeMark(look, check.outcome)
        self.title = label(PROOF_TITLES[check.name], "strong")
        self.text = label(named(check, title), "secondary", wrap=True)
        whole = column(self, margins=(12, 9, 12, 9), gap=4)
        put(whole, row(mark, (self.title, 1), gap=8))
        content = QWidget()
        body = column(content, margins=(24, 0, 0, 0), gap=6)
        body.addWidget(self.text)
        self.findings: list[FindingView] = []
        last: ProofFinding | None = None
        for finding in check.findings[:SHOWN]:
            is_said = last is not None and last.text == finding.text
            view = FindingView(finding, look, title, says_text=not is_said)
            last = finding
            view.writer_requested.connect(self.writer_requested)
            self.findings.append(view)
            body.addWidget(view)
        hidden = len(check.findings) - SHOWN + check.more
        if hidden > 0:
            body.addWidget(label(f"{left_out(hidden, 'finding')}.", "caption"))
        whole.addWidget(content)


class ChecksView(QWidget):
    """The checks of one checkpoint, one below the other."""

    writer_requested = Signal(str)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._shown: object = None
        self._layout = column(self)
        self.checks: list[CheckView] = []

    def show_item(self, item: ProofItem | None, title: Title) -> None:
        """Show the checks of a checkpoint, or nothing."""
        titles = [title(name) for name in _names_in(item)]
        if (item, titles) == self._shown:
            return
        self._shown = (item, titles)
        clear(self._layout)
        self.checks = []
        for check in () if item is None else item.checks:
            view = CheckView(check, self._look, title)
            view.writer_requested.connect(self.writer_requested)
            self.checks.append(view)
            self._layout.addWidget(view)
            self._layout.addWidget(hairline())
        self._layout.addStretch(1)


# --- words --------------------------------------------------------------------------------------------------------


def named(check: ProofCheck, title: Title) -> str:
    """Return what a check says, with the names of the nodes in place of their ids."""
    text = check.text
    for executor in check.executors:
        text = text.replace(executor, title(executor))
    return text


def place_of(finding: ProofFinding, title: Title) -> str:
    """Return where a finding is: the section and the path in it."""
    section = _TITLES.get(finding.section, finding.section)
    path = finding.path
    names = {finding.executor, finding.writer} - {""}
    for name in sorted(names, key=len, reverse=True):
        path = path.replace(f"'{name}'", title(name))
        if path.startswith(f"{name}: "):
            path = title(name) + path[len(name) :]
    return f"{section} {path}".rstrip()


def values_of(finding: ProofFinding) -> str:
    """Return what was recorded, and what came of it now."""
    old = _text(finding.old)
    new = _text(finding.new)
    if finding.old is None and finding.new is None:
        return ""
    if finding.kind == "added":
        return f"only now: {new}"
    if finding.kind == "removed":
        return f"only in the record: {old}"
    return f"{old} › {new}"


def _text(value: Value | None) -> str:
    if value is None:
        return "nothing"
    line = " ".join(Node("", value).python_text().split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def text_of(name: str, item: ProofItem, title: Title) -> str:
    """Return a proof as text, for the clipboard."""
    lines = [f"Restore proof of {name}: {MARKS[item.outcome].words}"]
    for check in item.checks:
        outcome = MARKS[check.outcome].words
        lines.append(f"  {PROOF_TITLES[check.name]}, {outcome}. {named(check, title)}")
        for finding in check.findings:
            words = [place_of(finding, title), values_of(finding), finding.text]
            if finding.writer:
                words.append(f"by {title(finding.writer)}")
            lines.append("    " + " · ".join(word for word in words if word))
    return "\n".join(lines) + "\n"


def _names_in(item: ProofItem | None) -> list[str]:
    if item is None:
        return []
    names = [name for check in item.checks for name in check.executors]
    names += [finding.writer for check in item.checks for finding in check.findings]
    return names
