"""What every panel is: a widget over a document and a session that is repainted only while it is seen."""

from __future__ import annotations

from typing import ClassVar, Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from designer.document.checks import Checks
from designer.document.document import Document
from designer.look.theme import Look
from designer.model.design import Design
from designer.panels.widgets.focus import order_focus
from designer.session.session import DebugSession
from runtime.debug.protocol import Moment

Area = Literal["left", "right-edit", "right-debug", "bottom"]
NOT_INSIDE = (
    "Nothing runs in here at this moment",
    "A run in here has not begun or has ended. The timeline leads to the moments at which one was on.",
)
NO_RUN = (
    "No run is looked at",
    "Run the workflow, or choose a checkpoint on the timeline.",
)


class Panel(QWidget):
    """One panel of the window. It looks at a document and a session, and is repainted only while it is seen.

    A subclass makes its parts in `set_up`, fills them in `refresh`, and calls `invalidate` when what it shows may have
    changed.
    `badge_changed` carries a count for the tab ("" for none), `badge_tone` the colour role it should have.
    `reveal_requested` carries the id of a node or edge that the window should bring into view.
    """

    title: ClassVar[str] = ""
    icon: ClassVar[str] = "box"
    area: ClassVar[Area] = "bottom"
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
