"""The editor of one breakpoint: what must happen, under which condition, at which hits,
and what is done then.

It is the content of a popover on the canvas.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QIntValidator, QKeyEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QScrollArea,
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
    Trial,
    at_hand,
    mistake_in,
    mistake_in_log,
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
from designer.model.completion.cel_words import Word, complete
from designer.model.completion.message_examples import UNKNOWN, arriving, sent
from designer.panels.base import Panel
from designer.panels.code.cel_edit import CelField, condition_words
from designer.panels.code.completer import Completer, LongText
from designer.panels.forms.error_line import ErrorLine
from designer.panels.forms.fields import GrowingText
from designer.panels.widgets.basic import (
    CheckBox,
    Choice,
    ElidedLabel,
    Glyph,
    button,
    hairline,
    icon_button,
    label,
    set_style,
)
from designer.qt.layouts import column, put, row, stack
from designer.session.session import DebugSession
from runtime.debug.protocol import Breakpoint, BreakpointKind

CAPTION = 64  # px of the names of rows
LEAST_BODY = 56  # px; below it the rows could not be read
MOST_HITS = 1_000_000_000
_FACES = {
    "true": ("done", "ok"),
    "false": ("not_taken", "text3"),
    "error": ("failed", "bad"),
    "unknown": ("info", "text3"),
}


class TrialLine(QWidget):
    """What the condition says of the message at hand; hidden without an answer."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._glyph = Glyph(look, "done", "ok", 14)
        self.words = label("", "secondary", wrap=True)
        line = put(self, row(self._glyph, (self.words, 1), gap=6))
        line.setAlignment(self._glyph, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def say(self, trial: Trial | None) -> None:
        self.setVisible(trial is not None and bool(trial.words))
        if trial is not None:
            glyph, role = _FACES.get(trial.answer, ("info", "text3"))
            self._glyph.show_glyph(glyph, role)
            tone = role if role in ("ok", "bad") else ""
            set_style(self.words, tone=tone)
            self.words.setText(trial.words)


class _Body(QScrollArea):
    """The rows of the editor. Where there is no room for all of them, they scroll, so
    that its buttons stay in sight.
    """

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self._content = content
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setProperty("role", "popover")
        self.setWidget(content)
        policy = self.sizePolicy()
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        for part in (self.viewport(), content):
            part.setAutoFillBackground(False)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        height = self._content.heightForWidth(width)
        return height if height >= 0 else self._content.sizeHint().height()

    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, LEAST_BODY)


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
        self._build_hits()
        self._build_foot()
        layout = column(self)
        put(layout, row(*self._head, gap=8, margins=(12, 8, 8, 8)))
        layout.addWidget(hairline())
        body = QWidget()
        put(body, stack(*self._rows(), None, gap=8, margins=(12, 8, 12, 10)))
        layout.addWidget(_Body(body), 1)
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
        self._kinds = QWidget()
        self._kind_grid = QGridLayout(self._kinds)
        self._kind_grid.setContentsMargins(0, 0, 0, 0)
        self._kind_grid.setHorizontalSpacing(8)
        self._kind_grid.setVerticalSpacing(0)
        self._kind_group = QButtonGroup(self)
        self._kind_group.idClicked.connect(self._on_kind)
        self._kind_ids: list[BreakpointKind] = []
        self.key = QLineEdit()
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

    def _build_hits(self) -> None:
        self.hits = Choice(self.look)
        self.hits.setAccessibleName("Hits")
        self.hits.fill([(text, id) for id, text in words.HITS.items()], "always")
        self.hits.currentIndexChanged.connect(self._on_hits)
        self.count = QLineEdit()
        self.count.setValidator(QIntValidator(1, MOST_HITS, self.count))
        self.count.setAccessibleName("Number of the hit")
        self.count.setFixedWidth(56)
        self.count.textEdited.connect(self._on_count)
        self._so_far = label("", "secondary")
        self.stop = QPushButton("Stop")
        self.log = QPushButton("Log and go on")
        self._then = QButtonGroup(self)
        for choice, place in ((self.stop, "first"), (self.log, "last")):
            choice.setCheckable(True)
            choice.setProperty("segment", place)
            self._then.addButton(choice)
        self.stop.setAccessibleName("Stop the run when it is hit")
        self.log.setAccessibleName("Log a text when it is hit, and go on")
        self._then.buttonClicked.connect(self._on_then)
        self.once = CheckBox(self.look, "once")
        self.once.setToolTip("The breakpoint is off after it has stopped the run once")
        self.once.clicked.connect(self._on_once)
        self._build_text()

    def _build_text(self) -> None:
        self.text = GrowingText(least=1, most=5)
        self.text.setFont(data_font())
        self.text.setPlaceholderText("{message} of {source}")
        self.text.setAccessibleName("Text of the log")
        self.text.setToolTip("Text, with expressions in braces: risk is {state.risk}")
        self.text.committed.connect(self._keep_text)
        self.text.edited.connect(self._check_text)
        self.text_fault = ErrorLine(self.look)
        self.text_words = Completer(
            LongText(self.text), self.look, partial(_in_braces, self._example)
        )
        self._text_row = QWidget()
        put(
            self._text_row,
            row(_caption(""), (stack(self.text, self.text_fault, gap=4), 1)),
        )

    def _build_foot(self) -> None:
        self.done_button = button("Done", self.closed.emit, primary=True)
        self.done_button.setToolTip("Ctrl+Enter")
        self.turn_button = button("Disable", self._on_turn)
        self.another_button = icon_button(
            self.look, "plus", "Another breakpoint here", self._on_another
        )
        self.delete_button = button("Delete", self._on_delete)
        self.delete_button.setIcon(themed_icon("trash", self.look, "bad"))
        self.delete_button.setProperty("danger", True)

    def _rows(self) -> tuple[Any, ...]:
        self._runs_row = QWidget()
        put(self._runs_row, row(_caption("For"), (self.runs, 1)))
        self._kinds_row = QWidget()
        stop = _caption("Stop")
        stop.setFixedHeight(24)
        put(self._kinds_row, row(stack(stop, None), (self._kinds, 1)))
        condition = stack(self.condition, self.trial, gap=4)
        only_if = _caption("Only if")
        only_if.setFixedHeight(28)
        hits = row(_caption("Hits"), (self.hits, 1), self.count, self._so_far)
        then = row(_caption("Then"), row(self.stop, self.log, gap=0), None, self.once)
        return (
            self._kinds_row,
            self._runs_row,
            row(stack(only_if, None), (condition, 1)),
            hits,
            then,
            self._text_row,
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
        self._offer_kinds()
        self._show()

    def _offer_kinds(self) -> None:
        for radio in self._kind_group.buttons():
            self._kind_group.removeButton(radio)
            radio.hide()
            radio.deleteLater()
        self._kind_ids = list(words.CHOICES[self._target])
        for place, kind in enumerate(self._kind_ids):
            radio = QRadioButton(words.CHOICES[self._target][kind])
            self._kind_group.addButton(radio, place)
            self._kind_grid.addWidget(radio, place // 2, place % 2)
        below = (len(self._kind_ids) + 1) // 2
        self._kind_grid.addWidget(self.key, below, 0, 1, 2)
        self._kinds_row.setVisible(len(self._kind_ids) > 1)

    def _show(self) -> None:
        point = self.point
        if point is None:
            return
        self._is_showing = True
        if point.kind in self._kind_ids:
            self._kind_group.button(self._kind_ids.index(point.kind)).setChecked(True)
        self.key.setVisible(point.kind == "write" and self._target == "node")
        self.key.setText(point.where if point.kind == "write" else "")
        self._show_runs(point)
        self.condition.show_text(condition_of(point))
        self.hits.fill([(text, id) for id, text in words.HITS.items()], point.hits)
        if self._count() != point.count:
            self.count.setText(str(point.count))
        self.count.setVisible(point.hits != "always")
        (self.log if point.log else self.stop).setChecked(True)
        self.once.setChecked(point.once)
        self.text.set_text(point.log)
        self._text_row.setVisible(self.log.isChecked())
        self.turn_button.setText("Disable" if point.enabled else "Enable")
        self._is_showing = False
        self._show_state()
        self._try()
        self._check_text()

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
        self._so_far.setText(f"{hits:,} so far")
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

    def _check_text(self) -> None:
        mistake = mistake_in_log(self.text.text()) if self.log.isChecked() else None
        self.text_fault.say(condition_words(mistake) if mistake is not None else "")
        set_style(self.text, invalid=mistake is not None)
        self.resized.emit()

    # --- keeping ------------------------------------------------------------------------------------------------

    def keep(self) -> None:
        """Keep what is typed and not kept yet."""
        self._keep_key()
        self._keep_condition()
        self._keep_text()

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

    def _keep_text(self) -> None:
        if self.log.isChecked():
            self._put(log=self.text.text().strip())

    def _on_kind(self, place: int) -> None:
        point = self.point
        if point is None or self._is_showing:
            return
        self._keep_condition()
        kind = self._kind_ids[place]
        changed = of_kind(self.point or point, self._element, kind, self.key.text())
        self.document.breakpoints.put(changed)
        if kind == "write":
            self.key.setFocus()

    def _on_run(self, _index: int) -> None:
        self._put(run=self.runs.currentData() or "")

    def _on_hits(self, _index: int) -> None:
        hits = self.hits.currentData()
        count = max(2, self._count()) if hits != "always" else self._count()
        self._put(hits=hits, count=count)

    def _count(self) -> int:
        return max(1, int(self.count.text() or 1))

    def _on_count(self, text: str) -> None:
        if text:
            self._put(count=self._count())

    def _on_then(self) -> None:
        is_log = self.log.isChecked()
        self._text_row.setVisible(is_log)
        self._put(log=(self.text.text().strip() or "{message}") if is_log else "")
        if is_log:
            self.text.setFocus()
        self.resized.emit()

    def _on_once(self, on: bool) -> None:
        self._put(once=on)

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
        free = [kind for kind in self._kind_ids if kind not in used]
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
            self._show()

    # --- keys and sizes -----------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.closed.emit()
            return
        super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            handled = super().event(event)
            self.resized.emit()
            return handled
        return super().event(event)


def _caption(text: str) -> QWidget:
    caption = label(text, "secondary")
    caption.setFixedWidth(CAPTION)
    return caption


def _in_braces(example: Callable[[], object], text: str, cursor: int) -> list[Word]:
    """Return the words that fit in an expression of a log text; none outside braces."""
    before = text[:cursor]
    brace = before.rfind("{")
    if brace < 0 or "}" in before[brace:]:
        return []
    offset = brace + 1
    offers = complete(text[offset:], cursor - offset, example(), words.VARIABLES)
    return [word._replace(start=word.start + offset) for word in offers]
