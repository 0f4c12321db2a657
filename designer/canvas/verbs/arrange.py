"""Laying out: off the window's thread when the graph is large or the layout is a package's; one undo step, and the
items glide to their places.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial

from designer.canvas.base import Canvas
from designer.canvas.clock import GLIDE_MS
from designer.canvas.drawing.figures import HUB_REACH, TAG_AT, Figure, look_of
from designer.canvas.drawing.geometry import DIAMOND, Box
from designer.canvas.drawing.prepared import Ahead, Slices
from designer.canvas.verbs.frames import FrameVerbs
from designer.model.design import Design, Position
from designer.model.diff import Diff
from designer.model.edits.dots import without_dots
from designer.model.layout.arrange import LAYOUTS, Direction, Size, arrange
from designer.model.layout.tidy import tidy
from designer.packages import PluginError
from designer.qt.background import Lane, Outcome

TAG_BEFORE = 32.0  # between a tag and its target
BACK = 12.0  # more, where a way back runs down from a tag
AT_ONCE = 300  # nodes that are laid out, and that glide, within a frame or two
ORGANIC_AT_ONCE = 40  # its steps take ten times as long
Positions = Mapping[str, Position]
# A name in LAYOUTS or of a package's layout, which lay out everything; or only what is new, beside what stands.
Kind = str
TIDY: Kind = "tidy"


class Arranger:
    """`last` is how the whole was laid out the last time. `fresh` are the nodes that were added since, and that nobody
    has put somewhere: those that tidying may move.
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
        self._order = 0  # the newest; what an older one brings is not wanted any more

    def arrange(self, kind: Kind | None = None, *, selected: bool = False) -> None:
        """Lay out everything, or the selected nodes; without a kind as the last time.

        It is one undo step, and the nodes glide to their places.
        """
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
        boxes = sizes(scene.boxes, scene.edges.figures.values())
        if only is None and kind != TIDY:
            self.last = kind
        loose = frozenset(self.fresh if only is None else only)
        direction: Direction = "TB" if self.last == "TB" else "LR"

        def work() -> Positions:
            return laid_out(design, kind, direction, only, loose, boxes)

        self._order += 1
        told = partial(self._on_outcome, self._order, design)
        if kind not in LAYOUTS and kind != TIDY:
            # Nobody knows how long it takes: neither the end of the program nor another layout waits for it.
            Lane(f"layout {kind}", daemon=True).start(self.canvas.widget, work, told)
        elif len(boxes if only is None else only) <= (
            ORGANIC_AT_ONCE if kind == "organic" else AT_ONCE
        ):
            self._take(design, work())
        else:
            self._lane.start(self.canvas.widget, work, told)

    def _on_outcome(
        self, number: int, laid_out: Design, outcome: Outcome[Positions]
    ) -> None:
        if number != self._order:
            return
        if isinstance(outcome.error, PluginError):
            self.last = "LR" if self.last not in LAYOUTS else self.last
            self.canvas.tell(str(outcome.error))
        else:
            self._take(laid_out, outcome.value())

    def _on_edit(self, diff: Diff) -> None:
        self.fresh -= diff.nodes_moved | diff.nodes_removed
        self.fresh |= diff.nodes_added

    def _forget_fresh(self) -> None:
        self.fresh.clear()

    def stop(self) -> None:
        """Forget a layout that still runs."""
        self._order += 1
        document = self.canvas.document
        document.changed.disconnect(self._on_edit)
        document.replaced.disconnect(self._forget_fresh)
        document.entered.disconnect(self._forget_fresh)
        self._forget_slices()

    def _forget_slices(self) -> None:
        if self._slices is not None:
            self._slices.stop()
            self._slices = None

    def _take(self, laid_out: Design, positions: Positions) -> None:
        """Show it; of many nodes when the drawing has been made in slices."""
        scene = self.canvas.scene()
        if len(positions) <= AT_ONCE or laid_out.workflow is not scene.design.workflow:
            self._show(laid_out, positions)
            return
        self._forget_slices()
        straight = without_dots(self.canvas.document.design, positions)
        goal = replace(
            scene.design,
            positions={**laid_out.positions, **positions},
            dots=straight.dots,
        )
        ahead = Ahead(goal, scene.infos, scene.topology, scene.boxes)

        def done() -> None:
            self._slices = None
            scene.ahead = ahead
            self._show(laid_out, positions)
            scene.ahead = None

        self._slices = Slices(ahead.steps(), done, self.canvas.widget)

    def _show(self, laid_out: Design, positions: Positions) -> None:
        canvas = self.canvas
        if (
            not canvas.editable
            or laid_out.workflow.nodes != canvas.document.design.workflow.nodes
        ):
            return  # edited meanwhile: a layout of something else helps nobody
        if not positions:
            canvas.tell("Nothing to tidy: every node has a place of its own.")
            return
        old = {
            key: (box.rect.x(), box.rect.y())
            for key, box in canvas.scene().boxes.items()
            if key in positions
        }
        whole = len(positions) == len(canvas.scene().nodes)
        if self.frames.arrange(positions):
            self._glide(old, positions)
            if whole:
                self.fresh.clear()
                canvas.camera.fit_all()
            else:
                canvas.camera.reveal(canvas.scene().drawing_rect(set(positions)))

    def _glide(self, old: Positions, new: Positions) -> None:
        scene = self.canvas.scene()
        if len(old) > AT_ONCE or not self.canvas.widget.isVisible():
            return

        def step(share: float) -> None:
            scene.preview(
                {
                    key: (x + (new[key][0] - x) * share, y + (new[key][1] - y) * share)
                    for key, (x, y) in old.items()
                    if key in scene.boxes
                }
            )

        self.canvas.clock.start("glide", GLIDE_MS, step, scene.end_preview)


def laid_out(
    design: Design,
    kind: Kind,
    direction: Direction,
    only: Collection[str] | None,
    loose: Collection[str],
    boxes: Mapping[str, Size],
) -> Positions:
    """The places of a kind of layout. Runs in any thread."""
    if kind == TIDY:
        return tidy(design, loose, direction=direction, sizes=boxes)
    return arrange(design, kind, only=only, sizes=boxes)


def sizes(
    boxes: Mapping[str, Box], figures: Collection[Figure]
) -> dict[str, tuple[float, float]]:
    """The boxes; one with a switch is as much wider as its diamond and tags need more than a layout leaves for them."""
    # brings networkx along, which takes its time to load
    from designer.model.layout.layered import LABEL_GAP

    found = {key: (box.rect.width(), box.rect.height()) for key, box in boxes.items()}
    for figure in figures:
        if look_of(figure.kind).tags_carry_wires and figure.tags:
            box = boxes[figure.wires[0].source]
            widest = max(tag.rect.width() for tag in figure.tags)
            beyond = TAG_AT - DIAMOND / 2 + widest + TAG_BEFORE - LABEL_GAP
            beyond += HUB_REACH + DIAMOND + BACK if figure.own_hub else 0.0
            width, height = found[box.id]
            found[box.id] = (max(width, box.rect.width() + beyond), height)
    return found
