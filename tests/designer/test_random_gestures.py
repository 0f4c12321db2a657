"""Random gestures, keys, edits, undos, pastes and modes: nothing raises, and the scene
is what the document says.

A seed is a run that can be repeated; more of them search further.
"""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from designer.canvas.drawing.figures import figure_of
from designer.canvas.drawing.geometry import node_box, topology
from designer.canvas.verbs.menus import menu_for
from designer.canvas.view import CanvasView
from designer.document.checks import Checks
from designer.document.document import Document
from designer.look.fonts import load_fonts
from designer.look.theme import Look
from designer.model.design import Design
from designer.model.names import one_line
from designer.panels.code.cel_edit import CelField
from designer.panels.properties.panel import PropertiesPanel
from runtime.document.definition import (
    DirectEdge,
    FanInEdge,
    FanOutEdge,
    NodeDefinition,
    SwitchCase,
    SwitchEdge,
)
from tests.designer.canvas.gallery import gallery
from tests.designer.canvas.support import catalogue, half_full, licence_audit
from tests.designer.fake_session import FakeSession

STEPS = 100
_LEFT = Qt.MouseButton.LeftButton
_RIGHT = Qt.MouseButton.RightButton
_NONE = Qt.MouseButton.NoButton
_SHIFT = Qt.KeyboardModifier.ShiftModifier
_CTRL = Qt.KeyboardModifier.ControlModifier
_ALT = Qt.KeyboardModifier.AltModifier
MODIFIERS = (*[Qt.KeyboardModifier.NoModifier] * 6, _SHIFT, _CTRL, _ALT, _CTRL | _SHIFT)
KEYS = [
    "Tab",
    "Space",
    "Delete",
    "Backspace",
    "N",
    "B",
    "PageDown",
    "PageUp",
    "A",
    "I",
    "D",
    "C",
    "X",
    "V",
    "J",
    "R",
    "R",
    "Period",
    "S",
    "W",
    "E",
    "L",
    "F",
    "Home",
    "M",
    "G",
    "0",
    "Escape",
    "Escape",
    "Return",
    "Left",
    "Right",
    "Up",
    "Down",
]
TEXTS = (
    "",
    "x",
    "入力 節点",
    "مرحبا",
    "a\nb",
    "<b>&amp;",
    "🙂",
    "x" * 900,
    "\x00",
    "1e999",
    "-5",
    "{",
    '{"a": 1}',
    "[1,",
)
CLIPS = (
    '{"stepwell":"clip"}',
    '{"stepwell":"clip","nodes":[{"id":"q","type":"nope"}]}',
    "[" * 3000,
    "rubbish",
)


W = TypeVar("W", bound=QWidget)


class Fuzz:
    """One document with a canvas and Properties, and everything that one can do to
    them, drawn from a seed.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - to be repeated, not to be secret
        self.document = Document()
        self.session = FakeSession(catalogue().values())
        self.look = Look("light")
        self.checks = Checks(self.document, self.session)  # type: ignore[arg-type]
        self.window = QWidget()
        self.view = CanvasView(
            self.document, self.session, self.look, checks=self.checks
        )  # type: ignore[arg-type]
        self.view.conditions.make_field = lambda name: CelField(self.look, name)
        self.view.clock.reduce_motion = seed % 2 == 0
        self.view.setMinimumSize(900, 600)
        self.panel = PropertiesPanel(
            self.document, self.session, self.look, checks=self.checks
        )  # type: ignore[arg-type]
        layout = QHBoxLayout(self.window)
        layout.addWidget(self.view)
        layout.addWidget(self.panel)
        self.held = _NONE
        self.window.show()
        self.replace()

    def close(self) -> None:
        self.session.look_at(None, "edit")
        self.view.cancel_gesture()
        self.view.dispose()
        self.document.close()

    def step(self) -> str:
        """Do one thing; its name."""
        doings = {
            name: getattr(self, name) for name in vars(Fuzz) if name.startswith("do_")
        }
        weights = [4 if name in ("do_drag", "do_key") else 1 for name in doings]
        (name,) = self.random.choices(list(doings), weights)
        if name == "do_drag":
            # as a press does, and what is typed in a field is committed by that
            self.view.setFocus()
        before = self.document.design
        mode = self.session.mode
        at = self.document.undo_stack.index()
        doings[name]()
        QApplication.processEvents()
        if mode != "edit" and name not in ("do_mode", "do_replace"):
            assert self.document.design is before, "a run is read-only"
        if name == "do_drag":
            stack = self.document.undo_stack
            steps = [stack.text(index) for index in range(at, stack.index())]
            # A layout that was asked for before may come while the mouse moves.
            gestures = [text for text in steps if text != "Arrange"]
            assert len(gestures) <= 1, "one gesture is one step"
        return name

    # --- what one can do ----------------------------------------------------------------------------------------

    def do_drag(self) -> None:
        modifiers = self.random.choice(MODIFIERS)
        self._mouse(QEvent.Type.MouseButtonPress, _LEFT, _LEFT, modifiers)
        for _ in range(self.random.randint(1, 4)):
            self._mouse(QEvent.Type.MouseMove, _NONE, _LEFT, modifiers)
        if self.random.random() < 0.9:  # else something else comes between
            self._mouse(QEvent.Type.MouseButtonRelease, _LEFT, _NONE, modifiers)

    def do_cut(self) -> None:
        self._mouse(QEvent.Type.MouseButtonPress, _RIGHT, _RIGHT, _CTRL)
        for _ in range(self.random.randint(1, 4)):
            self._mouse(QEvent.Type.MouseMove, _NONE, _RIGHT, _CTRL)
        self._mouse(QEvent.Type.MouseButtonRelease, _RIGHT, _NONE, _CTRL)

    def do_hover(self) -> None:
        self._mouse(QEvent.Type.MouseMove, _NONE, _NONE)

    def do_release(self) -> None:
        self._mouse(QEvent.Type.MouseButtonRelease, _LEFT, _NONE)

    def do_double_click(self) -> None:
        self._mouse(QEvent.Type.MouseButtonDblClick, _LEFT, _LEFT)

    def do_key(self) -> None:
        key = Qt.Key[f"Key_{self.random.choice(KEYS)}"]
        focused = QApplication.focusWidget() if self.random.random() < 0.5 else None
        QTest.keyClick(focused or self.view, key, self.random.choice(MODIFIERS))

    def do_menu(self) -> None:
        menu = menu_for(self.view, self._place())
        actions = [
            action for action in menu.actions() if action.isEnabled() and action.text()
        ]
        if actions:
            self.random.choice(actions).trigger()
        menu.deleteLater()

    def do_paste(self) -> None:
        if self.random.random() < 0.4:
            QGuiApplication.clipboard().setText(self.random.choice(TEXTS + CLIPS))
        else:
            self.view.commands.copy()
        self.view.commands.paste(keep_links=self.random.random() < 0.3)

    def do_type(self) -> None:
        fields = [*self._shown(QLineEdit), *self._shown(QPlainTextEdit)]
        if not fields:
            return
        field = self.random.choice(fields)
        text = self.random.choice(TEXTS)
        field.setFocus()
        field.selectAll()
        if isinstance(field, QLineEdit) and not field.isReadOnly():
            field.insert(text)
            field.textEdited.emit(field.text())
        elif isinstance(field, QPlainTextEdit) and not field.isReadOnly():
            field.insertPlainText(text)
        if self.random.random() < 0.6:
            self.view.setFocus()

    def do_press_button(self) -> None:
        # a popup
        buttons = [
            tool
            for tool in self._shown(QAbstractButton)
            if tool.accessibleName() != "Icon"
        ]
        if buttons:
            QTest.mouseClick(self.random.choice(buttons), _LEFT)

    def do_choose(self) -> None:
        boxes = [box for box in self._shown(QComboBox) if box.count()]
        if boxes:
            box = self.random.choice(boxes)
            box.setCurrentIndex(self.random.randrange(box.count()))
            box.activated.emit(box.currentIndex())

    def do_select(self) -> None:
        ids = [
            item.id
            for item in (
                *self.document.design.workflow.nodes,
                *self.document.design.workflow.edges,
            )
        ]
        self.document.select(
            self.random.sample(ids, min(len(ids), self.random.randint(0, 3)))
        )

    def do_undo(self) -> None:
        self._travel(self.document.undo_stack.undo)

    def do_redo(self) -> None:
        self._travel(self.document.undo_stack.redo)

    def do_zoom(self) -> None:
        self.view.camera.zoom_to(self.random.choice((0.2, 0.5, 1.0, 2.0)))

    def do_theme(self) -> None:
        self.look.choose(self.random.choice(("light", "dark")))

    def do_mode(self) -> None:
        if self.session.mode != "edit" or self.random.random() < 0.4:
            self.session.look_at(None, "edit")
            return
        own = half_full().model_copy(
            update={"definition": self.document.design.workflow.model_dump(mode="json")}
        )
        self.session.running = self.random.random() < 0.3
        self.session.look_at(
            self.random.choice((own, half_full(), None)),
            self.random.choice(("live", "past")),
        )

    def do_catalogue(self) -> None:
        if self.random.random() < 0.3:
            self.session.know(list(catalogue().values())[:: self.random.choice((1, 2))])

    def do_replace(self) -> None:
        if self.random.random() < 0.2:
            self.replace()

    # --- inside -------------------------------------------------------------------------------------------------

    def replace(self) -> None:
        """Another design, as opening a file does."""
        design = self.random.choice(
            (licence_audit, lambda: gallery()[0], Design, self._broken)
        )()
        # what `open` and `new` do, without a file
        self.document._replace(design, None, None)

    def _broken(self) -> Design:
        """As a half-finished file may be: two nodes of one id, ends that do not exist,
        groups without any.
        """
        whole = licence_audit()
        ids = ["a", "b", "b", "age_check"]
        nodes = tuple(
            NodeDefinition(id=key, type=self.random.choice(("route", "template", "?")))
            for key in ids
        )
        edges = (
            FanOutEdge(id="x", source="a", targets=()),
            FanInEdge(id="x", sources=("ghost", "a"), target="b", policy="count"),
            SwitchEdge(
                id="y",
                source="a",
                cases=(SwitchCase(when="", target="ghost"),),
                default="",
            ),
            DirectEdge(id="z", source="a", target="a", condition="x" * 400),
        )
        workflow = whole.workflow
        changed = {
            "nodes": (*workflow.nodes, *nodes),
            "edges": (*workflow.edges, *edges),
        }
        return replace(whole, workflow=workflow.model_copy(update=changed))

    def _mouse(
        self,
        type: QEvent.Type,
        button: Qt.MouseButton,
        held: Qt.MouseButton,
        modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
    ) -> None:
        viewport = self.view.viewport()
        at = QPointF(self.view.mapFromScene(self._place()))
        where = QPointF(viewport.mapToGlobal(at.toPoint()))
        QApplication.sendEvent(
            viewport, QMouseEvent(type, at, where, button, held, modifiers)
        )

    def _place(self) -> QPointF:
        """Mostly where something is."""
        scene = self.view.scene()
        boxes = sorted(scene.boxes.items())
        figures = sorted(scene.edges.figures.items())
        spots = [
            spot
            for _, box in boxes
            for spot in (box.inlet, box.outlet, box.rect.center())
        ]
        for _, figure in figures:
            spots += [
                rect.center()
                for rect in (*figure.segments, *(tag.rect for tag in figure.tags))
            ]
            spots += [
                wire.path.pointAtPercent(self.random.random()) for wire in figure.wires
            ]
        if spots and self.random.random() < 0.8:
            return self.random.choice(spots)
        return self.view.mapToScene(
            QPoint(self.random.randint(0, 900), self.random.randint(0, 600))
        )

    def _shown(self, kind: type[W]) -> list[W]:
        return [
            part
            for part in self.panel.findChildren(kind)
            if part.isVisible() and part.isEnabled()
        ]

    def _travel(self, way: object) -> None:
        for _ in range(self.random.randint(1, 5) if self.session.mode == "edit" else 0):
            way()  # type: ignore[operator]


def assert_scene_is_the_document(fuzz: Fuzz) -> None:
    view = fuzz.view
    document = fuzz.document
    scene = view.scene()
    assert scene.design == document.design or fuzz.session.mode != "edit"
    workflow = scene.design.workflow
    nodes = {node.id: node for node in workflow.nodes}
    assert scene.nodes.keys() == nodes.keys() == scene.boxes.keys()
    assert scene.selection == document.selection == set(view.order)
    existing = {
        item.id
        for item in (*document.design.workflow.nodes, *document.design.workflow.edges)
    }
    assert document.selection <= existing | scene.backdrop.frames.keys()
    assert view.hover.key in {
        "",
        *scene.nodes,
        *scene.topology.edges,
        *scene.backdrop.frames,
    }
    assert view.dots.chosen is None or document.selection == {view.dots.chosen.edge}
    for key, item in scene.nodes.items():
        assert (item.title, item.selected) == (
            one_line(nodes[key].title),
            key in document.selection,
        )
        assert item.box == scene.boxes[key]
    if view.gesture is None and not view.clock.is_moving:
        assert_figures_are_fresh(fuzz)


def assert_figures_are_fresh(fuzz: Fuzz) -> None:
    """What was drawn edit by edit is what would be drawn at once."""
    scene = fuzz.view.scene()
    workflow = scene.design.workflow
    positions = scene.design.positions
    for node in workflow.nodes:
        box = node_box(
            node, scene.infos.get(node.type), positions.get(node.id, (0.0, 0.0))
        )
        assert (
            box == scene.boxes[node.id]
            or [n.id for n in workflow.nodes].count(node.id) > 1
        )
    known = topology(workflow)
    dots = scene.design.dots
    drawn = {
        edge.id: figure_of(
            edge, scene.boxes, known, scene.obstacles, dots.get(edge.id, {})
        )
        for edge in workflow.edges
    }
    assert scene.edges.figures == {
        key: figure for key, figure in drawn.items() if figure is not None
    }


def run(seed: int, steps: int) -> None:
    fuzz = Fuzz(seed)
    done: list[str] = []
    try:
        for _ in range(steps):
            done.append(fuzz.step())
            assert_scene_is_the_document(fuzz)
        assert_undo_leads_back_and_forth(fuzz)
    except AssertionError as error:
        raise AssertionError(f"seed {seed}, after {done[-6:]}: {error}") from error
    finally:
        fuzz.close()


def assert_undo_leads_back_and_forth(fuzz: Fuzz) -> None:
    fuzz.view.cancel_gesture()
    fuzz.session.look_at(None, "edit")
    stack = fuzz.document.undo_stack
    design = fuzz.document.design
    at = stack.index()
    for index in (0, stack.count(), at):
        stack.setIndex(index)
        assert_scene_is_the_document(fuzz)
    assert fuzz.document.design == design


@pytest.mark.parametrize("seed", range(5))
def test_random_gestures(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path))
    load_fonts()
    run(seed, STEPS)
