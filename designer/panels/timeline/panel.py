"""The timeline panel: the strip of lanes, the details of the viewed checkpoint, and the
buttons to step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QToolButton, QWidget

from designer.look.icons import themed_icon
from designer.panels.base import Area, Panel, PanelHost, PanelKeys
from designer.panels.timeline.details import TimelineDetails
from designer.panels.timeline.strip import KEYS, TimelineStrip
from designer.panels.widgets.basic import allow, copy_text, icon_button
from designer.qt.layouts import put, row

DETAILS_WIDTH = 336


class TimelinePanel(Panel):
    """The strip beside the details of the viewed checkpoint.

    `restore_requested` carries the id of the checkpoint to fork from. The workspace may
    move `controls` to the corner of a tab bar.
    """

    title: ClassVar[str] = "Timeline"
    icon: ClassVar[str] = "timeline"
    area: ClassVar[Area] = "bottom"
    restore_requested = Signal(str)

    def connect_to(self, host: PanelHost) -> None:
        self.restore_requested.connect(host.restore)

    def follow_room(self, *, is_narrow: bool, inspector_width: int) -> None:
        # Because the inspector above has its left edge in the same vertical line.
        self.details.setFixedWidth(min(DETAILS_WIDTH, inspector_width))

    def follow_settings(self, *, is_still: bool) -> None:
        self.strip.still = is_still

    def follow_keys(self, keys: PanelKeys) -> None:
        self.strip.use_keys(keys.of_words("timeline"))

    @property
    def corner(self) -> QWidget:
        return self.controls

    @property
    def acts(self) -> Mapping[str, Callable[[], object]]:
        return {key.words: partial(key.act, self.strip) for key in KEYS.values()}

    def set_up(self) -> None:
        self.strip = TimelineStrip(self.session, self.look)
        self.walker = self.strip.walker
        self.details = TimelineDetails(self.session, self.look)
        self.details.setFixedWidth(DETAILS_WIDTH)
        self.controls = self._make_controls()
        self.details.head.insertWidget(3, self.controls)
        self._why_not_play = ""
        self._line = QFrame()
        self._line.setProperty("role", "hairline")
        self._line.setFixedWidth(1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for part in (self.strip, self._line, self.details):
            layout.addWidget(part, 1 if part is self.strip else 0)
        self._connect()
        self.refresh()

    def _make_controls(self) -> QWidget:
        box = QWidget()
        for widget in (self, box):
            widget.setProperty("keysOf", "timeline")
        walker = self.walker
        self.back_button = icon_button(
            self.look, "stepback", "Checkpoint before (Left)", walker.back
        )
        self.play_button = icon_button(self.look, "play", "", walker.toggle_play)
        self.forward_button = icon_button(
            self.look, "superstep", "Next checkpoint (Right)", walker.forward
        )
        put(box, row(self.back_button, self.play_button, self.forward_button, gap=4))
        return box

    def _connect(self) -> None:
        self.strip.restore_requested.connect(self.restore_requested)
        self.strip.menu_requested.connect(self._open_menu)
        self.strip.tag_requested.connect(lambda _id: self.details.edit_tags())
        self.strip.note_requested.connect(lambda _id: self.details.edit_note())
        self.details.menu_requested.connect(self._open_details_menu)
        self.walker.playing_changed.connect(self._show_playing)
        self.session.changed.connect(self.invalidate)
        self.session.viewed.connect(self.invalidate)
        self.session.timeline.grown.connect(self.invalidate)

    def refresh(self) -> None:
        for part in (self._line, self.details):
            part.setVisible(self.session.timeline.rowCount() > 0)
        self.details.show_checkpoint(self.walker.current_id)
        self._allow_buttons()
        self._show_playing()

    def _allow_buttons(self) -> None:
        checkpoints = self.session.timeline.rowCount()
        why_not_back = ""
        why_not_forward = ""
        why_not_play = ""
        if not checkpoints:
            why_not = "There is no checkpoint yet: run the workflow first."
            why_not_back = why_not_forward = why_not_play = why_not
        else:
            if not self.walker.can_go_back:
                why_not_back = "This is the first checkpoint."
            if not self.walker.can_go_forward:
                why_not_forward = "This is the newest checkpoint."
            if checkpoints == 1:
                why_not_play = "There is only one checkpoint."
        allow(self.back_button, why_not_back)
        allow(self.forward_button, why_not_forward)
        self._why_not_play = why_not_play

    def _show_playing(self) -> None:
        playing = self.walker.is_playing
        self.play_button.setIcon(themed_icon("pause" if playing else "play", self.look))
        tip = "Stop playing (Space)" if playing else "Play the branch (Space)"
        self.play_button.setProperty("tip", tip)
        self.play_button.setAccessibleName(tip)
        allow(self.play_button, self._why_not_play)

    # --- the verbs of a checkpoint ------------------------------------------------------------------------------

    def make_menu(self, checkpoint_id: str) -> QMenu:
        """Return the menu of a checkpoint."""
        menu = QMenu(self)
        for text, icon, act in self._verbs(checkpoint_id):
            if act is None:
                menu.addSeparator()
            else:
                menu.addAction(themed_icon(icon, self.look), text).triggered.connect(
                    partial(_call, act)
                )
        return menu

    def _verbs(
        self, checkpoint_id: str
    ) -> list[tuple[str, str, Callable[[], object] | None]]:
        is_base = self.strip.base == checkpoint_id
        base = "Stop comparing" if is_base else "Compare with this"
        return [
            ("View", "eye", lambda: self.session.view(checkpoint_id)),
            (
                "Restore here (fork)",
                "restore",
                lambda: self.restore_requested.emit(checkpoint_id),
            ),
            ("", "", None),
            (base, "snap", lambda: self.strip.set_base(checkpoint_id)),
            (
                "Tag…",
                "tag",
                lambda: self._annotate(checkpoint_id, self.details.edit_tags),
            ),
            (
                "Note…",
                "pencil",
                lambda: self._annotate(checkpoint_id, self.details.edit_note),
            ),
            ("", "", None),
            ("Copy id", "copy", lambda: copy_text(checkpoint_id)),
        ]

    def _annotate(self, checkpoint_id: str, edit: Callable[[], None]) -> None:
        """Edit tags or note of a checkpoint. It is viewed first, because the fields
        show the viewed checkpoint.
        """
        self.session.view(checkpoint_id)
        edit()

    def _open_menu(self, checkpoint_id: str, where: QPoint) -> None:
        menu = self.make_menu(checkpoint_id)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(where)

    def _open_details_menu(self) -> None:
        more: QToolButton = self.details.more
        if self.walker.current_id:
            self._open_menu(
                self.walker.current_id, more.mapToGlobal(QPoint(0, more.height()))
            )


def _call(act: Callable[[], object], _checked: bool = False) -> None:
    act()
