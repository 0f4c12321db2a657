"""The differences between the checkpoint that was recorded and the one that a restore
leads to, each with who wrote the value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from runtime.checkpoint import Checkpoint
from runtime.debug.compare.checkpoints import Change, compare, moves
from runtime.debug.compare.values import differences
from runtime.debug.sections import GRAPH, HEADER, OUTPUTS, Place, Waiting
from runtime.debug.verify.results import Finding
from runtime.debug.verify.scratch import Taken
from runtime.state import Trace


def state_findings(recorded: Taken, again: Taken) -> list[Finding]:
    """Return how the state differs, section by section, in sub-workflows too."""
    if recorded.joined_parts() == again.joined_parts():
        return []
    old = recorded.viewed
    new = again.viewed
    changes = _paired(
        [
            change
            for change in compare(old, new)
            if change.section not in (GRAPH, HEADER)
        ]
    )
    findings = [_finding(change, new.trace, old.trace) for change in changes]
    if findings:
        return findings
    # What no section shows, such as who asked a question.
    return [
        Finding("state" if ".shared" in path else "run", path, kind, before, after)
        for path, kind, before, after, *_ in differences(old.state, new.state)
    ]


def superstep_findings(recorded: Taken, again: Taken) -> list[Finding]:
    """Return how the state and the outputs differ after a superstep."""
    outputs = _output_findings(recorded.viewed, again.viewed)
    return [*state_findings(recorded, again), *outputs]


def _paired(changes: Sequence[Change]) -> Iterator[Change]:
    """Yield the changes, with a message that is gone and one that came on the same way
    as the inner difference of the two.
    """
    ways = Counter((change.section, change.path, change.at) for change in changes)
    gone: dict[tuple[str, str, Place], Change] = {}
    for change in changes:
        way = (change.section, change.path, change.at)
        is_pair = ways[way] == 2 and change.section in ("messages", "joins")
        if is_pair and change.kind == "removed":
            gone[way] = change
        elif is_pair and change.kind == "added" and way in gone:
            old = gone.pop(way).old
            for path, kind, before, after, *_ in differences(old, change.new):
                yield Change(
                    change.section,
                    f"{change.path} {path}".rstrip(),
                    kind,
                    before,
                    after,
                    at=change.at,
                )
        else:
            yield change
    yield from gone.values()


def _finding(change: Change, trace: Trace, recorded: Trace) -> Finding:
    writer = _writer(change, trace) or _writer(change, recorded)
    return Finding(
        change.section,
        change.path,
        change.kind,
        change.old,
        change.new,
        writer=writer,
        at=change.at,
    )


def _writer(change: Change, trace: Trace) -> str:
    """Return the path of the executor that made a value in the superstep of the trace;
    "" if it is not known.
    """
    place = change.at
    if change.section == "state":
        writers = _writers(trace, place)
        return writers[-1] if writers else ""
    executor = place.source or place.executor
    return "/".join((*place.way, executor)) if executor else ""


def _writers(trace: Trace, place: Place) -> list[str]:
    if not place.way:
        return [write.executor_id for write in trace.writes if write.key == place.key]
    before = "/".join(place.way) + "/"
    return [
        call.executor_id
        for call in trace.invocations
        if place.key in call.wrote and call.executor_id.startswith(before)
    ]


def _output_findings(recorded: Checkpoint, again: Checkpoint) -> Iterator[Finding]:
    both = [
        [
            Waiting(output.executor_id, output.data, Place((), output.executor_id))
            for output in checkpoint.trace.outputs
        ]
        for checkpoint in (recorded, again)
    ]
    for path, kind, old, new, *_ in moves(*both):
        at = Place((), path)
        yield Finding(OUTPUTS, path, kind, old, new, writer=path, at=at)
