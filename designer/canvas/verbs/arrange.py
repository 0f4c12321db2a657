"""Layouts of the whole drawing or of the selected nodes.

A layout is computed off the window's thread when the graph is large or the layout comes
from a package. It is one undo step, and the nodes glide to their places.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial

from designer.canvas.base import Canvas
from designer.canvas.clock import GLIDE_MS
from designer.canvas.drawing.figures import HUB_REACH, TAG_AT, Figure, look_of
from designer.canvas.drawing.geometry import DIAMOND, Box
from designer.canvas.drawing.prepared import PreparedDrawing, Slices
from designer.canvas.verbs.frames import FrameVerbs
from designer.model.design import Design, Position
from designer.model.diff import Diff
from designer.model.edits.dots import without_dots
from designer.model.layout.arrange import LAYOUTS, Direction, Size, arrange
from designer.model.layout.tidy import tidy
from designer.packages import PluginError
from designer.qt.background import Lane, Outcome

# px between a tag and its target, and more where a way back runs down from a tag
TAG_BEFORE = 32.0
BACK = 12.0
# So many nodes are laid out, and glide, within a frame or two; more of them are laid
# out off the thread. A step of the organic layout takes ten times as long.
AT_ONCE = 300
ORGANIC_AT_ONCE = 40
Positions = Mapping[str, Position]
# The name of a layout in LAYOUTS or of a package, or TIDY, which moves only new nodes.
Kind = str
TIDY: Kind = "tidy"


class Arranger:
    """`last` is how everything was laid out the last time. `fresh` are the nodes that
    were added since and that nobody has moved: those that tidying may move.
    """

    def __init__(self, canvas: Canvas, frames: FrameVerbs) -> None:
        self.canvas = canvas
        self.frames = frames
        self.last: Kind = "LR"
        self.fresh: set[str] = set()
        canvas.document.changed.connect(self._on_edit)
        canvas.document.replaced.connect(self._forget_fresh)
        canvas.document.entered.connect(self._forget_fresh)
        self._lane = Lane("layout")
        self._slices: Slices | None = None
        # the number of the newest layout; the outcome of an older one is dropped
        self._newest = 0

    def arrange(self, kind: Kind | None = None, *, selected: bool = False) -> None:
        """Lay out everything, or the selected nodes; without a kind as the last time."""
        canvas = self.canvas
        if not canvas.editable:
            canvas.tell("Go back to editing to change the layout.")
            return
        only = canvas.chosen_nodes() if selected else None
        if canvas.scene().nodes and (only is None or len(only) > 1):
            self.start(kind or self.last, only)

    def start(self, kind: Kind, only: Collection[str] | None) -> None:
        """Lay out the document, or some of its nodes."""
        design = self.canvas.document.design
        scene = self.canvas.scene()
        box_sizes = sizes(scene.boxes, scene.edges.figures.values())
        if only is None and kind != TIDY:
            self.last = kind
        loose = frozenset(self.fresh if only is None else only)
        direction: Direction = "TB" if self.last == "TB" else "LR"

        def work() -> Positions:
            return laid_out(design, kind, direction, only, loose, box_sizes)

        self._newest += 1
        finish = partial(self._on_outcome, self._newest, design)
        count = len(box_sizes) if only is None else len(only)
        if kind not in LAYOUTS and kind != TIDY:
            # A layout of a package may take any time: neither the end of the program
            # nor another layout waits for it.
            lane = Lane(f"layout {kind}", daemon=True)
            lane.start(self.canvas.widget, work, finish)
        elif count <= (ORGANIC_AT_ONCE if kind == "organic" else AT_ONCE):
            self._take(design, work())
        else:
            self._lane.start(self.canvas.widget, work, finish)

    def _on_outcome(
        self, number: int, design: Design, outcome: Outcome[Positions]
    ) -> None:
        if number != self._newest:
            return
        if isinstance(outcome.error, PluginError):
            if self.last not in LAYOUTS:
                self.last = "LR"
            self.canvas.tell(str(outcome.error))
        else:
            self._take(design, outcome.value())

    def _on_edit(self, diff: Diff) -> None:
        self.fresh -= diff.nodes_moved | diff.nodes_removed
        self.fresh |= diff.nodes_added

    def _forget_fresh(self) -> None:
        self.fresh.clear()

    def stop(self) -> None:
        """Forget a layout that still runs."""
        self._newest += 1
        document = self.canvas.document
        document.changed.disconnect(self._on_edit)
        document.replaced.disconnect(self._forget_fresh)
        document.entered.disconnect(self._forget_fresh)
        self._forget_slices()

    def _forget_slices(self) -> None:
        if self._slices is not None:
            self._slices.stop()
            self._slices = None

    def _take(self, design: Design, positions: Positions) -> None:
        """Show where a layout of a design puts the nodes.

        Of many nodes the drawing is prepared in slices first, and then shown at once.
        """
        scene = self.canvas.scene()
        if len(positions) <= AT_ONCE or design.workflow is not scene.design.workflow:
            self._show(design, positions)
            return
        self._forget_slices()
        undotted = without_dots(self.canvas.document.design, positions)
        goal = replace(
            scene.design,
            positions={**design.positions, **positions},
            dots=undotted.dots,
        )
        prepared = PreparedDrawing(goal, scene.infos, scene.topology, scene.boxes)

        def finish() -> None:
            self._slices = None
            scene.prepared = prepared
            self._show(design, positions)
            scene.prepared = None

        self._slices = Slices(prepared.steps(), finish, self.canvas.widget)

    def _show(self, design: Design, positions: Positions) -> None:
        canvas = self.canvas
        scene = canvas.scene()
        nodes = canvas.document.design.workflow.nodes
        if not canvas.editable or design.workflow.nodes != nodes:
            # Edited meanwhile: a layout of other nodes helps nobody.
            return
        if not positions:
            canvas.tell("Nothing to tidy: every node has a place of its own.")
            return
        before = {
            key: (box.rect.x(), box.rect.y())
            for key, box in scene.boxes.items()
            if key in positions
        }
        is_everything = len(positions) == len(scene.nodes)
        if not self.frames.arrange(positions):
            return
        self._glide(before, positions)
        if is_everything:
            self.fresh.clear()
            canvas.camera.fit_all()
        else:
            canvas.camera.reveal(scene.drawing_rect(positions.keys()))

    def _glide(self, before: Positions, after: Positions) -> None:
        scene = self.canvas.scene()
        if len(before) > AT_ONCE or not self.canvas.widget.isVisible():
            return

        def step(share: float) -> None:
            between: dict[str, Position] = {}
            for key, (x, y) in before.items():
                if key in scene.boxes:
                    end_x, end_y = after[key]
                    between[key] = (x + (end_x - x) * share, y + (end_y - y) * share)
            scene.preview(between)

        self.canvas.clock.start("glide", GLIDE_MS, step, scene.end_preview)


def laid_out(
    design: Design,
    kind: Kind,
    direction: Direction,
    only: Collection[str] | None,
    loose: Collection[str],
    box_sizes: Mapping[str, Size],
) -> Positions:
    """Return where a layout puts the nodes. Runs in any thread."""
    if kind == TIDY:
        return tidy(design, loose, direction=direction, sizes=box_sizes)
    return arrange(design, kind, only=only, sizes=box_sizes)


def sizes(boxes: Mapping[str, Box], figures: Collection[Figure]) -> dict[str, Size]:
    """Return the sizes of the boxes.

    One with a switch is as much wider as the diamond and the tags need more room than a
    layout leaves between columns.
    """
    # Imported here, because it brings networkx along, which takes its time to load.
    from designer.model.layout.layered import LABEL_GAP

    box_sizes = {
        key: (box.rect.width(), box.rect.height()) for key, box in boxes.items()
    }
    for figure in figures:
        if look_of(figure.kind).tags_carry_wires and figure.tags:
            box = boxes[figure.wires[0].source]
            widest = max(tag.rect.width() for tag in figure.tags)
            beyond = TAG_AT - DIAMOND / 2 + widest + TAG_BEFORE - LABEL_GAP
            if figure.own_hub:
                beyond += HUB_REACH + DIAMOND + BACK
            width, height = box_sizes[box.id]
            box_sizes[box.id] = (max(width, box.rect.width() + beyond), height)
    return box_sizes
