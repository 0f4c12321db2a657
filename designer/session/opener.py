"""Opens what a command needs in the host: for running, the present document from a
trusted folder; for looking, only a store, so that looking never imports code of a
document.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from designer.session.client import Client, Done, refusal
from runtime.debug.protocol import AttachBody, OpenArguments, OpenBody, Reply
from runtime.document.problem import Problem
from runtime.system.user_folders import is_sealed, is_shipped

Then = Callable[[], object]
LOOKS_ONLY = "This tab looks into a store and runs nothing. Open the workflow's file to continue one of its runs."
NOT_ATTACHED = "The program is not attached any more. Attach to it again."
NOT_ATTACHED_NOW = "NotAttached"  # `error_type` of that, which the banner says already
# `error_type` of a refusal by the user, which is not shown as a failure
NOT_TRUSTED = "NotTrusted"


@dataclass(frozen=True, slots=True)
class Source:
    """What the host runs: the content of a file, the folder for its modules and files,
    and the store of its runs.
    """

    document: Mapping[str, Any]
    folder: str = ""
    store: str = "memory:"


class Opener(QObject):
    """Opens at most once for all commands that arrive while it opens. `opened` is
    emitted when the host has built a document; `problems` are new then.

    A session that `is_attached` shows the workflow of a `program` in place of a
    document. Nothing is opened then.
    """

    opened = Signal()
    store_opened = Signal()  # another store, only for looking
    attached = Signal()  # `program` says to what

    def __init__(self, client: Client, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.ask: Callable[[], Source] | None = None
        self.given: Source | None = None
        self.looks_only = False  # there is a store and no document: nothing can run
        self.read_only = False  # the store must not be changed
        self.is_attached = False
        self.is_left = False  # the program has ended, or was detached
        self.program: AttachBody | None = None
        self.trust: Callable[[str], bool] = refuse
        self.problems: tuple[Problem, ...] = ()
        self._client = client
        self._can_run = False  # the host has a document, not only a store
        self._store = ""  # the store that it has open
        self._waiting: list[tuple[Then, Done]] = []
        self._trusted: set[str] = set()

    @property
    def source(self) -> Source | None:
        return self.ask() if self.ask is not None else self.given

    @property
    def store(self) -> str:
        """The store that is open, or that of the document or the program."""
        if self.is_left and self.program is not None:
            return self.program.store
        return self._store or (self.source.store if self.source is not None else "")

    @property
    def has_document(self) -> bool:
        return not self.looks_only and not self.is_attached

    @property
    def can_run(self) -> bool:
        """Whether the host has a workflow, and not only a store to look into."""
        return self._client.is_open and self._can_run

    @property
    def is_sealed(self) -> bool:
        """Whether the store is opened for reading only, on request or of necessity."""
        return self.read_only or store_is_sealed(self.store)

    def lost(self) -> None:
        """The host ended, or must open the document again."""
        self._can_run = False
        self._store = ""

    def for_running(self, then: Then, failed: Done, *, same: bool = False) -> None:
        """Open the present document, then call `then`. An unchanged one is opened again
        too, because its code may have changed. With `same`, the document that the host
        has open for running will do.
        """
        if self.is_attached:
            self._attach(then, failed)
            return
        if same and self._client.is_open and self._can_run:
            then()
            return
        source = self.source
        if self.looks_only:
            failed(refusal("open", LOOKS_ONLY))
        elif source is None:
            failed(refusal("open", "There is no document to run. Open one first."))
        elif not self._may_run(source.folder):
            text = (
                f"The folder {source.folder} is not trusted, so nothing in it was run."
            )
            failed(refusal("open", text, NOT_TRUSTED))
        else:
            self._open(source, then, failed)

    def for_looking(self, then: Then, failed: Done, store: str = "") -> None:
        """Open a store, by default that of the document, unless the host has it open;
        then call `then`.
        """
        if self.is_attached:
            self._attach(then, failed)
            return
        store = store or self.store
        if self._waiting:
            self._waiting.append((then, failed))
        elif self._client.is_open and store == self._store != "":
            then()
        elif not store_exists(store):
            failed(
                refusal(
                    "open",
                    "There are no saved runs to look at yet. Run the workflow first.",
                )
            )
        else:
            arguments = OpenArguments(
                store=store, read_only=self.read_only or store_is_sealed(store)
            )
            self._client.request(
                "open", arguments, partial(self._on_store, store, then, failed)
            )

    def _attach(self, then: Then, failed: Done) -> None:
        """Attach to the program unless that is done, then call `then`."""
        if self._client.is_open and self._can_run:
            then()
            return
        if self.is_left:
            failed(refusal("attach", NOT_ATTACHED, NOT_ATTACHED_NOW))
            return
        self._waiting.append((then, failed))
        if len(self._waiting) == 1:
            self._client.request("attach", None, self._on_attached)

    def _on_attached(self, reply: Reply) -> None:
        waiting = self._waiting
        self._waiting = []
        if reply.success:
            self.program = AttachBody.model_validate(reply.body)
            self._can_run = True
            self._store = self.program.store
            self.attached.emit()
        for then, failed in waiting:
            then() if reply.success else failed(reply)

    def _open(self, source: Source, then: Then, failed: Done) -> None:
        self._waiting.append((then, failed))
        if len(self._waiting) == 1:
            arguments = OpenArguments(
                document=dict(source.document), folder=source.folder, store=source.store
            )
            self._client.request("open", arguments, partial(self._on_opened, source))

    def _on_opened(self, source: Source, reply: Reply) -> None:
        waiting = self._waiting
        self._waiting = []
        if reply.success:
            self._can_run = True
            self._store = source.store
            self.problems = OpenBody.model_validate(reply.body).problems
            self.opened.emit()
        else:
            # The host closes what it has open before it opens something else.
            self.lost()
        for then, failed in waiting:
            then() if reply.success else failed(reply)

    def _on_store(self, store: str, then: Then, failed: Done, reply: Reply) -> None:
        if reply.success:
            self._can_run = False
            self._store = store
            self.store_opened.emit()
            then()
        else:
            self.lost()
            failed(reply)

    def _may_run(self, folder: str) -> bool:
        known = folder in self._trusted or (folder != "" and is_shipped(Path(folder)))
        if known or self.trust(folder):
            self._trusted.add(folder)
            return True
        return False


def refuse(_folder: str) -> bool:
    """Trust no folder."""
    return False


def store_exists(store: str) -> bool:
    """Return whether there is a store to look into, which must not create one."""
    scheme, _, path = store.partition(":")
    if scheme == "dir":
        return Path(path).is_dir()
    return scheme not in ("", "memory") and (scheme != "sqlite" or Path(path).is_file())


def store_is_sealed(store: str) -> bool:
    """Return whether a store can only be read, for example because its folder is
    read-only.
    """
    scheme, _, path = store.partition(":")
    return scheme == "sqlite" and is_sealed(Path(path))
