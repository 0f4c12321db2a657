"""The base of all panels: a widget for a document and a session that is refreshed only
while it is visible.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal, Protocol

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from designer.document.checks import Checks
from designer.document.document import Document
from designer.look.theme import Look
from designer.model.design import Design
from designer.model.layout.align import Alignment
from designer.model.patch_address import Address
from designer.panels.widgets.focus import order_focus
from designer.session.session import DebugSession
from runtime.debug.protocol import ChangeItem, Moment, Patch

# "task" takes the place of "right-debug" while its panel has something to do.
Area = Literal["left", "right-edit", "right-debug", "task", "bottom"]
NOT_INSIDE = (
    "Nothing runs in here at this moment",
    (
        "No run in here has begun yet, or it has ended. The timeline leads to the "
        "moments when one was running."
    ),
)
NO_RUN = (
    "No run is shown",
    "Run the workflow, or choose a checkpoint on the timeline.",
)


class PanelHost(Protocol):
    """The commands of the workspace that a panel may use; see `Panel.connect_to`."""

    def restore(self, checkpoint_id: str, branch: str = "") -> None:
        """Go on from a checkpoint, on a new branch. With "" the host names it."""

    def fit_bottom(self) -> None:
        """Give the bottom area the height that its panel in front wants now."""

    def run_back(self) -> None:
        """Look at the nearest hit or breakpoint before the checkpoint that is shown."""

    def open_file(self, element: str, further: Sequence[str] = ()) -> None:
        """Open the file of a sub-workflow, and go to a node on some level of it."""

    def go_to_field(self, part: str) -> None:
        """Go to the field of a part of the selected element."""

    def edit_source(self, path: Path, line: int) -> str:
        """Open a source file in the user's editor. Return why not, or ""."""

    def save_text(self, name: str, text: str) -> None:
        """Let the user save a text under a name of the user's choice."""

    def edit_breakpoint(self, id: str) -> None:
        """Edit a breakpoint on the canvas, at its mark if it has one there."""

    def show_breakpoint(self, id: str) -> bool:
        """Go to the mark of a breakpoint on the canvas. Return False if it has none."""

    def show_watches(self) -> None:
        """Show the watches."""

    def show_log(self, panel: Panel) -> None:
        """Show the list of what happened, in place of a panel."""

    def bring_to_front(self, panel: Panel) -> None:
        """Show a panel, unless the user is at something else."""

    def show_selected(self) -> None:
        """Show what is selected, in the inspector."""

    def enter_run(self, keys: Sequence[str], element: str) -> None:
        """Go into an invocation of a sub-workflow below the shown level, and select an
        element of it.
        """

    def edit_copy(self, address: Address | None = None) -> None:
        """Edit a copy of the checkpoint that is shown, at a value of it if one is
        named.
        """

    def graft(self, change: ChangeItem) -> None:
        """Take a difference between A and B over into a copy of A."""

    def edit_copy_of(self, checkpoint_id: str) -> None:
        """Edit a copy of a checkpoint."""

    def edit_copy_of_value(self, checkpoint_id: str, address: Address) -> None:
        """Edit a copy of a checkpoint, at a value of its outermost run."""

    def apply_staged(self, is_run_on: bool) -> None:
        """Make a fork of what is staged, and run on if so wanted."""

    def discard_staged(self) -> None:
        """Drop what is staged, if the user agrees."""

    def choose_patch(self, use: Callable[[Patch], object]) -> None:
        """Let the user choose a file with a patch."""

    def choose_store(self, use: Callable[[str], object]) -> None:
        """Let the user choose a store that is only read; `use` gets its URL."""

    def make_bundle(self, checkpoint_id: str) -> None:
        """Make a bug bundle of what comes otherwise than recorded from a checkpoint."""

    def focus_canvas(self) -> None:
        """Give the focus to the canvas."""

    def add_node(self, type_name: str) -> None:
        """Add a node in the middle of the canvas."""

    def search_node(self) -> None:
        """Let the user search for a node type on the canvas."""

    def align(self, how: Alignment) -> None:
        """Align the selected nodes, whose sizes the canvas knows."""


class PanelKeys(Protocol):
    """The present keys of the window. `names` maps our default keys, as texts name
    them, to the user's keys.
    """

    @property
    def names(self) -> Mapping[str, str]: ...

    def of_words(
        self, place: Literal["window", "canvas", "timeline"]
    ) -> Mapping[str, Sequence[str]]:
        """Return the keys of each command of a part of the window."""


class Panel(QWidget):
    """One panel of the window. It shows a document and a session, and is refreshed only
    while it is visible.

    A subclass creates its widgets in `set_up`, fills them in `refresh`, and calls
    `invalidate` when its content may have changed.

    `badge_changed` carries a count for the tab ("" for none), `badge_tone` is its
    colour role. `reveal_requested` carries the id of a node or edge to bring into view:
    one of the shown level if the panel `is_about_level`, else one of the outermost
    workflow.

    The workspace knows a panel only by this class. A panel that needs more of the
    workspace, or offers more to it, overrides `connect_to`, the methods that follow the
    workspace, and the properties that offer something.
    """

    title: ClassVar[str] = ""
    icon: ClassVar[str] = "box"
    area: ClassVar[Area] = "bottom"
    is_about_level: ClassVar[bool] = False
    # Pixels that a panel at the bottom likes to have; 0 for the usual height.
    height_wanted: int = 0
    badge_tone: str = "accent"
    badge_changed = Signal(str)
    reveal_requested = Signal(str)

    def __init__(
        self,
        document: Document,
        session: DebugSession,
        look: Look,
        parent: QWidget | None = None,
        *,
        checks: Checks | None = None,
    ) -> None:
        super().__init__(parent)
        self.document = document
        self.session = session
        self.look = look
        self.checks = checks if checks is not None else Checks(document, session, self)
        self._stale = True
        self.setProperty("role", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(self.title)
        # A click on the panel commits the field that was focused, and lets Tab start
        # from here.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.set_up()

    def set_up(self) -> None:
        """Create the widgets and connect the signals. Called once, when all attributes
        are set.
        """

    def refresh(self) -> None:
        """Show the present state. Called only while the panel is visible, or when it
        becomes visible.
        """

    # --- hooks that follow the workspace; they do nothing unless a subclass overrides them ---

    def connect_to(self, host: PanelHost) -> None:
        """Connect the panel's signals to the commands of the workspace. Called once."""

    def follow_room(self, *, is_narrow: bool, inspector_width: int) -> None:
        """Follow the sizes of the window's parts. Called when they have changed."""

    def follow_settings(self, *, is_still: bool) -> None:
        """Follow the settings; with `is_still` nothing should move by itself."""

    def follow_keys(self, keys: PanelKeys) -> None:
        """Follow the keys of the window. Called when they have changed."""

    # --- what a panel offers to the workspace ---

    @property
    def corner(self) -> QWidget | None:
        """A widget that is shown beside the tabs while the panel is in front."""
        return None

    @property
    def entry(self) -> QWidget:
        """The widget whose first field gets the focus when the user goes
        to the panel.
        """
        return self

    @property
    def acts(self) -> Mapping[str, Callable[[], object]]:
        """The commands of this panel for the command palette, by their names."""
        return {}

    def unfinished(self) -> list[str]:
        """Return the texts that the user has typed here and that closing the workspace
        would lose.
        """
        return []

    # --- refreshing only while visible ---

    def invalidate(self) -> None:
        if self.isVisible():
            self._stale = False
            self.refresh()
        else:
            self._stale = True

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._stale = False
            self.refresh()

    def focusNextPrevChild(self, onward: bool) -> bool:
        """Set the Tab order before the focus moves, because some widgets were created
        after the rest of the window.
        """
        order_focus(self)
        return super().focusNextPrevChild(onward)

    def reveal(self, element: str) -> None:
        """Select a node or edge, and ask the window to bring it into view."""
        self.document.select({element})
        self.reveal_requested.emit(element)

    def node_title(self, node_id: str) -> str:
        """Return the title of an executor in the shown graph."""
        return (
            title_in(self.session.seen, node_id)
            or _title(self.document.design, node_id)
            or node_id
        )

    def outer_title(self, node_id: str) -> str:
        """Return the title of an executor in the outermost workflow."""
        return (
            title_in(self.session.moment, node_id)
            or _title(self.document.root, node_id)
            or node_id
        )


def title_in(moment: Moment | None, node_id: str) -> str:
    """Return the title of a node in the graph of a moment; "" if it has none."""
    nodes = (moment.definition or {}).get("nodes") if moment is not None else None
    for node in nodes if isinstance(nodes, list) else ():
        # Checked because the definition comes from a store, which may hold anything.
        if isinstance(node, dict) and node.get("id") == node_id:
            return str(node.get("name") or node_id)
    return ""


def _title(design: Design, node_id: str) -> str:
    node = design.workflow.node(node_id)
    return node.title if node is not None else ""


def left_out(number: int, noun: str) -> str:
    """Return the last line of a list that is cut: "3 more joins are not listed"."""
    if number == 1:
        return f"1 more {noun} is not listed"
    return f"{number:,} more {noun}s are not listed"
