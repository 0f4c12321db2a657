"""The guards of a change: what stood in the original, so that the change fits other
checkpoints too.
"""

from __future__ import annotations

from typing import Any

import orjson

from runtime.codec import TypeRegistry
from runtime.errors import EncodeError
from runtime.message import Message
from runtime.patches.inner_value import inner_value
from runtime.patches.json_form import as_json
from runtime.patches.patch import PatchChange
from runtime.patches.refused import Refused
from runtime.state import RunState
from runtime.values.sealed import stored_values
from runtime.values.unset import UNSET

# A larger value is no guard: the patch would keep a copy of it.
MOST_BYTES = 64 * 1024


def completed(change: PatchChange, state: RunState, types: TypeRegistry) -> PatchChange:
    """Return a change with its guards, as far as it has none: of the run that it
    changes.
    """
    spot = change.spot
    value: Any = UNSET
    if change.section in ("queue", "buffers"):
        message = _message(change, state)
        if message is None or spot is None:
            return change
        if spot.source is None:
            guard = {
                "source": message.source_id,
                "target": message.target_id,
                "was": _small_json(message.data, types),
            }
            change = change.model_copy(update={"spot": spot.model_copy(update=guard)})
        if change.path:
            value = message.data
    elif change.section == "state":
        value = stored_values(state.shared).get(change.key, UNSET)
    elif change.section == "executors" and change.key in state.executors:
        value = dict(state.executors[change.key].state)
    elif change.section == "requests" and change.key in state.requests:
        value = state.requests[change.key].data
    if value is UNSET or change.was is not None or change.do not in ("set", "remove"):
        return change
    try:
        was = _small_json(inner_value(value, change.path, types), types)
    except Refused:
        return change
    return change.model_copy(update={"was": was})


def _message(change: PatchChange, state: RunState) -> Message | None:
    place = None if change.spot is None else change.spot.place
    messages = state.queue
    if change.section == "buffers":
        messages = state.buffers.get(change.key, ())
    if place is None or not 0 <= place < len(messages):
        return None
    return messages[place]


def _small_json(value: Any, types: TypeRegistry) -> Any:
    try:
        form = as_json(value, types)
        is_small = len(orjson.dumps(form)) <= MOST_BYTES
    except (EncodeError, TypeError):
        return None
    return form if is_small else None
