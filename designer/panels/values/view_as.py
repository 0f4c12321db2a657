"""A value tree beside a viewer of one value: a table, a text, a picture, or a viewer of
an installed package.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMenu, QSplitter, QVBoxLayout, QWidget

from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.packages import PluginError, title_of
from designer.panels.values.built_in_viewers import (
    HostAnswer,
    make_viewer,
    shows_more,
    viewers_for,
)
from designer.panels.values.model import Node
from designer.panels.values.tree import ValueTree
from designer.panels.values.viewers import PACKAGED, Value, accepting, widget_of
from designer.panels.widgets.basic import ElidedLabel, Notice, hairline, icon_button
from designer.qt.layouts import column, put, row
from runtime.debug.protocol import ExpandBody

BUILT_IN = ("table", "text", "picture")
MOST = 10_000  # children that a viewer of a package gets, because more would take too long to send
LEAST = 120  # px, height of the viewer


class TreeAndViewer(QSplitter):
    """The tree is the upper or the left part, the viewer the other.

    The viewer shows the value at the same keys from one moment to the next. Escape, the
    cross, and "View as > Tree" close it; an error is shown in its place. With
    `automatic` it also follows the current row, when a viewer shows more of that value
    than the row does.
    """

    def __init__(
        self,
        tree: ValueTree,
        look: Look,
        orientation: Qt.Orientation = Qt.Orientation.Vertical,
    ) -> None:
        super().__init__(orientation)
        self._tree = tree
        self._look = look
        self._name = ""
        self._keys: tuple[str, ...] = ()
        self.automatic = False
        self._shown: Value | None = None
        self._request: object = None
        self.viewer: QWidget | None = None  # the widget of the viewer
        self._title = ElidedLabel("", "secondary")
        self.leave_button = icon_button(look, "x", "Back to the tree (Esc)", self.leave)
        self.notice = Notice(look)
        self._part = QWidget()
        if orientation is Qt.Orientation.Vertical:
            self._part.setMinimumHeight(LEAST)
        self._layout = self._build()
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)
        for part in (tree, self._part):
            self.addWidget(part)
        self._part.hide()
        tree.offer = self._offer
        for news in (tree.values.modelReset, tree.values.rowsInserted):
            news.connect(self._follow)
        tree.selectionModel().currentChanged.connect(self._on_current)

    def view(self, keys: tuple[str, ...], name: str) -> None:
        """Show the value at these keys in a viewer."""
        self._keys = keys
        self._name = name
        self._shown = None
        self._part.show()
        self._follow()

    def leave(self) -> None:
        """Close the viewer and go back to the tree."""
        self._close()
        self._tree.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._name:
            self.leave()
        else:
            super().keyPressEvent(event)

    # --- inside

    def _close(self) -> None:
        self._name = ""
        self._shown = None
        self._clear()
        self._part.hide()

    def _on_current(self, index: QModelIndex) -> None:
        if not self.automatic or not index.isValid():
            return
        node = self._tree.values.node(index)
        if node.keys == self._keys and self._name:
            return
        if node.plain is not None:
            self.view(node.keys, "text")
        elif node.value is not None and shows_more(node.value):
            self.view(node.keys, viewers_for(node.value)[-1])
        else:
            self._close()

    def _build(self) -> QVBoxLayout:
        layout = column(self._part)
        layout.addWidget(hairline())
        put(layout, row((self._title, 1), self.leave_button, margins=(12, 4, 8, 4)))
        layout.addWidget(self.notice, 1)
        return layout

    def _offer(self, menu: QMenu, node: Node) -> None:
        """Add the submenu "View as" to a row's menu. Packages are imported only when a
        menu opens, because that takes time.
        """
        if node.value is None:
            return
        built_in = viewers_for(node.value)
        names, problems = accepting(value_of(node)) if PACKAGED.names() else ([], [])
        if not built_in and not names and not problems:
            return
        submenu = menu.addMenu(themed_icon("eye", self._look), "View as")
        submenu.setToolTipsVisible(True)
        submenu.addAction("Tree", self.leave).setEnabled(bool(self._name))
        keys = node.keys
        for name in built_in:
            submenu.addAction(name.capitalize(), partial(self.view, keys, name))
        for name in names:
            submenu.addAction(
                title_of(name).capitalize(), partial(self.view, keys, name)
            )
        for problem in problems:
            action = submenu.addAction(problem)
            action.setToolTip(problem)
            action.setEnabled(False)

    def _follow(self) -> None:
        if not self._name:
            return
        node = self._tree.values.find(self._keys)
        if node is None or (node.value is None and node.plain is None):
            self._shown = None
            if self.automatic:
                self._close()
            else:
                self._say(
                    "eye", "Not there", "The value does not exist at this moment."
                )
            return
        if self._name in BUILT_IN:
            self._title.setText(node.title or node.key)
            self._ask(node)
            return
        assert node.value is not None  # noqa: S101 - only values have viewers of packages
        self._title.setText(f"{node.python_path()} as {title_of(self._name)}")
        if node.loaded < min(node.value.count, MOST):
            self._say("clock", "Reading the value…", "")
            self._tree.values.load(node)
        elif value_of(node) != self._shown:
            self._shown = value_of(node)
            self._show(self._shown)

    def _ask(self, node: Node) -> None:
        """Request the value as text, picture and rows, unless it is the value that is
        shown.
        """
        value = node.value
        if value is None:
            value = Value(type="str", text=node.plain or "")
        request = (self._keys, self._name, node.section, node.path, value)
        if request == self._request and self.viewer is not None:
            return
        self._request = request
        self._tree.values.ask(node, 0, partial(self._on_reply, request, node))

    def _on_reply(self, request: object, node: Node, body: ExpandBody | None) -> None:
        if request != self._request or self._name not in BUILT_IN:
            return  # another value is current by now
        viewer = None
        if body is not None:
            viewer = make_viewer(
                self._name,
                HostAnswer(body, partial(self._tree.values.ask, node)),
                self._look,
            )
        if viewer is not None:
            self._put(viewer)
        elif self.automatic:
            self._close()
        else:
            self._say(
                "eye", "Only a tree", f"This value cannot be shown as a {self._name}."
            )

    def _put(self, viewer: QWidget) -> None:
        self._clear()
        self.viewer = viewer
        self.notice.hide()
        self._layout.addWidget(viewer, 1)
        viewer.show()

    def _show(self, value: Value) -> None:
        try:
            viewer = widget_of(self._name, value, self._part)
        except PluginError as error:
            self._say("failed", "The viewer failed", str(error))
            return
        if viewer is None:
            self._say(
                "eye",
                "This viewer does not fit",
                f"'{title_of(self._name)}' does not accept this value.",
            )
            return
        self._put(viewer)

    def _say(self, icon: str, head: str, text: str) -> None:
        self._clear()
        self.notice.say(icon, head, text, ("Back to the tree", self.leave))
        self.notice.show()

    def _clear(self) -> None:
        if self.viewer is not None:
            self.viewer.setParent(None)
            self.viewer.deleteLater()
            self.viewer = None


def value_of(node: Node) -> Value:
    """Return the value of a row, with the children that were sent since."""
    assert node.value is not None  # noqa: S101 - headings are not offered
    if not node.children:
        return node.value
    children = tuple(
        (child.key, value_of(child))
        for child in node.children
        if child.value is not None
    )
    return node.value.model_copy(update={"children": children})
