"""What can be pressed: buttons, entries of menus and choices, tabs, context menus of
what is drawn and listed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QMenu,
    QPushButton,
    QScrollArea,
    QTabBar,
    QToolButton,
    QWidget,
)

from designer.canvas.drawing.figures import Figure
from designer.canvas.view import CanvasView
from designer.panels.board.view import BoardView
from designer.panels.timeline.strip import TimelineStrip
from designer.shell.window import Window

LEFT = Qt.MouseButton.LeftButton
# of a scratch folder, which is another one for each window
_FOLDERS = re.compile(r"/\S*/")
_KEYS = re.compile(r"\([^()]*\)")
CANVAS = "context on the canvas of"
Where = Callable[[], QPoint | None]
SHORTEST_REASON = 12  # letters: "Nothing here."


@dataclass(frozen=True)
class Control:
    """Something that can be pressed. `key` names it, the same in each window that is
    built alike; `own` is the widget whose looks are no effect; `why` is what it says
    while it is disabled; `chosen` that it is on already.
    """

    key: str
    press: Callable[[], object]
    own: QWidget | None = None
    enabled: bool = True
    why: str = ""
    chosen: bool = False

    @property
    def says_why(self) -> bool:
        return len(self.why) >= SHORTEST_REASON


# a context menu is opened to know what is in it, so only those that are wanted are
Wanted = Callable[[str], bool]


def controls(
    window: Window, contexts: Wanted = lambda _key: True
) -> dict[str, Control]:
    """All that can be pressed now, by key. Two that look alike are numbered."""
    counts: Counter[str] = Counter()
    found: dict[str, Control] = {}
    for control in _all(window, contexts):
        counts[control.key] += 1
        number = f" #{counts[control.key]}" if counts[control.key] > 1 else ""
        found[control.key + number] = control
    return found


def control(window: Window, key: str) -> Control | None:
    """The one with a key, if it is there."""
    return controls(window, lambda context: key.startswith(f"{context} >")).get(key)


def _all(window: Window, contexts: Wanted) -> Iterator[Control]:
    for action in window.menuBar().actions():
        menu = action.menu()
        if isinstance(menu, QMenu):
            yield from _entries(f"menu {action.text()}", menu)
    for widget in window.findChildren(QWidget):
        if widget.isVisible() and widget.window() is window:
            yield from _of(widget)
            for context, where in _places(widget):
                if contexts(context):
                    yield from _context(context, widget, where)


def _of(widget: QWidget) -> Iterator[Control]:
    if isinstance(widget, QAbstractButton):
        yield from _button(widget)
    elif isinstance(widget, QComboBox):
        yield from _choices(widget)
    elif isinstance(widget, QTabBar):
        yield from _tabs(widget)


def _places(widget: QWidget) -> Iterator[tuple[str, Where]]:
    """Where a right click is tried, by name."""
    if isinstance(widget, CanvasView):
        for name, place in _drawn(widget).items():
            yield f"{CANVAS} {name}", lambda place=place: widget.mapFromScene(place)
    elif isinstance(widget, TimelineStrip):
        yield "context of the timeline", lambda: _first_mark(widget)
        yield "context of a branch", lambda: QPoint(60, 60)
    elif isinstance(widget, BoardView):
        yield "context of the board", lambda: QPoint(widget.gutter + 80, 80)
    elif isinstance(widget, QAbstractItemView):
        yield f"context of {_path(widget)}", lambda: _first_row(widget)


def _button(button: QAbstractButton) -> Iterator[Control]:
    menu = button.menu() if isinstance(button, QPushButton | QToolButton) else None
    name = button.text() or button.accessibleName() or button.toolTip()
    key = f"button {_path(button)} {name}"
    if isinstance(menu, QMenu) and button.isEnabled():
        yield from _entries(key, menu)
        return
    action = button.defaultAction() if isinstance(button, QToolButton) else None
    why = _reason(button.text() or button.accessibleName(), *_tips(button))
    chosen = button.isChecked() and (button.autoExclusive() or action is not None)
    yield Control(key, lambda: _click(button), button, button.isEnabled(), why, chosen)


def _click(button: QAbstractButton) -> None:
    bring_into_view(button)
    QTest.mouseClick(button, LEFT)


def bring_into_view(widget: QWidget) -> None:
    parent = widget.parentWidget()
    while parent is not None:
        if isinstance(parent, QScrollArea):
            parent.ensureWidgetVisible(widget)
        parent = parent.parentWidget()


def _entries(key: str, menu: QMenu) -> Iterator[Control]:
    menu.aboutToShow.emit()
    for action in menu.actions():
        inner = action.menu()
        if isinstance(inner, QMenu):
            yield from _entries(f"{key} > {action.text()}", inner)
        elif not action.isSeparator():
            yield _entry(key, action, action.trigger)


def _entry(key: str, action: QAction, press: Callable[[], object]) -> Control:
    text = _FOLDERS.sub("", action.text().split("\t")[0])
    why = _reason(text, action.toolTip(), action.statusTip())
    return Control(
        f"{key} > {text}", press, None, action.isEnabled(), why, action.isChecked()
    )


def _tips(widget: QWidget) -> Iterator[str]:
    """What a pointer over it brings: its tip, or that of what it stands in."""
    part: QWidget | None = widget
    while part is not None and not part.toolTip():
        part = part.parentWidget()
    yield part.toolTip() if part is not None else ""
    yield widget.statusTip()


def _reason(name: str, *tips: str) -> str:
    """What tips say beyond the name and the keys."""
    for tip in tips:
        plain = _KEYS.sub("", tip)
        for known in (name.rstrip("…"), _KEYS.sub("", name).rstrip("… ")):
            plain = plain.replace(known, "") if known else plain
        if plain.strip(" :.…"):
            return plain.strip(" :")
    return ""


def _choices(combo: QComboBox) -> Iterator[Control]:
    key = f"choice {_path(combo)} {combo.accessibleName()}"
    if not combo.isEnabled():
        yield Control(
            key,
            combo.showPopup,
            combo,
            False,
            _reason(combo.accessibleName(), *_tips(combo)),
        )
        return
    for index in range(combo.count()):
        if combo.itemText(index):
            press = _chooser(combo, index)
            yield Control(
                f"{key} > {combo.itemText(index)}",
                press,
                combo,
                chosen=index == combo.currentIndex(),
            )


def _chooser(combo: QComboBox, index: int) -> Callable[[], None]:
    def choose() -> None:
        bring_into_view(combo)
        combo.showPopup()
        view = combo.view()
        at = combo.model().index(index, combo.modelColumn())
        view.scrollTo(at)
        QTest.mouseMove(view.viewport(), view.visualRect(at).center())
        view.setCurrentIndex(at)
        QTest.keyClick(view, Qt.Key.Key_Return)

    return choose


def _tabs(bar: QTabBar) -> Iterator[Control]:
    for index in range(bar.count()):
        at = bar.tabRect(index).center()
        name = bar.tabText(index) or bar.accessibleTabName(index)
        press = _presser(bar, at)
        yield Control(
            f"tab {_path(bar)} {name}",
            press,
            bar,
            bar.isTabEnabled(index),
            "",
            index == bar.currentIndex(),
        )


def _presser(widget: QWidget, at: QPoint) -> Callable[[], None]:
    return lambda: QTest.mouseClick(widget, LEFT, Qt.KeyboardModifier.NoModifier, at)


# --- context menus


def _drawn(view: CanvasView) -> dict[str, QPointF]:
    """One of each kind of thing that is drawn, and the ground."""
    scene = view.scene()
    places: dict[str, QPointF] = {}
    for key in scene.nodes:
        places.setdefault("a node", scene.boxes[key].rect.center())
    for key, figure in scene.edges.figures.items():
        kind = scene.topology.edges[key].kind if key in scene.topology.edges else "edge"
        middle = next(
            (place for place in _middles(figure) if view.thing_at(place) == key), None
        )
        if middle is not None:
            places.setdefault(f"an edge, {kind}", middle)
    for frame in scene.backdrop.frames.values():
        corners = [
            QPointF(frame.rect[0] + 8 + 8 * step, frame.rect[1] + 8)
            for step in range(20)
        ]
        place = next(
            (corner for corner in corners if view.thing_at(corner) == frame.id), None
        )
        if place is not None:
            places.setdefault(f"a {frame.kind}", place)
    places["the ground"] = view.mapToScene(QPoint(8, view.height() // 2))
    return places


def _middles(figure: Figure) -> Iterator[QPointF]:
    for segment in figure.segments:
        yield segment.center()
    for wire in figure.wires:
        yield from (wire.path.pointAtPercent(share) for share in (0.5, 0.3, 0.7))


def _first_row(view: QAbstractItemView) -> QPoint | None:
    model = view.model()
    if model is None or model.rowCount() == 0:
        return None
    return view.visualRect(model.index(0, 0)).center()


def _first_mark(strip: TimelineStrip) -> QPoint | None:
    viewport = strip.viewport()
    for x in range(0, viewport.width(), 6):
        for y in range(20, viewport.height(), 6):
            if strip.row_at(QPoint(x, y)) is not None:
                return QPoint(x, y)
    return None


def _context(key: str, widget: QWidget, where: Where) -> Iterator[Control]:
    menu = open_context(widget, where())
    if menu is None:
        return
    entries = [action for action in _flat(menu) if not action.isSeparator()]
    found = [_entry(key, action, lambda: None) for action in entries]
    menu.close()
    for at, entry in enumerate(found):
        yield Control(
            entry.key,
            _context_presser(widget, where, at),
            None,
            entry.enabled,
            entry.why,
            entry.chosen,
        )


def _context_presser(widget: QWidget, where: Where, at: int) -> Callable[[], None]:
    def press() -> None:
        menu = open_context(widget, where())
        assert menu is not None, "the menu opened before, and does not any more"
        actions = [action for action in _flat(menu) if not action.isSeparator()]
        action = actions[at]
        menu.hide()  # as Qt does: the menu goes, then the entry acts
        action.trigger()
        menu.close()

    return press


def _flat(menu: QMenu) -> Iterator[QAction]:
    for action in menu.actions():
        inner = action.menu()
        if isinstance(inner, QMenu):
            yield from _flat(inner)
        else:
            yield action


def open_context(widget: QWidget, at: QPoint | None) -> QMenu | None:
    """The menu that a right click there brings; None for none."""
    if at is None:
        return None
    target = widget.viewport() if hasattr(widget, "viewport") else widget
    event = QContextMenuEvent(
        QContextMenuEvent.Reason.Mouse, at, target.mapToGlobal(at)
    )
    QApplication.sendEvent(target, event)
    popup = QApplication.activePopupWidget()
    return popup if isinstance(popup, QMenu) else None


def _path(widget: QWidget) -> str:
    """The classes of our own that it stands in, from the outside."""
    names: list[str] = []
    part = widget.parentWidget()
    while part is not None and not part.isWindow():
        name = type(part).__name__
        if not name.startswith("Q"):
            names.append(name)
        part = part.parentWidget()
    return "/".join(reversed(names))
