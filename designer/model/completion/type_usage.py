"""Which node types a person uses: what was used last and often comes first. Saved in
the user's data folder.
"""

from __future__ import annotations

import math
from pathlib import Path

from runtime.document.files import write_bytes
from runtime.system import user_folders
from runtime.system.bounded_files import MEGABYTE, from_json, read_bytes
from runtime.values.json_bytes import json_bytes

FILE = "node-types.json"
LARGEST = MEGABYTE
FADING = 0.9  # the weight of a use after the next one


def often() -> tuple[str, ...]:
    """Return the types that were used, the one with most weight first."""
    weights = _read(user_folders.data_dir() / FILE)
    return tuple(sorted(weights, key=lambda name: (-weights[name], name)))


def used(type: str) -> None:
    """Remember that a node of this type was made. Where that cannot be saved the order
    stays, and the node is made.
    """
    try:
        file = user_folders.data_dir() / FILE
        weights = {
            name: weight * FADING
            for name, weight in _read(file).items()
            if weight > 0.001
        }
        weights[type] = weights.get(type, 0.0) + 1
        write_bytes(file, json_bytes(weights))
    except OSError:
        return


def _read(file: Path) -> dict[str, float]:
    """Return the saved weights; nothing where there are none, or they cannot be read."""
    try:
        raw = from_json(read_bytes(file, LARGEST))
    except (OSError, ValueError):
        return {}
    weights = raw.items() if isinstance(raw, dict) else ()
    return {name: float(weight) for name, weight in weights if _is_weight(weight)}


def _is_weight(value: object) -> bool:
    return isinstance(value, float | int) and abs(value) < 1e9 and math.isfinite(value)
