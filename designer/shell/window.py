"""The window: menus, toolbar, tabs, status bar around the open workspaces. All commands come from the action table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

from PySide6.QtCore import QByteArray, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QCloseEvent, QDragEnterEvent, QDropEvent, QFont, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QTabBar,
    QToolBar,
    QToolButton,
    QWidget,
)

from designer.look.fonts import ui_font
from designer.look.icons import themed_icon
from designer.look.stylesheet import palette, stylesheet
from designer.look.theme import Look, ThemeChoice
from designer.shell.actions import ACTIONS, MENUS, ActionSpec
from designer.shell.command_palette import CommandPalette, Entry
from designer.shell.dialogs import Choice, Questions, ShortcutList
from designer.shell.settings import Settings
from designer.shell.start_page import StartPage
from designer.shell.workspace import Workspace
from resources import Example
from runtime.definition import FILE_SUFFIX
from runtime.errors import WorkflowException

MESSAGE_MS = 8000


class Window(QMainWindow):
    """Owns the tabs. `make_workspace` builds what a tab holds, so that tests can put a run of their own behind it."""

    current_changed = Signal()

    def __init__(
        self,
        settings: Settings,
        look: Look,
        examples: Sequence[Example],
        make_workspace: Callable[[], Workspace],
        questions: Questions | None = None,
    ) -> None:
        super().__init__()
        self._settings, self._look, self._make_workspace = settings, look, make_workspace
        self.questions = questions or Questions(self)
        self.workspaces: list[Workspace] = []
        self.stack = QStackedWidget()
        self.start_page = StartPage(settings, look, examples)
        self.stack.addWidget(self.start_page)
        self.setCentralWidget(self.stack)
        self.tabs = QTabBar(expanding=False, drawBase=False, movable=False)
        self.tabs.setUsesScrollButtons(True)
        self.actions_by_id: dict[str, QAction] = {}
        self._make_actions()
        self._make_menus()
        self._make_toolbar()
        self._make_status_bar()
        self._connect()
        self.setAcceptDrops(True)
        self.setMinimumSize(900, 600)
        self.restore_geometry()
        self._restyle()
        self._refresh()

    # --- what is open ---

    @property
    def current(self) -> Workspace | None:
        shown = self.stack.currentWidget()
        return shown if isinstance(shown, Workspace) else None

    @property
    def workspace(self) -> Workspace:
        """The workspace in front; commands that need one are off while there is none."""
        assert self.current is not None  # noqa: S101 - guarded by the action's `can`
        return self.current

    # --- building ---

    def _make_actions(self) -> None:
        for spec in ACTIONS:
            action = QAction(spec.text, self)
            if spec.icon:
                action.setIcon(themed_icon(spec.icon, self._look, "text"))
            keys = self._settings.values.shortcuts.get(spec.id, spec.shortcut)
            if keys and spec.on_canvas:
                action.setText(f"{spec.text}\t{keys}")
            elif keys:
                action.setShortcut(QKeySequence(keys))
            action.triggered.connect(lambda _checked=False, spec=spec: self.trigger(spec))
            self.actions_by_id[spec.id] = action

    def _make_menus(self) -> None:
        self._title = QLabel(self.menuBar())
        self._title.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        for name in MENUS:
            menu = self.menuBar().addMenu(name)
            for spec in ACTIONS:
                if spec.menu == name:
                    if spec.gap and menu.actions():
                        menu.addSeparator()
                    menu.addAction(self.actions_by_id[spec.id])
            if name == "File":
                self._recent_menu = menu.addMenu("Open recent")
                self._recent_menu.aboutToShow.connect(self._fill_recent)

    def _make_toolbar(self) -> None:
        bar = self.toolbar = QToolBar("Toolbar", movable=False, floatable=False)
        bar.setObjectName("toolbar")
        bar.setIconSize(QSize(16, 16))
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.tools: dict[str, QToolButton] = {}
        for spec in (spec for spec in ACTIONS if spec.tool):
            if spec.gap:
                bar.addSeparator()
            button = QToolButton()
            button.setDefaultAction(self.actions_by_id[spec.id])
            button.setToolButtonStyle(
                Qt.ToolButtonStyle.ToolButtonTextBesideIcon if spec.words else Qt.ToolButtonStyle.ToolButtonIconOnly
            )
            button.setAccessibleName(spec.text)
            bar.addWidget(button)
            self.tools[spec.id] = button
        spacer = QWidget()
        spacer.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        bar.addWidget(spacer)
        self.find_button = QPushButton(themed_icon("search", self._look), "Find or run a command      Ctrl+Shift+P")
        self.find_button.clicked.connect(self.show_commands)
        bar.addWidget(self.find_button)
        self.addToolBar(bar)

    def _make_status_bar(self) -> None:
        bar = self.statusBar()
        bar.setSizeGripEnabled(False)
        self._mode, self._left, self._right = QLabel(), QLabel(), QLabel()
        self._mode.setFont(ui_font(12, QFont.Weight.DemiBold))
        strip = QWidget()
        row = QHBoxLayout(strip)
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(16)
        row.addWidget(self._mode)
        row.addWidget(self._left)
        row.addStretch(1)
        row.addWidget(self._right)
        bar.addWidget(strip, 1)
        self._quiet = QTimer(self, singleShot=True, interval=MESSAGE_MS)
        self._quiet.timeout.connect(self._refresh)

    def _connect(self) -> None:
        page = self.start_page
        page.new_requested.connect(self.new_document)
        page.open_requested.connect(self.ask_open)
        page.path_requested.connect(self.open_path)
        page.run_requested.connect(self.run_path)
        self.tabs.currentChanged.connect(self._show_tab)
        self._look.changed.connect(self._restyle)

    def _fill_recent(self) -> None:
        self._recent_menu.clear()
        for entry in self._settings.values.recent[:10]:
            action = self._recent_menu.addAction(entry.path)
            action.triggered.connect(lambda _checked=False, path=entry.path: self.open_path(Path(path)))
        if not self._settings.values.recent:
            self._recent_menu.addAction("Nothing opened yet").setEnabled(False)

    # --- doing ---

    def trigger(self, spec: ActionSpec) -> None:
        """Run a command if it can run now; what it refuses is said in the status bar, never lost."""
        if not spec.can(self):
            self.say(spec.why_not)
            return
        try:
            spec.run(self)
        except (WorkflowException, OSError) as error:
            self.questions.tell(spec.text.rstrip("…"), str(error))
        self._refresh()

    def new_document(self) -> Workspace:
        return self._add(self._make_workspace())

    def _add(self, workspace: Workspace) -> Workspace:
        self.workspaces.append(workspace)
        self.stack.addWidget(workspace)
        workspace.title_changed.connect(self._refresh)
        workspace.state_changed.connect(self._refresh)
        workspace.message.connect(self.say)
        workspace.document.undo_stack.indexChanged.connect(self._refresh)
        workspace.document.selection_changed.connect(self._refresh)
        index = self.tabs.addTab(themed_icon("graph", self._look), workspace.document.display_name)
        self.tabs.setTabButton(index, QTabBar.ButtonPosition.RightSide, self._close_button(workspace))
        self.tabs.setCurrentIndex(index)
        self._show_tab(index)
        return workspace

    def open_path(self, path: Path) -> Workspace | None:
        """Open a file in a tab of its own, or bring its tab to the front. Errors are shown, not raised."""
        for index, workspace in enumerate(self.workspaces):
            if workspace.document.path is not None and workspace.document.path.resolve() == path.resolve():
                self.tabs.setCurrentIndex(index)
                self._show_tab(index)
                return workspace
        workspace = self._make_workspace()
        try:
            workspace.open(path)
        except (WorkflowException, OSError) as error:
            workspace.dispose()
            workspace.deleteLater()
            self._settings.forget(str(path))
            self.start_page.refresh()
            self.questions.tell(f"{path.name} cannot be opened", str(error))
            return None
        return self._add(workspace)

    def run_path(self, path: Path) -> None:
        workspace = self.open_path(path)
        if workspace is not None:
            workspace.run()

    def ask_open(self) -> None:
        path = self.questions.open_path()
        if path is not None:
            self.open_path(path)

    def save(self) -> bool:
        document = self.workspace.document
        if document.path is None or document.is_shipped:
            return self.ask_save_as()
        if document.changed_on_disk() and not self.questions.overwrite_changed(document.display_name):
            return False
        document.save()
        return True

    def ask_save_as(self) -> bool:
        document = self.workspace.document
        path = self.questions.save_path(document.display_name + FILE_SUFFIX)
        if path is None:
            return False
        document.save(path)
        self._settings.opened(path, document.saved_at)
        return True

    def close_current(self) -> bool:
        return self._close(self.workspace)

    def _close_button(self, workspace: Workspace) -> QToolButton:
        button = QToolButton()
        button.setIcon(themed_icon("x", self._look, "text3"))
        button.setIconSize(QSize(12, 12))
        button.setFixedSize(20, 20)
        button.setStyleSheet("padding: 2px; min-height: 0;")
        button.setToolTip("Close this workflow (Ctrl+W)")
        button.setAccessibleName("Close this workflow")
        button.clicked.connect(lambda: self._close(workspace))
        return button

    def _close(self, workspace: Workspace) -> bool:
        """Close a workspace; asks when there are changes. False when the person said cancel."""
        if not workspace.document.is_clean:
            self.tabs.setCurrentIndex(self.workspaces.index(workspace))
            choice = self.questions.save_changes(workspace.document.display_name)
            if choice is Choice.CANCEL or (choice is Choice.SAVE and not self.save()):
                return False
        index = self.workspaces.index(workspace)
        workspace.remember_sizes()
        self.workspaces.remove(workspace)
        self.stack.removeWidget(workspace)
        self.tabs.removeTab(index)
        workspace.dispose()
        workspace.deleteLater()
        if not self.workspaces:
            self.show_start_page()
        self._refresh()
        return True

    def show_start_page(self) -> None:
        self.start_page.refresh()
        self.stack.setCurrentWidget(self.start_page)
        self._refresh()

    def _show_tab(self, index: int) -> None:
        if 0 <= index < len(self.workspaces):
            workspace = self.workspaces[index]
            # One tab bar for all: it stands above the canvas of whichever workspace is in front.
            workspace.header.insertWidget(0, self.tabs)
            self.tabs.show()
            self.stack.setCurrentWidget(workspace)
            workspace.canvas.setFocus()
        self._refresh()
        self.current_changed.emit()

    # --- looks ---

    def choose_theme(self, choice: ThemeChoice) -> None:
        self._settings.values.theme = choice
        self._settings.write()
        self._look.choose(choice)

    def _restyle(self) -> None:
        theme = self._look.theme
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.setPalette(palette(theme))
            application.setStyleSheet(stylesheet(theme))
        self._refresh()

    def zoom(self, factor: float) -> None:
        canvas = self.workspace.canvas
        canvas.set_zoom(canvas.zoom * factor)

    def reset_layout(self) -> None:
        self._settings.values.splitters.clear()
        self._settings.write()
        for workspace in self.workspaces:
            workspace.restore_sizes()

    def restore_geometry(self) -> None:
        saved = self._settings.values.geometry
        if not (saved and self.restoreGeometry(QByteArray.fromBase64(saved.encode()))):
            self.resize(1600, 1000)

    def say(self, text: str) -> None:
        """A sentence in the status bar, for a while."""
        if text:
            self._left.setText(text)
            self._quiet.start()

    def _refresh(self) -> None:
        for spec in ACTIONS:
            action = self.actions_by_id[spec.id]
            can = spec.can(self)
            action.setEnabled(can)
            keys = f" ({action.shortcut().toString()})" if not action.shortcut().isEmpty() else ""
            text = spec.text.rstrip("…") + keys
            action.setToolTip(text if can or not spec.why_not else f"{text}: {spec.why_not}")
        for index, workspace in enumerate(self.workspaces):
            dot = "" if workspace.document.is_clean else " •"
            self.tabs.setTabText(index, workspace.document.display_name + dot)
        # The start page has the few verbs that make sense without a document.
        self.toolbar.setVisible(self.current is not None)
        self._mark_primary()
        self._tell_status()

    def _mark_primary(self) -> None:
        """One filled button: Run while editing, Pause while it runs, none in the past (the banner has it)."""
        mode = self.current.session.mode if self.current else ""
        running = bool(self.current and self.current.session.running)
        primary = "pause" if running else "run" if mode in {"edit", "live"} else ""
        for id_, button in self.tools.items():
            if button.property("primary") != (id_ == primary):
                button.setProperty("primary", id_ == primary)
                icon = next(spec.icon for spec in ACTIONS if spec.id == id_)
                self.actions_by_id[id_].setIcon(themed_icon(icon, self._look, "on" if id_ == primary else "text"))
                button.style().unpolish(button)
                button.style().polish(button)

    def _tell_status(self) -> None:
        theme = self._look.theme
        mode, left, right, fill = "No document", "", "", None
        if self.current is not None:
            mode, left, right = self.current.status_words()
            fill = {"past": theme.pastFill, "live": theme.liveFill}.get(self.current.session.mode)
            name = self.current.document.display_name
            self._name_window(name, mode[0].lower() + mode[1:])
        else:
            self._name_window("Stepwell", "")
        for label, text in ((self._mode, mode), (self._left, left), (self._right, right)):
            label.setText(text)
        colours = f"background: {fill.name()};" if fill else f"background: {theme.window.name()};"
        text_colour = (theme.on if fill else theme.text2).name()
        self.statusBar().setStyleSheet(
            f"QStatusBar {{ {colours} }} QStatusBar QWidget {{ {colours} color: {text_colour}; font-size: 12px; }}"
        )

    def _name_window(self, name: str, mode: str) -> None:
        """The mode in words, in the frame's title and in the middle of the menu bar."""
        self.setWindowTitle(f"{name} — {mode} — Stepwell" if mode else name)
        self._title.setText(f"<b>{escape(name)}</b> — {escape(mode)}" if mode else f"<b>{escape(name)}</b>")
        self._place_title()

    def _place_title(self) -> None:
        bar = self.menuBar()
        self._title.adjustSize()
        left = max(bar.sizeHint().width() + 24, (bar.width() - self._title.width()) // 2)
        self._title.move(left, (bar.height() - self._title.height()) // 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_title()

    # --- lists ---

    def show_commands(self) -> None:
        entries = [
            Entry(
                spec.text.rstrip("…"),
                self.actions_by_id[spec.id].shortcut().toString() or spec.shortcut,
                themed_icon(spec.icon or "chevr", self._look),
                lambda spec=spec: self.trigger(spec),  # type: ignore[misc]
            )
            for spec in ACTIONS
            if spec.id != "commands" and spec.can(self)
        ]
        if self.current is not None:
            entries += [
                Entry(node.title, "node", themed_icon("target", self._look), lambda id_=node.id: self._go_to(id_))  # type: ignore[misc]
                for node in self.current.document.design.workflow.nodes
            ]
        CommandPalette(entries, self).popup()

    def _go_to(self, node_id: str) -> None:
        self.workspace.document.select({node_id})
        self.workspace.canvas.fit_selection()

    def show_shortcuts(self) -> None:
        rows = [(spec.menu, spec.text.rstrip("…"), spec.shortcut) for spec in ACTIONS if spec.shortcut]
        ShortcutList(rows, self).show()

    def show_about(self) -> None:
        from importlib.metadata import version

        what = "Draw a workflow, run it in supersteps, and go back to any moment of any run."
        self.questions.tell("Stepwell", f"Stepwell {version('stepwell')}. {what}")

    # --- events ---

    def quit(self) -> None:
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        for workspace in list(self.workspaces):
            if not self._close(workspace):
                event.ignore()
                return
        self._settings.values.geometry = self.saveGeometry().toBase64().toStdString()
        self._settings.write()
        super().closeEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.toLocalFile().endswith(".json") for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        for url in event.mimeData().urls():
            if url.toLocalFile().endswith(".json"):
                self.open_path(Path(url.toLocalFile()))
