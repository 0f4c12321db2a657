"""The rows of Selected: the facts of a node, an edge group or a superstep as a tree. No
widgets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from designer.panels.values.model import Node
from designer.panels.widgets.glyphs import STATE_WORDS
from runtime.debug.protocol import (
    Call,
    EdgeBody,
    Item,
    JoinMoment,
    Moment,
    NodeBody,
    Turn,
    Value,
)
from runtime.values.words import counted, duration

Keys = tuple[str, ...]
Title = Callable[[str], str]
FEW = 12  # a value with no more parts than this starts open
TURNS = 200  # newest supersteps that are listed
_FACED = {"str", "list"}  # a viewer below the tree shows these
_MORE = "{count:,} more are not shown"


@dataclass
class Rows:
    """A tree, and the targets of its rows by their keys: nodes or edges, and
    checkpoints.

    `first` is the row to select first.
    """

    root: Node
    elements: dict[Keys, str] = field(default_factory=dict)
    checkpoints: dict[Keys, str] = field(default_factory=dict)
    first: Keys = ()


def node_rows(body: NodeBody, title: Title, *, at_work: bool = False) -> Rows:
    """Return the rows of a node: its calls, then coming messages, parameters, state,
    and its supersteps.

    With `at_work` the node runs in the present superstep, so there is no row "Did not
    run".
    """
    rows = _Rows(title)
    if body.failure is not None:
        rows.add_failure(body)
    for number, call in enumerate(body.calls, 1):
        name = f"Call {number} of {len(body.calls)}"
        if len(body.calls) == 1:
            name = "This superstep"
        if call.attempt > 1 or call.error:
            name += f", attempt {call.attempt}"
        is_open = len(body.calls) <= 3 or number == 1
        rows.add_call(f"call {number}", name, call, open=is_open)
    if not (body.calls or at_work) and body.superstep and body.failure is None:
        rows.add_silence(body)
    rows.add_items(
        rows.root, "up", "Handed up by its sub-workflow", body.handed_up, source=False
    )
    rows.add_items(rows.root, "stopped", "Not delivered to it", body.stopped)
    rows.add_items(rows.root, "asks", "Open questions", body.questions)
    if body.failure is None:
        rows.add_coming(body)
    rows.add_items(rows.root, "waits", "Waits for it", body.waiting)
    if body.params is not None:
        section = f"params:{body.node}"
        row = Node("params", body.params, section=section, title="Parameters")
        row.open = body.params.count < FEW
        rows.put(rows.root, row)
    if body.own is not None:
        section = f"own:{body.node}"
        row = Node("own", body.own, section=section, title="Its own state", open=True)
        rows.put(rows.root, row)
    rows.add_turns(body)
    return rows.finished()


def edge_rows(body: EdgeBody, join: JoinMoment | None, title: Title) -> Rows:
    """Return the rows of an edge group: conditions, messages, released and held lists,
    coming messages.
    """
    rows = _Rows(title)
    if body.rules:
        rules = rows.heading("rules", "Conditions", len(body.rules))
        for number, (target, text) in enumerate(body.rules):
            value = None
            tail = ""
            if text == "default":
                tail = "default"
            elif not text:
                tail = "always"
            else:
                value = Value(type="CEL", text=text)
            rule = Node(f"rule {number}", value, title=f"→ {title(target)}", tail=tail)
            rows.put(rules, rule)
            rows.elements[rule.keys] = target
    where = f"superstep {body.superstep}"
    rows.add_items(rows.root, "came", f"Came in {where}", body.carried, ways=True)
    rows.add_items(rows.root, "stopped", f"Stopped in {where}", body.stopped, ways=True)
    for number, released in enumerate(body.released, 1):
        name = f"Released, list {number} of {len(body.released)}"
        if len(body.released) == 1:
            name = "Released as one list"
        rows.add_items(rows.root, f"released {number}", name, released)
    rows.add_items(rows.root, "held", "Held", body.held)
    following = f"superstep {body.superstep + 1}"
    rows.add_items(
        rows.root, "queued", f"Arrives in {following}", body.queued, ways=True
    )
    rows.add_items(
        rows.root, "refused", f"Stopped in {following}", body.refused, ways=True
    )
    if join is not None:
        rows.add_missing(join)
    if body.more:
        rows.put(rows.root, Node("more", title=_MORE.format(count=body.more)))
    return rows.finished()


def superstep_rows(moment: Moment, title: Title) -> Rows:
    """Return the rows of a superstep: its nodes by state, lost messages, and outputs."""
    rows = _Rows(title)
    groups: dict[str, list[tuple[str, str]]] = {}
    for node_id, node in moment.nodes.items():
        # A failure that was handed on happened in an earlier superstep.
        if node.state in _HEADINGS and not node.handed_on:
            detail = node.detail
            if node.state == "failed" and node.error:
                detail = node.error
            groups.setdefault(_HEADINGS[node.state], []).append((node_id, detail))
    for name in dict.fromkeys(_HEADINGS.values()):
        if name not in groups:
            continue
        heading = rows.heading(name, name, len(groups[name]))
        for node_id, detail in groups[name]:
            row = rows.put(heading, Node(node_id, title=title(node_id), tail=detail))
            rows.elements[row.keys] = node_id
    lost = [
        (edge, drop)
        for edge, carried in moment.edges.items()
        for drop in carried.dropped
        if drop.lost
    ]
    if lost:
        count = sum(drop.lost or 0 for _, drop in lost)
        heading = rows.heading("lost", "Messages that no node took", count)
        for number, (edge, drop) in enumerate(lost):
            name = f"{title(drop.source)} → {title(drop.target)}"
            row = Node(f"{edge} {number}", title=name, tail=drop.reason)
            rows.put(heading, row)
            rows.elements[row.keys] = edge
    if moment.outputs:
        heading = rows.heading("outputs", "Outputs", len(moment.outputs))
        for place, (source, value) in enumerate(moment.outputs):
            row = Node(f"{source} {place}", value, title=title(source))
            row.section = f"output:{place}"
            rows.put(heading, row)
    return rows.finished()


_HEADINGS = {
    "failed": "Failed",
    "cancelled": "Cancelled with it",
    "running": "Running",
    "ran": "Ran",
    "asking": "Waits for an answer",
    "waiting": "Waits for more messages",
    "stalled": "Stalled",
    "next": "Runs next",
    "queued": "Queued",
}
assert _HEADINGS.keys() <= STATE_WORDS.keys()  # noqa: S101 - a table of ours


class _Rows:
    """The builder of a `Rows`."""

    def __init__(self, title: Title) -> None:
        self.root = Node("")
        self.elements: dict[Keys, str] = {}
        self.checkpoints: dict[Keys, str] = {}
        self._title = title
        self._first: Node | None = None

    def finished(self) -> Rows:
        first = self._first.keys if self._first is not None else ()
        return Rows(self.root, self.elements, self.checkpoints, first)

    def put(self, parent: Node, node: Node) -> Node:
        parent.add([node])
        return node

    def heading(
        self, key: str, title: str, number: int | None = None, *, open: bool = True
    ) -> Node:
        tail = f"{number:,}" if number is not None else ""
        return self.put(self.root, Node(key, title=title, tail=tail, open=open))

    # --- calls

    def add_call(self, key: str, title: str, call: Call, *, open: bool) -> None:
        facts = (call.handler, duration(call.seconds or 0.0))
        tail = " · ".join(filter(None, facts))
        heading = self.put(self.root, Node(key, title=title, tail=tail, open=open))
        if call.error:
            failed = Node(
                "failed", Value(type="error", text=call.error), title="Failed"
            )
            failed.plain = call.error
            self.put(heading, failed)
        self.add_items(heading, "received", "Received", call.received, first=True)
        self.add_items(heading, "sent", "Sent", call.sent, source=False)
        self.add_items(heading, "outputs", "Output", call.outputs)
        self.add_items(heading, "wrote", "Wrote", call.wrote)
        self.add_items(heading, "asked", "Asked", call.asked)
        if call.more:
            self.put(heading, Node("more", title=_MORE.format(count=call.more)))

    def add_silence(self, body: NodeBody) -> None:
        """Add the row of a node that did not run; a click leads to its
        last superstep.
        """
        row = Node("silence", title=f"Did not run in superstep {body.superstep}")
        self.put(self.root, row)
        last = None
        for turn in body.turns:
            if turn.superstep > body.superstep:
                break
            last = turn
        if last is not None:
            row.tail = f"last in superstep {last.superstep}"
            self.checkpoints[row.keys] = last.checkpoint_id

    def add_coming(self, body: NodeBody) -> None:
        if not body.coming:
            return
        count = len(body.coming)
        heading = self.heading(
            "coming", f"Gets in superstep {body.superstep + 1}", count
        )
        for number, call in enumerate(body.coming, 1):
            parent = heading
            if count > 1:
                name = f"Call {number} of {count}"
                parent = Node(f"call {number}", title=name, open=True)
                self.put(heading, parent)
            for index, item in enumerate(call.received or ()):
                self._item(parent, index, item, source=True)

    def add_failure(self, body: NodeBody) -> None:
        """Add the failure, with the message that failed; the other messages of that
        superstep follow.
        """
        failure = body.failure
        assert failure is not None  # noqa: S101 - asked by the caller
        heading = self.heading("failure", f"Failed in superstep {body.superstep + 1}")
        heading.tail = failure.handler
        if 0 <= failure.call < len(body.coming):
            received = body.coming[failure.call].received
            self.add_items(heading, "received", "Received", received, first=True)
        if failure.traceback:
            trace = Node("traceback", title="Traceback", tail=failure.error_type)
            trace.plain = failure.traceback
            self.put(heading, trace)
        others: list[Item] = []
        for number, call in enumerate(body.coming):
            if number != failure.call:
                others += call.received or ()
        self.add_items(
            heading, "others", "Its other messages of that superstep", others
        )

    # --- items

    def add_items(
        self,
        parent: Node,
        key: str,
        title: str,
        items: Sequence[Item] | None,
        *,
        source: bool = True,
        ways: bool = False,
        first: bool = False,
    ) -> None:
        """Add a heading with a row per item, or nothing for no items. None means "not
        recorded".
        """
        if items is None:
            self.put(parent, Node(key, title=title, tail="not recorded"))
            return
        if not items:
            return
        heading = self.put(
            parent, Node(key, title=title, tail=f"{len(items):,}", open=True)
        )
        for index, item in enumerate(items):
            row = self._item(heading, index, item, source=source and not ways)
            if first and self._first is None:
                self._first = row
                row.open = item.value.type not in _FACED and 0 < item.value.count <= FEW

    def _item(self, parent: Node, index: int, item: Item, *, source: bool) -> Node:
        section = item.section
        if item.checkpoint_id:
            section = f"{section}@{item.checkpoint_id}"
        row = Node(
            f"{index}",
            item.value,
            section=section,
            path=item.path,
            title=self._name(item, source=source),
        )
        row.tail = self._tail(item)
        self.put(parent, row)
        element = self._leads_to(item)
        if element:
            self.elements[row.keys] = element
        return row

    def _name(self, item: Item, *, source: bool) -> str:
        match item.kind:
            case "input":
                return "Input of the run"
            case "answer":
                return "Answer"
            case "output":
                return "Output"
            case "question":
                return "Question"
            case "state":
                return item.name
        if " → " in item.name:
            return " → ".join(self._title(name) for name in item.name.split(" → "))
        names = ", ".join(self._title(name) for name in item.name.split(", ") if name)
        if source:
            return f"from {names}"
        if names:
            return f"→ {names}"
        if item.note.startswith("dropped"):
            return "→ no node"
        return "→ …"

    def _tail(self, item: Item) -> str:
        if item.kind == "state" and item.old is not None:
            was = f"was {_short(item.old)}"
            return f"{was} · {item.note}" if item.note else was
        if item.kind == "state" and not item.note:
            return "new"
        return item.note

    def _leads_to(self, item: Item) -> str:
        if item.kind != "message":
            return ""
        if item.edges and " → " in item.name:
            return item.edges[0]
        return item.name.split(", ")[0]

    def add_missing(self, join: JoinMoment) -> None:
        """Add the sources that a join waits for, with the reasons."""
        if not join.missing or not (join.held or not join.fired):
            return
        heading = self.heading("missing", "Waits for", len(join.missing))
        for source in join.sources:
            if source.id in join.missing:
                title = self._title(source.id)
                row = Node(source.id, title=title, tail=source.reason)
                self.put(heading, row)
                self.elements[row.keys] = source.id

    # --- the run

    def add_turns(self, body: NodeBody) -> None:
        """Add the supersteps in which the node ran, the newest first."""
        if not body.turns:
            return
        heading = self.heading("turns", "Ran in", None, open=len(body.turns) <= 30)
        heading.tail = counted(len(body.turns), "superstep")
        if not body.complete:
            heading.tail += ", earlier ones are not read yet"
        for turn in list(reversed(body.turns))[:TURNS]:
            row = Node(turn.checkpoint_id, title=f"Superstep {turn.superstep}")
            row.tail = _turn_facts(turn)
            self.put(heading, row)
            if turn.checkpoint_id == body.checkpoint_id:
                row.title += ", this one"
            else:
                self.checkpoints[row.keys] = turn.checkpoint_id


def _turn_facts(turn: Turn) -> str:
    facts = []
    if turn.calls > 1:
        facts.append(counted(turn.calls, "call"))
    if turn.sent:
        facts.append(f"{turn.sent} sent")
    if turn.outputs:
        facts.append(f"{turn.outputs} output")
    if turn.wrote:
        facts.append(f"wrote {', '.join(turn.wrote)}")
    if turn.asked:
        facts.append(f"{turn.asked} asked")
    facts.append(duration(turn.seconds))
    return " · ".join(filter(None, facts))


def _short(value: Value) -> str:
    return value.text if len(value.text) <= 30 else f"{value.text[:29]}…"
