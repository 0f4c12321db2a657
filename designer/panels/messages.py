"""Messages: those queued for the next superstep and those that joins hold, grouped by
target, with their age; and those that edges did not take, with the reasons. While the
run stands inside a superstep, its deliveries.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu

from designer.panels.base import PanelHost, left_out
from designer.panels.values.deliveries import NOTE, delivery_rows
from designer.panels.values.model import Node
from designer.panels.values.panel import ValuePanel
from designer.panels.values.patch_address import offer_copy
from designer.panels.values.row_builder import Keys, RowBuilder
from designer.panels.values.superstep_question import SuperstepQuestion
from runtime.debug.protocol import MessageMoment, Moment, SuperstepBody
from runtime.values.words import counted


class MessagesPanel(ValuePanel):
    title = "Messages"
    icon = "msgstep"
    sections = ("messages",)
    copy_requested = Signal(object)  # Address
    marks = False  # messages have no identity from one superstep to the next

    def connect_to(self, host: PanelHost) -> None:
        self.copy_requested.connect(host.edit_copy)

    def set_up(self) -> None:
        super().set_up()
        packaged = self.tree.offer
        self.tree.offer = partial(self._offer, packaged)
        self._elements: dict[Keys, str] = {}
        self._superstep = SuperstepQuestion(self.session, self)
        self._superstep.answered.connect(self.invalidate)
        self.tree.doubleClicked.connect(
            lambda index: self._on_double_click(self.tree.values.node(index))
        )

    def build(self, moment: Moment) -> Node:
        groups: dict[str, list[tuple[int, MessageMoment]]] = {}
        standing = self.session.standing
        for index, message in enumerate(moment.messages):
            if standing is not None and message.where == "queued":
                continue  # because it is a delivery of the superstep by now
            groups.setdefault(message.target or message.note, []).append(
                (index, message)
            )
        root = Node("")
        if standing is not None:
            root.add(delivery_rows(standing, self.node_title))
        root.add(
            self._group(target, messages, moment.superstep)
            for target, messages in groups.items()
        )
        if moment.messages_left_out:
            root.add(
                [Node("left out", title=left_out(moment.messages_left_out, "message"))]
            )
        body = self._superstep.body()
        self._elements = {}
        if body is not None:
            self._add_dropped(root, body)
        return root

    def _compare(self, moment: Moment, root: Node) -> None:
        super()._compare(moment, root)
        if self.session.standing is not None:
            self._since = NOTE

    def _add_dropped(self, root: Node, body: SuperstepBody) -> None:
        """Add the messages that edges did not take, those first that nothing took."""
        rows = RowBuilder(self.node_title)
        rows.add_dropped(body.stopped, body.superstep, "")
        rows.add_dropped(body.refused, body.superstep + 1, "will be")
        root.add(rows.root.children)
        self._elements = rows.elements

    def _offer(
        self, packaged: Callable[[QMenu, Node], object], menu: QMenu, node: Node
    ) -> None:
        if not self.session.looks_only:
            moment = self.session.seen
            offer_copy(menu, node, moment, self.look, self.copy_requested)
        packaged(menu, node)

    def _on_double_click(self, node: Node) -> None:
        element = self._elements.get(node.keys)
        if element:
            self.reveal(element)

    def nothing(self, moment: Moment) -> tuple[str, str]:
        return (
            "No messages wait",
            f"Nothing is queued and no join holds anything at superstep {moment.superstep}.",
        )

    def _group(
        self,
        target: str,
        messages: list[tuple[int, MessageMoment]],
        superstep: int,
    ) -> Node:
        """Return the messages of a target, or those without one, under the reason."""
        queued = sum(1 for _, message in messages if message.where == "queued")
        held = len(messages) - queued
        counts = []
        if queued:
            counts.append(f"{queued} queued")
        if held:
            counts.append(f"{held} held")
        has_target = bool(messages[0][1].target)
        if has_target:
            name = f"→ {self.node_title(target)}"
        else:
            name = f"→ {target or 'decided when it is routed'}"
        group = Node(target, title=name, tail=" · ".join(counts), open=True)
        group.add(
            self._message(ordinal, message, superstep)
            for ordinal, (_, message) in enumerate(messages)
        )
        return group

    def _message(self, ordinal: int, message: MessageMoment, superstep: int) -> Node:
        source = self.node_title(message.source) if message.source else "Input"
        key = f"{message.source} {ordinal}"
        tail = _age(message, superstep)
        return Node(key, message.data, section=message.section, title=source, tail=tail)


def _age(message: MessageMoment, superstep: int) -> str:
    """Return since when a message waits, as far as that is known."""
    held = "held" if message.where == "buffered" else ""
    if message.since is None:
        return held
    age = superstep - message.since
    since = f"since s{message.since}" if held else f"s{message.since}"
    waits = counted(age, "superstep") if age > 0 else ""
    return " · ".join(filter(None, (f"{held} {since}".strip(), waits)))
