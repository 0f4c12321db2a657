"""Problems: what is wrong with the drawing, where, by which rule, and what helps."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QWidget

from designer.checks import Checks
from designer.document import Document
from designer.look.fonts import data_font
from designer.look.theme import Look
from designer.panels.base import Panel
from designer.panels.rows import AnyIndex
from designer.panels.tables import Columns, Table
from designer.panels.widgets import ContentOrNotice, column, paint_mark
from designer.session.session import DebugSession
from runtime.debug.protocol import Problem

MARKS = {"error": ("failed", "bad"), "warning": ("warn", "warn"), "info": ("info", "text2")}
_WORDS = {"error": "Error", "warning": "Warning", "info": "Hint"}


class ProblemsPanel(Panel):
    """A click selects the element; Enter also brings it into view."""

    title = "Problems"
    icon = "warn"
    area = "bottom"

    def __init__(
        self,
        document: Document,
        session: DebugSession,
        look: Look,
        parent: QWidget | None = None,
        *,
        checks: Checks | None = None,
    ) -> None:
        super().__init__(document, session, look, parent, checks=checks)
        self.rows = _Problems(self)
        self.table = Table(self.rows, self.title, (0, 230, 160, 280))
        self.table.clicked.connect(lambda index: self._select(index.row()))
        self.table.activated.connect(lambda index: self._reveal(index.row()))
        self.stack = ContentOrNotice(self.table, look)
        column(self).addWidget(self.stack)
        self.checks.changed.connect(self._on_checks)
        session.catalogue_ready.connect(self.invalidate)
        look.changed.connect(self.table.viewport().update)

    def refresh(self) -> None:
        self.rows.show(self.checks.problems)
        if self.checks.problems:
            self.stack.show_content()
        elif not self.session.infos:
            self.stack.say("clock", "Not checked yet", "The node types are being loaded.")
        elif not self.document.design.workflow.nodes:
            self.stack.say("check", "Nothing to check", "The canvas is empty.")
        else:
            self.stack.say("check", "No problems", "The workflow can run.")

    def where(self, problem: Problem) -> str:
        """The element and the place in it in words: "Route by licence, case 2"."""
        if not problem.location:
            return "Workflow"
        place = _place(problem.part)
        name = self._name(problem.location)
        return f"{name}, {place}" if place else name

    # --- inside

    def _on_checks(self) -> None:
        errors, warnings = self.checks.count("error"), self.checks.count("warning")
        self.badge_tone = "bad" if errors else "warn"
        self.badge_changed.emit(str(errors + warnings) if errors + warnings else "")
        self.invalidate()

    def _name(self, location: str) -> str:
        workflow = self.document.design.workflow
        edge = next((edge for edge in workflow.edges if edge.id == location), None)
        if edge is None:
            return self.node_title(location)
        if edge.kind == "fan_in":
            return f"Join into {self.node_title(edge.target)}"
        words = {"switch": "Switch", "fan_out": "Fan-out", "multi_selection": "Multi-selection", "direct": "Edge"}
        return f"{words[edge.kind]} of {self.node_title(edge.source)}"

    def _select(self, row: int) -> None:
        location = self.checks.problems[row].location
        self.document.select({location} if location else set())

    def _reveal(self, row: int) -> None:
        location = self.checks.problems[row].location
        if location:
            self.reveal(location)


def _place(part: str) -> str:
    """The part of an element for people: `cases[1].when` -> "case 2", `params.path` -> "path"."""
    head, _, rest = part.partition("[")
    if rest and head in ("cases", "selections"):
        return f"{'case' if head == 'cases' else 'selection'} {int(rest.partition(']')[0]) + 1}"
    return part.removeprefix("params.").replace("_", " ")


class _Problems(Columns):
    heads = ("Problem", "Where", "Rule", "What helps")

    def __init__(self, panel: ProblemsPanel) -> None:
        super().__init__(panel)
        self._panel = panel
        self._problems: tuple[Problem, ...] = ()

    def show(self, problems: tuple[Problem, ...]) -> None:
        if problems != self._problems:
            self.beginResetModel()
            self._problems = problems
            self.endResetModel()

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._problems)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        problem = self._problems[index.row()]
        texts = (problem.message, self._panel.where(problem), problem.rule, problem.remedy)
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.ToolTipRole:
                return texts[index.column()]
            case Qt.ItemDataRole.AccessibleTextRole:
                prefix = f"{_WORDS[problem.severity]}: " if index.column() == 0 else ""
                return prefix + texts[index.column()]
            case Qt.ItemDataRole.DecorationRole if index.column() == 0:
                return self._icon(problem.severity)
            case Qt.ItemDataRole.FontRole if index.column() == 2:
                return data_font()
            case Qt.ItemDataRole.ForegroundRole if index.column() > 1:
                return self._panel.look.theme.text2
        return None

    def _icon(self, severity: str) -> QIcon:
        name, role = MARKS[severity]
        ratio = self._panel.devicePixelRatioF()
        pixmap = QPixmap(round(16 * ratio), round(16 * ratio))
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_mark(painter, name, QRectF(0, 0, 16, 16), self._panel.look.theme, role)
        painter.end()
        icon = QIcon(pixmap)
        icon.addPixmap(pixmap, QIcon.Mode.Selected)  # Qt would tint it
        return icon
