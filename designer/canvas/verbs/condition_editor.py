"""A condition edited where it stands: a small field at its tag on the canvas. The field itself is lent by the window.

What is typed is the document's at once, so nothing can be lost; Escape takes it back. One visit is one undo step.
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
from designer.model.edge_kinds import kind_of
from runtime.document.definition import EdgeDefinition
from runtime.document.problem import Problem

WIDTH = 340
MARK = 9
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class ConditionField(Protocol):
    """What the canvas wants of the widget: a text in CEL that is coloured, completed and judged by itself."""

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
    """`make_field` makes a field under an accessible name; without it conditions are edited in the properties only."""

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(canvas.widget)
        self.canvas = canvas
        self.make_field: MakeField | None = None
        self.field: ConditionField | None = None
        self.edge = ""
        self.at = 0
        self._frame: QFrame | None = None
        self._before = ""
        self._visits = 0
        self._editing = False
        if canvas.checks is not None:
            canvas.checks.changed.connect(self.show_problems)

    # --- opening and closing ------------------------------------------------------------------------------------

    def open(self, edge_id: str, at: int = 0) -> bool:
        """At the condition `at` of an edge group. False where there is none, or none that may be edited."""
        self.close()
        canvas = self.canvas
        edge = self.canvas.scene().topology.edges.get(edge_id)
        if edge is None or not edits.conditions_of(edge) or self.make_field is None:
            return False
        if not canvas.editable:
            canvas.tell("Go back to editing to change a condition.")
            return False
        at %= len(edits.conditions_of(edge))
        self.edge = edge_id
        self.at = at
        self._before = edits.conditions_of(edge)[at]
        self._visits += 1
        title = _title(canvas, edge, at)
        field = self.make_field(title)
        self.field = field
        field.show_text(self._before)
        field.set_example(
            lambda: example_for(canvas.scene().design, edge, at, canvas.session.infos)
        )
        field.edited.connect(self._on_edited)
        field.committed.connect(self.close)
        field.editor.installEventFilter(self)
        self._frame = _frame(canvas, title, cast("QWidget", field))
        self._frame.installEventFilter(self)  # it grows with its text
        self.show_problems()
        self.place()
        self._frame.show()
        self._frame.raise_()
        field.editor.setFocus(Qt.FocusReason.PopupFocusReason)
        return True

    def open_at(self, point: QPointF) -> bool:
        """Where a tag or the mark of a condition is under a point of the scene."""
        edge, at = self._condition_at(point)
        return bool(edge) and self.open(edge, at)

    def open_next(self) -> None:
        """At the first condition of what is selected; from there on at the next."""
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
        """The design changed; not by this field: then it is about something that is no more."""
        if not self._editing:
            self.close()

    def _condition_at(self, point: QPointF) -> tuple[str, int]:
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

    # --- where it stands ----------------------------------------------------------------------------------------

    def place(self) -> None:
        """Under the tag, inside of the canvas."""
        figure = self.canvas.scene().figure(self.edge)
        frame = self._frame
        if frame is None or figure is None:
            return
        frame.setFixedWidth(WIDTH)
        frame.adjustSize()
        at = self.canvas.mapFromScene(self._anchor(figure)) + QPoint(-8, 6)
        room = self.canvas.widget.rect().adjusted(8, 8, -8, -8)
        x = max(room.left(), min(at.x(), room.right() - frame.width()))
        y = max(room.top(), min(at.y(), room.bottom() - frame.height()))
        frame.move(x, y)

    def _anchor(self, figure: Figure) -> QPointF:
        look = look_of(figure.kind)
        wanted = self.at + 1 if look.tags_carry_wires else 0
        tag = next((tag for tag in figure.tags if tag.number == wanted), None)
        if tag is not None and look.edits_under_tag:
            return tag.rect.bottomLeft()
        wires = [wire for wire in figure.wires if wire.target]
        return wires[min(self.at, len(wires) - 1)].path.pointAtPercent(0.5)

    # --- what is typed ------------------------------------------------------------------------------------------

    def _on_edited(self) -> None:
        if self.field is not None:
            self._apply(self.field.text())

    def _apply(self, text: str) -> None:
        self._editing = True
        edge = self.edge
        at = self.at
        merge = f"in place:{edge}:{at}:{self._visits}"
        self.canvas.commands.edit(
            "Change condition",
            lambda design: edits.set_condition(design, edge, at, text),
            merge=merge,
        )
        self._editing = False

    def show_problems(self) -> None:
        """What the checks found in this condition."""
        if self.field is None or self.canvas.checks is None:
            return
        edge = self.canvas.scene().topology.edges.get(self.edge)
        part = edits.condition_part(edge, self.at) if edge is not None else None
        problems = self.canvas.checks.by_location.get(self.edge, ())
        self.field.show_problems(
            [problem for problem in problems if problem.part == part]
        )
        self.place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._frame:
            if event.type() == QEvent.Type.LayoutRequest:
                self.place()
            return False
        if (
            isinstance(event, QKeyEvent)
            and self.field is not None
            and not self.field.is_offering
        ):
            if event.type() == QEvent.Type.ShortcutOverride and _is_ours(event):
                event.accept()
                return True
            return (
                event.type() == QEvent.Type.KeyPress
                and _is_ours(event)
                and self._pressed(event)
            )
        return False

    def _pressed(self, event: QKeyEvent) -> bool:
        key = Qt.Key(event.key())
        edge = self.edge
        at = self.at
        if key == Qt.Key.Key_Escape:
            self._apply(self._before)
        self.close()
        if key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            self.open(edge, at + (1 if key == Qt.Key.Key_Tab else -1))
        return True


def _is_ours(event: QKeyEvent) -> bool:
    key = Qt.Key(event.key())
    if key in _ENTER:
        # with Shift another line
        return not event.modifiers() & Qt.KeyboardModifier.ShiftModifier
    return key in (Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Backtab)


def _title(canvas: Canvas, edge: EdgeDefinition, at: int) -> str:
    wiring = canvas.wiring()
    return kind_of(edge).condition_title(edge, at, wiring.title)


def _frame(canvas: Canvas, title: str, field: QWidget) -> QFrame:
    frame = QFrame(canvas.widget)
    frame.setProperty("role", "popup")
    head = QLabel(elided(title, "tag", WIDTH - 24, middle=False))
    head.setTextFormat(Qt.TextFormat.PlainText)
    head.setProperty("role", "head")
    keys = QLabel("Enter keeps · Tab next · Esc takes back")
    keys.setProperty("role", "caption")
    column = QVBoxLayout(frame)
    column.setContentsMargins(8, 6, 8, 6)
    column.setSpacing(4)
    for widget in (head, field, keys):
        column.addWidget(widget)
    return frame
