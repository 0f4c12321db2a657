"""What nodes make of text that comes from outside: JSON, lines; and files that can be read to an end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from runtime.errors import NodeError


def from_json(text: str | bytes) -> Any:
    """The value of a JSON text. Raises `ValueError`, also for brackets inside one another without end."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def lines_of(text: str) -> list[str]:
    """The lines as editors count them. `str.splitlines` would also cut at form feeds and at separators of Unicode."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def require_end(path: Path, node_id: str) -> None:
    """Raises `NodeError` for a pipe or a device: reading it would wait for its writer, or never end."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise NodeError(f"{path} is a pipe or a device and no file. Choose a file.", node_id)
