"""The undo steps of a document. Each holds the designs before and after it, so that no
edit needs an inverse, and none can have a wrong one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple
from weakref import WeakMethod

from PySide6.QtGui import QUndoCommand

from designer.model import inside
from designer.model.design import Design
from designer.model.diff import diff
from designer.model.inside import Way

_MERGING = 1
Ids = frozenset[str]


class View(NamedTuple):
    """The whole document, the way to the level that is shown, and the drawing there."""

    root: Design
    way: Way
    shown: Design


def looking(root: Design, way: Way) -> View:
    """Return a view of a document at a level, or as far as the way leads in it."""
    way = inside.reach(root, way)
    return View(root, way, inside.at(root, way))


_Show = Callable[[View, Ids | None], tuple[Way, Ids]]


class Step(QUndoCommand):
    """One step: the views before and after it. Consecutive steps with one merge key
    become one, as while typing.
    """

    def __init__(
        self, text: str, before: View, after: View, merge: str, chosen: Ids, show: _Show
    ) -> None:
        super().__init__(text)
        self.before = before
        self.after = after
        self.merge = merge
        # The selection before the step, and the one when it was undone; both come back
        # with it.
        self.chosen: tuple[Ids, Ids | None] = chosen, None
        # Weak, because the document owns the stack: in a reference cycle, a closed
        # document and all designs of its steps would stay until the garbage collector
        # runs.
        self._weak_show = WeakMethod(show)

    def redo(self) -> None:
        show = self._weak_show()
        if show is not None:
            show(self.after, self.chosen[1])

    def undo(self) -> None:
        show = self._weak_show()
        if show is not None:
            way, chosen = show(self.before, self.chosen[0])
            self.chosen = self.chosen[0], chosen if way == self.after.way else None

    def id(self) -> int:
        return _MERGING if self.merge else -1

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, Step) or (other.merge, other.after.way) != (
            self.merge,
            self.after.way,
        ):
            return False
        self.after = other.after
        self.setText(other.text())
        self.setObsolete(not diff(self.before.shown, self.after.shown))
        return True
