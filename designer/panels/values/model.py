"""A tree model over `Value`. It asks the host for children a page at a time, when the
user opens a row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt

from designer.qt.indexes import ROOT, AnyIndex
from runtime.debug.protocol import ExpandBody, Value

Mark = Literal["", "new", "changed", "removed", "moved"]
Done = Callable[[ExpandBody | None], None]
Expand = Callable[[str, tuple[int, ...], int, Done], None]
NodeRole = Qt.ItemDataRole.UserRole
PAGE = 200
PREVIEWED = 12  # items of a mapping or list in its row
PREVIEW_LENGTH = 160
_COUNT = re.compile(r"[\d,]+ items?")
_MAPPINGS = {
    "dict",
    "OrderedDict",
    "defaultdict",
    "Counter",
    "mappingproxy",
    "ChainMap",
}


class Node:
    """One row. `value` is None for a heading, and for the row "… more" that stands for
    children not yet sent.

    `section` and `path` (positions) name the value to the host; a section may end with
    @ and a checkpoint's id. `key` identifies a row among its siblings, `title` is shown
    instead of it, and `tail` is shown at the right end. `plain` is a text that needs no
    question to the host, such as a traceback. `holds` colours the tail of a condition:
    None is for no condition.
    """

    __slots__ = (
        "brief",
        "children",
        "gutter",
        "holds",
        "key",
        "mark",
        "more",
        "open",
        "parent",
        "path",
        "plain",
        "row",
        "section",
        "tail",
        "title",
        "value",
        "waiting",
    )

    def __init__(
        self,
        key: str,
        value: Value | None = None,
        *,
        section: str = "",
        path: tuple[int, ...] = (),
        title: str = "",
        tail: str = "",
        open: bool = False,
    ) -> None:
        self.key = key
        self.value = value
        self.section = section
        self.path = path
        self.title = title
        self.tail = tail
        self.open = open
        self.gutter = ""  # what the mark before the row says
        self.brief = False  # hides type and text where the title is enough
        self.plain: str | None = None
        self.holds: bool | None = None
        self.parent: Node | None = None
        self.children: list[Node] = []
        self.mark: Mark = ""
        self.more = False
        self.row = 0
        self.waiting = False
        if value is not None and value.children is not None:
            self.add(_children(self, value.children, 0))

    def add(self, children: Iterable[Node]) -> None:
        for child in children:
            child.parent = self
            child.row = len(self.children)
            self.children.append(child)

    @property
    def loaded(self) -> int:
        return len(self.children) - bool(self.children and self.children[-1].more)

    @property
    def count(self) -> int:
        """The number of children, sent or not."""
        return max(self.value.count if self.value is not None else 0, self.loaded)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys from the root to this node. They identify a row when another moment
        is shown.
        """
        return () if self.parent is None else (*self.parent.keys, self.key)

    def walk(self) -> Iterator[Node]:
        for child in self.children:
            yield child
            yield from child.walk()

    def python_path(self) -> str:
        """Return the Python expression for the value: `state['k'][0].name`."""
        if self.parent is None or self.parent.value is None or not self.path:
            return _section_path(self.section) or self.key
        step = _step(self.parent.value.type, self.key, self.path[-1])
        return self.parent.python_path() + step

    def python_text(self) -> str:
        """Return the value as Python would write it, as far as it was sent."""
        if self.value is None:
            return self.title or self.key
        if not self.children:
            return self.value.text
        sent = [child for child in self.children if not child.more]
        parts = [_part(self.value.type, child) for child in sent]
        left_out = self.value.count - len(parts)
        if left_out > 0:
            parts.append(f"… {left_out:,} more")
        opening, closing = _brackets(self.value.type)
        return f"{opening}{', '.join(parts)}{closing}"


def _children(
    parent: Node, values: Iterable[tuple[str, Value]], offset: int
) -> list[Node]:
    return [
        Node(key, value, section=parent.section, path=(*parent.path, offset + index))
        for index, (key, value) in enumerate(values)
    ]


def _section_path(section: str) -> str:
    kind, _, key = section.partition("@")[0].partition(":")
    if not key:
        return kind
    return f"{kind}s[{key}]" if key.isdecimal() else f"{kind}s[{key!r}]"


def _step(parent_type: str, key: str, position: int) -> str:
    if parent_type in _MAPPINGS:
        return f"[{key!r}]"
    return f"[{key}]" if key == str(position) else f".{key}"


def _part(parent_type: str, child: Node) -> str:
    if parent_type in _MAPPINGS:
        return f"{child.key!r}: {child.python_text()}"
    if child.key == str(child.path[-1]):
        return child.python_text()
    return f"{child.key}={child.python_text()}"


def _brackets(type_name: str) -> tuple[str, str]:
    known = {
        "list": ("[", "]"),
        "tuple": ("(", ")"),
        "set": ("{", "}"),
        **dict.fromkeys(_MAPPINGS, ("{", "}")),
    }
    return known.get(type_name, (f"{type_name}(", ")"))


def mark_changes(before_root: Node, after: Node) -> bool:
    """Mark each node that differs from an earlier tree. Return True if any node below
    `after` differs.

    Only nodes that were sent for both trees are compared.
    """
    before = {child.key: child for child in before_root.children if not child.more}
    all_sent = before_root.loaded >= before_root.count
    anything = before_root.loaded != after.loaded
    for child in after.children:
        if child.more:
            continue
        child.mark = ""
        earlier = before.get(child.key)
        if earlier is None:
            # When not all were sent, the child may have been there too.
            if all_sent:
                child.mark = "new"
        else:
            below = False
            if child.children and earlier.children:
                below = mark_changes(earlier, child)
            if below or _differs(earlier.value, child.value):
                child.mark = "changed"
        anything = anything or bool(child.mark)
    return anything


def removed(old: Node, new: Node) -> list[str]:
    """Return the names of nodes of an earlier tree that are missing in a later one, as
    far as both were sent.
    """
    children_now = {child.key: child for child in new.children}
    names = []
    for child in old.children:
        if child.more:
            continue
        later = children_now.get(child.key)
        if later is not None:
            if child.children and later.children:
                names += removed(child, later)
        elif new.loaded >= new.count:
            names.append(child.title or child.key)
    return names


def _differs(old: Value | None, new: Value | None) -> bool:
    if old is None or new is None:
        return False
    return (old.type, old.text, old.count) != (new.type, new.text, new.count)


class ValueModel(QAbstractItemModel):
    """Rows of `Node`s, headings and values. Missing children are requested through
    `expand`.
    """

    def __init__(self, expand: Expand, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._expand = expand
        self._ids: dict[int, Node] = {}
        self.root = Node("")

    def set_root(self, root: Node) -> None:
        self.beginResetModel()
        self.root = root
        self._ids = {}
        for node in (root, *root.walk()):
            self._offer_more(node)
        self.endResetModel()

    def node(self, index: AnyIndex) -> Node:
        return self._ids[index.internalId()] if index.isValid() else self.root

    def index_of(self, node: Node) -> QModelIndex:
        if node.parent is None:
            return QModelIndex()
        return self._create(node.row, node)

    def find(self, keys: tuple[str, ...]) -> Node | None:
        """Return the node with these keys from the root, if it was sent."""
        node = self.root
        for key in keys:
            for child in node.children:
                if child.key == key:
                    node = child
                    break
            else:
                return None
        return node

    def load(self, node: Node) -> None:
        """Request the next page of a node's children, unless a request is pending."""
        if node.waiting or node.value is None or node.loaded >= node.value.count:
            return
        node.waiting = True
        root = self.root
        self._expand(
            node.section,
            node.path,
            node.loaded,
            lambda body: self._on_page(root, node, body),
        )

    def ask(self, node: Node, offset: int, done: Done) -> None:
        """Request all that the host knows of a value, and its children from an offset
        on. The tree does not change.
        """
        if node.plain is not None:
            done(ExpandBody(children=(), count=0, text=node.plain))
        else:
            self._expand(node.section, node.path, offset, done)

    # --- QAbstractItemModel

    def index(self, row: int, column: int, parent: AnyIndex = ROOT) -> QModelIndex:
        children = self.node(parent).children
        if column == 0 and 0 <= row < len(children):
            return self._create(row, children[row])
        return QModelIndex()

    def parent(self, index: AnyIndex) -> QModelIndex:  # type: ignore[override]
        above = self.node(index).parent if index.isValid() else None
        return QModelIndex() if above is None else self.index_of(above)

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return len(self.node(parent).children)

    def columnCount(self, parent: AnyIndex = ROOT) -> int:
        return 1

    def hasChildren(self, parent: AnyIndex = ROOT) -> bool:
        node = self.node(parent)
        return bool(node.children) or node.count > 0

    def canFetchMore(self, parent: AnyIndex) -> bool:
        node = self.node(parent)
        return not node.children and node.count > 0 and not node.waiting

    def fetchMore(self, parent: AnyIndex) -> None:
        self.load(self.node(parent))

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        node = self.node(index)
        if role == NodeRole:
            return node
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return row_text(node)
        if role == Qt.ItemDataRole.ToolTipRole:
            return _tool_tip(node)
        return None

    # --- inside

    def _create(self, row: int, node: Node) -> QModelIndex:
        # The index holds a number and not the object, because Qt would not keep the
        # object alive: a stale index could then reach freed memory. `_ids` keeps it
        # alive.
        self._ids[id(node)] = node
        return self.createIndex(row, 0, id(node))

    def _on_page(self, root: Node, node: Node, body: ExpandBody | None) -> None:
        node.waiting = False
        if root is not self.root or body is None:
            return  # another moment is shown by now, or the host did not answer
        parent_index = self.index_of(node)
        if node.children and node.children[-1].more:
            last = len(node.children) - 1
            self.beginRemoveRows(parent_index, last, last)
            node.children.pop()
            self.endRemoveRows()
        page = _children(node, body.children, node.loaded)
        for child in page:
            self._offer_more(child)
        left_out = body.count - node.loaded - len(page)
        if left_out > 0 and page:
            page.append(_more(left_out))
        if page:
            self.beginInsertRows(
                parent_index, len(node.children), len(node.children) + len(page) - 1
            )
            node.add(page)
            self.endInsertRows()

    def _offer_more(self, node: Node) -> None:
        left_out = node.count - node.loaded
        if node.children and left_out > 0 and not node.children[-1].more:
            node.add([_more(left_out)])
        for child in node.children:
            if child.children:
                self._offer_more(child)


def _more(left_out: int) -> Node:
    node = Node("…", title=f"{left_out:,} more")
    node.more = True
    return node


def _tool_tip(node: Node) -> str | None:
    value = node.value
    if value is not None:
        name = node.title or node.key
        lines = (f"{name}: {value.type}", value.text, node.tail, node.gutter)
        return "\n".join(filter(None, lines))
    if node.tail:
        return f"{node.title}\n{node.tail}".strip()
    return None


def shown_text(value: Value) -> str:
    """Return the text of a value in its row: of a mapping or list that only counts its
    items also the first of them, as far as they were sent.
    """
    if not value.children or _COUNT.fullmatch(value.text) is None:
        return value.text
    is_mapping = value.type in _MAPPINGS
    parts = []
    for key, child in value.children[:PREVIEWED]:
        brief = f"{child.type}[{child.count}]" if child.count else child.text
        parts.append(f"{key}: {brief}" if is_mapping else brief)
    if value.count > len(parts):
        parts.append("…")
    opening, closing = _brackets(value.type)
    return f"{opening}{', '.join(parts)}{closing}"[:PREVIEW_LENGTH]


def row_text(node: Node) -> str:
    parts = [node.title or node.key]
    if node.value is not None:
        parts += [node.value.type, node.value.text]
    return "  ".join([*parts, node.tail, node.mark, node.gutter]).strip()
