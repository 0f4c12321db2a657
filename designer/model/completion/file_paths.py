"""Completion of file paths: names in the folder that was typed so far. No file is
opened.
"""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

from designer.model.completion.cel_words import Word

MOST_ENTRIES = 2000  # of a folder, so that a huge one does not block the window
MOST_WORDS = 50


def complete_path(text: str, cursor: int, folder: Path) -> list[Word]:
    """Return folders and files whose names begin with the last part before the cursor.

    Folders come first, hidden ones only where a dot was typed. There are none behind a
    placeholder, because its value is not known.
    """
    before = text[:cursor]
    if "{" in before:
        return []
    where, slash, typed = before.rpartition("/")
    start = len(where) + len(slash)
    words = []
    for name, is_folder in _entries(folder / before[:start]):
        is_hidden = name.startswith(".") and not typed.startswith(".")
        if name.casefold().startswith(typed.casefold()) and not is_hidden:
            text = f"{name}/" if is_folder else name
            words.append(Word(text, "folder" if is_folder else "", text, start))
    return words[:MOST_WORDS]


def _entries(place: Path) -> list[tuple[str, bool]]:
    try:
        with os.scandir(place) as entries:
            names = [
                (entry.name, _is_folder(entry))
                for entry in islice(entries, MOST_ENTRIES)
            ]
    except (OSError, ValueError):
        return []
    return sorted(names, key=lambda entry: (not entry[1], entry[0].casefold()))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
