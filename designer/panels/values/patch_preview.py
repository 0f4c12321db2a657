"""The pane "What superstep n would do" of an edited copy."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from designer.look.theme import Look
from designer.panels.values.patch_words import Line, Title, lines_of
from designer.panels.widgets.basic import Glyph, hint, label, scrolling, set_style
from designer.qt.layouts import column, put, row
from designer.session.session import DebugSession

ABOUT = 76  # px for what a line is about


class PreviewLine(QWidget):
    """A mark, what the line is about, and the words, which may take several lines."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._mark = Glyph(look, "next", "accent", 14)
        self.about = label("", "secondary")
        self.about.setFixedWidth(ABOUT)
        self.text = label("", "body", wrap=True)
        parts = (self._mark, self.about, (self.text, 1))
        layout = put(self, row(*parts, gap=8, margins=(12, 1, 12, 1)))
        for part in (self._mark, self.about, self.text):
            layout.setAlignment(part, Qt.AlignmentFlag.AlignTop)

    def show_line(self, line: Line) -> None:
        self._mark.show_glyph(line.mark, line.role)
        self.about.setText(line.about)
        self.about.setVisible(bool(line.about))
        self.text.setText(line.text)
        set_style(self.text, tone=line.role if line.role == "bad" else "")


class PatchPreview(QWidget):
    """Filled again whenever the staged changes or their plan differ."""

    def __init__(self, session: DebugSession, look: Look, title: Title) -> None:
        super().__init__()
        self._session = session
        self._look = look
        self._title = title
        self.head = label("", "section")
        self.note = hint("nothing has run")
        self.lines: list[PreviewLine] = []
        holder = QWidget()
        self._list = column(holder, gap=2)
        self._list.addStretch(1)
        area = scrolling(holder)
        area.setAccessibleName("What the next superstep would do")
        layout = column(self)
        head = row(self.head, 8, (self.note, 1), margins=(12, 8, 12, 6))
        put(layout, head)
        layout.addWidget(area, 1)
        session.staged.changed.connect(self.refresh)
        session.staged.planned.connect(self.refresh)

    @property
    def words(self) -> list[str]:
        """Return the lines as they are read."""
        return [
            f"{line.about.text()} {line.text.text()}".strip()
            for line in self.lines
            if not line.isHidden()
        ]

    def refresh(self) -> None:
        staged = self._session.staged
        if not staged.is_on or not self.isVisible():
            return
        header = self._session.timeline.header(staged.checkpoint)
        superstep = header.superstep + 1 if header is not None else 1
        self.head.setText(f"What superstep {superstep} would do")
        self.note.setText("nothing has run" if staged.is_current else "checking…")
        lines = lines_of(staged, self._title)
        while len(self.lines) < len(lines):
            self.lines.append(PreviewLine(self._look))
            self._list.insertWidget(len(self.lines) - 1, self.lines[-1])
        for place, shown in enumerate(self.lines):
            shown.setVisible(place < len(lines))
            if place < len(lines):
                shown.show_line(lines[place])
