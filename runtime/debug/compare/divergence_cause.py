"""Why two runs part: the first thing in which they differ, found in the checkpoints
after it and in the traces of the supersteps that led there.

Both supersteps began alike, so what the first executor did otherwise is the cause, and
what others do otherwise follows from it. Inside sub-workflows the innermost executor
counts, because what the outer one handed up follows from that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from runtime.checkpoint import Cause
from runtime.debug.compare.checkpoints import Change
from runtime.debug.compare.two_lines import run_changes
from runtime.debug.compare.values import is_equal
from runtime.debug.moments.moment import Snapshot
from runtime.debug.moments.request_moment import title_of
from runtime.debug.sections import Place, frames, kind_of, way_of
from runtime.events import WorkflowRunState
from runtime.message import Message
from runtime.state import Fate, Invocation

CauseKind = Literal[
    "input", "answer", "edit", "graph", "edge", "call", "order", "end", "value"
]
NOTHING = object()
_STATUS = {
    WorkflowRunState.IDLE: "finished",
    WorkflowRunState.IDLE_WITH_PENDING_REQUESTS: "waits for answers",
    WorkflowRunState.IDLE_WITH_STALLED_JOINS: "at rest with a stalled join",
    WorkflowRunState.FAILED: "failed",
    WorkflowRunState.CANCELLED: "stopped",
}


class Outcome(NamedTuple):
    """What one of the runs did: in words, and the value if there is one."""

    words: str = ""
    value: Any = NOTHING


_NOWHERE = Place()


@dataclass(frozen=True, slots=True)
class Reason:
    """Why two runs part, and what each did: the base first.

    at     the executor, in its run
    edge   the edge group, in the same run
    note   a sentence more, or ""
    """

    kind: CauseKind
    text: str
    outcomes: Sequence[Outcome] = (Outcome(), Outcome())
    at: Place = _NOWHERE
    edge: str = ""
    note: str = ""


class Both(NamedTuple):
    """The two barriers at which the runs differ first; None where a line has ended.
    `base_end` and `other_end` are the last barriers of the lines.
    """

    base: Snapshot | None
    other: Snapshot | None
    base_end: Snapshot
    other_end: Snapshot


def reason_of(both: Both, graph: Sequence[Change]) -> Reason:
    """Return why the runs part. `graph` has the differences of their graphs, one of
    which may be the reason.
    """
    base = both.base
    other = both.other
    if base is None or other is None:
        return _end(both)
    reason = _reason(base, other)
    return _with_graph(reason, graph)


def _reason(base: Snapshot, other: Snapshot) -> Reason:
    causes = {_cause(base), _cause(other)}
    if Cause.EDIT in causes:
        return _edit(base, other) or replace(_values(base, other), kind="edit")
    if causes == {Cause.INPUT}:
        return _input(base, other)
    if Cause.RESPONSE in causes:
        return _answer(base, other) or _values(base, other)
    return (
        _edge(base, other)
        or _call(base, other)
        or _order(base, other)
        or _values(base, other)
    )


def _cause(snapshot: Snapshot) -> Cause | None:
    return snapshot.header.cause if snapshot.header is not None else None


# --- the ends of lines, inputs and answers ------------------------------------------------------------------------


def _end(both: Both) -> Reason:
    if both.base is None:
        end, other, name = both.base_end, both.other, "A"
    else:
        end, other, name = both.other_end, both.base, "B"
    ended = "has no further checkpoint"
    header = end.header
    if header is not None and header.status in _STATUS:
        ended = f"{_STATUS[WorkflowRunState(header.status)]} here"
    further = ""
    if other is not None and other.header is not None:
        further = f"goes on to superstep {other.header.superstep}"
    before = other.header.parent if other is not None and other.header else None
    if header is not None and header.id == before:
        # Nothing parts here: one of the two is a checkpoint of the other's past.
        text = f"{name} is on the way to {'B' if name == 'A' else 'A'}"
        ended = f"superstep {header.superstep}"
    else:
        text = f"{name} ends here"
    outcomes = [Outcome(ended), Outcome(further)]
    if name == "B":
        outcomes.reverse()
    return Reason("end", text, outcomes)


def _input(base: Snapshot, other: Snapshot) -> Reason:
    inputs = [_input_of(side) for side in (base, other)]
    outcomes = [
        Outcome() if item is None else Outcome("", item.data) for item in inputs
    ]
    return Reason(
        "input", "The input of the run", outcomes, Place((), base.graph.start)
    )


def _input_of(snapshot: Snapshot) -> Message | None:
    inputs = (item for item in snapshot.state.queue if kind_of(item) == "input")
    return next(inputs, None)


def _edit(base: Snapshot, other: Snapshot) -> Reason | None:
    """Return how a changed workflow took one of the runs over, or how much of it was
    edited; None if neither was.
    """
    headers = [side.header for side in (base, other)]
    changed = ["" if header is None else header.changed for header in headers]
    if any(changed):
        outcomes = [Outcome(words or "the workflow as it was") for words in changed]
        note = "The run went on there with the changed workflow."
        return Reason("edit", "The workflow was changed", outcomes, note=note)
    edited = ["" if header is None else header.edited for header in headers]
    if any(edited):
        outcomes = [Outcome(words or "the run as it was") for words in edited]
        note = "The run went on there with edited values."
        return Reason("edit", "The run was edited", outcomes, note=note)
    return None


def _answer(base: Snapshot, other: Snapshot) -> Reason | None:
    first = _answers(base)
    second = _answers(other)
    for request_id in [*first, *(name for name in second if name not in first)]:
        answers = first.get(request_id), second.get(request_id)
        outcomes = [
            Outcome(_without_answer(side, request_id))
            if answer is None
            else Outcome("", answer[1].data)
            for answer, side in zip(answers, (base, other), strict=True)
        ]
        if _are_equal(*(outcome.value for outcome in outcomes)):
            continue
        way, message = answers[0] or answers[1] or ((), None)
        if message is not None and message.request is not None:
            return Reason(
                "answer",
                f"An answer to {title_of(message.request.data)}",
                outcomes,
                Place(way, message.request.executor_id),
                note=_answered_note(*(answer is not None for answer in answers)),
            )
    return None


def _answers(snapshot: Snapshot) -> dict[str, tuple[tuple[str, ...], Message]]:
    """Return the answers that a barrier added, by the ids of the questions, the
    innermost run last.
    """
    if _cause(snapshot) is not Cause.RESPONSE:
        return {}
    answers = {}
    for way, state in frames(snapshot.state):
        for message in state.queue:
            if message.request is not None:
                answers[message.request.id] = (way_of(way), message)
    return answers


def _without_answer(snapshot: Snapshot, request_id: str) -> str:
    if request_id in snapshot.state.requests:
        return "no answer; the question stays open"
    return "no answer"


def _answered_note(base: bool, other: bool) -> str:
    if base and other:
        return "The answers differ."
    return "Only A was answered." if base else "Only B was answered."


def _are_equal(base: Any, other: Any) -> bool:
    if base is NOTHING or other is NOTHING:
        return base is other
    return is_equal(base, other)


# --- edges --------------------------------------------------------------------------------------------------------

_Way = tuple[str, str, str]


def _edge(base: Snapshot, other: Snapshot) -> Reason | None:
    first = _ways(base.trace.fates)
    second = _ways(other.trace.fates)
    for way in [*first, *(way for way in second if way not in first)]:
        if first.get(way) == second.get(way):
            continue
        source, target, edge = way
        path, _, source = source.rpartition("/")
        at = Place(
            way_of(f"{path}/") if path else (), target.rpartition("/")[2], source
        )
        names = f"{_title(base, at, source)} → {_title(base, at, at.executor)}"
        return Reason(
            "edge",
            f"The edge {names}",
            [Outcome(_fate_words(side.get(way, []))) for side in (first, second)],
            at,
            edge=edge.rpartition("/")[2],
        )
    return None


def _ways(fates: Sequence[Fate]) -> dict[_Way, list[tuple[str, int, str, str]]]:
    ways: dict[_Way, list[tuple[str, int, str, str]]] = {}
    for fate in fates:
        way = (fate.source_id, fate.target_id or "", fate.edge_id or "")
        taken = (fate.kind, fate.count, fate.reason, fate.case)
        ways.setdefault(way, []).append(taken)
    return ways


def _fate_words(fates: Sequence[tuple[str, int, str, str]]) -> str:
    if not fates:
        return "no message came along it"
    words = []
    for kind, count, reason, case in fates:
        text = f"{kind} {count}" if count > 1 else kind
        if case:
            number = case if case == "default" else str(int(case) + 1)
            text += f" by case {number}"
        words.append(f"{text}: {reason}" if reason else text)
    return ", ".join(words)


# --- calls of executors -------------------------------------------------------------------------------------------


def _call(base: Snapshot, other: Snapshot) -> Reason | None:
    reasons = []
    shared_keys = _keys_of_several(base) | _keys_of_several(other)
    for name in _called(base, other):
        *way, executor = name.split("/")
        at = Place(tuple(way), executor)
        reason = _call_of(name, at, (base, other), shared_keys)
        if reason is not None:
            reasons.append(reason)
    # What an executor did otherwise because of a run inside it is no cause.
    for reason in reasons:
        if not any(_is_inside(further, reason) for further in reasons):
            return reason
    return None


def _is_inside(inner: Reason, outer: Reason) -> bool:
    way = inner.at.way
    depth = len(outer.at.way)
    if len(way) <= depth or way[:depth] != outer.at.way:
        return False
    return way[depth].rpartition("#")[0] == outer.at.executor


def _called(base: Snapshot, other: Snapshot) -> list[str]:
    """Return the executors that were called on either side, in the order of calls."""
    calls = [*base.trace.invocations, *other.trace.invocations]
    return list(dict.fromkeys(call.executor_id for call in calls))


def _keys_of_several(snapshot: Snapshot) -> set[str]:
    """Return the keys that several executors wrote: their values name no writer."""
    writers: dict[str, set[str]] = {}
    for write in snapshot.trace.writes:
        writers.setdefault(write.key, set()).add(write.executor_id)
    return {key for key, names in writers.items() if len(names) > 1}


def _call_of(
    name: str,
    at: Place,
    both: tuple[Snapshot, Snapshot],
    shared_keys: set[str],
) -> Reason | None:
    """Return what an executor did otherwise; None if it did the same."""
    title = _title(both[0], at, at.executor)
    calls = [_calls(side, name) for side in both]
    if not calls[0] or not calls[1]:
        ran = [Outcome("ran" if some else "did not run") for some in calls]
        return Reason("call", f"{title} ran on one side only", ran, at)
    errors = [", ".join(call.error for call in some if call.error) for some in calls]
    if errors[0] != errors[1]:
        failed = [Outcome(error or "no error") for error in errors]
        return Reason("call", f"{title} failed otherwise", failed, at)
    effects = [dict(_effects(side, at, shared_keys)) for side in both]
    for verb in [*effects[0], *(verb for verb in effects[1] if verb not in effects[0])]:
        outcomes = [
            Outcome("", side[verb]) if verb in side else Outcome("nothing")
            for side in effects
        ]
        if not _are_equal(*(outcome.value for outcome in outcomes)):
            return Reason("call", f"{title} {verb}", outcomes, at)
    return None


def _calls(snapshot: Snapshot, name: str) -> list[Invocation]:
    return [call for call in snapshot.trace.invocations if call.executor_id == name]


def _effects(
    snapshot: Snapshot, at: Place, shared_keys: set[str]
) -> Iterator[tuple[str, Any]]:
    """Yield what an executor did in the superstep: the verb, and the values."""
    run = snapshot.run_at(at.way) if at.way else snapshot
    name = "/".join((*at.way, at.executor))
    calls = _calls(snapshot, name)
    if run is None:  # it has ended, and what it did went to the outer run
        yield "sent", [call.sent for call in calls]
        return
    state = run.state
    keys = dict.fromkeys(key for call in calls for key in call.wrote)
    for key in keys:
        if key not in shared_keys:
            yield f"wrote {key}", state.shared.get(key)
    sent = [item.data for item in state.queue if item.source_id == at.executor]
    if sent:
        yield "sent", sent[0] if len(sent) == 1 else sent
    outputs = [
        output.data
        for output in snapshot.trace.outputs
        if not at.way and output.executor_id == at.executor
    ]
    if outputs:
        yield "put out", outputs[0] if len(outputs) == 1 else outputs
    for request_id in (name for call in calls for name in call.asked):
        request = state.requests.get(request_id)
        if request is not None:
            yield "asked", request.data
    record = state.executors.get(at.executor)
    if record is not None and record.state:
        yield "kept", dict(record.state)


def _order(base: Snapshot, other: Snapshot) -> Reason | None:
    """Return the key that several executors wrote, whose merged values differ."""
    for key in sorted(_keys_of_several(base) | _keys_of_several(other)):
        outcomes = [
            Outcome(_writers_of(side, key), side.state.shared.get(key, NOTHING))
            for side in (base, other)
        ]
        if not _are_equal(*(outcome.value for outcome in outcomes)):
            text = f"Several executors wrote {key}"
            return Reason("order", text, outcomes, Place(key=key))
    return None


def _writers_of(snapshot: Snapshot, key: str) -> str:
    titles = snapshot.graph.titles
    names = [write.executor_id for write in snapshot.trace.writes if write.key == key]
    return ", then ".join(titles.get(name, name) for name in names)


# --- whatever else differs ----------------------------------------------------------------------------------------


def _values(base: Snapshot, other: Snapshot) -> Reason:
    change = next(run_changes(base, other), None)
    if change is None:
        return _kinds(base, other)
    outcomes = [Outcome(change.before, change.old), Outcome(change.after, change.new)]
    if change.kind == "added":
        outcomes[0] = Outcome("not there")
    if change.kind == "removed":
        outcomes[1] = Outcome("not there")
    text = f"{change.section}: {change.path}"
    return Reason("value", text, outcomes, change.at)


def _kinds(base: Snapshot, other: Snapshot) -> Reason:
    """Return that two equal barriers came to be in different ways, such as by an edit."""
    outcomes = [
        Outcome(f"{side.header.cause}, superstep {side.header.superstep}")
        if side.header is not None
        else Outcome()
        for side in (base, other)
    ]
    return Reason("value", "The checkpoints are of different kinds", outcomes)


def _with_graph(reason: Reason, graph: Sequence[Change]) -> Reason:
    """Name the part of the graph that differs, if the reason lies in it."""
    if not graph:
        return reason
    ways = [key.rpartition("#")[0] for key in reason.at.way[:1]]
    names = {
        f"node {reason.at.executor}",
        f"node {reason.at.source}",
        f"edge {reason.edge}",
        f"executor {reason.at.executor}",
        *(f"node {way}" for way in ways),
    }
    for change in graph:
        element = change.path.partition("[")[0]
        if element in names:
            note = f"Its part of the graph differs: {change.path}."
            return replace(reason, kind="graph", note=note)
    return replace(reason, note=reason.note or "The graphs of the two differ as well.")


def _title(snapshot: Snapshot, at: Place, node: str) -> str:
    run = snapshot.run_at(at.way) if at.way else snapshot
    titles: Mapping[str, str] = run.graph.titles if run is not None else {}
    return titles.get(node, node)
