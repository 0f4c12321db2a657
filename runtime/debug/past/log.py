"""The log of recorded supersteps: a line for each thing that happened, with the names
and values of messages, from the store alone.

A record has neither progress nor the warnings of the engine. Two warnings follow from
what it has: a message that nobody took, and a join that waits for ever.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from runtime.checkpoint import Cause, CheckpointHeader
from runtime.debug.facts.fact import NOT_RECORDED, Fact, FactKind
from runtime.debug.past.reader import Past, Read, Wants
from runtime.debug.past.recorded_facts import DELETED
from runtime.debug.protocol import CheckpointCounts, EventItem
from runtime.debug.supersteps.message_fates import losses
from runtime.debug.values.shapes import MASKED, clean, preview
from runtime.document.secret_names import is_secret
from runtime.state import LIVE, Fate, Invocation, Trace
from runtime.values.words import duration

# What happens before the barrier, in the order in which a superstep does it.
KINDS: tuple[FactKind, ...] = (
    "message",
    "dropped",
    "fires",
    "after",
    "failure",
    "write",
    "question",
    "answer",
    "output",
    "starves",
)
WARNING = "warning"
SUPERSTEP = "superstep"
CHECKPOINT = "checkpoint"
_BEFORE = Wants(frozenset({"queue", "buffer", "request"}), written=True)
_AFTER = Wants(frozenset({"queue", "buffer", "request"}), written=True)


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of the log. `kind` is that of a fact, or warning, superstep, checkpoint.
    `seconds` is how long a call or superstep took, and `fact` what the line is about.
    """

    kind: str
    text: str
    path: tuple[str, ...] = ()
    executor: str = ""
    seconds: float | None = None
    fact: Fact | None = None


async def read_log(
    past: Past, headers: Sequence[CheckpointHeader]
) -> list[tuple[CheckpointHeader, list[LogLine]]]:
    """Return the lines of these checkpoints, in the given order."""
    reads = await past.steps(await past.traces(headers), _BEFORE, _AFTER)
    return [(read.header, list(lines_of(read))) for read in reads]


def log_items(
    logs: Iterable[tuple[CheckpointHeader, Sequence[LogLine]]],
) -> tuple[EventItem, ...]:
    """Return the lines as the protocol sends them, numbered from 1."""
    lines = [(header, line) for header, lines in logs for line in lines]
    return tuple(
        EventItem(
            number=number,
            time=header.time,
            kind=log_line.kind,
            superstep=header.superstep,
            path=log_line.path,
            text=clean(log_line.text),
            checkpoint_id=header.id,
            executor=log_line.executor,
        )
        for number, (header, log_line) in enumerate(lines, 1)
    )


def lines_of(read: Read) -> Iterator[LogLine]:
    """Yield the lines of one checkpoint: what led to it, then the checkpoint."""
    header = read.header
    if read.error:
        yield LogLine(WARNING, f"cannot be read: {read.error}")
        return
    if header.cause is Cause.SUPERSTEP:
        yield from _superstep(read)
    else:
        yield from map(_fact_line, read.facts(["answer"]))
    if header.cause in (Cause.SUPERSTEP, Cause.INPUT):
        for fact in read.facts(["starves"]):
            yield _fact_line(fact)
    yield LogLine(CHECKPOINT, _saved(header))


def _superstep(read: Read) -> Iterator[LogLine]:
    trace = read.trace
    calls = _Calls(trace)
    if read.step is not None and read.step.before is None and trace.fates:
        yield LogLine(
            WARNING,
            "the checkpoint before is not in the store, so messages have no values",
        )
    for fact in read.facts(KINDS):
        if fact.kind == "starves":
            continue
        if fact.kind in ("after", "failure"):
            yield calls.line(fact)
        else:
            yield _fact_line(fact)
    for source, count in lost_messages(trace).items():
        noun = "message" if count == 1 else "messages"
        path, executor = parted(source)
        text = f"{count} {noun} of {executor} went nowhere"
        yield LogLine(WARNING, text, path, executor)
    yield LogLine(SUPERSTEP, f"took {duration(trace.seconds)}", seconds=trace.seconds)


class _Calls:
    """The handler calls of a trace, by executor, each taken once."""

    def __init__(self, trace: Trace) -> None:
        self._calls: dict[str, Iterator[Invocation]] = {}
        by_name: dict[str, list[Invocation]] = {}
        for invocation in trace.invocations:
            by_name.setdefault(invocation.executor_id, []).append(invocation)
        self._calls = {name: iter(calls) for name, calls in by_name.items()}

    def line(self, fact: Fact) -> LogLine:
        """Return the line of the next call of an executor."""
        name = "/".join((*fact.path, fact.executor))
        call = next(self._calls.get(name, iter(())), None)
        seconds = None if call is None else call.seconds
        text = _text_of(fact)
        if call is not None and call.origin != LIVE:
            text = f"{text} · {call.origin} result"
        if seconds is not None:
            text = f"{text} · {duration(seconds)}"
        return LogLine(fact.kind, text, fact.path, fact.executor, seconds, fact)


def _fact_line(fact: Fact) -> LogLine:
    executor = fact.executor or fact.source
    return LogLine(fact.kind, _text_of(fact), fact.path, executor, fact=fact)


def text_of(fact: Fact) -> str:
    """Return a fact in one line, such as `rank wrote risk: 0.42 → 0.86`."""
    return clean(_text_of(fact))


def _text_of(fact: Fact) -> str:
    value = value_text(fact, fact.value)
    executor = fact.executor
    match fact.kind:
        case "message":
            return f"{fact.source} → {executor}: {value}"
        case "dropped":
            target = executor or "nowhere"
            return f"{fact.source} → {target} dropped, {fact.reason}: {value}"
        case "fires":
            return f"the join into {executor} fires: {value}"
        case "starves":
            waits = f", {fact.reason}" if fact.reason else ""
            return f"the join into {executor} starves{waits}"
        case "before":
            return f"{executor} gets {value}"
        case "after":
            return f"{executor} took {value}"
        case "failure":
            return f"attempt {fact.attempt} of {executor} failed: {fact.reason}"
        case "write" if fact.reason == DELETED:
            return f"{executor} deleted {fact.key}: {value_text(fact, fact.old)}"
        case "write":
            old = value_text(fact, fact.old)
            return f"{executor} wrote {fact.key}: {old} → {value}"
        case "question":
            return f"{executor} asks {value}"
        case "answer":
            return f"{executor} is answered {value}"
        case "output":
            return f"{executor} outputs {value}"
        case "checkpoint":
            return _state_text(fact)


def _state_text(fact: Fact) -> str:
    """Return the keys of the state that a question names, with their values."""
    if not fact.state:
        return f"superstep {fact.superstep}"
    return preview(dict(fact.state)).removeprefix("{").removesuffix("}")


def value_text(fact: Fact, value: Any) -> str:
    """Return a value of a fact in one line. Secrets are masked."""
    if value is NOT_RECORDED:
        return repr(value)
    if value is not None and is_secret(fact.key):
        return MASKED
    return preview(value)


def _saved(header: CheckpointHeader) -> str:
    cause = "" if header.cause is Cause.SUPERSTEP else f" ({header.cause.value})"
    return f"saved on {header.branch}{cause}"


# --- counts -------------------------------------------------------------------------------------------------------


def counts_of(read: Read) -> CheckpointCounts:
    """Return how many messages were dropped and lost, and how many calls failed, on the
    way to a checkpoint.
    """
    trace = read.trace
    if read.header.cause is not Cause.SUPERSTEP:
        return CheckpointCounts(checkpoint_id=read.header.id)
    return CheckpointCounts(
        checkpoint_id=read.header.id,
        dropped=sum(fate.count for fate in trace.fates if fate.kind == "dropped"),
        lost=sum(lost_messages(trace).values()),
        failures=sum(bool(call.error) for call in trace.invocations),
        starving=read.header.stalled,
    )


def lost_messages(trace: Trace) -> dict[str, int]:
    """Return how many messages of each source nobody took, as far as it is recorded."""
    lost: dict[str, int] = {}
    for fate, count in losses(trace.fates).items():
        if count:
            source = _source_of(fate)
            # A message that several edges dropped is one message.
            lost[source] = max(lost.get(source, 0), count)
    return lost


def _source_of(fate: Fate) -> str:
    return fate.source_id


def parted(name: str) -> tuple[tuple[str, ...], str]:
    """Return the keys of the runs that lead to an executor, and its id there."""
    *keys, executor_id = name.split("/")
    is_way = bool(keys) and all(
        "#" in key and key.rpartition("#")[2].isdecimal() for key in keys
    )
    return (tuple(keys), executor_id) if is_way else ((), name)
