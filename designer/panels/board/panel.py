"""The board panel: the board, the facts of the selected cell, and the choices for
columns and arrows.
"""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from PySide6.QtCore import QPoint, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QWidget

from designer.look.icons import themed_icon
from designer.panels.base import Area, Panel, PanelHost
from designer.panels.board.details import BoardDetails
from designer.panels.board.model import BoardModel, Spot
from designer.panels.board.paint import Arrows
from designer.panels.board.view import BoardView
from designer.panels.widgets.basic import ContentOrNotice, copy_text
from designer.panels.widgets.menu_choice import MenuChoice
from designer.qt.layouts import column, put, row
from runtime.debug.protocol import BoardTimesBody, NodeBody, parted

DETAILS_WIDTH = 376  # px at most; it is as wide as the inspector above
TIMES_PAUSE = 150  # ms between two questions about the times of a branch
WIDTHS: dict[str, bool] = {"equal width": False, "to scale": True}
ARROWS: dict[str, Arrows] = {"selected": "selected", "all": "all", "none": "none"}


class BoardPanel(Panel):
    """Executors down, supersteps across. A click on a cell views the checkpoint at its
    barrier and selects the node.
    """

    title: ClassVar[str] = "Board"
    icon: ClassVar[str] = "board"
    area: ClassVar[Area] = "bottom"
    height_wanted: int = 400

    def connect_to(self, host: PanelHost) -> None:
        self.details.log_requested.connect(partial(host.show_log, self))

    def follow_room(self, *, is_narrow: bool, inspector_width: int) -> None:
        self.details.setFixedWidth(min(DETAILS_WIDTH, inspector_width))

    @property
    def corner(self) -> QWidget:
        return self.controls

    @property
    def entry(self) -> QWidget:
        return self.view

    def set_up(self) -> None:
        self.model = BoardModel(self.session, self.document, self)
        self.view = BoardView(self.model, self.session, self.look)
        self.details = BoardDetails(self.model, self.look)
        self.details.setFixedWidth(DETAILS_WIDTH)
        self._facts: NodeBody | None = None
        self._asked: Spot | None = None
        self._times: BoardTimesBody | None = None
        self._times_pending = False
        self._times_timer = QTimer(self, interval=TIMES_PAUSE, singleShot=True)
        self._times_timer.timeout.connect(self._ask_times)
        self.controls = self._make_controls()
        self._line = QFrame()
        self._line.setProperty("role", "hairline")
        self._line.setFixedWidth(1)
        content = QWidget()
        layout = QHBoxLayout(content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.view, 1)
        layout.addWidget(self._line)
        layout.addWidget(self.details)
        self.stack = ContentOrNotice(content, self.look)
        column(self).addWidget(self.stack)
        self._connect()
        self.refresh()

    def _connect(self) -> None:
        session = self.session
        self.view.chosen.connect(self._on_chosen)
        self.view.menu_requested.connect(self._open_menu)
        self.model.changed.connect(self._show_cell)
        session.changed.connect(self.invalidate)
        session.viewed.connect(self.invalidate)
        session.timeline.grown.connect(self.invalidate)
        session.progressed.connect(self._on_progress)

    def _make_controls(self) -> QWidget:
        box = QWidget()
        self.widths = MenuChoice(
            self.look, "Columns", list(WIDTHS), "How wide the supersteps are"
        )
        self.arrows = MenuChoice(
            self.look, "Arrows", list(ARROWS), "Which messages are drawn as arrows"
        )
        self.widths.chosen.connect(self._choose_width)
        self.arrows.chosen.connect(self._choose_arrows)
        put(box, row(self.widths, self.arrows, gap=4))
        return box

    def _choose_width(self, choice: str) -> None:
        self.view.scale(to_scale=WIDTHS[choice])

    def _choose_arrows(self, choice: str) -> None:
        self.view.show_arrows(ARROWS[choice])

    # --- showing ------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        if not self.session.timeline.rowCount():
            self.stack.say(
                self.icon,
                "No superstep yet",
                "Run once, and each superstep gets a column.",
            )
            self.controls.setEnabled(False)
            return
        self.controls.setEnabled(True)
        self.stack.show_content()
        self._follow_viewed()
        self.model.refresh()
        self._times_timer.start()

    def _follow_viewed(self) -> None:
        """Bring the viewed superstep into view; its cell moves along if the user went
        elsewhere by the timeline.
        """
        viewed = self.model.viewed
        selected = self.view.selected
        if viewed is None or self.session.mode != "past":
            return
        lane = self.model.current_lane
        if selected is None or (selected.lane, selected.superstep) == (
            lane,
            viewed.superstep,
        ):
            return
        self.view.select(Spot(lane, selected.name, viewed.superstep))
        self.view.show_superstep(viewed.superstep)

    def _on_progress(self) -> None:
        if self.isVisible():
            self.view.viewport().update()

    # --- going to a cell ----------------------------------------------------------------------------------------

    def _on_chosen(self, spot: Spot) -> None:
        checkpoint_id = self.checkpoint_of(spot)
        if checkpoint_id:
            self.session.view(checkpoint_id)
        node = _outermost(spot.name)
        if node:
            self.document.select({node})
            self.reveal_requested.emit(node)
        self._show_cell()

    def checkpoint_of(self, spot: Spot) -> str:
        """Return the checkpoint at the barrier of a cell: the one that its superstep
        saved, before answers and forks.
        """
        checkpoint_id = self.model.checkpoint(spot.lane, spot.superstep)
        if checkpoint_id:
            return checkpoint_id
        headers = self.model.at_barrier(spot.lane, spot.superstep)
        return headers[0].id if headers else ""

    def _show_cell(self) -> None:
        spot = self.view.selected
        if spot != self._asked:
            self._facts = None
            self._ask_facts(spot)
        self.details.show_cell(spot, self._facts)

    def _ask_facts(self, spot: Spot | None) -> None:
        if spot is None:
            self._asked = None
            return
        column = self.model.column(spot.lane, spot.superstep)
        if column is None or spot.name not in column.cells:
            self._asked = None
            return
        self._asked = spot
        keys, node = parted(spot.name)
        inside = tuple(key.rpartition("#")[0] for key in keys)
        self.session.questions.node_at(
            column.checkpoint_id, node, inside, keys, partial(self._on_facts, spot)
        )

    def _on_facts(self, spot: Spot, body: NodeBody | None) -> None:
        if spot == self._asked:
            self._facts = body
            self.details.show_cell(self.view.selected, body)

    # --- the times of the branch --------------------------------------------------------------------------------

    def _ask_times(self) -> None:
        """Ask where the time of the branch went, up to its head."""
        if self._times_pending or not self.isVisible():
            return
        timeline = self.session.timeline
        lane = self.model.current_lane
        if lane >= timeline.branch_count:
            return
        head = timeline.header_at(timeline.lanes[lane].last_row)
        shown = self._times
        if shown is None or shown.checkpoint_id != head.id or not shown.complete:
            self._times_pending = True
            self.session.questions.board_times(head.id, self._on_times)

    def _on_times(self, times: BoardTimesBody | None) -> None:
        self._times_pending = False
        self._times = times
        self.details.show_times(times)
        if times is not None and not times.complete:
            self._times_timer.start()

    # --- the menu of a cell -------------------------------------------------------------------------------------

    def make_menu(self, spot: Spot) -> QMenu:
        """Return the menu of a cell."""
        menu = QMenu(self)
        view = menu.addAction(themed_icon("eye", self.look), "View this barrier")
        view.setEnabled(bool(self.checkpoint_of(spot)))
        view.triggered.connect(lambda _checked: self.view.go(spot))
        copy = menu.addAction(themed_icon("copy", self.look), "Copy as text")
        copy.triggered.connect(lambda _checked: copy_text(self.view.words_of(spot)))
        return menu

    def _open_menu(self, spot: Spot, where: QPoint) -> None:
        menu = self.make_menu(spot)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(where)


def _outermost(name: str) -> str:
    """Return the node of the outermost workflow that a row belongs to."""
    keys, executor = parted(name)
    first = keys[0] if keys else executor
    node, mark, number = first.rpartition("#")
    if keys or (mark and number.isdecimal()):
        return node
    return first
