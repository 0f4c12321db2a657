"""Gestures with edges: drawn, led on, grabbed, cut, turned into other kinds, and their
reroute dots.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF

from designer.canvas.verbs.menus import menu_for
from tests.gestures.player import (
    ALT,
    ARROWS,
    CTRL,
    PLAIN,
    RIGHT,
    SHIFT,
    K,
    Player,
    gesture,
)
from tests.gestures.texts import TEXTS


@gesture(3)
def connect(player: Player) -> None:
    boxes = list(player.view.scene().boxes.values())
    if boxes:
        modifiers = player.random.choice((PLAIN, PLAIN, PLAIN, SHIFT, CTRL, ALT))
        player.drag(
            player.random.choice(boxes).outlet,
            player.random.choice(boxes).inlet,
            modifiers,
        )
        player.key(K.Key_Escape)


@gesture(2)
def connect_by_keys(player: Player) -> None:
    nodes = player.select(player.random.choice((1, 2, 2, 3, 4)), edges=False)
    if len(nodes) == 1:
        player.key(K.Key_C)
        for _ in range(player.random.randint(0, 3)):
            player.key(player.random.choice(ARROWS))
        player.key(player.random.choice((K.Key_Return, K.Key_Escape)))
    elif len(nodes) == 2:
        player.key(K.Key_Return, CTRL)
    else:
        player.key(K.Key_J)


@gesture()
def send_failures(player: Player) -> None:
    """An error edge, by keys or by a click."""
    nodes = player.select(1, edges=False)
    if nodes:
        player.view.start_wire(nodes[0], on_error=True)
        if player.random.random() < 0.5:
            player.key(player.random.choice(ARROWS))
            player.key(K.Key_Return)
        else:
            player.click(player.anywhere())
        player.key(K.Key_Escape)


@gesture()
def connect_selection(player: Player) -> None:
    """A wire from one of several selected nodes."""
    nodes = player.select(3, edges=False)
    boxes = player.view.scene().boxes
    if nodes:
        target = player.random.choice(list(boxes.values()))
        player.drag(boxes[nodes[0]].outlet, target.inlet)


@gesture()
def grab_a_wire(player: Player) -> None:
    wires = [
        wire
        for figure in player.view.scene().edges.figures.values()
        for wire in figure.wires
    ]
    if wires:
        at = player.random.choice(wires).path.pointAtPercent(player.random.random())
        player.drag(
            at,
            player.anywhere(),
            player.random.choice((PLAIN, PLAIN, SHIFT, CTRL, ALT)),
        )
        player.key(K.Key_Escape)


@gesture(2)
def menu(player: Player) -> None:
    menu = menu_for(player.view, player.anywhere())
    actions = [
        action
        for action in menu.actions()
        if action.isEnabled() and action.text() and not action.menu()
    ]
    if actions:
        player.random.choice(actions).trigger()
    menu.deleteLater()
    player.key(K.Key_Escape)


@gesture(2)
def convert(player: Player) -> None:
    """Edges into a group, groups into edges, as their menu offers it."""
    player.select(
        player.random.choice((1, 2, 3)),
        kinds=("direct", "fan_out", "fan_in", "switch", "multi_selection", "on_error"),
    )
    figure = player.view.scene().figure(next(iter(player.document.selection), ""))
    if figure is None or not figure.wires:
        return
    menu = menu_for(player.view, figure.wires[0].path.pointAtPercent(0.5))
    turns = [
        entry
        for entry in menu.actions()
        if entry.isEnabled() and entry.text().startswith(("Make", "Convert"))
    ]
    if turns:
        player.random.choice(turns).trigger()
    menu.deleteLater()


@gesture(1.5)
def dots(player: Player) -> None:
    """Reroute dots: added by mouse and keys, dragged onto the line, walked, nudged,
    removed.
    """
    at = player.on_a_wire()
    if at is None:
        return
    player.view.setFocus()
    way = player.random.randrange(4)
    if way == 0:
        player.click(at, ALT)
    elif way == 1:
        player.click(at, double=True)
    else:
        player.select(
            1,
            kinds=(
                "direct",
                "fan_out",
                "fan_in",
                "switch",
                "multi_selection",
                "on_error",
            ),
        )
        for _ in range(3):
            keys = (
                (K.Key_R, PLAIN),
                (K.Key_Period, PLAIN),
                (player.random.choice(ARROWS), CTRL),
                (K.Key_Delete, PLAIN),
            )
            player.key(*player.random.choice((*keys, *keys[:2])))
    found = [
        point
        for wires in player.document.design.dots.values()
        for points in wires.values()
        for point in points
    ]
    if found:
        start = QPointF(*player.random.choice(found))
        player.drag(start, start + player.some_way() / player.random.choice((1, 20)))


@gesture()
def cut_wires(player: Player) -> None:
    player.drag(player.anywhere(), player.anywhere(), CTRL, RIGHT)


@gesture(0.7)
def free_a_port(player: Player) -> None:
    boxes = list(player.view.scene().boxes.values())
    if boxes:
        box = player.random.choice(boxes)
        player.view.setFocus()
        player.click(player.random.choice((box.inlet, box.outlet)), ALT)


@gesture(1.5)
def write_a_condition(player: Player) -> None:
    """On the canvas, one after the other."""
    player.select(1, kinds=("direct", "switch", "multi_selection", "on_error"))
    tags = [
        tag.rect.center()
        for one in player.view.scene().edges.figures.values()
        for tag in one.tags
        if tag.number
    ]
    if tags and player.random.random() < 0.5:
        player.click(player.random.choice(tags), double=True)
    else:
        player.key(K.Key_W)
    for _ in range(player.random.randint(1, 3)):
        if player.view.conditions.field is None:
            break
        player.key(K.Key_A, CTRL)
        player.fill(player.random.choice(TEXTS))
        player.key(player.random.choice((K.Key_Return, K.Key_Tab, K.Key_Escape)))


@gesture()
def interrupt(player: Player) -> None:
    """In the middle of a drag a key is pressed, as hands do."""
    keys = (
        (K.Key_Escape, PLAIN),
        (K.Key_Z, CTRL),
        (K.Key_Delete, PLAIN),
        (K.Key_D, CTRL),
        (K.Key_Tab, PLAIN),
    )
    more = (
        (K.Key_V, CTRL),
        (K.Key_L, CTRL),
        (K.Key_S, CTRL),
        (K.Key_PageDown, PLAIN),
        (K.Key_J, PLAIN),
    )
    start = player.anywhere()
    key = player.random.choice((*keys, *more))
    player.drag_across(start, start + player.some_way(), lambda: player.key(*key))
    player.view.node_search.close()
