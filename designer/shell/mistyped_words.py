"""What was typed and is no value, in words, for the question whether to run without it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from designer.document.document import Document
from designer.model.errors import EditError
from designer.model.inside import at
from designer.panels.forms.fields import MISSING, Draft

LONGEST = 60  # characters of a text that is named


def mistyped_words(document: Document, place: Sequence[str], draft: Draft) -> str:
    """Where it was typed, what it says, and why that is nothing: `place` is a key of the panel of properties."""
    reason = draft.reason or "It is not taken over."
    text = " ".join(draft.text.split())
    shown = f"{text[:LONGEST]}…" if len(text) > LONGEST else text
    return f"{draft.field} of {_thing(document, place)} says '{shown}'. {reason}"


def before_words(values: Sequence[Any]) -> str:
    """What counts instead: a value that can be named, else what was there."""
    value = values[0]
    if len(values) == 1 and value is not MISSING:
        written = json.dumps(value, ensure_ascii=False)
        if len(written) <= LONGEST / 2:
            return written
    if all(value is MISSING for value in values):
        return "the default"
    return "what was there before"


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
    except EditError:  # the sub-workflow in which it was is gone
        return node_id
    return node.title if node is not None else node_id
