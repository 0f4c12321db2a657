"""What the debugger in the terminal prints, line by line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from runtime.cli.report import shorten
from runtime.cli.why import value_text, words_of
from runtime.debug.protocol import (
    Breakpoint,
    BreakpointStatus,
    DeliveryMoment,
    Header,
    JoinMoment,
    JoinSource,
    Moment,
    ProvenanceBody,
    StoppedBody,
    Value,
)
from runtime.values.words import counted

_REASONS = {
    "entry": "at its input",
    "step": "after superstep {superstep}",
    "pause": "paused after superstep {superstep}",
    "restored": "restored at superstep {superstep}",
    "finished": "finished after superstep {superstep}",
    "waiting": "waits for an answer: see requests",
    "stalled": "ended after superstep {superstep}, and a join waits for ever: see joins",
    "failed": "failed in superstep {next}",
    "limit": "reached the limit of supersteps",
    "cancelled": "stopped after superstep {superstep}",
    "breakpoint": "at a breakpoint in superstep {next}",
    "delivery": "in superstep {next}",
    "here": "arrived, in superstep {superstep}",
    "held": "only held executors are left in superstep {next}",
    "code": "at breakpoint_here() in superstep {next}",
    "outside": "before a call that reaches outside again, in superstep {next}; to make it: c live",
}


def stop(stopped: StoppedBody) -> Iterator[str]:
    """Why the run stands, and where."""
    words = _REASONS.get(stopped.reason, stopped.reason)
    place = words.format(superstep=stopped.superstep, next=stopped.superstep + 1)
    yield f"■ {place} · {stopped.branch}"
    delivery = stopped.delivery
    if delivery is not None:
        name = "/".join((*delivery.path, delivery.executor))
        yield f"  delivery {delivery.place} of {delivery.of}: {name}"
    if stopped.breakpoint is not None:
        hit = stopped.breakpoint
        yield f"  breakpoint {hit.id}, hit {hit.hit}: {hit.because or hit.where}"
    if stopped.reason == "failed":
        yield f"  {stopped.executor or 'the run'}: {stopped.error_type}: {stopped.text}"
    elif stopped.text:
        yield f"  {stopped.text}"


def value_lines(name: str, value: Value, indent: int = 2) -> Iterator[str]:
    """A value with its children, as far as they were sent."""
    space = " " * indent
    if not value.children:
        yield f"{space}{name}: {value.text}"
        return
    yield f"{space}{name}: {value.type}, {counted(value.count, 'item')}"
    for key, child in value.children:
        yield from value_lines(key, child, indent + 2)


def state(moment: Moment, key: str = "") -> Iterator[str]:
    """The shared state, or one key of it, and who wrote it last."""
    writers = {writer.key: writer for writer in moment.writers}
    entries = [
        (name, value)
        for name, value in moment.state.children or ()
        if key in ("", name)
    ]
    if not entries:
        yield f"  no key {key!r}" if key else "  the shared state is empty"
    for name, value in entries:
        if key:
            yield from value_lines(name, value)
        else:
            yield f"  {name}: {value.text}"
        if name in writers:
            writer = writers[name]
            yield f"      written by {', '.join(writer.executors)} in s{writer.superstep}"


def messages(moment: Moment) -> Iterator[str]:
    """Messages that are queued or held by joins."""
    if not moment.messages:
        yield "  no message waits"
    for message in moment.messages:
        target = f" → {message.target}" if message.target else ""
        since = "" if message.since is None else f" since s{message.since}"
        note = f" ({message.note})" if message.note else ""
        yield f"  {message.section}  {message.source}{target}: {message.data.text}{since}{note}"
    if moment.messages_left_out:
        yield f"  … {moment.messages_left_out:,} more"


def joins(moment: Moment) -> Iterator[str]:
    """The ledger of each join."""
    if not moment.joins:
        yield "  this workflow has no join"
    for join in moment.joins:
        yield f"  {join.edge} into {join.target}: {_fill(join)}"
        width = max((len(source.id) for source in join.sources), default=0)
        for source in join.sources:
            yield f"    {_source(source, width)}"
        for release in join.releases[:1]:
            counts = ", ".join(f"{count} of {id_}" for id_, count in release.counts)
            yield f"    released last in s{release.superstep}: {counts}"


def _fill(join: JoinMoment) -> str:
    if join.fired:
        return f"fired in s{join.fired}"
    words = f"{join.filled} of {join.awaited}"
    if join.missing and join.held:
        words += f", waits for {', '.join(join.missing)}"
    return f"{words}, for ever" if join.stalled else words


def _source(source: JoinSource, width: int) -> str:
    mark = "✓" if source.have else "…"
    need = f" of {source.need}" if source.need else ""
    since = f"since s{source.since}" if source.since is not None else ""
    facts = " · ".join(filter(None, (since, source.reason)))
    values = ", ".join(message.text for message in source.messages)
    return (
        f"{mark} {source.id:<{width}}  {source.have}{need}  {values}  {facts}".rstrip()
    )


def requests(moment: Moment) -> Iterator[str]:
    """Open questions, with what answers them."""
    if not moment.requests:
        yield "  no question is open"
    for request in moment.requests:
        yield f"  {request.id}  {request.executor}: {request.title}"
        yield f"    answer {request.id} JSON"


def outputs(moment: Moment) -> Iterator[str]:
    """What was put out in the superstep that led here."""
    if not moment.outputs:
        yield "  no output in this superstep"
    for number, (executor, value) in enumerate(moment.outputs):
        yield f"  output:{number}  {executor}: {value.text}"


def where(moment: Moment, stopped: StoppedBody | None) -> Iterator[str]:
    """Where the run stands, and what comes next."""
    if stopped is not None:
        yield from stop(stopped)
    if moment.standing is not None:
        for delivery in moment.standing.deliveries:
            yield f"  {_delivery(delivery)}"
    else:
        runs = [node for node, its in moment.nodes.items() if its.state == "next"]
        yield f"  next: {', '.join(runs) or 'nothing'}"


def _delivery(delivery: DeliveryMoment) -> str:
    name = "/".join((*delivery.path, delivery.executor))
    got = ", ".join(message.text for message in delivery.messages)
    line = f"{delivery.place}. {delivery.state:<7} {name}({got})"
    for verb, items in (
        ("sends", delivery.sent),
        ("puts out", delivery.outputs),
        ("writes", delivery.wrote),
        ("asks", delivery.asked),
    ):
        for item in items:
            key = f"{item.name} " if item.name else ""
            line += f", {verb} {key}{item.value.text}"
    return f"{line}: {delivery.error}" if delivery.error else line


def timeline(headers: Sequence[Header], looked_at: str) -> Iterator[str]:
    """Checkpoints, the shown one marked."""
    for header in headers:
        mark = "▶" if header.id == looked_at else " "
        facts = [header.cause, f"{header.queued} queued"]
        if header.buffered:
            facts.append(f"{header.buffered} held")
        if header.requests:
            facts.append(counted(header.requests, "question"))
        yield f"{mark} s{header.superstep:<4} {header.id[:8]}  {header.branch}  {', '.join(facts)}"


def provenance(body: ProvenanceBody) -> Iterator[str]:
    """Where a value comes from."""
    width = len(str(len(body.steps)))
    for step in body.steps:
        place = f"{step.number:{width}}  s{step.superstep}"
        value = shorten(value_text(step.item.value))
        yield f"  {place}  {words_of(step)}: {value}"


def breakpoints(
    items: Iterable[Breakpoint], statuses: Sequence[BreakpointStatus]
) -> Iterator[str]:
    """The breakpoints, and what became of each."""
    by_id = {status.id: status for status in statuses}
    is_empty = True
    for item in items:
        is_empty = False
        status = by_id.get(item.id)
        place = "/".join((*item.inside, item.where or "any"))
        condition = f" if {item.condition}" if item.condition else ""
        log = f" log {item.log}" if item.log else ""
        yield f"  {item.id}  {item.kind} {place}{condition}{log}{_verdict(status)}"
    if is_empty:
        yield "  no breakpoint is set"


def new_errors(
    before: Sequence[BreakpointStatus], after: Sequence[BreakpointStatus]
) -> Iterator[str]:
    """The breakpoints whose condition could not be evaluated for the first time."""
    known = {status.id for status in before if status.error}
    for status in after:
        if status.error and status.id not in known:
            yield f"breakpoint {status.id} did not stop the run: {status.error}"


def _verdict(status: BreakpointStatus | None) -> str:
    if status is None:
        return ""
    if not status.verified:
        return f"  — never hit: {status.reason}"
    error = f", {status.error}" if status.error else ""
    return f"  — {counted(status.hits, 'hit')}{error}"
