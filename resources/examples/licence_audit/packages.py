"""The Python packages that are installed here, from their own metadata."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import Distribution, distributions
from pathlib import Path

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class Package:
    """`licence` is what the package says of itself, shortened; `installed` is a date, or empty where it is unknown."""

    name: str
    version: str
    licence: str
    requires: tuple[str, ...]
    installed: str


def scan(_: object) -> list[Package]:
    """All installed packages by name. Of two with one name, the first that Python would import counts."""
    found: dict[str, Distribution] = {}
    for one in distributions():
        name = one.metadata.get("Name")
        if name:
            found.setdefault(plain_name(name), one)
    return [_package(one, set(found)) for _, one in sorted(found.items())]


def plain_name(name: str) -> str:
    """One spelling of a package's name."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _package(one: Distribution, installed: set[str]) -> Package:
    always = [text.strip() for text in one.requires or () if "extra ==" not in text]
    wanted = {plain_name(match[0]) for text in always if (match := _NAME.match(text))}
    return Package(
        name=plain_name(one.metadata["Name"]),
        version=str(one.metadata.get("Version") or "unknown"),
        licence=_licence(one),
        requires=tuple(sorted(wanted & installed)),
        installed=_date(one),
    )


def _licence(one: Distribution) -> str:
    """The SPDX expression, else the classifiers, else the first line of the free text."""
    expression = one.metadata.get("License-Expression")
    if expression:
        return str(expression)[:80]
    text = str(one.metadata.get("License") or "").strip().split("\n")[0]
    classifiers = [
        str(line)
        for line in one.metadata.get_all("Classifier") or ()
        if str(line).startswith("License ::")
    ]
    names = [
        line.rpartition(" :: ")[2]
        for line in classifiers
        if not line.endswith(("OSI Approved", "DFSG approved"))
    ]
    return (" AND ".join(names) or ("" if text.upper() == "UNKNOWN" else text))[:80]


def _date(one: Distribution) -> str:
    """When the metadata was written, which is when the package was installed."""
    for name in ("METADATA", "PKG-INFO"):
        path = Path(str(one.locate_file(""))) / _folder(one) / name
        if path.is_file():
            return datetime.fromtimestamp(path.stat().st_mtime, UTC).date().isoformat()
    return ""


def _folder(one: Distribution) -> str:
    return str(getattr(one, "_path", "") or "")
