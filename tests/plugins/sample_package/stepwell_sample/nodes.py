"""A node type: runs use it without a window."""

from runtime.nodes import node_type


@node_type(title="Shout", icon="text")
def shout(text: str, times: int = 1) -> str:
    """Says it aloud."""
    return text.upper() + "!" * times
