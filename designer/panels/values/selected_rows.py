"""The rows of Selected: what a node, an edge group or a superstep has to tell, as a tree. No widgets."""

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
    Value,
)
from runtime.values.words import counted, duration

Keys = tuple[str, ...]
Title = Callable[[str], str]
FEW = 12  # parts of a value that are shown open
TURNS = 200  # supersteps of the run that are listed, the newest
_FACED = {"str", "list"}  # these have a face of their own below the tree
_MORE = "{count:,} more are not shown"


@dataclass
class Rows:
    """A tree, with what its rows lead to by their keys: nodes or edges, and checkpoints. `first` is what to look at."""

    root: Node
    elements: dict[Keys, str] = field(default_factory=dict)
    checkpoints: dict[Keys, str] = field(default_factory=dict)
    first: Keys = ()


def node_rows(body: NodeBody, title: Title, *, at_work: bool = False) -> Rows:
    """What came in and went out, call by call; then what is to come, what it is, and when it ran.

    One that is `at_work` in the superstep that runs now is not said to be silent.
    """
    rows = _Rows(title)
    if body.failure is not None:
        rows.add_failure(body)
    for number, call in enumerate(body.calls, 1):
        if len(body.calls) == 1:
            name = "This superstep"
        else:
            name = f"Call {number} of {len(body.calls)}"
        name += f", attempt {call.attempt}" if call.attempt > 1 or call.error else ""
        rows.add_call(
            f"call {number}", name, call, open=len(body.calls) <= 3 or number == 1
        )
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
        is_open = body.params.count < FEW
        rows.put(
            rows.root,
            Node(
                "params",
                body.params,
                section=f"params:{body.node}",
                title="Parameters",
                open=is_open,
            ),
        )
    if body.own is not None:
        rows.put(
            rows.root,
            Node(
                "own",
                body.own,
                section=f"own:{body.node}",
                title="Its own state",
                open=True,
            ),
        )
    rows.add_turns(body)
    return rows.finished()


def edge_rows(body: EdgeBody, join: JoinMoment | None, title: Title) -> Rows:
    """What decides, what came, what was stopped and why, what a join let out and holds, and what comes next."""
    rows = _Rows(title)
    if body.rules:
        rules = rows.heading("rules", "Conditions", len(body.rules))
        for number, (target, text) in enumerate(body.rules):
            value = Value(type="CEL", text=text) if text and text != "default" else None
            tail = "default" if text == "default" else "" if text else "always"
            row = rows.put(
                rules,
                Node(f"rule {number}", value, title=f"→ {title(target)}", tail=tail),
            )
            rows.elements[row.keys] = target
    where = f"superstep {body.superstep}"
    rows.add_items(rows.root, "came", f"Came in {where}", body.carried, ways=True)
    rows.add_items(rows.root, "stopped", f"Stopped in {where}", body.stopped, ways=True)
    for number, released in enumerate(body.released, 1):
        if len(body.released) == 1:
            name = "Let out as one list"
        else:
            name = f"Let out, list {number} of {len(body.released)}"
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
    """Who ran, who is next, who waits and asks, what was put out, and what was lost."""
    rows = _Rows(title)
    groups: dict[str, list[tuple[str, str]]] = {}
    for node_id, node in moment.nodes.items():
        # a failure of before is none of this superstep
        if node.state in _HEADINGS and not node.handed_on:
            if node.state == "failed" and node.error:
                detail = node.error
            else:
                detail = node.detail
            groups.setdefault(_HEADINGS[node.state], []).append((node_id, detail))
    for name in dict.fromkeys(_HEADINGS.values()):
        if name not in groups:
            continue
        heading = rows.heading(name, name, len(groups[name]))
        for node_id, detail in groups[name]:
            row = rows.put(heading, Node(node_id, title=title(node_id), tail=detail))
            rows.elements[row.keys] = node_id
    lost_drops = [
        (edge, drop)
        for edge, carried in moment.edges.items()
        for drop in carried.dropped
        if drop.lost
    ]
    if lost_drops:
        heading = rows.heading(
            "lost",
            "Messages that no node took",
            sum(drop.lost or 0 for _, drop in lost_drops),
        )
        for number, (edge, drop) in enumerate(lost_drops):
            name = f"{title(drop.source)} → {title(drop.target)}"
            row = rows.put(
                heading, Node(f"{edge} {number}", title=name, tail=drop.reason)
            )
            rows.elements[row.keys] = edge
    if moment.outputs:
        heading = rows.heading("outputs", "Outputs", len(moment.outputs))
        for place, (source, value) in enumerate(moment.outputs):
            rows.put(
                heading,
                Node(
                    f"{source} {place}",
                    value,
                    section=f"output:{place}",
                    title=title(source),
                ),
            )
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
    """A tree in the making."""

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
        tail = " · ".join(
            part for part in (call.handler, duration(call.seconds or 0.0)) if part
        )
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
        """It did not run; a click leads to where it did."""
        runs_before = next(
            (
                index
                for index, turn in enumerate(body.turns)
                if turn.superstep > body.superstep
            ),
            len(body.turns),
        )
        row = self.put(
            self.root,
            Node("silence", title=f"Did not run in superstep {body.superstep}"),
        )
        if runs_before:
            last = body.turns[runs_before - 1]
            row.tail = f"last in superstep {last.superstep}"
            self.checkpoints[row.keys] = last.checkpoint_id

    def add_coming(self, body: NodeBody) -> None:
        if not body.coming:
            return
        heading = self.heading(
            "coming", f"Gets in superstep {body.superstep + 1}", len(body.coming)
        )
        for number, call in enumerate(body.coming, 1):
            name = f"Call {number} of {len(body.coming)}"
            if len(body.coming) == 1:
                parent = heading
            else:
                parent = self.put(
                    heading, Node(f"call {number}", title=name, open=True)
                )
            for number_of_item, item in enumerate(call.received or ()):
                self._item(parent, number_of_item, item, source=True)

    def add_failure(self, body: NodeBody) -> None:
        """What failed, with the message that it had; the other calls of that superstep come after it."""
        failure = body.failure
        assert failure is not None  # noqa: S101 - asked by the caller
        heading = self.heading("failure", f"Failed in superstep {body.superstep + 1}")
        heading.tail = failure.handler
        if 0 <= failure.call < len(body.coming):
            self.add_items(
                heading,
                "received",
                "Had",
                body.coming[failure.call].received,
                first=True,
            )
        if failure.traceback:
            trace = Node("traceback", title="Traceback", tail=failure.error_type)
            trace.plain = failure.traceback
            self.put(heading, trace)
        others = [
            call for number, call in enumerate(body.coming) if number != failure.call
        ]
        items = [item for call in others for item in call.received or ()]
        self.add_items(heading, "others", "Its other messages of that superstep", items)

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
        """A heading with a row for each; none for none. What is not known is said in its place."""
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
        if item.checkpoint_id:
            section = f"{item.section}@{item.checkpoint_id}"
        else:
            section = item.section
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
            return " · ".join(
                part for part in (f"was {_short(item.old)}", item.note) if part
            )
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
        """For whom a join waits, and why."""
        if not join.missing or not (join.held or not join.fired):
            return
        heading = self.heading("missing", "Waits for", len(join.missing))
        for source in join.sources:
            if source.id in join.missing:
                row = self.put(
                    heading,
                    Node(source.id, title=self._title(source.id), tail=source.reason),
                )
                self.elements[row.keys] = source.id

    # --- the run

    def add_turns(self, body: NodeBody) -> None:
        """The supersteps in which it ran, the newest first."""
        if not body.turns:
            return
        heading = self.heading("turns", "Ran in", None, open=len(body.turns) <= 30)
        heading.tail = counted(len(body.turns), "superstep") + (
            "" if body.complete else ", earlier ones are not read yet"
        )
        for turn in list(reversed(body.turns))[:TURNS]:
            is_this_one = turn.checkpoint_id == body.checkpoint_id
            did = (
                counted(turn.calls, "call") if turn.calls > 1 else "",
                f"{turn.sent} sent" if turn.sent else "",
                f"{turn.outputs} output" if turn.outputs else "",
                f"wrote {', '.join(turn.wrote)}" if turn.wrote else "",
                f"{turn.asked} asked" if turn.asked else "",
                duration(turn.seconds),
            )
            title = f"Superstep {turn.superstep}{', this one' if is_this_one else ''}"
            row = self.put(
                heading,
                Node(
                    turn.checkpoint_id,
                    title=title,
                    tail=" · ".join(part for part in did if part),
                ),
            )
            if not is_this_one:
                self.checkpoints[row.keys] = turn.checkpoint_id


def _short(value: Value) -> str:
    return value.text if len(value.text) <= 30 else f"{value.text[:29]}…"
