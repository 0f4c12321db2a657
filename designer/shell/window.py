"""The window: menus, toolbar, tabs and status bar around the open workspaces. All
commands come from the action table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QMainWindow,
    QStackedWidget,
    QWidget,
)

from designer.look.icons import themed_icon
from designer.look.readability import unreadable
from designer.look.theme import Look, ThemeChoice
from designer.model.pictures import is_picture
from designer.qt import garbage_collector
from designer.qt.background import is_waiting
from designer.qt.key_positions import latin_event
from designer.qt.layouts import column, put, row
from designer.shell.actions import ActionSpec
from designer.shell.attach.attach_dialog import AttachDialog
from designer.shell.exchange.exchange import Exchange
from designer.shell.files.dialogs import Questions
from designer.shell.files.files import Files
from designer.shell.find.command_palette import CommandPalette
from designer.shell.find.find import elsewhere, findable
from designer.shell.find.findings import checkpoints, everything
from designer.shell.find.landmarks import landmarks
from designer.shell.help.page import HelpPage
from designer.shell.help.texts import guide_topic, help_for
from designer.shell.help.tour import Tour
from designer.shell.keys import shown_keys
from designer.shell.keys.cheat_sheet import ShortcutList
from designer.shell.keys.dialog import KeyDialog
from designer.shell.keys.field_keys import FieldKeys
from designer.shell.keys.presets import OURS, PRESETS
from designer.shell.keys.rows import Keys
from designer.shell.menus import Menus
from designer.shell.packaged_actions import all_actions, left_out
from designer.shell.pages import Page, Pages
from designer.shell.placement import place_window
from designer.shell.settings.editor_dialog import EditorDialog
from designer.shell.settings.scale import is_set_outside
from designer.shell.settings.settings import Settings
from designer.shell.settings.theme_change import Restyling
from designer.shell.sharing.bug_bundles import BugBundles, is_bundle
from designer.shell.sharing.shared_runs import SharedRuns
from designer.shell.start_page import StartPage
from designer.shell.status_bar import StatusBar, Words
from designer.shell.stores.runs_dialog import RunsDialog
from designer.shell.stores.store_dialog import StoreDialog
from designer.shell.tabs import HEIGHT as TAB_HEIGHT
from designer.shell.tabs import TabStrip
from designer.shell.toolbar import Toolbar
from designer.shell.undo_list import UndoList
from designer.shell.workspace import Workspace
from resources import Example
from resources.guide import INDEX
from runtime.document.definition import SHARED_SUFFIX
from runtime.errors import WorkflowException

PYTHON = ".py"
SIZE = QSize(1600, 1000)
LEAST = QSize(760, 440)  # fits a screen of 1600 × 1000 at 200 %
CLOSE_AGAIN_AFTER = 50  # ms, while a save is not done
# ms until a closed workspace is deleted and the window has been painted
COLLECT_AFTER = 200


class Window(QMainWindow):
    """Owns the tabs. `make_workspace` returns a new workspace, so that tests can use a
    session of their own.
    """

    current_changed = Signal()
    keys_changed = Signal(object)  # Keys

    def __init__(
        self,
        settings: Settings,
        look: Look,
        examples: Sequence[Example],
        make_workspace: Callable[..., Workspace],
        questions: Questions | None = None,
    ) -> None:
        super().__init__()
        self.settings: Settings = settings
        self._look = look
        self.make_workspace = make_workspace
        self.examples = examples
        self.questions = questions or Questions(self, look)
        self.exchange = Exchange(self, self, look, self._open_file)
        self.files = Files(self, settings, self.exchange.open_picture)
        self.sharing = SharedRuns(self, self, look, self.files)
        self.bundles = BugBundles(self, self, look, self.files)
        self.workspaces: list[Workspace] = []
        self.restyling = Restyling(self)
        self.stack = QStackedWidget()
        self.start_page = StartPage(settings, look, examples)
        self.tabs = TabStrip(look, closable=True)
        self.pages = Pages(self.tabs)
        self.stack.addWidget(self._start_view())
        self.setCentralWidget(self.stack)
        self.specs = all_actions()
        self.actions_by_id: dict[str, QAction] = {}
        # The last command that could not be done, and the message that said why.
        self._refused: tuple[ActionSpec, str] | None = None
        self.keys = Keys(settings.values.shortcuts, settings.values.preset)
        self._make_actions()
        self.menus = Menus(
            self, settings, self.specs, self.actions_by_id, self._open_path
        )
        self.toolbar: Toolbar = Toolbar(
            look, self.actions_by_id, self.keys.first("commands"), self.specs
        )
        self.addToolBar(self.toolbar)
        self.status = StatusBar(look)
        self.setStatusBar(self.status)
        self.status.cancelled.connect(self._on_wait_cancelled)
        settings.tell = self.status.say
        self._connect()
        self.setAcceptDrops(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        place_window(self, settings.values.geometry, SIZE, LEAST)
        self._restyle()
        if not self.keys.are_ours:
            self._show_keys()
        self.show_start_page()
        self._warn_of_packages()

    # --- what is open ---

    @property
    def current(self) -> Workspace | None:
        shown = self.stack.currentWidget()
        return shown if isinstance(shown, Workspace) else None

    @property
    def workspace(self) -> Workspace:
        """The workspace in front; commands that need one are disabled while there is
        none.
        """
        assert self.current is not None  # noqa: S101 - guarded by the action's `can`
        return self.current

    @property
    def tab_count(self) -> int:
        return len(self.pages.items)

    def _open_path(self) -> str:
        return str(self.current.document.path) if self.current is not None else ""

    def refresh_start_page(self) -> None:
        self.start_page.refresh()

    # --- building ---

    def _start_view(self) -> QWidget:
        """Return the start page, with the tabs above it if there are any."""
        view = QWidget()
        self._start_head = QWidget()
        self._start_head.setProperty("role", "strip")
        self._start_head.setFixedHeight(TAB_HEIGHT)
        self._start_row = put(self._start_head, row(None, gap=0, margins=(8, 0, 8, 0)))
        layout = column(view)
        layout.addWidget(self._start_head)
        layout.addWidget(self.start_page, 1)
        return view

    def _make_actions(self) -> None:
        for spec in self.specs:
            action = QAction(spec.text, self)
            action.setIconText(spec.short or spec.text.rstrip("…"))
            if spec.icon:
                action.setIcon(themed_icon(spec.icon, self._look, "text"))
            action.setCheckable(spec.checked is not None)
            action.triggered.connect(
                lambda _checked=False, spec=spec: self.trigger(spec)
            )
            self.addAction(action)
            self.actions_by_id[spec.id] = action
        self._bind_keys()

    def _bind_keys(self) -> None:
        for spec in self.specs:
            action = self.actions_by_id[spec.id]
            shown_keys.bind_action(action, spec, self.keys)
            shown_keys.name_action(action, spec, self.keys, self)

    def _show_keys(self) -> None:
        """Emit the keys, and show them where ours were named. Ours are there already."""
        self.keys_changed.emit(self.keys)
        field = self.toolbar.field
        field.show_keys(self.keys.first("commands"))
        shown_keys.tell_widgets(self, self.keys, field)

    def _connect(self) -> None:
        self.menus.path_requested.connect(self.files.open)
        page = self.start_page
        page.new_requested.connect(self.new_document)
        page.open_requested.connect(self.files.ask_open)
        page.path_requested.connect(self.files.open)
        page.run_requested.connect(self.files.run)
        page.tour_requested.connect(self.show_tour)
        self.tabs.currentChanged.connect(self._show_tab)
        self.tabs.tabBarClicked.connect(self._show_tab)
        self.tabs.close_requested.connect(
            lambda index: self.close_page(self.pages.items[index])
        )
        self.toolbar.field.clicked.connect(self.show_commands)
        self._look.changed.connect(self._restyle)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._keep_from_commands)
        FieldKeys(self, self.action_of)

    def _keep_from_commands(
        self, before: QWidget | None, after: QWidget | None
    ) -> None:
        """Keep the focus from moving to a button of toolbar or banner by itself.

        When the button with the focus is disabled or hidden, Qt moves the focus to the
        next one, which may be Stop, and the next key would press it.
        """
        if self.current is None or not isinstance(before, QAbstractButton):
            return
        has_vanished = not (before.isEnabled() and before.isVisible())
        if has_vanished and isinstance(after, QAbstractButton):
            bars = (self.toolbar, self.current.banner)
            if any(bar.isAncestorOf(after) for bar in bars):
                self.current.canvas.setFocus()

    # --- doing ---

    def trigger(self, spec: ActionSpec) -> None:
        """Run a command, or say in the status bar why it cannot be done."""
        why = self.keys.translated(spec.why(self))
        if why:
            self._refused = (spec, why)
            self.status.say(why)
            return
        try:
            spec.run(self)
        except (WorkflowException, OSError) as error:
            self.questions.tell(spec.text.rstrip("…"), str(error))
        self._refresh()

    # --- tabs ---

    def new_document(self) -> Workspace:
        return self.add(self.make_workspace())

    def add(self, workspace: Workspace) -> Workspace:
        """Put a workspace into a tab, in front."""
        self.workspaces.append(workspace)
        self.stack.addWidget(workspace)
        self.keys_changed.connect(workspace.follow_keys)
        workspace.title_changed.connect(self._refresh)
        workspace.state_changed.connect(self._refresh)
        workspace.message.connect(self.status.say)
        workspace.message_over.connect(self.status.take_back)
        workspace.hint.connect(self.status.hint)
        workspace.open_requested.connect(partial(self._open_inside, workspace))
        workspace.back_requested.connect(self.bring_to_front)
        workspace.page_requested.connect(partial(self._open_level, workspace))
        workspace.example_requested.connect(self._open_example)
        workspace.save_text_requested.connect(self.files.save_text)
        workspace.runs_requested.connect(self.show_runs)
        workspace.store_requested.connect(self.files.look_into)
        workspace.bundle_requested.connect(partial(self.bundles.ask, workspace))
        workspace.store_choice_requested.connect(self._choose_store)
        workspace.ask_run_without = self.questions.run_without
        workspace.edit_copy_verbs.ask_discard = self.questions.discard_changes
        workspace.patch_choice_requested.connect(self.files.choose_patch)
        workspace.file_verb_requested.connect(self.files.do)
        workspace.document.entered.connect(partial(self._follow_level, workspace))
        workspace.document.undo_stack.indexChanged.connect(self._refresh)
        workspace.document.selection_changed.connect(self._refresh)
        if not self.keys.are_ours:
            self._show_keys()
        self.pages.add(workspace)
        self.bring_to_front(workspace)
        return workspace

    def bring_to_front(self, workspace: Workspace) -> None:
        self._show_page(self.pages.of(workspace))

    def _show_page(self, page: Page) -> None:
        index = self.pages.items.index(page)
        self.tabs.setCurrentIndex(index)
        self._show_tab(index)

    def _open_level(self, workspace: Workspace, way: tuple[str, ...]) -> None:
        """Open a sub-workflow in a tab of its own."""
        self._show_page(self.pages.add(workspace, way))

    def _follow_level(self, workspace: Workspace) -> None:
        page = self.pages.follow(workspace)
        if page is not None:
            self._show_page(page)

    def close_page(self, page: Page | None = None) -> None:
        """Close a tab, by default the one in front. The tab of a level closes no
        workflow.
        """
        page = page or self.pages.of(self.workspace)
        if not page.is_level:
            self.files.close(page.workspace)
            return
        was_front = page is self.pages.front
        self.pages.close(page)
        if was_front:
            self.bring_to_front(page.workspace)
            page.workspace.document.go_to(self.pages.of(page.workspace).way)
        self._refresh()

    def remove(self, workspace: Workspace) -> None:
        """Take a workspace out of its tab, and end its run."""
        workspace.remember_sizes()
        for undo_list in self.findChildren(UndoList):
            undo_list.leave(workspace)
        was_shown = self.current
        self.workspaces.remove(workspace)
        for other in self.workspaces:
            other.levels.forget_outer(workspace)
        self.stack.removeWidget(workspace)
        self.tabs.setParent(self)  # because the workspace may be their parent
        self.pages.close_all(workspace)
        workspace.dispose()
        workspace.deleteLater()
        # Because its parts are reference cycles. Not if the window is closed before.
        QTimer.singleShot(COLLECT_AFTER, self, garbage_collector.collect)
        if was_shown is workspace and self.workspaces:
            self._show_tab(self.tabs.currentIndex())
        elif self.current is None or not self.workspaces:
            self.show_start_page()
        self._refresh()

    def _open_inside(
        self, outer: Workspace, path: Path, node: str, further: tuple[str, ...]
    ) -> None:
        """Open the file of a sub-workflow, in a tab from which the way out leads back."""
        workspace = self.files.open(path)
        if workspace is not None and workspace is not outer:
            workspace.levels.come_from(outer, node)
            if further:
                workspace.levels.go_to(further[:-1], further[-1])

    def show_start_page(self) -> None:
        self.start_page.refresh()
        self._start_row.insertWidget(0, self.tabs)
        self._start_head.setVisible(bool(self.workspaces))
        self.tabs.setVisible(bool(self.workspaces))
        self.stack.setCurrentIndex(0)
        self._refresh()
        self.current_changed.emit()

    def go_tab(self, step: int) -> None:
        self._show_page(
            self.pages.items[(self.tabs.currentIndex() + step) % len(self.pages.items)]
        )

    def _show_tab(self, index: int) -> None:
        if 0 <= index < len(self.pages.items):
            page = self.pages.items[index]
            self.pages.show(page)
            workspace = page.workspace
            # There is one tab bar. It moves above the canvas of the workspace in front.
            workspace.header.insertWidget(0, self.tabs)
            self.tabs.show()
            self.stack.setCurrentWidget(workspace)
            workspace.canvas.setFocus()
            workspace.look_at_files()
        self._refresh()
        self.current_changed.emit()

    def _open_file(self, path: Path) -> None:
        self.files.open(path)

    def _open_example(self) -> None:
        if self.examples:
            self.files.open(self.examples[0].path)

    # --- looks ---

    def choose_theme(self, choice: ThemeChoice) -> None:
        """Use a theme now and at later starts. Raise `PluginError` for one of a package
        that cannot be used.
        """
        self._look.choose(choice)
        self.settings.values.theme = choice
        self.settings.write()
        self._warn_of_contrast()

    def _warn_of_contrast(self) -> None:
        """Warn if many people cannot read the texts of a theme; only packages have
        such.
        """
        pairs = unreadable(self._look.theme)
        if not pairs:
            return
        text_colour, background, ratio = pairs[0]
        more = f", and {len(pairs) - 1} more pairs" if len(pairs) > 1 else ""
        self.status.say(
            f"The theme '{self._look.theme.name}' is hard to read: {text_colour} on {background} has a contrast of "
            f"{ratio:.1f} : 1{more}; 4.5 : 1 is needed."
        )

    def _warn_of_packages(self) -> None:
        problems = [text for text in (self._look.problem, *left_out()) if text]
        if problems:
            self.status.say(" ".join(problems))

    def reduce_motion(self) -> None:
        self.settings.set_still(not self.settings.still)
        self.follow_settings()

    def follow_settings(self) -> None:
        """The settings of the program or the system changed."""
        for workspace in self.workspaces:
            workspace.follow_settings()
        self._refresh()

    def choose_scale(self, size: int) -> None:
        """Show everything in this size, in per cent, from the next start on."""
        self.settings.values.scale = size
        self.settings.write()
        text = f"Everything is shown at {size} % from the next start of Stepwell on."
        if is_set_outside():
            text += " QT_SCALE_FACTOR is set, and takes precedence."
        self.status.say(text)

    def _restyle(self) -> None:
        self.restyling.start(self._look.theme)
        self._refresh()

    def zoom(self, factor: float) -> None:
        canvas = self.workspace.canvas
        canvas.camera.zoom_to(canvas.zoom * factor)

    def reset_layout(self) -> None:
        self.settings.values.splitters.clear()
        self.settings.write()
        for workspace in self.workspaces:
            workspace.reset_sizes()
        self.status.say("The parts of the window have their original sizes again.")

    def _refresh(self) -> None:
        for spec in self.specs:
            self._refresh_action(spec)
        if self._refused is not None:
            spec, message = self._refused
            if self.keys.translated(spec.why(self)) != message:
                self.status.take_back(message)
                self._refused = None
        self.pages.refresh()
        # The start page has the few commands that need no document.
        self.toolbar.setVisible(self.current is not None)
        self.toolbar.mark(self.current.primary if self.current is not None else "")
        self._show_status()

    def _refresh_action(self, spec: ActionSpec) -> None:
        action = self.actions_by_id[spec.id]
        why = self.keys.translated(spec.why(self))
        action.setEnabled(spec.can(self))
        if spec.checked is not None:
            action.setChecked(spec.checked(self))
        keys = self.keys.first(spec.id)
        if spec.plan is not None:
            shown_keys.name_action(action, spec, self.keys, self)
        text = spec.text_in(self).rstrip("…") + (f" ({keys})" if keys else "")
        action.setToolTip(f"{text}: {why}" if why else text)

    def _on_wait_cancelled(self) -> None:
        if self.current is not None:
            self.current.session.cancel_wait()

    def _show_status(self) -> None:
        if self.current is None:
            if self._look.choice == "system":
                theme = "follows the system"
            else:
                theme = self._look.choice.replace("contrast-", "high contrast, ")
            self.status.show_words(Words("", "No document", "", f"Theme: {theme}"))
            self.menus.show_name("Stepwell", "")
            return
        words = self.current.status_words()
        self.status.show_words(words)
        mode = words.name[0].lower() + words.name[1:]
        self.menus.show_name(self.current.document.title, mode)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.menus.place_title()

    # --- lists ---

    def show_commands(self) -> None:
        CommandPalette(
            self._look,
            everything(self),
            self,
            self.toolbar.field,
            asks="Find a command, node, checkpoint or file",
            nothing="No command, node, checkpoint or file has this name.",
            more=partial(checkpoints, self),
        ).popup()

    def show_find(self) -> None:
        """Search the level that is shown, and then the other levels of the document."""
        workspace = self.workspace
        document = self.workspace.document
        design = workspace.canvas.scene().design
        entries = landmarks(design, self.go_to) + findable(design.workflow, self.go_to)
        entries += elsewhere(document.root, document.inside, workspace.levels.go_to)
        asks = "Find in the drawing: name, id, type, text"
        nothing = "Nothing in this workflow has this text."
        CommandPalette(
            self._look, entries, self, self.toolbar.field, asks=asks, nothing=nothing
        ).popup()

    def go_to(self, element: str) -> None:
        """Show a node, an edge group or a frame, selected."""
        self.workspace.document.select({element})
        self.workspace.canvas.approach(element)
        self.workspace.canvas.setFocus()

    def show_shortcuts(self) -> None:
        """Show the list of keys, from which they can be saved and changed."""
        preset = PRESETS[self.keys.preset].title if self.keys.preset != OURS else ""
        sheet = ShortcutList(self._look, self.keys.rows(), self, preset)
        sheet.save_requested.connect(partial(self._save_shortcuts, sheet))
        sheet.change_requested.connect(sheet.close)
        sheet.change_requested.connect(self.change_shortcuts)
        sheet.show()

    def _save_shortcuts(self, sheet: ShortcutList) -> None:
        path = self.questions.export_path("shortcuts.html")
        if path is None:
            return
        try:
            sheet.save(path)
        except OSError as error:
            text = f"{error}. Choose another place."
            self.questions.tell("The shortcuts cannot be saved", text)

    def change_shortcuts(self) -> None:
        KeyDialog(self._look, self, self.keys, self.use_keys).open()

    def choose_editor(self) -> None:
        EditorDialog(
            self._look, self, self.settings.values.editor, self._use_editor
        ).open()

    def _use_editor(self, command: str) -> None:
        self.settings.values.editor = command
        self.settings.write()

    def use_keys(self, keys: Keys) -> None:
        """Use these keys from now on."""
        self.keys = keys
        self.settings.values.shortcuts = dict(keys.changed)
        self.settings.values.preset = keys.preset
        self.settings.write()
        self._bind_keys()
        self._show_keys()
        self._refresh()

    def show_help(self) -> None:
        """Show the help for the part with the focus, unless the help itself has it."""
        page = self.findChild(HelpPage) or HelpPage(self._look, self)
        if not page.isActiveWindow():
            page.show_topic(help_for(self.current, self.focusWidget()))

    def show_guide(self) -> None:
        """Show the contents of the guide."""
        page = self.findChild(HelpPage) or HelpPage(self._look, self)
        page.show_topic(guide_topic(INDEX))

    def show_runs(self) -> None:
        RunsDialog(self.workspace.session, self._look, self, self.questions).open()

    def _choose_store(self, use: Callable[[str], object]) -> None:
        StoreDialog(
            self._look, self, lambda url, _only_read: use(url), compares=True
        ).open()

    def open_store(self) -> None:
        StoreDialog(self._look, self, self.files.open_store).open()

    def attach(self) -> None:
        AttachDialog(self._look, self, self.files.attach).open()

    def show_history(self) -> None:
        UndoList(self.workspace, self).show()

    def show_tour(self) -> None:
        """Show the tour of the window, with the first example if no workflow is in
        front.
        """
        tour = self.findChild(Tour)
        if tour is not None:
            tour.leave()
        if self.current is None:
            self._open_example()
        if self.current is not None:
            Tour(self._look, self, self)

    def show_about(self) -> None:
        from importlib.metadata import version

        text = "Draw a workflow, run it in supersteps, and go back to any moment of any run."
        self.questions.inform("Stepwell", f"Version {version('stepwell')}. {text}")

    # --- events ---

    def quit(self) -> None:
        self.close()

    def event(self, event: QEvent) -> bool:
        # Qt sends this for any change of the system's settings.
        if event.type() == QEvent.Type.ThemeChange:
            self.follow_settings()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle a key that no field and no canvas took, so a question mark can be
        typed in a text. A key without a meaning is pressed again as the key of a Latin
        keyboard.
        """
        if event.text() in self.keys.of("shortcuts"):
            self.show_shortcuts()
        elif event.key() == Qt.Key.Key_Escape and self.current is not None:
            self.current.back_out()
        elif (action := self.action_of(event)) is not None:
            action.trigger()
        elif (instead := latin_event(event)) is not None:
            QApplication.sendEvent(self.focusWidget() or self, instead)
        else:
            super().keyPressEvent(event)

    def action_of(self, event: QKeyEvent) -> QAction | None:
        """Return the command of a key, if it can be done now."""
        keys = QKeySequence(event.keyCombination())
        for action in self.actions_by_id.values():
            if action.isEnabled() and keys in action.shortcuts():
                return action
        return None

    def closeEvent(self, event: QCloseEvent) -> None:
        if is_waiting():  # because a save must end first
            event.ignore()
            QTimer.singleShot(CLOSE_AGAIN_AFTER, self, self.close)
            return
        if not self.files.close_all():
            event.ignore()
            return
        self.exchange.dispose()
        self.bundles.close()
        self.settings.values.geometry = self.saveGeometry().toBase64().toStdString()
        self.settings.write()
        super().closeEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(_can_open(url) for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        for url in event.mimeData().urls():
            path = Path(url.toLocalFile())
            if path.suffix == PYTHON:
                self.exchange.ask_import(path)
            elif is_bundle(path):
                self.bundles.open(path)
            elif path.suffix == SHARED_SUFFIX:
                self.sharing.ask_receive(path)
            elif _can_open(url):
                self.files.open(path)


def _can_open(url: QUrl) -> bool:
    """Return whether a dropped file can have a workflow or a run in it, by its name."""
    name = url.toLocalFile()
    if is_bundle(Path(name)):
        return True
    return name.endswith((".json", PYTHON, SHARED_SUFFIX)) or is_picture(Path(name))
