"""The small widgets that panels share: labels, glyphs, buttons, search fields, and the
notice of an empty panel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QObject,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
)
from PySide6.QtGui import (
    QAction,
    QColor,
    QFontMetrics,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QStyle,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QStylePainter,
    QToolButton,
    QWidget,
)

from designer.look.icons import paint_icon, themed_icon
from designer.look.theme import Look, Theme
from designer.panels.widgets.glyphs import paint_glyph
from designer.qt.indexes import ROOT, AnyIndex
from designer.qt.layouts import Plan, column, put, stack

Role = Literal[
    "section",
    "head",
    "secondary",
    "caption",
    "error",
    "title",
    "data",
    "strong",
    "body",
    "data2",
    "chip",
]

# --- labels -------------------------------------------------------------------------------------------------------


def set_style(widget: QWidget, **properties: object) -> None:
    """Set dynamic properties that the style sheet reads, and polish the widget when one
    has changed.
    """
    changed = False
    for name, value in properties.items():
        # A property that was never set equals False, because polishing takes most of
        # the time of a form.
        if (widget.property(name) or False) != (value or False):
            widget.setProperty(name, value)
            changed = True
    if changed:
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def hint(text: str) -> ElidedLabel:
    """Return a label for a few words beside a head: as wide as its text, elided at the
    end when there is less room.
    """
    result = ElidedLabel(text, "secondary", RIGHT)
    result.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
    return result


def label(
    text: str, role: Role = "body", *, wrap: bool = False, tone: str = ""
) -> QLabel:
    """Return a label that shows its text literally, because text from a run must not be
    read as markup.
    """
    result = QLabel(text)
    result.setTextFormat(Qt.TextFormat.PlainText)
    result.setProperty("role", role)
    if tone:
        result.setProperty("tone", tone)
    result.setWordWrap(wrap)
    if wrap:
        # Otherwise a long word would widen the whole panel.
        result.setMinimumWidth(1)
    return result


RIGHT = Qt.TextElideMode.ElideRight  # for sentences, because their beginning says most


class ElidedLabel(QLabel):
    """A one-line label that is elided in the middle; the tool tip then shows the full
    text.
    """

    def __init__(
        self,
        text: str = "",
        role: Role = "body",
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle,
    ) -> None:
        super().__init__(" ".join(text.split()))
        self._mode = mode
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def setText(self, text: str) -> None:
        super().setText(" ".join(text.split()))
        self._tell()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell()

    def minimumSizeHint(self) -> QSize:
        return QSize(24, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        rect = self.contentsRect()
        text = QFontMetrics(self.font()).elidedText(
            self.text(), self._mode, rect.width()
        )
        painter.drawText(rect, self.alignment(), text)

    def _tell(self) -> None:
        width = QFontMetrics(self.font()).horizontalAdvance(self.text())
        is_elided = width > self.contentsRect().width()
        self.setToolTip(self.text() if is_elided else "")


class Glyph(QWidget):
    """An icon or a state glyph in a colour role of the present theme."""

    def __init__(
        self, look: Look, name: str, role: str = "text2", size: int = 16
    ) -> None:
        super().__init__()
        self._look = look
        self._name = name
        self._role = role
        self.setFixedSize(size, size)
        look.changed.connect(self.update)

    def show_glyph(self, name: str, role: str) -> None:
        if (name, role) != (self._name, self._role):
            self._name = name
            self._role = role
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_mark(
            painter, self._name, QRectF(self.rect()), self._look.theme, self._role
        )


def paint_mark(
    painter: QPainter, name: str, rect: QRectF, theme: Theme, role: str
) -> None:
    """Paint the state glyph of this name, or else the icon."""
    colour: QColor = getattr(theme, role)
    if not paint_glyph(painter, name, rect, colour, theme.panel):
        paint_icon(painter, name, rect, colour)


def hairline() -> QFrame:
    line = QFrame()
    line.setProperty("role", "hairline")
    line.setFixedHeight(1)
    return line


# --- controls -----------------------------------------------------------------------------------------------------


def button(
    text: str,
    on_click: Callable[[], object] | None = None,
    *,
    primary: bool = False,
    small: bool = False,
) -> QPushButton:
    result = QPushButton(text)
    result.setProperty("primary", primary)
    result.setProperty("small", small)
    if on_click is not None:
        result.clicked.connect(lambda _checked: on_click())
    return result


def icon_button(
    look: Look, icon: str, tip: str, on_click: Callable[[], object] | None = None
) -> QToolButton:
    """Return a tool button of 24 px with only an icon; `tip` is its tool tip and its
    accessible name.
    """
    result = QToolButton()
    result.setIcon(themed_icon(icon, look))
    result.setIconSize(QSize(14, 14))
    result.setToolTip(tip)
    result.setAccessibleName(tip)
    result.setProperty("small", True)
    if on_click is not None:
        result.clicked.connect(lambda _checked: on_click())
    return result


def allow(control: QWidget | QAction, why_not: str) -> None:
    """Enable a control when `why_not` is empty. Otherwise disable it, and add the
    reason to its tool tip.
    """
    tip = control.property("tip")
    if tip is None:
        tip = control.toolTip()
        control.setProperty("tip", tip)
    control.setEnabled(not why_not)
    control.setToolTip(f"{tip}: {why_not}" if tip and why_not else why_not or tip)


MANY_ENTRIES = 100


class _Entries(QAbstractListModel):
    """The (text, data) pairs of a `Choice`.

    The own model of a combo box has an object per entry, which is too slow for a choice
    among thousands of nodes.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._pairs: list[tuple[str, Any]] = []

    def show(self, pairs: list[tuple[str, Any]]) -> None:
        if pairs != self._pairs:
            self.beginResetModel()
            self._pairs = pairs
            self.endResetModel()

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self._pairs)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        text, data = self._pairs[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return text
            case Qt.ItemDataRole.UserRole:
                return data
        return None


class Choice(QComboBox):
    """A combo box that ignores the wheel without the focus, so that scrolling a form
    changes no value.
    """

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._entries = _Entries(self)
        self.setModel(self._entries)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumContentsLength(6)
        self.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        room = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox,
            option,
            QStyle.SubControl.SC_ComboBoxEditField,
            self,
        )
        if self.currentIndex() >= 0:
            text = self.currentText()
        else:
            text = self.placeholderText()
        option.currentText = QFontMetrics(self.font()).elidedText(
            text, Qt.TextElideMode.ElideMiddle, room.width() - 4
        )
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        square = QRectF(self.width() - 20, (self.height() - 12) / 2, 12, 12)
        paint_icon(
            painter,
            "chev",
            square,
            self._look.theme.text2 if self.isEnabled() else self._look.theme.line2,
        )

    def showPopup(self) -> None:
        # The view is created only now, because a hidden view lays out all entries when
        # its form is removed.
        popup = self.view()
        if isinstance(popup, QListView):
            popup.setUniformItemSizes(self.count() > MANY_ENTRIES)
        super().showPopup()

    def fill(self, entries: list[tuple[str, Any]], chosen: object) -> None:
        """Show (text, data) entries and select one, without a signal."""
        self.blockSignals(True)
        self._entries.show(entries)
        data = [entry[1] for entry in entries]
        self.setCurrentIndex(data.index(chosen) if chosen in data else -1)
        self.blockSignals(False)


class CheckBox(QCheckBox):
    """A check box that paints its tick itself, because a style sheet can only show an
    image file.
    """

    def __init__(self, look: Look, text: str) -> None:
        super().__init__(text)
        self._look = look

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.isChecked():
            return
        option = QStyleOptionButton()
        self.initStyleOption(option)
        box = self.style().subElementRect(
            QStyle.SubElement.SE_CheckBoxIndicator, option, self
        )
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_mark(
            painter, "done", QRectF(box).adjusted(2, 2, -2, -2), self._look.theme, "on"
        )


class SearchField(QLineEdit):
    """A search field with an icon; Escape clears it.

    `key_cap` shows the key that leads to the field. It is a property, because the user
    may choose another key.
    """

    def __init__(self, look: Look, placeholder: str, key_cap: str = "") -> None:
        super().__init__()
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(placeholder)
        self.setTextMargins(22, 0, 0, 0)
        self._look = look
        self.setProperty("keyCap", key_cap)
        look.changed.connect(self.update)

    def event(self, event: QEvent) -> bool:
        # Accepted, or a shortcut of the window would get Escape before the field is
        # empty.
        if self.text() and _is_escape(event):
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.clear()
                return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        # Not a QAction, because the style would ignore the style sheet's padding for
        # its icon.
        paint_icon(
            painter,
            "search",
            QRectF(9, (self.height() - 16) / 2, 16, 16),
            self._look.theme.text3,
        )
        if not self.text():
            self._paint_cap(painter, self.property("keyCap"))

    def _paint_cap(self, painter: QPainter, cap: str) -> None:
        if not cap:
            return
        font = self.font()
        font.setFamily("JetBrains Mono")
        font.setPixelSize(11)
        width = QFontMetrics(font).horizontalAdvance(cap) + 10
        rect = QRect(self.width() - width - 6, (self.height() - 18) // 2, width, 18)
        theme = self._look.theme
        painter.setPen(theme.line2)
        painter.setBrush(theme.raised)
        painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.setFont(font)
        painter.setPen(theme.text2)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, cap)


def _is_escape(event: QEvent) -> bool:
    key: Callable[[], int] | None = getattr(event, "key", None)
    return key is not None and key() == Qt.Key.Key_Escape


# --- layout -------------------------------------------------------------------------------------------------------


def under_bar(bar: Plan[QHBoxLayout], content: QWidget) -> QWidget:
    """Return a widget with a row of tools, a hairline, and the content below."""
    holder = QWidget()
    put(holder, stack(replace(bar, margins=(12, 5, 12, 5)), hairline(), (content, 1)))
    return holder


def scrolling(content: QWidget | None = None) -> QScrollArea:
    """Return an area that scrolls vertically; its content is as wide as the area. Its
    content takes the focus.
    """
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    if content is not None:
        area.setWidget(content)
    return area


class Notice(QWidget):
    """A notice in place of content: why there is nothing to show, and what the user can
    do.
    """

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._glyph = Glyph(look, "info", "text3", 24)
        self._head = label("", "strong", wrap=True)
        self._text = label("", "secondary", wrap=True)
        self._action = button("", small=True)
        self._callback: Callable[[], object] | None = None
        self._action.clicked.connect(self._act)
        layout = column(self, margins=(24, 24, 24, 24), gap=8)
        layout.addStretch(1)
        layout.addWidget(self._glyph, 0, Qt.AlignmentFlag.AlignHCenter)
        for text in (self._head, self._text):
            text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            layout.addWidget(text)
        layout.addWidget(self._action, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(2)

    def say(
        self,
        icon: str,
        head: str,
        text: str = "",
        action: tuple[str, Callable[[], object]] | None = None,
    ) -> None:
        self._glyph.show_glyph(icon, "bad" if icon == "failed" else "text3")
        self._head.setText(head)
        self._text.setText(text)
        self._text.setVisible(bool(text))
        self._action.setVisible(action is not None)
        if action is not None:
            self._action.setText(action[0])
            self._callback = action[1]
        self.setAccessibleName(f"{head}. {text}")

    def text(self) -> str:
        return f"{self._head.text()} {self._text.text()}".strip()

    def _act(self) -> None:
        if self._callback is not None:
            self._callback()


class ContentOrNotice(QStackedWidget):
    """The content of a panel, or a `Notice` in its place.

    It is a stacked widget, because a stacked layout without a parent would show its
    first page as a window.
    """

    def __init__(self, content: QWidget, look: Look) -> None:
        super().__init__()
        self.content = content
        self.notice = Notice(look)
        self.addWidget(content)
        self.addWidget(self.notice)

    def show_content(self) -> None:
        self.setCurrentWidget(self.content)

    def say(
        self,
        icon: str,
        head: str,
        text: str = "",
        action: tuple[str, Callable[[], object]] | None = None,
    ) -> None:
        self.notice.say(icon, head, text, action)
        self.setCurrentWidget(self.notice)


class DelayedCall(QTimer):
    """Calls a function once, some time after `start`. Another `start` before then
    begins the time again.
    """

    def __init__(
        self, parent: QObject, milliseconds: int, call: Callable[[], object]
    ) -> None:
        super().__init__(parent)
        self.setSingleShot(True)
        self.setInterval(milliseconds)
        self.timeout.connect(call)


def copy_text(text: str) -> None:
    QApplication.clipboard().setText(text)
