"""Who plays: a window with its documents, hands for mouse and keys, and answers for
what is asked meanwhile.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QWidget,
)

from designer.app import make_window
from designer.canvas.view import CanvasView
from designer.document.document import Document
from designer.look.theme import Look
from designer.model import files
from designer.model.design import Design
from designer.session.session import DebugSession
from designer.shell.files.dialogs import Choice
from designer.shell.settings.settings import Settings
from designer.shell.workspace import Workspace
from resources import examples
from runtime.debug.protocol import CatalogueBody
from runtime.nodes import catalogue
from tests.designer.fakes import RecordingLink
from tests.designer.shell.support import Somebody

MOST_NODES = 40  # from which a part is deleted: a step costs what there is
MOST_TABS = 3  # from which one is closed
UNANSWERED = 20  # ms that a dialog waits inside of a step

K = Qt.Key
LEFT = Qt.MouseButton.LeftButton
RIGHT = Qt.MouseButton.RightButton
NONE = Qt.MouseButton.NoButton
PLAIN = Qt.KeyboardModifier.NoModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier
ARROWS = (K.Key_Left, K.Key_Right, K.Key_Up, K.Key_Down)
AWAY = ("source", "Source", "…", "Icon", "Trust")  # these leave the window
CATALOGUE = CatalogueBody(nodes=tuple(catalogue().infos()))
W = TypeVar("W", bound=QWidget)


class Step(NamedTuple):
    name: str
    seed: int


class Gesture(NamedTuple):
    act: Callable[[Player], None]
    weight: float


GESTURES: dict[str, Gesture] = {}  # filled by the modules that define some


def gesture(
    weight: float = 1,
) -> Callable[[Callable[[Player], None]], Callable[[Player], None]]:
    """Register a function as a step under its name; `weight` says how often it is
    drawn.
    """

    def register(act: Callable[[Player], None]) -> Callable[[Player], None]:
        GESTURES[act.__name__] = Gesture(act, weight)
        return act

    return register


class Player:
    """Made anew for every try. `told` gets warnings of Qt and exceptions, as they come."""

    def __init__(self, folder: Path, told: list[str]) -> None:
        self.folder = folder
        self.told = told
        self.random = random.Random(0)  # noqa: S311 - to be repeated, not to be secret
        self._names = 0
        self.somebody = Somebody(folder)
        settings = Settings(folder / "settings.json")
        settings.values.reduce_motion = True
        self._links: list[RecordingLink] = []
        # what was found to be read from a file as it was written
        self.read: dict[Document, Design] = {}
        self.window = make_window(settings, Look("light"), self.somebody, self._session)
        self.window.resize(1200, 800)
        self.window.show()
        self.window.activateWindow()
        assert QTest.qWaitForWindowActive(self.window)
        self.file = folder / "played.stepwell.json"
        files.save(self.file, files.load(examples()[0].path))
        self._answered: QWidget | None = None
        self._answerer = QTimer(self.window, interval=UNANSWERED)
        self._answerer.timeout.connect(self.answer)
        self._answerer.start()
        self.open(self.file)

    def _session(self) -> DebugSession:
        link = RecordingLink()
        self._links.append(link)
        return DebugSession(link)

    def close(self) -> None:
        self._answerer.stop()
        self.somebody.changes = Choice.DISCARD
        self.window.close()
        self.window.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        QApplication.processEvents()

    @property
    def workspace(self) -> Workspace:
        return self.window.workspace

    @property
    def document(self) -> Document:
        return self.workspace.document

    @property
    def view(self) -> CanvasView:
        return self.workspace.canvas

    # --- before and after a step --------------------------------------------------------------------------------

    def begin(self, seed: int) -> None:
        """To the window and a document, from whatever else was opened; the person
        answers as the step says.
        """
        self.random.seed(seed)
        self._names = seed
        self.somebody.changes = self.random.choice(
            (Choice.SAVE, Choice.SAVE, Choice.DISCARD, Choice.CANCEL)
        )
        self.somebody.save_to = self.new_file()
        for _ in range(3):
            active = QApplication.activeWindow()
            if active is None or active is self.window:
                break
            active.close()
            QApplication.processEvents()
        if QApplication.activeWindow() is not self.window:
            self.window.activateWindow()
            assert QTest.qWaitForWindowActive(self.window)
        while len(self.window.pages.items) > MOST_TABS:
            self.close_tab()
        if self.window.current is None:
            self.open(self.file)
        self._trim()

    def end(self) -> None:
        """All that follows of itself; mostly the canvas gets the keys then, so that
        what was typed is an edit.
        """
        QApplication.processEvents()
        for _ in range(4):
            if (
                QApplication.activeModalWidget() is None
                and QApplication.activePopupWidget() is None
            ):
                break
            self.answer()
            QApplication.processEvents()
        self.know_types()
        if self.random.random() < 0.7 and self.window.current is not None:
            self.view.setFocus()
            QApplication.processEvents()

    def answer(self) -> None:
        """What is asked now: by a key or a button, and if that was no answer, it is
        closed.
        """
        asked = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if asked is None or asked is self._answered:
            self._answered = None
            if asked is not None:
                asked.close()
            return
        self._answered = asked
        chance = random.Random(self._names)  # noqa: S311 - of its own: it may come at any time in a step
        if isinstance(asked, QMenu):
            entries = [
                entry for entry in asked.actions() if entry.isEnabled() and entry.text()
            ]
            if entries and not any(
                word in entry.text() for entry in entries for word in AWAY
            ):
                asked.setActiveAction(chance.choice(entries))
                QTest.keyClick(asked, chance.choice((K.Key_Return, K.Key_Escape)))
        elif chance.random() < 0.5:
            buttons = [
                one
                for one in asked.findChildren(QAbstractButton)
                if one.isVisible() and one.isEnabled()
            ]
            buttons = [
                one
                for one in buttons
                if not any(word in one.text() + one.toolTip() for word in AWAY)
            ]
            if buttons:
                QTest.mouseClick(chance.choice(buttons), LEFT)
        else:
            QTest.keyClick(
                asked, chance.choice((K.Key_Escape, K.Key_Escape, K.Key_Return))
            )

    def _trim(self) -> None:
        ids = [node.id for node in self.document.design.workflow.nodes]
        if len(ids) > MOST_NODES:
            self.view.setFocus()
            self.document.select(self.random.sample(ids, len(ids) - MOST_NODES // 2))
            self.key(K.Key_Delete)

    def know_types(self) -> None:
        """Answer who asked for the node types."""
        for link in self._links:
            if link.is_open and "catalogue" in link.commands:
                link.reply("catalogue", CATALOGUE)
                link.sent.clear()
        QApplication.processEvents()

    # --- documents ----------------------------------------------------------------------------------------------

    def new_file(self) -> Path:
        """Where nothing is yet."""
        self._names += 1
        return self.folder / f"drawn_{self._names}.stepwell.json"

    def open(self, path: Path) -> None:
        self.somebody.open_from = path
        self.key(K.Key_O, CTRL)
        self.know_types()

    def close_tab(self) -> None:
        """The tab in front, whatever was drawn in it."""
        self.somebody.changes = Choice.DISCARD
        self.key(K.Key_W, CTRL)
        QApplication.processEvents()

    # --- hands --------------------------------------------------------------------------------------------------

    def key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = PLAIN) -> None:
        QTest.keyClick(self._focused(), key, modifiers)

    def write(self, text: str) -> None:
        QTest.keyClicks(self._focused(), text)

    def fill(self, text: str) -> None:
        """Text that is not on a keyboard, as an input method gives it."""
        focused = self._focused()
        if isinstance(focused, QLineEdit | QPlainTextEdit):
            QGuiApplication.clipboard().setText(text)
            focused.paste()

    def _focused(self) -> QWidget:
        # it gets the keys, or what has the focus inside of it
        popup = QApplication.activePopupWidget()
        focused = (
            (popup and popup.focusWidget())
            or popup
            or QApplication.focusWidget()
            or self.window
        )
        return focused if focused.isVisible() else self.window

    def drag(
        self,
        start: QPointF,
        end: QPointF,
        modifiers: Qt.KeyboardModifier = PLAIN,
        button: Qt.MouseButton = LEFT,
    ) -> None:
        """From one place of the scene to another, as one undo step at most."""
        self.view.setFocus()
        stack = self.document.undo_stack
        at = stack.index()
        self.drag_across(start, end, lambda: None, modifiers, button)
        assert stack.index() <= at + 1, "one gesture was more than one step"

    def drag_across(
        self,
        start: QPointF,
        end: QPointF,
        between: Callable[[], object],
        modifiers: Qt.KeyboardModifier = PLAIN,
        button: Qt.MouseButton = LEFT,
    ) -> None:
        """A drag in whose middle something else happens."""
        self.mouse(QEvent.Type.MouseButtonPress, start, button, button, modifiers)
        for part in (0.1, 0.5, 0.9, 1.0):
            self.mouse(
                QEvent.Type.MouseMove,
                start + (end - start) * part,
                NONE,
                button,
                modifiers,
            )
            if part == 0.5:
                between()
        self.mouse(QEvent.Type.MouseButtonRelease, end, button, NONE, modifiers)

    def click(
        self,
        at: QPointF,
        modifiers: Qt.KeyboardModifier = PLAIN,
        *,
        double: bool = False,
    ) -> None:
        if double:
            kind = QEvent.Type.MouseButtonDblClick
        else:
            kind = QEvent.Type.MouseButtonPress
        self.mouse(kind, at, LEFT, LEFT, modifiers)
        self.mouse(QEvent.Type.MouseButtonRelease, at, LEFT, NONE, modifiers)

    def mouse(
        self,
        kind: QEvent.Type,
        at: QPointF,
        button: Qt.MouseButton,
        held: Qt.MouseButton,
        modifiers: Qt.KeyboardModifier = PLAIN,
    ) -> None:
        viewport = self.view.viewport()
        where = QPointF(self.view.mapFromScene(at))
        event = QMouseEvent(
            kind,
            where,
            QPointF(viewport.mapToGlobal(where.toPoint())),
            button,
            held,
            modifiers,
        )
        QApplication.sendEvent(viewport, event)

    # --- what is there ------------------------------------------------------------------------------------------

    def anywhere(self) -> QPointF:
        """Mostly where something is."""
        scene = self.view.scene()
        spots = [
            spot
            for box in scene.boxes.values()
            for spot in (box.inlet, box.outlet, box.rect.center())
        ]
        for figure in scene.edges.figures.values():
            spots += [tag.rect.center() for tag in figure.tags]
            spots += [rect.center() for rect in figure.segments]
        on_wire = self.on_a_wire()
        if on_wire is not None and self.random.random() < 0.3:
            return on_wire
        if spots and self.random.random() < 0.75:
            return self.random.choice(spots)
        return self.view.mapToScene(
            QPoint(self.random.randint(0, 700), self.random.randint(0, 500))
        )

    def on_a_wire(self) -> QPointF | None:
        wires = [
            wire
            for figure in self.view.scene().edges.figures.values()
            for wire in figure.wires
        ]
        if wires:
            return self.random.choice(wires).path.pointAtPercent(self.random.random())
        return None

    def some_way(self) -> QPointF:
        return QPointF(self.random.randint(-200, 200), self.random.randint(-200, 200))

    def select(
        self, most: int, *, edges: bool = True, kinds: tuple[str, ...] = ()
    ) -> list[str]:
        """Some things, by clicks where they can be clicked; the nodes of them. With
        `kinds` edges of these kinds.
        """
        self.view.setFocus()
        workflow = self.document.design.workflow
        found = (*workflow.nodes, *(workflow.edges if edges else ()))
        if kinds:
            ids = [one.id for one in workflow.edges if one.kind in kinds]
        else:
            ids = [one.id for one in found]
        chosen = self.random.sample(ids, min(len(ids), most))
        clicked = [
            key
            for key in chosen
            if key in self.view.scene().boxes and self.random.random() < 0.5
        ]
        if clicked:
            self.document.select(())
        for key in clicked:
            self.click(self.view.scene().boxes[key].rect.center(), SHIFT)
        others = {key for key in chosen if key not in clicked}
        self.document.select(self.document.selection | others if clicked else others)
        QApplication.processEvents()
        return [key for key in self.view.order if key in self.view.scene().boxes]

    def shown(self, kind: type[W], panel: str = "Properties") -> list[W]:
        """The widgets of a panel that a person can use now."""
        return [
            part
            for part in self.workspace.panels[panel].findChildren(kind)
            if part.isVisible() and part.isEnabled()
        ]

    def any_type(self) -> str:
        return self.random.choice([info.title for info in CATALOGUE.nodes])

    def choose_type(self) -> None:
        QApplication.processEvents()
        if self.view.popup is not None:
            self.write(self.any_type())
            self.key(self.random.choice((K.Key_Return, K.Key_Return, K.Key_Escape)))
        self.view.node_search.close()
