"""A tree model over `Value`: children are asked for when somebody looks at them, a page at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt

from designer.qt.indexes import ROOT, AnyIndex
from runtime.debug.protocol import ExpandBody, Value

Mark = Literal["", "new", "changed", "removed"]
Done = Callable[[ExpandBody | None], None]
Expand = Callable[[str, tuple[int, ...], int, Done], None]
NodeRole = Qt.ItemDataRole.UserRole
PAGE = 200
_MAPPINGS = {
    "dict",
    "OrderedDict",
    "defaultdict",
    "Counter",
    "mappingproxy",
    "ChainMap",
}


class Node:
    """One row. `value` is None for a heading and for the row that stands for children not yet sent.

    `section` and `path` (positions) are how the host is asked for children; `key` tells siblings apart, `title` is
    what people read instead of it, and `tail` stands at the right end of the row. A section may name its checkpoint
    after an @. `plain` is a text that is known here, and that no host need be asked for.
    """

    __slots__ = (
        "brief",
        "children",
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
        self.brief = False  # without type and text: the title says enough
        self.plain: str | None = None
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
        """How many children there are, sent or not."""
        return max(self.value.count if self.value is not None else 0, self.loaded)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys from the root to here: what a row is remembered by when another moment is shown."""
        return () if self.parent is None else (*self.parent.keys, self.key)

    def walk(self) -> Iterator[Node]:
        for child in self.children:
            yield child
            yield from child.walk()

    def python_path(self) -> str:
        """How Python would reach the value: `state['k'][0].name`."""
        if self.parent is None or self.parent.value is None or not self.path:
            return _section_path(self.section) or self.key
        return self.parent.python_path() + _step(
            self.parent.value.type, self.key, self.path[-1]
        )

    def python_text(self) -> str:
        """The value as far as it was sent, in the notation of Python."""
        if self.value is None:
            return self.title or self.key
        if not self.children:
            return self.value.text
        parts = [
            _part(self.value.type, child) for child in self.children if not child.more
        ]
        left_out = self.value.count - len(parts)
        parts += [f"… {left_out:,} more"] if left_out > 0 else []
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
    kind, _, which = section.partition("@")[0].partition(":")
    return f"{kind}s[{which if which.isdecimal() else repr(which)}]" if which else kind


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
    """Mark what differs from an earlier tree, as far as both were sent. True if anything below `new` differs."""
    before = {child.key: child for child in before_root.children if not child.more}
    all_sent = before_root.loaded >= before_root.count
    anything = before_root.loaded != after.loaded
    for child in after.children:
        if child.more:
            continue
        earlier = before.get(child.key)
        if earlier is None:
            child.mark = "new" if all_sent else ""
        else:
            if child.children and earlier.children:
                below = mark_changes(earlier, child)
            else:
                below = False
            if below or _differs(earlier.value, child.value):
                child.mark = "changed"
            else:
                child.mark = ""
        anything = anything or bool(child.mark)
    return anything


def removed(old: Node, new: Node) -> list[str]:
    """The names of what an earlier tree had and another has not, as far as both were sent."""
    children_now = {child.key: child for child in new.children}
    names = []
    for child in old.children:
        if child.more:
            continue
        if child.key in children_now:
            names += (
                removed(child, children_now[child.key])
                if child.children and children_now[child.key].children
                else []
            )
        elif new.loaded >= new.count:
            names.append(child.title or child.key)
    return names


def _differs(old: Value | None, new: Value | None) -> bool:
    if old is None or new is None:
        return False
    return (old.type, old.text, old.count) != (new.type, new.text, new.count)


class ValueModel(QAbstractItemModel):
    """Rows of `Node`s. Headings and values may be mixed; what is missing is asked for through `expand`."""

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
        """The node with these keys from the root, if it is there and was sent."""
        node: Node | None = self.root
        for key in keys:
            if node is not None:
                node = next(
                    (child for child in node.children if child.key == key), None
                )
            else:
                node = None
        return node

    def load(self, node: Node) -> None:
        """Ask for the next page of a node's children, unless that is under way."""
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
        """What the host has to say of a value, and its children from an offset on; the tree stays as it is."""
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
        if role == Qt.ItemDataRole.ToolTipRole and (
            node.value is not None or node.tail
        ):
            value = node.value
            if value is not None:
                first = f"{node.title or node.key}: {value.type}\n{value.text}"
            else:
                first = node.title
            return f"{first}\n{node.tail}".strip()
        return None

    # --- inside

    def _create(self, row: int, node: Node) -> QModelIndex:
        # Qt keeps a number, never the object: a stale index can then not reach freed memory.
        self._ids[id(node)] = node
        return self.createIndex(row, 0, id(node))

    def _on_page(self, root: Node, node: Node, body: ExpandBody | None) -> None:
        node.waiting = False
        if root is not self.root or body is None:
            return  # another moment is shown by now
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


def row_text(node: Node) -> str:
    parts = [node.title or node.key]
    if node.value is not None:
        parts += [node.value.type, node.value.text]
    return "  ".join([*parts, node.tail, node.mark]).strip()
