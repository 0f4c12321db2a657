"""The right pane of the timeline: the fields of one checkpoint, its tags
and its note.
"""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QScrollArea, QWidget

from designer.look.proof_marks import MARKS
from designer.look.theme import Look
from designer.panels.timeline.marks import paint_mark
from designer.panels.timeline.sizes import SizesPane
from designer.panels.timeline.words import (
    is_foreign,
    mark_kind,
    newest_row,
    proof_words,
    size,
)
from designer.panels.widgets.basic import (
    ElidedLabel,
    icon_button,
    label,
    scrolling,
    set_style,
)
from designer.qt.layouts import column, put, row
from designer.session.session import DebugSession
from runtime.debug.protocol import HEADER_CAPTIONS, Header, Moment, header_rows
from runtime.values.words import counted

GRAPH = "Graph"
PROOF = "Restore proof"
CAPTIONS = (
    "Cause",
    "Queued",
    "Buffered",
    "Requests",
    "Stored",
    "Saved",
    PROOF,
    GRAPH,
    *HEADER_CAPTIONS,
    "Tags",
    "Note",
)
# px, that of a bare field, so that labels and editable fields align
FIELD_PADDING = 7
ROW = 22
SIZES = "Sizes of the parts, and how they grew"
NOTHING = "Click a checkpoint to see what it holds."


class MarkView(QWidget):
    """The mark of the checkpoint, painted beside its number."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._kind = "superstep"
        self._past = False
        self.setFixedSize(16, 16)
        look.changed.connect(self.update)

    def show_mark(self, kind: str, *, past: bool) -> None:
        self._kind = kind
        self._past = past
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._look.theme
        paint_mark(
            painter,
            self._kind,
            QPointF(8, 8),
            theme,
            colour=theme.past if self._past else None,
        )


class TimelineDetails(QWidget):
    """The fields of the checkpoint that `show_checkpoint` names.

    `menu_requested` is emitted by the button with three dots.
    """

    menu_requested = Signal()

    def __init__(self, session: DebugSession, look: Look) -> None:
        super().__init__()
        self._session = session
        self._id = ""
        self.mark = MarkView(look)
        self.name = label("", "strong")
        self.place = ElidedLabel("", "secondary")
        self.more = icon_button(
            look,
            "more",
            "Actions for this checkpoint",
            self.menu_requested.emit,
        )
        self.sizes_button = icon_button(look, "data", SIZES, self._toggle_sizes)
        self.sizes_button.setCheckable(True)
        self.sizes = SizesPane(session, look)
        self.values = {caption: label("", wrap=True) for caption in CAPTIONS[:-2]}
        for value in self.values.values():
            value.setIndent(FIELD_PADDING)
        self.values["Stored"].setProperty("role", "data")
        self.tags = _field("Tags, separated by commas")
        self.note = _field("A note for people")
        self.tags.editingFinished.connect(self._store_tags)
        self.note.editingFinished.connect(self._store_note)
        self._body = QWidget()
        self._fill_body()
        layout = column(self, margins=(12, 4, 8, 0), gap=4)
        self.head = put(
            layout,
            row(
                self.mark,
                self.name,
                (self.place, 1),
                self.sizes_button,
                self.more,
                gap=8,
            ),
        )
        self.nothing = label(NOTHING, "secondary", wrap=True)
        layout.addWidget(self.nothing)
        self._fields = self._scrolling(self._body)
        layout.addWidget(self._fields, 1)
        self._sizes_area = self._scrolling(self.sizes)
        layout.addWidget(self._sizes_area, 1)

    def _scrolling(self, body: QWidget) -> QScrollArea:
        """Return a scroll area around the fields, so that a low panel still reaches
        each one.
        """
        area = scrolling(body)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setMinimumHeight(1)
        return area

    def _fill_body(self) -> None:
        grid = QGridLayout(self._body)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(1)
        grid.setVerticalSpacing(0)
        grid.setColumnMinimumWidth(0, 88)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(len(CAPTIONS), 1)
        fields: dict[str, QWidget] = {
            **self.values,
            "Tags": self.tags,
            "Note": self.note,
        }
        self._grid = grid
        self._captions = {caption: label(caption, "secondary") for caption in CAPTIONS}
        for place, caption in enumerate(CAPTIONS):
            grid.setRowMinimumHeight(place, ROW)
            grid.addWidget(self._captions[caption], place, 0)
            grid.addWidget(fields[caption], place, 1)

    def show_checkpoint(self, checkpoint_id: str) -> None:
        """Show a checkpoint, or nothing for an id that is not on the timeline."""
        timeline = self._session.timeline
        number = timeline.row_of(checkpoint_id)
        header = timeline.header(checkpoint_id)
        self._id = checkpoint_id if header is not None else ""
        head = (self.mark, self.name, self.place, self.sizes_button, self.more)
        for part in head:
            part.setVisible(header is not None)
        self.nothing.setVisible(header is None and timeline.rowCount() > 0)
        shows_sizes = self.sizes_button.isChecked()
        self._fields.setVisible(header is not None and not shows_sizes)
        self._sizes_area.setVisible(header is not None and shows_sizes)
        if header is None or number is None:
            return
        if shows_sizes:
            self.sizes.show_checkpoint(number)
        self.mark.show_mark(
            mark_kind(timeline, number), past=self._session.viewing == checkpoint_id
        )
        self.name.setText(timeline.name(checkpoint_id))
        self.place.setText(
            f"superstep {header.superstep} · {header.branch or 'branch not known'}"
        )
        self._show_values(header)

    def _toggle_sizes(self) -> None:
        self.show_checkpoint(self._id)

    def _show_fields(self) -> None:
        if self.sizes_button.isChecked():
            self.sizes_button.setChecked(False)
            self._toggle_sizes()

    def edit_tags(self) -> None:
        self._show_fields()
        self.tags.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def edit_note(self) -> None:
        self._show_fields()
        self.note.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _show_values(self, header: Header) -> None:
        moment = self._session.moment
        # The moment may still be that of another checkpoint, until this one is loaded.
        loaded = moment.header if moment is not None else None
        if loaded is None or loaded.id != header.id:
            moment = None
        queued = counted(header.queued, "message") if header.queued else "nothing"
        buffered = _buffered(header, moment)
        if header.stalled:
            buffered += f", {counted(header.stalled, 'join')} stalled"
        saved = ""
        if header.time:
            time = datetime.fromtimestamp(header.time).astimezone()
            saved = time.strftime("%H:%M:%S, %d %B %Y")
        requests = _requests(header, moment)
        self._say("Cause", self._cause(header), "bad" if header.damaged else "")
        self._say("Queued", queued)
        self._say("Buffered", buffered, "warn" if header.buffered else "")
        self._say("Requests", requests, "ask" if header.requests else "")
        self._say("Stored", f"{size(header.new_size)} new of {size(header.size)}")
        self._say("Saved", saved)
        self._allow_fields()
        proof = self._session.proof.item(header.id)
        tone = "" if proof is None else MARKS[proof.outcome].role
        self._say(PROOF, "" if proof is None else proof_words(proof), tone)
        self._show_row(PROOF, is_shown=proof is not None)
        graph = self._graph(header)
        self._say(GRAPH, graph, "warn")
        self._show_row(GRAPH, is_shown=bool(graph))
        rows = dict(header_rows(header))
        for caption in HEADER_CAPTIONS:
            # Most checkpoints have no such facts, and an empty row says nothing.
            self._say(caption, rows.get(caption, ""))
            self._show_row(caption, is_shown=caption in rows)
        _fill(self.tags, ", ".join(header.tags))
        _fill(self.note, header.note)

    def _show_row(self, caption: str, *, is_shown: bool) -> None:
        self._captions[caption].setVisible(is_shown)
        self.values[caption].setVisible(is_shown)
        place = CAPTIONS.index(caption)
        self._grid.setRowMinimumHeight(place, ROW if is_shown else 0)

    def _allow_fields(self) -> None:
        why_not = self._session.why_not_annotate
        for field in (self.tags, self.note):
            field.setReadOnly(bool(why_not))
            field.setToolTip(why_not)

    def _graph(self, header: Header) -> str:
        """Return with which checkpoint's graph that of another is not the same."""
        timeline = self._session.timeline
        head = self._session.head
        newest = newest_row(timeline, timeline.row_of(head.id) if head else None)
        if newest is None or not is_foreign(header, timeline.header_at(newest)):
            return ""
        return f"another than that of #{newest + 1}"

    def _cause(self, header: Header) -> str:
        if header.damaged:
            return f"damaged: {header.damaged}"
        parent = self._session.timeline.name(header.parent)
        row = self._session.timeline.row_of(header.id)
        if row is not None and self._session.timeline.is_after_gap(row):
            return f"{header.cause}, after a gap"
        if header.cause == "fork" and parent:
            return f"fork of {parent}"
        if header.cause == "edit" and header.changed and parent:
            return f"changed graph, from {parent}"
        return header.cause

    def _say(self, caption: str, text: str, tone: str = "") -> None:
        value: QLabel = self.values[caption]
        value.setText(text)
        set_style(value, tone=tone)

    def _store_tags(self) -> None:
        header = self._session.timeline.header(self._id)
        typed = [tag.strip() for tag in self.tags.text().split(",")]
        tags = tuple(dict.fromkeys(filter(None, typed)))  # each once, in order
        if header is not None and tags != header.tags:
            self._session.annotate(self._id, tags=tags)

    def _store_note(self) -> None:
        header = self._session.timeline.header(self._id)
        if header is not None and self.note.text().strip() != header.note:
            self._session.annotate(self._id, note=self.note.text().strip())


def _field(placeholder: str) -> QLineEdit:
    field = QLineEdit()
    field.setPlaceholderText(placeholder)
    field.setAccessibleName(placeholder)
    field.setProperty("bare", True)
    return field


def _fill(field: QLineEdit, text: str) -> None:
    """Show a text, unless the user is typing in the field."""
    if not field.hasFocus() and field.text() != text:
        field.setText(text)
        field.setCursorPosition(0)


def _buffered(header: Header, moment: Moment | None) -> str:
    if not header.buffered:
        return "nothing"
    text = counted(header.buffered, "message")
    if moment is not None:
        joins = sum(join.held > 0 for join in moment.joins)
        if joins:
            text += f" in {counted(joins, 'join')}"
    return text


def _requests(header: Header, moment: Moment | None) -> str:
    if not header.requests:
        return "none"
    text = f"{header.requests:,} open"
    if moment is not None and moment.requests:
        supersteps = sorted({request.superstep for request in moment.requests})
        text += f", asked in {', '.join(f's{step}' for step in supersteps)}"
    return text
