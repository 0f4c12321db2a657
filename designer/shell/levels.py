"""The levels of a document: into sub-workflows and out of them, here or in tabs of
their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from designer.canvas.view import CanvasView
from designer.document.document import Document
from designer.model.errors import EditError
from designer.model.inside import file_at, own_way, titles
from designer.session.session import DebugSession
from designer.shell.breadcrumbs import Breadcrumbs
from runtime.document.sub_workflows import SUB_WORKFLOW, is_file_child


class Outer(Protocol):
    """The workspace of a workflow that names the file of another one."""

    document: Document

    @property
    def levels(self) -> Levels: ...


class Levels(QObject):
    """A part of the workspace."""

    changed = Signal()  # the level that is shown
    room_changed = Signal()  # the strip of levels is shown or hidden
    # the file of a sub-workflow, its node, and the way to an element in it
    open_requested = Signal(object, str, object)
    page_requested = Signal(object)  # the way to a sub-workflow, for a tab of its own
    back_requested = Signal(object)  # the workspace from which this one was opened

    def __init__(
        self,
        document: Document,
        session: DebugSession,
        canvas: CanvasView,
        crumbs: Breadcrumbs,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._session = session
        self._canvas = canvas
        self._crumbs = crumbs
        self._outer: Outer | None = None
        self._outer_node = ""

    def connect_crumbs(self) -> None:
        """Let the strip of levels follow, and lead to the level that is chosen."""
        self._crumbs.left.connect(self.leave)
        self._crumbs.run_chosen.connect(self._choose_run)
        for signal in (
            self._document.changed,
            self._document.title_changed,
            self._session.changed,
            self._session.viewed,
        ):
            signal.connect(self._follow_crumbs)

    @property
    def is_inside(self) -> bool:
        """Whether `leave` leads anywhere."""
        return bool(self._document.inside) or self._outer is not None

    def go_in(self, node: str) -> None:
        """Go into the drawing of a sub-workflow; in a run also into that of a file."""
        self._canvas.setFocus()  # which commits what is being typed on this level
        try:
            self._document.enter(node, files_too=self._session.mode != "edit")
        except EditError as error:
            self._canvas.tell(str(error))

    def go_to(self, way: Sequence[str], element: str) -> None:
        """Go to an element on another level."""
        self._canvas.setFocus()
        self._document.go_to(tuple(way))
        self._document.select({element})
        self._canvas.approach(element)

    def enter_run(self, keys: Sequence[str], element: str) -> None:
        for key in keys:
            node = key.rpartition("#")[0] or key
            way = (*self._document.inside, node)
            self.go_in(node)
            if self._document.inside != way:
                return
            self._session.look_inside(way, key)
        if element:
            self._document.select({element})
            self._canvas.reveal(element)

    def go_along(self, way: Sequence[str]) -> None:
        """Go to a level, also into the files of sub-workflows, as far as it goes."""
        shared = 0
        for present, wanted in zip(self._document.inside, way, strict=False):
            if present != wanted:
                break
            shared += 1
        self._document.leave(len(self._document.inside) - shared)
        for node in way[shared:]:
            before = self._document.inside
            self.go_in(node)
            if self._document.inside == before:
                return

    def open_file(self, element: str, further: Sequence[str] = ()) -> None:
        """Open the file of a sub-workflow in a tab of its own, and go to a node in it."""
        document = self._document
        node = self._canvas.scene().design.workflow.node(element)
        if node is not None and is_file_child(node):
            shown_file = file_at(document.root, document.inside, document.folder)
            folder = shown_file.parent if shown_file is not None else document.folder
            file = folder / str(node.params["file"])
            self.open_requested.emit(file, element, tuple(further))

    def open_page(self, node: str) -> None:
        """Open a sub-workflow in a tab of its own; with "" the file of the level that
        is shown.
        """
        document = self._document
        if not node:
            shown_file = file_at(document.root, document.inside, document.folder)
            if shown_file is not None:
                self.open_requested.emit(shown_file, document.inside[-1], ())
                return
        sub_workflow = self._canvas.scene().design.workflow.node(node)
        if sub_workflow is not None and is_file_child(sub_workflow):
            self.open_file(node)
        elif sub_workflow is not None and sub_workflow.type == SUB_WORKFLOW:
            self.page_requested.emit((*document.inside, node))

    def come_from(self, outer: Outer | None, node: str = "") -> None:
        """Let the way out lead to a node of another workflow, which names the file of
        this one; None for nowhere.
        """
        self._outer = outer
        self._outer_node = node
        self._crumbs.before = ()
        if outer is not None:
            document = outer.document
            levels = titles(document.root, document.inside, document.folder)
            self._crumbs.before = (document.called, *levels)
        self._canvas.can_go_out = outer is not None
        self._show_crumbs()

    def forget_outer(self, outer: Outer) -> None:
        """Drop the way out if it leads to this workspace, which was closed."""
        if self._outer is outer:
            self.come_from(None)

    def leave(self, levels: int = 1) -> None:
        """Go out of so many sub-workflows, and out of the document to the one that
        names it.
        """
        self._canvas.setFocus()
        depth = len(self._document.inside)
        self._document.leave(min(levels, depth))
        if levels > depth and self._outer is not None:
            self.back_requested.emit(self._outer)
            if levels == depth + 1:
                self._outer.document.select({self._outer_node})
            else:
                self._outer.levels.leave(levels - depth - 1)

    def edit(self) -> None:
        """Go to editing. Where the file of a sub-workflow is shown, go to the tab of
        that file, at the node that is selected.
        """
        document = self._document
        way = document.inside
        own = own_way(document.root, way)
        shown_file = file_at(document.root, way, document.folder)
        selected_node = tuple(
            node.id
            for node in self._canvas.scene().design.workflow.nodes
            if document.selection == {node.id}
        )
        self._session.leave()
        if shown_file is not None and len(way) == len(own) + 1:
            self.open_requested.emit(shown_file, way[-1], selected_node)

    def _choose_run(self, key: str) -> None:
        self._session.look_inside(self._document.inside, key)

    def follow(self) -> None:
        """Show the level that the document has entered."""
        self._session.look_inside(self._document.inside)
        self._show_crumbs()
        # After the strip of levels is shown, because it takes room of the canvas.
        self._canvas.follower.look_again()
        self.changed.emit()

    def _show_crumbs(self) -> None:
        self._crumbs.follow()
        self._crumbs.setVisible(bool(self._document.inside or self._outer))
        self.room_changed.emit()

    def _follow_crumbs(self, *_news: object) -> None:
        if not self._crumbs.isHidden():
            self._crumbs.follow()
