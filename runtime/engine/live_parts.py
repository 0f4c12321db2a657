"""The attributes of a live run, and where a checkpoint keeps each of them.

Every class of the engine whose objects outlive a superstep stands in `LIVE_PARTS` with
all its attributes. A restore proof (`runtime.debug.verify`) walks the objects of a run
and fails for an attribute that has no line here, because then nobody has decided how a
restore brings it back. So a new attribute is one line here:

- `SAVED` for what the next superstep depends on. The proof compares it with what a
  checkpoint gives back, so a part that is not saved fails as well.
- The reason why it need not be saved for everything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from runtime.engine.barrier import Barrier, Position
from runtime.engine.save import Lineage
from runtime.executors.executor import HookState
from runtime.message import Message, Request
from runtime.state import ExecutorRecord, RunState

if TYPE_CHECKING:
    from runtime.engine.runner import Runner

SAVED = "saved"
_GRAPH = "the graph and its code, which the signature of a checkpoint names"
_OPTION = "chosen by whoever runs it"
_BESIDE = "recorded beside the state, and never an input of the next superstep"
_EXPLAINS = "explains a join, and is read again from earlier checkpoints"
_AUDIENCE = "tells others of the run"
_ONE_SUPERSTEP = "lasts for one superstep"
_PLACE = "where the next checkpoint is saved"
_FOLLOWS = "follows from the state"

# The classes stand here by name where they would make a circle of imports.
LIVE_PARTS: Mapping[str, Mapping[str, str]] = {
    RunState.__name__: dict.fromkeys(
        (
            "superstep",
            "queue",
            "buffers",
            "executors",
            "shared",
            "requests",
            "children",
            "waited",
        ),
        SAVED,
    ),
    ExecutorRecord.__name__: dict.fromkeys(("state", "runs", "last_superstep"), SAVED),
    Message.__name__: dict.fromkeys(
        ("data", "source_id", "target_id", "request"), SAVED
    ),
    Request.__name__: dict.fromkeys(
        (
            "id",
            "executor_id",
            "data",
            "response_type",
            "superstep",
            "ordinal",
            "schema",
        ),
        SAVED,
    ),
    "Runner": {
        "workflow": _GRAPH,
        "max_supersteps": _OPTION,
        "status": _FOLLOWS,
        "_notifier": _AUDIENCE,
        "_lineage": _PLACE,
        "_position": "its barrier has the state",
        "_decided": "a condition is asked again, and says the same",
        "_raised_limit": _OPTION,
        "_is_busy": _ONE_SUPERSTEP,
        "_clock": _OPTION,
        "_jobs": _ONE_SUPERSTEP,
        "_last_loop_turn": _ONE_SUPERSTEP,
        "_counts": _AUDIENCE,
        "_player": "chosen at each restore, and read again from the recorded calls",
    },
    Position.__name__: {
        "state": "the state of its barrier",
        "failures": _EXPLAINS,
        "_workflow": _GRAPH,
        "_lineage": _PLACE,
        "_is_pipelined": _OPTION,
        "_has_joins": _GRAPH,
        "_barrier": "it has the state",
        "_unsaved": "it is saved before the run rests",
        "_unsaved_calls": "they are saved before the run rests",
        "_last_saved": "it has the state",
    },
    Barrier.__name__: {
        "state": "its fields are parts of their own",
        "history": _EXPLAINS,
        "unread_ancestors": _EXPLAINS,
        "_trace": _BESIDE,
    },
    Lineage.__name__: {
        "place": _PLACE,
        "warn_only": _OPTION,
        "_workflow": _GRAPH,
        "_types": _OPTION,
        "_notifier": _AUDIENCE,
    },
    HookState.__name__: {
        "initial": "the state of a new instance",
        "loaded": "which state the attributes hold; a restore gives it again",
        "lock": _ONE_SUPERSTEP,
    },
}


class UnknownPart(NamedTuple):
    """An attribute of a live object that has no line in `LIVE_PARTS`."""

    owner: str
    attribute: str


def saved_parts() -> tuple[str, ...]:
    """Return the parts of a run that every checkpoint keeps."""
    return tuple(
        name for name, kept in LIVE_PARTS[RunState.__name__].items() if kept is SAVED
    )


def unknown_parts(runner: Runner) -> list[UnknownPart]:
    """Return the attributes of a run and of what it is made of that have no line in
    `LIVE_PARTS`, each once.
    """
    unknown: dict[UnknownPart, None] = {}
    for live in _live_objects(runner):
        known = _known_attributes(type(live))
        for attribute in attributes_of(live):
            if attribute not in known:
                part = UnknownPart(type(live).__name__, attribute)
                unknown[part] = None
    return list(unknown)


def attributes_of(live: object) -> list[str]:
    """Return the names of all attributes of an instance, those in slots too."""
    slots: list[str] = []
    for cls in type(live).__mro__:
        named = vars(cls).get("__slots__", ())
        slots += [named] if isinstance(named, str) else named
    names = [*slots, *getattr(live, "__dict__", ())]
    return [
        name
        for name in dict.fromkeys(names)
        if name not in ("__dict__", "__weakref__") and hasattr(live, name)
    ]


def _known_attributes(cls: type) -> Mapping[str, str]:
    known: dict[str, str] = {}
    for base in cls.__mro__:
        known |= LIVE_PARTS.get(base.__name__, {})
    return known


def _live_objects(runner: Runner) -> Iterator[object]:
    position = runner._position
    yield runner
    yield position
    yield position._barrier
    yield runner._lineage
    yield from _objects_of_state(runner.state)
    for executor in runner.workflow.executors.values():
        yield executor.engine_hook_state


def _objects_of_state(state: RunState) -> Iterator[object]:
    yield state
    yield from state.executors.values()
    yield from state.queue
    for messages in state.buffers.values():
        yield from messages
    requests: list[Any] = [*state.requests.values()]
    requests += [message.request for message in state.queue]
    yield from (request for request in requests if request is not None)
    for child in state.children.values():
        yield from _objects_of_state(child)
