"""One open document with everything around it: palette, canvas, inspector, timeline and
lists.

Each tab of the window shows one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QCloseEvent, QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from designer.canvas.speech.describe import describe
from designer.canvas.view import CanvasView
from designer.document.checks import Checks
from designer.document.document import Document
from designer.look.theme import Look
from designer.model.diff import diff
from designer.model.files import to_file
from designer.model.fixes import Fix
from designer.model.fixes.failed_field import failed_field
from designer.model.inside import own_way
from designer.model.layout.align import Alignment
from designer.model.patch_address import Address, address_at
from designer.panels import PANELS
from designer.panels.base import Panel, PanelKeys
from designer.panels.breakpoints.editor import BreakpointEditor
from designer.panels.breakpoints.panel import BreakpointsPanel
from designer.panels.code.cel_edit import CelField
from designer.panels.explore.panel import OrdersPanel
from designer.panels.problems import ProblemsPanel
from designer.panels.properties.panel import PropertiesPanel
from designer.panels.surgery.panel import SurgeryPanel
from designer.panels.timeline.panel import TimelinePanel
from designer.panels.verify.panel import ProofPanel
from designer.qt import garbage_collector
from designer.qt.layouts import column, put, row
from designer.session.opener import Source
from designer.session.session import DebugSession
from designer.shell.banner import Banner
from designer.shell.breadcrumbs import Breadcrumbs
from designer.shell.breakpoints import Breakpoints
from designer.shell.disk_watch import DiskWatch
from designer.shell.execution_point import ExecutionPoint
from designer.shell.focus import (
    focus_first_field,
)
from designer.shell.framing import Framing
from designer.shell.levels import Levels
from designer.shell.mistyped_words import before_words, mistyped_words
from designer.shell.news import News
from designer.shell.panel_areas import PanelAreas
from designer.shell.runs import words
from designer.shell.runs.changed_graph import ChangedGraph
from designer.shell.runs.edit_copy import EditCopy
from designer.shell.runs.go_on import Going
from designer.shell.runs.graft import Grafting
from designer.shell.runs.outside import OutsideWorld
from designer.shell.runs.pinning import Pinning
from designer.shell.runs.run_menu import RunMenu
from designer.shell.runs.steps import Steps
from designer.shell.settings.settings import Settings
from designer.shell.source_code import SourceCode
from designer.shell.status_bar import Words
from designer.shell.tabs import HEIGHT as TAB_HEIGHT
from runtime.debug.protocol import ChangeItem, Patch, Reply
from runtime.document.sub_workflows import SUB_WORKFLOW, is_file_child
from runtime.values.words import counted

RESTORE = "Restore here"


class Workspace(QWidget):
    """Builds the panels of `PANELS`, and follows the mode of the session. It is a
    `PanelHost`, and knows nothing of menus and tabs.

    `ask_run_without` asks the user whether to run although typed texts are no values:
    it gets these texts, and what the run uses instead.
    """

    title_changed = Signal()
    state_changed = Signal()
    message = Signal(str)
    message_over = Signal(str)  # a message that is no longer true
    hint = Signal(str)
    example_requested = Signal()
    save_text_requested = Signal(str, str)  # a name for the file, the text
    store_choice_requested = Signal(object)  # a function that gets the URL of a store
    patch_choice_requested = Signal(object)  # a function that gets a `Patch`
    runs_requested = Signal()  # the list of all runs
    bundle_requested = Signal(str)  # the id of a checkpoint from which a fault shows
    store_requested = Signal(str)  # the URL of a store to look into
    # this workspace; "save", "reload" or "compare"
    file_verb_requested = Signal(object, str)

    def __init__(
        self, document: Document, session: DebugSession, settings: Settings, look: Look
    ) -> None:
        super().__init__()
        self.document = document
        self.session = session
        self._settings = settings
        self._look = look
        self.checks = Checks(document, session, self)
        self.canvas = CanvasView(document, session, look, checks=self.checks)
        self.canvas.conditions.make_field = lambda name: CelField(
            look, name, "message.score > 0.8"
        )
        self.framing = Framing(self.canvas, self)
        self.watch = DiskWatch(document, self)
        self.banner = Banner(look)
        self.news = News(document, session, self.watch, self.banner, self)
        self.crumbs = Breadcrumbs(document, session, look)
        self.levels = Levels(document, session, self.canvas, self.crumbs, self)
        self.source = SourceCode(document, session, self.canvas, settings)
        self.breakpoints = Breakpoints(
            document, session, self.canvas, self.levels, self
        )
        self.execution_point = ExecutionPoint(
            document, session, self.canvas, self.levels, self.news.repairs, self
        )
        self.panel_areas = PanelAreas(
            session, settings, look, self.canvas, self.news, self
        )
        self._hand_on()
        self._was_editing: bool | None = None  # None before the mode is known
        self._refusal = ""  # the last message of the canvas
        # What was last compared with the graph of the run.
        self._compared = document.root.workflow
        # The nodes of the graph to which the view was last zoomed.
        self._fitted: frozenset[str] = frozenset()
        self.ask_run_without: Callable[[Sequence[str], str], bool] = (
            lambda _typed, _instead: True
        )
        self._keys: PanelKeys | None = None  # None before the window has told them
        for kind in PANELS:
            if kind.area == "task":
                self.panels.make_late[kind.title] = partial(self._make_late, kind)
            else:
                self._make_panel(kind)
        self.changed_graph = ChangedGraph(session, look, self, self.save_text)
        self.edit_copy_verbs = EditCopy(session)
        self.pinning = Pinning(document, session, look, self)
        self.grafting = Grafting(
            session, self.edit_copy_verbs, self._show_staged, self.canvas.tell, self
        )
        self.outside = OutsideWorld(session, look, self, self.pinning.title_of)
        self.going = Going(
            document,
            session,
            self.checks,
            self._is_typed_out,
            self.show_errors,
            self.changed_graph,
            self.edit_copy_verbs,
            self.outside,
        )
        self.steps = Steps(document, session, self.canvas, self.going)
        self.canvas.breakpoints.make_editor = partial(
            BreakpointEditor.make, document, session, look, self.checks
        )
        self._build()
        self._connect()
        self.follow_settings()
        self._follow_mode()

    def _hand_on(self) -> None:
        """Make the parts' signals and commands the workspace's."""
        levels = self.levels
        self.open_requested = levels.open_requested
        self.page_requested = levels.page_requested
        self.back_requested = levels.back_requested
        self.open_file = levels.open_file
        self.enter_run = levels.enter_run
        self.leave = levels.leave
        self.edit_source = self.source.edit
        self.run_back = self.breakpoints.run_back
        areas = self.panel_areas
        self.panels = areas.panels
        self.areas = areas.areas
        self.show_panel = areas.show
        self.enter_panel = areas.enter
        self.bring_to_front = areas.bring_to_front
        self.fit_bottom = areas.fit_bottom
        self.toggle_whole = areas.toggle_whole
        self.go_area = areas.go_area
        self.remember_sizes = areas.remember_sizes
        self.reset_sizes = areas.reset_sizes
        self.show_breakpoint = self.breakpoints.show

    # --- building ---

    def _make_panel(self, kind: type[Panel]) -> Panel:
        panel = kind(self.document, self.session, self._look, checks=self.checks)
        self.panel_areas.add(panel)
        return panel

    def _make_late(self, kind: type[Panel]) -> Panel:
        """Make the panel of a task in a workspace that is built already."""
        panel = self._make_panel(kind)
        self._connect_panel(panel)
        panel.follow_settings(is_still=self._settings.still)
        if self._keys is not None:
            panel.follow_keys(self._keys)
        return panel

    def _build(self) -> None:
        centre = QWidget()
        head = QWidget()
        head.setFixedHeight(TAB_HEIGHT)
        head.setProperty("role", "strip")
        run_menu = RunMenu(self.session, self._look)
        run_menu.all_requested.connect(self.runs_requested)
        self.header = put(head, row(None, run_menu, gap=0, margins=(8, 0, 4, 0)))
        self._column = column(centre)
        for widget in (head, self.crumbs, self.banner, self.canvas):
            self._column.addWidget(widget)
        self.panel_areas.arrange(centre, self._column)
        self.docks = self.panel_areas.docks

    def follow_settings(self) -> None:
        is_still = self._settings.still
        self.canvas.clock.reduce_motion = is_still
        for panel in self.panels.values():
            panel.follow_settings(is_still=is_still)

    def follow_keys(self, keys: PanelKeys) -> None:
        """The keys of the window changed."""
        self._keys = keys
        self.canvas.use_keys(keys.of_words("canvas"), keys.names)
        for panel in self.panels.values():
            panel.follow_keys(keys)

    # --- wiring: who hears whom ---

    def _connect(self) -> None:
        self._connect_document()
        self._connect_session()
        self._connect_levels()
        self._connect_canvas()
        self._connect_news()
        self.checks.changed.connect(self.state_changed)
        self.checks.changed.connect(self._update_hint)
        for panel in self.panels.values():
            self._connect_panel(panel)

    def _connect_panel(self, panel: Panel) -> None:
        panel.reveal_requested.connect(partial(self._reveal, panel))
        panel.connect_to(self)

    def _connect_document(self) -> None:
        document = self.document
        document.changed.connect(self._update_hint)
        document.changed.connect(self._look_at_difference)
        document.title_changed.connect(self.title_changed)
        document.replaced.connect(self.session.forget)
        document.replaced.connect(self.levels.follow)
        document.entered.connect(self.levels.follow)
        document.backup_failed.connect(self.message)
        breakpoints = document.breakpoints
        breakpoints.changed.connect(self.breakpoints.use)
        breakpoints.changed.connect(self.state_changed)
        breakpoints.changed.connect(self.pinning.use)
        breakpoints.failed.connect(partial(self.news.complain, "Breakpoints"))
        # Because another folder has other node types; a document may be saved
        # elsewhere.
        document.replaced.connect(self.session.load_catalogue)
        document.title_changed.connect(self.session.load_catalogue)

    def _look_at_difference(self, _diff: object = None) -> None:
        """Compare with the run again, unless only the layout has changed."""
        workflow = self.document.root.workflow
        if workflow is not self._compared:
            self._compared = workflow
            self.session.difference.look_again()

    def _connect_session(self) -> None:
        session = self.session
        session.source = self._source
        session.folder = lambda: str(self.document.folder)
        session.changed.connect(self._follow_mode)
        session.proof.changed.connect(self._follow_task)
        session.delivery_orders.changed.connect(self._follow_task)
        session.viewed.connect(self._update_hint)
        session.progressed.connect(self.state_changed)
        session.origin.asked.connect(self.show_selected)
        session.origin.step_chosen.connect(self.execution_point.lead_to_origin)
        point = self.execution_point
        point.panel_requested.connect(self.show_panel)
        point.stop_shown.connect(self._bring_selected_to_front)
        session.stopped_at.connect(self._remember_outcome)
        session.stopped_at.connect(point.lead_to_failure)
        session.stopped_at.connect(point.lead_to_stop)
        session.stopped_at.connect(self.steps.turn_used_off)
        session.breakpoints_changed.connect(self.state_changed)
        session.past.told.connect(self.message)
        session.past.requested.connect(partial(self.show_panel, "Timeline"))
        session.past.changed.connect(self.state_changed)
        session.difference.changed.connect(self.state_changed)
        session.staged.changed.connect(self._follow_mode)
        session.compared.connect(self._leave_copy)
        session.staged.planned.connect(self.state_changed)
        session.results.changed.connect(self.state_changed)
        session.load_catalogue()

    def _connect_levels(self) -> None:
        self.levels.connect_crumbs()
        self.levels.room_changed.connect(self._column.activate)
        self.levels.changed.connect(self.state_changed)

    def _connect_canvas(self) -> None:
        canvas = self.canvas
        canvas.out_requested.connect(self.leave)
        canvas.page_requested.connect(self.levels.open_page)
        canvas.message.connect(self._on_refusal)
        canvas.status.connect(self.hint)
        canvas.node_activated.connect(self._on_activated)
        canvas.panel_requested.connect(self.enter_panel)
        canvas.copy_requested.connect(self._edit_copy_at)
        canvas.example_requested.connect(self.example_requested)

    def _connect_news(self) -> None:
        news = self.news
        news.shown_changed.connect(self._show_banner)
        news.panel_requested.connect(self.enter_panel)
        news.restore_requested.connect(self.restore_viewed)
        news.edit_copy_requested.connect(self._edit_shown_copy)
        news.outside_requested.connect(self.show_outside)
        news.resume_requested.connect(self.run)
        news.file_verb_requested.connect(partial(self.file_verb_requested.emit, self))
        news.fix_requested.connect(self.fix)
        news.run_requested.connect(self.going.start)
        news.go_on_requested.connect(self._continue_repaired)
        news.change_requested.connect(self._on_change_verb)
        news.breakpoint_requested.connect(self.edit_breakpoint)
        news.store_requested.connect(self.store_requested)

    # --- what panels may ask; see `PanelHost` ---

    def save_text(self, name: str, text: str) -> None:
        self.save_text_requested.emit(name, text)

    def show_log(self, panel: Panel) -> None:
        self.enter_panel("Log")

    def show_selected(self) -> None:
        self.show_panel("Selected")

    def search_past(self) -> None:
        """Show the search of the past, ready for a question."""
        self.show_panel("Timeline")
        timeline = self.panel_areas.get(TimelinePanel)
        if not timeline.is_searching:
            timeline.open_search()
        timeline.search.field.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def make_bundle(self, checkpoint_id: str) -> None:
        self.bundle_requested.emit(checkpoint_id)

    def choose_store(self, use: Callable[[str], object]) -> None:
        self.store_choice_requested.emit(use)

    def edit_copy(self, address: Address | None = None) -> None:
        """Edit a copy of the checkpoint that is shown, at a value of it if one is named."""
        self._edit_copy("", address)

    def _edit_shown_copy(self) -> None:
        self.edit_copy()

    def graft(self, change: ChangeItem) -> None:
        """Take a difference between A and B over into a copy of A."""
        self.grafting.graft(change)

    def _show_staged(self, address: Address) -> None:
        """Show what was staged by a graft."""
        self.show_panel(SurgeryPanel.title)
        self.panel_areas.get(SurgeryPanel).begin_at(address)

    def edit_copy_of(self, checkpoint_id: str) -> None:
        self._edit_copy(checkpoint_id, None)

    def edit_copy_of_value(self, checkpoint_id: str, address: Address) -> None:
        """Edit a copy of a checkpoint, at a value of its outermost run."""
        self.levels.go_along(())
        self._edit_copy(checkpoint_id, address)

    def _edit_copy(self, checkpoint_id: str, address: Address | None) -> None:
        if self.docks.is_whole:
            self.toggle_whole()
        if not self.edit_copy_verbs.begin(checkpoint_id):
            self.canvas.tell(self.edit_copy_verbs.why_not)
            return
        self.show_panel(SurgeryPanel.title)
        panel = self.panel_areas.get(SurgeryPanel)
        if address is not None:
            panel.begin_at(address)
        else:
            panel.entry.setFocus(Qt.FocusReason.OtherFocusReason)

    def _edit_copy_at(self, node: str) -> None:
        """Edit a copy at what a node of the shown level is about to do."""
        self.edit_copy(address_at(node, self.session.seen))

    def _leave_copy(self) -> None:
        """Leave the copy for a comparison, because there is one task at a time."""
        if self.session.base:
            self.session.staged.leave()

    def apply_staged(self, is_run_on: bool) -> None:
        verbs = self.edit_copy_verbs
        verbs.apply_and_run() if is_run_on else verbs.apply()

    def discard_staged(self) -> None:
        self.edit_copy_verbs.discard()

    def choose_patch(self, use: Callable[[Patch], object]) -> None:
        self.patch_choice_requested.emit(use)

    def focus_canvas(self) -> None:
        self.canvas.setFocus()

    def add_node(self, type_name: str) -> None:
        self.canvas.commands.add_node(type_name)

    def search_node(self) -> None:
        self.canvas.quick_add()

    def align(self, how: Alignment) -> None:
        self.canvas.commands.align(how)

    def _bring_selected_to_front(self) -> None:
        self.bring_to_front(self.panels["Selected"])

    # --- inside ---

    def _source(self) -> Source:
        file = to_file(self.document.root).model_dump(mode="json")
        return Source(file, str(self.document.folder), self.document.store_url())

    def _on_refusal(self, text: str) -> None:
        self._refusal = text
        self.message.emit(text)

    def _update_hint(self) -> None:
        """Take back a message and describe the hovered element again, because both may
        be out of date.
        """
        if self._refusal:
            self.message_over.emit(self._refusal)
            self._refusal = ""
        self.hint.emit(describe(self.canvas.scene(), self.canvas.hover.key))

    def _on_activated(self, element: str) -> None:
        """Go into a sub-workflow; for other elements, to the panel that shows more of
        them.
        """
        node = self.canvas.scene().design.workflow.node(element)
        if node is None or node.type != SUB_WORKFLOW:
            self.enter_panel(self._panel_of(element))
        elif is_file_child(node) and self.session.mode == "edit":
            self.open_file(element)
        else:
            self.levels.go_in(element)

    def _panel_of(self, element: str) -> str:
        """Return the panel that shows more of an element: in a run, that with the
        ledger of a join, or with the questions of a node.
        """
        if self.session.mode == "edit":
            return "Properties"
        edge = self.canvas.scene().topology.edges.get(element)
        if edge is not None:
            return "Joins" if edge.join is not None else "Selected"
        seen = self.session.seen
        requests = seen.requests if seen is not None else ()
        if any(request.executor == element for request in requests):
            return "Requests"
        return "Selected"

    def _reveal(self, panel: Panel, key: str) -> None:
        """Show on the canvas an element that a panel names."""
        if (
            self.document.inside
            and self.session.mode != "edit"
            and not panel.is_about_level
        ):
            self.leave(len(self.document.inside))
        self.canvas.reveal(key)

    def look_at_files(self) -> None:
        """Read the files of sub-workflows again, because other tabs may have saved
        them.
        """
        self.canvas.follower.look_at_files()
        self.session.difference.look_again()
        self.checks.schedule()

    # --- following the session ---

    def _follow_mode(self) -> None:
        is_editing = self.session.mode == "edit"
        has_switched = is_editing != self._was_editing
        if self.session.running or has_switched:
            self.news.forget()
        if has_switched:
            self._was_editing = is_editing
            # The file of a sub-workflow can be shown here in a run, but only edited in
            # a tab of its own.
            if is_editing and self.document.is_in_file:
                self.document.go_to(own_way(self.document.root, self.document.inside))
        self.panel_areas.show_inspector(refit=has_switched)
        self.news.tell()

    def _follow_task(self) -> None:
        """Show the task that was opened, or the inspector again."""
        self.panel_areas.show_inspector()

    def _show_banner(self, shown: bool) -> None:
        if self.banner.isHidden() == shown:
            show = partial(self.banner.setVisible, shown)
            self.panel_areas.keep_in_place(show)
        self.state_changed.emit()

    def status_words(self) -> Words:
        return words.status(self.session, self.document, self.checks)

    def _remember_outcome(self) -> None:
        stopped = self.session.stopped
        path = self.document.path
        if stopped is None or path is None:
            return
        timeline = self.session.timeline
        timeline.flush()
        self._settings.ran(
            path,
            checkpoints=timeline.rowCount(),
            branches=timeline.branch_count,
            outcome=words.outcome(self.session),
            status=stopped.status,
        )

    # --- verbs ---

    def fix(self, fix: Fix | None = None) -> None:
        """Go to editing, to the field that the error of the run names; apply a fix
        first.
        """
        error = self.session.stopped.text if self.session.stopped is not None else ""
        repair = self.news.repairs.begin()
        if repair is None:
            return
        self.document.go_to(())
        if fix is not None:
            self.document.apply(fix.text, fix.design)
        self.document.select({repair.element})
        self.canvas.reveal(repair.element)
        part = repair.part or f"params.{self._param_in(error, repair.element)}"
        self.go_to_field(part)

    def _continue_repaired(self) -> None:
        repair = self.news.repairs.current
        if repair is not None and self.going.may_run():
            self.changed_graph.restore(repair.checkpoint, self.session.continue_)

    def _on_change_verb(self, verb: str) -> None:
        if verb == "show":
            self.show_changes()
        else:
            self.going.go_on()

    def show_changes(self) -> None:
        """Show what the changed graph would do with the run that is shown."""
        if self.going.may_run():
            self.changed_graph.show(self.session.viewing or "")

    def _param_in(self, error: str, element: str) -> str:
        """Return the parameter of a node that an error is about; "" if that is unknown."""
        node = self.document.root.workflow.node(element)
        if node is None:
            return ""
        info = self.session.infos.get(node.type)
        schema = info.params_schema if info is not None else {}
        return failed_field(error, node.params, schema)

    def undo(self) -> None:
        if self.session.staged.is_on:
            self.session.staged.undo()
            return
        self._take_steps(self.document.undo_stack.undo)

    def redo(self) -> None:
        if self.session.staged.is_on:
            self.session.staged.redo()
            return
        self._take_steps(self.document.undo_stack.redo)

    def go_to_step(self, index: int) -> None:
        """Undo or redo as many steps as lead to where `index` steps are done."""
        self._take_steps(lambda: self.document.undo_stack.setIndex(index))

    def _take_steps(self, steps: Callable[[], object]) -> None:
        """Take undo or redo steps, and bring nodes into view that they moved."""
        before = self.document.design
        way = self.document.inside
        steps()
        if self.document.inside == way:
            self.framing.show(diff(before, self.document.design).nodes_moved)

    def edit_breakpoint(self, id: str) -> None:
        """Edit a breakpoint on the canvas, at its mark if it has one there."""
        if self.docks.is_whole:
            self.toggle_whole()
        self.breakpoints.edit(id)

    def show_watches(self) -> None:
        """Show the watches, and let the user type one."""
        self.show_panel(BreakpointsPanel.title)
        self.panel_areas.get(BreakpointsPanel).add_watch()

    def quick_fix(self) -> None:
        """Open the quick fixes of the selection, or of the first problem that has one."""
        self.show_panel("Problems")
        if not self.panel_areas.get(ProblemsPanel).quick_fix():
            self.canvas.tell("No problem here has a quick fix.")

    def go_to_field(self, part: str) -> None:
        """Go to the field of a part of the selected element, if it can be edited."""
        if self.session.mode == "edit":
            self.show_panel("Properties")
            self.panel_areas.get(PropertiesPanel).focus_part(part)

    def rename(self) -> None:
        """Go to the name of the selected element."""
        self.show_panel("Properties")
        focus_first_field(self.panels["Properties"])

    def back_out(self) -> None:
        """Do what Esc does, one thing at a time: give the window back that a panel has
        as a whole, dismiss a message, end the steps of an origin or a comparison, leave
        the past, leave a form or list for the canvas.
        """
        if self.docks.is_whole:
            self.toggle_whole()
            return
        if self.news.dismiss():
            return
        if self.session.origin.is_on:
            self.session.origin.back()
        elif self.session.proof.is_on:
            self.session.proof.leave()
        elif self.session.delivery_orders.is_on:
            self.session.delivery_orders.leave()
        elif self.session.staged.is_on:
            self.session.staged.leave()
        elif self.session.base:
            self.session.compare_with("")
        elif self.session.mode == "past":
            self.session.back_to_live()
        else:
            self.canvas.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def open_proof(self) -> None:
        """Open the task Restore proof over the checkpoint that is shown."""
        self._make_room_for_task()
        self.session.delivery_orders.leave()
        self.session.proof.begin()
        self.show_panel(ProofPanel.title)

    def _make_room_for_task(self) -> None:
        """End a comparison, or leave a copy, because there is one task at a time, and
        show a checkpoint.
        """
        session = self.session
        session.staged.leave()
        if session.base:
            session.compare_with("")
        timeline = session.timeline
        if session.mode == "edit" and timeline.rowCount():
            session.view(timeline.header_at(timeline.rowCount() - 1).id)

    def prove_all(self) -> None:
        """Open the task, and check all checkpoints of the run."""
        self.open_proof()
        self.session.proof.check_all()

    def open_delivery_orders(self) -> None:
        """Open the task Delivery orders over the checkpoint that is shown."""
        self._make_room_for_task()
        self.session.proof.leave()
        self.session.delivery_orders.begin()
        self.show_panel(OrdersPanel.title)

    @property
    def primary(self) -> str:
        """The id of the main command; "" where the banner has it: in the past, and
        before a call that would reach outside again.
        """
        if self.session.running:
            return "pause"
        mode = self.session.mode
        stopped = self.session.stopped
        reason = stopped.reason if stopped is not None else ""
        if mode == "live" and reason == "outside":
            return ""
        if mode in {"edit", "live"} and not self.why_not_run:
            return "run"
        return ""

    @property
    def why_not_run(self) -> str:
        """Why Run and Superstep cannot be done; "" if they can."""
        return self.going.why_not

    def run(self, *, stop_on_entry: bool = False) -> None:
        """Run from the viewed checkpoint, continue the run, or start one; see
        `Going.run`.
        """
        if stop_on_entry:
            self.going.start(stop_on_entry=True)
        else:
            self.going.run.act()

    def superstep(self) -> None:
        """Take one superstep; see `Going.superstep`."""
        self.going.superstep.act()

    def show_errors(self) -> None:
        """Go to the first error, because of which the workflow does not run."""
        self.show_panel("Problems")
        self.panel_areas.get(ProblemsPanel).show_first()
        errors = counted(self.checks.count("error"), "error")
        self.canvas.tell(
            f"Not started: the workflow has {errors}. The first is selected in Problems."
        )

    def _is_typed_out(self) -> bool:
        """Return whether everything that was typed is in the document, or the user
        wants to run without the texts that are no values. Otherwise go to the first of
        these.
        """
        properties = self.panel_areas.get(PropertiesPanel)
        properties.settle()
        mistyped = properties.mistyped()
        if not mistyped:
            return True
        texts = []
        values_before = []
        for key, drafts in mistyped.items():
            for draft in drafts:
                texts.append(mistyped_words(self.document, key, draft))
                values_before.append(draft.before)
        if self.ask_run_without(texts, before_words(values_before)):
            return True
        key, drafts = next(iter(mistyped.items()))
        self.show_panel("Properties")
        properties.go_to(key, drafts[0].field)
        return False

    def restore(self, checkpoint_id: str, branch: str = "") -> None:
        """Go on from a checkpoint on a new branch, when the user knows what that does
        outside.
        """
        if checkpoint_id:
            restore = partial(self.changed_graph.restore, checkpoint_id, branch=branch)
            self.outside.before(checkpoint_id, RESTORE, restore)

    def show_outside(self) -> None:
        """Show what going on from the viewed checkpoint would do outside."""
        viewing = self.session.viewing
        if viewing is not None:
            restore = partial(self.changed_graph.restore, viewing)
            self.outside.show(viewing, RESTORE, restore)

    def restore_viewed(self) -> None:
        self.restore(self.session.viewing or "")

    def open(self, path: Path) -> None:
        """Open a file and the history of its runs. Raise as `Document.open`."""
        self.document.open(path)
        garbage_collector.freeze()
        self._settings.opened(path, time.time())
        self.session.load_history(
            self.document.store_url(), self.document.root.workflow.name
        )
        self.canvas.camera.fit_all(glide=False)

    def look_into(self, store: str, *, read_only: bool) -> None:
        """Show the runs of a store in place of a drawing."""
        self.document.stand_for(store)
        self.session.viewed.connect(self._fit_other_graph)
        self.session.look_into(store, read_only=read_only)

    def attach(self, place: str, name: str) -> None:
        """Debug the workflow of a program in place of a drawing."""
        self.document.stand_for(place, name)
        self.session.viewed.connect(self._fit_other_graph)
        self.session.attach(self._stand_at_input)

    def _stand_at_input(self, reply: Reply) -> None:
        """Begin a run of a workflow that the window runs itself, and stand there."""
        program = self.session.program
        if reply.success and program is not None and program.can_start:
            self.session.run(stop_on_entry=True)

    def _fit_other_graph(self) -> None:
        """Zoom to the graph of another run, because each run of a store may have its
        own.
        """
        nodes = frozenset(self.canvas.scene().boxes)
        if nodes != self._fitted:
            self._fitted = nodes
            self.canvas.camera.fit_all(glide=False)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.panel_areas.on_shown()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.panel_areas.watch_comparison()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.panel_areas.fit()

    def changeEvent(self, event: QEvent) -> None:
        """Look at the files of Python code again when the user comes back from an
        editor.
        """
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self._look_at_code()

    def _look_at_code(self) -> None:
        if self.session.has_live and not self.session.running:
            self.session.difference.look_again()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.dispose()
        super().closeEvent(event)

    def unfinished(self) -> list[str]:
        """Return what was typed into the panels and would be lost."""
        return [text for panel in self.panels.values() for text in panel.unfinished()]

    def dispose(self) -> None:
        """End the run's process and the timers before the widgets go."""
        self.watch.stop()
        self.session.close()
        self.canvas.dispose()
        self.checks.stop()
        self.document.close()
        # Because they have no parent, and their connections would keep them and this
        # workspace alive for ever.
        self.session.deleteLater()
        self.document.deleteLater()
