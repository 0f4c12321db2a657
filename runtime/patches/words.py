"""Changes of a patch as people read them."""

from __future__ import annotations

import json
from typing import Any

from runtime.patches.patch import PatchChange
from runtime.patches.refused import path_words

_MOST = 80


def change_words(change: PatchChange) -> str:
    """Return one change as a line: "set limit to 3", "drop the queued message 0"."""
    where = f" in {'/'.join(change.run)}" if change.run else ""
    return f"{_doing(change)}{where}"


def _doing(change: PatchChange) -> str:
    value = _short(change.value)
    match change.do:
        case "set":
            return f"set {_place_in(change)} to {value}"
        case "remove":
            return f"remove {_place_in(change)}"
        case "move":
            return f"move {_thing(change)} to place {change.to}"
        case "address":
            return f"address {_thing(change)}{_ways(change)}"
        case "add":
            place = "" if change.to is None else f" at place {change.to}"
            what = "queued message"
            if change.section == "buffers":
                what = f"message in {_join(change.key)}"
            return f"add a {what}{_ways(change)}: {value}{place}"
        case "answer":
            return f"answer the question {change.key}: {value}"
        case "withdraw":
            return f"withdraw the question {change.key}"
        case _:
            return f"{change.do} {_thing(change)}"


def _place_in(change: PatchChange) -> str:
    """Return the thing, or a part of it: "limit.low", "price of the queued message 0"."""
    path = path_words(change.path)
    if not path or change.section == "state":
        return f"{_thing(change)}{path}"
    return f"{path.removeprefix('.')} of {_thing(change)}"


def _thing(change: PatchChange) -> str:
    match change.section:
        case "state":
            return change.key
        case "executors":
            return f"the state of {change.key}"
        case "requests":
            return f"the question {change.key}"
        case "queue":
            return f"the queued message{_spot(change)}"
        case _:
            return f"the message{_spot(change)} in {_join(change.key)}"


def _join(key: str) -> str:
    """Return a join by the executor before which it stands, which its key names."""
    try:
        [[_, target], *_] = json.loads(key.partition(":")[2])
    except (TypeError, ValueError):
        return f"the join {key}"
    return f"the join before {target}"


def _spot(change: PatchChange) -> str:
    spot = change.spot
    if spot is None:
        return ""
    if spot.place is None:
        return f" of {spot.added}"
    source = "" if spot.source is None else f" from {spot.source}"
    return f" {spot.place}{source}"


def _ways(change: PatchChange) -> str:
    words = ""
    if change.source is not None:
        words += f" from {change.source}"
    if change.target is not None:
        words += f" to {change.target}"
    return words


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MOST else text[: _MOST - 1] + "…"
