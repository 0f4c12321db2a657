"""What a superstep came to, as a digest: the state that it saved, and its outputs.

Times, ids of checkpoints and the trace are no part of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any

from runtime.checkpoint import Checkpoint, Record
from runtime.checkpoints.parts import KINDS, outputs_in
from runtime.debug.compare.checkpoints import Change, compare, moves
from runtime.debug.sections import GRAPH, HEADER, OUTPUTS, Waiting
from runtime.state import Trace

_OF_THE_STATE = frozenset({kind.name for kind in KINDS} | {"queue", "child"})


def digest_of_content(record: Record, parts: Mapping[str, bytes]) -> str:
    """Return the digest of what a saved superstep came to."""
    content = blake2b(digest_size=16)
    trace = b""
    for part in sorted(record.manifest, key=_kind_and_name):
        if part.kind in _OF_THE_STATE:
            content.update("\0".join(part).encode())
        elif part.kind == "trace":
            trace += parts[part.digest]
    if trace:
        content.update(outputs_in(trace))
    return content.hexdigest()


def _kind_and_name(part: tuple[str, str, str]) -> tuple[str, str]:
    # Pieces of one part keep their order, because sorting is stable.
    return part[:2]


def differences_of(old: Checkpoint, new: Checkpoint) -> list[Change]:
    """Return what differs between two outcomes, section by section. If nothing else
    does, the keys of a map are in another order.
    """
    changes = [
        change for change in compare(old, new) if change.section not in (GRAPH, HEADER)
    ]
    changes += _output_changes(old.trace, new.trace)
    return changes or list(_orders_of_keys(old, new))


def _output_changes(old: Trace, new: Trace) -> Iterator[Change]:
    for difference in moves(_outputs(old), _outputs(new)):
        yield Change(OUTPUTS, *difference)


def _outputs(trace: Trace) -> list[Waiting]:
    return [Waiting(output.executor_id, output.data) for output in trace.outputs]


def _orders_of_keys(old: Checkpoint, new: Checkpoint) -> Iterator[Change]:
    """Yield the maps whose keys are in another order."""
    places = [
        ("state", old.state.shared, new.state.shared),
        (
            "executors",
            {name: record.state for name, record in old.state.executors.items()},
            {name: record.state for name, record in new.state.executors.items()},
        ),
        (
            "messages",
            [message.data for message in old.state.queue],
            [message.data for message in new.state.queue],
        ),
        (
            OUTPUTS,
            [output.data for output in old.trace.outputs],
            [output.data for output in new.trace.outputs],
        ),
    ]
    for section, before, after in places:
        for path, first, second in _reordered(before, after, ""):
            yield Change(
                section, path, "moved", first, second, _keys(first), _keys(second)
            )


def _reordered(
    old: Any, new: Any, path: str
) -> Iterator[tuple[str, Mapping[Any, Any], Mapping[Any, Any]]]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        if path and [*old] != [*new]:
            yield path, old, new
        for key in old:
            if key in new:
                yield from _reordered(old[key], new[key], f"{path}[{key!r}]")
    elif isinstance(old, list | tuple) and isinstance(new, list | tuple):
        for place, (first, second) in enumerate(zip(old, new, strict=False)):
            yield from _reordered(first, second, f"{path}[{place}]")


def _keys(mapping: Mapping[Any, Any]) -> str:
    return f"keys in the order {', '.join(map(str, mapping))}"
