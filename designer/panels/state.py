"""State: the shared state of the run at one moment with the executors that wrote it and
breakpoints on its keys, and the outputs of that superstep.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QMenu

from designer.look.icons import themed_icon
from designer.panels.base import PanelHost, left_out
from designer.panels.values.key_breakpoints import KeyBreakpoints
from designer.panels.values.model import Node
from designer.panels.values.panel import ValuePanel
from designer.panels.values.patch_address import offer_copy
from runtime.debug.protocol import Moment, Writer


class StatePanel(ValuePanel):
    title = "State"
    icon = "data"
    sections = ("state",)
    selected_requested = Signal()
    copy_requested = Signal(object)  # Address

    def connect_to(self, host: PanelHost) -> None:
        self.selected_requested.connect(host.show_selected)
        self.keys.edit_requested.connect(host.edit_breakpoint)
        self.keys.watched.connect(host.show_watches)
        self.copy_requested.connect(host.edit_copy)

    def set_up(self) -> None:
        super().set_up()
        packaged = self.tree.offer
        self.tree.offer = partial(self._offer, packaged)
        self.keys = KeyBreakpoints(self.document, self.session, self.look, self.tree)
        self.document.breakpoints.changed.connect(self.invalidate)
        self.session.breakpoints_changed.connect(self.invalidate)
        self.tree.values.rowsInserted.connect(self._on_rows)

    def build(self, moment: Moment) -> Node:
        root = Node("")
        if moment.state.count:
            state = Node("state", moment.state, section="state", title="Shared state")
            state.open = True
            self._name_writers(state, moment)
            self.keys.describe(state)
            root.add([state])
        if moment.outputs:
            outputs = Node(
                "outputs",
                title="Outputs of this superstep",
                tail=str(len(moment.outputs)),
                open=True,
            )
            outputs.add(
                Node(
                    f"{source} {number}",
                    value,
                    section=f"output:{number}",
                    title=self.node_title(source),
                )
                for number, (source, value) in enumerate(moment.outputs)
            )
            if moment.outputs_left_out:
                words = left_out(moment.outputs_left_out, "output")
                outputs.add([Node("left out", title=words)])
            root.add([outputs])
        return root

    def _name_writers(self, state: Node, moment: Moment) -> None:
        """Put the writer beside each key that was sent."""
        writers = {writer.key: writer for writer in moment.writers}
        for child in state.children:
            if child.key in writers and not child.tail:
                child.tail = self._writer_words(writers[child.key])

    def _on_rows(self, parent: QModelIndex, _first: int, _last: int) -> None:
        node = self.tree.values.node(parent)
        moment = self.session.seen
        if node.section == "state" and not node.path and moment is not None:
            self._name_writers(node, moment)
            self.keys.describe(node)

    def _writer_words(self, writer: Writer) -> str:
        names = ", ".join(self.node_title(executor) for executor in writer.executors)
        return f"{names} · s{writer.superstep}"

    def _writer_of(self, node: Node) -> Writer | None:
        """Return who wrote the key of the state that a row is, or is a part of."""
        moment = self.session.seen
        if moment is None or node.section != "state" or not node.path:
            return None
        key = node.keys[1]
        return next((writer for writer in moment.writers if writer.key == key), None)

    def _offer(
        self, packaged: Callable[[QMenu, Node], object], menu: QMenu, node: Node
    ) -> None:
        writer = self._writer_of(node)
        if writer is not None:
            icon = themed_icon("target", self.look)
            menu.addAction(icon, "Go to writer", lambda: self._go_to(writer))
        self.keys.offer(menu, node)
        if not self.session.looks_only:
            moment = self.session.seen
            offer_copy(menu, node, moment, self.look, self.copy_requested)
        packaged(menu, node)

    def _go_to(self, writer: Writer) -> None:
        """View the superstep of a write, and select who wrote last in it."""
        self.session.view(writer.checkpoint_id)
        self.reveal(writer.executors[-1])
        self.selected_requested.emit()

    def nothing(self, moment: Moment) -> tuple[str, str]:
        return (
            "The shared state is empty",
            f"No executor has written to it by superstep {moment.superstep}.",
        )
