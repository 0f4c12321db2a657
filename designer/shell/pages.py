"""What the tabs of a window show: a workspace each, or one level of its document, inside of a sub-workflow.

A tab of a level is no copy: it is the same workspace, with its one drawing, one undo stack and one run, at that level.
Each tab remembers the level that was in front of it, and goes there when it comes to the front.
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
    """`home` is the sub-workflow that it was opened for, if it was: closing it closes nothing else."""

    workspace: Workspace
    way: Way = ()
    home: Way = ()

    @property
    def is_level(self) -> bool:
        return bool(self.home)


class Pages:
    """Keeps the tab bar as the list of pages is; `front` is the one that was shown last."""

    def __init__(self, tabs: TabStrip) -> None:
        self._tabs = tabs
        self.items: list[Page] = []
        self.front: Page | None = None

    def add(self, workspace: Workspace, home: Way = ()) -> Page:
        """A page behind those of the same workspace, or the page that this level has already."""
        mine = [at for at, page in enumerate(self.items) if page.workspace is workspace]
        for at in mine:
            if home and self.items[at].home == home:
                return self.items[at]
        at = mine[-1] + 1 if mine else len(self.items)
        page = Page(workspace, home, home)
        self.items.insert(at, page)
        self._tabs.insertTab(at, workspace.document.title)
        self._tell(at)
        return page

    def of(self, workspace: Workspace) -> Page:
        """The page of a workspace that is in front, or else its own."""
        if self.front is not None and self.front.workspace is workspace:
            return self.front
        return next(
            page
            for page in self.items
            if page.workspace is workspace and not page.is_level
        )

    def show(self, page: Page) -> None:
        """Go to the level of a page; that of the page before is remembered."""
        if self.front is not None and self.front is not page:
            self.front.way = self.front.workspace.document.inside
        goes = self.front is not page and any(
            one.workspace is page.workspace and one is not page for one in self.items
        )
        self.front = page
        if goes:
            page.workspace.document.go_to(page.way)

    def follow(self, workspace: Workspace) -> Page | None:
        """Another level is shown. One that was left for what is further out stays as it is: the page of the workflow,
        which is given back, shows what is there.
        """
        page = self.front
        way = workspace.document.inside
        if (
            page is None
            or page.workspace is not workspace
            or way[: len(page.home)] == page.home
        ):
            return None
        page.way = page.home
        self.front = next(
            one for one in self.items if one.workspace is workspace and not one.is_level
        )
        return self.front

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
        """Names, and whether there is something to save. The page of a level that was deleted goes: when the level
        comes back by undo, a page that had stayed would have its name and show the workflow.
        """
        with QSignalBlocker(self._tabs):
            for page in [
                page for page in self.items if page is not self.front and _is_gone(page)
            ]:
                self.close(page)
        for at in range(len(self.items)):
            self._tell(at)

    def _tell(self, at: int) -> None:
        page = self.items[at]
        document = self.items[at].workspace.document
        way = self._way_of(self.items[at])
        name = document.title
        try:
            names = titles(document.root, way, document.folder)
        except EditError:
            names = []  # it is gone, and the page will show what is there
        place = " › ".join((str(document.path or "Not saved yet"), *names))
        self._tabs.setTabText(at, names[-1] if names and page.is_level else name)
        self._tabs.set_face(
            at,
            icon="sub" if page.is_level and names else "graph",
            dot=not document.is_clean,
        )
        self._tabs.setTabToolTip(at, place)

    def _way_of(self, page: Page) -> Way:
        return page.workspace.document.inside if page is self.front else page.way


def _is_gone(page: Page) -> bool:
    """Whether the sub-workflow of a page is nowhere in its document; what is drawn in a file may be."""
    root = page.workspace.document.root
    reached = reach(root, page.home)
    return (
        reached != page.home
        and inside.at(root, reached).workflow.node(page.home[len(reached)]) is None
    )
