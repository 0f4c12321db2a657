"""What is done with frames and notes by keys, menus and gestures. Each is one undo step, as in `commands`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSizeF

from designer.canvas.base import Canvas
from designer.canvas.drawing.frames import NOTE, frame_around, height_of
from designer.canvas.drawing.geometry import on_grid, rect_of
from designer.canvas.verbs.frame_text import FrameText
from designer.canvas.verbs.placing import paste_place
from designer.model import edits, frames
from designer.model.design import Design, Position, Rect
from designer.model.frames import Kind

if TYPE_CHECKING:
    from designer.canvas.drawing.scene import CanvasScene

EMPTY = (320.0, 200.0)  # a frame around nothing
STEP = 24


class FrameVerbs:
    """`view` lends the selection, the scene, and the place where things go."""

    def __init__(self, canvas: Canvas, text: FrameText) -> None:
        self.canvas = canvas
        self.text = text

    def with_content(self, ids: Collection[str]) -> tuple[list[str], list[str]]:
        """The frames among these and all that stands wholly on them, and the nodes among these and on them."""
        scene = self.canvas.scene()
        chosen = {
            key: rect_of(scene.backdrop.rect(key))
            for key in scene.backdrop.frames
            if key in ids
        }
        nodes = {key for key in ids if key in scene.boxes}
        boxes = {key: rect_of(box.rect) for key, box in scene.boxes.items()}
        others = {
            key: rect_of(scene.backdrop.rect(key))
            for key in scene.backdrop.frames
            if key not in chosen
        }
        for rect in [
            rect
            for key, rect in chosen.items()
            if scene.backdrop.frames[key].kind == "frame"
        ]:
            nodes.update(frames.held(rect, boxes))
            chosen.update({key: others[key] for key in frames.held(rect, others)})
        return list(chosen), sorted(nodes)

    # --- making -------------------------------------------------------------------------------------------------

    def frame_selected(self) -> None:
        """A frame around the selected nodes and notes, or one in the middle of the view; its title is asked for."""
        scene = self.canvas.scene()
        chosen = {key: scene.boxes[key].rect for key in self.canvas.chosen_nodes()}
        chosen |= {
            key: scene.backdrop.rect(key)
            for key in scene.backdrop.frames
            if key in scene.selection
        }
        if chosen:
            self._add("frame", frame_around(chosen))
        else:
            self._add("frame", self._at(paste_place(self.canvas), EMPTY))

    def add_note(self, at: QPointF | None = None) -> None:
        """A note: at a point, or above what is selected, or where pasted things go; it can be typed into at once."""
        chosen = self.canvas.chosen_nodes()
        if at is None and chosen:
            corner = self.canvas.scene().boxes[chosen[-1]].rect.topLeft() - QPointF(
                0, NOTE[1] + 24
            )
            self._add("note", self._clear(QRectF(corner, QSizeF(*NOTE)), upwards=True))
        elif at is None:
            self._add("note", self._clear(self._at(paste_place(self.canvas), NOTE)))
        else:
            self._add("note", self._at(at, NOTE))

    def _clear(self, rect: QRectF, *, upwards: bool = False) -> QRectF:
        """The first place from there, up or down, where it covers no node, no wire and no other note."""
        scene = self.canvas.scene()
        step = -STEP if upwards else STEP
        notes = [
            scene.backdrop.rect(key)
            for key, frame in scene.backdrop.frames.items()
            if frame.kind == "note"
        ]
        for _ in range(200):
            room = rect.adjusted(-8, -8, 8, 8)
            if not scene.touched(room) and not any(
                note.intersects(room) for note in notes
            ):
                break
            rect.translate(0, step)
        return rect

    def _at(self, middle: QPointF, size: tuple[float, float]) -> QRectF:
        return QRectF(
            *on_grid(middle.x() - size[0] / 2, middle.y() - size[1] / 2), *size
        )

    def _add(self, kind: Kind, rect: QRectF) -> None:
        made = [""]

        def change(design: Design) -> Design:
            design, made[0] = frames.add(design, kind, rect_of(rect))
            return design

        if self.canvas.commands.edit(f"Add a {kind}", change):
            self.canvas.select({made[0]})
            self.canvas.camera.reveal(rect)
            self.text.open(made[0])

    # --- changing -----------------------------------------------------------------------------------------------

    def shift(
        self,
        moved: Mapping[str, QRectF],
        nodes: Mapping[str, QPointF],
        by: QPointF,
        merge: str = "",
    ) -> None:
        """Frames and nodes that go together. Both are given as they stand before."""
        rects = {key: rect_of(rect.translated(by)) for key, rect in moved.items()}
        places: dict[str, Position] = {
            key: (at.x() + by.x(), at.y() + by.y()) for key, at in nodes.items()
        }

        def change(design: Design) -> Design:
            return frames.place(edits.move(design, places) if places else design, rects)

        self.canvas.commands.edit(
            "Move what is framed" if nodes else "Move", change, merge=merge
        )

    def arrange(self, positions: Mapping[str, Position]) -> bool:
        """Nodes put elsewhere by a layout, which knows nothing of frames: each goes on holding what it held, with the
        same room around it, and the notes on it go along.
        """
        rects = _following_frames(self.canvas.scene(), positions)

        def change(design: Design) -> Design:
            return frames.place(
                edits.without_dots(edits.move(design, positions), positions), rects
            )

        return self.canvas.commands.edit("Arrange", change)

    def nudge(self, dx: float, dy: float) -> bool:
        """The same by keys. False when no frame is selected."""
        scene = self.canvas.scene()
        if not scene.backdrop.frames.keys() & scene.selection:
            return False
        moved, nodes = self.with_content(scene.selection)
        rects = {key: scene.backdrop.rect(key) for key in moved}
        corners = {key: scene.boxes[key].rect.topLeft() for key in nodes}
        self.shift(
            rects,
            corners,
            QPointF(dx, dy),
            merge="nudge " + " ".join(sorted((*moved, *nodes))),
        )
        return True

    def grow(self, dx: float, dy: float) -> bool:
        """The right and lower side of the selected frames, by keys. False when anything else is selected too."""
        scene = self.canvas.scene()
        chosen = scene.backdrop.frames.keys() & scene.selection
        if not chosen or len(chosen) < len(scene.selection):
            return False
        rects = {
            key: rect_of(scene.backdrop.rect(key).adjusted(0, 0, dx, dy))
            for key in chosen
        }
        merge = "resize " + " ".join(sorted(chosen))
        self.canvas.commands.edit(
            "Resize", lambda design: frames.place(design, rects), merge=merge
        )
        return True

    def resize(self, key: str, rect: QRectF) -> None:
        self.canvas.commands.edit(
            "Resize", lambda design: frames.place(design, {key: rect_of(rect)})
        )

    def fit(self, key: str) -> None:
        """A frame as large as what stands on it needs; a note as high as its text."""
        scene = self.canvas.scene()
        rect = scene.backdrop.rect(key)
        frame = scene.backdrop.frames[key]
        if frame.kind == "note":
            self.resize(
                key,
                QRectF(
                    rect.x(),
                    rect.y(),
                    rect.width(),
                    height_of(frame.text, rect.width()),
                ),
            )
            return
        content = self.content(key)
        if content:
            self.resize(key, frame_around(content))
        else:
            self.canvas.tell(
                "Nothing stands wholly inside of this frame, to which it could be fitted."
            )

    def content(self, key: str) -> dict[str, QRectF]:
        """What stands on a frame, and where."""
        scene = self.canvas.scene()
        inner, nodes = self.with_content({key})
        found = {other: scene.backdrop.rect(other) for other in inner if other != key}
        return found | {node: scene.boxes[node].rect for node in nodes}

    def select_content(self, key: str) -> None:
        self.canvas.select(self.content(key).keys())

    # --- going --------------------------------------------------------------------------------------------------

    def next(self) -> None:
        """To the next frame or note, from left to right and top to bottom."""
        scene = self.canvas.scene()
        order = sorted(
            scene.backdrop.frames,
            key=lambda key: (
                scene.backdrop.rect(key).x(),
                scene.backdrop.rect(key).y(),
            ),
        )
        if not order:
            self.canvas.tell(
                "There is no frame and no note. Ctrl+G puts a frame around what is selected."
            )
            return
        chosen = next(
            (
                key
                for key in reversed(self.canvas.order)
                if key in scene.backdrop.frames
            ),
            "",
        )
        self.canvas.reveal(
            order[(order.index(chosen) + 1) % len(order)] if chosen else order[0]
        )


def still_holding(scene: CanvasScene, before: Design, after: Design) -> Design:
    """Return `after` with frames that hold what they held before nodes were moved."""
    positions = before.positions
    moved = {
        key: position
        for key, position in after.positions.items()
        if key in positions and positions[key] != position
    }
    if not moved:
        return after
    return frames.place(after, _following_frames(scene, moved))


def _following_frames(
    scene: CanvasScene, positions: Mapping[str, Position]
) -> dict[str, Rect]:
    """Return the rectangles of frames that go on holding nodes at these new positions.

    Each keeps the same room around what it holds; the notes on it go along.
    """
    boxes = {key: rect_of(box.rect) for key, box in scene.boxes.items()}
    notes = {
        frame.id: frame.rect
        for frame in scene.backdrop.frames.values()
        if frame.kind == "note"
    }
    rects: dict[str, Rect] = {}
    for key, frame in scene.backdrop.frames.items():
        nodes = frames.held(frame.rect, boxes)
        if frame.kind == "note" or positions.keys().isdisjoint(nodes):
            continue
        moved = [
            (*positions.get(node, boxes[node][:2]), *boxes[node][2:]) for node in nodes
        ]
        left, top, right, bottom = _bounds([boxes[node] for node in nodes])
        new_left, new_top, new_right, new_bottom = _bounds(moved)
        x, y, width, height = frame.rect
        rects[key] = (
            x + new_left - left,
            y + new_top - top,
            width + (new_right - new_left) - (right - left),
            height + (new_bottom - new_top) - (bottom - top),
        )
        for note in frames.held(frame.rect, notes):
            x, y, width, height = notes[note]
            rects[note] = (x + new_left - left, y + new_top - top, width, height)
    return rects


def _bounds(rects: Sequence[Rect]) -> Rect:
    """Left, top, right and bottom of all."""
    return (
        min(rect[0] for rect in rects),
        min(rect[1] for rect in rects),
        max(rect[0] + rect[2] for rect in rects),
        max(rect[1] + rect[3] for rect in rects),
    )
