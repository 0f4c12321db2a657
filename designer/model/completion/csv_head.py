"""The first row of a CSV file beside a drawing: for what completion offers."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from runtime.system.bounded_files import check_regular, opened_text

MOST_CHARACTERS = 100_000  # of a file, because a person who types waits for it


def csv_row(path: Path, params: Mapping[str, Any]) -> Mapping[str, str] | None:
    """Return the first row of a CSV file by column, as *Read CSV* with these parameters
    sends it; None for no row.
    """
    try:
        status = check_regular(path, None)
        rows = _head(
            path,
            status.st_mtime_ns,
            str(params.get("encoding", "utf-8")),
            str(params.get("delimiter", ",")),
        )
    except (OSError, ValueError, LookupError, csv.Error):
        return None
    names = params.get("columns")
    if isinstance(names, list) and names and not params.get("header", True):
        values = rows[0] if rows else []
        row = dict(zip(map(str, names), values, strict=False))
        return row or dict.fromkeys(map(str, names), "")
    if not rows or not params.get("header", True):
        return None
    values = rows[1] if len(rows) > 1 else [""] * len(rows[0])
    row = dict(zip(rows[0], values, strict=False))
    if isinstance(names, list) and names:
        return {name: row.get(name, "") for name in map(str, names)}
    return row


@lru_cache(maxsize=32)
def _head(path: Path, _changed: int, encoding: str, delimiter: str) -> list[list[str]]:
    """Return the first two rows.

    They are remembered until the file changes, because every key that is typed asks for
    them.
    """
    if encoding == "utf-8":
        encoding = "utf-8-sig"
    with opened_text(path, None, encoding) as stream:
        text = stream.read(MOST_CHARACTERS)
    separator = "\t" if delimiter == "tab" else delimiter
    rows = csv.reader(text.splitlines(keepends=True), delimiter=separator)
    return list(islice((row for row in rows if row), 2))
