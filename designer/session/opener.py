"""Makes the host ready: for running, with the document as it is now and only from a trusted folder; for looking, with
a store alone, so that looking never touches the code of a document.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from designer.session.client import Client, Done, refusal
from runtime.debug.protocol import OpenArguments, OpenBody, Reply
from runtime.document.problem import Problem
from runtime.system.user_folders import is_sealed, is_shipped

Then = Callable[[], None]
LOOKS_ONLY = "This tab looks into a store and runs nothing. Open the workflow's file to go on with one of its runs."
# `error_type`: the user has just said no, so this is no fault to show
NOT_TRUSTED = "NotTrusted"


@dataclass(frozen=True, slots=True)
class Source:
    """What is run: a file's content, the folder its modules and files are looked for in, where its runs are kept."""

    document: Mapping[str, Any]
    folder: str = ""
    store: str = "memory:"


class Opener(QObject):
    """Opens at most once for commands that come while it opens. `opened` tells that the host built a document, and
    that `problems` are new.
    """

    opened = Signal()

    def __init__(self, client: Client, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.ask: Callable[[], Source] | None = None
        self.given: Source | None = None
        # it looks into a store without a document, and runs nothing
        self.looks_only = False
        self.read_only = False  # what it looks into is not changed
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
        """The store that is open, or that of the document."""
        return self._store or (self.source.store if self.source is not None else "")

    def lost(self) -> None:
        """The host is gone, or what it has open is of no more use."""
        self._can_run = False
        self._store = ""

    def for_running(self, then: Then, failed: Done, *, same: bool = False) -> None:
        """Open the present document: also an unchanged one, since the code it names may have changed. With `same`,
        whatever the host has open for running is right.
        """
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
        """Open a store (that of the document if none is named) unless one is open that will do."""
        wanted = store or self.store
        if self._waiting:
            self._waiting.append((then, failed))
        elif self._client.is_open and wanted == self._store != "":
            then()
        elif not store_exists(wanted):
            failed(
                refusal(
                    "open",
                    "There are no saved runs to look at yet. Run the workflow first.",
                )
            )
        else:
            arguments = OpenArguments(
                store=wanted, read_only=self.read_only or store_is_sealed(wanted)
            )
            self._client.request(
                "open", arguments, partial(self._on_store, wanted, then, failed)
            )

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
            # the host gives up what it has open before it opens something else
            self.lost()
        for then, failed in waiting:
            then() if reply.success else failed(reply)

    def _on_store(self, store: str, then: Then, failed: Done, reply: Reply) -> None:
        if reply.success:
            self._can_run = False
            self._store = store
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
    """The answer to the question of trust as long as nobody else answers it."""
    return False


def store_exists(store: str) -> bool:
    """Whether looking into a store would find one: looking never creates a file."""
    scheme, _, path = store.partition(":")
    if scheme == "dir":
        return Path(path).is_dir()
    return scheme not in ("", "memory") and (scheme != "sqlite" or Path(path).is_file())


def store_is_sealed(store: str) -> bool:
    """Whether a store can only be looked at, as where its folder is read-only."""
    scheme, _, path = store.partition(":")
    return scheme == "sqlite" and is_sealed(Path(path))
