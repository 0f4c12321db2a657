"""The timeline panel: the strip of lanes, the details of the viewed checkpoint, and the
buttons to step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QFrame, QMenu, QToolButton, QWidget

from designer.look.icons import themed_icon
from designer.model.errors import EditError
from designer.model.inside import child
from designer.panels.base import Area, Panel, PanelHost, PanelKeys
from designer.panels.timeline.branch_name import BranchName
from designer.panels.timeline.details import TimelineDetails
from designer.panels.timeline.exporter import Exporter
from designer.panels.timeline.hit_list import HitList
from designer.panels.timeline.jump import JumpField
from designer.panels.timeline.keys import KEYS
from designer.panels.timeline.search_bar import SearchBar
from designer.panels.timeline.strip import TimelineStrip
from designer.panels.timeline.verbs import Verbs
from designer.panels.values.patch_preview import PatchPreview
from designer.panels.widgets.basic import CheckBox, allow, hairline, icon_button
from designer.qt.layouts import column, put, row
from runtime.debug.protocol import PastHit

DETAILS_WIDTH = 376  # px at most; it is as wide as the inspector above
SEARCHING_HEIGHT = 300  # px, so that bar and lanes have room in a low window too


class TimelinePanel(Panel):
    """The strip beside the details of the viewed checkpoint.

    `restore_requested` carries the id of the checkpoint to fork from. The workspace may
    move `controls` to the corner of a tab bar. `verbs` has the menus.
    """

    title: ClassVar[str] = "Timeline"
    icon: ClassVar[str] = "timeline"
    area: ClassVar[Area] = "bottom"
    restore_requested = Signal(str)
    named_restore_requested = Signal(str, str)  # checkpoint, name of the branch
    run_back_requested = Signal()
    room_wanted = Signal()  # `height_wanted` is another one

    def connect_to(self, host: PanelHost) -> None:
        self.restore_requested.connect(host.restore)
        self.named_restore_requested.connect(host.restore)
        self.exporter.ready.connect(host.save_text)
        self.run_back_requested.connect(host.run_back)
        self.verbs.copy_requested.connect(host.edit_copy_of)
        self.room_wanted.connect(host.fit_bottom)

    def follow_room(self, *, is_narrow: bool, inspector_width: int) -> None:
        # Because the inspector above has its left edge in the same vertical line.
        width = min(DETAILS_WIDTH, inspector_width)
        self.details.setFixedWidth(width)
        self.hits.setFixedWidth(width)
        self.preview.setFixedWidth(width)

    def follow_settings(self, *, is_still: bool) -> None:
        self.strip.still = is_still

    def follow_keys(self, keys: PanelKeys) -> None:
        self.strip.use_keys(keys.of_words("timeline"))

    @property
    def corner(self) -> QWidget:
        return self.controls

    @property
    def acts(self) -> Mapping[str, Callable[[], object]]:
        return {key.words: partial(key.act, self.strip) for key in KEYS.values()}

    def set_up(self) -> None:
        self.strip = TimelineStrip(self.session, self.look, KEYS)
        self.walker = self.strip.walker
        self.details = TimelineDetails(self.session, self.look)
        self.details.setFixedWidth(DETAILS_WIDTH)
        self.exporter = Exporter(self.session, self)
        self.verbs = Verbs(self, self.strip, self.details, self.exporter)
        self.hits = HitList(self.session, self.look)
        self.hits.setFixedWidth(DETAILS_WIDTH)
        self.preview = PatchPreview(self.session, self.look, self._title_in)
        self.preview.setFixedWidth(DETAILS_WIDTH)
        self.search = SearchBar(self.document, self.session, self.look)
        self._under_search = hairline()
        self.is_searching = False
        self.controls = self._make_controls()
        self.details.head.insertWidget(3, self.controls)
        self._why_not_play = ""
        self._line = QFrame()
        self._line.setProperty("role", "hairline")
        self._line.setFixedWidth(1)
        outer = column(self)
        outer.addWidget(self.search)
        outer.addWidget(self._under_search)
        lanes = (self.strip, 1)
        panes = (self.details, self.hits, self.preview)
        put(outer, row(lanes, self._line, *panes, gap=0), 1)
        self._connect()
        self.refresh()

    def _title_in(self, executor: str, path: tuple[str, ...]) -> str:
        """Return the name of an executor of any run, and in which one it is if that is
        not shown.
        """
        if path == self.session.staged.run:
            return self.node_title(executor)
        if not path:
            return self.outer_title(executor)
        node = path[-1].rpartition("#")[0]
        name = self.outer_title(node) if len(path) == 1 else node
        return f"{self._inner_title(executor, path)} in {name}"

    def _inner_title(self, executor: str, path: tuple[str, ...]) -> str:
        """Return the title of an executor of a sub-workflow that is not shown."""
        design = self.document.root
        try:
            for key in path:
                owner = key.rpartition("#")[0]
                design = child(design, owner, self.document.folder)
        except EditError:
            return executor
        node = design.workflow.node(executor)
        return executor if node is None else node.title

    def _make_controls(self) -> QWidget:
        box = QWidget()
        for widget in (self, box):
            widget.setProperty("keysOf", "timeline")
        walker = self.walker
        self.back_button = icon_button(
            self.look, "stepback", "Checkpoint before (Left)", walker.back
        )
        self.play_button = icon_button(self.look, "play", "", walker.toggle_play)
        self.forward_button = icon_button(
            self.look, "superstep", "Next checkpoint (Right)", walker.forward
        )
        self.search_button = icon_button(
            self.look, "search", "Ask the past (Ctrl+Shift+F)", self.toggle_search
        )
        self.search_button.setCheckable(True)
        self.go_to_button = icon_button(
            self.look, "target", "Go to a checkpoint (Ctrl+G)", self.go_to
        )
        self.proof_box = CheckBox(self.look, "Restore proof")
        self.proof_box.setToolTip("Mark each checkpoint that was checked")
        self.proof_box.toggled.connect(self.session.proof.show_marks)
        buttons = (self.back_button, self.play_button, self.forward_button)
        searching = (self.search_button, self.go_to_button)
        put(box, row(self.proof_box, *searching, *buttons, gap=4))
        return box

    def _connect(self) -> None:
        self.strip.restore_requested.connect(self.restore_requested)
        self.strip.menu_requested.connect(self._open_menu)
        self.strip.branch_menu_requested.connect(self._open_branch_menu)
        self.strip.bookmark_requested.connect(self.verbs.toggle_bookmark)
        self.strip.go_to_requested.connect(self.go_to)
        self.verbs.restore_requested.connect(self.restore_requested)
        self.verbs.branch_requested.connect(self._ask_branch)
        self.strip.tag_requested.connect(lambda _id: self.details.edit_tags())
        self.strip.note_requested.connect(lambda _id: self.details.edit_note())
        self.details.menu_requested.connect(self._open_details_menu)
        self.details.sizes.chosen.connect(self.walker.view)
        self.walker.playing_changed.connect(self._show_playing)
        self.session.changed.connect(self.invalidate)
        self.session.viewed.connect(self.invalidate)
        self.session.timeline.grown.connect(self.invalidate)
        self.session.past.changed.connect(self.invalidate)
        self.session.proof.changed.connect(self.invalidate)
        self.session.staged.changed.connect(self.invalidate)
        self.session.past.requested.connect(self.open_search)
        self.search.closed.connect(self.close_search)
        self.hits.chosen.connect(self._on_hit)
        self.search.run_back_requested.connect(self.run_back_requested)

    # --- asking the past ---

    def toggle_search(self) -> None:
        if self.is_searching:
            self.close_search()
        else:
            self.open_search()
            self.search.field.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def open_search(self) -> None:
        """Show the bar and the list of hits."""
        self._search(on=True)

    def close_search(self) -> None:
        """Remove the questions, their hits and the bar."""
        self.session.past.clear()
        self.strip.setFocus()
        self._search(on=False)

    def _search(self, *, on: bool) -> None:
        if on != self.is_searching:
            self.is_searching = on
            self.height_wanted = SEARCHING_HEIGHT if on else 0
            self.room_wanted.emit()
        self.refresh()

    def _on_hit(self, hit: PastHit) -> None:
        """Show what a hit is about. Inside of a sub-workflow that is the sub-workflow."""
        if hit.path:
            self.reveal(hit.path[0].rpartition("#")[0])
        elif hit.edge or hit.executor:
            self.reveal(hit.edge or hit.executor)

    def refresh(self) -> None:
        has_run = self.session.timeline.rowCount() > 0
        self._line.setVisible(has_run)
        is_staging = self.session.staged.is_on and not self.is_searching
        self.details.setVisible(has_run and not self.is_searching and not is_staging)
        self.preview.setVisible(has_run and is_staging)
        self.preview.refresh()
        self.hits.setVisible(has_run and self.is_searching)
        self.search.setVisible(self.is_searching)
        self._under_search.setVisible(self.is_searching)
        self.search_button.setChecked(self.is_searching)
        self.strip.follow_hits()
        if self.is_searching:
            self.search.refresh()
            self.hits.refresh()
        self.details.show_checkpoint(self.walker.current_id)
        self._show_proof()
        self._allow_buttons()
        self._show_playing()

    def _show_proof(self) -> None:
        """Offer the marks of restore proofs once there are some."""
        proof = self.session.proof
        self.proof_box.setVisible(proof.is_on or not proof.is_empty)
        with QSignalBlocker(self.proof_box):
            self.proof_box.setChecked(proof.has_marks)

    def _allow_buttons(self) -> None:
        checkpoints = self.session.timeline.rowCount()
        why_not_back = ""
        why_not_forward = ""
        why_not_play = ""
        if not checkpoints:
            why_not = "There is no checkpoint yet: run the workflow first."
            why_not_back = why_not_forward = why_not_play = why_not
        else:
            if not self.walker.can_go_back:
                why_not_back = "This is the first checkpoint."
            if not self.walker.can_go_forward:
                why_not_forward = "This is the newest checkpoint."
            if checkpoints == 1:
                why_not_play = "There is only one checkpoint."
        no_run = "" if checkpoints else why_not_back
        allow(self.search_button, "" if self.is_searching else no_run)
        allow(self.back_button, why_not_back)
        allow(self.forward_button, why_not_forward)
        no_checkpoint = "There is no checkpoint yet: run the workflow first."
        allow(self.go_to_button, "" if checkpoints else no_checkpoint)
        self._why_not_play = why_not_play

    def _show_playing(self) -> None:
        playing = self.walker.is_playing
        self.play_button.setIcon(themed_icon("pause" if playing else "play", self.look))
        tip = "Stop playing (Space)" if playing else "Play the branch (Space)"
        self.play_button.setProperty("tip", tip)
        self.play_button.setAccessibleName(tip)
        allow(self.play_button, self._why_not_play)

    # --- menus --------------------------------------------------------------------------------------------------

    def make_menu(self, checkpoint_id: str) -> QMenu:
        """Return the menu of a checkpoint."""
        return self.verbs.menu_of(checkpoint_id)

    def _open_menu(self, checkpoint_id: str, where: QPoint) -> None:
        self._popup(self.make_menu(checkpoint_id), where)

    def _open_branch_menu(self, lane: int, where: QPoint) -> None:
        self._popup(self.verbs.menu_of_branch(lane), where)

    def _popup(self, menu: QMenu, where: QPoint) -> None:
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(where)

    def _open_details_menu(self) -> None:
        more: QToolButton = self.details.more
        if self.walker.current_id:
            self._open_menu(
                self.walker.current_id, more.mapToGlobal(QPoint(0, more.height()))
            )

    # --- going somewhere ----------------------------------------------------------------------------------------

    def go_to(self) -> None:
        """Open the field that goes to a checkpoint."""
        if self.session.timeline.rowCount():
            field = JumpField(
                self.look, self.session.timeline, self.walker.lane, self.strip
            )
            field.chosen.connect(self.walker.view)
            field.popup(self.strip.mapToGlobal(QPoint(8, -4)))

    def _ask_branch(self, checkpoint_id: str) -> None:
        timeline = self.session.timeline
        title = f"New branch from {timeline.name(checkpoint_id)}"
        taken = {lane.branch for lane in timeline.lanes}
        field = BranchName(title, taken, self)
        field.chosen.connect(partial(self._restore_as, checkpoint_id))
        field.popup(
            self.strip.viewport().mapToGlobal(self.strip.point_of(checkpoint_id))
        )

    def _restore_as(self, checkpoint_id: str, branch: str) -> None:
        self.named_restore_requested.emit(checkpoint_id, branch)
