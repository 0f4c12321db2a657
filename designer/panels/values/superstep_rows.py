"""The rows of a superstep as a whole, and of the next one: who ran with what, what was
dropped and why, who runs next. No widgets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from designer.panels.values.model import Node
from designer.panels.values.row_builder import MORE, RowBuilder, Rows, Title
from designer.panels.widgets.glyphs import STATE_WORDS
from runtime.debug.protocol import Call, Moment, NodeCalls, SuperstepBody
from runtime.values.words import counted, duration

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
# A body says more about these than the states of the nodes do.
_TOLD_BY_BODY = {"ran", "next", "queued"}


def superstep_rows(
    moment: Moment, title: Title, body: SuperstepBody | None = None
) -> Rows:
    """Return the rows of a superstep: its nodes by state, dropped messages, and outputs.
    With a body also what each node got and sent, and the next superstep.
    """
    rows = RowBuilder(title)
    if body is not None:
        _add_nodes(rows, "ran", "Ran", body.ran, rows.add_effects)
        rows.add_releases("fired", "Joins that fired", body.fired)
    _add_states(rows, moment, _TOLD_BY_BODY if body is not None else set())
    if body is not None:
        rows.add_dropped(body.stopped, body.superstep, "")
    else:
        _add_lost(rows, moment)
    if moment.outputs:
        heading = rows.heading("outputs", "Outputs", len(moment.outputs))
        for place, (source, value) in enumerate(moment.outputs):
            row = Node(f"{source} {place}", value, title=title(source))
            row.section = f"output:{place}"
            rows.put(heading, row)
    if body is not None:
        _add_next(rows, body, moment)
    return rows.finished()


def _add_states(rows: RowBuilder, moment: Moment, without: set[str]) -> None:
    groups: dict[str, list[tuple[str, str]]] = {}
    for node_id, node in moment.nodes.items():
        # A failure that was handed on happened in an earlier superstep.
        if node.state not in _HEADINGS or node.handed_on or node.state in without:
            continue
        detail = node.detail
        if node.state == "failed" and node.error:
            detail = node.error
        groups.setdefault(_HEADINGS[node.state], []).append((node_id, detail))
    for name in dict.fromkeys(_HEADINGS.values()):
        if name not in groups:
            continue
        heading = rows.heading(name, name, len(groups[name]))
        for node_id, detail in groups[name]:
            row = Node(node_id, title=rows.title(node_id), tail=detail)
            rows.put(heading, row)
            rows.elements[row.keys] = node_id


def _add_lost(rows: RowBuilder, moment: Moment) -> None:
    lost = [
        (edge, drop)
        for edge, carried in moment.edges.items()
        for drop in carried.dropped
        if drop.lost
    ]
    if not lost:
        return
    count = sum(drop.lost or 0 for _, drop in lost)
    heading = rows.heading("lost", "Messages that no node took", count)
    for number, (edge, drop) in enumerate(lost):
        name = f"{rows.title(drop.source)} → {rows.title(drop.target)}"
        row = Node(f"{edge} {number}", title=name, tail=drop.reason)
        rows.put(heading, row)
        rows.elements[row.keys] = edge


def _add_next(rows: RowBuilder, body: SuperstepBody, moment: Moment) -> None:
    """Add the preview of the next superstep."""
    number = body.superstep + 1
    runs = f"Superstep {number} runs"
    _add_nodes(rows, "next", runs, body.next, rows.add_received)
    rows.add_releases("fires", f"Joins that fire in superstep {number}", body.fires)
    holding = [join for join in moment.joins if join.edge in body.holds]
    if holding:
        name = f"Joins that wait on in superstep {number}"
        heading = rows.heading("holds", name, len(holding))
        for join in holding:
            title = f"Join into {rows.title(join.target)}"
            row = rows.put(heading, Node(join.edge, title=title))
            rows.elements[row.keys] = join.edge
    rows.add_dropped(body.refused, number, "will be")
    what = f"Decided by conditions in superstep {number}"
    rows.add_items(rows.root, "undecided", what, body.undecided)
    if body.more:
        rows.put(rows.root, Node("more", title=MORE.format(count=body.more)))


def _add_nodes(
    rows: RowBuilder,
    key: str,
    title: str,
    nodes: Sequence[NodeCalls],
    add_call: Callable[[Node, Call], None],
) -> None:
    """Add nodes, each with its calls."""
    if not nodes:
        return
    heading = rows.heading(key, title, len(nodes))
    for node in nodes:
        row = rows.put(heading, Node(node.node, title=rows.title(node.node)))
        row.tail = _calls_words(node)
        rows.elements[row.keys] = node.node
        for number, call in enumerate(node.calls, 1):
            parent = row
            if len(node.calls) > 1:
                name = f"Call {number} of {len(node.calls)}"
                parent = rows.put(row, Node(f"call {number}", title=name, open=True))
            add_call(parent, call)


def _calls_words(node: NodeCalls) -> str:
    facts = []
    if len(node.calls) > 1:
        facts.append(counted(len(node.calls), "call"))
    seconds = [call.seconds for call in node.calls if call.seconds is not None]
    if seconds:
        facts.append(duration(sum(seconds)))
    origins = [call.origin for call in node.calls if call.origin != "live"]
    facts.extend(dict.fromkeys(origins))
    errors = [call.error for call in node.calls if call.error]
    return " · ".join(filter(None, [*errors[:1], *facts]))
