"""The parts of a checkpoint as bytes: two functions for each kind, and the table of the
kinds.

Format 1. User values are written by the codec, our own as plain lists:

    shared      the value; the part's name is the key
    executor    [state, runs, last_superstep]
    buffer      [message, …]
    queue       [superstep, [message, …]]; at its end `waited`, only if it is not 0
    request     [executor_id, data, response_type, superstep, ordinal, schema]; the part's name is the id
    trace       [invocations, fates, releases, outputs, writes, asked, answered, seconds]; an invocation has `wrote`
                and `asked` at its end, and a fate its `positions`, only if there are any; behind them an invocation
                has `attempt` and `error`, if its handler failed or was called again
    definition  the document
    change      how a changed workflow took the run over (`Checkpoint.change`); in format 3 only
    call        what a call did that reached outside (`runtime.checkpoints.calls`); in format 3 only, as `origin` is
    child       any of these kinds, of a child run; the name is a JSON list of the path: [child key, …, kind, name]

A message is [data, source_id, target_id, request], a request in a message [id, …as
above].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from runtime.checkpoint import is_text
from runtime.codec import TypeRegistry, encode
from runtime.errors import EncodeError
from runtime.message import Message, Request
from runtime.state import (
    LIVE,
    ExecutorRecord,
    Fate,
    Invocation,
    Output,
    Release,
    Trace,
    Write,
)

# Makes a value from the tree that the codec wrote; the text is the path for errors.
Make = Callable[[Any, str], Any]

# --- to bytes -----------------------------------------------------------------------------------------------------


def shared_bytes(key: str, value: Any, types: TypeRegistry) -> bytes:
    try:
        return encode(value, types)
    except EncodeError:
        # Again for the path, because making a path for every value would cost as much
        # as encoding a small one.
        return encode(value, types, _state_path(key))


def executor_bytes(
    executor_id: str, record: ExecutorRecord, types: TypeRegistry
) -> bytes:
    if record.state:
        state = encode(dict(record.state), types, f"executor {executor_id!r} ")
    else:
        state = b"{}"
    return _bytes([orjson.Fragment(state), record.runs, record.last_superstep])


def buffer_bytes(_: str, messages: Sequence[Message], types: TypeRegistry) -> bytes:
    return _bytes([message_row(message, types) for message in messages])


def queue_bytes(
    superstep: int, queue: Sequence[Message], types: TypeRegistry, waited: int = 0
) -> bytes:
    row = [superstep, [message_row(message, types) for message in queue]]
    return _bytes([*row, waited] if waited else row)


def request_bytes(_: str, request: Request, types: TypeRegistry) -> bytes:
    return _bytes(request_row(request, types)[1:])


def trace_bytes(trace: Trace, types: TypeRegistry) -> bytes:
    return _bytes(
        [
            [_invocation_row(invocation) for invocation in trace.invocations],
            [_fate_row(fate) for fate in trace.fates],
            [
                (release.edge_id, release.target_id, release.counts)
                for release in trace.releases
            ],
            [_output_row(output, types) for output in trace.outputs],
            [(write.key, write.executor_id, write.deleted) for write in trace.writes],
            trace.asked,
            trace.answered,
            trace.seconds,
        ]
    )


def _invocation_row(invocation: Invocation) -> Sequence[Any]:
    """Return a row without the items at its end that say nothing."""
    row: tuple[Any, ...] = (
        invocation.executor_id,
        invocation.handler,
        invocation.sources,
        invocation.messages,
        invocation.started,
        invocation.seconds,
        invocation.sent,
        invocation.outputs,
    )
    is_live = invocation.origin == LIVE
    is_first = invocation.attempt == 1 and not invocation.error and is_live
    if is_first and not invocation.wrote and not invocation.asked:
        return row
    row = (*row, invocation.wrote, invocation.asked)
    if is_first:
        return row
    row = (*row, invocation.attempt, invocation.error)
    return row if is_live else (*row, invocation.origin)


def _fate_row(fate: Fate) -> Sequence[Any]:
    row = (
        fate.kind,
        fate.source_id,
        fate.target_id,
        fate.edge_id,
        fate.count,
        fate.reason,
        fate.case,
    )
    return (*row, fate.positions) if fate.positions else row


def _output_row(output: Output, types: TypeRegistry) -> Sequence[Any]:
    executor_id = output.executor_id
    return executor_id, _value(output.data, types, "output of", executor_id)


def message_row(message: Message, types: TypeRegistry) -> Sequence[Any]:
    request = message.request
    return (
        _value(message.data, types, "message from", message.source_id),
        message.source_id,
        message.target_id,
        None if request is None else request_row(request, types),
    )


def request_row(request: Request, types: TypeRegistry) -> list[Any]:
    request_id = request.id
    return [
        request_id,
        request.executor_id,
        _value(request.data, types, "request", request_id),
        _value(request.response_type, types, "request", request_id, " response_type"),
        request.superstep,
        request.ordinal,
        _value(request.schema, types, "request", request_id, " schema"),
    ]


def _value(
    value: Any, types: TypeRegistry, owner: str, name: str, place: str = ""
) -> orjson.Fragment:
    """Return a value as the codec writes it; `owner`, `name` and `place` make its path
    in an error.
    """
    try:
        return orjson.Fragment(encode(value, types))
    except EncodeError:
        # Again for the path, for the reason of `shared_bytes`.
        return orjson.Fragment(encode(value, types, f"{owner} {name!r}{place}"))


def _bytes(row: list[Any]) -> bytes:
    try:
        return orjson.dumps(row)
    except TypeError as error:
        odd = next((name for name in _texts(row) if not is_text(name)), None)
        if odd is None:
            raise
        raise EncodeError(
            "a name holds a lone surrogate: use proper text", repr(odd)
        ) from error


def _texts(row: Any) -> Iterator[str]:
    if isinstance(row, str):
        yield row
    elif isinstance(row, list | tuple):
        for item in row:
            yield from _texts(item)


def _state_path(key: str) -> str:
    return f"state[{key!r}]"


# --- from bytes ---------------------------------------------------------------------------------------------------
# A tree of another shape raises TypeError, ValueError or LookupError, so that nothing
# of it reaches a run or a view.

_Kinds = tuple[type | tuple[type, ...], ...]
_NUMBER = (int, float)
_NAME = (str, type(None))
_EXECUTOR_KINDS: _Kinds = (object, int, int)
_MESSAGE_KINDS: _Kinds = (object, str, _NAME, (list, type(None)))
_REQUEST_KINDS: _Kinds = (str, object, object, int, int, object)
_INVOCATION_KINDS: _Kinds = (
    str,
    str,
    list,
    int,
    _NUMBER,
    _NUMBER,
    int,
    int,
    list,
    list,
    int,
    str,
    str,
)
_FATE_KINDS: _Kinds = (str, str, _NAME, _NAME, int, str, str)
_RELEASE_KINDS: _Kinds = (str, str, list)
_WRITE_KINDS: _Kinds = (str, str, int)


def _checked(row: Any, kinds: _Kinds) -> Any:
    """Return the row if its items are of these kinds. Too few or too many items are
    found when the caller unpacks it.
    """
    if not isinstance(row, list) or not all(map(isinstance, row, kinds)):
        raise TypeError(f"{row!r:.80} is not what stands here")
    return row


def _names(row: Any) -> tuple[str, ...]:
    return tuple(_checked(row, (str,) * len(row)))


def make_shared(key: str, tree: Any, make: Make) -> Any:
    return make(tree, _state_path(key))


def make_executor(executor_id: str, tree: Any, make: Make) -> ExecutorRecord:
    state, runs, last_superstep = _checked(tree, _EXECUTOR_KINDS)
    attributes = make(state, f"executor {executor_id!r} ")
    if not isinstance(attributes, dict):
        raise TypeError(f"the state of executor {executor_id!r} is no mapping")
    return ExecutorRecord(attributes, runs, last_superstep)


def make_messages(_: str, rows: Any, make: Make) -> tuple[Message, ...]:
    return tuple([_make_message(row, make) for row in rows])


def make_queue(tree: Any, make: Make) -> tuple[int, tuple[Message, ...], int]:
    superstep, rows, *optional = _checked(tree, (int, list, int))
    (waited,) = optional or (0,)
    return superstep, make_messages("", rows, make), waited


def make_request(request_id: str, row: Any, make: Make) -> Request:
    executor_id, data, response_type, superstep, ordinal, schema = _checked(
        row, _REQUEST_KINDS
    )
    path = f"request {request_id!r}"
    return Request(
        request_id,
        executor_id,
        make(data, path),
        make(response_type, f"{path} response_type"),
        superstep,
        ordinal,
        make(schema, f"{path} schema"),
    )


def make_trace(tree: Any, make: Make) -> Trace:
    invocations, fates, releases, outputs, writes, requested, answered, seconds = (
        _checked(tree, (*(list,) * 7, _NUMBER))
    )
    return Trace(
        tuple(
            [_make_invocation(*_checked(row, _INVOCATION_KINDS)) for row in invocations]
        ),
        tuple([_make_fate(*_checked(row, _FATE_KINDS)) for row in fates]),
        tuple([_make_release(*_checked(row, _RELEASE_KINDS)) for row in releases]),
        tuple([_make_output(*_checked(row, (str,)), make=make) for row in outputs]),
        tuple([Write(*_checked(row, _WRITE_KINDS)) for row in writes]),
        _names(requested),
        _names(answered),
        seconds,
    )


def _make_invocation(
    executor_id: str,
    handler: str,
    sources: Any,
    messages: int,
    started: float,
    seconds: float,
    sent: int,
    outputs: int,
    *effects: Any,
) -> Invocation:
    wrote, requested, *attempt = effects or ([], [])
    required = (
        executor_id,
        handler,
        _names(sources),
        messages,
        started,
        seconds,
        sent,
        outputs,
    )
    return Invocation(*required, _names(wrote), _names(requested), *attempt)


def _make_fate(
    kind: str,
    source_id: str,
    target_id: str,
    edge_id: str,
    count: int,
    reason: str,
    case: str = "",
    positions: Any = (),
) -> Fate:
    places = tuple(_checked(positions, (int,) * len(positions))) if positions else ()
    return Fate(kind, source_id, target_id, edge_id, count, reason, case, places)


def _make_release(edge_id: str, target_id: str, counts: Any) -> Release:
    return Release(edge_id, target_id, tuple(_checked(counts, (int,) * len(counts))))


def _make_output(executor_id: str, data: Any, *, make: Make) -> Output:
    return Output(executor_id, make(data, f"output of {executor_id!r}"))


def _make_message(row: Any, make: Make) -> Message:
    data, source_id, target_id, request = _checked(row, _MESSAGE_KINDS)
    if request is not None:
        request_id, *request_fields = _checked(request, (str,))
        request = make_request(request_id, request_fields, make)
    return Message(
        make(data, f"message from {source_id!r}"), source_id, target_id, request
    )


def make_definition(tree: Any, make: Make) -> Mapping[str, Any]:
    definition = make(tree, "definition")
    if not isinstance(definition, dict):
        raise TypeError("the definition is no mapping")
    return definition


def make_change(tree: Any, make: Make) -> Mapping[str, Any]:
    change = make(tree, "change")
    if not isinstance(change, dict):
        raise TypeError("the change is no mapping")
    return change


def make_patch(tree: Any, make: Make) -> Mapping[str, Any]:
    patch = make(tree, "patch")
    if not isinstance(patch, dict):
        raise TypeError("the patch is no mapping")
    return patch


# --- the kinds ----------------------------------------------------------------------------------------------------


class Kind(NamedTuple):
    """A kind of part of which a run has one for each entry of a mapping in its
    `RunState`.

    name       what the manifest of a checkpoint calls it
    attribute  the mapping in `RunState`; the name of a part is the key
    to_bytes   encodes a value, by its key
    make       makes the value again, from the key and the tree that was decoded
    """

    name: str
    attribute: str
    to_bytes: Callable[[str, Any, TypeRegistry], bytes]
    make: Callable[[str, Any, Make], Any]


# All mappings of a state that are saved. A new one is one line here, in any place, and
# a field of `RunState`.
KINDS: tuple[Kind, ...] = (
    Kind("shared", "shared", shared_bytes, make_shared),
    Kind("executor", "executors", executor_bytes, make_executor),
    Kind("buffer", "buffers", buffer_bytes, make_messages),
    Kind("request", "requests", request_bytes, make_request),
)

# The kinds of parts that a checkpoint has once, or that are no mapping of its state.
SINGLE_KINDS = frozenset(
    {"queue", "trace", "definition", "change", "patch", "call", "child"}
)


def known_kinds() -> frozenset[str]:
    """Return every kind of part that this version knows."""
    return SINGLE_KINDS | {kind.name for kind in KINDS}


def outputs_in(trace: bytes) -> bytes:
    """Return the outputs in the bytes of a trace, as bytes without times."""
    return orjson.dumps(orjson.loads(trace)[3])
