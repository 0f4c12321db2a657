"""What is done with frames and notes by keys, menus and gestures. Each is one undo step, as in `commands`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSizeF

from designer.canvas.drawing.frames import NOTE, frame_around, height_of
from designer.canvas.drawing.geometry import on_grid, rect_of
from designer.canvas.verbs.placing import paste_place
from designer.model import edits, frames
from designer.model.design import Design, Position, Rect
from designer.model.frames import Kind

if TYPE_CHECKING:
    from designer.canvas.view import CanvasView

EMPTY = (320.0, 200.0)  # a frame around nothing
STEP = 24


class FrameVerbs:
    """`view` lends the selection, the scene, and the place where things go."""

    def __init__(self, view: CanvasView) -> None:
        self.view = view

    def with_content(self, ids: Collection[str]) -> tuple[list[str], list[str]]:
        """The frames among these and all that stands wholly on them, and the nodes among these and on them."""
        scene = self.view.scene()
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
        scene = self.view.scene()
        chosen = {key: scene.boxes[key].rect for key in self.view.chosen_nodes()}
        chosen |= {
            key: scene.backdrop.rect(key)
            for key in scene.backdrop.frames
            if key in scene.selection
        }
        if chosen:
            self._add("frame", frame_around(chosen))
        else:
            self._add("frame", self._at(paste_place(self.view), EMPTY))

    def add_note(self, at: QPointF | None = None) -> None:
        """A note: at a point, or above what is selected, or where pasted things go; it can be typed into at once."""
        chosen = self.view.chosen_nodes()
        if at is None and chosen:
            corner = self.view.scene().boxes[chosen[-1]].rect.topLeft() - QPointF(
                0, NOTE[1] + 24
            )
            self._add("note", self._clear(QRectF(corner, QSizeF(*NOTE)), upwards=True))
        elif at is None:
            self._add("note", self._clear(self._at(paste_place(self.view), NOTE)))
        else:
            self._add("note", self._at(at, NOTE))

    def _clear(self, rect: QRectF, *, upwards: bool = False) -> QRectF:
        """The first place from there, up or down, where it covers no node, no wire and no other note."""
        scene = self.view.scene()
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

        if self.view.commands.edit(f"Add a {kind}", change):
            self.view.select({made[0]})
            self.view.camera.reveal(rect)
            self.view.frame_text.open(made[0])

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

        self.view.commands.edit(
            "Move what is framed" if nodes else "Move", change, merge=merge
        )

    def arrange(self, positions: Mapping[str, Position]) -> bool:
        """Nodes put elsewhere by a layout, which knows nothing of frames: each goes on holding what it held, with the
        same room around it, and the notes on it go along.
        """
        rects = self._following(positions)

        def change(design: Design) -> Design:
            return frames.place(
                edits.without_dots(edits.move(design, positions), positions), rects
            )

        return self.view.commands.edit("Arrange", change)

    def holding(self, before: Design, after: Design) -> Design:
        """`after`, with frames that go on holding what they held before nodes were moved in it."""
        there = before.positions
        moved = {
            key: at
            for key, at in after.positions.items()
            if key in there and there[key] != at
        }
        return frames.place(after, self._following(moved)) if moved else after

    def _following(self, positions: Mapping[str, Position]) -> dict[str, Rect]:
        scene = self.view.scene()
        found = dict[str, Rect]()
        boxes = {key: rect_of(box.rect) for key, box in scene.boxes.items()}
        for key, frame in scene.backdrop.frames.items():
            nodes = frames.held(frame.rect, boxes)
            if frame.kind == "note" or positions.keys().isdisjoint(nodes):
                continue
            x, y, width, height = frame.rect
            old = [boxes[node] for node in nodes]
            new = [
                (*positions.get(node, boxes[node][:2]), *boxes[node][2:])
                for node in nodes
            ]
            (left, top, right, bottom), (to_left, to_top, to_right, to_bottom) = (
                _bounds(old),
                _bounds(new),
            )
            found[key] = (
                x + to_left - left,
                y + to_top - top,
                width + (to_right - to_left) - (right - left),
                height + (to_bottom - to_top) - (bottom - top),
            )
            others = {
                other.id: other.rect
                for other in scene.backdrop.frames.values()
                if other.kind == "note"
            }
            for note in frames.held(frame.rect, others):
                nx, ny, wide, high = others[note]
                found[note] = (nx + to_left - left, ny + to_top - top, wide, high)
        return found

    def nudge(self, dx: float, dy: float) -> bool:
        """The same by keys. False when no frame is selected."""
        scene = self.view.scene()
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
        scene = self.view.scene()
        chosen = scene.backdrop.frames.keys() & scene.selection
        if not chosen or len(chosen) < len(scene.selection):
            return False
        rects = {
            key: rect_of(scene.backdrop.rect(key).adjusted(0, 0, dx, dy))
            for key in chosen
        }
        merge = "resize " + " ".join(sorted(chosen))
        self.view.commands.edit(
            "Resize", lambda design: frames.place(design, rects), merge=merge
        )
        return True

    def resize(self, key: str, rect: QRectF) -> None:
        self.view.commands.edit(
            "Resize", lambda design: frames.place(design, {key: rect_of(rect)})
        )

    def fit(self, key: str) -> None:
        """A frame as large as what stands on it needs; a note as high as its text."""
        scene = self.view.scene()
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
            self.view.tell(
                "Nothing stands wholly inside of this frame, to which it could be fitted."
            )

    def content(self, key: str) -> dict[str, QRectF]:
        """What stands on a frame, and where."""
        scene = self.view.scene()
        inner, nodes = self.with_content({key})
        found = {other: scene.backdrop.rect(other) for other in inner if other != key}
        return found | {node: scene.boxes[node].rect for node in nodes}

    def select_content(self, key: str) -> None:
        self.view.select(self.content(key).keys())

    def set_text(self, key: str, text: str, merge: str) -> None:
        """Other words; a note grows with them, and does not shrink."""
        x, y, width, height = self.view.scene().backdrop.frames[key].rect
        note = self.view.scene().backdrop.frames[key].kind == "note"
        rect = (x, y, width, max(height, height_of(text, width)) if note else height)
        words = "Write in a note" if note else "Name a frame"

        def change(design: Design) -> Design:
            return frames.place(frames.set_text(design, key, text), {key: rect})

        self.view.commands.edit(words, change, merge=merge)

    # --- going --------------------------------------------------------------------------------------------------

    def next(self) -> None:
        """To the next frame or note, from left to right and top to bottom."""
        scene = self.view.scene()
        order = sorted(
            scene.backdrop.frames,
            key=lambda key: (
                scene.backdrop.rect(key).x(),
                scene.backdrop.rect(key).y(),
            ),
        )
        if not order:
            self.view.tell(
                "There is no frame and no note. Ctrl+G puts a frame around what is selected."
            )
            return
        chosen = next(
            (key for key in reversed(self.view.order) if key in scene.backdrop.frames),
            "",
        )
        self.view.reveal(
            order[(order.index(chosen) + 1) % len(order)] if chosen else order[0]
        )


def _bounds(rects: Sequence[Rect]) -> Rect:
    """Left, top, right and bottom of all."""
    return (
        min(rect[0] for rect in rects),
        min(rect[1] for rect in rects),
        max(rect[0] + rect[2] for rect in rects),
        max(rect[1] + rect[3] for rect in rects),
    )
