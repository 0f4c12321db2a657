"""What file commands need of the window: its tabs, its questions and its status bar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtWidgets import QWidget

from designer.shell.files.dialogs import Questions
from designer.shell.settings.settings import Settings
from designer.shell.status_bar import StatusBar
from designer.shell.workspace import Workspace


class TabHost(Protocol):
    """The window, as the commands that open, save, import and export see it."""

    @property
    def questions(self) -> Questions: ...

    @property
    def status(self) -> StatusBar: ...

    @property
    def settings(self) -> Settings: ...

    @property
    def workspaces(self) -> Sequence[Workspace]: ...

    @property
    def current(self) -> Workspace | None:
        """The workspace in front; None while the start page is."""

    @property
    def make_workspace(self) -> Callable[..., Workspace]:
        """Returns a workspace that is in no tab yet. A `Link` as the argument takes the
        place of the usual one.
        """

    def new_document(self) -> Workspace:
        """Add a workspace with an empty drawing, in front."""

    def add(self, workspace: Workspace) -> Workspace:
        """Put a workspace into a tab, in front."""

    def remove(self, workspace: Workspace) -> None:
        """Take a workspace out of its tab, and end its run."""

    def bring_to_front(self, workspace: Workspace) -> None: ...

    def refresh_start_page(self) -> None:
        """Show the recent workflows as they are now."""

    def focusWidget(self) -> QWidget | None:
        """Return the widget that has the keys."""
