"""Editing a condition where it is: a small field at its tag on the canvas.

The window lends the field. What is typed is in the document at once, so nothing can be
lost, and Escape takes it back. From opening the field to closing it is one undo step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, cast

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRectF, Qt, SignalInstance
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from designer.canvas.base import Canvas
from designer.canvas.drawing.figures import Figure, look_of
from designer.canvas.drawing.style import elided
from designer.model import edits
from designer.model.completion.cel_words import example_for
from designer.model.design import Design
from designer.model.edge_kinds import kind_of
from runtime.document.definition import EdgeDefinition
from runtime.document.problem import Problem

WIDTH = 340
MARK = 9
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class ConditionField(Protocol):
    """The field, as far as the canvas uses it: a text in CEL that colours, completes
    and checks itself.
    """

    edited: SignalInstance
    committed: SignalInstance

    @property
    def editor(self) -> QWidget: ...
    @property
    def is_offering(self) -> bool: ...
    def text(self) -> str: ...
    def show_text(self, text: str) -> None: ...
    def show_problems(self, problems: list[Problem]) -> None: ...
    def set_example(self, example: Callable[[], object]) -> None: ...


MakeField = Callable[[str], ConditionField]


class ConditionEditor(QObject):
    """`make_field` makes a field under an accessible name; without it conditions are
    edited in the properties only. `edge` and `index` are the condition.
    """

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(canvas.widget)
        self.canvas = canvas
        self.make_field: MakeField | None = None
        self.field: ConditionField | None = None
        self.edge = ""
        self.index = 0
        self._frame: QFrame | None = None
        self._before = ""
        self._visits = 0
        self._editing = False
        if canvas.checks is not None:
            canvas.checks.changed.connect(self.show_problems)

    # --- opening and closing ----------------------------------------------------------

    def open(self, edge_id: str, index: int = 0) -> bool:
        """Edit a condition of an edge group. Return False when there is none to edit."""
        self.close()
        canvas = self.canvas
        edge = self.canvas.scene().topology.edges.get(edge_id)
        if edge is None or not edits.conditions_of(edge) or self.make_field is None:
            return False
        if not canvas.editable:
            canvas.tell("Go back to editing to change a condition.")
            return False
        conditions = edits.conditions_of(edge)
        index %= len(conditions)
        self.edge = edge_id
        self.index = index
        self._before = conditions[index]
        self._visits += 1
        title = _title(canvas, edge, index)
        field = self.make_field(title)
        self.field = field
        field.show_text(self._before)
        field.set_example(
            lambda: example_for(
                canvas.scene().design, edge, index, canvas.session.infos
            )
        )
        field.edited.connect(self._on_edited)
        field.committed.connect(self.close)
        field.editor.installEventFilter(self)
        self._frame = _frame(canvas, title, cast("QWidget", field))
        # It grows with its text, and has to be placed again.
        self._frame.installEventFilter(self)
        self.show_problems()
        self.place()
        self._frame.show()
        self._frame.raise_()
        field.editor.setFocus(Qt.FocusReason.PopupFocusReason)
        return True

    def open_at(self, point: QPointF) -> bool:
        """Edit the condition whose tag or mark is at a point of the scene."""
        edge, index = self._condition_at(point)
        return bool(edge) and self.open(edge, index)

    def open_next(self) -> None:
        """Edit the first condition of what is selected; Tab goes on to the next."""
        canvas = self.canvas
        key = next(reversed(canvas.order), "")
        if key in canvas.scene().topology.edges:
            edge = key
        else:
            edge = canvas.scene().topology.switches.get(key, "")
        if not self.open(edge):
            canvas.tell(
                "Select an edge that can have a condition, or a switch; W then opens the condition."
            )

    def close(self) -> None:
        """Take the field away; what was typed stays."""
        field = self.field
        self.field = None
        frame = self._frame
        self._frame = None
        if field is None or frame is None:
            return
        field.editor.removeEventFilter(self)
        had_focus = field.editor.hasFocus()
        frame.hide()
        frame.deleteLater()
        if had_focus:
            self.canvas.widget.setFocus()

    def follow_design(self) -> None:
        """Close it when the design was changed from elsewhere: the edge may be gone."""
        if not self._editing:
            self.close()

    def _condition_at(self, point: QPointF) -> tuple[str, int]:
        """Return the edge group and the place of the condition at a point, or ""."""
        scene = self.canvas.scene()
        for figure in scene.edges.near(QRectF(point.x() - 1, point.y() - 1, 2, 2)):
            marked = look_of(figure.kind).has_condition_mark
            for tag in figure.tags:
                if tag.rect.contains(point) and (tag.number or marked):
                    return figure.id, max(0, tag.number - 1)
            if marked and figure.hub is not None:
                away = figure.hub - point
                if away.manhattanLength() <= MARK:
                    return figure.id, 0
        return "", 0

    # --- where it is ------------------------------------------------------------------

    def place(self) -> None:
        """Put the field under the tag, inside the view."""
        figure = self.canvas.scene().figure(self.edge)
        frame = self._frame
        if frame is None or figure is None:
            return
        frame.setFixedWidth(WIDTH)
        frame.adjustSize()
        corner = self.canvas.mapFromScene(self._anchor(figure)) + QPoint(-8, 6)
        room = self.canvas.widget.rect().adjusted(8, 8, -8, -8)
        x = max(room.left(), min(corner.x(), room.right() - frame.width()))
        y = max(room.top(), min(corner.y(), room.bottom() - frame.height()))
        frame.move(x, y)

    def _anchor(self, figure: Figure) -> QPointF:
        """Return where the condition is drawn."""
        look = look_of(figure.kind)
        number = self.index + 1 if look.tags_carry_wires else 0
        tag = next((tag for tag in figure.tags if tag.number == number), None)
        if tag is not None and look.edits_under_tag:
            return tag.rect.bottomLeft()
        wires = [wire for wire in figure.wires if wire.target]
        wire = wires[min(self.index, len(wires) - 1)]
        return wire.path.pointAtPercent(0.5)

    # --- what is typed ----------------------------------------------------------------

    def _on_edited(self) -> None:
        if self.field is not None:
            self._apply(self.field.text())

    def _apply(self, text: str) -> None:
        edge = self.edge
        index = self.index

        def change(design: Design) -> Design:
            return edits.set_condition(design, edge, index, text)

        self._editing = True
        merge = f"in place:{edge}:{index}:{self._visits}"
        self.canvas.commands.edit("Change condition", change, merge=merge)
        self._editing = False

    def show_problems(self) -> None:
        """Show what the checks found in this condition."""
        checks = self.canvas.checks
        if self.field is None or checks is None:
            return
        edge = self.canvas.scene().topology.edges.get(self.edge)
        part = edits.condition_part(edge, self.index) if edge is not None else None
        problems = checks.by_location.get(self.edge, ())
        own = [problem for problem in problems if problem.part == part]
        self.field.show_problems(own)
        self.place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._frame:
            if event.type() == QEvent.Type.LayoutRequest:
                self.place()
            return False
        if not isinstance(event, QKeyEvent) or self.field is None:
            return False
        if self.field.is_offering or not _is_ours(event):
            # While words are offered, the same keys choose one of them.
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        if event.type() == QEvent.Type.KeyPress:
            self._press(Qt.Key(event.key()))
            return True
        return False

    def _press(self, key: Qt.Key) -> None:
        edge = self.edge
        index = self.index
        if key == Qt.Key.Key_Escape:
            self._apply(self._before)
        self.close()
        if key == Qt.Key.Key_Tab:
            self.open(edge, index + 1)
        elif key == Qt.Key.Key_Backtab:
            self.open(edge, index - 1)


def _is_ours(event: QKeyEvent) -> bool:
    key = Qt.Key(event.key())
    if key in _ENTER:
        # With Shift it is a new line.
        return not event.modifiers() & Qt.KeyboardModifier.ShiftModifier
    return key in (Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Backtab)


def _title(canvas: Canvas, edge: EdgeDefinition, index: int) -> str:
    return kind_of(edge).condition_title(edge, index, canvas.wiring().title)


def _frame(canvas: Canvas, title: str, field: QWidget) -> QFrame:
    frame = QFrame(canvas.widget)
    frame.setProperty("role", "popup")
    head = QLabel(elided(title, "tag", WIDTH - 24, middle=False))
    head.setTextFormat(Qt.TextFormat.PlainText)
    head.setProperty("role", "head")
    keys = QLabel("Enter keeps · Tab next · Esc reverts")
    keys.setProperty("role", "caption")
    column = QVBoxLayout(frame)
    column.setContentsMargins(8, 6, 8, 6)
    column.setSpacing(4)
    for widget in (head, field, keys):
        column.addWidget(widget)
    return frame
