"""What every panel is: a widget over a document and a session that is repainted only while it is seen."""

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
from designer.panels.widgets.focus import order_focus
from designer.session.session import DebugSession
from runtime.debug.protocol import Moment

Area = Literal["left", "right-edit", "right-debug", "bottom"]
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
    """What a panel may ask of the workspace around it; see `Panel.connect_to`."""

    def restore(self, checkpoint_id: str) -> None:
        """Go on from a checkpoint, on a new branch."""

    def open_file(self, element: str, further: Sequence[str] = ()) -> None:
        """Open the file of a sub-workflow, and go to a node on some level of it."""

    def go_to_field(self, part: str) -> None:
        """Go to the field of a part of what is selected."""

    def edit_source(self, path: Path, line: int) -> str:
        """Open a source file in the user's editor. Return why not, or ""."""

    def save_text(self, name: str, text: str) -> None:
        """Let the user save a text under a name of the user's choice."""

    def bring_to_front(self, panel: Panel) -> None:
        """Show a panel, unless the user is at something else."""

    def focus_canvas(self) -> None:
        """Let the canvas have the keys."""

    def add_node(self, type_name: str) -> None:
        """Add a node in the middle of the canvas."""

    def search_node(self) -> None:
        """Let the user search for a node type on the canvas."""

    def align(self, how: Alignment) -> None:
        """Align the selected nodes, whose sizes the canvas knows."""


class PanelKeys(Protocol):
    """The present keys of the window. `names` maps our keys, as texts name them, to them."""

    @property
    def names(self) -> Mapping[str, str]: ...

    def of_words(
        self, place: Literal["window", "canvas", "timeline"]
    ) -> Mapping[str, Sequence[str]]:
        """Return the keys of each command of a part of the window."""


class Panel(QWidget):
    """One panel of the window. It looks at a document and a session, and is repainted only while it is seen.

    A subclass makes its parts in `set_up`, fills them in `refresh`, and calls `invalidate` when what it shows may have
    changed.
    `badge_changed` carries a count for the tab ("" for none), `badge_tone` the colour role it should have.
    `reveal_requested` carries the id of a node or edge that the window should bring into view; they are those of the
    level that is shown if the panel `is_about_level`, else of the workflow as a whole.

    The workspace knows a panel only by this class. A panel that wants more of the workspace, or has more for it,
    overrides `connect_to`, the methods that follow the workspace, and those that offer something.
    """

    title: ClassVar[str] = ""
    icon: ClassVar[str] = "box"
    area: ClassVar[Area] = "bottom"
    is_about_level: ClassVar[bool] = False
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
        # By a click, which also ends what is being typed in a field; and as the place from where Tab goes on.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.set_up()

    def set_up(self) -> None:
        """Make what is inside, and listen to what it shows. Called once, when all that a panel is given is there."""

    def refresh(self) -> None:
        """Show the present state. Called only while the panel is visible, or when it becomes so."""

    # --- what a panel wants of the workspace; nothing unless a subclass says so ---

    def connect_to(self, host: PanelHost) -> None:
        """Connect the own signals to what the workspace can do. Called once."""

    def follow_room(self, *, is_narrow: bool, inspector_width: int) -> None:
        """The room of the window was divided again."""

    def follow_settings(self, *, is_still: bool) -> None:
        """The settings changed; `is_still` says that nothing should move by itself."""

    def follow_keys(self, keys: PanelKeys) -> None:
        """The keys of the window changed."""

    # --- what a panel offers to the workspace ---

    @property
    def corner(self) -> QWidget | None:
        """What is shown beside the tabs while the panel is in front."""
        return None

    @property
    def entry(self) -> QWidget:
        """The part whose first field gets the focus when the user goes to the panel."""
        return self

    @property
    def acts(self) -> Mapping[str, Callable[[], object]]:
        """The commands that only this panel has, by their words, for the command palette."""
        return {}

    def unfinished(self) -> list[str]:
        """Return what was typed here and would be lost with the workspace."""
        return []

    # --- painting only while it is seen ---

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
        """What is inside may have been made after the rest of the window: its order is set when somebody goes on."""
        order_focus(self)
        return super().focusNextPrevChild(onward)

    def reveal(self, element: str) -> None:
        """Select a node or edge, and ask the window to bring it into view."""
        self.document.select({element})
        self.reveal_requested.emit(element)

    def node_title(self, node_id: str) -> str:
        """The name that people know an executor by, in the graph that is looked at."""
        return (
            title_in(self.session.seen, node_id)
            or _title(self.document.design, node_id)
            or node_id
        )

    def outer_title(self, node_id: str) -> str:
        """The same of the workflow as a whole, wherever in it one looks."""
        return (
            title_in(self.session.moment, node_id)
            or _title(self.document.root, node_id)
            or node_id
        )


def title_in(moment: Moment | None, node_id: str) -> str:
    """What a node is called in the graph that a moment carries; "" if it does not say."""
    nodes = (moment.definition or {}).get("nodes") if moment is not None else None
    for node in nodes if isinstance(nodes, list) else ():
        # It comes from a store, which may hold anything.
        if isinstance(node, dict) and node.get("id") == node_id:
            return str(node.get("name") or node_id)
    return ""


def _title(design: Design, node_id: str) -> str:
    node = design.workflow.node(node_id)
    return node.title if node is not None else ""


def left_out(number: int, noun: str) -> str:
    """What stands where a list ends before its end: "3 more joins are not listed"."""
    if number == 1:
        return f"1 more {noun} is not listed"
    return f"{number:,} more {noun}s are not listed"
