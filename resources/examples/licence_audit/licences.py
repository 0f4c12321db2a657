"""Licences put into families: what a package allows those who ship it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from packages import Package

PERMISSIVE, WEAK, STRONG, UNKNOWN = (
    "permissive",
    "weak copyleft",
    "strong copyleft",
    "unknown",
)
# From the freest to the one that asks most of us. What is not known may ask anything.
_ORDER = (PERMISSIVE, WEAK, STRONG, UNKNOWN)
_FREE = (
    r"\bmit\b|bsd|apache|\bisc\b|psf|python software foundation|python-2|zlib|unlicen[sc]e|cc0|public domain|boost|"
    r"bsl-1|hpnd|\bzpl|zope|wtfpl|blueoak|ncsa|postgresql|academic free|cnri|historical permission"
)
_FAMILIES = (
    (
        WEAK,
        r"lgpl|lesser general public|library general public|mpl|mozilla|\bepl|eclipse|cddl|\beupl",
    ),
    (STRONG, r"gpl|general public licen|copyleft|osl-|cc-by-sa"),
    (PERMISSIVE, _FREE),
)


@dataclass(frozen=True)
class LicenceReport:
    """Names of the packages that ask for a decision, each with what it says; the others are only counted."""

    packages: int
    copyleft: tuple[str, ...]
    unknown: tuple[str, ...]
    families: dict[str, int]
    at_issue: tuple[str, ...]


def classify(message: list[Package]) -> LicenceReport:
    """What every package's licence asks for."""
    families = {one.name: family_of(one.licence) for one in message}
    copyleft = tuple(
        one.name for one in message if families[one.name] in (WEAK, STRONG)
    )
    unknown = tuple(one.name for one in message if families[one.name] == UNKNOWN)
    return LicenceReport(
        packages=len(message),
        copyleft=copyleft,
        unknown=unknown,
        families={family: list(families.values()).count(family) for family in _ORDER},
        at_issue=tuple(
            f"{one.name} ({one.licence or 'no licence'})"
            for one in message
            if one.name in {*copyleft, *unknown}
        ),
    )


def family_of(licence: str) -> str:
    """The family of an SPDX expression or of a plain text: `OR` lets us choose the freest, `AND` binds us to all."""
    words = iter(re.findall(r"[()]|[^\s()]+", licence))
    return _either(words)


def _either(words: Iterator[str]) -> str:
    """Read up to the closing bracket or the end."""
    alternatives: list[list[str]] = [[]]
    text: list[str] = []

    def end_of_name() -> None:
        if text:
            alternatives[-1].append(_family_of_name(" ".join(text)))
            text.clear()

    for word in words:
        if word == "(" and text:
            _either(
                words
            )  # an abbreviation behind a name, such as "ISC License (ISCL)"
        elif word == "(":
            alternatives[-1].append(_either(words))
        elif word == ")":
            break
        elif word in ("AND", "OR"):
            end_of_name()
            if word == "OR":
                alternatives.append([])
        else:
            text.append(word)
    end_of_name()
    return min(
        (max(parts, key=_ORDER.index) for parts in alternatives if parts),
        key=_ORDER.index,
        default=UNKNOWN,
    )


def _family_of_name(name: str) -> str:
    return next(
        (family for family, pattern in _FAMILIES if re.search(pattern, name.lower())),
        UNKNOWN,
    )
