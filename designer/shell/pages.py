"""What the tabs of a window show: a workspace each, or one level of its document, inside of a sub-workflow.

A tab of a level is no copy: it is the same workspace, with its one drawing, one undo stack and one run, at that level.
Each tab remembers the level that was in front of it, and goes there when it comes to the front.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker

from designer.model.errors import EditError
from designer.model.inside import Way, titles
from designer.shell.tabs import TabStrip
from designer.shell.workspace import Workspace


@dataclass(eq=False)
class Page:
    """`is_level` for one that was opened for a sub-workflow: closing it closes nothing else."""

    workspace: Workspace
    way: Way = ()
    is_level: bool = False


class Pages:
    """Keeps the tab bar as the list of pages is; `front` is the one that was shown last."""

    def __init__(self, tabs: TabStrip) -> None:
        self._tabs = tabs
        self.items: list[Page] = []
        self.front: Page | None = None

    def add(self, workspace: Workspace, way: Way = (), *, is_level: bool = False) -> Page:
        """A page behind those of the same workspace, or the page that shows this level already."""
        mine = [at for at, page in enumerate(self.items) if page.workspace is workspace]
        for at in mine:
            if is_level and self._way_of(self.items[at]) == way:
                return self.items[at]
        at, page = (mine[-1] + 1 if mine else len(self.items)), Page(workspace, way, is_level)
        self.items.insert(at, page)
        self._tabs.insertTab(at, workspace.document.display_name)
        self._tell(at)
        return page

    def of(self, workspace: Workspace) -> Page:
        """The page of a workspace that is in front, or else its own."""
        if self.front is not None and self.front.workspace is workspace:
            return self.front
        return next(page for page in self.items if page.workspace is workspace and not page.is_level)

    def show(self, page: Page) -> None:
        """Go to the level of a page; that of the page before is remembered."""
        if self.front is not None and self.front is not page:
            self.front.way = self.front.workspace.document.inside
        goes = self.front is not page and any(one.workspace is page.workspace and one is not page for one in self.items)
        self.front = page
        if goes:
            page.workspace.document.go_to(page.way)

    def close(self, page: Page) -> None:
        """Take a page away, and nothing of what it showed."""
        at = self.items.index(page)
        self.items.remove(page)
        if self.front is page:
            self.front = None
        self._tabs.removeTab(at)

    def close_all(self, workspace: Workspace) -> None:
        """A workspace goes: so do all its pages. The bar tells of none of them: they cannot be shown any more."""
        with QSignalBlocker(self._tabs):
            for page in [page for page in self.items if page.workspace is workspace]:
                self.close(page)

    def refresh(self) -> None:
        """Names, and whether there is something to save."""
        for at in range(len(self.items)):
            self._tell(at)

    def _tell(self, at: int) -> None:
        page, document, way = self.items[at], self.items[at].workspace.document, self._way_of(self.items[at])
        name = document.display_name
        try:
            names = titles(document.root, way, document.folder)
        except EditError:
            names = []  # it is gone, and the page will show what is there
        place = " › ".join((str(document.path or "Not saved yet"), *names))
        self._tabs.setTabText(at, names[-1] if names and page.is_level else name)
        self._tabs.set_face(at, icon="sub" if page.is_level and names else "graph", dot=not document.is_clean)
        self._tabs.setTabToolTip(at, place)

    def _way_of(self, page: Page) -> Way:
        return page.workspace.document.inside if page is self.front else page.way
