"""State: the shared state of the run at one moment, and the outputs of
that superstep.
"""

from __future__ import annotations

from designer.panels.base import left_out
from designer.panels.values.model import Node
from designer.panels.values.panel import ValuePanel
from runtime.debug.protocol import Moment


class StatePanel(ValuePanel):
    title = "State"
    icon = "data"
    sections = ("state",)

    def build(self, moment: Moment) -> Node:
        root = Node("")
        if moment.state.count:
            state = Node("state", moment.state, section="state", title="Shared state")
            state.open = True
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

    def nothing(self, moment: Moment) -> tuple[str, str]:
        return (
            "The shared state is empty",
            f"No executor has written to it by superstep {moment.superstep}.",
        )
