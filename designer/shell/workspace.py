"""One open document with everything around it: palette, canvas, inspector, timeline and
lists.

Each tab of the window shows one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QCloseEvent, QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from designer.canvas.speech.describe import describe
from designer.canvas.view import CanvasView
from designer.document.checks import Checks
from designer.document.document import Document
from designer.look.theme import Look
from designer.model.breakpoint_words import target_without_place
from designer.model.breakpoints import place_of
from designer.model.completion.sources import find_source, reference_of
from designer.model.diff import diff
from designer.model.errors import EditError
from designer.model.files import to_file
from designer.model.fixes import Fix
from designer.model.fixes.failed_field import failed_field
from designer.model.inside import file_at, own_way, titles
from designer.model.layout.align import Alignment
from designer.panels import PANELS
from designer.panels.base import Panel, PanelKeys
from designer.panels.breakpoints.editor import BreakpointEditor
from designer.panels.breakpoints.panel import BreakpointsPanel
from designer.panels.code.cel_edit import CelField
from designer.panels.code.external_editor import open_source
from designer.panels.problems import ProblemsPanel
from designer.panels.properties.panel import PropertiesPanel
from designer.panels.timeline.panel import TimelinePanel
from designer.qt import garbage_collector
from designer.qt.layouts import column, put, row
from designer.session.opener import Source
from designer.session.session import DebugSession
from designer.shell.banner import Banner
from designer.shell.breadcrumbs import Breadcrumbs
from designer.shell.disk_watch import DiskWatch
from designer.shell.docks import Docks, Inspector
from designer.shell.focus import (
    focus_first_field,
    focus_in,
    focus_next_area,
    is_writing,
)
from designer.shell.framing import Framing
from designer.shell.mistyped_words import before_words, mistyped_words
from designer.shell.news import News
from designer.shell.runs import words
from designer.shell.runs.changed_graph import ChangedGraph
from designer.shell.runs.go_on import Going
from designer.shell.runs.run_menu import RunMenu
from designer.shell.runs.steps import Steps
from designer.shell.settings.settings import Settings
from designer.shell.status_bar import Words
from designer.shell.tabs import HEIGHT as TAB_HEIGHT
from designer.shell.tabs import TabArea
from runtime.debug.protocol import OriginStep, Reply
from runtime.document.sub_workflows import SUB_WORKFLOW, is_file_child
from runtime.values.words import counted

P = TypeVar("P", bound=Panel)


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
    # the file of a sub-workflow, its node, and the way to an element in it
    open_requested = Signal(object, str, object)
    page_requested = Signal(object)  # the way to a sub-workflow, for a tab of its own
    back_requested = Signal(object)  # the workspace from which this one was opened
    store_choice_requested = Signal(object)  # a function that gets the URL of a store
    runs_requested = Signal()  # the list of all runs
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
        self.panels: dict[str, Panel] = {}
        self._was_editing: bool | None = None  # None before the mode is known
        # Whether there is a task, and whether it has the place of the inspector.
        self._has_task = False
        self._is_task_shown = False
        self._sized = False
        self._refusal = ""  # the last message of the canvas
        # What was last compared with the graph of the run.
        self._compared = document.root.workflow
        # The nodes of the graph to which the view was last zoomed.
        self._fitted: frozenset[str] = frozenset()
        self.ask_run_without: Callable[[Sequence[str], str], bool] = (
            lambda _typed, _instead: True
        )
        self._outer: Workspace | None = None
        self._outer_node = ""
        self.areas = {
            name: self._area()
            for name in ("left", "right-edit", "right-debug", "task", "bottom")
        }
        for make in PANELS:
            self._add_panel(make(document, session, look, checks=self.checks))
        self.changed_graph = ChangedGraph(session, look, self, self.save_text)
        self.going = Going(
            document,
            session,
            self.checks,
            self._is_typed_out,
            self.show_errors,
            self.changed_graph,
        )
        self.steps = Steps(document, session, self.canvas, self.going)
        self.canvas.breakpoints.make_editor = partial(
            BreakpointEditor.make, document, session, look, self.checks
        )
        self._build()
        self._connect()
        self.follow_settings()
        self._follow_mode()

    # --- building ---

    def _panel(self, kind: type[P]) -> P:
        return next(panel for panel in self.panels.values() if isinstance(panel, kind))

    def _area(self) -> TabArea:
        area = TabArea(self._look)
        area.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        return area

    def _add_panel(self, panel: Panel) -> None:
        self.panels[panel.title] = panel
        area = self.areas[panel.area]
        strip = area.strip
        index = area.addTab(panel, panel.title)
        strip.set_face(
            index, icon=panel.icon if panel.area == "bottom" else "", short=panel.icon
        )
        panel.badge_changed.connect(
            lambda text: strip.set_face(
                area.indexOf(panel), badge=text, tone=panel.badge_tone
            )
        )

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
        for name in ("left", "task"):
            self.areas[name].tabBar().hide()
        for area in self.areas.values():
            area.currentChanged.connect(partial(self._show_corner, area))
            self._show_corner(area)
        right: dict[Inspector, QWidget] = {
            "edit": self.areas["right-edit"],
            "debug": self.areas["right-debug"],
            "task": self.areas["task"],
        }
        self.docks = Docks(
            self, self.areas["left"], centre, right, self.areas["bottom"]
        )
        self.docks.arranged.connect(self._on_arranged)
        bottom = self.areas["bottom"]
        bottom.currentChanged.connect(self._wish_bottom)
        bottom.strip.activated.connect(self.toggle_whole)
        bottom.strip.setToolTip(
            "Double click on a tab gives it the whole window, and back"
        )

    def _wish_bottom(self, _index: int) -> None:
        """Give the bottom area the height that its panel in front wishes."""
        panel = self.areas["bottom"].currentWidget()
        if isinstance(panel, Panel):
            wish = partial(self.docks.wish_bottom, panel.height_wanted)
            self.framing.keep(wish, self._column)

    def toggle_whole(self) -> None:
        """Give the panel at the bottom the whole window, or take it back."""
        is_whole = not self.docks.is_whole
        show = partial(self.docks.show_whole, is_whole=is_whole)
        self.framing.keep(show, self._column)
        self._watch_comparison()
        if is_whole:
            panel = self.areas["bottom"].currentWidget()
            if isinstance(panel, Panel):
                focus_in(panel.entry)

    def restore_sizes(self) -> None:
        self.docks.want_bottom(self._settings.values.splitters.get("down"))

    def remember_sizes(self) -> None:
        sizes = self.docks.sizes()
        if sizes is not None:
            self._settings.values.splitters["down"] = sizes
            self._settings.write()

    def reset_sizes(self) -> None:
        self.docks.reset()

    def _on_arranged(self, is_narrow: bool, inspector_width: int) -> None:
        for panel in self.panels.values():
            panel.follow_room(is_narrow=is_narrow, inspector_width=inspector_width)

    def follow_settings(self) -> None:
        is_still = self._settings.still
        self.canvas.clock.reduce_motion = is_still
        for panel in self.panels.values():
            panel.follow_settings(is_still=is_still)

    def follow_keys(self, keys: PanelKeys) -> None:
        """The keys of the window changed."""
        self.canvas.use_keys(keys.of_words("canvas"), keys.names)
        for panel in self.panels.values():
            panel.follow_keys(keys)

    # --- wiring: who hears whom ---

    def _connect(self) -> None:
        self._connect_document()
        self._connect_session()
        self._connect_crumbs()
        self._connect_canvas()
        self._connect_news()
        self.checks.changed.connect(self.state_changed)
        self.checks.changed.connect(self._update_hint)
        for panel in self.panels.values():
            panel.reveal_requested.connect(partial(self._reveal, panel))
            panel.connect_to(self)

    def _connect_document(self) -> None:
        document = self.document
        document.changed.connect(self._update_hint)
        document.changed.connect(self._look_at_difference)
        document.title_changed.connect(self.title_changed)
        document.replaced.connect(self.session.forget)
        document.replaced.connect(self._follow_inside)
        document.entered.connect(self._follow_inside)
        document.backup_failed.connect(self.message)
        breakpoints = document.breakpoints
        breakpoints.changed.connect(self._use_breakpoints)
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

    def _use_breakpoints(self) -> None:
        notes = self.document.breakpoints.notes
        self.session.use_breakpoints(notes.breakpoints, muted=notes.muted)
        self.state_changed.emit()

    def _connect_session(self) -> None:
        session = self.session
        session.source = self._source
        session.folder = lambda: str(self.document.folder)
        session.changed.connect(self._follow_mode)
        session.viewed.connect(self._update_hint)
        session.progressed.connect(self.state_changed)
        session.origin.asked.connect(self.show_selected)
        session.origin.step_chosen.connect(self._lead_to_origin)
        session.stopped_at.connect(self._remember_outcome)
        session.stopped_at.connect(self._lead_to_failure)
        session.stopped_at.connect(self._lead_to_stop)
        session.stopped_at.connect(self.steps.turn_used_off)
        session.breakpoints_changed.connect(self.state_changed)
        session.past.told.connect(self.message)
        session.past.requested.connect(partial(self.show_panel, "Timeline"))
        session.past.changed.connect(self.state_changed)
        session.difference.changed.connect(self.state_changed)
        session.load_catalogue()

    def _connect_crumbs(self) -> None:
        self.crumbs.left.connect(self.leave)
        self.crumbs.run_chosen.connect(self._choose_run)
        for signal in (
            self.document.changed,
            self.document.title_changed,
            self.session.changed,
            self.session.viewed,
        ):
            signal.connect(self._follow_crumbs)

    def _connect_canvas(self) -> None:
        canvas = self.canvas
        canvas.out_requested.connect(self.leave)
        canvas.page_requested.connect(self.open_page)
        canvas.message.connect(self._on_refusal)
        canvas.status.connect(self.hint)
        canvas.node_activated.connect(self._on_activated)
        canvas.panel_requested.connect(self.enter_panel)
        canvas.example_requested.connect(self.example_requested)

    def _connect_news(self) -> None:
        news = self.news
        news.shown_changed.connect(self._show_banner)
        news.panel_requested.connect(self.enter_panel)
        news.restore_requested.connect(self.restore_viewed)
        news.file_verb_requested.connect(partial(self.file_verb_requested.emit, self))
        news.fix_requested.connect(self.fix)
        news.run_requested.connect(self.going.start)
        news.go_on_requested.connect(self._continue_repaired)
        news.change_requested.connect(self._on_change_verb)
        news.breakpoint_requested.connect(self.edit_breakpoint)
        news.store_requested.connect(self.store_requested)

    # --- what panels may ask; see `PanelHost` ---

    def edit_source(self, path: Path, line: int) -> str:
        return open_source(path, line, self._settings.values.editor)

    @property
    def reference(self) -> str:
        """The `module:name` of the Python code of the one node that is selected; ""
        for none.
        """
        selection = self.document.selection
        if len(selection) != 1:
            return ""
        node = self.canvas.scene().design.workflow.node(next(iter(selection)))
        return reference_of(node, self.session.infos.get(node.type)) if node else ""

    def open_source(self) -> None:
        """Open the Python code of the selected node in the user's editor."""
        shown_file = file_at(
            self.document.root, self.document.inside, self.document.folder
        )
        folder = shown_file.parent if shown_file is not None else self.document.folder
        try:
            source = find_source(self.reference, folder)
        except LookupError as error:
            self.canvas.tell(str(error.args[0]))
            return
        reason = self.edit_source(source.path, source.line)
        if reason:
            self.canvas.tell(reason)

    def save_text(self, name: str, text: str) -> None:
        self.save_text_requested.emit(name, text)

    def show_log(self, panel: Panel) -> None:
        self.enter_panel("Log")

    def show_selected(self) -> None:
        self.show_panel("Selected")

    def fit_bottom(self) -> None:
        self._wish_bottom(self.areas["bottom"].currentIndex())

    def run_back(self) -> None:
        notes = self.document.breakpoints.notes
        stops = [point for point in notes.breakpoints if point.enabled]
        self.session.past.run_back([] if notes.muted else stops)

    def search_past(self) -> None:
        """Show the search of the past, ready for a question."""
        self.show_panel("Timeline")
        timeline = self._panel(TimelinePanel)
        if not timeline.is_searching:
            timeline.open_search()
        timeline.search.field.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def enter_run(self, keys: Sequence[str], element: str) -> None:
        for key in keys:
            node = key.rpartition("#")[0] or key
            way = (*self.document.inside, node)
            self.go_in(node)
            if self.document.inside != way:
                return
            self.session.look_inside(way, key)
        if element:
            self.document.select({element})
            self.canvas.reveal(element)

    def choose_store(self, use: Callable[[str], object]) -> None:
        self.store_choice_requested.emit(use)

    def focus_canvas(self) -> None:
        self.canvas.setFocus()

    def add_node(self, type_name: str) -> None:
        self.canvas.commands.add_node(type_name)

    def search_node(self) -> None:
        self.canvas.quick_add()

    def align(self, how: Alignment) -> None:
        self.canvas.commands.align(how)

    def bring_to_front(self, panel: Panel) -> None:
        """Show a panel, unless the user is writing, or chose what is in front there."""
        focused = self.focusWidget()
        area = self.areas[panel.area]
        if is_writing(focused) or area.is_chosen:
            return
        present = area.currentWidget()
        had_focus = focused is not None and present.isAncestorOf(focused)
        self.show_panel(panel.title)
        if had_focus:
            focus_in(panel)

    # --- inside ---

    def _source(self) -> Source:
        file = to_file(self.document.root).model_dump(mode="json")
        return Source(file, str(self.document.folder), self.document.store_url())

    def _show_corner(self, area: TabArea, _index: int = 0) -> None:
        """Show beside the tabs what the panel in front has for their corner."""
        for panel in self.panels.values():
            if panel.corner is not None and self.areas[panel.area] is area:
                is_in_front = area.currentWidget() is panel
                if is_in_front or area.cornerWidget() is None:
                    panel.corner.setContentsMargins(0, 0, 8, 0)
                    area.setCornerWidget(panel.corner, Qt.Corner.TopRightCorner)
                panel.corner.setVisible(is_in_front)
        area.fit_tabs()

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
            self.go_in(element)

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

    # --- inside of sub-workflows ---

    def go_in(self, node: str) -> None:
        """Go into the drawing of a sub-workflow; in a run also into that of a file."""
        self.canvas.setFocus()  # which commits what is being typed on this level
        try:
            self.document.enter(node, files_too=self.session.mode != "edit")
        except EditError as error:
            self.canvas.tell(str(error))

    def go_to(self, way: Sequence[str], element: str) -> None:
        """Go to an element on another level."""
        self.canvas.setFocus()
        self.document.go_to(tuple(way))
        self.document.select({element})
        self.canvas.approach(element)

    def open_file(self, element: str, further: Sequence[str] = ()) -> None:
        """Open the file of a sub-workflow in a tab of its own, and go to a node in it."""
        document = self.document
        node = self.canvas.scene().design.workflow.node(element)
        if node is not None and is_file_child(node):
            shown_file = file_at(document.root, document.inside, document.folder)
            folder = shown_file.parent if shown_file is not None else document.folder
            file = folder / str(node.params["file"])
            self.open_requested.emit(file, element, tuple(further))

    def look_at_files(self) -> None:
        """Read the files of sub-workflows again, because other tabs may have saved
        them.
        """
        self.canvas.follower.look_at_files()
        self.session.difference.look_again()
        self.checks.schedule()

    @property
    def is_inside(self) -> bool:
        """Whether `leave` leads anywhere."""
        return bool(self.document.inside) or self._outer is not None

    def open_page(self, node: str) -> None:
        """Open a sub-workflow in a tab of its own; with "" the file of the level that
        is shown.
        """
        document = self.document
        if not node:
            shown_file = file_at(document.root, document.inside, document.folder)
            if shown_file is not None:
                self.open_requested.emit(shown_file, document.inside[-1], ())
                return
        sub_workflow = self.canvas.scene().design.workflow.node(node)
        if sub_workflow is not None and is_file_child(sub_workflow):
            self.open_file(node)
        elif sub_workflow is not None and sub_workflow.type == SUB_WORKFLOW:
            self.page_requested.emit((*document.inside, node))

    def come_from(self, outer: Workspace | None, node: str = "") -> None:
        """Let the way out lead to a node of another workflow, which names the file of
        this one; None for nowhere.
        """
        self._outer = outer
        self._outer_node = node
        self.crumbs.before = ()
        if outer is not None:
            document = outer.document
            levels = titles(document.root, document.inside, document.folder)
            self.crumbs.before = (document.called, *levels)
        self.canvas.can_go_out = outer is not None
        self._show_crumbs()

    def forget_outer(self, outer: Workspace) -> None:
        """Drop the way out if it leads to this workspace, which was closed."""
        if self._outer is outer:
            self.come_from(None)

    def leave(self, levels: int = 1) -> None:
        """Go out of so many sub-workflows, and out of the document to the one that
        names it.
        """
        self.canvas.setFocus()
        depth = len(self.document.inside)
        self.document.leave(min(levels, depth))
        if levels > depth and self._outer is not None:
            self.back_requested.emit(self._outer)
            if levels == depth + 1:
                self._outer.document.select({self._outer_node})
            else:
                self._outer.leave(levels - depth - 1)

    def _choose_run(self, key: str) -> None:
        self.session.look_inside(self.document.inside, key)

    def _follow_inside(self) -> None:
        self.session.look_inside(self.document.inside)
        self._show_crumbs()
        # After the strip of levels is shown, because it takes room of the canvas.
        self.canvas.follower.look_again()
        self.state_changed.emit()

    def _show_crumbs(self) -> None:
        self.crumbs.follow()
        self.crumbs.setVisible(bool(self.document.inside or self._outer))
        self._column.activate()

    def _follow_crumbs(self, *_news: object) -> None:
        if not self.crumbs.isHidden():
            self.crumbs.follow()

    def edit(self) -> None:
        """Go to editing. Where the file of a sub-workflow is shown, go to the tab of
        that file, at the node that is selected.
        """
        document = self.document
        way = document.inside
        own = own_way(document.root, way)
        shown_file = file_at(document.root, way, document.folder)
        selected_node = tuple(
            node.id
            for node in self.canvas.scene().design.workflow.nodes
            if document.selection == {node.id}
        )
        self.session.leave()
        if shown_file is not None and len(way) == len(own) + 1:
            self.open_requested.emit(shown_file, way[-1], selected_node)

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
        self._show_inspector(refit=has_switched)
        self.news.tell()

    def _show_inspector(self, *, refit: bool = False) -> None:
        """Show the inspector of the mode, or a task in its place. The task comes to the
        front when it begins; a panel of the inspector that the user asks for meanwhile
        takes its place back.
        """
        base = self.session.base if self.session.mode != "edit" else ""
        if bool(base) != self._has_task:
            self._has_task = bool(base)
            self._is_task_shown = bool(base)
        inspector = self._inspector()
        self.news.is_task_shown = inspector == "task"
        if inspector != self.docks.shown or refit:
            show = partial(self.docks.show_inspector, inspector)
            self.framing.keep(show, self._column, refit=refit)
        self._watch_comparison()

    def _inspector(self) -> Inspector:
        if self.session.mode == "edit":
            return "edit"
        return "task" if self._is_task_shown else "debug"

    def _watch_comparison(self) -> None:
        """Compare only while it is on screen: beside or on the canvas."""
        self.session.watch_comparison(self.isVisible() and not self.docks.is_whole)

    def _show_banner(self, shown: bool) -> None:
        if self.banner.isHidden() == shown:
            self.framing.keep(partial(self.banner.setVisible, shown), self._column)
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

    def _lead_to_failure(self) -> None:
        """Select and show the element that failed, unless the user writes or looks
        elsewhere.
        """
        element, _part = self.news.repairs.failed
        is_looking = self.session.mode == "live" and not is_writing(self.focusWidget())
        if element and is_looking:
            if self.document.inside:
                self.leave(len(self.document.inside))
            self.document.select({element})
            self.canvas.reveal(element)
            self.show_panel("Selected")

    def _lead_to_stop(self) -> None:
        """Select and show the executor before which the run was stopped, unless the
        user writes or looks elsewhere.
        """
        stopped = self.session.stopped
        is_looking = self.session.mode == "live" and not is_writing(self.focusWidget())
        if stopped is None or stopped.delivery is None or not is_looking:
            return
        delivery = stopped.delivery
        way = tuple(key.rpartition("#")[0] for key in delivery.path)
        self._go_along(way)
        if self.document.inside == way:
            if way:
                self.session.look_inside(way, delivery.path[-1])
            self.document.select({delivery.executor})
            self.canvas.reveal(delivery.executor)
            self.bring_to_front(self.panels["Selected"])

    def _lead_to_origin(self, step: OriginStep) -> None:
        """View the superstep in which a value was made, and select who made it."""
        if step.checkpoint_id is not None:
            self.session.view(step.checkpoint_id)
        way = tuple(run.rpartition("#")[0] for run in step.runs)
        self._go_along(way)
        if self.document.inside != way:
            return
        if way:
            self.session.look_inside(way, keys=step.runs)
        if step.executor:
            self.document.select({step.executor})
            self.canvas.reveal(step.executor)

    def _go_along(self, way: Sequence[str]) -> None:
        """Go to a level, also into the files of sub-workflows, as far as it goes."""
        shared = 0
        for present, wanted in zip(self.document.inside, way, strict=False):
            if present != wanted:
                break
            shared += 1
        self.document.leave(len(self.document.inside) - shared)
        for node in way[shared:]:
            before = self.document.inside
            self.go_in(node)
            if self.document.inside == before:
                return

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

    def show_panel(self, title: str) -> None:
        """Bring a panel to the front of its area."""
        panel = self.panels[title]
        if self.docks.is_whole and panel.area != "bottom":
            self.toggle_whole()
        if panel.area in ("task", "right-debug"):
            self._is_task_shown = panel.area == "task" and self._has_task
            self._show_inspector()
            self.news.tell()  # which leads back to the task
        self.areas[panel.area].setCurrentWidget(panel)

    def enter_panel(self, title: str) -> None:
        """Show a panel, and give the focus to its first part that takes keys."""
        self.show_panel(title)
        focus_in(self.panels[title].entry)

    def undo(self) -> None:
        self._take_steps(self.document.undo_stack.undo)

    def redo(self) -> None:
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
        is_shown = self.show_breakpoint(id)
        point = self.document.breakpoints.notes.get(id)
        if point is None:
            return
        verbs = self.canvas.breakpoints
        if not is_shown or not verbs.open(place_of(point), id):
            verbs.open_apart(id, target_without_place(point))

    def show_watches(self) -> None:
        """Show the watches, and let the user type one."""
        self.show_panel(BreakpointsPanel.title)
        self._panel(BreakpointsPanel).add_watch()

    def show_breakpoint(self, id: str) -> bool:
        """Go to the mark of a breakpoint on the canvas. Return False if it has none."""
        point = self.document.breakpoints.notes.get(id)
        if point is None or not place_of(point):
            return False
        self._go_along(point.inside)
        if self.document.inside != point.inside:
            return False
        element = place_of(point)
        self.document.select({element})
        self.canvas.reveal(element)
        return bool(self.document.selection)

    def quick_fix(self) -> None:
        """Open the quick fixes of the selection, or of the first problem that has one."""
        self.show_panel("Problems")
        if not self._panel(ProblemsPanel).quick_fix():
            self.canvas.tell("No problem here has a quick fix.")

    def go_to_field(self, part: str) -> None:
        """Go to the field of a part of the selected element, if it can be edited."""
        if self.session.mode == "edit":
            self.show_panel("Properties")
            self._panel(PropertiesPanel).focus_part(part)

    def rename(self) -> None:
        """Go to the name of the selected element."""
        self.show_panel("Properties")
        focus_first_field(self.panels["Properties"])

    def go_area(self, step: int) -> None:
        """Move the focus to the next area: canvas, inspector, bottom, palette."""
        inspector = self.docks.shown
        area = inspector if inspector == "task" else f"right-{inspector}"
        areas: list[QWidget] = [
            self.canvas,
            self.areas[area],
            self.areas["bottom"],
            self.areas["left"],
        ]
        focus_next_area(areas, self.focusWidget(), step)

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
        elif self.session.base:
            self.session.compare_with("")
        elif self.session.mode == "past":
            self.session.back_to_live()
        else:
            self.canvas.setFocus(Qt.FocusReason.ShortcutFocusReason)

    @property
    def primary(self) -> str:
        """The id of the main command; "" in the past, where the banner has it."""
        if self.session.running:
            return "pause"
        if self.session.mode in {"edit", "live"} and not self.why_not_run:
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
        self._panel(ProblemsPanel).show_first()
        errors = counted(self.checks.count("error"), "error")
        self.canvas.tell(
            f"Not started: the workflow has {errors}. The first is selected in Problems."
        )

    def _is_typed_out(self) -> bool:
        """Return whether everything that was typed is in the document, or the user
        wants to run without the texts that are no values. Otherwise go to the first of
        these.
        """
        properties = self._panel(PropertiesPanel)
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
        if checkpoint_id:
            self.changed_graph.restore(checkpoint_id, branch=branch)

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
        if not self._sized:
            self._sized = True
            self.restore_sizes()
        self.docks.show_inspector(self._inspector())
        self._watch_comparison()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._watch_comparison()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._sized:
            self.docks.fit()

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
