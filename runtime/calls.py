"""`Call`: what one handler call did that reached outside of the run. A checkpoint keeps
the calls of the superstep before it, so that going on from the past need not do them
again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any

from runtime.message import Message, Request
from runtime.values.records import record

_NOTHING: Mapping[str, Any] = MappingProxyType({})
# Why the results of a pinned call are not kept.
WAS_PINNED = "it was pinned"


@record
class CallError:
    """What a failed call raised. `is_tried_again` says whether a policy tries again
    after it; `traceback` has its lines without those of the engine.
    """

    type: str
    text: str
    traceback: tuple[str, ...] = ()
    is_tried_again: bool = True


@record
class Inputs:
    """The digests of everything that a call depended on.

    code      the class or function of the executor, its parameters, and the handler
    received  the message, or the question and its answer
    own       the executor's own record before, and what it did earlier in the superstep
    reads     key of the shared state that it read -> its value; "" for a key that was not there
    """

    code: str
    received: str
    own: str
    reads: Mapping[str, str] = field(default_factory=lambda: _NOTHING)


@record
class Results:
    """What a call did. It is the caller's own.

    writes   key -> value; for a key with a reducer, the list of contributions
    deleted  keys that it removed
    record   the executor's own record after; None if it has not used it
    """

    sent: tuple[Message, ...] = ()
    outputs: tuple[Any, ...] = ()
    writes: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    deleted: tuple[str, ...] = ()
    asked: tuple[Request, ...] = ()
    record: Mapping[str, Any] | None = None
    error: CallError | None = None


@record
class Call:
    """One call: whose, in which words, what it depended on, and what it did.

    path         keys of the invocations that lead to the executor
    ordinal      its number among the calls of this executor in the superstep, from 0; each attempt is a call
    what         what it does beyond the run, such as "HTTP request to example.org"
    is_harmless  it costs and changes nothing
    omitted      why its results are not kept, as the end of a sentence; "" where they are
    secrets      texts that must not be kept; they never are
    """

    path: tuple[str, ...]
    executor_id: str
    ordinal: int
    handler: str
    what: str
    is_harmless: bool
    inputs: Inputs
    results: Results = Results()
    omitted: str = ""
    secrets: frozenset[str] = frozenset()
