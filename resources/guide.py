"""The guide: chapters of Markdown that the window and the command line show.

`help/guide/index.md` links to every chapter, in their order. Links are as GitHub wants them: `edges.md#join`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from resources import ROOT

FOLDER = ROOT / "help" / "guide"
INDEX = "index"
# A link within the guide: to a chapter, to a heading of it, or to a heading of the same chapter.
_LINK = re.compile(r"\[([^\]\n]+)\]\((?:([\w-]+)\.md)?(?:#([\w-]+))?\)")
_HEADING = re.compile(r"(#{2,4}) (.+)")
_NO_SLUG = re.compile(r"[^\w\- ]")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a chapter. `line` is its place in the body."""

    line: int
    level: int
    title: str

    @property
    def slug(self) -> str:
        return slug(self.title)


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter. `body` is its Markdown below the title."""

    name: str
    title: str
    body: str
    headings: tuple[Heading, ...]

    def with_addition(self, heading: str, addition: str) -> str:
        """Return the body with Markdown added at the end of the section that has this slug."""
        lines = self.body.splitlines()
        section = next(
            candidate for candidate in self.headings if candidate.slug == heading
        )
        end = len(lines)
        for following in self.headings:
            if following.line > section.line and following.level <= section.level:
                end = following.line
                break
        return "\n".join([*lines[:end], addition, "", *lines[end:]])


@cache
def chapters() -> Mapping[str, Chapter]:
    """Return the chapters by name, in the order of the index, which is the first."""
    index = read_chapter(FOLDER / f"{INDEX}.md")
    by_name = {INDEX: index}
    for _, name, _ in links(index):
        by_name[name] = read_chapter(FOLDER / f"{name}.md")
    return MappingProxyType(by_name)


def read_chapter(path: Path) -> Chapter:
    """Read a chapter from its file."""
    title, _, body = path.read_text("utf-8").partition("\n\n")
    headings = tuple(_headings(body))
    return Chapter(path.stem, title.removeprefix("# "), body, headings)


def links(chapter: Chapter) -> Iterator[tuple[str, str, str]]:
    """Yield the words of each link within the guide, the chapter that it leads to, and the heading, which may be ""."""
    for words, name, heading in _LINK.findall(chapter.body):
        yield words, name or chapter.name, heading


def slug(heading: str) -> str:
    """Return the anchor that GitHub gives to a heading."""
    return _NO_SLUG.sub("", heading.lower()).replace(" ", "-")


def _headings(text: str) -> list[Heading]:
    headings = []
    in_code = False
    for number, line in enumerate(text.splitlines()):
        if line.startswith("```"):
            in_code = not in_code
        match = _HEADING.fullmatch(line)
        # A comment in a program looks like a heading.
        if match is not None and not in_code:
            headings.append(Heading(number, len(match[1]), match[2].replace("`", "")))
    return headings
