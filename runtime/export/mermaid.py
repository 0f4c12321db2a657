"""A picture as a Mermaid flowchart. A box whose id is not a plain word gets a made-up
name; labels are quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from runtime.export.formats import ExportSource
from runtime.export.picture_document import picture_of_document
from runtime.export.picture_graph import (
    Box,
    Key,
    Line,
    Look,
    Picture,
    name_of_key,
    proper,
)

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Words that mean something to Mermaid's parser, in any case, or to the code of some
# version of it.
_RESERVED = frozenset(
    ("end", "graph", "flowchart", "subgraph", "style", "linkstyle", "classdef", "class", "click", "default", "href",
     "call", "interpolate", "direction", "tb", "td", "bt", "rl", "lr", "_self", "_blank", "_parent", "_top",
     "constructor", "prototype", "tostring", "valueof", "__proto__", "hasownproperty")
)  # fmt: skip
_SHAPES = {
    Look.EXECUTOR: ("[", "]"),
    Look.START: ("[", "]"),
    Look.WORKFLOW: ("[[", "]]"),
    Look.JOIN: ("((", "))"),
    Look.SWITCH: ("{", "}"),
    Look.SELECTION: ("{{", "}}"),
    Look.INTERNAL: ("(", ")"),
}
_ARROWS = {
    Look.PLAIN: "-->",
    Look.CONDITION: "-.->",
    Look.DEFAULT: "==>",
    Look.ERROR: "-.-x",
}
# Quoted labels are read as HTML with entities of Mermaid's own, and as Markdown between
# backticks.
_ESCAPES = {
    "#": "#35;",
    "&": "#38;",
    '"': "#quot;",
    "<": "#lt;",
    ">": "#gt;",
    "`": "#96;",
    "\\": "#92;",
    "\n": "<br/>",
}


def export(source: ExportSource) -> bytes:
    return f"{to_mermaid(picture_of_document(source.public_workflow))}\n".encode()


def to_mermaid(picture: Picture) -> str:
    return "\n".join(["flowchart TD", *_body(picture, _names(picture), "  ")])


def _names(picture: Picture) -> dict[Key, str]:
    """A word for each box, and for each sub-workflow one more, under its key and an
    empty text, for its frame.
    """
    names: dict[Key, str] = {}
    taken: set[str] = set()
    for box in picture.everything():
        names[box.key] = _unique(name_of_key(box.key, "__"), taken)
        if box.inner is not None:
            names[*box.key, ""] = _unique(f"sub_{names[box.key]}", taken)
    return names


def _unique(word: str, taken: set[str]) -> str:
    if not _WORD.fullmatch(word) or word.lower() in _RESERVED:
        word = "n_" + re.sub(r"[^A-Za-z0-9_]", "_", word)
    name = word
    number = 2
    while name.lower() in taken:
        name = f"{word}_{number}"
        number = number + 1
    taken.add(name.lower())
    return name


def _body(picture: Picture, names: dict[Key, str], indent: str) -> Iterator[str]:
    for box in picture.boxes.values():
        yield f"{indent}{names[box.key]}{_shape(box)};"
    for line in picture.lines:
        yield f"{indent}{names[line.source]} {_arrow(line)} {names[line.target]};"
    for box in picture.boxes.values():
        if box.inner is not None:
            yield f"{indent}subgraph {names[*box.key, '']}[{_label('sub-workflow: ' + box.label)}]"
            yield from _body(box.inner, names, indent + "  ")
            yield f"{indent}end"
            yield f"{indent}{names[box.key]} -.- {names[box.inner.start]};"


def _shape(box: Box) -> str:
    opening, closing = _SHAPES[box.look]
    return f"{opening}{_label(f'{box.label} (Start)' if box.starts else box.label)}{closing}"


def _arrow(line: Line) -> str:
    if line.label:
        return f"{_ARROWS[line.look]}|{_label(line.label)}|"
    return _ARROWS[line.look]


def _label(text: str) -> str:
    return '"' + "".join(_ESCAPES.get(char, char) for char in proper(text)) + '"'
