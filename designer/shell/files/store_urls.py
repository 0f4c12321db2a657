"""The URL of a store, from a text that the user typed or a path that the user chose."""

from __future__ import annotations

from pathlib import Path

SCHEMES = ("sqlite:", "dir:", "postgresql:", "postgres:")


def store_of(text: str) -> str:
    """Return the URL: of an address itself, of a folder `dir:`, of anything else
    `sqlite:`.
    """
    text = text.strip()
    if text.startswith(SCHEMES):
        return text
    return f"dir:{text}" if Path(text).is_dir() else f"sqlite:{text}"


def why_no_store(text: str) -> str:
    """Return why there is no store; "" if there may be one."""
    if not text.strip():
        return "Choose a file or a folder, or write the address of a database."
    scheme, _, place = store_of(text).partition(":")
    if scheme == "sqlite" and not Path(place).is_file():
        return f"There is no file {place}."
    if scheme == "dir" and not Path(place).is_dir():
        return f"There is no folder {place}."
    return ""
