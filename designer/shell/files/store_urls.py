"""The URL of a store, from what a person typed or chose."""

from __future__ import annotations

from pathlib import Path

SCHEMES = ("sqlite:", "dir:", "postgresql:", "postgres:")


def store_of(text: str) -> str:
    """The URL of what was typed or chosen: an address as it is, a folder as `dir:`, anything else as `sqlite:`."""
    text = text.strip()
    if text.startswith(SCHEMES):
        return text
    return f"dir:{text}" if Path(text).is_dir() else f"sqlite:{text}"


def why_no_store(text: str) -> str:
    """Why there is nothing to open; "" if there may be."""
    if not text.strip():
        return "Choose a file or a folder, or write the address of a database."
    scheme, _, place = store_of(text).partition(":")
    if scheme == "sqlite" and not Path(place).is_file():
        return f"There is no file {place}."
    if scheme == "dir" and not Path(place).is_dir():
        return f"There is no folder {place}."
    return ""
