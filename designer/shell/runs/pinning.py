"""Pinned results: made of a recorded one or anew, edited, and removed."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from designer.document.document import Document
from designer.look.theme import Look
from designer.model.errors import EditError
from designer.model.inside import child
from designer.panels.base import title_in
from designer.session.session import DebugSession
from designer.shell.runs.pin_dialog import PinDialog
from runtime.debug.protocol import PinnedResult
from runtime.document.definition import NodeDefinition


class Pinning(QObject):
    """A part of the workspace. It asks for a result when the session wants one, and
    gives the pins of the document to the session.
    """

    def __init__(
        self, document: Document, session: DebugSession, look: Look, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._session = session
        self._look = look
        self._parent = parent
        self.dialog: PinDialog | None = None
        session.results.exists = lambda path: self.node_at(path) is not None
        session.results.edit_requested.connect(self.edit)
        session.results.offered.connect(self._show)

    def use(self) -> None:
        """Let the session have the pins of the document."""
        pins = self._document.breakpoints.notes.pins
        self._session.results.use_pins(pins.results)

    def edit(self, path: str) -> None:
        """Edit the pinned result of an executor, or make one: of the recorded result
        that is shown, if there is one.
        """
        pin = self._document.breakpoints.notes.pins.results.get(path)
        if pin is not None:
            self._show(path, pin)
        else:
            self._session.results.offer_shown(path)

    def _show(self, path: str, result: PinnedResult, note: str = "") -> None:
        breakpoints = self._document.breakpoints
        is_pinned = path in breakpoints.notes.pins.results
        results = self._session.results
        dialog = PinDialog(
            self.title_of(path),
            result,
            note,
            self._look,
            self._parent,
            is_pinned=is_pinned,
            in_new_runs=results.in_new_runs,
        )
        dialog.pinned.connect(partial(self._keep, path))
        dialog.unpinned.connect(partial(breakpoints.unpin, path))
        dialog.in_new_runs_chosen.connect(self._choose_new_runs)
        dialog.finished.connect(self._on_closed)
        self.dialog = dialog
        dialog.open()

    def _keep(self, path: str, result: PinnedResult) -> None:
        self._document.breakpoints.pin(path, result)
        self._session.results.choose(path, "pinned")

    def _choose_new_runs(self, on: bool) -> None:
        self._session.results.use_in_new_runs(on=on)

    def _on_closed(self, _result: int) -> None:
        self.dialog = None

    def title_of(self, path: str) -> str:
        """Return the title of an executor, with those of the sub-workflows around it."""
        nodes = path.split("/")
        titles = []
        for depth in range(1, len(nodes) + 1):
            node = self.node_at("/".join(nodes[:depth]))
            name = nodes[depth - 1]
            if node is not None:
                name = node.title
            elif depth == 1:
                # A program has no document, but its run has a graph.
                name = title_in(self._session.moment, name) or name
            titles.append(name)
        return " › ".join(titles)

    def node_at(self, path: str) -> NodeDefinition | None:
        """Return the node that a path names; None if the document has none there."""
        *owners, node = path.split("/")
        design = self._document.root
        folder: Path = self._document.folder
        try:
            for owner in owners:
                design = child(design, owner, folder)
        except EditError:
            return None
        return design.workflow.node(node)
