"""Themes of installed packages, by entry points of the group `stepwell.themes`.

An entry point names a mapping from every token of `resources/themes/tokens.json` to a
colour such as `#1C1F25`, or the path of a JSON or TOML file with one (a `pathlib.Path`
or a `Traversable`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtGui import QColor

from designer.packages import Plugins
from runtime.system.bounded_files import MEGABYTE, from_json, read_text

OURS = ("light", "dark", "contrast-light", "contrast-dark")
SYSTEM = "system"
PACKAGED = Plugins("stepwell.themes", "theme", (*OURS, SYSTEM))


def packaged_colours(name: str, tokens: Sequence[str]) -> dict[str, QColor]:
    """Return the colour of each token. Raise `PluginError` for a theme that is missing
    or not complete.
    """
    return PACKAGED.load(name, partial(_colours, tokens))


LARGEST = MEGABYTE


def _colours(tokens: Sequence[str], theme: Any) -> dict[str, QColor]:
    """Return the colours of a theme. Raise `ValueError` with all faults in one
    sentence.
    """
    colours = theme if isinstance(theme, Mapping) else _read(theme)
    missing = [token for token in tokens if token not in colours]
    unknown = [_with_hint(str(name), missing) for name in colours if name not in tokens]
    known = [token for token in tokens if token in colours]
    wrong = [token for token in known if not _is_colour(colours[token])]
    faults = []
    if missing:
        faults.append(f"it lacks {', '.join(missing)}")
    if unknown:
        faults.append(f"it has unknown tokens: {', '.join(unknown)}")
    if wrong:
        faults.append(f"these are no colours: {', '.join(wrong)}")
    if faults:
        raise ValueError("; ".join(faults))
    return {token: QColor(colours[token]) for token in tokens}


def _read(file: Any) -> Mapping[str, Any]:
    """Return the content of a JSON or TOML file, which is a `Path` or a `Traversable`."""
    if isinstance(file, Path):
        text = read_text(file, LARGEST)
    else:
        text = file.read_text("utf-8")
    content = tomllib.loads(text) if file.name.endswith(".toml") else from_json(text)
    if not isinstance(content, dict):
        raise TypeError(f"{file.name} has no table of tokens")
    return content


def _with_hint(name: str, missing: Sequence[str]) -> str:
    similar = get_close_matches(name, missing, n=1)
    return f"{name} (do you mean {similar[0]}?)" if similar else name


def _is_colour(value: Any) -> bool:
    """Return whether a value is an opaque colour, because texts are painted on
    surfaces.
    """
    if not isinstance(value, str) or not QColor.isValidColorName(value):
        return False
    return QColor(value).alpha() == 255
