"""May this node send to that one? The rule behind the rings on ports and the filter of
the quick add.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from designer.model.edits import Way
from designer.model.names import one_line
from runtime.document.definition import (
    FAILURE_TYPES,
    EdgeDefinition,
    NodeInfo,
    WorkflowDefinition,
)
from runtime.document.sub_workflows import info_of

_ANYTHING = ("Any", "object", "typing.Any")


def _alternatives(names: Sequence[str]) -> list[str]:
    return [part.strip() for name in names for part in name.split("|")]


def common_type(outputs: Sequence[str], inputs: Sequence[str]) -> bool:
    """Return whether one of the types that are sent fits one that is taken. `list` fits
    `list[str]` and back.
    """
    sent = _alternatives(outputs)
    taken = _alternatives(inputs)
    if any(name in _ANYTHING for name in (*sent, *taken)):
        return True
    return any(_fits(output, input_) for output in sent for input_ in taken)


def _fits(sent: str, taken: str) -> bool:
    if sent == taken:
        return True
    one_is_bare = ("[" in sent) != ("[" in taken)
    return (
        one_is_bare
        and sent.split("[", maxsplit=1)[0] == taken.split("[", maxsplit=1)[0]
    )


class Wiring:
    """The rule for one workflow and its catalogue. A node of an unknown type fits
    everything: we cannot know.
    """

    def __init__(
        self,
        workflow: WorkflowDefinition,
        infos: Mapping[str, NodeInfo],
        folder: Path | None = None,
    ) -> None:
        self._nodes = {node.id: node for node in workflow.nodes}
        self._infos = infos
        self._folder = folder

    def info(self, node: str) -> NodeInfo | None:
        if node in self._nodes:
            return info_of(self._nodes[node], self._infos, self._folder)
        return None

    def title(self, node: str) -> str:
        return one_line(self._nodes[node].title) if node in self._nodes else node

    def refusal(self, source: str, target: str, *, joined: bool = False) -> str:
        """Return why two nodes do not fit, in a sentence; empty when they do. `joined`:
        the target gets a list.
        """
        sends = self.info(source)
        takes = self.info(target)
        if sends is not None and not sends.outputs:
            return f"{self.title(source)} sends nothing"
        if takes is not None and not takes.inputs:
            return f"{self.title(target)} takes no messages: it only starts"
        if sends is None or takes is None:
            return ""
        outputs: Sequence[str] = ("list",) if joined else sends.outputs
        if common_type(outputs, takes.inputs):
            return ""
        return f"{self.title(target)} takes {', '.join(takes.inputs)}, not {', '.join(outputs)}"

    def refusal_of_failure(self, target: str) -> str:
        """Return why a node cannot get failures, in a sentence; empty when it can."""
        takes = self.info(target)
        if takes is None or common_type(FAILURE_TYPES, takes.inputs):
            return ""
        if not takes.inputs:
            return f"{self.title(target)} takes no messages: it only starts"
        return f"{self.title(target)} takes {', '.join(takes.inputs)}, and no failure"

    def fits_type(self, node: str, side: str, info: NodeInfo) -> bool:
        """Return whether a new node of this type may be wired to a port of `node`.

        The side "error" is where the failures of `node` leave.
        """
        if side == "error":
            return bool(info.inputs) and common_type(FAILURE_TYPES, info.inputs)
        other = self.info(node)
        if side == "out":
            outputs = other.outputs if other else ("Any",)
            inputs = info.inputs
        else:
            outputs = info.outputs
            inputs = other.inputs if other else ("Any",)
        return bool(outputs) and bool(inputs) and common_type(outputs, inputs)

    def splices_node(self, node: str, edge: EdgeDefinition, way: Way) -> bool:
        """Return whether an existing node may go into this wire of an edge."""
        # A join sends the list of what its sources sent, so the node that comes after
        # its bar takes a list.
        waits = edge.join is not None
        before_bar = waits and bool(way.source)
        after_bar = waits and not way.source
        refusals = [
            self.refusal(source, node, joined=after_bar)
            for source in _before(edge, way)
        ]
        refusals += [
            self.refusal(node, target, joined=before_bar)
            for target in _after(edge, way)
        ]
        return not any(refusals)

    def splices_type(
        self, info: NodeInfo | None, edge: EdgeDefinition, way: Way
    ) -> bool:
        """Return whether a new node of this type may go into this wire of an edge."""
        if info is None:
            return True
        takes = all(self.fits_type(node, "out", info) for node in _before(edge, way))
        return takes and all(
            self.fits_type(node, "in", info) for node in _after(edge, way)
        )

    def accepts_line(self, node: str, side: str) -> tuple[str, str, str]:
        """Return the line of the quick add in three parts: words, types, words."""
        title = self.title(node)
        if side == "error":
            return "Accepts", "failures", f"of {title}"
        info = self.info(node)
        types: tuple[str, ...] = ("Any",)
        if side == "out":
            types = info.outputs if info else types
            return "Accepts", ", ".join(types), f"from {title}"
        types = info.inputs if info else types
        return "Sends", ", ".join(types), f"to {title}"


def _before(edge: EdgeDefinition, way: Way) -> tuple[str, ...]:
    """Return what would send to a node in this wire."""
    return (way.source,) if way.source else edge.source_ids


def _after(edge: EdgeDefinition, way: Way) -> tuple[str, ...]:
    """Return what a node in this wire would send to."""
    return (way.target,) if way.target else edge.target_ids
