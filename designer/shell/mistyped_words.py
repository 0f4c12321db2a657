"""Typed texts that are no values, in words, for the question whether to run without
them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from designer.document.document import Document
from designer.model.errors import EditError
from designer.model.inside import at
from designer.panels.fields.plain import MISSING, Draft

LONGEST = 60  # characters of a text that is quoted


def mistyped_words(document: Document, place: Sequence[str], draft: Draft) -> str:
    """Return the field, the text, and why it is no value. `place` is a key of the
    Properties panel.
    """
    reason = draft.reason or "It is not taken over."
    text = " ".join(draft.text.split())
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]}…"
    return f"{draft.field} of {_thing(document, place)} is '{text}'. {reason}"


def before_words(values: Sequence[Any]) -> str:
    """Return the words for the values that a run uses instead."""
    value = values[0]
    if len(values) == 1 and value is not MISSING:
        written = json.dumps(value, ensure_ascii=False)
        if len(written) <= LONGEST / 2:
            return written
    if all(value is MISSING for value in values):
        return "the default"
    return "the values before"


def _thing(document: Document, place: Sequence[str]) -> str:
    match place:
        case ("node", node_id, _type, *way):
            return f"'{_title(document, node_id, tuple(way))}'"
        case ("edge", edge_id, *_):
            return f"the edge group '{edge_id}'"
        case _:
            return "the workflow"


def _title(document: Document, node_id: str, way: tuple[str, ...]) -> str:
    try:
        node = at(document.root, way).workflow.node(node_id)
    except EditError:  # because its sub-workflow was removed
        return node_id
    return node.title if node is not None else node_id
