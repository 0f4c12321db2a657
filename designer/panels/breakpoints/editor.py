"""The editor of one breakpoint: what must happen, under which condition, at which hits,
and what is done then.

It is the content of a popover on the canvas.
"""

from __future__ import annotations

from typing import Any, ClassVar

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QLineEdit,
    QWidget,
)

from designer.document.checks import Checks
from designer.document.document import Document
from designer.look.breakpoint_marks import breakpoint_icon
from designer.look.fonts import data_font
from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.model import breakpoint_words as words
from designer.model.breakpoint_trial import (
    AtHand,
    at_hand,
    mistake_in,
    tried,
)
from designer.model.breakpoint_words import Target
from designer.model.breakpoints import (
    condition_of,
    missing_in,
    new_id,
    of_kind,
    place_of,
    with_condition,
)
from designer.model.completion.message_examples import UNKNOWN, arriving, sent
from designer.panels.base import Panel
from designer.panels.breakpoints.editor_parts import (
    EditorBody,
    KindChoice,
    TrialLine,
    caption,
)
from designer.panels.breakpoints.hit_fields import HitFields
from designer.panels.code.cel_edit import CelField
from designer.panels.fields.error_line import ErrorLine
from designer.panels.widgets.basic import (
    Choice,
    ElidedLabel,
    button,
    hairline,
    icon_button,
    label,
)
from designer.qt.layouts import column, put, row, stack
from designer.session.session import DebugSession
from runtime.debug.protocol import Breakpoint, BreakpointKind


class BreakpointEditor(Panel):
    """`show_breakpoint` says what it edits. Each change is kept at once.

    closed    the user is done
    resized   it needs another height
    """

    title: ClassVar[str] = "Breakpoint"
    is_about_level: ClassVar[bool] = True
    closed = Signal()
    resized = Signal()

    @classmethod
    def make(
        cls,
        document: Document,
        session: DebugSession,
        look: Look,
        checks: Checks,
        id: str,
        target: Target,
    ) -> BreakpointEditor:
        """Return the editor of a breakpoint at what `target` says."""
        editor = cls(document, session, look, checks=checks)
        editor.show_breakpoint(id, target)
        return editor

    # --- building -----------------------------------------------------------------------------------------------

    def set_up(self) -> None:
        # The popover paints what is behind.
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground, False)
        self._id = ""
        self._target: Target = "node"
        self._element = ""
        self._before: Breakpoint | None = None
        self._is_showing = False
        self._build_head()
        self._build_kinds()
        self._build_condition()
        self.fields = HitFields(self.look, self._example)
        self.fields.changed.connect(lambda changes: self._put(**changes))
        self.fields.resized.connect(self.resized)
        self._build_foot()
        for text in (self.condition.editor, self.fields.text):
            text.installEventFilter(self)
        layout = column(self)
        put(layout, row(*self._head, gap=8, margins=(12, 8, 8, 8)))
        layout.addWidget(hairline())
        body = QWidget()
        put(body, stack(*self._rows(), None, gap=8, margins=(12, 8, 12, 10)))
        layout.addWidget(EditorBody(body), 1)
        layout.addWidget(hairline())
        put(
            layout,
            row(
                self.done_button,
                self.turn_button,
                self.another_button,
                None,
                self.delete_button,
                margins=(12, 8, 8, 8),
            ),
        )
        self.document.breakpoints.changed.connect(self._on_changed)
        self.session.breakpoints_changed.connect(self._show_state)
        self.session.viewed.connect(self._show_state)
        self.look.changed.connect(self._show_mark)

    def _build_head(self) -> None:
        self._mark = label("")
        self._mark.setFixedSize(16, 16)
        self._name = ElidedLabel("", "secondary")
        self.next_button = button("", self._show_next, small=True)
        self.next_button.setToolTip("Edit the next breakpoint here")
        self.close_button = icon_button(self.look, "x", "Close", self.closed.emit)
        self._head = (
            self._mark,
            label("Breakpoint", "strong"),
            (self._name, 1),
            self.next_button,
            self.close_button,
        )

    def _build_kinds(self) -> None:
        self.key = QLineEdit()
        self.kinds = KindChoice(below=self.key)
        self.kinds.chosen.connect(self._on_kind)
        self.key.setFont(data_font())
        self.key.setPlaceholderText("state key")
        self.key.setAccessibleName("Key of the state")
        self.key.setToolTip("The key that is written; empty for every key")
        self.key.editingFinished.connect(self._keep_key)
        self.runs = Choice(self.look)
        self.runs.setAccessibleName("For which runs of the sub-workflow")
        self.runs.currentIndexChanged.connect(self._on_run)

    def _build_condition(self) -> None:
        self.condition = CelField(
            self.look, "Only if", "always", variables=words.VARIABLES
        )
        self.condition.edited.connect(self._try)
        self.condition.committed.connect(self._keep_condition)
        self.condition.set_example(self._example)
        self.trial = TrialLine(self.look)
        self.fault = ErrorLine(self.look)

    def _build_foot(self) -> None:
        self.done_button = button("Done", self.closed.emit, primary=True)
        self.done_button.setToolTip("Enter")
        self.turn_button = button("Disable", self._on_turn)
        self.another_button = icon_button(
            self.look, "plus", "Another breakpoint here", self._on_another
        )
        self.delete_button = button("Delete", self._on_delete)
        self.delete_button.setIcon(themed_icon("trash", self.look, "bad"))
        self.delete_button.setProperty("danger", True)

    def _rows(self) -> tuple[Any, ...]:
        self._runs_row = QWidget()
        put(self._runs_row, row(caption("For"), (self.runs, 1)))
        self._kinds_row = QWidget()
        stop = caption("Stop")
        stop.setFixedHeight(24)
        put(self._kinds_row, row(stack(stop, None), (self.kinds, 1)))
        condition = stack(self.condition, self.trial, gap=4)
        only_if = caption("Only if")
        only_if.setFixedHeight(28)
        return (
            self._kinds_row,
            self._runs_row,
            row(stack(only_if, None), (condition, 1)),
            self.fields,
            self.fault,
        )

    # --- showing ------------------------------------------------------------------------------------------------

    @property
    def entry(self) -> QWidget:
        return self.condition.editor

    @property
    def id(self) -> str:
        """The id of the breakpoint that is edited."""
        return self._id

    @property
    def point(self) -> Breakpoint | None:
        """The breakpoint that is edited; None once it is deleted."""
        return self.document.breakpoints.notes.get(self._id)

    def show_breakpoint(self, id: str, target: Target) -> None:
        """Edit another breakpoint, at what `target` says."""
        self._id = id
        point = self._before = self.point
        if point is None:
            return
        self._target = target
        self._element = place_of(point)
        choices = words.CHOICES[target]
        self.kinds.offer(choices)
        self._kinds_row.setVisible(len(choices) > 1)
        self._show()

    def _show(self, *, is_typing: bool = False) -> None:
        """Show the breakpoint. With `is_typing` a text with the focus stays as typed."""
        point = self.point
        if point is None:
            return
        self._is_showing = True
        self.kinds.show_kind(point.kind)
        self.key.setVisible(point.kind == "write" and self._target == "node")
        self.key.setText(point.where if point.kind == "write" else "")
        self._show_runs(point)
        if not (is_typing and self.condition.editor.hasFocus()):
            self.condition.show_text(condition_of(point))
        self.fields.show_point(point, is_typing=is_typing)
        self.turn_button.setText("Disable" if point.enabled else "Enable")
        self._is_showing = False
        self._show_state()
        self._try()

    def _show_runs(self, point: Breakpoint) -> None:
        """Offer the invocations of the sub-workflow that are known."""
        run = self.session.chosen_run
        known = [
            name for name in dict.fromkeys((point.run, run)) if name and point.inside
        ]
        entries = [("every invocation", "")]
        entries += [(f"only {name}", name) for name in known]
        self.runs.fill(entries, point.run)
        self._runs_row.setVisible(bool(point.inside))

    def _show_state(self) -> None:
        """Show what the run says of it."""
        point = self.point
        if point is None:
            return
        status = self.session.breakpoint_statuses.get(point.id)
        hits = status.hits if status is not None else 0
        self.fields.show_hits(hits)
        design = self.document.design if self._is_here else None
        reason = missing_in(design, point) if self._is_here else ""
        faults = words.faults_of(
            [point], self.session.breakpoint_statuses, {point.id: reason}
        )
        if status is not None and status.error:
            faults.append(words.sentence_of(status.error))
        self.fault.say(" ".join(faults))
        self._show_mark()
        self._try()

    def _show_mark(self) -> None:
        point = self.point
        if point is None:
            return
        notes = self.document.breakpoints.notes
        mark = words.mark_of(
            [point],
            self.session.breakpoint_statuses,
            hit=self.session.hit_breakpoint,
            muted=notes.muted,
        )
        ratio = self.devicePixelRatioF()
        icon = breakpoint_icon(mark, self.look.theme, ratio, self.look.theme.raised)
        self._mark.setPixmap(icon.pixmap(16))
        self._name.setText(words.where(point, self.element_title))
        others = self._others
        self.next_button.setVisible(len(others) > 1)
        if len(others) > 1:
            place = [other.id for other in others].index(point.id) + 1
            self.next_button.setText(f"{place} of {len(others)}")

    @property
    def _others(self) -> tuple[Breakpoint, ...]:
        """The breakpoints at the same element, this one among them."""
        point = self.point
        if point is None:
            return ()
        at = self.document.breakpoints.notes.at(self._element, point.inside)
        return at or (point,)

    @property
    def _is_here(self) -> bool:
        """Whether the shown level is that of the breakpoint."""
        point = self.point
        return point is not None and point.inside == self.document.inside

    def element_title(self, element: str) -> str:
        """Return the title of a node or edge group of the shown level."""
        return words.title_of(self.document.design.workflow, element)

    # --- trying -------------------------------------------------------------------------------------------------

    def _hand(self) -> AtHand | None:
        point = self.point
        if point is None or not self._is_here:
            return None
        return at_hand(point, self.session.seen, self.session.standing)

    def _example(self) -> object:
        """Return an example of the message: the one that waits, else what the drawing
        shows of it.
        """
        hand = self._hand()
        if hand is None or hand.example is not UNKNOWN:
            return hand.example if hand is not None else UNKNOWN
        design = self.document.design
        infos = self.session.infos
        for edge in design.workflow.edges:
            if edge.id == self._element:
                sources = edge.source_ids
                return sent(design, sources[0], infos) if sources else UNKNOWN
        return arriving(design, self._element, infos, self.document.folder)

    def _try(self) -> None:
        """Check the condition as it is typed, and try it on the message at hand."""
        text = self.condition.text()
        mistake = mistake_in(text)
        self.condition.show_problems([mistake] if mistake is not None else [])
        hand = self._hand()
        can_try = mistake is None and text.strip() and self.session.seen is not None
        self.trial.say(tried(text, hand) if can_try and hand is not None else None)
        self.resized.emit()

    # --- keeping ------------------------------------------------------------------------------------------------

    def keep(self) -> None:
        """Keep what is typed and not kept yet."""
        self._keep_key()
        self._keep_condition()
        self.fields.keep()

    def revert(self) -> None:
        """Take all changes back that were made since it was opened."""
        self._is_showing = True  # so that fields that lose the focus keep nothing
        if self._before is not None and self.point is not None:
            self.document.breakpoints.put(self._before)
        self._id = ""

    def _put(self, **changes: Any) -> None:
        point = self.point
        if point is None or self._is_showing:
            return
        changed = point.model_copy(update=changes)
        if changed != point:
            self.document.breakpoints.put(changed)

    def _keep_key(self) -> None:
        point = self.point
        is_write = point is not None and point.kind == "write"
        if is_write and self._target == "node":
            self._put(where=self.key.text().strip())

    def _keep_condition(self) -> None:
        point = self.point
        if point is not None:
            changed = with_condition(point, self.condition.text().strip())
            self._put(condition=changed.condition)

    def _on_kind(self, kind: BreakpointKind) -> None:
        point = self.point
        if point is None or self._is_showing:
            return
        self._keep_condition()
        changed = of_kind(self.point or point, self._element, kind, self.key.text())
        self.document.breakpoints.put(changed)
        if kind == "write":
            self.key.setFocus()

    def _on_run(self, _index: int) -> None:
        self._put(run=self.runs.currentData() or "")

    def _on_turn(self) -> None:
        point = self.point
        if point is not None:
            self._put(enabled=not point.enabled)

    def _on_delete(self) -> None:
        self.document.breakpoints.remove({self._id})  # which closes it

    def _on_another(self) -> None:
        """Set a further breakpoint at the same place, and edit that."""
        point = self.point
        if point is None:
            return
        self.keep()
        used = {other.kind for other in self._others}
        free = [kind for kind in self.kinds.kinds if kind not in used]
        bare = Breakpoint(
            id=new_id(), kind=point.kind, where=point.where, inside=point.inside
        )
        kind = free[0] if free else point.kind
        added = of_kind(bare, self._element, kind, "")
        self.document.breakpoints.put(added)
        self.show_breakpoint(added.id, self._target)

    def _show_next(self) -> None:
        self.keep()
        ids = [other.id for other in self._others]
        following = ids[(ids.index(self._id) + 1) % len(ids)]
        self.show_breakpoint(following, self._target)

    def _on_changed(self) -> None:
        if not self._id:
            return
        point = self.point
        if point is None:
            self._id = ""
            self.closed.emit()
        elif not self._is_showing:
            self._element = place_of(point)
            self._show(is_typing=True)

    # --- keys and sizes -----------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.closed.emit()
            return
        super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Enter in a text means Done, as in the condition of an edge. With Shift it is
        a new line, and while words are offered it chooses one.
        """
        if (
            event.type() == QEvent.Type.KeyPress
            and isinstance(event, QKeyEvent)
            and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            and not self.condition.is_offering
            and not self.fields.text_words.is_open
        ):
            self.closed.emit()
            return True
        return super().eventFilter(watched, event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            handled = super().event(event)
            self.resized.emit()
            return handled
        return super().event(event)
