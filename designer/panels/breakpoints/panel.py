"""Breakpoints: the list of all of them, the facts of the selected one, and the watches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QStackedWidget,
    QWidget,
)

from designer.model import breakpoint_words as words
from designer.model import inside
from designer.model.breakpoint_trial import at_hand, at_moment
from designer.model.breakpoints import (
    NO_NOTES,
    DebugNotes,
    missing_in,
    new_id,
    place_of,
)
from designer.model.design import Design
from designer.model.errors import EditError
from designer.panels.base import Area, Panel, PanelHost
from designer.panels.breakpoints.controls import BreakpointControls
from designer.panels.breakpoints.details import BreakpointDetails
from designer.panels.breakpoints.loading import StateLoader
from designer.panels.breakpoints.rows import BreakpointRows, BreakpointTable, Row
from designer.panels.breakpoints.watches import Watches
from designer.panels.widgets.basic import ContentOrNotice, label
from designer.qt.layouts import column, put, row, stack
from runtime.debug.protocol import Breakpoint, BreakpointKind
from runtime.document.sub_workflows import SUB_WORKFLOW
from runtime.values.words import counted

PANE_WIDTH = 376  # px at most; it is as wide as the inspector above
NARROW = 1100  # px; below it the table has fewer columns
EMPTY = "No breakpoints"
HOW = "Select a node, an edge or a join and press F9."
_ICONS = {"message": "inp", "fires": "join", "starves": "join", "write": "data"}


class BreakpointsPanel(Panel):
    """A double click edits a breakpoint, in a popover on the canvas."""

    title: ClassVar[str] = "Breakpoints"
    icon: ClassVar[str] = "break"
    area: ClassVar[Area] = "bottom"
    badge_tone = "text2"
    edit_requested = Signal(str)

    def follow_room(self, *, is_narrow: bool, inspector_width: int) -> None:
        self.pane.setFixedWidth(min(PANE_WIDTH, inspector_width))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.table.show_narrow(is_narrow=self.width() < NARROW)

    @property
    def corner(self) -> QWidget:
        return self.controls

    @property
    def entry(self) -> QWidget:
        return self.table

    # --- building -----------------------------------------------------------------------------------------------

    def set_up(self) -> None:
        self._workspace: PanelHost | None = None
        self._notes = NO_NOTES
        self._shown_hit = ""
        self._deleted: tuple[Breakpoint, ...] = ()
        self.loader = StateLoader(self.session, self._show_watches)
        self.rows = BreakpointRows(self.look, self)
        self.table = BreakpointTable(self.rows, self.look)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list = ContentOrNotice(self.table, self.look)
        self.details = BreakpointDetails(self.look)
        self.watches = Watches(self.look, self.loader.load)
        self.pane = self._make_pane()
        self.controls = BreakpointControls(self.look)
        line = QFrame()
        line.setProperty("role", "hairline")
        line.setFixedWidth(1)
        content = QWidget()
        layout = QHBoxLayout(content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.list, 1)
        layout.addWidget(line)
        layout.addWidget(self.pane)
        column(self).addWidget(content)
        self._connect()
        self._on_notes()

    def connect_to(self, host: PanelHost) -> None:
        self.edit_requested.connect(host.edit_breakpoint)
        self._workspace = host

    def _make_pane(self) -> QWidget:
        pane = QWidget()
        self.of_selected = QPushButton("Breakpoint")
        self.of_watches = QPushButton("Watches")
        group = QButtonGroup(self)
        choices = ((self.of_selected, "first"), (self.of_watches, "last"))
        for number, (choice, place) in enumerate(choices):
            choice.setCheckable(True)
            choice.setProperty("segment", place)
            choice.setAccessibleName(f"Show {choice.text().lower()}")
            group.addButton(choice, number)
        self.of_selected.setChecked(True)
        self.pages = QStackedWidget()
        self._empty = QWidget()
        self.nothing = label("Select a breakpoint to see more of it.", "secondary")
        put(self._empty, stack(self.nothing, None, margins=(12, 8, 12, 8)))
        first = QStackedWidget()
        for page in (self._empty, self.details):
            first.addWidget(page)
        self._selected_pages = first
        for page in (first, self.watches):
            self.pages.addWidget(page)
        group.idClicked.connect(self.pages.setCurrentIndex)
        choice_row = row(
            row(self.of_selected, self.of_watches, gap=0),
            None,
            margins=(12, 6, 8, 2),
        )
        put(pane, stack(choice_row, (self.pages, 1)))
        pane.setFixedWidth(PANE_WIDTH)
        return pane

    def _connect(self) -> None:
        self.table.turned.connect(self.turn)
        self.table.deleted.connect(self.delete)
        self.table.wanted.connect(self.edit)
        self.table.searched.connect(self.search)
        self.table.selectionModel().currentRowChanged.connect(
            lambda _current, _before: self._show_selected()
        )
        self.table.customContextMenuRequested.connect(self._on_menu)
        self.details.edit_requested.connect(lambda: self.edit(self.table.current_id))
        self.details.delete_requested.connect(
            lambda: self.delete(self.table.current_id)
        )
        self.watches.edited.connect(self._keep_watches)
        self.controls.added.connect(self.add)
        self.controls.watch_added.connect(self.add_watch)
        self.controls.muted.connect(self._mute)
        self.controls.all_turned.connect(self.turn_all)
        self.controls.all_deleted.connect(self.delete_all)
        self.controls.back_requested.connect(self.bring_back)
        self.document.breakpoints.changed.connect(self._on_notes)
        self.document.changed.connect(self.invalidate)
        self.document.selection_changed.connect(self.invalidate)
        for signal in (
            self.session.breakpoints_changed,
            self.session.viewed,
            self.session.changed,
            self.session.past.changed,
            self.look.changed,
        ):
            signal.connect(self.invalidate)

    # --- showing ------------------------------------------------------------------------------------------------

    @property
    def notes(self) -> DebugNotes:
        return self.document.breakpoints.notes

    def refresh(self) -> None:
        notes = self.notes
        self.rows.show([self._row(point) for point in notes.breakpoints])
        self.controls.show_notes(notes, self._words_of_back)
        if notes.breakpoints:
            self.list.show_content()
        else:
            back = None
            if self._deleted:
                back = (self._words_of_back, self.bring_back)
            self.list.say(self.icon, EMPTY, HOW, back)
        self._select_hit()
        self._show_selected()
        self._show_watches()

    @property
    def _words_of_back(self) -> str:
        """The command that brings back what was deleted; "" for nothing."""
        if not self._deleted:
            return ""
        return f"Bring back {counted(len(self._deleted), 'breakpoint')}"

    def _on_notes(self) -> None:
        """Keep what was deleted, so that it can be brought back."""
        notes = self.notes
        present = {point.id for point in notes.breakpoints}
        deleted = tuple(
            point for point in self._notes.breakpoints if point.id not in present
        )
        if deleted:
            self._deleted = deleted
        self._notes = notes
        count = len(notes.breakpoints)
        self.badge_changed.emit(str(count or ""))
        self.of_watches.setText(
            f"Watches ({len(notes.watches)})" if notes.watches else "Watches"
        )
        self.invalidate()

    def _design_at(self, point: Breakpoint) -> Design | None:
        """Return the drawing of the level of a breakpoint."""
        if point.inside == self.document.inside:
            return self.document.design
        try:
            return inside.at(self.document.root, point.inside, self.document.folder)
        except EditError:
            return None

    def _row(self, point: Breakpoint) -> Row:
        design = self._design_at(point)
        status = self.session.breakpoint_statuses.get(point.id)
        reasons = {point.id: missing_in(design, point)}
        faults = words.faults_of([point], self.session.breakpoint_statuses, reasons)
        if status is not None and status.error:
            faults.append(words.sentence_of(status.error))
        mark = words.mark_of(
            [point],
            self.session.breakpoint_statuses,
            hit=self.session.hit_breakpoint,
            muted=self.notes.muted,
            reasons=reasons,
        )
        return Row(
            point,
            icon=self._icon_of(point, design),
            where=words.where(point, partial(_title, design)),
            level=" › ".join(self._titles_of(point.inside)),
            mark=mark,
            hits=status.hits if status is not None else 0,
            fault=" ".join(faults),
            past=self._past_of(point),
        )

    def _past_of(self, point: Breakpoint) -> str:
        """Return what is known of the hits of a breakpoint in the past."""
        if not self.session.timeline.rowCount():
            return ""
        for question in self.session.past.questions:
            if question.breakpoint == point and not question.refused:
                return counted(question.count, "hit")
        return "find"

    def _icon_of(self, point: Breakpoint, design: Design | None) -> str:
        node = design.workflow.node(place_of(point)) if design is not None else None
        if node is None:
            return _ICONS.get(point.kind, "break")
        if node.type == SUB_WORKFLOW:
            return "box"
        info = self.session.infos.get(node.type)
        return info.icon if info is not None and info.icon else "box"

    def _titles_of(self, way: Sequence[str]) -> list[str]:
        """Return the titles of the sub-workflows on a way."""
        titles = []
        for depth, node in enumerate(way):
            point = Breakpoint(id="", inside=tuple(way[:depth]))
            titles.append(_title(self._design_at(point), node))
        return titles

    # --- the right pane -----------------------------------------------------------------------------------------

    def _show_selected(self) -> None:
        place = self.table.currentIndex().row()
        if 0 <= place < len(self.rows.rows):
            shown = self.rows.rows[place]
            session = self.session
            is_here = shown.point.inside == self.document.inside
            moment = session.seen if is_here else None
            hand = at_hand(shown.point, moment, session.standing)
            self.details.show_row(
                shown, stopped=self._stopped(shown), kept=self._file_name, hand=hand
            )
            self._selected_pages.setCurrentWidget(self.details)
        else:
            self.nothing.setVisible(bool(self.rows.rows))
            self._selected_pages.setCurrentWidget(self._empty)

    def _stopped(self, shown: Row) -> str:
        stopped = self.session.stopped
        if not shown.is_hit or stopped is None:
            return ""
        if stopped.delivery is None:
            return f"after superstep {stopped.superstep:,}"
        place = stopped.delivery
        return (
            f"superstep {stopped.superstep + 1:,}, "
            f"delivery {place.place:,} of {place.of:,}"
        )

    @property
    def _file_name(self) -> str:
        path = self.document.breakpoints.path
        return path.name if path is not None else "the document, once it is saved"

    def _select_hit(self) -> None:
        """Select the breakpoint at which the run stands, once for each stop."""
        hit = self.session.hit_breakpoint
        place = self.rows.row_of(hit)
        if hit != self._shown_hit and place >= 0:
            self.table.selectRow(place)
        self._shown_hit = hit

    def _show_watches(self) -> None:
        session = self.session
        moment = session.seen
        hand = None
        if moment is not None:
            node = next(iter(sorted(self.document.selection)), "")
            whole = self.loader.state_of(moment)
            inside = self.document.inside
            hand = at_moment(whole, session.standing, node, inside)
        self.watches.show_watches(self.notes.watches, hand)

    def _keep_watches(self, watches: tuple[str, ...]) -> None:
        self.document.breakpoints.take(replace(self.notes, watches=watches))

    def show_watches(self) -> None:
        """Show the watches in the right pane."""
        self.of_watches.click()

    # --- verbs --------------------------------------------------------------------------------------------------

    def turn(self, id: str) -> None:
        """Turn a breakpoint off or on, and the others that are selected with it."""
        point = self.notes.get(id)
        if point is None:
            return
        points = map(self.notes.get, self.table.group_of(id))
        update = {"enabled": not point.enabled}
        turned = [other.model_copy(update=update) for other in points if other]
        self.document.breakpoints.put(*turned)

    def delete(self, id: str) -> None:
        """Delete a breakpoint, and the others that are selected with it."""
        self.document.breakpoints.remove(set(self.table.group_of(id)))

    def edit(self, id: str) -> None:
        """Edit a breakpoint where it is."""
        if self.notes.get(id) is not None:
            self.edit_requested.emit(id)

    def search(self, id: str) -> None:
        """Find the hits of a breakpoint in the recorded past."""
        place = self.rows.row_of(id)
        if place >= 0:
            shown = self.rows.rows[place]
            text = f"{shown.where}, {words.when(shown.point)}"
            self.session.search_breakpoint(shown.point, text)

    def _mute(self, muted: bool) -> None:
        self.document.breakpoints.take(replace(self.notes, muted=muted))

    def bring_back(self) -> None:
        """Set the breakpoints again that were deleted last."""
        deleted = self._deleted
        self._deleted = ()
        self.document.breakpoints.put(*deleted)

    def delete_all(self) -> None:
        ids = {point.id for point in self.notes.breakpoints}
        self.document.breakpoints.remove(ids)

    def turn_all(self, on: bool) -> None:
        """Turn all breakpoints on or off."""
        changed = [
            point.model_copy(update={"enabled": on})
            for point in self.notes.breakpoints
            if point.enabled is not on
        ]
        self.document.breakpoints.put(*changed)

    def add(self, kind: BreakpointKind) -> None:
        """Set a breakpoint without a place on the canvas, and edit it."""
        point = Breakpoint(id=new_id(), kind=kind)
        self.document.breakpoints.put(point)
        self.table.selectRow(self.rows.row_of(point.id))
        self.edit(point.id)

    # --- menus --------------------------------------------------------------------------------------------------

    def add_watch(self) -> None:
        """Show the watches, and let the user type one."""
        self.show_watches()
        self.watches.field.setFocus()

    def _on_menu(self, point: QPoint) -> None:
        id = self.table.id_at(self.table.rowAt(point.y()))
        if id:
            self.menu_for(id).popup(self.table.viewport().mapToGlobal(point))

    def menu_for(self, id: str) -> QMenu:
        """Return the menu of a row."""
        shown = self.notes.get(id)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if shown is None:
            return menu
        menu.addAction("Edit…", partial(self.edit, id))
        menu.addAction(
            "Turn off" if shown.enabled else "Turn on", partial(self.turn, id)
        )
        if place_of(shown) and self._workspace is not None:
            show = partial(self._workspace.show_breakpoint, id)
            menu.addAction("Show on the canvas", show)
        find = menu.addAction("Find in the past", partial(self.search, id))
        find.setEnabled(bool(self.session.timeline.rowCount()))
        menu.addAction("Delete", partial(self.delete, id))
        return menu


def _title(design: Design | None, element: str) -> str:
    return words.title_of(design.workflow, element) if design is not None else element
