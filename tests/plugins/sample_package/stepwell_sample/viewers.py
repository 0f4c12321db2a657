"""A viewer: a list of numbers as bars."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from designer.panels.values.viewers import Value


class Bars:
    def accepts(self, value: Value) -> bool:
        kinds = {child.type for _, child in value.children or ()}
        return (
            value.type in ("list", "tuple")
            and value.count > 0
            and kinds <= {"int", "float"}
        )

    def widget(self, value: Value, parent: QWidget) -> QWidget:
        return BarsWidget(
            [float(child.text) for _, child in value.children or ()], parent
        )


class BarsWidget(QWidget):
    def __init__(self, numbers: list[float], parent: QWidget) -> None:
        super().__init__(parent)
        self.numbers = numbers
        self.setMinimumHeight(80)
        self.setAccessibleName(
            f"{len(numbers)} numbers as bars, from {min(numbers):g} to {max(numbers):g}"
        )

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        painter = QPainter(self)
        high = max(*self.numbers, 1e-9)
        wide = self.width() / len(self.numbers)
        for place, number in enumerate(self.numbers):
            tall = max(number, 0) / high * self.height()
            painter.fillRect(
                QRectF(place * wide, self.height() - tall, wide * 0.8, tall),
                self.palette().link(),
            )
        painter.end()
