"""The part of a call that reached outside: to bytes and back.

One part for each call; its name is a JSON list: [key of an invocation, …, executor id,
ordinal]. The part is a JSON object: handler, what, harmless, code, received, own and
reads are always there; what the call did only if it did something; `omitted` says why
that is not kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from runtime.calls import Call, CallError, Inputs, Results
from runtime.checkpoints import parts as formats
from runtime.checkpoints.parts import Make
from runtime.codec import TypeRegistry, encode
from runtime.errors import EncodeError
from runtime.values.secret_forms import written_forms

KIND = "call"
# A larger result is not kept: it would cost more than most calls that it saves.
MOST_BYTES = 8_000_000
_UNKEPT = "it holds a secret"
_TOO_LARGE = f"it is larger than {MOST_BYTES // 1_000_000} MB"
_NOT_SAVABLE = "it holds a value that cannot be saved"


def call_name(call: Call) -> str:
    return _json([*call.path, call.executor_id, call.ordinal]).decode()


def call_bytes(call: Call, types: TypeRegistry) -> bytes:
    """Return a call as it is kept: without its results if these hold a secret, are too
    large or cannot be saved.
    """
    head = _head(call)
    omitted = call.omitted
    results = b""
    if not omitted:
        try:
            results = _json(_results_row(call.results, types))
        except EncodeError:
            omitted = _NOT_SAVABLE
    if len(results) > MOST_BYTES:
        omitted = _TOO_LARGE
    elif any(_holds(results, secret) for secret in call.secrets):
        omitted = _UNKEPT
    if omitted:
        return _json({**head, "omitted": omitted})
    return _json({**head, "results": orjson.Fragment(results)})


def _head(call: Call) -> dict[str, Any]:
    inputs = call.inputs
    return {
        "handler": call.handler,
        "what": call.what,
        "harmless": call.is_harmless,
        "code": inputs.code,
        "received": inputs.received,
        "own": inputs.own,
        "reads": dict(inputs.reads),
    }


def _results_row(results: Results, types: TypeRegistry) -> dict[str, Any]:
    row: dict[str, Any] = {}
    if results.sent:
        row["sent"] = [formats.message_row(message, types) for message in results.sent]
    if results.outputs:
        row["outputs"] = _values(results.outputs, types)
    if results.writes:
        row["writes"] = dict(
            zip(results.writes, _values(results.writes.values(), types), strict=True)
        )
    if results.deleted:
        row["deleted"] = list(results.deleted)
    if results.asked:
        row["asked"] = [
            formats.request_row(request, types) for request in results.asked
        ]
    if results.record is not None:
        row["record"] = orjson.Fragment(encode(dict(results.record), types))
    if results.error is not None:
        error = results.error
        row["error"] = [
            error.type,
            error.text,
            list(error.traceback),
            error.is_tried_again,
        ]
    return row


def _values(values: Iterable[Any], types: TypeRegistry) -> list[orjson.Fragment]:
    return [orjson.Fragment(encode(value, types)) for value in values]


def _json(value: Any) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError as error:
        raise EncodeError(
            "a name holds a lone surrogate: use proper text", "call"
        ) from error


def _holds(results: bytes, secret: str) -> bool:
    return any(form in results for form in written_forms(secret))


# --- from bytes ---------------------------------------------------------------------------------------------------
# A tree of another shape raises TypeError, ValueError or LookupError, as in `parts`.

_HEAD = {
    "handler": str,
    "what": str,
    "harmless": bool,
    "code": str,
    "received": str,
    "own": str,
    "reads": dict,
}


def make_call(name: str, tree: Any, make: Make) -> Call:
    """Return a call from its part."""
    call = head_of(name, tree)
    results = tree.get("results")
    if results is None:
        return call
    return _with_results(call, results_of(call, results, make))


def _with_results(call: Call, results: Results) -> Call:
    return Call(
        call.path,
        call.executor_id,
        call.ordinal,
        call.handler,
        call.what,
        call.is_harmless,
        call.inputs,
        results,
    )


def head_of(name: str, tree: Any) -> Call:
    """Return a call without its results: nothing of the user is decoded."""
    way = orjson.loads(name)
    if not isinstance(way, list) or len(way) < 2:
        raise TypeError("the name of a call is no way to it")
    *steps, ordinal = way
    if type(ordinal) is not int or not all(type(step) is str for step in steps):
        raise TypeError("the name of a call is no way to it")
    if not isinstance(tree, dict):
        raise TypeError("a call is no mapping")
    values = [_field(tree, key, kind) for key, kind in _HEAD.items()]
    handler, what, harmless, code, received, own, reads = values
    if not all(type(digest) is str for digest in reads.values()):
        raise TypeError("what a call read is no digest")
    omitted = "" if "results" in tree else _field(tree, "omitted", str)
    return Call(
        tuple(steps[:-1]),
        steps[-1],
        ordinal,
        handler,
        what,
        harmless,
        Inputs(code, received, own, reads),
        omitted=omitted,
    )


def results_of(call: Call, row: Any, make: Make) -> Results:
    """Return what a call did, made anew, so that it belongs to the caller."""
    if not isinstance(row, dict):
        raise TypeError("what a call did is no mapping")
    path = f"call of {call.executor_id!r}"
    record = make(row["record"], path) if "record" in row else None
    if not isinstance(record, dict | None):
        raise TypeError("the record of a call is no mapping")
    return Results(
        formats.make_messages("", _list(row, "sent"), make),
        tuple([make(value, path) for value in _list(row, "outputs")]),
        {
            key: make(value, f"{path} {key!r}")
            for key, value in _optional(row, "writes", dict, {}).items()
        },
        tuple([_text(key) for key in _list(row, "deleted")]),
        tuple([_make_request(request, make) for request in _list(row, "asked")]),
        record,
        _make_error(row["error"]) if "error" in row else None,
    )


def _make_request(row: Any, make: Make) -> Any:
    request_id, *fields = row
    return formats.make_request(_text(request_id), fields, make)


def _make_error(row: Any) -> CallError:
    type_, text, lines, is_tried_again = row
    return CallError(
        _text(type_),
        _text(text),
        tuple([_text(line) for line in lines]),
        bool(is_tried_again),
    )


def _field(tree: Mapping[str, Any], key: str, kind: type) -> Any:
    value = tree[key]
    if type(value) is not kind:
        raise TypeError(f"{value!r:.80} is not what stands at {key}")
    return value


def _optional(row: Mapping[str, Any], key: str, kind: type, default: Any) -> Any:
    return _field(row, key, kind) if key in row else default


def _list(row: Mapping[str, Any], key: str) -> Sequence[Any]:
    return _optional(row, key, list, ())  # type: ignore[no-any-return]


def _text(value: Any) -> str:
    if type(value) is not str:
        raise TypeError(f"{value!r:.80} is no text")
    return value
