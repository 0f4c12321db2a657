"""What floats over the canvas: the legend, the zoom bar, messages, and the hint of an
empty canvas. Where each part is, `floating` decides.
"""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QRegion, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QWidget,
)

from designer.canvas.drawing.glyphs import paint_glyph
from designer.canvas.drawing.marks import DOTS
from designer.canvas.drawing.style import Style, fonts, rounded, text_width
from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.qt.layouts import put, row, stack

MARGIN = 12
MESSAGE_MS = 6000


class Legend(QWidget):
    """Explains the marks that are shown; hidden when there are none."""

    HEIGHT = 28
    LINE = 20

    def __init__(self, style: Style, parent: QWidget) -> None:
        super().__init__(parent)
        self.style_ = style
        self._rows: tuple[tuple[str, str, str], ...] = ()
        self._corner = QPoint()
        self._room = 0
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_rows(self, rows: tuple[tuple[str, str, str], ...]) -> None:
        if rows != self._rows:
            self._rows = rows
            self.setAccessibleName(
                "Legend: " + ", ".join(words for _, _, words in rows)
            )
            self._fit()
            self.update()
        self.setVisible(bool(rows))

    def stand(self, corner: QPoint, room: int) -> None:
        """Put its lower left corner somewhere. It takes more lines when `room` is
        narrow.
        """
        self._corner = corner
        self._room = room
        self._fit()

    def _fit(self) -> None:
        lines = self._lines()
        width = max((sum(map(_row_width, line)) for line in lines), default=0.0)
        self.resize(round(width) + 12, self.LINE * len(lines) + self.HEIGHT - self.LINE)
        self.move(self._corner - QPoint(0, self.height()))

    def _lines(self) -> list[list[tuple[str, str, str]]]:
        """Return the marks in as many lines as they need."""
        lines: list[list[tuple[str, str, str]]] = []
        room = 0.0
        for mark in self._rows:
            if not lines or _row_width(mark) > room:
                lines.append([])
                room = self._room - 12.0
            lines[-1].append(mark)
            room -= _row_width(mark)
        return lines

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        style = self.style_
        painter.setPen(style.pen("line"))
        painter.setBrush(style.brush("panel"))
        painter.drawPath(rounded(self.width(), self.height(), 6))
        painter.setFont(fonts().words)
        for number, line in enumerate(self._lines()):
            x = 12.0
            middle = self.HEIGHT / 2 + number * self.LINE
            for glyph, role, words in line:
                self._paint_mark(painter, glyph, role, x, middle)
                painter.setPen(style.colour("text2"))
                painter.drawText(QPointF(x + _mark_width(glyph) + 6, middle + 4), words)
                x += _row_width((glyph, role, words))
        painter.end()

    def _paint_mark(
        self, painter: QPainter, glyph: str, role: str, x: float, middle: float
    ) -> None:
        colour = self.style_.colour(role)
        ground = self.style_.colour("panel")
        if glyph in ("wire", "sent"):
            painter.setPen(self.style_.pen(role, 2.25))
            painter.drawLine(QPointF(x, middle), QPointF(x + 18, middle))
            if glyph == "sent":
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(self.style_.brush(role))
                painter.drawEllipse(
                    QPointF(x + 9, middle), DOTS[-1][1] - 1, DOTS[-1][1] - 1
                )
        else:
            paint_glyph(painter, glyph, x, middle - 6, colour, ground)


def _mark_width(glyph: str) -> float:
    return 18.0 if glyph in ("wire", "sent") else 12.0


def _row_width(row: tuple[str, str, str]) -> float:
    return _mark_width(row[0]) + 6 + text_width(row[2], "words") + 16


class CopyFrame(QWidget):
    """A dashed frame around a copy that is edited: what is shown in it would be."""

    INSET = 3
    WIDTH = 2

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self._role = ""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_role(self, role: str) -> None:
        """Show the frame in a colour role; "" for no frame."""
        self._role = role
        self.setVisible(bool(role))
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # Only its rim, so that the rest of the view scrolls as fast as without it.
        whole = QRegion(self.rect())
        rim = self.INSET + self.WIDTH + 1
        self.setMask(whole - QRegion(self.rect().adjusted(rim, rim, -rim, -rim)))

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._role:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = getattr(self._look.theme, self._role)
        pen = QPen(colour, self.WIDTH)
        pen.setDashPattern([3, 2])
        painter.setPen(pen)
        inset = self.INSET
        frame = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
        painter.drawRoundedRect(frame, 4, 4)


class ZoomBar(QFrame):
    """Buttons to zoom out, to 100 %, in, to fit, and for overview and grid."""

    zoom_by = Signal(float)
    zoom_to = Signal(float)
    fit = Signal()
    map_toggled = Signal(bool)
    snap_toggled = Signal(bool)

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("zoombar")
        self._look = look
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 1, 2, 1)
        row.setSpacing(0)
        self.percent = QToolButton()
        self.percent.setText("100 %")
        self.percent.setToolTip("Zoom to 100 % (Ctrl+0)")
        self.percent.setFixedSize(52, 24)
        self.percent.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.percent.clicked.connect(lambda: self.zoom_to.emit(1.0))
        self.less = self._button("minus", "Zoom out (Ctrl+-)")
        self.less.clicked.connect(lambda: self.zoom_by.emit(0.8))
        row.addWidget(self.less)
        row.addWidget(self.percent)
        self.more = self._button("plus", "Zoom in (Ctrl++)")
        self.more.clicked.connect(lambda: self.zoom_by.emit(1.25))
        self.fit_button = self._button("fit", "Fit everything (Home)")
        self.fit_button.clicked.connect(self.fit)
        self.map_button = self._button("map", "Overview (M)", checkable=True)
        self.map_button.clicked.connect(self.map_toggled)
        self.snap_button = self._button("snap", "Snap to 8 px (G)", checkable=True)
        self.snap_button.clicked.connect(self.snap_toggled)
        for button in (self.more, self.fit_button, self.map_button, self.snap_button):
            row.addWidget(button)
        self.restyle()

    def _button(self, icon: str, tip: str, *, checkable: bool = False) -> QToolButton:
        button = QToolButton()
        button.setToolTip(tip)
        button.setCheckable(checkable)
        button.setAccessibleName(tip)
        button.setIcon(themed_icon(icon, self._look, "text2"))
        button.setIconSize(QSize(16, 16))
        button.setFixedSize(28, 24)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        return button

    def show_zoom(self, zoom: float) -> None:
        self.percent.setText(f"{zoom * 100:.0f} %" if zoom >= 0.01 else "< 1 %")

    def restyle(self) -> None:
        theme = self._look.theme
        self.setStyleSheet(
            f"#zoombar {{ background: {theme.panel.name()}; border: 1px solid {theme.line.name()};"
            " border-radius: 6px; }"
            f"QToolButton {{ border: none; border-radius: 4px; padding: 0; min-height: 0; color: {theme.text2.name()};"
            f" background: transparent; font-family: Inter; font-size: 12px; }}"
            f"QToolButton:hover {{ background: {theme.hover.name()}; }}"
            f"QToolButton:checked {{ background: {theme.hover.name()}; }}"
        )


class Toast(QLabel):
    """Shows why something was refused, for a few seconds or until a click."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self.setObjectName("toast")
        # Names of nodes are never markup.
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setMaximumWidth(560)
        self._timer = QTimer(self, interval=MESSAGE_MS, singleShot=True)
        self._timer.timeout.connect(self.hide)
        self.restyle()
        self.hide()

    def tell(self, text: str) -> None:
        """Show a text for a few seconds."""
        self.setText(text)
        self.setAccessibleName(text)
        width = min(560, round(text_width(text, "title")) + 48)
        self.resize(width, self.heightForWidth(width))
        self.show()
        self.raise_()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()
        self.hide()

    def mousePressEvent(self, event: object) -> None:
        self.stop()

    def restyle(self) -> None:
        theme = self._look.theme
        self.setStyleSheet(
            f"#toast {{ background: {theme.badSoft.name()}; color: {theme.bad.name()};"
            f" border: 1px solid {theme.bad.name()}; border-radius: 6px;"
            " padding: 6px 12px; font-family: Inter; font-size: 13px; }"
        )


class EmptyHint(QWidget):
    """Says on an empty canvas how to begin."""

    add = Signal()
    example = Signal()

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self.title = QLabel("Nothing here yet")
        self.text = QLabel(
            "Drag a node from the palette, or press Tab to search for one.\nDouble-click does the same where you click."
        )
        self.add_button = QPushButton("Add a node")
        self.example_button = QPushButton("Open an example")
        self.add_button.clicked.connect(self.add)
        self.example_button.clicked.connect(self.example)
        for label in (self.title, self.text):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        buttons = row(None, self.add_button, self.example_button, None)
        put(
            self,
            stack(self.title, self.text, 8, buttons, gap=8, margins=(24, 20, 24, 24)),
        )
        self.setFixedSize(440, 176)
        self.restyle()

    def restyle(self) -> None:
        theme = self._look.theme
        self.title.setStyleSheet(
            f"color: {theme.text.name()}; font: 600 15px Inter; background: transparent;"
        )
        self.text.setStyleSheet(
            f"color: {theme.text2.name()}; font: 13px Inter; background: transparent;"
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._look.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = Style(theme).pen("line2", 1, "6 4")
        painter.setPen(pen)
        painter.setBrush(theme.canvas)
        painter.drawRoundedRect(
            QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8
        )
        painter.end()
