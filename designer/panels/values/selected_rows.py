"""The rows of Selected for a node or an edge group, as a tree. No widgets."""

from __future__ import annotations

from designer.panels.values.model import Node
from designer.panels.values.row_builder import FEW, MORE, RowBuilder, Rows, Title
from runtime.debug.protocol import EdgeBody, JoinMoment, NodeBody, Value


def node_rows(body: NodeBody, title: Title, *, at_work: bool = False) -> Rows:
    """Return the rows of a node: its calls, then coming messages, parameters, state,
    and its supersteps.

    With `at_work` the node runs in the present superstep, so there is no row "Did not
    run".
    """
    rows = RowBuilder(title)
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
    coming messages. If there are none, the messages of the last superstep with some.
    """
    rows = RowBuilder(title)
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
    last = body.before or body
    where = f"superstep {last.superstep}"
    rows.add_items(rows.root, "came", f"Came in {where}", last.carried, ways=True)
    rows.add_items(rows.root, "stopped", f"Stopped in {where}", last.stopped, ways=True)
    for number, released in enumerate(last.released, 1):
        name = f"Released, list {number} of {len(last.released)}"
        if len(last.released) == 1:
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
        rows.add_earlier_releases(join)
    if body.more:
        rows.put(rows.root, Node("more", title=MORE.format(count=body.more)))
    return rows.finished()
