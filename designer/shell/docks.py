"""How palette, canvas, inspector and what is below them share the room: in a small window the canvas comes first."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QSplitter, QWidget

from designer.qt.layouts import column

PALETTE_WIDTH = 224
RAIL_WIDTH = 40
NARROW = 1200  # px: from here down the palette is a rail of icons while editing, too
EDIT_WIDTH = 376
DEBUG_WIDTH = 336
INSPECTOR_LEAST = 288
INSPECTOR_SHARE = 0.34
# of the inspector, by whether one edits
_USUAL = {True: EDIT_WIDTH, False: DEBUG_WIDTH}
CANVAS_LEAST = 240
# a low window keeps room for canvas and forms
BOTTOM_HEIGHT = 252
BOTTOM_LEAST = 120
BOTTOM_SHARE = 0.28
UPPER_LEAST = 200


class Docks(QObject):
    """Two splitters. What a person has dragged is kept as far as there is room for it.

    arranged   the palette is a rail now, or not; and how wide the inspector is
    """

    arranged = Signal(bool, int)

    def __init__(
        self,
        around: QWidget,
        left: QWidget,
        centre: QWidget,
        right: Mapping[bool, QWidget],
        bottom: QWidget,
    ) -> None:
        """`right` has the inspector for editing under True, and that of a run under False."""
        super().__init__(around)
        self._around = around
        self._left = left
        self._right = right
        self._bottom = bottom
        self._editing = True
        self._wanted = dict(_USUAL)
        self._wanted_bottom = 0  # as high as suits the window
        self.across = QSplitter(Qt.Orientation.Horizontal)
        self.down = QSplitter(Qt.Orientation.Vertical)
        for part in (left, centre, right[True], right[False]):
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

    def show_mode(self, editing: bool) -> None:
        """Another inspector, and the palette only where nodes can be added."""
        self._editing = editing
        for mode, inspector in self._right.items():
            inspector.setVisible(mode is editing)
        self.fit()

    def fit(self) -> None:
        """Share the present room of the window."""
        width = self._around.width()
        height = self._around.height()
        rail = not self._editing or width < NARROW
        left = RAIL_WIDTH if rail else PALETTE_WIDTH
        wanted = self._wanted[self._editing]
        if wanted == _USUAL[self._editing]:
            wanted = min(wanted, round(width * INSPECTOR_SHARE))
        right = max(INSPECTOR_LEAST, min(wanted, width - left - CANVAS_LEAST))
        self._left.setFixedWidth(left)
        self.across.setSizes(
            [left, max(CANVAS_LEAST, width - left - right), right, right]
        )
        bottom = self._wanted_bottom or min(BOTTOM_HEIGHT, round(height * BOTTOM_SHARE))
        bottom = max(BOTTOM_LEAST, min(bottom, height - UPPER_LEAST))
        self.down.setSizes([height - bottom, bottom])
        self.arranged.emit(rail, right)

    # --- what a person drags ---

    def want_bottom(self, sizes: list[int] | None) -> None:
        """As `sizes` told it before; None for what suits the window."""
        self._wanted_bottom = sizes[-1] if sizes else 0
        self.fit()

    def sizes(self) -> list[int] | None:
        """How the height was shared by a person; None if nobody did."""
        if self._wanted_bottom:
            return [self._around.height() - self._wanted_bottom, self._wanted_bottom]
        return None

    def reset(self) -> None:
        self._wanted = dict(_USUAL)
        self.want_bottom(None)

    def _on_across(self, _position: int, _handle: int) -> None:
        self._wanted[self._editing] = self.across.sizes()[2 if self._editing else 3]

    def _on_down(self, _position: int, _handle: int) -> None:
        self._wanted_bottom = self.down.sizes()[1]
