"""A choice among versions of a workflow, with the differences of each: recovered
drawings, backups, the file on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from designer.look.fonts import data_font
from designer.look.theme import Look
from designer.model.design import Design
from designer.model.summary import size, summary, text_diff
from designer.panels.widgets.basic import Glyph, button, label
from designer.panels.widgets.dialog import Dialog
from designer.qt.layouts import column, put, row, stack
from runtime.errors import WorkflowException

SIZE = QSize(720, 560)
ROWS = 6  # of the list that are visible without scrolling
TEXT_LIMIT = 200_000  # characters of a difference that are shown
_CHECKED = Qt.CheckState.Checked


@dataclass(frozen=True)
class Version:
    """The title of a version, and a function that describes it when the user selects
    it.
    """

    title: str
    details: Callable[[], str]


def difference(
    old: Callable[[], Design], new: Callable[[], Design], old_name: str, new_name: str
) -> str:
    """Return the differences of two versions: a summary, then the lines of their files.
    If one cannot be read, return the reason.
    """
    try:
        before = old()
        after = new()
    except (WorkflowException, OSError) as error:
        return f"This version cannot be read: {error}"
    lines = summary(before, after)
    if not lines:
        return f"{_capital(new_name)} has {size(after)}, and is the same as {old_name}."
    head = f"{_capital(new_name)} has {size(after)}; {old_name} has {size(before)}. What differs:"
    text = text_diff(before, after, old_name, new_name)
    if len(text) > TEXT_LIMIT:
        text = text[:TEXT_LIMIT] + "\n… and more"
    return "\n".join([head, *(f"  {line}" for line in lines), "", text])


class VersionDialog(Dialog):
    """A list of versions above the differences of the current one. With `checks` the
    user can choose several. A single version needs no list.
    """

    def __init__(
        self,
        look: Look,
        parent: QWidget,
        icon: str,
        title: str,
        text: str,
        versions: Sequence[Version],
        *,
        checks: bool,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self._versions = versions
        self._answer = ""
        self._details = dict[int, str]()
        # Set with the answer, because the widgets are deleted then.
        self.checked = frozenset[int]()
        self.current = 0
        self.buttons: dict[str, QPushButton] = {}
        self.list = QListWidget()
        self.list.setAccessibleName("Versions")
        self.details = QPlainTextEdit()
        self.details.setReadOnly(True)
        self.details.setFont(data_font())
        self.details.setAccessibleName("Differences")
        self.details.setTabChangesFocus(True)
        for version in versions:
            item = QListWidgetItem(version.title, self.list)
            if checks:
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
                item.setCheckState(_CHECKED)
        self.list.setFixedHeight(
            (self.list.sizeHintForRow(0) + 4) * min(len(versions), ROWS) + 12
        )
        self.list.setVisible(checks or len(versions) > 1)
        words = stack(
            label(title, "section", wrap=True),
            label(text, "secondary", wrap=True),
            gap=8,
        )
        glyph = Glyph(look, icon, "accent", 24)
        layout = column(self, margins=(24, 20, 20, 16), gap=16)
        above = put(layout, row(glyph, (words, 1), gap=16))
        above.setAlignment(glyph, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self.list)
        layout.addWidget(self.details, 1)
        self._row = put(layout, row(None, gap=8))
        self.list.currentRowChanged.connect(self._show_details)
        self.list.setCurrentRow(0)
        self.resize(SIZE)

    def choose(self, *answers: str) -> str:
        """Ask, and return the answer. Enter gives the first, Esc and closing the last."""
        for answer in reversed(answers):
            choice = button(answer, primary=answer == answers[0])
            choice.setAutoDefault(answer == answers[0])
            choice.setDefault(answer == answers[0])
            choice.clicked.connect(
                lambda _checked=False, answer=answer: self._choose(answer)
            )
            self.buttons[answer] = choice
            self._row.addWidget(choice)
        self._answer = answers[-1]
        (self.details if self.list.isHidden() else self.list).setFocus()
        self.exec()
        return self._answer

    def _choose(self, answer: str) -> None:
        rows = range(self.list.count())
        self.checked = frozenset(
            place for place in rows if self.list.item(place).checkState() is _CHECKED
        )
        self.current = self.list.currentRow()
        self._answer = answer
        self.accept()

    def _show_details(self, row: int) -> None:
        if row < 0:
            return
        # Cached, because reading and comparing a file takes a moment.
        if row not in self._details:
            self._details[row] = self._versions[row].details()
        self.details.setPlainText(self._details[row])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
