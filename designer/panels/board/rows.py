"""The rows of the board: a branch, its executors, and under a sub-workflow its
invocations with their own executors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from designer.panels.board.columns import Column, owners_of
from designer.panels.board.outline import OutlineNode, outline
from runtime.debug.protocol import parted
from runtime.document.definition import NodeInfo

BRANCH_HEIGHT = 26
ROW_HEIGHT = 30
NESTED_HEIGHT = 26

RowKind = Literal["branch", "executor", "invocation"]


@dataclass(frozen=True, slots=True)
class Row:
    """A row. `name` is that of a cell or a group in `Column`; "" for a branch.
    `is_open` is None for a row that cannot be folded.
    """

    lane: int
    kind: RowKind
    name: str
    title: str
    icon: str
    depth: int = 0
    is_open: bool | None = None

    @property
    def key(self) -> tuple[int, str]:
        return self.lane, self.name

    @property
    def height(self) -> int:
        if self.kind == "branch":
            return BRANCH_HEIGHT
        return NESTED_HEIGHT if self.depth else ROW_HEIGHT


class Rows:
    """Makes the rows. It learns from columns which executors and invocations there are
    beside those of the definition.
    """

    def __init__(self) -> None:
        self.definition: Mapping[str, Any] = {}
        self.infos: Mapping[str, NodeInfo] = {}
        # Rows that the user opened or closed, by their keys.
        self._chosen: dict[tuple[int, str], bool] = {}
        # Executors by lane, in the order in which they were met.
        self._met: dict[int, dict[str, None]] = {}
        # Invocations by lane and by the name of their node.
        self._invocations: dict[int, dict[str, dict[str, None]]] = {}

    def forget(self) -> None:
        self._chosen.clear()
        self._met.clear()
        self._invocations.clear()

    def learn(self, lane: int, column: Column) -> bool:
        """Take the names in a column; return whether there are new ones."""
        met = self._met.setdefault(lane, {})
        new = [name for name in (*column.cells, *column.held) if name not in met]
        invocations = self._invocations.setdefault(lane, {})
        for name in new:
            met[name] = None
            for node, invocation in owners_of(name):
                invocations.setdefault(node, {})[invocation] = None
        return bool(new)

    def toggle(self, row: Row) -> None:
        if row.is_open is not None:
            self._chosen[row.key] = not row.is_open

    def is_open(self, lane: int, name: str, otherwise: bool) -> bool:
        return self._chosen.get((lane, name), otherwise)

    def make(self, branches: Sequence[str], current: int) -> list[Row]:
        """Return the rows; `branches` has the names of the lanes, and only the
        `current` one is open unless the user opened others.
        """
        rows: list[Row] = []
        for lane, branch in enumerate(branches):
            is_open = self.is_open(lane, "", lane == current)
            rows.append(Row(lane, "branch", "", branch, "branch", 0, is_open))
            if is_open:
                rows += self._executors(lane, "", self.definition, 0)
        return rows

    def _executors(
        self, lane: int, prefix: str, definition: Mapping[str, Any], depth: int
    ) -> Iterator[Row]:
        nodes = list(outline(definition, self.infos))
        known = {node.id for node in nodes}
        for name in self._names_in(lane, prefix):
            if name not in known:
                known.add(name)
                nodes.append(OutlineNode(name, name, "box", False, {}))
        for node in nodes:
            yield from self._executor(lane, prefix, node, depth)

    def _executor(
        self, lane: int, prefix: str, node: OutlineNode, depth: int
    ) -> Iterator[Row]:
        name = prefix + node.id
        invocations = self._invocations.get(lane, {}).get(name, {})
        if not invocations and not node.is_sub_workflow:
            yield Row(lane, "executor", name, node.title, node.icon, depth)
            return
        is_open = self.is_open(lane, name, False)
        shown = is_open if invocations else None
        yield Row(lane, "executor", name, node.title, node.icon, depth, shown)
        if not shown:
            return
        for path in sorted(invocations, key=_number):
            number = _number(path)
            opened = self.is_open(lane, path, len(invocations) == 1)
            title = f"invocation {number}"
            yield Row(lane, "invocation", path, title, "sub", depth + 1, opened)
            if opened:
                yield from self._executors(lane, f"{path}/", node.inside, depth + 2)

    def _names_in(self, lane: int, prefix: str) -> Iterable[str]:
        """Yield the executors right below a prefix that were met."""
        keys = tuple(filter(None, prefix.split("/")))
        for name in self._met.get(lane, ()):
            way, executor = parted(name)
            if way == keys:
                yield executor
            elif way[: len(keys)] == keys:
                yield way[len(keys)].rpartition("#")[0]


def _number(path: str) -> int:
    number = path.rpartition("#")[2]
    return int(number) if number.isdecimal() else 0
