"""The bar above the lanes in which the recorded past is asked."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QMenu, QPushButton, QToolButton, QWidget

from designer.document.document import Document
from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.model.breakpoint_words import VARIABLES
from designer.panels.code.cel_edit import CelField
from designer.panels.timeline.question_menu import Template, templates
from designer.panels.widgets.basic import button, icon_button, label, set_style
from designer.panels.widgets.menu_choice import MenuChoice
from designer.qt.layouts import put, row
from designer.session.past_search import PastQuestion
from designer.session.session import DebugSession

THIS_RUN = "this run"
ALL_RUNS = "all runs"
CHIP = 22  # characters of a question on its chip
CHIPS_FROM = 1150  # px of the bar from which each question has a chip
PLACEHOLDER = "state.score > 0.8   or   failure   or   write votes: value > 3"


class SearchBar(QWidget):
    """Enter asks what is written. `closed` is emitted when the user closes the bar."""

    closed = Signal()
    run_back_requested = Signal()

    def __init__(self, document: Document, session: DebugSession, look: Look) -> None:
        super().__init__()
        self._document = document
        self._session = session
        self._past = session.past
        self._look = look
        self._chips: list[tuple[PastQuestion, QPushButton, QToolButton]] = []
        self._shown: PastQuestion | None = None
        self.setProperty("role", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._make_field()
        self._make_buttons()
        self._line = put(
            self,
            row(
                self.menu_button,
                (self.field, 1),
                self.where,
                self.place,
                self.back,
                self.next,
                self.questions,
                self.progress,
                self.halt,
                self.close_button,
                gap=6,
                margins=(8, 4, 8, 4),
            ),
        )
        self.refresh()

    def _make_field(self) -> None:
        self.field = CelField(
            self._look, "Question to the past", PLACEHOLDER, VARIABLES
        )
        self.field.setMinimumWidth(160)
        self.field.editor.installEventFilter(self)
        self.where = MenuChoice(
            self._look, "In", (THIS_RUN, ALL_RUNS), "Which runs are asked"
        )
        self.where.chosen.connect(lambda _where: self.ask())

    def _make_buttons(self) -> None:
        look = self._look
        self.menu_button = QPushButton("Ask for")
        self.menu_button.setIcon(themed_icon("search", look))
        self.menu_button.setIconSize(QSize(14, 14))
        self.menu_button.setProperty("small", True)
        self.menu_button.setToolTip("What can be asked of the past")
        menu = QMenu(self.menu_button)
        menu.aboutToShow.connect(self._fill_menu)
        self.menu_button.setMenu(menu)
        self.place = label("", "secondary")
        self.back = button("Run back", self.run_back_requested.emit, small=True)
        self.back.setIcon(themed_icon("stepback", look))
        self.back.setToolTip(
            "To the nearest hit or breakpoint before (Shift+Alt+F5). F3 and Shift+F3 go "
            "through the hits."
        )
        self.next = button("Next", partial(self._past.go, 1), small=True)
        self.next.setToolTip("To the next hit (F3)")
        self.questions = QPushButton()
        self.questions.setProperty("small", True)
        self.questions.setToolTip("The questions whose hits are on the lanes")
        questions = QMenu(self.questions)
        questions.aboutToShow.connect(self._fill_questions)
        self.questions.setMenu(questions)
        self.progress = label("", "secondary")
        self.halt = icon_button(look, "stop", "Answer no further", self._halt)
        self.close_button = icon_button(
            look, "x", "Close the search (Escape)", self.closed.emit
        )

    # --- asking ---

    def ask(self) -> None:
        """Ask what is written in the field."""
        self.field.show_problems(())
        every_run = self.where.text().endswith(ALL_RUNS)
        self._past.ask(self.field.text(), every_run=every_run)

    def write(self, text: str) -> None:
        """Write a question, for the user to finish."""
        self.field.show_text(text)
        cursor = self.field.editor.textCursor()
        cursor.movePosition(cursor.MoveOperation.End)
        self.field.editor.setTextCursor(cursor)
        self.field.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _fill_menu(self) -> None:
        menu = self.menu_button.menu()
        menu.clear()
        for group in templates(self._document, self._session):
            if menu.actions():
                menu.addSeparator()
            for template in group:
                action = menu.addAction(template.text)
                action.triggered.connect(partial(self._choose, template))

    def _choose(self, template: Template, _checked: bool = False) -> None:
        if template.breakpoint is not None:
            self._past.ask_breakpoint(template.breakpoint, template.text)
            return
        self.write(template.question)
        if not template.unfinished:
            self.ask()

    # --- showing ---

    def refresh(self) -> None:
        question = self._past.active
        if question is not self._shown:
            self._shown = question
            is_text = question is not None and question.breakpoint is None
            if question is not None and is_text and not self.field.editor.hasFocus():
                self.field.show_text(question.text)
        refused = question.refused if question is not None else ""
        written = self.field.text().strip()
        is_about_field = question is not None and question.text == written
        self.field.error.say(refused if is_about_field else "", calm=False)
        set_style(self.field.editor, invalid=bool(refused and is_about_field))
        self._show_place(question)
        self._show_progress(question)
        self._show_questions()

    def _show_place(self, question: PastQuestion | None) -> None:
        place = self._past.place
        text = ""
        if question is not None and question.hits:
            position = "–" if place is None else f"{place + 1:,}"
            text = f"{position} of {question.count:,}"
        self.place.setText(text)
        self.next.setEnabled(bool(question is not None and question.hits))

    def _show_progress(self, question: PastQuestion | None) -> None:
        text = ""
        is_busy = question is not None and not question.is_done
        if self._past.reversing:
            text = "running back…"
        elif question is not None and not question.refused:
            text = f"{question.read:,} read"
            if is_busy and question.of > question.read:
                text = f"{question.read:,} of {question.of:,}"
            if question.is_halted:
                text += ", stopped"
            if question.unreadable:
                text += f", {question.unreadable:,} damaged"
        self.progress.setText(text)
        self.progress.setToolTip(_tip(question))
        self.halt.setVisible(is_busy or self._past.reversing)

    def _show_questions(self) -> None:
        questions = self._past.questions
        is_wide = self.width() >= CHIPS_FROM
        if [chip[0] for chip in self._chips] != list(questions):
            self._make_chips(questions)
        for question, chip, cross in self._chips:
            chip.setText(_chip_text(question))
            set_style(chip, primary=question is self._past.active)
            chip.setVisible(is_wide)
            cross.setVisible(is_wide)
        self.questions.setText(f"{len(questions)} asked")
        self.questions.setVisible(bool(questions) and not is_wide)

    def _make_chips(self, questions: tuple[PastQuestion, ...]) -> None:
        for _, chip, cross in self._chips:
            for widget in (chip, cross):
                self._line.removeWidget(widget)
                widget.hide()
                widget.deleteLater()
        self._chips = []
        place = self._line.indexOf(self.questions)
        for question in questions:
            activate = partial(self._past.activate, question)
            chip = button("", activate, small=True)
            chip.setToolTip(question.text)
            drop = partial(self._past.drop, question)
            cross = icon_button(self._look, "x", f"Remove {question.text}", drop)
            for widget in (chip, cross):
                self._line.insertWidget(place, widget)
                place += 1
            self._chips.append((question, chip, cross))

    @property
    def chips(self) -> list[QPushButton]:
        """The chips of the questions, by their numbers."""
        return [chip for _, chip, _ in self._chips]

    @property
    def crosses(self) -> list[QToolButton]:
        """The buttons that remove the questions."""
        return [cross for _, _, cross in self._chips]

    def _fill_questions(self) -> None:
        menu = self.questions.menu()
        menu.clear()
        for question in self._past.questions:
            action = menu.addAction(_chip_text(question))
            action.setCheckable(True)
            action.setChecked(question is self._past.active)
            action.triggered.connect(_without(partial(self._past.activate, question)))
        menu.addSeparator()
        active = self._past.active
        if active is not None:
            remove = menu.addAction(f"Remove {_short(active.text)}")
            remove.triggered.connect(_without(partial(self._past.drop, active)))
        clear = menu.addAction("Remove all")
        clear.triggered.connect(_without(self._past.clear))

    def _halt(self) -> None:
        self._past.stop_reverse()
        if self._past.active is not None:
            self._past.halt(self._past.active)

    # --- keys and room ---

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_key = isinstance(event, QKeyEvent) and event.type() in (
            QEvent.Type.KeyPress,
            QEvent.Type.ShortcutOverride,
        )
        if is_key and isinstance(event, QKeyEvent) and not self.field.is_offering:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                return self._press(event, self.ask)
            if event.key() == Qt.Key.Key_Escape:
                return self._press(event, self.closed.emit)
        return super().eventFilter(watched, event)

    def _press(self, event: QKeyEvent, act: Callable[[], object]) -> bool:
        """Take a key before the shortcuts of the window, then act when it is pressed."""
        event.accept()
        if event.type() == QEvent.Type.KeyPress:
            act()
        return True

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_questions()


def _without(act: Callable[[], object]) -> Callable[[bool], None]:
    def on_triggered(_checked: bool) -> None:
        act()

    return on_triggered


def _chip_text(question: PastQuestion) -> str:
    count = (
        "…" if not question.is_done and not question.count else f"{question.count:,}"
    )
    return f"{question.number}  {_short(question.text)}  {count}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= CHIP else f"{line[: CHIP - 1]}…"


def _tip(question: PastQuestion | None) -> str:
    if question is None:
        return ""
    parts = []
    if question.left_out:
        parts.append(f"{question.left_out:,} further hits are only counted.")
    if question.errors:
        parts.append(
            f"The condition could not be evaluated {question.errors:,} times, such as: "
            f"{question.error}"
        )
    return "\n".join(parts)
