"""The digests of what a call depends on: its code, its message, its own record, and the
shared state that it reads.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from runtime.checkpoint import digest_of
from runtime.codec import encode
from runtime.executors.effects import DELETED
from runtime.graph.signature import describe_callable
from runtime.values.sealed import stored_values, unseal

if TYPE_CHECKING:
    from runtime.codec import TypeRegistry
    from runtime.engine.invoke import Job
    from runtime.executors.delivery import Delivery
    from runtime.executors.executor import Executor
    from runtime.executors.handlers import Handler

# Of a key that is not there.
ABSENT = ""
# Stands among the reads for the list of all keys.
ALL_KEYS = "*"
_OURS = "runtime."
_ATTRIBUTE = "engine_code_digest"
# Attributes of an instance that say how it works. Others may be a connection or a cache.
_SETTINGS = (str, bytes, int, float, bool, type(None))


def value_digest(value: Any, types: TypeRegistry) -> str:
    """Return the digest of a value. Raise `EncodeError` if it cannot be saved."""
    return digest_of(encode(unseal(value), types))


def code_digest(executor: Executor, handler: Handler) -> str:
    """Return the digest of the code that a call runs: that of the class or function,
    with the parameters of the node, or with the settings among the attributes as they
    were before the first call.
    """
    digest: str | None = executor.__dict__.get(_ATTRIBUTE)
    if digest is None:
        texts = [*_code_texts(executor), *_settings(executor)]
        digest = digest_of("\0".join(texts).encode("utf-8", "replace"))
        executor.__dict__[_ATTRIBUTE] = digest
    return f"{digest}:{handler.name}"


def _code_texts(executor: Executor) -> list[str]:
    cls = type(executor)
    texts = [f"{cls.__module__}.{cls.__qualname__}"]
    if not cls.__module__.startswith(_OURS):
        texts += [_source(base) for base in cls.__mro__ if _is_users(base)]
    function = getattr(executor, "function", None) or getattr(executor, "func", None)
    if callable(function):
        texts.append(describe_callable(function))
    return texts


def _is_users(cls: type) -> bool:
    return cls is not object and not cls.__module__.startswith(_OURS)


def _source(cls: type) -> str:
    try:
        return inspect.getsource(cls)
    except (OSError, TypeError):
        # Typed at a prompt, or made by other code.
        methods = [value for value in vars(cls).values() if inspect.isfunction(value)]
        return "".join(map(describe_callable, methods))


def _settings(executor: Executor) -> list[str]:
    if executor.engine_parameters:
        return [executor.engine_parameters]
    return [
        f"{name}={value!r}"
        for name, value in sorted(vars(executor).items())
        if isinstance(value, _SETTINGS) and not name.startswith(("_", "engine_"))
    ]


def received_digest(delivery: Delivery, types: TypeRegistry) -> str:
    """Return the digest of a message with its sources, or of an answer with its
    question.
    """
    question = None if delivery.request is None else delivery.request.data
    value = [delivery.data, question, list(delivery.sources)]
    return value_digest(value, types)


def own_digest(
    record: Any,
    *,
    is_first: bool,
    earlier: Sequence[str],
    types: TypeRegistry,
) -> str:
    """Return the digest of an executor's own record before a call. `earlier` are the
    digests of what its instance did before in this superstep, if its attributes may
    hold that.
    """
    return value_digest([record, is_first, list(earlier)], types)


def shared_value(job: Job, touched: Mapping[str, Any] | None, key: str) -> Any:
    """Return the value of a key as a call finds it; `DELETED` if it is not there."""
    if touched is not None and key in touched:
        return touched[key]
    return stored_values(job.round.state.shared).get(key, DELETED)


def keys_seen(job: Job, touched: Mapping[str, Any] | None) -> list[str]:
    """Return all keys of the shared state that a call finds."""
    written = touched or {}
    present = [key for key in job.round.state.shared if written.get(key) is not DELETED]
    added = [
        key
        for key, value in written.items()
        if value is not DELETED and key not in job.round.state.shared
    ]
    return [*present, *added]


def read_digest(
    job: Job, touched: Mapping[str, Any] | None, key: str, types: TypeRegistry
) -> str:
    """Return the digest of what a call finds at a key."""
    if key == ALL_KEYS:
        return value_digest(keys_seen(job, touched), types)
    value = shared_value(job, touched, key)
    return ABSENT if value is DELETED else value_digest(value, types)
