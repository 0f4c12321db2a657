"""What keys, menus and gestures do to frames and notes. Each is one undo step."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSizeF

from designer.canvas.base import Canvas
from designer.canvas.drawing.frames import NOTE, frame_around, height_of
from designer.canvas.drawing.geometry import on_grid, rect_of
from designer.canvas.verbs.frame_text import FrameText
from designer.canvas.verbs.places import paste_place
from designer.model import edits, frames
from designer.model.design import Design, Position, Rect
from designer.model.frames import Kind

if TYPE_CHECKING:
    from designer.canvas.drawing.scene import CanvasScene

EMPTY = (320.0, 200.0)  # the size of a frame around nothing
STEP = 24  # by which a note is moved until it covers nothing


class FrameVerbs:
    """The canvas lends the selection, the scene, and the place where things go."""

    def __init__(self, canvas: Canvas, text: FrameText) -> None:
        self.canvas = canvas
        self.text = text

    def with_content(self, ids: Collection[str]) -> tuple[list[str], list[str]]:
        """Return the frames and notes among these ids and the nodes among them, with
        all that is wholly on those frames.
        """
        scene = self.canvas.scene()
        backdrop = scene.backdrop
        rects = {key: rect_of(backdrop.rect(key)) for key in backdrop.frames}
        boxes = {key: rect_of(box.rect) for key, box in scene.boxes.items()}
        others = {key: rect for key, rect in rects.items() if key not in ids}
        chosen = [key for key in rects if key in ids]
        nodes = {key for key in ids if key in boxes}
        held: dict[str, Rect] = {}
        for key in chosen:
            if backdrop.frames[key].kind == "frame":
                nodes.update(frames.held(rects[key], boxes))
                for inner in frames.held(rects[key], others):
                    held[inner] = others[inner]
        return [*chosen, *held], sorted(nodes)

    # --- adding -----------------------------------------------------------------------

    def frame_selected(self) -> None:
        """Add a frame around the selected nodes and notes, or one in the middle of the
        view, and ask for its title.
        """
        scene = self.canvas.scene()
        backdrop = scene.backdrop
        rects = {key: scene.boxes[key].rect for key in self.canvas.chosen_nodes()}
        for key in backdrop.frames:
            if key in scene.selection:
                rects[key] = backdrop.rect(key)
        if rects:
            self._add("frame", frame_around(rects))
        else:
            self._add("frame", _around(paste_place(self.canvas), EMPTY))

    def add_note(self, middle: QPointF | None = None) -> None:
        """Add a note that can be typed into at once.

        Without a place it goes above what is selected, or where pasted things go.
        """
        if middle is not None:
            self._add("note", _around(middle, NOTE))
            return
        chosen = self.canvas.chosen_nodes()
        if chosen:
            corner = self.canvas.scene().boxes[chosen[-1]].rect.topLeft()
            rect = QRectF(corner - QPointF(0, NOTE[1] + STEP), QSizeF(*NOTE))
            self._add("note", self._clear(rect, -STEP))
        else:
            rect = _around(paste_place(self.canvas), NOTE)
            self._add("note", self._clear(rect, STEP))

    def _clear(self, rect: QRectF, step: float) -> QRectF:
        """Return the first place, by steps down or up, that covers no node, no wire and
        no other note.
        """
        scene = self.canvas.scene()
        notes = [
            scene.backdrop.rect(key)
            for key, frame in scene.backdrop.frames.items()
            if frame.kind == "note"
        ]
        for _ in range(200):
            room = rect.adjusted(-8, -8, 8, 8)
            on_note = any(note.intersects(room) for note in notes)
            if not on_note and not scene.touched(room):
                break
            rect.translate(0, step)
        return rect

    def _add(self, kind: Kind, rect: QRectF) -> None:
        ids: list[str] = []

        def change(design: Design) -> Design:
            design, key = frames.add(design, kind, rect_of(rect))
            ids.append(key)
            return design

        if self.canvas.commands.edit(f"Add a {kind}", change):
            self.canvas.select(ids)
            self.canvas.camera.reveal(rect)
            self.text.open(ids[0])

    # --- changing ---------------------------------------------------------------------

    def shift(
        self,
        moved: Mapping[str, QRectF],
        nodes: Mapping[str, QPointF],
        by: QPointF,
        merge: str = "",
    ) -> None:
        """Move frames and nodes together; both are given as they are before."""
        rects = {key: rect_of(rect.translated(by)) for key, rect in moved.items()}
        positions: dict[str, Position] = {
            key: (corner + by).toTuple() for key, corner in nodes.items()
        }

        def change(design: Design) -> Design:
            if positions:
                design = edits.move(design, positions)
            return frames.place(design, rects)

        words = "Move what is framed" if nodes else "Move"
        self.canvas.commands.edit(words, change, merge=merge)

    def arrange(self, positions: Mapping[str, Position]) -> bool:
        """Move nodes to where a layout puts them, and frames with them.

        A layout knows nothing of frames: each goes on holding what it held.
        """
        rects = _following_frames(self.canvas.scene(), positions)

        def change(design: Design) -> Design:
            moved = edits.without_dots(edits.move(design, positions), positions)
            return frames.place(moved, rects)

        return self.canvas.commands.edit("Arrange", change)

    def nudge(self, dx: float, dy: float) -> bool:
        """Move the selected frames with what is on them. Return False without a frame."""
        scene = self.canvas.scene()
        if scene.selection.isdisjoint(scene.backdrop.frames):
            return False
        moved, nodes = self.with_content(scene.selection)
        rects = {key: scene.backdrop.rect(key) for key in moved}
        corners = {key: scene.boxes[key].rect.topLeft() for key in nodes}
        merge = "nudge " + " ".join(sorted((*moved, *nodes)))
        self.shift(rects, corners, QPointF(dx, dy), merge=merge)
        return True

    def grow(self, dx: float, dy: float) -> bool:
        """Move the right and lower side of the selected frames.

        Return False when none is selected, or anything else is too.
        """
        backdrop = self.canvas.scene().backdrop
        selection = self.canvas.selection
        if not selection or not selection <= backdrop.frames.keys():
            return False
        rects = {
            key: rect_of(backdrop.rect(key).adjusted(0, 0, dx, dy)) for key in selection
        }
        merge = "resize " + " ".join(sorted(selection))
        self._place(rects, merge)
        return True

    def resize(self, key: str, rect: QRectF) -> None:
        """Give a frame or note another rectangle."""
        self._place({key: rect_of(rect)})

    def _place(self, rects: Mapping[str, Rect], merge: str = "") -> None:
        self.canvas.commands.edit(
            "Resize", lambda design: frames.place(design, rects), merge=merge
        )

    def fit(self, key: str) -> None:
        """Make a frame as large as its content needs, or a note as high as its text."""
        backdrop = self.canvas.scene().backdrop
        rect = backdrop.rect(key)
        frame = backdrop.frames[key]
        if frame.kind == "note":
            rect.setHeight(height_of(frame.text, rect.width()))
            self.resize(key, rect)
            return
        content = self.content(key)
        if content:
            self.resize(key, frame_around(content))
        else:
            self.canvas.tell("Nothing is wholly inside this frame to fit it to.")

    def content(self, key: str) -> dict[str, QRectF]:
        """Return what is on a frame, and where."""
        scene = self.canvas.scene()
        inner, nodes = self.with_content({key})
        rects = {other: scene.backdrop.rect(other) for other in inner if other != key}
        return rects | {node: scene.boxes[node].rect for node in nodes}

    def select_content(self, key: str) -> None:
        """Select what is on a frame."""
        self.canvas.select(self.content(key).keys())

    # --- going ------------------------------------------------------------------------

    def next(self) -> None:
        """Go to the next frame or note, from left to right and top to bottom."""
        backdrop = self.canvas.scene().backdrop
        corners = {key: backdrop.rect(key).topLeft() for key in backdrop.frames}
        order = sorted(corners, key=lambda key: corners[key].toTuple())
        if not order:
            self.canvas.tell(
                "There is no frame and no note. Ctrl+G puts a frame around what is selected."
            )
            return
        chosen = next(
            (key for key in reversed(self.canvas.order) if key in corners), ""
        )
        place = order.index(chosen) + 1 if chosen else 0
        self.canvas.reveal(order[place % len(order)])


def _around(middle: QPointF, size: tuple[float, float]) -> QRectF:
    """Return a rectangle of a size around a point, on the grid."""
    width, height = size
    x, y = on_grid(middle.x() - width / 2, middle.y() - height / 2)
    return QRectF(x, y, width, height)


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
    """Return the left, top, right and bottom of all of them."""
    return (
        min(rect[0] for rect in rects),
        min(rect[1] for rect in rects),
        max(rect[0] + rect[2] for rect in rects),
        max(rect[1] + rect[3] for rect in rects),
    )
