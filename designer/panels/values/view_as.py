"""A value tree, and below it another face of a value: a table, a text, a picture, or what a package brings."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMenu, QSplitter, QVBoxLayout, QWidget

from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.packages import PluginError, title_of
from designer.panels.values.faces import Asked, face_of, is_worth_it, may_be
from designer.panels.values.model import Node
from designer.panels.values.tree import ValueTree
from designer.panels.values.viewers import PACKAGED, Value, accepting, widget_of
from designer.panels.widgets.basic import ElidedLabel, Notice, hairline, icon_button
from designer.qt.layouts import column, put, row
from runtime.debug.protocol import ExpandBody

FACES = ("table", "text", "picture")
MOST = 10_000  # children that are asked for; a viewer of more gets these
LEAST = 120  # px


class Viewing(QSplitter):
    """The tree keeps the upper part, or the left one. The viewer follows the value at its place from one moment to the
    next; Escape, the cross, and "View as > Tree" leave it, and what fails is said in its place.

    With `by_itself` it also follows the row that one goes to, where that has a face that says more than its row.
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
        self.by_itself = False
        self._shown: Value | None = None
        self._asked_of: object = None
        self.made: QWidget | None = None  # what the viewer has made
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
        """Show the value at these keys by a viewer of a package."""
        self._keys = keys
        self._name = name
        self._shown = None
        self._part.show()
        self._follow()

    def leave(self) -> None:
        """Only the tree again."""
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
        if not self.by_itself or not index.isValid():
            return
        node = self._tree.values.node(index)
        if node.keys == self._keys and self._name:
            return
        if node.plain is not None:
            self.view(node.keys, "text")
        elif node.value is not None and is_worth_it(node.value):
            self.view(node.keys, may_be(node.value)[-1])
        else:
            self._close()

    def _build(self) -> QVBoxLayout:
        layout = column(self._part)
        layout.addWidget(hairline())
        put(layout, row((self._title, 1), self.leave_button, margins=(12, 4, 8, 4)))
        layout.addWidget(self.notice, 1)
        return layout

    def _offer(self, menu: QMenu, node: Node) -> None:
        """The submenu of a row's menu. Nothing of a package is imported before somebody opens one."""
        if node.value is None:
            return
        faces = may_be(node.value)
        names, problems = accepting(value_of(node)) if PACKAGED.names() else ([], [])
        if not faces and not names and not problems:
            return
        ways = menu.addMenu(themed_icon("eye", self._look), "View as")
        ways.setToolTipsVisible(True)
        ways.addAction("Tree", self.leave).setEnabled(bool(self._name))
        keys = node.keys
        for name in faces:
            ways.addAction(name.capitalize(), partial(self.view, keys, name))
        for name in names:
            ways.addAction(title_of(name).capitalize(), partial(self.view, keys, name))
        for problem in problems:
            action = ways.addAction(problem)
            action.setToolTip(problem)
            action.setEnabled(False)

    def _follow(self) -> None:
        if not self._name:
            return
        node = self._tree.values.find(self._keys)
        if node is None or (node.value is None and node.plain is None):
            self._shown = None
            if self.by_itself:
                self._close()
            else:
                self._say("eye", "Not there", "At this moment there is no such value.")
            return
        if self._name in FACES:
            self._title.setText(node.title or node.key)
            self._ask(node)
            return
        assert node.value is not None  # noqa: S101 - a text that is known here has no viewer of a package
        self._title.setText(f"{node.python_path()} as {title_of(self._name)}")
        if node.loaded < min(node.value.count, MOST):
            self._say("clock", "Reading the value…", "")
            self._tree.values.load(node)
        elif value_of(node) != self._shown:
            self._shown = value_of(node)
            self._show(self._shown)

    def _ask(self, node: Node) -> None:
        """Get the value as text, picture and rows; the same one is not asked for again."""
        if node.value is not None:
            value = node.value
        else:
            value = Value(type="str", text=node.plain or "")
        asked_of = (self._keys, self._name, node.section, node.path, value)
        if asked_of == self._asked_of and self.made is not None:
            return
        self._asked_of = asked_of
        self._tree.values.ask(node, 0, partial(self._on_face, asked_of, node))

    def _on_face(self, asked_of: object, node: Node, body: ExpandBody | None) -> None:
        if asked_of != self._asked_of or self._name not in FACES:
            return  # another value is looked at by now
        face = None
        if body is not None:
            face = face_of(
                self._name,
                Asked(body, partial(self._tree.values.ask, node)),
                self._look,
            )
        if face is not None:
            self._put(face)
        elif self.by_itself:
            self._close()
        else:
            self._say(
                "eye", "Only a tree", f"This value cannot be shown as a {self._name}."
            )

    def _put(self, face: QWidget) -> None:
        self._clear()
        self.made = face
        self.notice.hide()
        self._layout.addWidget(face, 1)
        face.show()

    def _show(self, value: Value) -> None:
        try:
            face = widget_of(self._name, value, self._part)
        except PluginError as error:
            self._say("failed", "It cannot be shown so", str(error))
            return
        if face is None:
            self._say(
                "eye",
                "Another way fits better",
                f"'{title_of(self._name)}' does not show such a value.",
            )
            return
        self._put(face)

    def _say(self, icon: str, head: str, text: str) -> None:
        self._clear()
        self.notice.say(icon, head, text, ("Back to the tree", self.leave))
        self.notice.show()

    def _clear(self) -> None:
        if self.made is not None:
            self.made.setParent(None)
            self.made.deleteLater()
            self.made = None


def value_of(node: Node) -> Value:
    """The value of a row, with the children that have been sent since."""
    assert node.value is not None  # noqa: S101 - headings are not offered
    if not node.children:
        return node.value
    children = tuple(
        (child.key, value_of(child))
        for child in node.children
        if child.value is not None
    )
    return node.value.model_copy(update={"children": children})
