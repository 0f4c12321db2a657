"""The key of the shared state that a call of a `get_state` node read.

The record of a superstep has no reads. Of this node type they are certain: it reads
the key that its parameters name, as it was at the barrier before.
"""

from __future__ import annotations

from typing import Any

from runtime.debug.moments.moment import Snapshot
from runtime.expressions.template import Template

GET_STATE = "get_state"


def key_read(before: Snapshot, executor: str, message: Any) -> str | None:
    """Return the key that a call read; None where that is not known. `before` is the
    run at the barrier before.
    """
    node = before.drawn_node(executor)
    if node is None or node.type != GET_STATE:
        return None
    template = node.params.get("key")
    if not isinstance(template, str):
        return None
    try:
        key = Template(template).render(message)
    except (LookupError, ValueError):
        return None
    return key if key in before.state.shared else None
