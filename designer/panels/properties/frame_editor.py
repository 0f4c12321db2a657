"""Properties of a frame or note: its text."""

from __future__ import annotations

from designer.model import edits, frames
from designer.model.frames import Frame
from designer.panels.base import Panel
from designer.panels.fields.plain import MISSING, LongTextField, TextField
from designer.panels.properties.editor import Editor, FieldGrid
from designer.panels.widgets.basic import button, label
from designer.qt.layouts import put, row


class FrameEditor(Editor):
    """The editor of a frame or note. It says that a run does not see it."""

    def __init__(self, panel: Panel, frame: Frame) -> None:
        super().__init__(panel)
        self.frame_id = frame.id
        note = frame.kind == "note"
        self.header = self.add_header("text" if note else "box", "", "")
        self.add_rule()
        self.words: LongTextField | TextField = (
            LongTextField(least=4) if note else TextField()
        )
        grid = FieldGrid(self.look)
        grid.add("Text" if note else "Title", self.words, "The text on the canvas.")
        self.body.addWidget(grid)
        explanation = (
            "A run does not see it. It is moved, copied and saved with the drawing, "
            "and exported pictures show it."
        )
        self.body.addWidget(label(explanation, "secondary", wrap=True))
        self.delete = button("Delete", self._on_delete, small=True)
        self.delete.setToolTip("Delete the frame; the nodes on it stay")
        put(self.body, row(self.delete, None))
        self.body.addWidget(self.refused)
        self.body.addStretch(1)
        self.bind(self.words, self._on_words)

    def show_design(self) -> None:
        shown = [
            frame
            for frame in frames.frames_of(self.design)
            if frame.id == self.frame_id
        ]
        if not shown:
            return
        frame = shown[0]
        kind = "Note" if frame.kind == "note" else "Frame"
        self.header.say(frame.text.partition("\n")[0] or kind, kind)
        self.words.show_value(frame.text or MISSING)
        self.delete.setEnabled(not self.read_only)

    def set_read_only(self, on: bool) -> None:
        super().set_read_only(on)
        self.words.set_read_only(on)

    def _on_words(self) -> None:
        value = self.words.value()
        text = "" if value is MISSING else str(value)
        key = self.frame_id
        self.edit(
            "Change the text",
            lambda design: frames.set_text(design, key, text),
            f"frame:{key}",
        )

    def _on_delete(self) -> None:
        self.edit("Delete", lambda design: edits.remove(design, {self.frame_id}))
