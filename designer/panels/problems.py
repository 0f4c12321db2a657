"""Problems: each problem of the drawing with its place, rule, remedy and quick fixes;
and the failure of the last run until another begins.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QIcon, QPainter, QPixmap

from designer.look.fonts import data_font
from designer.model.design import Design
from designer.model.edge_kinds import kind_of
from designer.model.fixes import Fix, fixes
from designer.model.inside import is_inside
from designer.panels.base import Panel, PanelHost
from designer.panels.widgets.basic import ContentOrNotice, paint_mark
from designer.panels.widgets.fix_column import SEVERAL, FixDelegate, FixMenu
from designer.panels.widgets.tables import Columns, Table
from designer.qt.indexes import ROOT, AnyIndex
from designer.qt.layouts import column
from runtime.debug.protocol import StoppedBody
from runtime.document.problem import Problem

MARKS = {
    "error": ("failed", "bad"),
    "warning": ("warn", "warn"),
    "info": ("info", "text2"),
}
FIX = 4  # the column of the quick fixes
_WORDS = {"error": "Error", "warning": "Warning", "info": "Hint"}


class ProblemsPanel(Panel):
    """A click selects the element and brings it into view. Enter or a double click also
    enters sub-workflows and goes to the field. The button in a row applies its only
    quick fix, or opens the menu of them, as `quick_fix` does.
    """

    # The part of the selected element that has the problem.
    field_requested = Signal(str)
    # A sub-workflow that is a file, and the path in it to the node.
    file_requested = Signal(str, object)

    title = "Problems"
    icon = "warn"
    area = "bottom"
    is_about_level = True

    def connect_to(self, host: PanelHost) -> None:
        self.file_requested.connect(host.open_file)
        self.field_requested.connect(host.go_to_field)

    def set_up(self) -> None:
        self.rows = _Problems(self)
        self.table = Table(self.rows, self.title, (0, 210, 140, 280, 230))
        self.table.setItemDelegateForColumn(FIX, FixDelegate(self.look, self.table))
        self.table.setMouseTracking(True)
        self.table.clicked.connect(self._on_click)
        self.table.activated.connect(lambda index: self._go_to(index.row()))
        self._fixes: dict[Problem, list[Fix]] = {}
        self._fixed: Design | None = (
            None  # the drawing for which `_fixes` were computed
        )
        self._failure: Problem | None = None
        self.stack = ContentOrNotice(self.table, self.look)
        column(self).addWidget(self.stack)
        self.checks.changed.connect(self._on_checks)
        self.session.catalogue_ready.connect(self.invalidate)
        self.session.changed.connect(self._on_session)
        self.look.changed.connect(self.table.viewport().update)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The failure of the last run, if there is one, then the problems of the
        drawing.
        """
        # Not a new tuple without a failure, because each cell of the table asks for
        # them.
        problems = self.checks.problems
        return problems if self._failure is None else (self._failure, *problems)

    def refresh(self) -> None:
        self.rows.show(self.problems)
        if self.problems:
            self.stack.show_content()
        elif not self.session.infos:
            self.stack.say(
                "clock", "Not checked yet", "The node types are being loaded."
            )
        elif not self.document.design.workflow.nodes:
            self.stack.say("check", "Nothing to check", "The canvas is empty.")
        else:
            self.stack.say("check", "No problems", "The workflow can run.")

    def where(self, problem: Problem) -> str:
        """Return the element and the part in words: "Route by licence, case 2"."""
        if not problem.location:
            return "Workflow"
        place = _place(problem.part)
        name = self._name(problem.location)
        return f"{name}, {place}" if place else name

    def fixes(self, row: int) -> list[Fix]:
        """Return the quick fixes of a row, for the present drawing."""
        if self._fixed is not self.document.design:
            self._fixed = self.document.design
            self._fixes = {}
        problem = self.problems[row]
        if problem not in self._fixes:
            folder = self.document.folder if self.document.path is not None else None
            self._fixes[problem] = fixes(
                self.document.design, problem, self.session.infos, folder
            )
        return self._fixes[problem]

    def quick_fix(self) -> bool:
        """Open the fixes of the current row, or else of the selected element, or else
        of the first problem with a fix.

        Return False when there is none.
        """
        row = self._row_to_fix()
        if row is None:
            return False
        index = self.rows.index(row, FIX)
        self.table.setCurrentIndex(self.rows.index(row, 0))
        self.table.scrollTo(index)
        self._open_menu(row)
        return True

    # --- inside

    def _row_to_fix(self) -> int | None:
        current = self.table.currentIndex()
        if self.table.hasFocus() and current.isValid():
            return current.row()
        problems = self.problems
        chosen = self.document.selection
        rows = [
            row for row, problem in enumerate(problems) if problem.location in chosen
        ]
        rows = rows or list(range(len(problems)))
        for row in rows:
            if self.fixes(row):
                return row
        # Without a fix the menu of the selected element shows the remedy.
        return rows[0] if chosen and rows else None

    def _on_click(self, index: QModelIndex) -> None:
        self._reveal(index.row())
        offered = self.fixes(index.row()) if index.column() == FIX else []
        if len(offered) == 1 and not self._why_not():
            self._apply(index.row(), offered[0], self.document.design)
        elif offered:
            self._open_menu(index.row())

    def _why_not(self) -> str:
        if self.session.mode == "edit":
            return ""
        return "Go back to editing first (Ctrl+E)."

    def _open_menu(self, row: int) -> None:
        problem = self.problems[row]
        cell = self.table.visualRect(self.rows.index(row, FIX))
        design = self.document.design
        menu = FixMenu(
            self,
            self.fixes(row),
            lambda fix: self._apply(row, fix, design),
            problem.remedy,
            self._why_not(),
        )
        menu.popup(self.table.viewport().mapToGlobal(cell.bottomLeft()))

    def _apply(self, row: int, fix: Fix, design: Design) -> None:
        """Apply a fix as one undo step, and check at once, without the pause for
        typing.
        """
        if design is not self.document.design:
            return  # because the fix belongs to the drawing from before an edit
        self.document.apply(fix.text, fix.design)
        self.checks.run()
        if self.rows.rowCount():
            self.table.setCurrentIndex(
                self.rows.index(min(row, self.rows.rowCount() - 1), 0)
            )

    def _on_session(self) -> None:
        failure = _failure(self.session.stopped, inside=bool(self.document.inside))
        if failure != self._failure:
            self._failure = failure
            self._on_checks()

    def _on_checks(self) -> None:
        errors = self.checks.count("error")
        warnings = self.checks.count("warning")
        errors += self._failure is not None
        self._fixed = None  # because fixes also depend on files
        self.badge_tone = "bad" if errors else "warn"
        count = errors or warnings  # only one kind, which the colour of the badge shows
        self.badge_changed.emit(f"{count:,}" if count else "")
        self.invalidate()

    def _name(self, location: str) -> str:
        workflow = self.document.design.workflow
        edge = next((edge for edge in workflow.edges if edge.id == location), None)
        if edge is None:
            return self.node_title(location)
        return kind_of(edge).name_of(edge, self.node_title)

    def _go_to(self, row: int) -> None:
        """Go to the place of a problem, also inside sub-workflows and in the files of
        others.
        """
        problem = self.problems[row]
        way = [problem.location, *problem.inside]
        while len(way) > 1 and is_inside(self.document.design, way[0]):
            self.document.enter(way.pop(0))
        if len(way) > 1:
            self.file_requested.emit(way[0], tuple(way[1:]))
        else:
            self._reveal_at(way[0])
            self.field_requested.emit(problem.inside_part or problem.part)

    def show_first(self) -> None:
        """Select the first problem of the drawing, and show its place."""
        self.refresh()
        row = len(self.problems) - len(self.checks.problems)
        if row < self.rows.rowCount():
            self.table.setCurrentIndex(self.rows.index(row, 0))
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)
            self._reveal(row)

    def _reveal(self, row: int) -> None:
        self._reveal_at(self.problems[row].location)

    def _reveal_at(self, location: str) -> None:
        if location:
            self.reveal(location)
        else:
            self.document.select(set())


def _failure(stopped: StoppedBody | None, *, inside: bool) -> Problem | None:
    """Return the failure of the last run as a problem.

    Its executor belongs to the outermost workflow, so inside a sub-workflow the problem
    has no location.
    """
    if stopped is None or stopped.reason not in ("failed", "limit"):
        return None
    if stopped.reason == "failed":
        kind = f"{stopped.error_type}: " if stopped.error_type else ""
        superstep = stopped.superstep + 1
        message = f"The run failed in superstep {superstep}: {kind}{stopped.text}"
        if stopped.before:
            message += f"; it came after a failure, {stopped.before}"
    else:
        message = f"The run was stopped: {stopped.text}"
    remedy = "Selected shows the message of the failure." if stopped.executor else ""
    return Problem(
        severity="error",
        rule="run",
        message=message,
        location="" if inside else stopped.executor,
        remedy=remedy,
    )


def _place(part: str) -> str:
    """Return the part of an element for people: `cases[1].when` -> "case 2",
    `params.path` -> "path".
    """
    head, _, index_text = part.partition("[")
    if index_text and head in ("cases", "selections"):
        number = int(index_text.partition("]")[0]) + 1
        return f"{head.removesuffix('s')} {number}"
    return part.removeprefix("params.").replace("_", " ")


class _Problems(Columns):
    heads = ("Problem", "Where", "Rule", "Remedy", "Quick fix")

    def __init__(self, panel: ProblemsPanel) -> None:
        super().__init__(panel)
        self._panel = panel
        self._problems: tuple[Problem, ...] = ()

    def show(self, problems: tuple[Problem, ...]) -> None:
        if problems != self._problems:
            self.beginResetModel()
            self._problems = problems
            self.endResetModel()

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self._problems)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        problem = self._problems[index.row()]
        if index.column() == FIX:
            return self._fix_data(index.row(), role)
        texts = (
            problem.message,
            self._panel.where(problem),
            problem.rule,
            problem.remedy,
        )
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

    def _fix_data(self, row: int, role: int) -> Any:
        if row >= len(self._panel.problems):
            return None  # because the problems are newer than the list for a moment
        offered = self._panel.fixes(row)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return offered[0].text if offered else ""
            case Qt.ItemDataRole.AccessibleTextRole:
                if offered:
                    return f"Quick fix: {', or '.join(fix.text for fix in offered)}"
                return "No quick fix"
            case Qt.ItemDataRole.ToolTipRole:
                if offered:
                    return (
                        "\n".join(fix.text for fix in offered) + "\nCtrl+. opens them"
                    )
                return ""
        return len(offered) > 1 if role == SEVERAL else None

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
        icon.addPixmap(
            pixmap, QIcon.Mode.Selected
        )  # or Qt would tint the icon of a selected row
        return icon
