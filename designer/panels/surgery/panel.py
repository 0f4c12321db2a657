"""The task Edit and fork, in the place of the inspector: every section of a checkpoint,
changed in place over a copy of it. Nothing runs before the changes are applied.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import ClassVar, cast

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from designer.model.patch_address import Address
from designer.model.staged_changes import Entry
from designer.panels.base import Area, Panel, PanelHost
from designer.panels.surgery.foot import Foot
from designer.panels.surgery.key_name import KeyName
from designer.panels.surgery.message_rows import is_executor
from designer.panels.surgery.row_verbs import RowVerbs
from designer.panels.surgery.row_view import RowView
from designer.panels.surgery.rows import (
    Children,
    Opened,
    Place,
    Section,
    SectionRows,
    Source,
    Subject,
)
from designer.panels.surgery.section_view import SectionView
from designer.panels.surgery.sections import (
    empty_joins,
    moment_or_nothing,
    sections_of,
)
from designer.panels.widgets.basic import (
    ContentOrNotice,
    ElidedLabel,
    Glyph,
    button,
    hairline,
    icon_button,
    label,
    scrolling,
    set_style,
)
from designer.qt.layouts import column, put, row
from runtime.debug.protocol import ExpandBody, Patch
from runtime.values.words import counted

HEAD = 32  # px, that of the strips of tabs
NO_RUN = "Nothing runs in here"
NO_RUN_TEXT = "Go up, or to a checkpoint at which this sub-workflow is under way."
NARROW = 330  # px of the panel; below it the buttons have few words


class SurgeryPanel(Panel):
    """Shown by the workspace while a copy of a checkpoint is edited.

    apply_requested  the user wants the fork; carries whether it shall run on at once
    load_requested   carries a function that gets the patch that the user chooses
    """

    title: ClassVar[str] = "Edit and fork"
    icon: ClassVar[str] = "pencil"
    area: ClassVar[Area] = "task"
    is_about_level: ClassVar[bool] = True
    apply_requested = Signal(bool)
    discard_requested = Signal()
    save_requested = Signal(str, str)
    load_requested = Signal(object)

    def connect_to(self, host: PanelHost) -> None:
        self.apply_requested.connect(host.apply_staged)
        self.discard_requested.connect(host.discard_staged)
        self.save_requested.connect(host.save_text)
        self.load_requested.connect(host.choose_patch)

    def follow_room(self, *, is_narrow: bool, inspector_width: int) -> None:
        self.foot.be_narrow(on=inspector_width < NARROW)

    def set_up(self) -> None:
        self.opened = Opened()
        self.sections: dict[str, SectionView] = {}
        self.verbs = RowVerbs(self.session, self.look, self, self)
        self._children: dict[Place, Children] = {}
        self._asked: set[Place] = set()
        self._wanted: Subject | None = None  # what to go to once it is shown
        self._shown_for: tuple[str, tuple[str, ...]] = ("", ())
        self._build()
        session = self.session
        session.staged.changed.connect(self._on_staged)
        session.staged.planned.connect(self.invalidate)
        session.viewed.connect(self.invalidate)
        session.changed.connect(self.invalidate)

    def _build(self) -> None:
        self.close_button = icon_button(
            self.look, "x", "Leave; the changes are kept (Esc)", self._leave
        )
        self.place = ElidedLabel("", "secondary", Qt.TextElideMode.ElideRight)
        head = QWidget()
        head.setFixedHeight(HEAD)
        glyph = Glyph(self.look, self.icon)
        title = label(self.title, "strong")
        parts = (glyph, title, (self.place, 1), self.close_button)
        put(head, row(*parts, gap=8, margins=(12, 0, 8, 0)))
        holder = QWidget()
        self._list: QVBoxLayout = column(holder)
        self.more_joins = button("", self._show_joins)
        set_style(self.more_joins, link=True)
        self._joins_line = QWidget()
        put(self._joins_line, row(self.more_joins, None, margins=(26, 6, 12, 6)))
        self._list.addWidget(self._joins_line)
        self._list.addStretch(1)
        self._scroll: QScrollArea = scrolling(holder)
        self._scroll.setAccessibleName("What can be changed")
        self.stack = ContentOrNotice(self._scroll, self.look)
        self.foot = Foot(self.session, self.look)
        self.foot.named.connect(self._on_named)
        self.foot.apply_requested.connect(self._apply)
        self.foot.discard_requested.connect(self.discard_requested)
        self.foot.save_requested.connect(self._save)
        self.foot.load_requested.connect(self._load)
        whole = column(self)
        for part in (head, hairline()):
            whole.addWidget(part)
        whole.addWidget(self.stack, 1)
        whole.addWidget(hairline())
        whole.addWidget(self.foot)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(self._apply_by_key)

    @property
    def entry(self) -> QWidget:
        return next(self.views(), self._scroll)

    def unfinished(self) -> list[str]:
        """Return what is staged and was not applied."""
        timeline = self.session.timeline
        return [
            f"{counted(draft.changes, 'change')} over a copy of "
            f"{timeline.name(draft.checkpoint_id) or 'a checkpoint'}, not applied"
            for draft in self.session.staged.drafts
            if draft.changes
        ]

    # --- showing ---

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.foot.refresh()

    def _on_staged(self) -> None:
        if not self.session.staged.is_on:
            self._shown_for = ("", ())
        self.invalidate()

    def refresh(self) -> None:
        staged = self.session.staged
        if not staged.is_on:
            return
        self._follow_place()
        self.foot.refresh()
        name = self.session.timeline.name(staged.checkpoint)
        moment = staged.original
        if moment is None or not self._is_read:
            self.stack.say("clock", "Reading the checkpoint…")
            return
        if "" in staged.run:
            self.place.setText(name)
            self.stack.say("clock", NO_RUN, NO_RUN_TEXT)
            return
        place = f"{name}, superstep {moment.superstep}"
        if staged.run:
            place += f" · inside {staged.run[-1]}"
        self.place.setText(place)
        self._show_sections(self.source())
        self.stack.show_content()
        wanted = self._wanted
        self._wanted = None
        if wanted is not None:
            self.go_to(wanted)

    @property
    def _is_read(self) -> bool:
        """Whether the host has sent the checkpoint itself, and not one of before."""
        outer = self.session.staged.requests_of
        header = outer.header if outer is not None else None
        return header is not None and header.id == self.session.staged.checkpoint

    def source(self) -> Source:
        """Return what the rows are made from."""
        staged = self.session.staged
        return Source(
            moment_or_nothing(staged.original),
            moment_or_nothing(staged.requests_of),
            staged.run,
            staged.draft,
            staged.problems,
            staged.warnings,
            self._children,
            self.opened,
            self.node_title,
        )

    def _follow_place(self) -> None:
        """Forget what was opened of another checkpoint or level."""
        staged = self.session.staged
        place = (staged.checkpoint, staged.run)
        if place != self._shown_for:
            self._shown_for = place
            self.opened = Opened()
            self._children.clear()
            self._asked.clear()

    def _show_sections(self, source: Source) -> None:
        shown = sections_of(source)
        keys = [section.key for section in shown]
        for key in self.sections.keys() - set(keys):
            view = self.sections.pop(key)
            self._list.removeWidget(view)
            view.hide()
            view.deleteLater()
        for place, section in enumerate(shown):
            view = self.sections.get(section.key) or self._make_section(section.key)
            if self._list.indexOf(view) != place:
                self._list.insertWidget(place, view)
            view.show_section(section, is_open=section.key not in self.opened.closed)
        empty = empty_joins(source)
        words = f"{counted(len(empty), 'join')} without messages"
        self.more_joins.setText(words)
        self._joins_line.setVisible(bool(empty))
        for section in shown:
            self._ask_for(section)
            is_folded = section.folded or f"{section.key} folded" in self.opened.closed
            if section.key in ("state", "executors") and not is_folded:
                # So that nothing folds under the hand of the user who changes it.
                self.opened.unfolded.add(section.key)

    def _make_section(self, key: str) -> SectionView:
        view = SectionView(self.look, self.verbs)
        view.toggled.connect(partial(self._toggle_section, key))
        view.fold_toggled.connect(partial(self._toggle_fold, key))
        view.add_requested.connect(partial(self._add, key))
        self.sections[key] = view
        return view

    def _ask_for(self, section: SectionRows) -> None:
        """Ask for what is inside of open values, as far as it was not sent."""
        for shown in section.rows:
            place = shown.place
            if shown.kind != "notice" or place is None or place in self._asked:
                continue
            self._asked.add(place)
            checkpoint = self.session.staged.checkpoint
            done = partial(self._on_children, checkpoint, place)
            self.session.questions.expand(
                place[0],
                place[1],
                0,
                done,
                checkpoint_id=checkpoint,
                outermost=place[0].startswith("request:"),
            )

    def _on_children(
        self, checkpoint: str, place: Place, body: ExpandBody | None
    ) -> None:
        if checkpoint == self.session.staged.checkpoint and body is not None:
            self._children[place] = body.children
            self.invalidate()

    # --- opening and folding ---

    def _toggle_section(self, key: str) -> None:
        self.opened.closed ^= {key}
        self.refresh()

    def _toggle_fold(self, key: str) -> None:
        section = self.sections[key].section
        if section is not None and section.folded:
            self.opened.unfolded.add(key)
            self.opened.closed.discard(f"{key} folded")
        else:
            self.opened.unfolded.discard(key)
            self.opened.closed.add(f"{key} folded")
        self.refresh()

    def _show_joins(self) -> None:
        for section in empty_joins(self.source()):
            self.opened.unfolded.add(section.key)
        self.refresh()

    def views(self) -> Iterator[RowView]:
        """Yield the rows that are shown, from top to bottom."""
        for key in (section.key for section in sections_of(self.source())):
            if key in self.sections:
                yield from self.sections[key].in_order()

    def begin_at(self, address: Address) -> None:
        """Go to a value, a question or a message, as soon as they are shown."""
        section = cast("Section", address.section)
        run = self.session.staged.run if section != "requests" else ()
        entry: Entry | None = address.added or address.message
        subject = Subject(section, run, address.key, entry, address.path)
        self._follow_place()
        self._wanted = subject
        self.refresh()

    def go_to(self, subject: Subject) -> None:
        """Open what leads to a value, a message or a question, and go to its field."""
        self.opened.unfolded.add(subject.section)
        whole = subject.whole
        for kind in ("message", "request", "value"):
            for length in range(len(subject.path) + 1):
                above = Subject(
                    whole.section,
                    whole.run,
                    whole.key,
                    whole.entry,
                    subject.path[:length],
                )
                self.opened.rows.add(f"{kind} {above.name}")
        self.refresh()
        self.enter_row(subject)

    def enter_row(self, subject: Subject) -> None:
        """Go to the field of a row, if it is shown."""
        view = self._view_of(subject)
        if view is not None:
            self.scroll_to(view)
            view.enter_field()

    def scroll_to(self, view: QWidget) -> None:
        self._scroll.ensureWidgetVisible(view)

    def _view_of(self, subject: Subject) -> RowView | None:
        best = None
        for view in self.views():
            if view.row is not None and view.row.subject == subject:
                best = view
                if view.field is not None or view.answer is not None:
                    break
        return best

    # --- adding ---

    def _add(self, key: str) -> None:
        section = self.sections[key].section
        if section is None or section.adds is None:
            return
        if section.adds.section == "state":
            self._ask_key(section.adds)
            return
        subject = section.adds
        self.opened.closed.discard(key)
        id = self.session.staged.stage(
            subject.change("add", value="", source=self._likely_source(subject))
        )
        added = Subject(subject.section, subject.run, subject.key, id)
        self.go_to(added)

    def _likely_source(self, subject: Subject) -> str | None:
        """Return who most likely sends an added message: a source that its join waits
        for, or who sent the last one.
        """
        moment = moment_or_nothing(self.session.staged.original)
        for join in moment.joins:
            if subject.key and subject.key in (join.key, join.edge):
                sources = [source.id for source in join.sources]
                return (join.missing or tuple(sources) or ("",))[0]
        sent = [
            message.source for message in moment.messages if is_executor(message.source)
        ]
        return sent[-1] if sent else next(iter(moment.nodes), None)

    def _ask_key(self, subject: Subject) -> None:
        taken = {name for name, _ in self._state_children()}
        for change in self.session.staged.draft.changes:
            if change.section == "state" and change.run == subject.run:
                taken.add(change.key)
        field = KeyName(taken, self)
        field.chosen.connect(partial(self._add_key, subject))
        view = self.sections["state"]
        field.popup(view.add.mapToGlobal(QPoint(0, view.add.height())))

    def _state_children(self) -> Children:
        state = moment_or_nothing(self.session.staged.original).state
        return state.children or ()

    def _add_key(self, subject: Subject, name: str) -> None:
        key = Subject("state", subject.run, name)
        self.session.staged.stage(key.change("set", value=""))
        self.go_to(key)

    # --- the foot ---

    def _leave(self) -> None:
        self.session.staged.leave()

    def _on_named(self, name: str) -> None:
        self.session.staged.name(name.strip())
        self.foot.refresh()

    def _apply_by_key(self) -> None:
        if not self.session.staged.why_not:
            self._apply(is_run_on=False)

    def _apply(self, is_run_on: bool) -> None:
        self.apply_requested.emit(is_run_on)

    def _save(self) -> None:
        staged = self.session.staged
        name = (staged.draft.name or "patch").replace(" ", "-")
        text = json.dumps(staged.patch.as_json(), indent=2, ensure_ascii=False)
        self.save_requested.emit(f"{name}.patch.json", text + "\n")

    def _load(self) -> None:
        self.load_requested.emit(self._take)

    def _take(self, patch: Patch) -> None:
        self.session.staged.load(patch)
