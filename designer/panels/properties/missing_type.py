"""The card for a node with an unknown type: which type is missing, how to get it, and
that nothing is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from difflib import get_close_matches
from functools import partial

from PySide6.QtCore import Signal

from designer.look.theme import Look
from designer.panels.properties.editor import Card
from designer.panels.widgets.basic import Glyph, button, label
from designer.qt.layouts import put, row
from runtime.document.definition import NodeDefinition

NODES_FOLDER = "nodes"  # the name that the runtime uses


class MissingType(Card):
    """`replaced` carries the known type that the user chose instead."""

    replaced = Signal(str)

    def __init__(
        self,
        look: Look,
        node: NodeDefinition,
        known: Collection[str],
        reload: Callable[[], object],
    ) -> None:
        super().__init__()
        title = label(f"The type '{node.type}' is missing", "strong", wrap=True)
        put(self.body, row(Glyph(look, "warn", "warn", 16), (title, 1), gap=8))
        for text in (_kept(node), _how(node.type)):
            self.body.addWidget(label(text, "secondary", wrap=True))
        self.tools = [button("Look again", reload, small=True)]
        self.tools[0].setToolTip(
            "Ask for the node types again, after a package or a file was added."
        )
        for other in get_close_matches(node.type, list(known), n=1, cutoff=0.7):
            replace = partial(self.replaced.emit, other)
            self.tools.append(button(f"Make it '{other}'", replace, small=True))
        put(self.body, row(*self.tools, None))

    def set_read_only(self, on: bool) -> None:
        for tool in self.tools[1:]:
            tool.setEnabled(not on)


def _kept(node: NodeDefinition) -> str:
    count = len(node.params)
    if not count:
        what = "it has no parameters"
    else:
        what = f"its {count} parameter{'s are' if count > 1 else ' is'} kept"
    return (
        f"The node stays in the workflow, and {what} as in the file. It cannot be run until the type is "
        "there; while it is bypassed (B) or disabled (D), the rest can."
    )


def _how(type_name: str) -> str:
    """Return how to get the type, judged by its name."""
    module, _, name = type_name.partition(":")
    if module.startswith(f"{NODES_FOLDER}."):
        path = f"{module.replace('.', '/')}.py"
        return (
            f"It is code of the workflow's folder: {path} must exist and have '{name}'. Write "
            "it there, or correct the error that the console shows, and look again."
        )
    return (
        "Types come from installed packages (entry point stepwell.nodes), and from modules in the folder 'nodes' "
        f"beside the workflow. Install the package that has '{type_name}', or put its module there. A newer Stepwell "
        "may have it."
    )
