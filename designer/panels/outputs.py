"""Output: the outputs of the run up to the viewed moment, texts to read and other
values as trees.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QButtonGroup, QPushButton, QStackedWidget, QWidget

from designer.model.names import snake_case
from designer.panels.base import NO_RUN, Panel, PanelHost
from designer.panels.values.built_in_viewers import is_table
from designer.panels.values.model import Done, Node
from designer.panels.values.origins import QUESTION
from designer.panels.values.output_list import PREVIEW, STRUCK, TAIL, OutputList
from designer.panels.values.tree import ValueTree
from designer.panels.values.uncommitted_outputs import UncommittedOutputs
from designer.panels.values.view_as import TreeAndViewer
from designer.panels.widgets.basic import (
    ContentOrNotice,
    DelayedCall,
    ElidedLabel,
    copy_text,
    hairline,
    icon_button,
    label,
)
from designer.panels.widgets.reader import Reader
from designer.qt.layouts import column, put, row
from runtime.debug.protocol import OutputItem, OutputsBody

ITEM = Qt.ItemDataRole.UserRole + 3
PAUSE = 400  # ms between two questions to the host while the run moves


class OutputsPanel(Panel):
    """Asks the host whenever another moment is viewed, even while hidden, because the
    tab shows the count.

    The outputs of the running superstep come last, marked as uncommitted, with the
    pieces of a streamed answer. If the superstep fails they are struck through, as
    taken back.

    `front_requested` is emitted once when a live run has finished with outputs, and
    when it begins to stream an answer; `save_requested` carries a name for a file and
    its text.
    """

    title = "Output"
    icon = "flag"
    area = "bottom"
    front_requested = Signal()
    save_requested = Signal(str, str)

    def connect_to(self, host: PanelHost) -> None:
        self.front_requested.connect(partial(host.bring_to_front, self))
        self.save_requested.connect(host.save_text)

    def set_up(self) -> None:
        self.body: OutputsBody | None = None
        self._run = ""  # the run that `body` is of
        self._asking = self._failed = self._finished = self._announced = ""
        self._uncommitted = UncommittedOutputs()
        self._has_told = False
        self._delayed_ask = DelayedCall(self, PAUSE, self._ask)
        self._items = QStandardItemModel(self)
        self.list = OutputList(self.look, self._items)
        self.list.selectionModel().currentChanged.connect(
            lambda index, _before: self._show(index.row())
        )
        self.reader = Reader(self.look)
        self.tree = ValueTree(self.look, self._expand, "The value of the output")
        self.tree.ask_origin = lambda _node: self._ask_origin()
        self._views = QStackedWidget()
        # Horizontal, because at the bottom of the window there is no room below the
        # tree.
        self.tree_and_viewer = TreeAndViewer(
            self.tree, self.look, Qt.Orientation.Horizontal
        )
        self.tree_and_viewer.automatic = True
        self.tree_and_viewer.setStretchFactor(1, 2)
        for view in (self.reader, self.tree_and_viewer):
            self._views.addWidget(view)
        self._who = label("", "strong")
        self._what = ElidedLabel("", "secondary")
        self._note = label("", "secondary")
        self._formats = self._make_formats()
        self.copy_button = icon_button(
            self.look, "copy", "Copy (the whole text)", self.copy
        )
        self.origin_button = icon_button(
            self.look, "branch", QUESTION, self._ask_origin
        )
        self.save_button = icon_button(self.look, "save", "Save as a file…", self._save)
        self._build()
        self.session.viewed.connect(self._follow)
        self.session.changed.connect(self._follow)
        self.session.progressed.connect(self._follow_uncommitted)
        self.session.stopped_at.connect(self._on_stopped)

    # --- building

    def _make_formats(self) -> QWidget:
        box = QWidget()
        group = QButtonGroup(self)
        self.as_formatted = QPushButton("Formatted")
        self.as_plain = QPushButton("Plain")
        for choice, place in ((self.as_formatted, "first"), (self.as_plain, "last")):
            choice.setCheckable(True)
            choice.setProperty("segment", place)
            choice.setAccessibleName(f"Show the text {choice.text().lower()}")
            group.addButton(choice)
        self.as_formatted.setChecked(True)
        self.as_formatted.toggled.connect(self.reader.show_formatted)
        put(box, row(self.as_formatted, self.as_plain, gap=0))
        return box

    def _build(self) -> None:
        content = QWidget()
        right = QWidget()
        tools = (
            self._formats,
            self.origin_button,
            self.copy_button,
            self.save_button,
        )
        reading = column(right)
        put(reading, row(self._who, (self._what, 1), *tools, margins=(12, 4, 8, 4)))
        reading.addWidget(hairline())
        self._note.setContentsMargins(12, 4, 12, 4)
        self._note.setWordWrap(True)
        reading.addWidget(self._note)
        reading.addWidget(self._views, 1)
        self._edge = hairline()
        self._edge.setMaximumHeight(16_777_215)
        self._edge.setMinimumHeight(0)
        self._edge.setFixedWidth(1)
        put(content, row(self.list, self._edge, (right, 1), gap=0))
        self.stack = ContentOrNotice(content, self.look)
        column(self).addWidget(self.stack)

    # --- asking

    @property
    def _wanted(self) -> str:
        """The id of the viewed checkpoint."""
        moment = self.session.moment
        if moment is not None and moment.header is not None:
            return moment.header.id
        return ""

    def _follow(self) -> None:
        self._follow_uncommitted()
        checkpoint_id = self._wanted
        if not checkpoint_id:
            self.body = None
            self._tell_count()
        elif checkpoint_id not in (self._asking, self._failed, self._known):
            if not self.session.running:
                self._ask()
            elif not self._delayed_ask.isActive():
                self._delayed_ask.start()
        self.invalidate()
        self._announce()

    @property
    def _known(self) -> str:
        return (self.body.checkpoint_id or "") if self.body is not None else ""

    def _ask(self) -> None:
        """Ask the host, one question at a time; its reply asks again if another
        checkpoint is viewed by then.
        """
        moment = self.session.moment
        if self._asking or moment is None or moment.header is None:
            return
        self._asking = moment.header.id
        self.session.questions.outputs(
            moment.header.id,
            partial(self._on_reply, moment.header.id, moment.header.run_id),
        )

    def _on_reply(
        self, checkpoint_id: str, run_id: str, body: OutputsBody | None
    ) -> None:
        self._asking = ""
        self._failed = checkpoint_id if body is None else ""
        if not self._wanted:
            return  # no checkpoint is viewed any more
        if body is not None:
            self.body = body
            self._run = run_id
            self._tell_count()
        self._follow()

    def _tell_count(self) -> None:
        if self.body is not None:
            count = len(self.body.items) + self.body.left_out
        else:
            count = 0
        count += sum(
            item.state in ("kept", "coming") for item in self._uncommitted.items
        )
        self.badge_changed.emit(f"{count:,}" if count else "")

    @property
    def _own_body(self) -> OutputsBody | None:
        """The last answer of the host, if it is about the live run."""
        return self.body if self._run == self.session.run_id else None

    def _follow_uncommitted(self) -> None:
        """Follow the outputs that are in no checkpoint yet."""
        session = self.session
        if session.mode != "live":
            is_new = self._uncommitted.forget()
        else:
            progress = session.progress if session.running else None
            is_new = self._uncommitted.follow(
                session.run_id or "", progress, session.stopped, self._own_body
            )
        if is_new:
            self.invalidate()
            self._tell_count()
            is_telling = session.running and any(
                item.state == "told" for item in self._uncommitted.items
            )
            if is_telling and not self._has_told:
                self._has_told = True
                self.front_requested.emit()

    # --- coming to the front

    def _on_stopped(self) -> None:
        stopped = self.session.stopped
        self._has_told = False
        if stopped is not None and stopped.reason == "finished":
            self._finished = stopped.checkpoint_id or ""
        else:
            self._finished = ""
        self._announce()

    def _announce(self) -> None:
        is_end = self.session.mode == "live" and self._finished == self._known
        is_new = self._finished not in ("", self._announced)
        if is_end and is_new and self.body is not None and self.body.items:
            self._announced = self._finished
            self.front_requested.emit()

    # --- showing

    def refresh(self) -> None:
        moment = self.session.moment
        body = self.body
        if self._uncommitted.items:
            known = self._own_body or OutputsBody()
            self.stack.show_content()
            self._fill([*known.items, *self._uncommitted.items])
        elif moment is None:
            self.stack.say(self.icon, *(_RUNNING if self.session.running else NO_RUN))
        elif body is None or (
            moment.header is not None and moment.header.run_id != self._run
        ):
            failed = self._failed == self._wanted != ""
            self.stack.say(self.icon, *(_UNREADABLE if failed else _LOADING))
        elif not body.items:
            self.stack.say(self.icon, *self._nothing(body))
        else:
            self.stack.show_content()
            self._fill(list(body.items))

    def _nothing(self, body: OutputsBody) -> tuple[str, str]:
        if body.unreadable:
            return "Nothing that can be read", _damaged(body.unreadable)
        if self.session.mode == "past":
            moment = self.session.moment
            superstep = moment.superstep if moment is not None else 0
            text = f"Until superstep {superstep} no executor had yielded anything."
            return "No outputs yet", text
        stopped = self.session.stopped
        if stopped is None or self.session.running:
            return _YET
        return _NOTHING if stopped.reason in ("finished", "stalled") else _YET

    def _fill(self, items: list[OutputItem]) -> None:
        """Show the rows. The selection follows the newest output if the user was there,
        else it stays.
        """
        shown = [
            self._items.item(row_index).data(ITEM)
            for row_index in range(self._items.rowCount())
        ]
        row_index = self.list.currentIndex().row()
        chosen = _place(shown[row_index]) if 0 <= row_index < len(shown) - 1 else None
        if shown != items:
            self.list.selectionModel().blockSignals(True)
            self._items.clear()
            for item in items:
                self._items.appendRow(self._row(item))
            self.list.selectionModel().blockSignals(False)
        row_index = len(items) - 1
        places = [_place(item) for item in items]
        if chosen is not None and chosen in places:
            row_index = places.index(chosen)
        self.list.setVisible(len(items) > 1)
        self._edge.setVisible(len(items) > 1)
        self.list.setCurrentIndex(self._items.index(row_index, 0))
        self._show(row_index)

    def _row(self, item: OutputItem) -> QStandardItem:
        entry = QStandardItem(self._title(item))
        entry.setData(item, ITEM)
        entry.setData(_TAILS.get(item.state) or f"s{item.superstep}", TAIL)
        entry.setData(_preview(item), PREVIEW)
        entry.setData(item.state == "taken_back", STRUCK)
        entry.setData(
            f"{self._title(item)}, {self._facts(item)}",
            Qt.ItemDataRole.AccessibleTextRole,
        )
        entry.setEditable(False)
        return entry

    def _title(self, item: OutputItem) -> str:
        """Return the executor's title, with the sub-workflows that contain it."""
        if item.path:
            return " › ".join((*item.path, item.executor))
        return self.node_title(item.executor)

    def _facts(self, item: OutputItem) -> str:
        if item.text is not None:
            size = f"{len(item.text) + item.cut:,} characters"
        else:
            size = item.value.type
        match item.state:
            case "told":
                return f"being written · {size} so far"
            case "coming":
                return f"superstep {item.superstep} · not committed yet · {size}"
            case "taken_back":
                return f"taken back: {self._why(item)} · {size}"
        return f"superstep {item.superstep} · {size}"

    def _why(self, item: OutputItem) -> str:
        """Return why an output was taken back."""
        stopped = self.session.stopped
        if stopped is None:
            return "its handler failed"
        verb = "was stopped" if stopped.reason == "cancelled" else "failed"
        return f"superstep {item.superstep} {verb}"

    @property
    def item(self) -> OutputItem | None:
        """The selected output."""
        row_index = self.list.currentIndex().row()
        return self._items.item(row_index).data(ITEM) if row_index >= 0 else None

    def _show(self, row_index: int) -> None:
        if not 0 <= row_index < self._items.rowCount():
            return
        item: OutputItem = self._items.item(row_index).data(ITEM)
        self._who.setText(self._title(item))
        self._what.setText(self._facts(item))
        self._views.setCurrentWidget(
            self.tree_and_viewer if item.text is None else self.reader
        )
        if item.text is None:
            self.tree.show_root(_root(item))
            self._show_rows(item)
        else:
            self.reader.show_text(item.text, follow=item.state == "told")
        self._formats.setVisible(item.text is not None and self.reader.can_format)
        self.save_button.setVisible(item.text is not None)
        self.origin_button.setVisible(bool(item.checkpoint_id))
        note = self._notes(item)
        self._note.setText(note)
        self._note.setVisible(bool(note))

    def _show_rows(self, item: OutputItem) -> None:
        """Open a table by itself, unless the user has gone to another row."""
        if is_table(item.value) and not self.tree.currentIndex().isValid():
            self.tree.go_to((_WHOLE,))

    def _notes(self, item: OutputItem) -> str:
        body = self.body
        session = self.session
        parts = []
        if item.state != "kept":
            return _uncommitted_note(
                item, session.progress.left_out if session.progress is not None else 0
            )
        if session.mode == "past" and session.moment is not None:
            parts.append(f"As it was at superstep {session.moment.superstep}.")
        if item.cut:
            parts.append(
                f"This is the beginning of the text: {item.cut:,} more characters are not shown."
            )
        if body is not None and body.left_out:
            parts.append(
                f"{body.left_out:,} earlier outputs are not shown, the newest {len(body.items):,} are."
            )
        if body is not None and body.unreadable:
            parts.append(_damaged(body.unreadable))
        return " ".join(parts)

    # --- verbs

    def copy(self) -> None:
        """Copy the text, or the value as far as it was sent."""
        item = self.item
        if item is None:
            return
        if item.text is not None:
            copy_text(item.text)
        else:
            copy_text(_value_node(item).python_text())

    def _save(self) -> None:
        item = self.item
        if item is not None and item.text is not None:
            suffix = "md" if self.reader.can_format else "txt"
            executor = snake_case(item.executor, otherwise="output")
            name = f"{self.document.display_name}-{executor}.{suffix}"
            self.save_requested.emit(name, item.text)

    def _ask_origin(self) -> None:
        item = self.item
        if item is not None and item.checkpoint_id:
            self.session.explain(
                f"output:{item.index}",
                "this output",
                checkpoint_id=item.checkpoint_id,
                outermost=True,
            )

    def _expand(
        self, section: str, path: tuple[int, ...], offset: int, done: Done
    ) -> None:
        item = self.item
        if item is None:
            return
        if item.checkpoint_id:
            self.session.questions.expand(
                section,
                path,
                offset,
                done,
                checkpoint_id=item.checkpoint_id,
                outermost=True,
            )
        else:
            done(None)


_WHOLE = "value"  # the key of the row for the value itself
_TAILS = {"coming": "uncommitted", "told": "now", "taken_back": "taken back"}
_RUNNING = ("Running", "The first checkpoint of this run has not been reached yet.")
_LOADING = ("Reading the outputs…", "")
_UNREADABLE = (
    "The outputs cannot be read",
    "The message above the canvas says why.",
)
_YET = (
    "No outputs yet",
    "Outputs of executors appear here while the run goes on.",
)
_NOTHING = (
    "No outputs",
    (
        "Messages to an Output node appear here, and values that a function passes "
        "to ctx.yield_output."
    ),
)


def _damaged(count: int) -> str:
    which = "A checkpoint is" if count == 1 else f"{count:,} checkpoints are"
    return f"{which} damaged or removed: the outputs there are missing."


def _uncommitted_note(item: OutputItem, left_out: int) -> str:
    parts = []
    if item.state == "coming":
        parts.append(f"It counts when superstep {item.superstep} is done.")
    if item.cut and item.state == "told":
        parts.append(f"The end of it: {item.cut:,} characters came before.")
    elif item.cut:
        parts.append(
            f"The beginning of it: {item.cut:,} more characters can be read when the superstep is done."
        )
    if left_out:
        parts.append(f"{left_out:,} earlier outputs of this superstep are not shown.")
    return " ".join(parts)


def _place(item: OutputItem) -> tuple[str, int, str]:
    return item.checkpoint_id, item.index, item.executor


def _preview(item: OutputItem) -> str:
    if item.text is not None:
        return " ".join(item.text[:200].split())
    return f"{item.value.type} {item.value.text}"


def _value_node(item: OutputItem, key: str = "") -> Node:
    return Node(
        key, item.value, section=f"output:{item.index}", title="Value" if key else ""
    )


def _root(item: OutputItem) -> Node:
    """Return a tree of the parts of the value. A value without parts, and a table, have
    a row for the value itself.
    """
    if item.value.count and not is_table(item.value):
        return _value_node(item)
    root = Node("")
    root.add([_value_node(item, _WHOLE)])
    return root
