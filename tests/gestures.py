"""Random gestures in a real window: `python -m tests.gestures [--edits N] [--seed S]`.

Nodes are added, connected in every way, moved, renamed, cut, pasted, undone, saved and opened again, by mouse and keys.
After every step: nothing was raised, Qt did not warn, document and scene are equal, undo and redo lead back and forth,
and what was saved can be read and is equal. When a step fails, as few steps as still fail are printed.

A step is a name and a seed of its own, so that the steps around it can be left out.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, QMessageLogContext, QPoint, QPointF, Qt, QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from designer.app import make_application, make_window
from designer.canvas.menus import menu_for
from designer.canvas.scene import CanvasScene
from designer.canvas.view import CanvasView
from designer.document import Document
from designer.look.theme import Look
from designer.model import files
from designer.model.diff import diff
from designer.model.frames import frame_ids, frames_of
from designer.model.names import one_line
from designer.session.session import DebugSession
from designer.shell.actions import ACTIONS
from designer.shell.dialogs import Choice
from designer.shell.settings import Settings
from designer.shell.workspace import Workspace
from resources import examples
from runtime.debug.protocol import CatalogueBody
from runtime.errors import DefinitionError
from runtime.nodes import catalogue
from tests.designer.fakes import RecordingLink
from tests.designer.shell.support import Somebody

MOST_NODES = 40  # from which a part is deleted: a step costs what there is
DEEP = 5  # undo steps that are taken back and forth after every step; all of them now and then
ALL_EVERY = 100
SHRINKING = 240.0  # s at most
EXPECTED = ("This plugin does not support",)

K = Qt.Key
LEFT, NONE, PLAIN = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
SHIFT, CTRL, ALT = (
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)
TEXTS = (
    "",
    "x",
    "入力 節点",
    "مرحبا",
    "<b>&amp;",
    "🙂",
    "x" * 300,
    "a b",
    "1e999",
    "-5",
    "{",
    '{"a": 1}',
    "[1,",
    "true",
)
CLIPS = (
    "rubbish",
    "[" * 3000,
    '{"stepwell":"clip"}',
    '{"stepwell":"clip","nodes":[{"id":"q","type":"nope","params":{"a":[1]},"more":2}]}',
    '{"stepwell":"clip","nodes":[{"id":"q","type":"nope"},{"id":"q","type":"nope"}]}',
    '{"stepwell":"clip","nodes":[{"id":"q","type":"nope"}],"positions":{"q":[1e300,-1e300]}}',
)
W = TypeVar("W", bound=QWidget)
_CATALOGUE = CatalogueBody(nodes=tuple(catalogue().infos()))


class Step(NamedTuple):
    name: str
    seed: int


class FaultError(Exception):
    """What went wrong in a step. `kind` is the same for the same fault."""

    def __init__(self, kind: str, details: str = "") -> None:
        super().__init__(f"{kind}\n{details}".strip())
        self.kind = kind


class Player:
    """A window with one document, and everything that is done to it. Made anew for every try."""

    def __init__(self, folder: Path, told: list[str]) -> None:
        self.told = told  # warnings of Qt and exceptions, as they come
        self.random = random.Random(0)  # noqa: S311 - to be repeated, not to be secret
        self.somebody = Somebody(folder)
        self.somebody.changes = Choice.SAVE
        settings = Settings(folder / "settings.json")
        settings.values.reduce_motion = True
        self.window = make_window(settings, Look("light"), self.somebody, lambda: DebugSession(RecordingLink()))
        self.window.resize(1200, 800)
        self.window.show()
        self.window.activateWindow()
        assert QTest.qWaitForWindowActive(self.window)
        self.file = folder / "played.stepwell.json"
        files.save(self.file, files.load(examples()[0].path))
        self._closer = QTimer(self.window, interval=50)
        self._closer.timeout.connect(_close_dialogs)
        self._closer.start()
        self.somebody.open_from = self.file
        self.key(K.Key_O, CTRL)
        self._know_types()

    def close(self) -> None:
        self._closer.stop()
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

    def do(self, step: Step) -> None:
        """Do it, and everything that follows of itself. Raises `FaultError`."""
        self.random.seed(step.seed)
        try:
            self._come_back()
            self._trim()
            getattr(self, f"do_{step.name}")()
            QApplication.processEvents()
            if self.random.random() < 0.7:
                self.view.setFocus()  # what is typed in a field is then an edit
                QApplication.processEvents()
            check(self, whole=step.seed % ALL_EVERY == 0)
        except FaultError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is searched
            raise FaultError(_place_of(error), traceback.format_exc()) from None
        if self.told:
            first = self.told[0]
            raise FaultError(first.strip().splitlines()[-1][:200], "\n".join(self.told))

    def _come_back(self) -> None:
        """To the window, from whatever else was opened; a desktop does so when that is closed."""
        for _ in range(3):
            active = QApplication.activeWindow()
            if active is None or active is self.window:
                break
            active.close()
            QApplication.processEvents()
        if QApplication.activeWindow() is not self.window:
            self.window.activateWindow()
            assert QTest.qWaitForWindowActive(self.window)

    def _trim(self) -> None:
        ids = [node.id for node in self.document.design.workflow.nodes]
        if len(ids) > MOST_NODES:
            self.view.setFocus()
            self.document.select(self.random.sample(ids, len(ids) - MOST_NODES // 2))
            self.key(K.Key_Delete)

    # --- nodes --------------------------------------------------------------------------------------------------

    def do_add_by_key(self) -> None:
        self.view.setFocus()
        self.key(K.Key_Tab)
        self._choose_type()

    def do_add_from_palette(self) -> None:
        field = self.workspace.panels["Palette"].findChild(QLineEdit)
        assert field is not None
        field.setFocus()
        field.selectAll()
        self.type(self._any_type())
        self.key(K.Key_Return)

    def do_add_at_the_end_of_a_wire(self) -> None:
        boxes = list(self.view.canvas.boxes.values())
        if boxes:
            self.drag(self.random.choice(boxes).outlet, self.anywhere())
            self._choose_type()

    def do_move(self) -> None:
        boxes = list(self.view.canvas.boxes.values())
        if boxes:
            start = self.random.choice(boxes).rect.center()
            by = QPointF(self.random.randint(-200, 200), self.random.randint(-200, 200))
            self.drag(start, start + by, self.random.choice((PLAIN, PLAIN, SHIFT, CTRL, ALT)))

    def do_nudge(self) -> None:
        self._select(3)
        for _ in range(self.random.randint(1, 3)):
            key = self.random.choice((K.Key_Left, K.Key_Right, K.Key_Up, K.Key_Down))
            self.key(key, CTRL | self.random.choice((PLAIN, SHIFT)))

    def do_rename(self) -> None:
        self._select(1, edges=False)
        self.key(K.Key_F2)
        if isinstance(QApplication.focusWidget(), QLineEdit):
            self.key(K.Key_A, CTRL)
            self._fill(self.random.choice(TEXTS))
            self.key(self.random.choice((K.Key_Return, K.Key_Return, K.Key_Escape)))

    def do_delete(self) -> None:
        self._select(self.random.choice((1, 1, 2, 4)))
        self.key(self.random.choice((K.Key_Delete, K.Key_Backspace)))

    def do_delete_everything(self) -> None:
        if self.random.random() < 0.15:
            self.view.setFocus()
            self.key(K.Key_A, CTRL)
            self.key(K.Key_Delete)

    # --- frames and notes ---------------------------------------------------------------------------------------

    def do_frame(self) -> None:
        self._select(self.random.choice((0, 1, 3)), edges=False)
        self.key(*self.random.choice(((K.Key_G, CTRL), (K.Key_N, PLAIN))))
        if self.view.frame_text.field is not None:
            self._fill(self.random.choice(TEXTS))
            self.key(self.random.choice((K.Key_Return, K.Key_Escape)), CTRL)

    def do_drag_frame(self) -> None:
        frames = list(self.view.canvas.backdrop.frames)
        if frames:
            rect = self.view.canvas.backdrop.rect(self.random.choice(frames))
            start = self.random.choice((rect.topLeft() + QPointF(30, 14), rect.bottomRight(), rect.topLeft()))
            by = QPointF(self.random.randint(-200, 200), self.random.randint(-200, 200))
            self.drag(start, start + by, self.random.choice((PLAIN, PLAIN, SHIFT, CTRL, ALT)))

    def do_change_frame(self) -> None:
        self.view.setFocus()
        self.key(K.Key_F, SHIFT)
        if self.random.random() < 0.3:
            self.key(K.Key_Return)
            self._fill(self.random.choice(TEXTS))
            self.key(self.random.choice((K.Key_Escape, K.Key_Return)), CTRL)
            self.view.frame_text.close()
        else:
            arrow = self.random.choice((K.Key_Left, K.Key_Right, K.Key_Up, K.Key_Down))
            self.key(*self.random.choice(((arrow, CTRL), (arrow, SHIFT), (K.Key_Delete, PLAIN), (K.Key_D, CTRL))))

    def do_bookmark(self) -> None:
        self._select(2)
        self.key(K.Key_B, CTRL)
        self.key(K.Key_B, CTRL | SHIFT)

    # --- edges --------------------------------------------------------------------------------------------------

    def do_connect(self) -> None:
        boxes = list(self.view.canvas.boxes.values())
        if boxes:
            modifiers = self.random.choice((PLAIN, PLAIN, PLAIN, SHIFT, CTRL, ALT))
            self.drag(self.random.choice(boxes).outlet, self.random.choice(boxes).inlet, modifiers)
            self.key(K.Key_Escape)

    def do_connect_by_keys(self) -> None:
        nodes = self._select(self.random.choice((1, 2, 2, 3, 4)), edges=False)
        if len(nodes) == 1:
            self.key(K.Key_C)
            for _ in range(self.random.randint(0, 3)):
                self.key(self.random.choice((K.Key_Left, K.Key_Right, K.Key_Up, K.Key_Down)))
            self.key(self.random.choice((K.Key_Return, K.Key_Escape)))
        elif len(nodes) == 2:
            self.key(K.Key_Return, CTRL)
        else:
            self.key(K.Key_J)

    def do_connect_selection(self) -> None:
        """A wire from one of several selected nodes."""
        nodes = self._select(3, edges=False)
        boxes = self.view.canvas.boxes
        if nodes:
            target = self.random.choice(list(boxes.values()))
            self.drag(boxes[nodes[0]].outlet, target.inlet)

    def do_grab_a_wire(self) -> None:
        wires = [wire for figure in self.view.canvas.edges.figures.values() for wire in figure.wires]
        if wires:
            at = self.random.choice(wires).path.pointAtPercent(self.random.random())
            self.drag(at, self.anywhere(), self.random.choice((PLAIN, PLAIN, SHIFT, CTRL, ALT)))
            self.key(K.Key_Escape)

    def do_menu(self) -> None:
        menu = menu_for(self.view, self.anywhere())
        actions = [action for action in menu.actions() if action.isEnabled() and action.text() and not action.menu()]
        if actions:
            self.random.choice(actions).trigger()
        menu.deleteLater()
        self.key(K.Key_Escape)

    # --- forms --------------------------------------------------------------------------------------------------

    def do_fill_a_field(self) -> None:
        self._select(1)
        fields = [*self._shown(QLineEdit), *self._shown(QPlainTextEdit)]
        fields = [field for field in fields if not field.isReadOnly()]
        if fields:
            self.random.choice(fields).setFocus()
            self.key(K.Key_A, CTRL)
            self._fill(self.random.choice(TEXTS))
            if self.random.random() < 0.3:
                self.key(self.random.choice((K.Key_Return, K.Key_Tab, K.Key_Escape)))

    def do_press_in_the_form(self) -> None:
        self._select(1)
        away = ("source", "Source", "…", "Icon")  # these leave the window
        tools = [
            tool
            for tool in self._shown(QAbstractButton)
            if not any(w in tool.text() + tool.accessibleName() for w in away)
        ]
        if tools:
            QTest.mouseClick(self.random.choice(tools), LEFT)

    def do_choose_in_the_form(self) -> None:
        self._select(1)
        boxes = [box for box in self._shown(QComboBox) if box.count()]
        if boxes:
            box = self.random.choice(boxes)
            box.setFocus()
            for _ in range(self.random.randint(1, 3)):
                self.key(self.random.choice((K.Key_Down, K.Key_Up)))

    # --- all of it ----------------------------------------------------------------------------------------------

    def do_clipboard(self) -> None:
        self._select(4)
        self.key(self.random.choice((K.Key_C, K.Key_X)), CTRL)
        for _ in range(self.random.randint(1, 2)):
            self.key(K.Key_V, CTRL | self.random.choice((PLAIN, PLAIN, SHIFT)))

    def do_paste_rubbish(self) -> None:
        self.view.setFocus()
        QGuiApplication.clipboard().setText(self.random.choice(TEXTS + CLIPS))
        self.key(K.Key_V, CTRL)

    def do_duplicate(self) -> None:
        self._select(3)
        self.key(K.Key_D, CTRL)

    def do_command(self) -> None:
        """Any command that edits, those that came later too."""
        skipped = {"quit", "close", "undo", "redo"}
        specs = [spec for spec in ACTIONS if spec.menu in ("Edit", "Insert") and spec.id not in skipped]
        self._select(3)
        self.window.trigger(self.random.choice(specs))
        QApplication.processEvents()
        self.key(K.Key_Escape)

    def do_switch_off(self) -> None:
        self._select(3, edges=False)
        self.key(self.random.choice((K.Key_D, K.Key_B)))

    def do_arrange(self) -> None:
        self._select(4, edges=False)
        self.key(*self.random.choice(((K.Key_L, PLAIN), (K.Key_L, CTRL), (K.Key_L, CTRL | SHIFT))))

    def do_collapse(self) -> None:
        self._select(self.random.choice((1, 2, 3)), edges=False)
        self.key(K.Key_G, CTRL | SHIFT)

    def do_go_in_or_out(self) -> None:
        if self.random.random() < 0.5:
            self._select(1, edges=False)
            self.key(self.random.choice((K.Key_PageDown, K.Key_Return)))
        else:
            self.view.setFocus()
            self.key(K.Key_PageUp)

    def do_undo(self) -> None:
        for _ in range(self.random.randint(1, 6)):
            self.key(K.Key_Z, CTRL)

    def do_redo(self) -> None:
        for _ in range(self.random.randint(1, 6)):
            self.key(K.Key_Y, CTRL)

    def do_save(self) -> None:
        self.key(K.Key_S, CTRL)
        assert self.document.is_clean, self.somebody.told

    def do_open_again(self) -> None:
        """Closing saves; what is opened is what was there."""
        before = self.document.root
        self.key(K.Key_W, CTRL)
        assert self.window.current is None
        self.key(K.Key_O, CTRL)
        assert files.dumps(self.document.root) == files.dumps(before)
        self._know_types()

    def do_change_on_disk(self) -> None:
        if self.random.random() < 0.3:
            files.save(self.file, files.load(examples()[self.random.randrange(len(examples()))].path))
            self.workspace.watch.look()
            verb = self.random.choice(("Reload", "Compare", "Keep mine"))
            for button in self.workspace.banner.buttons:
                if button.text() == verb:
                    QTest.mouseClick(button, LEFT)
                    break

    def do_backup(self) -> None:
        if self.random.random() < 0.2:
            self.window.files.restore_backup(self.workspace)

    # --- hands --------------------------------------------------------------------------------------------------

    def key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = PLAIN) -> None:
        QTest.keyClick(self._focused(), key, modifiers)

    def type(self, text: str) -> None:
        QTest.keyClicks(self._focused(), text)

    def _fill(self, text: str) -> None:
        """Text that is not on a keyboard, as an input method gives it."""
        focused = self._focused()
        if isinstance(focused, QLineEdit | QPlainTextEdit):
            QGuiApplication.clipboard().setText(text)
            focused.paste()

    def _focused(self) -> QWidget:
        focused = QApplication.focusWidget() or self.window
        return focused if focused.isVisible() else self.window

    def drag(self, start: QPointF, end: QPointF, modifiers: Qt.KeyboardModifier = PLAIN) -> None:
        self.view.setFocus()
        self._mouse(QEvent.Type.MouseButtonPress, start, LEFT, LEFT, modifiers)
        for part in (0.1, 0.5, 0.9, 1.0):
            self._mouse(QEvent.Type.MouseMove, start + (end - start) * part, NONE, LEFT, modifiers)
        self._mouse(QEvent.Type.MouseButtonRelease, end, LEFT, NONE, modifiers)

    def _mouse(
        self,
        kind: QEvent.Type,
        at: QPointF,
        button: Qt.MouseButton,
        held: Qt.MouseButton,
        modifiers: Qt.KeyboardModifier,
    ) -> None:
        viewport = self.view.viewport()
        where = QPointF(self.view.mapFromScene(at))
        event = QMouseEvent(kind, where, QPointF(viewport.mapToGlobal(where.toPoint())), button, held, modifiers)
        QApplication.sendEvent(viewport, event)

    def anywhere(self) -> QPointF:
        """Mostly where something is."""
        scene = self.view.canvas
        spots = [spot for box in scene.boxes.values() for spot in (box.inlet, box.outlet, box.rect.center())]
        for figure in scene.edges.figures.values():
            spots += [tag.rect.center() for tag in figure.tags]
            spots += [rect.center() for rect in figure.segments]
            spots += [wire.path.pointAtPercent(self.random.random()) for wire in figure.wires]
        if spots and self.random.random() < 0.75:
            return self.random.choice(spots)
        return self.view.mapToScene(QPoint(self.random.randint(0, 700), self.random.randint(0, 500)))

    def _select(self, most: int, *, edges: bool = True) -> list[str]:
        """Some things, by clicks where they can be clicked; those that are selected then."""
        self.view.setFocus()
        workflow = self.document.design.workflow
        ids = [item.id for item in (*workflow.nodes, *(workflow.edges if edges else ()))]
        chosen = self.random.sample(ids, min(len(ids), most))
        self.document.select(())
        for key in chosen:
            if key in self.view.canvas.boxes and self.random.random() < 0.5:
                at = self.view.canvas.boxes[key].rect.center()
                self._mouse(QEvent.Type.MouseButtonPress, at, LEFT, LEFT, SHIFT)
                self._mouse(QEvent.Type.MouseButtonRelease, at, LEFT, NONE, SHIFT)
            else:
                self.document.select({*self.document.selection, key})
        QApplication.processEvents()
        return [key for key in self.view.order if key in self.view.canvas.boxes]

    def _any_type(self) -> str:
        return self.random.choice([info.title for info in _CATALOGUE.nodes])

    def _choose_type(self) -> None:
        QApplication.processEvents()
        if self.view.popup is not None:
            self.type(self._any_type())
            self.key(self.random.choice((K.Key_Return, K.Key_Return, K.Key_Escape)))
        self.view.adding.close()

    def _shown(self, kind: type[W]) -> list[W]:
        panel = self.workspace.panels["Properties"]
        return [part for part in panel.findChildren(kind) if part.isVisible() and part.isEnabled()]

    def _know_types(self) -> None:
        link = self.workspace.session._link
        assert isinstance(link, RecordingLink)
        if "catalogue" in link.commands:
            link.reply("catalogue", _CATALOGUE)
        QApplication.processEvents()


def _close_dialogs() -> None:
    """Nobody is there to answer; Esc must be harmless everywhere."""
    for widget in (QApplication.activeModalWidget(), QApplication.activePopupWidget()):
        if widget is not None:
            widget.close()


# --- what must hold -----------------------------------------------------------------------------------------------


def check(player: Player, *, whole: bool) -> None:
    """Everything that must be so after a step. Raises `AssertionError`."""
    document, view = player.document, player.view
    check_scene(player)
    check_file(document)
    if view.tool is not None or not isinstance(QApplication.focusWidget(), CanvasView):
        return  # in the middle of something, which undoing would end
    stack, root, way = document.undo_stack, document.root, document.inside
    at = stack.index()
    depth = at if whole else min(at, DEEP)
    if depth:
        stack.setIndex(at - depth)
        check_scene(player)
        stack.setIndex(at)
        assert not diff(document.root, root), "undo and redo do not lead back"
        if document.inside == way:
            check_scene(player)


def check_scene(player: Player) -> None:
    """The scene is the document, and what was drawn edit by edit is what would be drawn at once."""
    document, scene = player.document, player.view.canvas
    assert not diff(scene.design, document.design), "the scene shows another design"
    workflow = document.design.workflow
    ids = {item.id for item in (*workflow.nodes, *workflow.edges)} | frame_ids(document.design)
    assert scene.backdrop.frames == {frame.id: frame for frame in frames_of(document.design)}, "frames differ"
    assert document.selection <= ids, "something is selected that is not there"
    assert scene.selection == document.selection == set(player.view.order), "scene and document select differently"
    assert player.view.hover.key in {"", *ids}, "the pointer is over something that is not there"
    nodes = {node.id: node for node in workflow.nodes}
    assert scene.nodes.keys() == nodes.keys() == scene.boxes.keys(), "nodes differ"
    for key, item in scene.nodes.items():
        assert item.title == one_line(nodes[key].title), "a title differs"
        assert item.selected == (key in document.selection), "a node is drawn as selected and is not, or is and is not"
        assert item.box == scene.boxes[key], "a node stands elsewhere than its box"
        assert item.off == nodes[key].off, "a node is drawn as off and is on, or is and is not drawn so"
    assert scene.edges.silent == {key for key, node in nodes.items() if node.off == "disabled"}, "wires are drawn wrong"
    if player.view.tool is not None or player.view.clock.is_moving:
        return
    fresh = CanvasScene(Look("light").theme)
    fresh.folder = scene.folder
    fresh.show(scene.design, scene.infos)
    try:
        assert scene.boxes == fresh.boxes, "nodes are drawn elsewhere than a new scene draws them"
        assert scene.edges.figures == fresh.edges.figures, "edges are drawn otherwise than in a new scene"
    finally:
        fresh.dispose()
        fresh.clear()


def check_file(document: Document) -> None:
    """What would be saved can be read and is equal, and what is said to be saved is saved."""
    try:
        text = files.dumps(document.root)
    except DefinitionError as error:
        raise AssertionError(f"it cannot be saved: {error}") from error
    assert files.dumps(files.loads(text)) == text, "what is read is not what was written"
    if document.is_clean and document.path is not None and not document.disk_news():
        assert document.path.read_text("utf-8") == text, "it is said to be saved, and is not"


# --- playing ------------------------------------------------------------------------------------------------------


def steps(seed: int, count: int) -> list[Step]:
    """The steps of a seed; they depend on nothing else."""
    chance = random.Random(seed)  # noqa: S311 - to be repeated
    names = [name.removeprefix("do_") for name in vars(Player) if name.startswith("do_")]
    often = {"move": 3, "connect": 3, "add_by_key": 3, "undo": 2, "menu": 2, "connect_by_keys": 2, "open_again": 0.5}
    weights = [often.get(name, 1) for name in names]
    return [Step(chance.choices(names, weights)[0], chance.getrandbits(31)) for _ in range(count)]


def play(program: Sequence[Step], heard: Callable[[int], None] = lambda _done: None) -> FaultError | None:
    """Do these steps in a new window; the fault of the last one that was done."""
    told: list[str] = []

    def on_message(kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
        if kind is not QtMsgType.QtDebugMsg and not text.startswith(EXPECTED):
            told.append(f"Qt: {text}")

    def on_exception(kind: type[BaseException], error: BaseException, trace: object) -> None:
        told.append("".join(traceback.format_exception(error)) + _place_of(error))

    with tempfile.TemporaryDirectory(prefix="gestures") as name:
        os.environ["STEPWELL_DATA_DIR"] = str(Path(name, "data"))
        qInstallMessageHandler(on_message)
        sys.excepthook = on_exception
        sys.unraisablehook = lambda args: told.append(f"unraisable: {args.exc_value!r}")
        try:
            player = Player(Path(name), told)
            try:
                for place, step in enumerate(program):
                    heard(place)
                    player.do(step)
            finally:
                player.close()
        except FaultError as fault:
            return fault
        finally:
            qInstallMessageHandler(None)
            sys.excepthook = sys.__excepthook__
            sys.unraisablehook = sys.__unraisablehook__
    return None


def shrink(
    program: list[Step],
    fault: FaultError,
    seconds: float = SHRINKING,
    *,
    replay: Callable[[list[Step]], FaultError | None] = play,
) -> list[Step]:
    """As few of the steps as still have this fault: parts are left out, ever smaller ones."""
    until = time.monotonic() + seconds

    def fails(steps: list[Step]) -> bool:
        found = replay(steps) if steps and time.monotonic() < until else None
        return found is not None and found.kind == fault.kind

    for last in (5, 10, 20, 40, 80, 160):  # mostly it is due to what was done shortly before
        if last < len(program) and fails(program[-last:]):
            program = program[-last:]
            break
    size = len(program) // 2
    while size:
        at = 0
        while at < len(program):
            fewer = program[:at] + program[at + size :]
            if fails(fewer):
                program = fewer
            else:
                at += size
        size //= 2
    return program


def _place_of(error: BaseException) -> str:
    """The same for the same fault: its kind, its first line, and where it was raised."""
    last = traceback.extract_tb(error.__traceback__)[-1] if error.__traceback__ else None
    where = f" in {Path(last.filename).name}:{last.name}" if last else ""
    first = (str(error).splitlines() or [""])[0][:120]
    return f"{type(error).__name__}: {first}{where}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.gestures", description=__doc__)
    parser.add_argument("--edits", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=500, help="a new window after so many steps")
    parser.add_argument("--no-shrink", action="store_true")
    wanted = parser.parse_args(arguments)
    faulthandler.enable()
    make_application()
    program = steps(wanted.seed, wanted.edits)
    for start in range(0, len(program), wanted.every):
        part = program[start : start + wanted.every]
        done = 0

        def heard(place: int) -> None:
            nonlocal done
            done = place

        fault = play(part, heard)
        if fault is None:
            print(f"{start + len(part):,} steps", flush=True)  # noqa: T201
            continue
        part = part[: done + 1]
        print(f"Seed {wanted.seed}, step {start + done}: {part[-1]}\n{fault}", flush=True)  # noqa: T201
        if not wanted.no_shrink:
            part = shrink(part, fault)
            print(f"\n{len(part)} of {done + 1} steps have the same fault:", *part, sep="\n  ")  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
