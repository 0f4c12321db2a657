"""As much of the grammars of DOT and Mermaid as flowcharts need: what does not fit
raises `ValueError`.
"""

from __future__ import annotations

import html
import re
from typing import NamedTuple


class Graph(NamedTuple):
    """What a text says: names with their labels, lines as (from, label, to), frames
    with the names inside.
    """

    nodes: dict[str, str]
    lines: list[tuple[str, str, str]]
    frames: dict[str, list[str]]


# --- Mermaid ------------------------------------------------------------------------------------------------------

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_TEXT = r'"((?:[^"<>`\\&\n]|<br/>)*)"'
_NODE = re.compile(
    rf"({_NAME})(?:\[{_TEXT}\]|\[\[{_TEXT}\]\]|\(\({_TEXT}\)\)|\{{{_TEXT}\}}|\{{\{{{_TEXT}\}}\}}|\({_TEXT}\));"
)
_LINE = re.compile(rf"({_NAME}) (?:-->|-\.->|==>|-\.-x?)(?:\|{_TEXT}\|)? ({_NAME});")
_FRAME = re.compile(rf"subgraph ({_NAME})\[{_TEXT}\]")
# The keywords of the lexer, which it takes in any case where a name may stand.
_KEYWORDS = {
    "end",
    "graph",
    "flowchart",
    "subgraph",
    "style",
    "linkstyle",
    "classdef",
    "class",
    "click",
    "default",
}
_ENTITIES = {"quot": '"', "lt": "<", "gt": ">"}


def read_mermaid(text: str) -> Graph:
    first, *rest = text.split("\n")
    if first != "flowchart TD":
        raise ValueError(first)
    made = Graph({}, [], {})
    open_frames = [""]
    made.frames[""] = []
    for line in map(str.strip, rest):
        _mermaid_line(line, made, open_frames)
    if open_frames != [""]:
        raise ValueError(f"frames that stay open: {open_frames}")
    names = {*made.nodes, *made.frames}
    if (
        not {end for source, _, target in made.lines for end in (source, target)}
        <= names
    ):
        raise ValueError("a line without an end")
    return made


def _mermaid_line(line: str, made: Graph, open_frames: list[str]) -> None:
    if line == "end":
        open_frames.pop()
    elif match := _FRAME.fullmatch(line):
        open_frames.append(_new(match[1], made))
        made.frames[match[1]] = []
    elif match := _NODE.fullmatch(line):
        made.frames[open_frames[-1]].append(match[1])
        made.nodes[_new(match[1], made)] = _plain(
            next(text for text in match.groups()[1:] if text is not None)
        )
    elif match := _LINE.fullmatch(line):
        made.lines.append((match[1], _plain(match[2] or ""), match[3]))
    else:
        raise ValueError(line)


def _new(name: str, made: Graph) -> str:
    if name in made.nodes or name in made.frames or name.lower() in _KEYWORDS:
        raise ValueError(f"the name {name} cannot be used")
    return name


def _plain(text: str) -> str:
    def char(match: re.Match[str]) -> str:
        return _ENTITIES.get(match[1]) or chr(int(match[1]))

    return re.sub(r"#(\w+);", char, text.replace("<br/>", "\n"))


# --- DOT ----------------------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r'\s*("(?:\\.|[^"\\])*"|->|[A-Za-z_\x80-\uffff][\w\x80-\uffff]*|-?(?:\.\d+|\d+(?:\.\d*)?)|[{}\[\];,=])',
    re.DOTALL,
)


def read_dot(text: str) -> Graph:
    tokens: list[str] = []
    at = 0
    while at < len(text.rstrip()):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(text[at : at + 40])
        tokens.append(match[1])
        at = match.end()
    reader = _Dot(tokens)
    reader.expect("digraph")
    reader.name()
    reader.body("")
    if reader.tokens:
        raise ValueError(f"after the end: {reader.tokens[:5]}")
    return reader.made


class _Dot:
    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.made = Graph({}, [], {"": []})

    def expect(self, token: str) -> None:
        if not self.tokens or self.tokens[0] != token:
            raise ValueError(f"{token} is needed, not {self.tokens[:3]}")
        del self.tokens[0]

    def take(self, token: str) -> bool:
        if self.tokens[:1] == [token]:
            del self.tokens[0]
            return True
        return False

    def name(self) -> str:
        token = self.tokens.pop(0)
        if token[0] in "{}[];,=-" or token.lower() in (
            "node",
            "edge",
            "graph",
            "digraph",
            "subgraph",
            "strict",
        ):
            raise ValueError(f"{token} is no name")
        return token

    def body(self, frame: str) -> None:
        self.expect("{")
        while not self.take("}"):
            self.statement(frame)
            self.take(";")

    def statement(self, frame: str) -> None:
        if self.tokens[0] in ("node", "edge", "graph"):
            del self.tokens[0]
            self.attributes()
            return
        if self.take("subgraph"):
            name = self.name()
            self.made.frames[name] = []
            self.body(name)
            return
        name = self.name()
        if self.take("="):
            self.name()
        elif self.take("->"):
            target = self.name()
            self.made.lines.append(
                (name, _label(self.attributes().get("label", '""')), target)
            )
        else:
            if name in self.made.nodes:
                raise ValueError(f"{name} stands there twice")
            self.made.nodes[name] = _label(self.attributes().get("label", name))
            self.made.frames[frame].append(name)

    def attributes(self) -> dict[str, str]:
        found: dict[str, str] = {}
        if self.take("["):
            while not self.take("]"):
                key = self.name()
                self.expect("=")
                found[key] = self.name()
                self.take(",")
        return found


def _label(token: str) -> str:
    """The text that is shown: in a label a backslash begins an escape, and entities are
    read.
    """
    text = token[1:-1] if token.startswith('"') else token
    escapes = {"n": "\n", "l": "\n", "r": "\n"}
    return html.unescape(
        re.sub(
            r"\\(.)",
            lambda match: escapes.get(match[1], match[1]),
            text,
            flags=re.DOTALL,
        )
    )
