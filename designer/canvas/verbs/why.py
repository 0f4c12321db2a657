"""Questions about what is drawn while a run is shown: where a node's message comes
from, and why a join waits.
"""

from __future__ import annotations

from functools import partial

from designer.canvas.base import Canvas
from runtime.debug.protocol import Item, NodeBody

JOINS = "Joins"  # the title of the panel


def explain_message(canvas: Canvas, node: str) -> None:
    """Ask where the message of a node comes from: the one that failed in it, else the
    first one that it got in the superstep, else the next one.
    """
    canvas.session.questions.node(node, partial(_on_node, canvas, node))


def show_ledger(canvas: Canvas, edge: str) -> None:
    """Show what a join holds, and why it waits."""
    canvas.select({edge})
    canvas.panel_requested.emit(JOINS)


def _on_node(canvas: Canvas, node: str, body: NodeBody | None) -> None:
    item = _message_of(body) if body is not None else None
    if item is None:
        drawn = canvas.scene().design.workflow.node(node)
        name = drawn.title if drawn is not None else node
        canvas.tell(f"{name} got no message here, and none waits for it.")
        return
    canvas.session.explain(
        item.section, "this message", checkpoint_id=item.checkpoint_id
    )


def _message_of(body: NodeBody) -> Item | None:
    calls = [*body.calls, *body.coming]
    if body.failure is not None and 0 <= body.failure.call < len(body.coming):
        calls.insert(0, body.coming[body.failure.call])
    received = [item for call in calls for item in call.received or ()]
    return next(iter([*received, *body.waiting]), None)
