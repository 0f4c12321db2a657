"""The pages of the window's tabs: a workspace each, or one level of its document.

The page of a level is no copy. It is the same workspace, with its one drawing, one undo
stack and one run, at that level. Each page remembers its level, and goes there when it
comes to the front.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker

from designer.model import inside
from designer.model.errors import EditError
from designer.model.inside import Way, reach, titles
from designer.shell.tabs import TabStrip
from designer.shell.workspace import Workspace


@dataclass(eq=False)
class Page:
    """`home` is the level for which it was opened; closing such a page closes no
    workspace.
    """

    workspace: Workspace
    way: Way = ()
    home: Way = ()

    @property
    def is_level(self) -> bool:
        return bool(self.home)


class Pages:
    """Keeps the tab bar equal to the list of pages. `front` is the page that is shown."""

    def __init__(self, tabs: TabStrip) -> None:
        self._tabs = tabs
        self.items: list[Page] = []
        self.front: Page | None = None

    def add(self, workspace: Workspace, home: Way = ()) -> Page:
        """Return a new page behind those of the same workspace, or the page of this
        level.
        """
        index = len(self.items)
        for place, page in enumerate(self.items):
            if page.workspace is workspace:
                index = place + 1
                if home and page.home == home:
                    return page
        page = Page(workspace, home, home)
        self.items.insert(index, page)
        self._tabs.insertTab(index, workspace.document.title)
        self._show_tab(index)
        return page

    def of(self, workspace: Workspace) -> Page:
        """Return the page in front if it is of this workspace, otherwise its main page."""
        if self.front is not None and self.front.workspace is workspace:
            return self.front
        return self._main(workspace)

    def _main(self, workspace: Workspace) -> Page:
        """Return the page of a workspace that is not of a level."""
        pages = (page for page in self.items if page.workspace is workspace)
        return next(page for page in pages if not page.is_level)

    def show(self, page: Page) -> None:
        """Go to the level of a page, and remember that of the page before."""
        if self.front is page:
            return
        if self.front is not None:
            self.front.way = self.front.workspace.document.inside
        workspaces = [other.workspace for other in self.items if other is not page]
        self.front = page
        # Only then another page may have changed the level.
        if page.workspace in workspaces:
            page.workspace.document.go_to(page.way)

    def follow(self, workspace: Workspace) -> Page | None:
        """Follow a workspace to another level. If the page in front is of a level that
        was left, return the main page, which shows the other level.
        """
        page = self.front
        way = workspace.document.inside
        if page is None or page.workspace is not workspace:
            return None
        if way[: len(page.home)] == page.home:
            return None
        page.way = page.home
        self.front = self._main(workspace)
        return self.front

    def close(self, page: Page) -> None:
        """Remove a page, and change nothing in its workspace."""
        index = self.items.index(page)
        self.items.remove(page)
        if self.front is page:
            self.front = None
        self._tabs.removeTab(index)

    def close_all(self, workspace: Workspace) -> None:
        """Remove all pages of a workspace, without signals of the tab bar, because they
        cannot be shown any longer.
        """
        with QSignalBlocker(self._tabs):
            for page in [page for page in self.items if page.workspace is workspace]:
                self.close(page)

    def refresh(self) -> None:
        """Show the names, and whether there are unsaved changes. Remove pages of
        deleted levels, because such a page would show the workflow under the name of
        the level, and have that name after an undo too.
        """
        with QSignalBlocker(self._tabs):
            for page in list(self.items):
                if page is not self.front and _is_deleted(page):
                    self.close(page)
        for index in range(len(self.items)):
            self._show_tab(index)

    def _show_tab(self, index: int) -> None:
        page = self.items[index]
        document = page.workspace.document
        try:
            names = titles(document.root, self._way_of(page), document.folder)
        except EditError:
            names = []  # because the level was deleted
        text = document.title
        icon = "graph"
        if names and page.is_level:
            text = names[-1]
            icon = "sub"
        self._tabs.setTabText(index, text)
        self._tabs.set_face(index, icon=icon, dot=not document.is_clean)
        way = (str(document.path or "Not saved yet"), *names)
        self._tabs.setTabToolTip(index, " › ".join(way))

    def _way_of(self, page: Page) -> Way:
        return page.workspace.document.inside if page is self.front else page.way


def _is_deleted(page: Page) -> bool:
    """Return whether the sub-workflow of a page was deleted from its document. The way
    of one that is a file may not lead there either, but its node exists.
    """
    root = page.workspace.document.root
    reached = reach(root, page.home)
    if reached == page.home:
        return False
    next_node = page.home[len(reached)]
    return inside.at(root, reached).workflow.node(next_node) is None
