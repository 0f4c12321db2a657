"""The node types that a document may use."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from designer.session.client import Client
from designer.session.failures import Failures
from runtime.debug import protocol
from runtime.debug.protocol import Reply
from runtime.document.definition import NodeInfo


class Catalogue(QObject):
    """A part of the session.

    infos   the node types, by type
    folder  returns the folder of the present document, which may have own node types
    """

    ready = Signal()  # infos

    def __init__(self, client: Client, failures: Failures, parent: QObject) -> None:
        super().__init__(parent)
        self.infos: dict[str, NodeInfo] = {}
        self.folder: Callable[[], str] = lambda: ""
        self._client = client
        self._failures = failures
        self._asked_folder: str | None = None  # the folder of the last request

    def load(self, *, again: bool = False) -> None:
        """Request the node types, once for a folder, or `again` after packages or files
        have changed; `ready` follows. The host reads the code of the folder
        for it and does not run it.
        """
        folder = self.folder()
        if again or folder != self._asked_folder:
            self._asked_folder = folder
            arguments = protocol.CatalogueArguments(folder=folder)
            self._client.request("catalogue", arguments, self._on_catalogue)

    def _on_catalogue(self, reply: Reply) -> None:
        if not reply.success:
            self._asked_folder = None
            self._failures.under("The node types cannot be listed")(reply)
            return
        catalogue = protocol.CatalogueBody.model_validate(reply.body)
        self.infos = {info.type: info for info in catalogue.nodes}
        for warning in catalogue.warnings:
            self._client.console.emit("stderr", warning)
        self.ready.emit()
