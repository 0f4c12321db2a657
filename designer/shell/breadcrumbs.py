"""The strip above the canvas inside of a sub-workflow: the level that is shown, the
ways out, and in a run, which run of the sub-workflow is shown. Hidden elsewhere.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from designer.document.document import Document
from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.model.errors import EditError
from designer.model.inside import titles
from designer.model.names import one_line
from designer.panels.widgets.basic import ElidedLabel, Glyph, label
from designer.qt.layouts import put, row
from designer.session.session import DebugSession
from designer.shell.runs.inside_menu import InsideMenu, run_name

HEIGHT = 32
BUTTON_PAD = 10
NAME_WIDTH = 200  # px; a longer name is elided, and its tool tip has all of it


class Breadcrumbs(QWidget):
    """`left` carries the number of levels to go out, `run_chosen` the key of a run of
    the sub-workflow.

    before  the names outside of the document: the workflow that names it as a file, and the
            levels there
    """

    left = Signal(int)
    run_chosen = Signal(str)

    def __init__(self, document: Document, session: DebugSession, look: Look) -> None:
        super().__init__()
        self._document = document
        self._session = session
        self._look = look
        self.setProperty("role", "strip")
        self.setFixedHeight(HEIGHT)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Where you are")
        self.buttons: list[QPushButton] = []
        self._names: list[str] = []
        self.before: tuple[str, ...] = ()
        self.runs = InsideMenu(session, look)
        self.runs.chosen.connect(self.run_chosen)
        self._note = ElidedLabel()
        self._note.setProperty("role", "secondary")
        self._here = label("", "body")
        # So that its text has the same distance to its arrow as those of the buttons.
        self._here.setContentsMargins(BUTTON_PAD, 0, 0, 0)
        parts = (Glyph(look, "sub", "text2"), self._here, 8, self.runs, (self._note, 1))
        self._row = put(self, row(*parts, gap=4, margins=(12, 0, 12, 0)))
        self.hide()

    @property
    def text(self) -> str:
        """All names on the way."""
        return " › ".join(self._names)

    @property
    def note(self) -> str:
        """The remark beside the way."""
        return self._note.text()

    def follow(self) -> None:
        """Show the present way."""
        document = self._document
        try:
            inner = titles(document.root, document.inside, document.folder)
        except EditError:
            inner = list(document.inside)  # because the file is missing
        names = [*self.before, document.called, *inner]
        if names != self._names:
            self._names = names
            self._rebuild()
        self.runs.follow()
        self._note.setText(self._note_words())

    def _note_words(self) -> str:
        document = self._document
        inside = self._session.inside
        if not document.inside or self._session.mode == "edit":
            return ""
        if inside is None:
            return "Looking at the run in here…"
        if inside.moment is None:
            return "Nothing runs in here at this moment."
        if self._session.chosen_run not in ("", inside.keys[-1]):
            name = run_name(self._session.chosen_run)
            return f"{name} has ended or not begun at this moment. This is the newest."
        if document.is_in_file:
            return "The present content of a file. Edit it in a tab of its own (Shift+PgDown)."
        return ""

    def _rebuild(self) -> None:
        for crumb in self.findChildren(QWidget, "crumb"):
            self._row.removeWidget(crumb)
            crumb.hide()
            crumb.deleteLater()
        self.buttons = []
        column = 1  # behind the glyph
        for place, name in enumerate(self._names[:-1]):
            levels = len(self._names) - 1 - place
            self._row.insertWidget(column, self._button(name, levels))
            arrow = Glyph(self._look, "chevr", "text3", 12)
            arrow.setObjectName("crumb")
            self._row.insertWidget(column + 1, arrow)
            arrow.show()
            column += 2
        self._here.setText(self._cut(self._names[-1]))
        self._here.setToolTip(self._names[-1])

    def _button(self, name: str, levels: int) -> QPushButton:
        # With a parent, because without one it would be a window for a moment.
        button = QPushButton(self._cut(name).replace("&", "&&"), self)
        button.setObjectName("crumb")
        button.setProperty("flat", True)
        button.setProperty("small", True)
        if levels == 1:
            button.setIcon(themed_icon("chevu", self._look, "text2"))
            button.setIconSize(QSize(12, 12))
        keys = " (PgUp or Alt+Up)" if levels == 1 else ""
        button.setToolTip(f"Out to {name}{keys}")
        button.setAccessibleName(f"Out to {name}")
        button.clicked.connect(partial(self._leave, levels))
        self.buttons.append(button)
        button.show()
        return button

    def _leave(self, levels: int, _checked: bool = False) -> None:
        self.left.emit(levels)

    def _cut(self, name: str) -> str:
        return self.fontMetrics().elidedText(
            one_line(name), Qt.TextElideMode.ElideRight, NAME_WIDTH
        )
