"""Where a file node may read and write: in the document's folder, unless a parameter
allows more.
"""

from __future__ import annotations

from pathlib import Path

from runtime.errors import NodeError


def resolve(folder: Path, text: str, allow_outside: bool, node_id: str) -> Path:
    """The path that a text names, relative to the folder. Links are followed before it
    is judged.

    Raise `NodeError` for an empty path, and for one that leads out of the folder.
    """
    if not text.strip() or "\0" in text:
        raise NodeError(f"{text!r} is not a path.", node_id)
    root = folder.resolve()
    try:
        path = (root / text).resolve()
    except (
        ValueError,
        RuntimeError,
        OSError,
    ) as error:  # no proper text, or links that lead round
        raise NodeError(f"{text!r} is not a path: {error}.", node_id) from error
    if not allow_outside and not path.is_relative_to(root):
        raise NodeError(
            f"'{text}' leads out of the document's folder. Choose a path inside it, or switch on 'Allow outside'.",
            node_id,
        )
    return path
