"""The bars of a join in its ledger: what it has now, and what it had after a superstep."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from designer.look.fonts import ui_font
from designer.look.theme import Look, Theme
from runtime.debug.protocol import JoinFill, JoinMoment

CROWDED = 24  # sources; more of them share one bar
SHARED = 96  # px, of that bar


class Segments(QWidget):
    """The bar of a join, horizontal: a segment per source in source order, missing ones
    dashed. Many sources share one bar, as full as there are sources with messages.
    """

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._join: JoinMoment | None = None
        look.changed.connect(self.update)

    def show_join(self, join: JoinMoment) -> None:
        self._join = join
        width = (_bar_segment(join) + 4) * len(join.sources)
        self.setFixedSize(SHARED if len(join.sources) > CROWDED else width, 12)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._join is None:
            return
        theme = self._look.theme
        join = self._join
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if len(join.sources) > CROWDED:
            released = [source.released for source in join.sources]
            have = [source.have for source in join.sources]
            bar = QRectF(1.5, 2.5, SHARED - 3, 7)
            _paint_shared(painter, bar, released, have, theme)
            return
        width = _bar_segment(join)
        for index, source in enumerate(join.sources):
            rect = QRectF(index * (width + 4) + 1.5, 2.5, width - 1, 7)
            is_awaited = join.held and not source.disabled and not join.fired
            painter.setBrush(Qt.BrushStyle.NoBrush)
            if source.released:
                pen = QPen(theme.ok, 1.2)
                painter.setBrush(theme.ok)
            elif source.have:
                pen = QPen(theme.warn, 1.2)
                painter.setBrush(theme.warnFill)
            elif is_awaited:
                pen = QPen(theme.warn, 1.2, Qt.PenStyle.CustomDashLine)
                pen.setDashPattern([2.2, 2])
            else:
                pen = QPen(theme.edge, 1.2)
            painter.setPen(pen)
            painter.drawRoundedRect(rect, 3, 3)


def _bar_segment(join: JoinMoment) -> int:
    """Return the width of a segment: smaller with more sources, so that the words
    beside the bar have room.
    """
    return max(4, min(27, 96 // max(1, len(join.sources)) - 4))


class Fill(QAbstractButton):
    """What a join had after a superstep, a segment per source; what it released is in
    the colour of a fired join. A click views the superstep.
    """

    def __init__(
        self,
        look: Look,
        view: Callable[[int], object],
        title: Callable[[str], str],
    ) -> None:
        super().__init__()
        self._look = look
        self._title = title
        self._fill = JoinFill(superstep=0)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.clicked.connect(lambda _checked: view(self._fill.superstep))
        look.changed.connect(self.update)

    def show_fill(self, join: JoinMoment, fill: JoinFill) -> None:
        self._fill = fill
        self.setFixedSize(fill_width(len(fill.have)), 36)
        words = self._words(join, fill)
        self.setToolTip(words)
        self.setAccessibleName(words)
        self.update()

    def _words(self, join: JoinMoment, fill: JoinFill) -> str:
        words = f"Superstep {fill.superstep}: "
        names = [self._title(source.id) for source in join.sources]
        left = _counts(names, fill.released)
        if left:
            words += f"released {left}; "
        return f"{words}holds {_counts(names, fill.have) or 'nothing'}"

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._look.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter)
        if len(self._fill.have) > CROWDED:
            bar = QRectF(4.5, 3.5, self.width() - 9, 12)
            _paint_shared(painter, bar, self._fill.released, self._fill.have, theme)
            self._paint_words(painter)
            return
        count = max(1, len(self._fill.have))
        width = _segment_width(count)
        left = (self.width() - count * (width + 2) + 2) / 2
        for index, have in enumerate(self._fill.have):
            rect = QRectF(left + index * (width + 2) + 0.5, 3.5, width - 1, 12)
            painter.setPen(QPen(theme.edge, 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            if self._fill.released[index]:
                painter.setPen(QPen(theme.ok, 1))
                painter.setBrush(theme.ok)
            elif have:
                painter.setPen(QPen(theme.warn, 1))
                painter.setBrush(theme.warnFill)
            painter.drawRoundedRect(rect, 2, 2)
        self._paint_words(painter)

    def _paint_words(self, painter: QPainter) -> None:
        theme = self._look.theme
        painter.setFont(ui_font(11))
        painter.setPen(theme.text2)
        text = f"s{self._fill.superstep}"
        if any(self._fill.released):
            text = f"fired {text}"
        area = QRectF(0, 18, self.width(), 16)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_ground(self, painter: QPainter) -> None:
        """Paint that the mouse or the focus is here."""
        theme = self._look.theme
        rect = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.underMouse():
            painter.setBrush(theme.hover)
        if self.hasFocus():
            painter.setPen(QPen(theme.accent, 1))
        painter.drawRoundedRect(rect, 4, 4)


def _paint_shared(
    painter: QPainter,
    bar: QRectF,
    released: Sequence[int],
    have: Sequence[int],
    theme: Theme,
) -> None:
    """Paint one bar for all sources."""
    has_fired = any(released)
    counts = released if has_fired else have
    share = sum(map(bool, counts)) / max(1, len(counts))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.ok if has_fired else theme.warnFill)
    painter.drawRect(QRectF(bar.topLeft(), QSizeF(bar.width() * share, bar.height())))
    painter.setPen(QPen(theme.edge, 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(bar, 2, 2)


def _counts(names: Sequence[str], counts: Sequence[int]) -> str:
    parts = [
        f"{count} from {name}"
        for name, count in zip(names, counts, strict=False)
        if count
    ]
    return ", ".join(parts)


def _segment_width(sources: int) -> int:
    return max(4, min(9, 40 // max(1, sources)))


def fill_width(sources: int) -> int:
    """Return the width of a superstep, which has room for "fired s12"."""
    if sources > CROWDED:
        return 52
    return max(52, sources * (_segment_width(sources) + 2) + 6)
