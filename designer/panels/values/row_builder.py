"""Builds the rows of Selected and Messages: calls, messages with their fate, joins and
supersteps, as a tree. No widgets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from designer.panels.values.model import Node, shown_text
from runtime.debug.protocol import (
    Call,
    Item,
    JoinMoment,
    JoinRelease,
    NodeBody,
    Turn,
    Value,
)
from runtime.values.words import counted, duration

Keys = tuple[str, ...]
Title = Callable[[str], str]
FEW = 12  # a value with no more parts than this starts open
EXPLAINED = 3  # of no more dropped messages the reasons are open
TURNS = 200  # newest supersteps that are listed
_FACED = {"str", "list"}  # a viewer below the tree shows these
MORE = "{count:,} more are not shown"


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


class RowBuilder:
    """The builder of a `Rows`."""

    def __init__(self, title: Title) -> None:
        self.root = Node("")
        self.elements: dict[Keys, str] = {}
        self.checkpoints: dict[Keys, str] = {}
        self.title = title
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
        origin = call.origin if call.origin != "live" else ""
        facts = (origin, call.handler, duration(call.seconds or 0.0))
        tail = " · ".join(filter(None, facts))
        heading = self.put(self.root, Node(key, title=title, tail=tail, open=open))
        if call.error:
            failed = Node(
                "failed", Value(type="error", text=call.error), title="Failed"
            )
            failed.plain = call.error
            self.put(heading, failed)
        self.add_effects(heading, call, first=True)

    def add_effects(self, parent: Node, call: Call, *, first: bool = False) -> None:
        """Add what a call received and did."""
        self.add_items(parent, "received", "Received", call.received, first=first)
        self.add_items(parent, "sent", "Sent", call.sent, source=False)
        self.add_items(parent, "outputs", "Output", call.outputs)
        self.add_items(parent, "wrote", "Wrote", call.wrote)
        self.add_items(parent, "asked", "Asked", call.asked)
        if call.more:
            self.put(parent, Node("more", title=MORE.format(count=call.more)))

    def add_received(self, parent: Node, call: Call) -> None:
        """Add the messages that a call of the next superstep gets."""
        for index, item in enumerate(call.received or ()):
            self._item(parent, index, item, source=True)

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
            self.add_received(parent, call)

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
        explain = len(items) <= EXPLAINED
        for index, item in enumerate(items):
            row = self._item(
                heading, index, item, source=source and not ways, explain=explain
            )
            if first and self._first is None:
                self._first = row
                row.open = item.value.type not in _FACED and 0 < item.value.count <= FEW

    def add_dropped(self, items: Sequence[Item], superstep: int, verb: str) -> None:
        """Add the messages that edges did not take, those apart that no edge took."""
        lost = [item for item in items if item.lost is not False]
        taken = [item for item in items if item.lost is False]
        title = f"{verb} dropped in superstep {superstep}".strip().capitalize()
        self.add_items(self.root, f"{verb} dropped", title, lost, ways=True)
        title = f"{verb} stopped on an edge, taken by another".strip().capitalize()
        if taken:
            heading = self.heading(f"{verb} stopped", title, len(taken))
            heading.open = len(taken) <= EXPLAINED
            for index, item in enumerate(taken):
                self._item(heading, index, item, source=False)

    def _item(
        self,
        parent: Node,
        index: int,
        item: Item,
        *,
        source: bool,
        explain: bool = False,
    ) -> Node:
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
        if item.why:
            row.tail = item.note.partition(" · ")[0]
            row = _with_reasons(row, item, is_open=explain)
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
            return " → ".join(self.title(name) for name in item.name.split(" → "))
        names = ", ".join(self.title(name) for name in item.name.split(", ") if name)
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
                title = self.title(source.id)
                row = Node(source.id, title=title, tail=source.reason)
                self.put(heading, row)
                self.elements[row.keys] = source.id

    def add_releases(
        self, key: str, title: str, releases: Sequence[JoinRelease]
    ) -> None:
        """Add the joins that fire or fired, with the counts by source."""
        if not releases:
            return
        heading = self.heading(key, title, len(releases))
        for number, release in enumerate(releases):
            row = Node(f"{release.edge} {number}")
            row.title = f"Join into {self.title(release.target)}"
            row.tail = self.counts_words(release)
            self.put(heading, row)
            self.elements[row.keys] = release.edge

    def add_earlier_releases(self, join: JoinMoment) -> None:
        """Add when a join fired before; a click views the superstep."""
        if not join.releases:
            return
        heading = self.heading("fired before", "Fired before", len(join.releases))
        for release in join.releases:
            row = Node(f"{release.superstep}", title=f"Superstep {release.superstep}")
            row.tail = self.counts_words(release)
            self.put(heading, row)
            if release.checkpoint_id:
                self.checkpoints[row.keys] = release.checkpoint_id

    def counts_words(self, release: JoinRelease) -> str:
        """Return how many messages of each source a join released."""
        if release.counts and all(count == 1 for _, count in release.counts):
            return "one of each source"
        counts = [
            f"{count} from {self.title(source)}"
            for source, count in release.counts
            if count
        ]
        return ", ".join(counts)

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


def _with_reasons(row: Node, item: Item, *, is_open: bool) -> Node:
    """Return a row for a message that an edge did not take. It opens to the reasons,
    and to the message itself.
    """
    text = shown_text(item.value)
    line = item.value.model_copy(update={"children": None, "count": 0, "text": text})
    explained = Node(row.key, line, section=row.section, path=row.path, title=row.title)
    explained.tail = row.tail
    explained.open = is_open
    parents = [explained]
    for number, reason in enumerate(item.why):
        depth = min(reason.depth, len(parents) - 1)
        reason_row = Node(f"why {number}", title=reason.text)
        reason_row.tail = reason.value
        reason_row.holds = reason.holds
        parents[depth].add([reason_row])
        # Rows without parts are no headings.
        parents[depth].open = is_open or depth > 0
        parents[depth + 1 :] = [reason_row]
    if item.value.count:
        message = Node(
            "message",
            item.value,
            section=row.section,
            path=row.path,
            title="The message",
        )
        explained.add([message])
    return explained


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
