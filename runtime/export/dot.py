"""A picture in DOT, Graphviz' language. Every name and label is quoted, so that any id
survives.
"""

from __future__ import annotations

from collections.abc import Iterator

from runtime.export.formats import ExportSource
from runtime.export.picture_document import picture_of_document
from runtime.export.picture_graph import Key, Line, Look, Picture, name_of_key, proper

_BOXES = {
    Look.EXECUTOR: "",
    Look.START: "fillcolor=lightgreen, ",
    Look.WORKFLOW: 'fillcolor=white, style="filled,dashed", ',
    Look.JOIN: "shape=ellipse, fillcolor=lightgoldenrod, ",
    Look.SWITCH: "shape=diamond, fillcolor=lightyellow, ",
    Look.SELECTION: "shape=hexagon, fillcolor=lavender, ",
    Look.INTERNAL: 'shape=plaintext, style="", ',
}
_LINES = {
    Look.PLAIN: "",
    Look.CONDITION: "style=dashed",
    Look.DEFAULT: "style=bold",
    Look.ERROR: "style=dashed, color=red",
}


def export(source: ExportSource) -> bytes:
    return f"{to_dot(picture_of_document(source.public_workflow))}\n".encode()


def to_dot(picture: Picture) -> str:
    names = names_of(picture)
    return "\n".join(
        [
            "digraph Workflow {",
            "  rankdir=TD;",
            "  node [shape=box, style=filled, fillcolor=lightblue];",
            "  edge [color=black, arrowhead=vee];",
            "",
            *_body(picture, names, "  "),
            "}",
        ]
    )


def names_of(picture: Picture) -> dict[Key, str]:
    """Return the name of each box: its id; for a child, its parent's name, a slash
    and its id. A taken name gets a mark.
    """
    names: dict[Key, str] = {}
    taken: set[str] = set()
    for box in picture.everything():
        name = proper(name_of_key(box.key, "/"))
        while name in taken:
            name += "'"
        taken.add(name)
        names[box.key] = name
    return names


def _body(picture: Picture, names: dict[Key, str], indent: str) -> Iterator[str]:
    for box in picture.boxes.values():
        label = f"{box.label}\n(Start)" if box.starts else box.label
        yield f"{indent}{_quoted(names[box.key])} [{_BOXES[box.look]}label={_label(label)}];"
    for line in picture.lines:
        yield f"{indent}{_quoted(names[line.source])} -> {_quoted(names[line.target])}{_attributes(line)};"
    for box in picture.boxes.values():
        if box.inner is not None:
            yield f"{indent}subgraph {_quoted('cluster_' + names[box.key])} {{"
            yield f"{indent}  label={_label('sub-workflow: ' + box.label)};"
            yield f"{indent}  style=dashed;"
            yield from _body(box.inner, names, indent + "  ")
            yield f"{indent}}}"
            start = _quoted(names[box.inner.start])
            yield f"{indent}{_quoted(names[box.key])} -> {start} [style=dotted, arrowhead=none];"


def _attributes(line: Line) -> str:
    label = f"label={_label(line.label)}" if line.label else ""
    attributes = ", ".join(
        attribute for attribute in (_LINES[line.look], label) if attribute
    )
    return f" [{attributes}]" if attributes else ""


def _quoted(text: str) -> str:
    return (
        '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    )


def _label(text: str) -> str:
    """A label, in which Graphviz would read entities, and letters after a backslash as
    names.
    """
    return _quoted(proper(text).replace("&", "&amp;"))
