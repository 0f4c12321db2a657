"""The Python code behind a node, in the user's editor."""

from __future__ import annotations

from pathlib import Path

from designer.canvas.view import CanvasView
from designer.document.document import Document
from designer.model.completion.sources import find_source, reference_of
from designer.model.inside import file_at
from designer.panels.code.external_editor import open_source
from designer.session.session import DebugSession
from designer.shell.settings.settings import Settings


class SourceCode:
    """A part of the workspace."""

    def __init__(
        self,
        document: Document,
        session: DebugSession,
        canvas: CanvasView,
        settings: Settings,
    ) -> None:
        self._document = document
        self._session = session
        self._canvas = canvas
        self._settings = settings

    @property
    def reference(self) -> str:
        """The `module:name` of the Python code of the one node that is selected; ""
        for none.
        """
        selection = self._document.selection
        if len(selection) != 1:
            return ""
        node = self._canvas.scene().design.workflow.node(next(iter(selection)))
        return reference_of(node, self._session.infos.get(node.type)) if node else ""

    def edit(self, path: Path, line: int) -> str:
        """Open a source file in the user's editor. Return why not, or ""."""
        return open_source(path, line, self._settings.values.editor)

    def open(self) -> None:
        """Open the Python code of the selected node in the user's editor."""
        shown_file = file_at(
            self._document.root, self._document.inside, self._document.folder
        )
        folder = shown_file.parent if shown_file is not None else self._document.folder
        try:
            source = find_source(self.reference, folder)
        except LookupError as error:
            self._canvas.tell(str(error.args[0]))
            return
        reason = self.edit(source.path, source.line)
        if reason:
            self._canvas.tell(reason)
