"""The verbs of the canvas: what keys, menus and gestures do to the document. Each is one undo step.

An `EditError` is never lost: it is told on the canvas, and the document stays as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QGuiApplication

from designer.canvas.geometry import NODE_H, NODE_W
from designer.model import edits, usage
from designer.model.collapse import collapse
from designer.model.design import Design, Position
from designer.model.expand import expand
from designer.model.inside import is_sub_workflow

if TYPE_CHECKING:
    from designer.canvas.view import CanvasView

SNAP = 8
OFFSET, STACK = 24, 100
_READ_ONLY = "This is a run, and read-only. Go back to editing to change the workflow."


class Commands:
    """`view` lends the selection, the scene, and the place where things go."""

    def __init__(self, view: CanvasView) -> None:
        self.view = view

    @property
    def design(self) -> Design:
        return self.view.document.design

    def edit(self, text: str, change: Callable[[Design], Design], *, merge: str = "") -> bool:
        """Apply one edit. False, with the reason told, when it was refused."""
        if not self.view.editable:
            self.view.tell(_READ_ONLY)
            return False
        try:
            new = change(self.design)
        except edits.EditError as error:
            self.view.tell(str(error))
            self.view.canvas.end_preview()
            return False
        if new is not self.design:
            self.view.document.apply(text, new, merge=merge)
        return True

    # --- nodes --------------------------------------------------------------------------------------------------

    def add_node(
        self,
        type: str,
        at: QPointF | None = None,
        *,
        wired: Sequence[str] = (),
        side: str = "out",
        free: bool = False,
    ) -> str:
        """A new node, selected; with `wired`, connected to those nodes in the same step. Answers its id, or nothing.

        Without a place, or with `free`, it stands where it covers no node.
        """
        info = self.view.session.infos.get(type)
        if at is None:
            at, free = self.view.add_place(), True
        place = self._place(type, at, wired, side, free=free)
        made: list[str] = []

        def change(design: Design) -> Design:
            design, node = edits.add_node(design, type, place, name=info.title if info else "")
            made.append(node)
            return self._wired(design, wired, node, side)

        if not self.edit(f"Add {info.title if info else type}", change):
            return ""
        usage.used(type)
        self._show_made(made[-1:])
        return made[-1]

    def _show_made(self, made: Collection[str]) -> None:
        self.view.select(frozenset(made))
        self.view.camera.reveal(self.view.canvas.drawing_rect(made))

    def _place(self, type: str, at: QPointF, wired: Sequence[str], side: str, *, free: bool) -> Position:
        info = self.view.session.infos.get(type)
        width, height = (44.0, 44.0) if info is not None and info.figure == "diamond" else (NODE_W, NODE_H)
        if free:
            return self._free(at - QPointF(width / 2, height / 2), width, height)
        if wired:  # the pointer is where the wire's end was, and that is the new port
            return _on_grid(at.x() if side == "out" else at.x() - width, at.y() - height / 2)
        return _on_grid(at.x() - width / 2, at.y() - height / 2)

    def _free(self, corner: QPointF, width: float, height: float) -> Position:
        """The first place from here downwards that covers no node."""
        scene = self.view.canvas
        rect = QRectF(corner.x(), corner.y(), width, height)
        for _ in range(200):
            hit = [box.rect for box in scene.boxes.values() if box.rect.adjusted(-12, -12, 12, 12).intersects(rect)]
            if not hit:
                break
            rect.moveTop(max(other.bottom() for other in hit) + 28)
        return _on_grid(rect.x(), rect.y())

    def move(self, positions: Mapping[str, Position], *, text: str = "", merge: str = "") -> bool:
        words = text or f"Move {_count(len(positions), 'node')}"
        return self.edit(words, lambda design: edits.move(design, positions), merge=merge)

    def nudge(self, dx: float, dy: float) -> None:
        boxes = self.view.canvas.boxes
        chosen = [key for key in self.view.order if key in boxes]
        places = {key: (boxes[key].rect.x() + dx, boxes[key].rect.y() + dy) for key in chosen}
        if places:
            self.move(places, merge="nudge " + " ".join(sorted(places)))

    def delete(self) -> None:
        chosen = self.view.selection
        if chosen:
            what = _count(len(chosen), "thing") if len(chosen) > 1 else "selection"
            self.edit(f"Delete {what}", lambda design: edits.remove(design, chosen))

    def set_start(self, node: str) -> None:
        self.edit("Set the start", lambda design: edits.set_start(design, node))

    # --- sub-workflows --------------------------------------------------------------------------------------------

    def collapse(self) -> None:
        """The selected nodes become a sub-workflow."""
        chosen, made = self.view.chosen_nodes(), [""]

        def change(design: Design) -> Design:
            design, made[0] = collapse(design, chosen)
            return design

        if self.edit("Collapse into a sub-workflow", change):
            self._show_made(made)

    def expand(self, node: str = "") -> None:
        """A sub-workflow becomes the nodes inside it."""
        sub = node or next(iter(self.view.chosen_nodes()), "")
        made: list[str] = []

        def change(design: Design) -> Design:
            design, nodes = expand(design, sub)
            made.extend(nodes)
            return design

        if self.edit("Expand the sub-workflow", change):
            self._show_made(made)

    def collapse_or_expand(self) -> None:
        """One key for both: a sub-workflow that is selected alone is expanded."""
        chosen = self.view.chosen_nodes()
        if len(chosen) == 1 and is_sub_workflow(self.design, chosen[0]):
            self.expand(chosen[0])
        else:
            self.collapse()

    def go_in(self) -> None:
        """Into the sub-workflow that was selected last."""
        chosen = self.view.chosen_nodes()
        if chosen and is_sub_workflow(self.view.canvas.design, chosen[-1]):
            self.view.node_activated.emit(chosen[-1])
        else:
            self.view.tell("Select a sub-workflow to go into it.")

    def go_out(self) -> None:
        self.view.document.leave()

    # --- edges --------------------------------------------------------------------------------------------------

    def connect(self, sources: Sequence[str], target: str) -> None:
        """A plain edge from one source, from a diamond one more way of its switch; a join of several sources."""
        words = "Connect" if len(sources) == 1 else "Join"
        done = self.edit(words, lambda design: self._wired(design, sources, target, "out"))
        if done and len(sources) == 1 and self._is_switch(self.design, sources[0]):
            self.view.select(frozenset(sources))  # its cases, where the condition of the new one has to be written

    def _wired(self, design: Design, others: Sequence[str], node: str, side: str) -> Design:
        if not others:
            return design
        if len(others) > 1:
            return edits.connect_join(design, others, node)[0]
        source, target = (node, others[0]) if side == "in" else (others[0], node)
        connect = edits.connect_case if self._is_switch(design, source) else edits.connect
        return connect(design, source, target)[0]

    def _is_switch(self, design: Design, node_id: str) -> bool:
        node = design.workflow.node(node_id)
        info = self.view.session.infos.get(node.type) if node is not None else None
        return info is not None and info.figure == "diamond"

    def join_to(self, edge: str, sources: Sequence[str]) -> None:
        def change(design: Design) -> Design:
            for source in sources:
                design = edits.add_to_join(design, edge, source)
            return design

        self.edit("Add to the join", change)

    def join_selected(self) -> None:
        """All selected nodes but the last chosen one become the sources of a join into it."""
        nodes = self.view.chosen_nodes()
        if len(nodes) < 3:
            self.view.tell("To make a join, select two or more sources, then the target with Shift, and press J.")
        else:
            self.connect(nodes[:-1], nodes[-1])

    def connect_selected(self) -> None:
        nodes = self.view.chosen_nodes()
        if len(nodes) != 2:
            self.view.tell("Select two nodes, first the source and then the target, to connect them.")
            return
        reason = self.view.wiring().refusal(*nodes)
        if reason:
            self.view.tell(reason)
        else:
            self.connect(nodes[:1], nodes[1])

    def convert(self, ids: Collection[str], kind: edits.ConvertKind) -> None:
        self.edit("Change the kind of the edge", lambda design: edits.convert(design, ids, kind)[0])

    # --- clipboard ----------------------------------------------------------------------------------------------

    def copy(self) -> bool:
        try:
            text = edits.copy(self.view.canvas.design, self.view.selection)
        except edits.EditError as error:
            self.view.tell(str(error))
            return False
        QGuiApplication.clipboard().setText(text)
        return True

    def cut(self) -> None:
        if self.view.editable and self.copy():
            self.delete()

    def paste(self, *, keep_links: bool = False) -> None:
        """At the pointer when it is over the canvas, else in the middle."""
        at = self.view.paste_place()
        self._paste(QGuiApplication.clipboard().text(), _on_grid(at.x(), at.y()), "Paste", keep_links=keep_links)

    def duplicate(self, dx: float = 24, dy: float = 24) -> None:
        """Copies beside the originals; the clipboard keeps what it holds."""
        chosen = [key for key in self.view.selection if key in self.view.canvas.boxes]
        if not chosen:
            self.view.tell("Nothing to duplicate: select a node first.")
            return
        rects = [self.view.canvas.boxes[key].rect for key in chosen]
        corner = (min(rect.x() for rect in rects) + dx, min(rect.y() for rect in rects) + dy)
        self._paste(edits.copy(self.design, chosen), corner, "Duplicate")

    def _paste(self, text: str, at: Position, words: str, *, keep_links: bool = False) -> None:
        made: list[str] = []

        def change(design: Design) -> Design:
            place = at
            for _ in range(STACK):  # what is pasted twice at one place would hide what is there
                pasted, made[:] = edits.paste(design, text, place, keep_links=keep_links)
                if not _hides(pasted, design):
                    break
                place = (place[0] + OFFSET, place[1] + OFFSET)
            return pasted

        if self.edit(words, change):
            self._show_made(made)


def _hides(pasted: Design, design: Design) -> bool:
    """Whether a new node stands exactly on an old one."""
    taken = set(design.positions.values())
    return any(at in taken for node, at in pasted.positions.items() if node not in design.positions)


def _on_grid(x: float, y: float) -> Position:
    return (round(x / SNAP) * SNAP, round(y / SNAP) * SNAP)


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"
