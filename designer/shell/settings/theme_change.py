"""A change of theme in slices, so that no frame is late however many tabs are open.

`QApplication.setStyleSheet` polishes every widget once for each of its ancestors, which
takes two seconds for five tabs (`python -m tests.benchmarks.window --only theme`). So
the widgets are unpolished first, some at a time. Then the sheet is replaced while Qt
finds nothing to polish. Then the widgets are polished, visible ones first. Nothing is
painted before these are done.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import shiboken6
from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from designer.look.stylesheet import palette, stylesheet
from designer.look.theme import Theme

SLICE = 0.01  # s
_POLISHED = Qt.WidgetAttribute.WA_WState_Polished
_OWN_STYLE = Qt.WidgetAttribute.WA_SetStyle


class Restyling(QObject):
    """`start` changes the colours of the application; `finish` does the remaining steps
    now.
    """

    def __init__(
        self, parent: QObject, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        super().__init__(parent)
        self._clock = clock
        self._steps: Iterator[None] = iter(())
        self._frozen: list[QWidget] = []
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._go_on)

    @property
    def busy(self) -> bool:
        return self._timer.isActive()

    def start(self, theme: Theme) -> None:
        application = QApplication.instance()
        sheet = stylesheet(theme)
        if not isinstance(application, QApplication):
            return
        if not application.styleSheet() and not self.busy:
            application.setPalette(palette(theme))
            application.setStyleSheet(sheet)
        elif application.styleSheet() != sheet or self.busy:
            self._freeze(application)
            self._steps = _steps(application, theme, self._thaw)
            self._go_on()

    def finish(self) -> None:
        for _ in self._steps:
            pass
        self._timer.stop()

    def _go_on(self) -> None:
        end = self._clock() + SLICE
        for _ in self._steps:
            if self._clock() >= end:
                self._timer.start()
                return
        self._timer.stop()

    def _freeze(self, application: QApplication) -> None:
        for window in application.topLevelWidgets():
            if window.isVisible() and window.updatesEnabled():
                window.setUpdatesEnabled(False)
                self._frozen.append(window)

    def _thaw(self) -> None:
        for window in filter(shiboken6.isValid, self._frozen):
            window.setUpdatesEnabled(True)
        self._frozen = []


def _steps(
    application: QApplication, theme: Theme, shown: Callable[[], None]
) -> Iterator[None]:
    # Widgets that are polished, or that an interrupted change left unpolished. Those
    # with a style of their own have both attributes.
    widgets = [
        widget
        for widget in application.allWidgets()
        if widget.testAttribute(_POLISHED) != widget.testAttribute(_OWN_STYLE)
    ]
    yield
    for widget in filter(shiboken6.isValid, widgets):
        widget.style().unpolish(widget)
        # With these two, Qt does not touch the widget while the sheet is replaced.
        widget.setAttribute(_POLISHED, False)
        widget.setAttribute(_OWN_STYLE)
        yield
    application.setStyleSheet("")
    yield
    application.setPalette(palette(theme))
    application.setStyleSheet(stylesheet(theme))
    yield
    widgets = list(filter(shiboken6.isValid, widgets))
    visible = [widget for widget in widgets if widget.isVisible()]
    hidden = [widget for widget in widgets if not widget.isVisible()]
    yield from _polish(visible)
    shown()
    yield from _polish(hidden)


def _polish(widgets: list[QWidget]) -> Iterator[None]:
    for widget in filter(shiboken6.isValid, widgets):
        widget.setAttribute(_POLISHED)
        widget.setAttribute(_OWN_STYLE, False)
        widget.style().polish(widget)
        QApplication.sendEvent(widget, QEvent(QEvent.Type.StyleChange))
        yield
