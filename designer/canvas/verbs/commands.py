"""The verbs of the canvas: what keys, menus and gestures do to the document. Each is one undo step.

An `EditError` is never lost: it is told on the canvas, and the document stays as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QGuiApplication

from designer.canvas.base import Canvas
from designer.canvas.drawing.geometry import NODE_H, NODE_W, on_grid, rect_of
from designer.canvas.drawing.spots import Spot, spot_of
from designer.canvas.drawing.style import elided
from designer.canvas.speech.describe import describe
from designer.canvas.verbs.arrange import sizes
from designer.canvas.verbs.frames import still_holding
from designer.canvas.verbs.placing import add_place, paste_place
from designer.model import edits
from designer.model.completion import type_usage
from designer.model.design import Design, Position
from designer.model.edge_kinds import kind_of
from designer.model.edits.collapse import collapse, what_begins_anew
from designer.model.edits.expand import expand
from designer.model.inside import is_sub_workflow
from designer.model.layout.align import ALIGNMENTS, Alignment, aligned
from runtime.document.definition import Off
from runtime.document.sub_workflows import is_file_child

OFFSET = 24
STACK = 100
NAME_WIDTH = 180  # of a name in the history of edits
_VERBS: Mapping[Off, str] = {"disabled": "Disable", "bypassed": "Bypass"}


class Commands:
    """`view` lends the selection, the scene, and the place where things go."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas

    @property
    def design(self) -> Design:
        return self.canvas.document.design

    def edit(
        self, text: str, change: Callable[[Design], Design], *, merge: str = ""
    ) -> bool:
        """Apply one edit. False, with the reason told, when it was refused."""
        if self.canvas.refuse_edit():
            return False
        try:
            new = change(self.design)
        except edits.EditError as error:
            self.canvas.tell(str(error))
            self.canvas.scene().end_preview()
            return False
        if new is not self.design:
            self.canvas.document.apply(text, new, merge=merge)
        return True

    def called(self, ids: Collection[str]) -> str:
        """What these are called in the history of edits: one by its name, several by their number."""
        scene = self.canvas.scene()
        if len(ids) == 1:
            (key,) = ids
            return elided(
                describe(scene, key).split(" · ")[0] or key, "title", NAME_WIDTH
            )
        return _count(
            len(ids), "node" if all(key in scene.boxes for key in ids) else "thing"
        )

    # --- nodes --------------------------------------------------------------------------------------------------

    def add_node(
        self,
        type: str,
        at: QPointF | None = None,
        *,
        wired: Sequence[str] = (),
        side: str = "out",
        free: bool = False,
        spot: Spot | None = None,
    ) -> str:
        """A new node, selected; with `wired`, connected to those nodes in the same step. Answers its id, or nothing.

        Without a place, or with `free`, it stands where it covers no node. With `spot` it goes into that wire.
        """
        info = self.canvas.session.infos.get(type)
        if at is None:
            at = add_place(self.canvas)
            free = True
        place = self._place(type, at, wired, side, free=free)
        made: list[str] = []

        def change(design: Design) -> Design:
            design, node = edits.add_node(
                design, type, place, name=info.title if info else ""
            )
            made.append(node)
            if spot is not None:
                return self._spliced(design, node, spot)
            return self._wired(design, wired, node, side)

        if not self.edit(f"Add {info.title if info else type}", change):
            return ""
        type_usage.used(type)
        self._show_made(made[-1:])
        return made[-1]

    def _show_made(self, made: Collection[str]) -> None:
        self.canvas.select(frozenset(made))
        self.canvas.camera.reveal(self.canvas.scene().drawing_rect(made))

    def _place(
        self, type: str, at: QPointF, wired: Sequence[str], side: str, *, free: bool
    ) -> Position:
        info = self.canvas.session.infos.get(type)
        width, height = (
            (44.0, 44.0)
            if info is not None and info.figure == "diamond"
            else (NODE_W, NODE_H)
        )
        if free:
            return self._free(at - QPointF(width / 2, height / 2), width, height)
        if wired:  # the pointer is where the wire's end was, and that is the new port
            x, y = on_grid(
                at.x() - width if side == "in" else at.x(), at.y() - height / 2
            )
            covered = self.canvas.scene().ground.near(QRectF(x, y, width, height))
            return self._free(QPointF(x, y), width, height) if covered else (x, y)
        return on_grid(at.x() - width / 2, at.y() - height / 2)

    def _free(self, corner: QPointF, width: float, height: float) -> Position:
        """The first place from here downwards that covers no node."""
        scene = self.canvas.scene()
        rect = QRectF(corner.x(), corner.y(), width, height)
        for _ in range(200):
            hit = [
                box.rect
                for box in scene.boxes.values()
                if box.rect.adjusted(-12, -12, 12, 12).intersects(rect)
            ]
            if not hit:
                break
            rect.moveTop(max(other.bottom() for other in hit) + 28)
        return on_grid(rect.x(), rect.y())

    def move(
        self, positions: Mapping[str, Position], *, text: str = "", merge: str = ""
    ) -> bool:
        words = text or f"Move {self.called(positions)}"
        return self.edit(
            words, lambda design: edits.move(design, positions), merge=merge
        )

    def nudge(self, dx: float, dy: float) -> None:
        boxes = self.canvas.scene().boxes
        chosen = [key for key in self.canvas.order if key in boxes]
        places = {
            key: (boxes[key].rect.x() + dx, boxes[key].rect.y() + dy) for key in chosen
        }
        if places:
            self.move(places, merge="nudge " + " ".join(sorted(places)))

    def splice(self, node: str, spot: Spot, positions: Mapping[str, Position]) -> None:
        """Put a node into a wire; what comes after moves aside where there is no room."""

        def change(design: Design) -> Design:
            return self._spliced(edits.move(design, positions), node, spot)

        self.edit(f"Splice in {self.canvas.wiring().title(node)}", change)

    def _spliced(self, design: Design, node: str, spot: Spot) -> Design:
        boxes = self.canvas.scene().boxes
        widths = {
            key: boxes[key].rect.width() if key in boxes else NODE_W
            for key in (node, spot.way.source)
        }
        spliced = edits.splice(design, spot.edge, spot.way, node)
        pushed = edits.push_aside(spliced, node, spot.way, widths)
        return still_holding(self.canvas.scene(), spliced, pushed)

    def splice_selected(self) -> None:
        """The selected node into the selected edge group: its only wire, or the part that all of its wires share."""
        nodes = self.canvas.chosen_nodes()
        edges = [key for key in self.canvas.order if self.canvas.scene().figure(key)]
        spot = spot_of(self.canvas.scene(), edges[0]) if len(edges) == 1 else None
        if len(nodes) != 1 or spot is None:
            self.canvas.tell(
                "To put a node into an edge, select the node and the edge with Shift, and press S."
            )
            return
        box = self.canvas.scene().boxes[nodes[0]].rect
        middle = spot.wire.path.pointAtPercent(0.5)
        place = on_grid(middle.x() - box.width() / 2, middle.y() - box.height() / 2)
        self.splice(nodes[0], spot, {nodes[0]: place})

    def delete_healed(self) -> None:
        """Delete the selection; what led through a deleted node leads past it."""
        chosen = self.canvas.selection
        if chosen:
            self.edit(
                "Delete and heal the wires",
                lambda design: edits.remove_healed(design, chosen),
            )

    def cut_wires(self, wires: Mapping[str, Collection[edits.Way]]) -> None:
        count = sum(map(len, wires.values()))
        self.edit(
            f"Cut {_count(count, 'wire')}", lambda design: edits.cut(design, wires)
        )

    def lead(
        self, edges: Collection[str], side: edits.Side, node: str, other: str
    ) -> None:
        words = f"Lead {_count(len(edges), 'edge')} to {self.called([other])}"
        made: list[str] = []

        def change(design: Design) -> Design:
            design, made[:] = edits.lead(design, edges, side, node, other)
            return design

        if self.edit(words, change):
            self.canvas.select(made)

    def disconnect(self, node: str, side: str) -> None:
        self.edit(
            f"Disconnect {self.called([node])}",
            lambda design: edits.disconnect(design, node, side),
        )

    def align(self, way: Alignment) -> None:
        """Put the selected nodes in line, or at equal distances."""
        boxes = self.canvas.scene().boxes
        rects = {key: rect_of(boxes[key].rect) for key in self.canvas.chosen_nodes()}
        if len(rects) < 2:
            self.canvas.tell("Select two or more nodes to put them in line.")
        else:
            self.move(aligned(rects, way), text=ALIGNMENTS[way])

    def delete(self) -> None:
        chosen = self.canvas.selection
        if chosen:
            self.edit(
                f"Delete {self.called(chosen)}",
                lambda design: edits.remove(design, chosen),
            )

    def set_start(self, node: str) -> None:
        self.edit(
            f"Start at {self.called([node])}",
            lambda design: edits.set_start(design, node),
        )

    def toggle_off(self, off: Off) -> None:
        """Disable or bypass the selected nodes; on again if all of them are so already."""
        chosen = self.canvas.chosen_nodes()
        if not chosen:
            self.canvas.tell(
                f"Select a node to {_VERBS[off].lower()} it, or to enable it again."
            )
            return
        self.edit(
            self.off_words(off), lambda design: edits.toggle_off(design, chosen, off)
        )

    def off_words(self, off: Off) -> str:
        """What the key would do to the selected nodes, for menus and the undo list."""
        chosen = self.canvas.chosen_nodes()
        verb = "Enable" if chosen and self.are_off(off) else _VERBS[off]
        return f"{verb} {len(chosen)} nodes" if len(chosen) > 1 else verb

    def are_off(self, off: Off) -> bool:
        items = self.canvas.scene().nodes
        return all(items[node].off == off for node in self.canvas.chosen_nodes())

    # --- sub-workflows --------------------------------------------------------------------------------------------

    def collapse(self) -> None:
        """The selected nodes become a sub-workflow."""
        chosen = self.canvas.chosen_nodes()
        made = [""]

        def change(design: Design) -> Design:
            design, made[0] = collapse(
                design, chosen, sizes=sizes(self.canvas.scene().boxes, ())
            )
            return design

        warning = what_begins_anew(self.design, chosen)
        if self.edit("Collapse into a sub-workflow", change):
            self._show_made(made)
            if warning:
                self.canvas.tell(f"{warning} Undo it if that is not meant.")

    def expand(self, node: str = "") -> None:
        """A sub-workflow becomes the nodes inside it."""
        sub = node or next(iter(self.canvas.chosen_nodes()), "")
        made: list[str] = []

        def change(design: Design) -> Design:
            whole = design.workflow.node(sub)
            design, nodes = expand(design, sub, self.canvas.document.folder)
            made.extend(nodes)
            if whole is not None and whole.off:
                return edits.set_off(design, nodes, whole.off)
            return design

        before = self.design.workflow.node(sub)
        if self.edit("Expand the sub-workflow", change):
            self._show_made(made)
            if before is not None and is_file_child(before):
                self.canvas.tell(
                    f"This is a copy of what is drawn in {before.params['file']}. The file stays as it is."
                )

    def collapse_or_expand(self) -> None:
        """One key for both: a sub-workflow that is selected alone is expanded."""
        chosen = self.canvas.chosen_nodes()
        if len(chosen) == 1 and is_sub_workflow(self.design, chosen[0]):
            self.expand(chosen[0])
        else:
            self.collapse()

    def go_in(self) -> None:
        """Into the sub-workflow that was selected last."""
        chosen = self.canvas.chosen_nodes()
        if chosen and is_sub_workflow(self.canvas.scene().design, chosen[-1]):
            self.canvas.activate(chosen[-1])
        else:
            self.canvas.tell("Select a sub-workflow to go into it.")

    def open_page(self, node: str = "") -> None:
        """The sub-workflow that was selected last, in a tab of its own."""
        chosen = [node] if node else self.canvas.chosen_nodes()
        if chosen and is_sub_workflow(self.canvas.scene().design, chosen[-1]):
            self.canvas.page_requested.emit(chosen[-1])
        elif not chosen and self.canvas.document.is_in_file:
            self.canvas.page_requested.emit("")
        else:
            self.canvas.tell("Select a sub-workflow to open it in a tab.")

    def go_out(self) -> None:
        if self.canvas.document.inside:
            self.canvas.document.leave()
        else:
            self.canvas.out_requested.emit()

    # --- edges --------------------------------------------------------------------------------------------------

    def connect(self, sources: Sequence[str], target: str) -> None:
        """A plain edge from one source, from a diamond one more way of its switch; a join of several sources."""
        if len(sources) == 1:
            words = f"Connect {self.called(sources)} to"
        else:
            words = f"Join {self.called(sources)} into"
        done = self.edit(
            f"{words} {self.called([target])}",
            lambda design: self._wired(design, sources, target, "out"),
        )
        if done and len(sources) > 1:
            self._show_group("fan_in", target)
        elif done and self._is_switch(self.design, sources[0]):
            # its cases, where the condition of the new one has to be written
            self.canvas.select(frozenset(sources))

    def _show_group(self, kind: str, node: str) -> None:
        """Select the group that was made of several nodes: with those still selected, the next wire from one of them
        would be drawn from all.
        """
        groups = [
            edge.id
            for edge in self.design.workflow.edges
            if edge.kind == kind and kind_of(edge).hub(edge) == node
        ]
        self.canvas.select(groups[:1])

    def _wired(
        self, design: Design, others: Sequence[str], node: str, side: str
    ) -> Design:
        if not others:
            return design
        if side == "error":
            return edits.connect_on_error(design, others[0], node)[0]
        if len(others) > 1:
            return edits.join_into(design, others, node)
        source, target = (node, others[0]) if side == "in" else (others[0], node)
        if self._is_switch(design, source):
            connect = edits.connect_case
        else:
            connect = edits.connect
        return connect(design, source, target)[0]

    def _is_switch(self, design: Design, node_id: str) -> bool:
        node = design.workflow.node(node_id)
        info = self.canvas.session.infos.get(node.type) if node is not None else None
        return info is not None and info.figure == "diamond"

    def connect_on_error(self, source: str, target: str) -> None:
        """An error edge, which is selected."""
        made: list[str] = []

        def change(design: Design) -> Design:
            design, edge = edits.connect_on_error(design, source, target)
            made.append(edge)
            return design

        if self.edit(
            f"Send failures of {self.called([source])} to {self.called([target])}",
            change,
        ):
            self.canvas.select(frozenset(made[-1:]))

    def join_to(self, edge: str, sources: Sequence[str]) -> None:
        def change(design: Design) -> Design:
            for source in sources:
                design = edits.add_to_join(design, edge, source)
            return design

        self.edit("Add to the join", change)

    def connect_all(self, source: str, targets: Sequence[str]) -> None:
        """A fan-out to all of these; from a diamond a case to each."""

        def change(design: Design) -> Design:
            if not self._is_switch(design, source):
                return edits.fan_out_to(design, source, targets)
            for target in targets:
                design = edits.connect_case(design, source, target)[0]
            return design

        if not self.edit(f"Fan out to {len(targets)} nodes", change):
            return
        if self._is_switch(self.design, source):
            self.canvas.select({source})
        else:
            self._show_group("fan_out", source)

    def add_ways(self, edge: str, nodes: Sequence[str]) -> None:
        """More ends for an edge group: sources of a join, targets, cases."""

        def change(design: Design) -> Design:
            for node in nodes:
                design = edits.add_way(design, edge, node)
            return design

        if self.edit("Add to the edge group", change):
            self.canvas.select(frozenset({edge}))

    def join_selected(self) -> None:
        """All selected nodes but the last chosen one become sources of the join into it: of a new one where two or more
        are chosen, also of the one that is there. With a join selected too, all nodes become its sources.
        """
        nodes = self.canvas.chosen_nodes()
        joins = self._joins(self.canvas.order)
        if nodes and len(joins) == 1:
            self.join_to(joins[0], nodes)
        elif len(nodes) > 2 or (len(nodes) == 2 and self._joins_into(nodes[-1])):
            self.connect_join(nodes[:-1], nodes[-1])
        else:
            self.canvas.tell(
                "To make a join, select two or more sources, then the target with Shift, and press J."
            )

    def connect_join(self, sources: Sequence[str], target: str) -> None:
        if self.edit("Join", lambda design: edits.join_into(design, sources, target)):
            self._show_group("fan_in", target)

    def _joins(self, ids: Collection[str]) -> list[str]:
        edges = self.canvas.scene().topology.edges
        return [key for key in ids if key in edges and edges[key].join is not None]

    def _joins_into(self, node: str) -> list[str]:
        edges = self.canvas.scene().topology.edges
        return [
            key
            for key in self._joins(edges)
            if kind_of(edges[key]).hub(edges[key]) == node
        ]

    def connect_selected(self) -> None:
        """The node that was selected first to the other one, or as a fan-out to all others."""
        nodes = self.canvas.chosen_nodes()
        if len(nodes) < 2:
            self.canvas.tell(
                "Select two nodes, first the source and then the target, to connect them."
            )
            return
        wiring = self.canvas.wiring()
        reason = next(
            (why for other in nodes[1:] if (why := wiring.refusal(nodes[0], other))), ""
        )
        if reason:
            self.canvas.tell(reason)
        elif len(nodes) == 2:
            self.connect(nodes[:1], nodes[1])
        else:
            self.connect_all(nodes[0], nodes[1:])

    def convert(self, ids: Collection[str], kind: str) -> None:
        self.edit(
            "Change the kind of the edge",
            lambda design: edits.convert(design, ids, kind)[0],
        )

    # --- clipboard ----------------------------------------------------------------------------------------------

    def copy(self) -> bool:
        try:
            text = edits.copy(self.canvas.scene().design, self.canvas.selection)
        except edits.EditError as error:
            self.canvas.tell(str(error))
            return False
        QGuiApplication.clipboard().setText(text)
        return True

    def cut(self) -> None:
        if not self.canvas.refuse_edit() and self.copy():
            self.delete()

    def paste(self, *, keep_links: bool = False) -> None:
        """At the pointer when it is over the canvas, else in the middle."""
        at = paste_place(self.canvas)
        self._paste(
            QGuiApplication.clipboard().text(),
            on_grid(at.x(), at.y()),
            "Paste",
            keep_links=keep_links,
        )

    def duplicate(self, dx: float = 24, dy: float = 24) -> None:
        """Copies beside the originals; the clipboard keeps what it holds."""
        scene = self.canvas.scene()
        chosen = [
            key
            for key in self.canvas.selection
            if key in scene.boxes or key in scene.backdrop.frames
        ]
        if not chosen:
            self.canvas.tell("Nothing to duplicate: select a node first.")
            return
        rects = [
            scene.boxes[key].rect for key in chosen if key in scene.boxes
        ] + scene.backdrop.rects(chosen)
        corner = (
            min(rect.x() for rect in rects) + dx,
            min(rect.y() for rect in rects) + dy,
        )
        self._paste(edits.copy(self.design, chosen), corner, "Duplicate")

    def _paste(
        self, text: str, at: Position, words: str, *, keep_links: bool = False
    ) -> None:
        made: list[str] = []

        def change(design: Design) -> Design:
            place = at
            # what is pasted twice at one place would hide what is there
            for _ in range(STACK):
                pasted, made[:] = edits.paste(
                    design, text, place, keep_links=keep_links
                )
                if not _hides(pasted, design):
                    break
                place = (place[0] + OFFSET, place[1] + OFFSET)
            return pasted

        if self.edit(words, change):
            self._show_made(made)


def _hides(pasted: Design, design: Design) -> bool:
    """Whether a new node stands exactly on an old one."""
    taken = set(design.positions.values())
    return any(
        at in taken
        for node, at in pasted.positions.items()
        if node not in design.positions
    )


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"
