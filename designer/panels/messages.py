"""Messages: those queued for the next superstep and those that joins hold, grouped by
target.
"""

from __future__ import annotations

from designer.panels.base import left_out
from designer.panels.values.model import Node
from designer.panels.values.panel import ValuePanel
from runtime.debug.protocol import MessageMoment, Moment


class MessagesPanel(ValuePanel):
    title = "Messages"
    icon = "msgstep"
    sections = ("messages",)
    marks = False  # messages have no identity from one superstep to the next

    def build(self, moment: Moment) -> Node:
        groups: dict[str, list[tuple[int, MessageMoment]]] = {}
        for index, message in enumerate(moment.messages):
            groups.setdefault(message.target or message.note, []).append(
                (index, message)
            )
        root = Node("")
        root.add(self._group(target, messages) for target, messages in groups.items())
        if moment.messages_left_out:
            root.add(
                [Node("left out", title=left_out(moment.messages_left_out, "message"))]
            )
        return root

    def nothing(self, moment: Moment) -> tuple[str, str]:
        return (
            "No messages wait",
            f"Nothing is queued and no join holds anything at superstep {moment.superstep}.",
        )

    def _group(self, target: str, messages: list[tuple[int, MessageMoment]]) -> Node:
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
            self._message(ordinal, index, message)
            for ordinal, (index, message) in enumerate(messages)
        )
        return group

    def _message(self, ordinal: int, index: int, message: MessageMoment) -> Node:
        source = self.node_title(message.source) if message.source else "Input"
        tail = "held" if message.where == "buffered" else ""
        key = f"{message.source} {ordinal}"
        return Node(key, message.data, section=message.section, title=source, tail=tail)
