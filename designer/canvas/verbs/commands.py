"""What keys, menus and gestures do to nodes and edges. Each command is one undo step.

An `EditError` is never lost: it is shown on the canvas, and the document stays as it
was.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QGuiApplication

from designer.canvas.base import Canvas
from designer.canvas.drawing.geometry import NODE_H, NODE_W, on_grid, rect_of
from designer.canvas.drawing.spots import Spot, spot_of
from designer.canvas.drawing.style import elided
from designer.canvas.speech.describe import counted, describe
from designer.canvas.verbs.arrange import sizes
from designer.canvas.verbs.frames import still_holding
from designer.canvas.verbs.places import add_place, paste_place
from designer.model import edits
from designer.model.completion import type_usage
from designer.model.design import Design, Position
from designer.model.edge_kinds import kind_of
from designer.model.edits.collapse import collapse, forgotten_between_messages
from designer.model.edits.expand import expand
from designer.model.inside import is_sub_workflow
from designer.model.layout.align import ALIGNMENTS, Alignment, aligned
from runtime.document.definition import Off
from runtime.document.sub_workflows import is_file_child

# from what is pasted at one place to what is pasted there next, and how often
OFFSET = 24
STACK = 100
NAME_WIDTH = 180  # of a name in the history of edits
DIAMOND_SIZE = (44.0, 44.0)
NODE_SIZE = (NODE_W, NODE_H)
# around and below a node that is added where there is room
ROOM = 12
BELOW = 28
_OFF_VERBS: Mapping[Off, str] = {"disabled": "Disable", "bypassed": "Bypass"}

Change = Callable[[Design], Design]
# An edit that makes something, with the ids of what it made.
Making = Callable[[Design], tuple[Design, Iterable[str]]]


class Commands:
    """The canvas lends the selection, the scene, and the place where things go."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas

    @property
    def design(self) -> Design:
        return self.canvas.document.design

    def edit(self, text: str, change: Change, *, merge: str = "") -> bool:
        """Apply one edit. Return False, and tell the reason, when it was refused."""
        if self.canvas.refuse_edit():
            return False
        try:
            changed = change(self.design)
        except edits.EditError as error:
            self.canvas.tell(str(error))
            self.canvas.scene().end_preview()
            return False
        if changed is not self.design:
            self.canvas.document.apply(text, changed, merge=merge)
        return True

    def _make(self, text: str, make: Making) -> list[str] | None:
        """Apply an edit that makes something; return the ids, None when it was refused."""
        ids: list[str] = []

        def change(design: Design) -> Design:
            changed, made_ids = make(design)
            ids.extend(made_ids)
            return changed

        return ids if self.edit(text, change) else None

    def _show(self, ids: Collection[str]) -> None:
        """Select what was made, and bring it into view."""
        self.canvas.select(frozenset(ids))
        self.canvas.camera.reveal(self.canvas.scene().drawing_rect(ids))

    def called(self, ids: Collection[str]) -> str:
        """Return what these are called in the history of edits: one by its name,
        several by their number.
        """
        scene = self.canvas.scene()
        if len(ids) == 1:
            (key,) = ids
            name = describe(scene, key).split(" · ")[0]
            return elided(name or key, "title", NAME_WIDTH)
        are_nodes = all(key in scene.boxes for key in ids)
        return counted(len(ids), "node" if are_nodes else "thing")

    # --- nodes ------------------------------------------------------------------------

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
        """Add a node of a type, and select it. Return its id, or "" when it was
        refused.

        Without a place, or with `free`, it goes where it covers no node. With `wired`
        it is connected to those nodes in the same step; with `spot` it goes into that
        wire.
        """
        info = self.canvas.session.infos.get(type)
        title = info.title if info is not None else ""
        if at is None:
            at = add_place(self.canvas)
            free = True
        place = self._place(type, at, wired, side, free=free)

        def make(design: Design) -> tuple[Design, list[str]]:
            design, node = edits.add_node(design, type, place, name=title)
            if spot is not None:
                return self._spliced(design, node, spot), [node]
            return self._wired(design, wired, node, side), [node]

        nodes = self._make(f"Add {title or type}", make)
        if not nodes:
            return ""
        type_usage.used(type)
        self._show(nodes)
        return nodes[0]

    def _place(
        self, type: str, at: QPointF, wired: Sequence[str], side: str, *, free: bool
    ) -> Position:
        """Return the upper left corner of a new node."""
        info = self.canvas.session.infos.get(type)
        is_diamond = info is not None and info.figure == "diamond"
        width, height = DIAMOND_SIZE if is_diamond else NODE_SIZE
        if free:
            corner = at - QPointF(width / 2, height / 2)
            return self._free_place(corner, width, height)
        if not wired:
            return on_grid(at.x() - width / 2, at.y() - height / 2)
        # The wire ended at the pointer, so the port of the new node goes there.
        left = at.x() - width if side == "in" else at.x()
        x, y = on_grid(left, at.y() - height / 2)
        if self.canvas.scene().obstacles.near(QRectF(x, y, width, height)):
            return self._free_place(QPointF(x, y), width, height)
        return x, y

    def _free_place(self, corner: QPointF, width: float, height: float) -> Position:
        """Return the first place from here downwards that covers no node."""
        boxes = self.canvas.scene().boxes.values()
        rect = QRectF(corner.x(), corner.y(), width, height)
        for _ in range(200):
            room = rect.adjusted(-ROOM, -ROOM, ROOM, ROOM)
            bottoms = [box.rect.bottom() for box in boxes if box.rect.intersects(room)]
            if not bottoms:
                break
            rect.moveTop(max(bottoms) + BELOW)
        return on_grid(rect.x(), rect.y())

    def move(
        self, positions: Mapping[str, Position], *, text: str = "", merge: str = ""
    ) -> bool:
        """Move nodes to these places."""

        def change(design: Design) -> Design:
            return edits.move(design, positions)

        words = text or f"Move {self.called(positions)}"
        return self.edit(words, change, merge=merge)

    def nudge(self, dx: float, dy: float) -> None:
        """Move the selected nodes a little; many nudges in a row are one undo step."""
        boxes = self.canvas.scene().boxes
        positions = {
            key: (boxes[key].rect.x() + dx, boxes[key].rect.y() + dy)
            for key in self.canvas.order
            if key in boxes
        }
        if positions:
            self.move(positions, merge="nudge " + " ".join(sorted(positions)))

    def align(self, alignment: Alignment) -> None:
        """Put the selected nodes in line, or at equal distances."""
        boxes = self.canvas.scene().boxes
        rects = {key: rect_of(boxes[key].rect) for key in self.canvas.chosen_nodes()}
        if len(rects) < 2:
            self.canvas.tell("Select two or more nodes to align them.")
        else:
            self.move(aligned(rects, alignment), text=ALIGNMENTS[alignment])

    def delete(self) -> None:
        """Delete the selection, with the wires of the nodes in it."""
        chosen = self.canvas.selection
        if chosen:
            words = f"Delete {self.called(chosen)}"
            self.edit(words, lambda design: edits.remove(design, chosen))

    def delete_healed(self) -> None:
        """Delete the selection; what led through a deleted node leads past it."""
        chosen = self.canvas.selection
        if chosen:
            words = "Delete and heal the wires"
            self.edit(words, lambda design: edits.remove_healed(design, chosen))

    def set_start(self, node: str) -> None:
        """Let runs start at a node."""
        words = f"Start at {self.called([node])}"
        self.edit(words, lambda design: edits.set_start(design, node))

    def toggle_off(self, off: Off) -> None:
        """Disable or bypass the selected nodes, or enable them if all of them are so."""
        chosen = self.canvas.chosen_nodes()
        if not chosen:
            verb = _OFF_VERBS[off].lower()
            self.canvas.tell(f"Select a node to {verb} it, or to enable it again.")
            return
        words = self.off_words(off)
        self.edit(words, lambda design: edits.toggle_off(design, chosen, off))

    def off_words(self, off: Off) -> str:
        """Return what the key would do to the selected nodes, for menus and undo."""
        count = len(self.canvas.chosen_nodes())
        verb = "Enable" if count and self.are_off(off) else _OFF_VERBS[off]
        return f"{verb} {count} nodes" if count > 1 else verb

    def are_off(self, off: Off) -> bool:
        """Return whether all selected nodes are disabled, or are bypassed."""
        items = self.canvas.scene().nodes
        return all(items[node].off == off for node in self.canvas.chosen_nodes())

    # --- putting a node into a wire ---------------------------------------------------

    def splice(self, node: str, spot: Spot, positions: Mapping[str, Position]) -> None:
        """Put a node into a wire. What comes after moves aside where there is no room."""

        def change(design: Design) -> Design:
            return self._spliced(edits.move(design, positions), node, spot)

        self.edit(f"Splice in {self.canvas.wiring().title(node)}", change)

    def splice_selected(self) -> None:
        """Put the selected node into the selected edge group: into its only wire, or
        into the part that all of its wires share.
        """
        scene = self.canvas.scene()
        nodes = self.canvas.chosen_nodes()
        edges = [key for key in self.canvas.order if scene.figure(key)]
        spot = spot_of(scene, edges[0]) if len(edges) == 1 else None
        if len(nodes) != 1 or spot is None:
            self.canvas.tell(
                "To put a node into an edge, select the node and the edge with Shift, and press S."
            )
            return
        (node,) = nodes
        box = scene.boxes[node].rect
        middle = spot.wire.path.pointAtPercent(0.5)
        place = on_grid(middle.x() - box.width() / 2, middle.y() - box.height() / 2)
        self.splice(node, spot, {node: place})

    def _spliced(self, design: Design, node: str, spot: Spot) -> Design:
        scene = self.canvas.scene()
        widths = {
            key: scene.boxes[key].rect.width() if key in scene.boxes else NODE_W
            for key in (node, spot.way.source)
        }
        spliced = edits.splice(design, spot.edge, spot.way, node)
        pushed = edits.push_aside(spliced, node, spot.way, widths)
        return still_holding(scene, spliced, pushed)

    # --- sub-workflows ------------------------------------------------------------------

    def collapse(self) -> None:
        """Turn the selected nodes into a sub-workflow."""
        chosen = self.canvas.chosen_nodes()
        box_sizes = sizes(self.canvas.scene().boxes, ())
        warning = forgotten_between_messages(self.design, chosen)

        def make(design: Design) -> tuple[Design, list[str]]:
            design, sub = collapse(design, chosen, sizes=box_sizes)
            return design, [sub]

        nodes = self._make("Collapse into a sub-workflow", make)
        if nodes is None:
            return
        self._show(nodes)
        if warning:
            self.canvas.tell(f"{warning} Undo it if you did not mean that.")

    def expand(self, node: str = "") -> None:
        """Turn a sub-workflow into the nodes inside it."""
        node = node or next(iter(self.canvas.chosen_nodes()), "")
        sub = self.design.workflow.node(node)
        folder = self.canvas.document.folder

        def make(design: Design) -> tuple[Design, Sequence[str]]:
            design, nodes = expand(design, node, folder)
            if sub is not None and sub.off:
                design = edits.set_off(design, nodes, sub.off)
            return design, nodes

        nodes = self._make("Expand the sub-workflow", make)
        if nodes is None:
            return
        self._show(nodes)
        if sub is not None and is_file_child(sub):
            self.canvas.tell(
                f"This is a copy of what is drawn in {sub.params['file']}. The file stays as it is."
            )

    def collapse_or_expand(self) -> None:
        """Expand a sub-workflow that is selected alone; collapse anything else."""
        chosen = self.canvas.chosen_nodes()
        if len(chosen) == 1 and is_sub_workflow(self.design, chosen[0]):
            self.expand(chosen[0])
        else:
            self.collapse()

    def go_in(self) -> None:
        """Go into the sub-workflow that was selected last."""
        node = self._chosen_sub_workflow()
        if node:
            self.canvas.activate(node)
        else:
            self.canvas.tell("Select a sub-workflow to go into it.")

    def open_page(self, node: str = "") -> None:
        """Open a sub-workflow in a tab of its own: this one, or the one selected last."""
        node = node or self._chosen_sub_workflow()
        if node:
            self.canvas.page_requested.emit(node)
        elif not self.canvas.chosen_nodes() and self.canvas.document.is_in_file:
            self.canvas.page_requested.emit("")
        else:
            self.canvas.tell("Select a sub-workflow to open it in a tab.")

    def _chosen_sub_workflow(self) -> str:
        chosen = self.canvas.chosen_nodes()
        if chosen and is_sub_workflow(self.canvas.scene().design, chosen[-1]):
            return chosen[-1]
        return ""

    def go_out(self) -> None:
        """Go out of the sub-workflow, or to the document that has this one inside."""
        if self.canvas.document.inside:
            self.canvas.document.leave()
        else:
            self.canvas.out_requested.emit()

    # --- edges ------------------------------------------------------------------------

    def connect(self, sources: Sequence[str], target: str) -> None:
        """Draw a plain edge from one source, or a join of several.

        From a diamond it is one more case of its switch.
        """
        verb, preposition = "Join", "into"
        if len(sources) == 1:
            verb, preposition = "Connect", "to"

        def change(design: Design) -> Design:
            return self._wired(design, sources, target, "out")

        words = f"{verb} {self.called(sources)} {preposition} {self.called([target])}"
        if not self.edit(words, change):
            return
        if len(sources) > 1:
            self._select_group("fan_in", target)
        elif self._is_switch(self.design, sources[0]):
            # The condition of the new case has to be written in its cases.
            self.canvas.select(frozenset(sources))

    def connect_all(self, source: str, targets: Sequence[str]) -> None:
        """Draw a fan-out to all of these; from a diamond a case to each."""

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
            self._select_group("fan_out", source)

    def connect_on_error(self, source: str, target: str) -> None:
        """Draw an edge for the failures of a node, and select it."""

        def make(design: Design) -> tuple[Design, list[str]]:
            design, edge = edits.connect_on_error(design, source, target)
            return design, [edge]

        words = f"Send failures of {self.called([source])} to {self.called([target])}"
        edges = self._make(words, make)
        if edges is not None:
            self.canvas.select(edges)

    def connect_join(self, sources: Sequence[str], target: str) -> None:
        """Draw a join, or add these sources to the one into the target."""
        if self.edit("Join", lambda design: edits.join_into(design, sources, target)):
            self._select_group("fan_in", target)

    def connect_selected(self) -> None:
        """Connect the node that was selected first to the other, or to all others."""
        nodes = self.canvas.chosen_nodes()
        if len(nodes) < 2:
            self.canvas.tell(
                "Select two nodes, first the source and then the target, to connect them."
            )
            return
        source, *targets = nodes
        wiring = self.canvas.wiring()
        reasons = (wiring.refusal(source, target) for target in targets)
        reason = next(filter(None, reasons), "")
        if reason:
            self.canvas.tell(reason)
        elif len(targets) == 1:
            self.connect([source], targets[0])
        else:
            self.connect_all(source, targets)

    def join_selected(self) -> None:
        """Join all selected nodes into the one selected last.

        Two or more become the sources of a new join; one is added to the join that
        there is. With a join selected too, all nodes become its sources.
        """
        nodes = self.canvas.chosen_nodes()
        joins = self._joins(self.canvas.order)
        if nodes and len(joins) == 1:
            self.join_to(joins[0], nodes)
        elif len(nodes) > 2 or (len(nodes) == 2 and self._has_join(nodes[-1])):
            self.connect_join(nodes[:-1], nodes[-1])
        else:
            self.canvas.tell(
                "To make a join, select two or more sources, then the target with Shift, and press J."
            )

    def join_to(self, edge: str, sources: Sequence[str]) -> None:
        """Add sources to a join."""

        def change(design: Design) -> Design:
            for source in sources:
                design = edits.add_to_join(design, edge, source)
            return design

        self.edit("Add to the join", change)

    def add_ways(self, edge: str, nodes: Sequence[str]) -> None:
        """Add ends to an edge group: sources of a join, targets, cases."""

        def change(design: Design) -> Design:
            for node in nodes:
                design = edits.add_way(design, edge, node)
            return design

        if self.edit("Add to the edge group", change):
            self.canvas.select(frozenset({edge}))

    def lead(
        self, edges: Collection[str], side: edits.Side, node: str, other: str
    ) -> None:
        """Move the ends of edges from a node to another one."""
        words = f"Lead {counted(len(edges), 'edge')} to {self.called([other])}"
        groups = self._make(
            words, lambda design: edits.lead(design, edges, side, node, other)
        )
        if groups is not None:
            self.canvas.select(groups)

    def disconnect(self, node: str, side: str) -> None:
        """Remove all wires of a port."""
        words = f"Disconnect {self.called([node])}"
        self.edit(words, lambda design: edits.disconnect(design, node, side))

    def cut_wires(self, wires: Mapping[str, Collection[edits.Way]]) -> None:
        """Remove wires, by the edge group that each is part of."""
        words = f"Cut {counted(sum(map(len, wires.values())), 'wire')}"
        self.edit(words, lambda design: edits.cut(design, wires))

    def convert(self, ids: Collection[str], kind: str) -> None:
        """Make edges of another kind of these."""
        self.edit(
            "Change the kind of the edge",
            lambda design: edits.convert(design, ids, kind)[0],
        )

    def _wired(
        self, design: Design, others: Sequence[str], node: str, side: str
    ) -> Design:
        """Return the design with a node connected to others, on one side of those."""
        if not others:
            return design
        if side == "error":
            return edits.connect_on_error(design, others[0], node)[0]
        if len(others) > 1:
            return edits.join_into(design, others, node)
        source, target = others[0], node
        if side == "in":
            source, target = target, source
        if self._is_switch(design, source):
            return edits.connect_case(design, source, target)[0]
        return edits.connect(design, source, target)[0]

    def _is_switch(self, design: Design, node_id: str) -> bool:
        node = design.workflow.node(node_id)
        if node is None:
            return False
        info = self.canvas.session.infos.get(node.type)
        return info is not None and info.figure == "diamond"

    def _select_group(self, kind: str, node: str) -> None:
        """Select the group that was made of several nodes.

        With those still selected, the next wire from one of them would start at all.
        """
        for edge in self.design.workflow.edges:
            if edge.kind == kind and kind_of(edge).hub(edge) == node:
                self.canvas.select({edge.id})
                return
        self.canvas.select(())

    def _joins(self, ids: Iterable[str]) -> list[str]:
        edges = self.canvas.scene().topology.edges
        return [key for key in ids if key in edges and edges[key].join is not None]

    def _has_join(self, node: str) -> bool:
        """Return whether a join leads to a node."""
        edges = self.canvas.scene().topology.edges
        joins = [edges[key] for key in self._joins(edges)]
        return any(kind_of(join).hub(join) == node for join in joins)

    # --- clipboard --------------------------------------------------------------------

    def copy(self) -> bool:
        """Copy the selection. Return False when there is nothing that can be copied."""
        try:
            text = edits.copy(self.canvas.scene().design, self.canvas.selection)
        except edits.EditError as error:
            self.canvas.tell(str(error))
            return False
        QGuiApplication.clipboard().setText(text)
        return True

    def cut(self) -> None:
        """Copy the selection, and delete it."""
        if not self.canvas.refuse_edit() and self.copy():
            self.delete()

    def paste(self, *, keep_links: bool = False) -> None:
        """Paste at the pointer when it is over the canvas, else in the middle."""
        place = paste_place(self.canvas)
        text = QGuiApplication.clipboard().text()
        corner = on_grid(place.x(), place.y())
        self._paste(text, corner, "Paste", keep_links=keep_links)

    def duplicate(self, dx: float = 24, dy: float = 24) -> None:
        """Copy the selection beside itself. The clipboard keeps what it holds."""
        if self.canvas.refuse_edit():
            return
        scene = self.canvas.scene()
        things = scene.boxes.keys() | scene.backdrop.frames.keys()
        chosen = self.canvas.selection & things
        if not chosen:
            self.canvas.tell("Nothing to duplicate: select a node first.")
            return
        rects = [scene.boxes[key].rect for key in chosen if key in scene.boxes]
        rects += scene.backdrop.rects(chosen)
        left = min(rect.x() for rect in rects)
        top = min(rect.y() for rect in rects)
        text = edits.copy(self.design, chosen)
        self._paste(text, (left + dx, top + dy), "Duplicate")

    def _paste(
        self, text: str, corner: Position, words: str, *, keep_links: bool = False
    ) -> None:
        def make(design: Design) -> tuple[Design, Sequence[str]]:
            x, y = corner
            # What is pasted twice at one place would hide what is there.
            for _ in range(STACK):
                pasted, ids = edits.paste(design, text, (x, y), keep_links=keep_links)
                if not _hides(pasted, design):
                    break
                x += OFFSET
                y += OFFSET
            return pasted, ids

        ids = self._make(words, make)
        if ids is not None:
            self._show(ids)


def _hides(pasted: Design, design: Design) -> bool:
    """Return whether a new node is exactly on an old one."""
    taken = set(design.positions.values())
    new_nodes = pasted.positions.keys() - design.positions.keys()
    return any(pasted.positions[node] in taken for node in new_nodes)
