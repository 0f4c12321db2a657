"""JSON Schema of what a run of a workflow is given, as far as it is known without its code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from runtime.children import info_of
from runtime.definition import NodeInfo, WorkflowDefinition

_PLAIN = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "None": {"type": "null"},
    "list": {"type": "array"},
    "dict": {"type": "object"},
}
_LIST = re.compile(r"list\[(.*)\]")


def input_schema(
    definition: WorkflowDefinition, infos: Mapping[str, NodeInfo], folder: Path | str | None = None
) -> dict[str, Any]:
    """Schema of the input, with the workflow's own as example. It allows anything where only code knows what it takes.

    `infos` are the known node types by name; `folder` is the document's, for sub-workflows in files.
    """
    start = definition.node(definition.start)
    info = None if start is None else info_of(start, infos, folder)
    made: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Input of {definition.name}",
        **({"description": definition.description} if definition.description else {}),
        **_of(info.inputs if info is not None else ()),
    }
    return made if definition.input is None else {**made, "examples": [definition.input]}


def _of(types: tuple[str, ...]) -> dict[str, Any]:
    found = [_of_type(one) for one in types]
    if not all(found):
        return {}  # one of them may be anything
    return found[0] if len(found) == 1 else {"anyOf": found} if found else {}


def _of_type(name: str) -> dict[str, Any]:
    if inner := _LIST.fullmatch(name):
        items = _of_type(inner[1])
        return {"type": "array", **({"items": items} if items else {})}
    return dict(_PLAIN.get(name.partition("[")[0], {}))
