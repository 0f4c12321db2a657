"""Themes that installed packages bring, by entry points of the group `stepwell.themes`.

An entry point names a mapping from every token of `resources/themes/tokens.json` to a colour such as `#1C1F25`, or the
path of a JSON or TOML file with one (a `pathlib.Path`, or what `importlib.resources.files` gives).
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
    """The colour of each token. Raise `PluginError` for a theme that is not there, or that is not complete."""
    return PACKAGED.load(name, partial(_colours, tokens))


LARGEST = MEGABYTE


def _colours(tokens: Sequence[str], found: Any) -> dict[str, QColor]:
    """Raise `ValueError` with all that is wrong in one sentence."""
    given = found if isinstance(found, Mapping) else _read(found)
    missing = [token for token in tokens if token not in given]
    unknown = [_with_hint(str(name), missing) for name in given if name not in tokens]
    wrong = [
        token for token in tokens if token in given and not _is_colour(given[token])
    ]
    faults = {
        "it lacks": missing,
        "it has tokens that are not known:": unknown,
        "these are no colours:": wrong,
    }
    told = [f"{what} {', '.join(names)}" for what, names in faults.items() if names]
    if told:
        raise ValueError("; ".join(told))
    return {token: QColor(given[token]) for token in tokens}


def _read(found: Any) -> Mapping[str, Any]:
    """What a JSON or TOML file has. `found` is a `Path` or `Traversable`; anything else raises."""
    if isinstance(found, Path):
        text = read_text(found, LARGEST)
    else:
        text = found.read_text("utf-8")
    read = tomllib.loads(text) if found.name.endswith(".toml") else from_json(text)
    if not isinstance(read, dict):
        raise TypeError(f"{found.name} has no table of tokens")
    return read


def _with_hint(name: str, missing: Sequence[str]) -> str:
    near = get_close_matches(name, missing, n=1)
    return f"{name} ({near[0]} is meant?)" if near else name


def _is_colour(value: Any) -> bool:
    """An opaque colour: surfaces and texts are painted on one another."""
    return (
        isinstance(value, str)
        and QColor.isValidColorName(value)
        and QColor(value).alpha() == 255
    )
