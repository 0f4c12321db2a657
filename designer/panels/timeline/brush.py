"""What all painters of the timeline strip share: the state that they show, the places of
lanes and supersteps in the view, and pens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QPainter,
    QPen,
)

from designer.look.theme import Theme
from designer.panels.timeline.draft_lanes import DraftLane
from designer.panels.timeline.handles import (
    NO_HANDLES,
    Handles,
)
from designer.panels.timeline.hit_marks import HitMarks
from designer.panels.timeline.layout import TimelineLayout
from runtime.debug.protocol import CheckpointCounts, ProofOutcome

GUTTER = 164
HEAD = 32


@dataclass(frozen=True, slots=True)
class StripState:
    """The viewed checkpoint and the head of the run (as rows, or None), the handles of
    a comparison, the run's state, what the user does with the mouse, the hits of
    questions, what went wrong on the way to a checkpoint, and what its restore proof
    says, and how many outcomes the superstep after it has in other orders.

    selected  rows, in the order of the timeline
    drop      the place in front of which a dragged branch would be put
    failures  rows whose proof has failed
    drafts    what is staged over checkpoints
    """

    viewed: int | None = None
    head: int | None = None
    handles: Handles = NO_HANDLES
    past: bool = False
    running: bool = False
    ended: bool = False
    turn: float = 0.0
    selected: tuple[int, ...] = ()
    drop: int | None = None
    hits: HitMarks | None = None
    counts: Callable[[str], CheckpointCounts | None] = lambda _id: None
    proofs: Callable[[str], ProofOutcome | None] = lambda _id: None
    failures: tuple[int, ...] = ()
    outcomes: Callable[[str], int] = lambda _id: 0
    drafts: tuple[DraftLane, ...] = ()


class StripBrush:
    """A painter of one paint event. `scroll_x` and `scroll_y` are the positions of the
    scroll bars.
    """

    def __init__(
        self,
        painter: QPainter,
        layout: TimelineLayout,
        state: StripState,
        theme: Theme,
        area: QRect,
        view: QRect,
    ) -> None:
        self.p = painter
        self.layout = layout
        self.model = layout.model
        self.branches = layout.branches
        self.state = state
        self.theme = theme
        self.area = area
        self.view = view
        self.scroll_x = self.scroll_y = 0
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def clip(self, rect: QRect, paint: Callable[[], None]) -> None:
        self.p.save()
        self.p.setClipRect(rect & self.area)
        paint()
        self.p.restore()

    def x(self, content: float) -> float:
        return GUTTER + content - self.scroll_x

    def y(self, lane: int) -> float:
        return HEAD + self.layout.lane_y(lane) - self.scroll_y

    def columns(self) -> tuple[int, int]:
        """Return the first and the last superstep that the area shows."""
        left = max(self.area.left(), GUTTER) - GUTTER + self.scroll_x
        right = self.area.right() + 1 - GUTTER + self.scroll_x
        return self.layout.column_at(left), self.layout.column_at(right)

    def places(self) -> range:
        """Return the places, from the top, of the lanes that the area shows."""
        height = self.layout.lane_height
        first = (max(self.area.top(), HEAD) - HEAD + self.scroll_y) // height
        last = (self.area.bottom() - HEAD + self.scroll_y) // height
        return range(max(0, first), min(len(self.branches.shown), last + 1))

    def lanes(self) -> Sequence[int]:
        places = self.places()
        return self.branches.shown[places.start : places.stop]

    def below(self, lane: int) -> int:
        place = self.branches.place_of(lane)
        return HEAD + (place + 1) * self.layout.lane_height - self.scroll_y - 1

    def pen(self, colour: QColor, width: float, *, dots: bool = False) -> None:
        style = Qt.PenStyle.DotLine if dots else Qt.PenStyle.SolidLine
        self.p.setPen(QPen(colour, width, style, Qt.PenCapStyle.FlatCap))
        self.p.setBrush(Qt.BrushStyle.NoBrush)

    def text(self, box: QRectF, text: str, colour: QColor, font: QFont) -> None:
        self.p.setFont(font)
        self.p.setPen(colour)
        self.p.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
