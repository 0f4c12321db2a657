"""The parts of a checkpoint as bytes: what stands in each kind, one pair of functions per kind.

Format 1. User values stand as the codec makes them, our own as plain lists:

    shared      the value; the part's name is the key
    executor    [state, runs, last_superstep]
    buffer      [message, …]
    queue       [superstep, [message, …]]
    request     [executor_id, data, response_type, superstep, ordinal, schema]; the part's name is the id
    trace       [invocations, fates, releases, outputs, writes, asked, answered, seconds]
    definition  the document
    child       any of these kinds, of a child run; the name is a JSON list of the way there: [child key, …, kind, name]

A message is [data, source_id, target_id, request], a request in a message [id, …as above].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

import orjson

from runtime.codec import TypeRegistry, encode
from runtime.message import Message, Request
from runtime.state import ExecutorRecord, Fate, Invocation, Output, Release, Trace, Write

# Makes a value of the tree that the codec wrote; the text is the path for errors.
Make = Callable[[Any, str], Any]

_INVOCATION = attrgetter(*Invocation.__dataclass_fields__)
_FATE = attrgetter(*Fate.__dataclass_fields__)
_RELEASE = attrgetter(*Release.__dataclass_fields__)
_WRITE = attrgetter(*Write.__dataclass_fields__)


# --- to bytes -----------------------------------------------------------------------------------------------------


def shared_bytes(key: str, value: Any, types: TypeRegistry) -> bytes:
    return encode(value, types, _state_path(key))


def executor_bytes(executor_id: str, record: ExecutorRecord, types: TypeRegistry) -> bytes:
    state = encode(dict(record.state), types, f"executor {executor_id!r} ") if record.state else b"{}"
    return orjson.dumps([orjson.Fragment(state), record.runs, record.last_superstep])


def buffer_bytes(_: str, messages: Sequence[Message], types: TypeRegistry) -> bytes:
    return orjson.dumps([_message_row(message, types) for message in messages])


def queue_bytes(superstep: int, queue: Sequence[Message], types: TypeRegistry) -> bytes:
    return orjson.dumps([superstep, [_message_row(message, types) for message in queue]])


def request_bytes(_: str, request: Request, types: TypeRegistry) -> bytes:
    return orjson.dumps(_request_row(request, types)[1:])


def trace_bytes(trace: Trace, types: TypeRegistry) -> bytes:
    outputs = [
        [output.executor_id, _value(output.data, types, f"output of {output.executor_id!r}")]
        for output in trace.outputs
    ]
    return orjson.dumps(
        [
            list(map(_INVOCATION, trace.invocations)),
            list(map(_FATE, trace.fates)),
            list(map(_RELEASE, trace.releases)),
            outputs,
            list(map(_WRITE, trace.writes)),
            trace.asked,
            trace.answered,
            trace.seconds,
        ]
    )


def _message_row(message: Message, types: TypeRegistry) -> list[Any]:
    request = None if message.request is None else _request_row(message.request, types)
    data = _value(message.data, types, f"message from {message.source_id!r}")
    return [data, message.source_id, message.target_id, request]


def _request_row(request: Request, types: TypeRegistry) -> list[Any]:
    path = f"request {request.id!r}"
    return [
        request.id,
        request.executor_id,
        _value(request.data, types, path),
        _value(request.response_type, types, f"{path} response_type"),
        request.superstep,
        request.ordinal,
        _value(request.schema, types, f"{path} schema"),
    ]


def _value(value: Any, types: TypeRegistry, path: str) -> orjson.Fragment:
    return orjson.Fragment(encode(value, types, path))


def _state_path(key: str) -> str:
    return f"state[{key!r}]"


# --- from bytes ---------------------------------------------------------------------------------------------------
# A tree of another shape raises TypeError, ValueError or LookupError.


def make_shared(key: str, tree: Any, make: Make) -> Any:
    return make(tree, _state_path(key))


def make_executor(executor_id: str, tree: Any, make: Make) -> ExecutorRecord:
    state, runs, last_superstep = tree
    return ExecutorRecord(make(state, f"executor {executor_id!r} "), runs, last_superstep)


def make_messages(_: str, rows: Any, make: Make) -> tuple[Message, ...]:
    return tuple([_make_message(row, make) for row in rows])


def make_queue(tree: Any, make: Make) -> tuple[int, tuple[Message, ...]]:
    superstep, rows = tree
    return superstep, make_messages("", rows, make)


def make_request(request_id: str, row: Any, make: Make) -> Request:
    executor_id, data, response_type, superstep, ordinal, schema = row
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
    invocations, fates, releases, outputs, writes, asked, answered, seconds = tree
    return Trace(
        tuple([Invocation(row[0], row[1], tuple(row[2]), *row[3:]) for row in invocations]),
        tuple([Fate(*row) for row in fates]),
        tuple([Release(edge_id, target_id, tuple(counts)) for edge_id, target_id, counts in releases]),
        tuple([Output(executor_id, make(data, f"output of {executor_id!r}")) for executor_id, data in outputs]),
        tuple([Write(*row) for row in writes]),
        tuple(asked),
        tuple(answered),
        seconds,
    )


def _make_message(row: Any, make: Make) -> Message:
    data, source_id, target_id, request = row
    made = None if request is None else make_request(request[0], request[1:], make)
    return Message(make(data, f"message from {source_id!r}"), source_id, target_id, made)
