"""The menus of a checkpoint and of a branch, and what their entries do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from designer.look.icons import themed_icon
from designer.panels.base import Panel
from designer.panels.timeline.details import TimelineDetails
from designer.panels.timeline.exporter import Exporter
from designer.panels.timeline.strip import TimelineStrip
from designer.panels.timeline.words import BOOKMARK, is_bookmarked
from designer.panels.widgets.basic import allow, copy_text
from designer.session.opener import LOOKS_ONLY
from runtime.debug.protocol import PINNED


class Verb(NamedTuple):
    """An entry of a menu; a line for an empty text. `why_not` says why it is off, `tip`
    what will happen.
    """

    text: str = ""
    icon: str = ""
    act: Callable[[], object] = lambda: None
    why_not: str = ""
    tip: str = ""


LOOKS = "Shows the checkpoint. Nothing runs."
RUNS = (
    "Goes on from here on a new branch. Executors run again, with what they do outside."
)
STAGES = "Changes a copy. Nothing runs until you apply the changes."
LINE = Verb()


class Verbs(QObject):
    """`restore_requested` and `branch_requested` carry the id of the checkpoint to go
    on from; the latter asks for the name of the branch. `copy_requested` carries the
    one of which a copy is to be edited.
    """

    restore_requested = Signal(str)
    branch_requested = Signal(str)
    copy_requested = Signal(str)

    def __init__(
        self,
        panel: Panel,
        strip: TimelineStrip,
        details: TimelineDetails,
        exporter: Exporter,
    ) -> None:
        super().__init__(panel)
        self._panel = panel
        self._session = panel.session
        self._model = panel.session.timeline
        self._strip = strip
        self._details = details
        self._exporter = exporter

    def menu_of(self, checkpoint_id: str) -> QMenu:
        """Return the menu of a checkpoint."""
        is_base = self._strip.base == checkpoint_id
        header = self._model.header(checkpoint_id)
        has_bookmark = header is not None and is_bookmarked(header)
        is_pinned = header is not None and PINNED in header.tags
        read_only = self._session.why_not_annotate
        view = partial(self._session.view, checkpoint_id)
        restore = partial(self._restore, checkpoint_id)
        restore_as = partial(self._ask_branch, checkpoint_id)
        edit = partial(self.copy_requested.emit, checkpoint_id)
        no_copy = LOOKS_ONLY if self._session.looks_only else ""
        return self._menu(
            Verb("View", "eye", view, tip=LOOKS),
            Verb("Restore here (fork)", "restore", restore, tip=RUNS),
            Verb("Restore as a branch…", "branch", restore_as, tip=RUNS),
            Verb("Edit and fork…", "pencil", edit, no_copy, tip=STAGES),
            LINE,
            Verb(
                "Stop comparing" if is_base else "Compare with this",
                "compare",
                partial(self._strip.set_base, checkpoint_id),
            ),
            Verb(
                "First difference from this",
                "branch",
                partial(self._find_first_difference, checkpoint_id),
            ),
            Verb("Tag…", "tag", partial(self._edit_tags, checkpoint_id), read_only),
            Verb("Note…", "pencil", partial(self._edit_note, checkpoint_id), read_only),
            Verb(
                "Remove the bookmark" if has_bookmark else "Bookmark",
                "flag",
                partial(self.toggle_bookmark, checkpoint_id),
                read_only,
            ),
            Verb(
                "Allow pruning" if is_pinned else "Keep from pruning",
                "save",
                partial(self._toggle_tag, checkpoint_id, PINNED),
                read_only,
            ),
            LINE,
            self._export_verb(checkpoint_id),
            Verb("Copy id", "copy", partial(copy_text, checkpoint_id)),
        )

    def menu_of_branch(self, lane: int) -> QMenu:
        """Return the menu of a branch."""
        branches = self._strip.branches
        place = branches.place_of(lane)
        name = self._model.lanes[lane].branch
        head = self._model.header_at(self._model.lanes[lane].last_row).id
        same = ""
        if lane == self._strip.walker.lane:
            same = "It is the branch that is viewed. Go to another one first."
        no_forks = "" if branches.forks_of(lane) else "No branch leaves this one."
        is_open = branches.is_open(lane) or bool(no_forks)
        fold = "Fold its branches" if is_open else "Show its branches"
        root = "" if branches.can_hide(lane) else "It leaves no other branch."
        top = "It is the first." if place == 0 else ""
        bottom = "It is the last." if place == len(branches.shown) - 1 else ""
        nothing = "" if branches.has_folded else "No branch is folded."
        return self._menu(
            Verb("Go to its head", "eye", partial(self._go_to_head, lane)),
            Verb(
                "Select its checkpoints",
                "list",
                partial(self._strip.selection.select_lane, lane),
            ),
            Verb(
                "First difference from it",
                "compare",
                partial(self._find_first_difference, head),
                same,
            ),
            Verb("Export…", "out", partial(self._export_lane, lane)),
            Verb("Copy its name", "copy", partial(copy_text, name)),
            LINE,
            Verb(fold, "chev", partial(branches.toggle, lane), no_forks),
            Verb("Fold this branch", "chevr", partial(branches.hide, lane), root),
            Verb("Show all branches", "timeline", branches.show_all, nothing),
            LINE,
            Verb("Move up", "chevu", partial(branches.move, lane, -1), top),
            Verb("Move down", "chev", partial(branches.move, lane, 1), bottom),
        )

    def toggle_bookmark(self, checkpoint_id: str) -> None:
        """Bookmark a checkpoint, or remove its bookmark."""
        self._toggle_tag(checkpoint_id, BOOKMARK)

    def export(self) -> None:
        """Export the selected checkpoints, else the viewed one."""
        ids = self._strip.selection.ids or (self._strip.walker.current_id,)
        if all(ids):
            self._exporter.export(ids, self._file_name(ids))

    # --- inside -------------------------------------------------------------------------------------------------

    def _menu(self, *verbs: Verb) -> QMenu:
        menu = QMenu(self._panel)
        menu.setToolTipsVisible(True)
        for verb in verbs:
            if not verb.text:
                menu.addSeparator()
                continue
            icon = themed_icon(verb.icon, self._panel.look)
            action: QAction = menu.addAction(icon, verb.text)
            action.triggered.connect(partial(_call, verb.act))
            if verb.tip:
                action.setToolTip(verb.tip)
            allow(action, verb.why_not)
        return menu

    def _find_first_difference(self, checkpoint_id: str) -> None:
        self._session.compare_with(checkpoint_id)
        self._session.show_first_difference(True)

    def _export_verb(self, checkpoint_id: str) -> Verb:
        ids = self._strip.selection.ids
        if checkpoint_id in ids and len(ids) > 1:
            return Verb(f"Export the {len(ids):,} selected…", "out", self.export)
        name = self._file_name((checkpoint_id,))
        export = partial(self._exporter.export, (checkpoint_id,), name)
        return Verb("Export…", "out", export)

    def _export_lane(self, lane: int) -> None:
        rows = self._model.lane_rows[lane].rows
        ids = [self._model.header_at(row).id for row in rows]
        name = f"{_safe(self._model.lanes[lane].branch)}.jsonl"
        self._exporter.export(ids, name)

    def _file_name(self, ids: tuple[str, ...]) -> str:
        first = self._model.name(ids[0]).removeprefix("#")
        last = self._model.name(ids[-1]).removeprefix("#")
        if first == last:
            return f"checkpoint-{first}.jsonl"
        return f"checkpoints-{first}-{last}.jsonl"

    def _restore(self, checkpoint_id: str) -> None:
        self.restore_requested.emit(checkpoint_id)

    def _ask_branch(self, checkpoint_id: str) -> None:
        self.branch_requested.emit(checkpoint_id)

    def _go_to_head(self, lane: int) -> None:
        self._strip.walker.view(self._model.lanes[lane].last_row)

    def _edit_tags(self, checkpoint_id: str) -> None:
        # It is viewed first, because the fields show the viewed checkpoint.
        self._session.view(checkpoint_id)
        self._details.edit_tags()

    def _edit_note(self, checkpoint_id: str) -> None:
        self._session.view(checkpoint_id)
        self._details.edit_note()

    def _toggle_tag(self, checkpoint_id: str, tag: str) -> None:
        header = self._model.header(checkpoint_id)
        if header is None or self._session.why_not_annotate:
            return
        tags = [other for other in header.tags if other != tag]
        if len(tags) == len(header.tags):
            tags.append(tag)
        self._session.annotate(checkpoint_id, tags=tags)


def _call(act: Callable[[], object], _checked: bool = False) -> None:
    act()


def _safe(name: str) -> str:
    """Return a name for a file without characters that file systems do not take."""
    allowed = [letter if letter.isalnum() or letter in "-_" else "-" for letter in name]
    return "".join(allowed) or "branch"
