"""Which icon a node shows: its own, else that of its type. Names come from files, so
only icons that exist count.
"""

from __future__ import annotations

from runtime.document.definition import NodeDefinition, NodeInfo

OTHERWISE = "box"
# What one may choose for a node: things and deeds, no arrows and marks of the window
# itself.
NODE_ICONS = (
    *("ask", "board", "box", "branch", "check", "clock", "code", "copy", "data", "doc"),
    *("eye", "filter", "flag", "gear", "globe", "graph", "info", "inp", "join", "list"),
    *(
        "live",
        "loop",
        "map",
        "model",
        "multi",
        "open",
        "pencil",
        "person",
        "rank",
        "save",
    ),
    *(
        "search",
        "steps",
        "sub",
        "table",
        "tag",
        "target",
        "term",
        "text",
        "timer",
        "warn",
    ),
)


def icon_of(node: NodeDefinition, info: NodeInfo | None) -> str:
    """Return the name of the icon to paint for a node."""
    if node.icon in NODE_ICONS:
        return node.icon
    return info.icon if info is not None else OTHERWISE
