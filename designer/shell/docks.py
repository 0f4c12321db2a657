"""The sizes of palette, canvas, inspector and bottom area. In a small window the canvas
comes first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QSplitter, QWidget

from designer.qt.layouts import column

PALETTE_WIDTH = 224
RAIL_WIDTH = 40
NARROW = 1200  # px; below it the palette is a rail of icons while editing, too
EDIT_WIDTH = 376
DEBUG_WIDTH = 336
INSPECTOR_LEAST = 288
INSPECTOR_SHARE = 0.34
Inspector = Literal["edit", "debug", "task"]
# Widths of the inspector: while editing, in a run, and of a task in its place.
_USUAL: dict[Inspector, int] = {
    "edit": EDIT_WIDTH,
    "debug": DEBUG_WIDTH,
    "task": EDIT_WIDTH,
}
CANVAS_LEAST = 240
# A low window keeps room for canvas and forms.
BOTTOM_HEIGHT = 252
BOTTOM_LEAST = 120
BOTTOM_SHARE = 0.28
# A panel that wishes more height gets at most this share.
BOTTOM_MOST = 0.45
UPPER_LEAST = 200


class Docks(QObject):
    """Two splitters. They keep the sizes that the user dragged, as far as there is
    room.

    arranged   whether the palette is a rail, and the width of the inspector
    """

    arranged = Signal(bool, int)

    def __init__(
        self,
        around: QWidget,
        left: QWidget,
        centre: QWidget,
        right: Mapping[Inspector, QWidget],
        bottom: QWidget,
    ) -> None:
        """`right` has the inspectors, of which one is shown."""
        super().__init__(around)
        self._around = around
        self._left = left
        self._right = right
        self._bottom = bottom
        self._shown: Inspector = "edit"
        self._wanted = dict(_USUAL)
        self._wanted_bottom = 0  # 0 for a share of the height
        self._wished_bottom = 0  # of the panel in front
        self._is_whole = False
        self.across = QSplitter(Qt.Orientation.Horizontal)
        self.down = QSplitter(Qt.Orientation.Vertical)
        for part in (left, centre, *right.values()):
            self.across.addWidget(part)
        for part in (self.across, bottom):
            self.down.addWidget(part)
        self.across.setStretchFactor(1, 1)
        self.down.setStretchFactor(0, 1)
        for splitter in (self.across, self.down):
            splitter.setHandleWidth(1)
            splitter.setChildrenCollapsible(False)
        for inspector in right.values():
            inspector.setMinimumWidth(INSPECTOR_LEAST)
        centre.setMinimumWidth(CANVAS_LEAST)
        bottom.setMinimumHeight(BOTTOM_LEAST)
        column(around).addWidget(self.down)
        self.across.splitterMoved.connect(self._on_across)
        self.down.splitterMoved.connect(self._on_down)

    @property
    def shown(self) -> Inspector:
        return self._shown

    def show_inspector(self, shown: Inspector) -> None:
        """Show an inspector, and the palette only where nodes can be added."""
        self._shown = shown
        for name, inspector in self._right.items():
            inspector.setVisible(name == shown)
        self.fit()

    @property
    def is_whole(self) -> bool:
        """Whether the bottom area has the whole window."""
        return self._is_whole

    def wish_bottom(self, height: int) -> None:
        """Give the bottom area the height that its panel in front wishes, unless the
        user dragged another one; 0 for the usual height.
        """
        if height != self._wished_bottom:
            self._wished_bottom = height
            self.fit()

    def show_whole(self, *, is_whole: bool) -> None:
        """Give the bottom area the whole window, or take it back."""
        self._is_whole = is_whole
        self.across.setVisible(not is_whole)
        self.fit()

    def fit(self) -> None:
        """Share the present room of the window."""
        width = self._around.width()
        height = self._around.height()
        is_rail = self._shown != "edit" or width < NARROW
        left = RAIL_WIDTH if is_rail else PALETTE_WIDTH
        right = self._wanted[self._shown]
        if right == _USUAL[self._shown]:
            right = min(right, round(width * INSPECTOR_SHARE))
        right = max(INSPECTOR_LEAST, min(right, width - left - CANVAS_LEAST))
        canvas = max(CANVAS_LEAST, width - left - right)
        self._left.setFixedWidth(left)
        self.across.setSizes([left, canvas, *[right] * len(self._right)])
        bottom = self._wanted_bottom or self._usual_bottom(height)
        bottom = max(BOTTOM_LEAST, min(bottom, height - UPPER_LEAST))
        self.down.setSizes([height - bottom, bottom])
        self.arranged.emit(is_rail, right)

    def _usual_bottom(self, height: int) -> int:
        usual = min(BOTTOM_HEIGHT, round(height * BOTTOM_SHARE))
        wished = min(self._wished_bottom, round(height * BOTTOM_MOST))
        return max(usual, wished)

    # --- sizes that the user drags ---

    def want_bottom(self, sizes: list[int] | None) -> None:
        """Restore what `sizes` returned before; None for the default."""
        self._wanted_bottom = sizes[-1] if sizes else 0
        self.fit()

    def sizes(self) -> list[int] | None:
        """Return the heights that the user dragged; None if there are none."""
        if self._wanted_bottom:
            return [self._around.height() - self._wanted_bottom, self._wanted_bottom]
        return None

    def reset(self) -> None:
        self._wanted = dict(_USUAL)
        self.want_bottom(None)

    def _on_across(self, _position: int, _handle: int) -> None:
        place = 2 + list(self._right).index(self._shown)
        self._wanted[self._shown] = self.across.sizes()[place]

    def _on_down(self, _position: int, _handle: int) -> None:
        if self._is_whole:
            return
        self._wanted_bottom = self.down.sizes()[1]
