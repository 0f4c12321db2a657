"""Who wrote each key of the shared state last, from the traces of a moment and of the
supersteps before it.
"""

from __future__ import annotations

from itertools import islice

from runtime.debug.protocol import Writer
from runtime.debug.supersteps.past_supersteps import Past, When
from runtime.state import RunState, Trace

SHOWN = 500  # keys


def writers(
    state: RunState, trace: Trace, history: Past, when: When
) -> tuple[Writer, ...]:
    """Return the writers of the first keys, as far as they are known. `trace` is of
    the run itself, and `when` is its superstep.
    """
    last: dict[str, tuple[When, list[str]]] = {}
    for call in trace.invocations:
        for key in call.wrote:
            _note(last, key, when, call.executor_id)
    for write in trace.writes:
        _note(last, write.key, when, write.executor_id)
    for (executor, key), earlier in history.wrote.items():
        _note(last, key, earlier, executor)
    return tuple(
        Writer(
            key=key,
            executors=tuple(last[key][1]),
            superstep=last[key][0].superstep,
            checkpoint_id=last[key][0].checkpoint_id,
        )
        for key in islice(state.shared, SHOWN)
        if key in last
    )


def _note(
    last: dict[str, tuple[When, list[str]]], key: str, when: When, executor: str
) -> None:
    known = last.get(key)
    if known is None or known[0].superstep < when.superstep:
        last[key] = when, [executor]
    elif known[0] == when and executor not in known[1]:
        known[1].append(executor)
