"""`GraphMapping`: what became of the executors and joins of a graph in a changed one.
A script of a few lines of JSON, to be read, changed, kept, and applied to other runs:

    {
      "format": 1,
      "executors": {
        "rank": "order",
        "old": null,
        "load": {"messages_for": "fetch", "messages_from": "clean",
                 "record": "fetch", "requests": "fetch", "runs": null}
      },
      "joins": {
        "both": "all-three",
        "late": {"join": "all-three", "without": ["b"]},
        "gone": {"send_to": "merge"}
      },
      "inside": {"judge": {"executors": {}, "joins": {}}}
    }

A name that stands nowhere is what it was. `null` drops, and `"?"` is not decided yet:
with such an entry nothing is applied. `inside` has the same for sub-workflows, by the
executor that wrapped them before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from runtime.errors import MappingError

MAPPING_FORMAT = 1
UNDECIDED = "?"
# The id of an executor, None for what is dropped, or `UNDECIDED`.
Choice = str | None


@dataclass(frozen=True, slots=True)
class ExecutorMapping:
    """Where everything of one executor goes.

    messages_for   messages that wait for it
    messages_from  messages that it has sent, in the queue and in joins
    record         its own state, and how often it ran
    requests       its open questions
    runs           the runs of its sub-workflow
    """

    messages_for: Choice = UNDECIDED
    messages_from: Choice = UNDECIDED
    record: Choice = UNDECIDED
    requests: Choice = UNDECIDED
    runs: Choice = UNDECIDED

    @classmethod
    def whole(cls, choice: Choice) -> ExecutorMapping:
        """Return the mapping of an executor that went to one place as a whole."""
        return cls(choice, choice, choice, choice, choice)

    @property
    def is_whole(self) -> bool:
        return self == ExecutorMapping.whole(self.record)

    def as_json(self) -> Any:
        if self.is_whole:
            return self.record
        return {name: getattr(self, name) for name in ASPECTS}


# The fields of `ExecutorMapping`, with what people call them.
ASPECTS = {
    "messages_for": "messages for it",
    "messages_from": "messages from it",
    "record": "its state",
    "requests": "its questions",
    "runs": "its runs",
}


@dataclass(frozen=True, slots=True)
class JoinMapping:
    """What becomes of the messages that a join holds: another `join` holds them, or
    they are sent again straight to the executor `send_to`. `join` is an edge id, None
    for messages that are dropped, or `UNDECIDED`. The messages of the sources in
    `without` are dropped.
    """

    join: Choice = UNDECIDED
    send_to: str = ""
    without: tuple[str, ...] = ()

    def as_json(self) -> Any:
        if not self.send_to and not self.without:
            return self.join
        shown: dict[str, Any] = {}
        if self.send_to:
            shown["send_to"] = self.send_to
        else:
            shown["join"] = self.join
        if self.without:
            shown["without"] = list(self.without)
        return shown


@dataclass(frozen=True, slots=True)
class GraphMapping:
    """The mapping of one graph. Joins are named by the id of their edge in the graph
    before, or by the key of their buffer.
    """

    executors: Mapping[str, ExecutorMapping] = field(default_factory=dict)
    joins: Mapping[str, JoinMapping] = field(default_factory=dict)
    inside: Mapping[str, GraphMapping] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        return not self.executors and not self.joins and not self.inside

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON value, as `mapping_from` reads it."""
        return {"format": MAPPING_FORMAT, **self._entries()}

    def _entries(self) -> dict[str, Any]:
        entries: dict[str, Any] = {
            "executors": {
                name: mapping.as_json() for name, mapping in self.executors.items()
            },
            "joins": {name: mapping.as_json() for name, mapping in self.joins.items()},
        }
        if self.inside:
            entries["inside"] = {
                name: mapping._entries() for name, mapping in self.inside.items()
            }
        return entries

    def over(self, other: GraphMapping) -> GraphMapping:
        """Return the other mapping with the entries of this one in place of its own."""
        inside = dict(other.inside)
        for name, mapping in self.inside.items():
            inside[name] = mapping.over(inside.get(name, NO_MAPPING))
        return replace(
            self,
            executors={**other.executors, **self.executors},
            joins={**other.joins, **self.joins},
            inside=inside,
        )


NO_MAPPING = GraphMapping()


def mapping_from(value: Any) -> GraphMapping:
    """Return the mapping of a JSON value. Raise `MappingError` with the place of what
    is no mapping.

    What `stepwell migrate --dry-run --json` prints is taken too: its `mapping` counts.
    """
    if not isinstance(value, Mapping):
        raise MappingError("A mapping is a JSON object with executors and joins.")
    if isinstance(value.get("mapping"), Mapping):
        value = value["mapping"]
    number = value.get("format", MAPPING_FORMAT)
    if number != MAPPING_FORMAT:
        raise MappingError(
            f"The mapping has format {number!r}; this version reads format {MAPPING_FORMAT}."
        )
    return _graph(value, "")


def _graph(value: Any, place: str) -> GraphMapping:
    known = ("format", "executors", "joins", "inside", "note")
    for name in _object(value, place or "the mapping"):
        if name not in known:
            raise MappingError(
                f"'{place}{name}' is nothing that a mapping has. Write executors, joins or inside."
            )
    executors = {
        name: _executor(entry, f"{place}executors.{name}")
        for name, entry in _object(
            value.get("executors", {}), f"{place}executors"
        ).items()
    }
    joins = {
        name: _join(entry, f"{place}joins.{name}")
        for name, entry in _object(value.get("joins", {}), f"{place}joins").items()
    }
    inside = {
        name: _graph(entry, f"{place}inside.{name}.")
        for name, entry in _object(value.get("inside", {}), f"{place}inside").items()
    }
    return GraphMapping(executors, joins, inside)


def _executor(value: Any, place: str) -> ExecutorMapping:
    if value is None or isinstance(value, str):
        return ExecutorMapping.whole(_choice(value, place))
    choices = {}
    for name, choice in _object(value, place).items():
        if name not in ASPECTS:
            raise MappingError(
                f"'{place}.{name}' is nothing that an executor has. Write one of {', '.join(ASPECTS)}."
            )
        choices[name] = _choice(choice, f"{place}.{name}")
    return ExecutorMapping(**choices)


def _join(value: Any, place: str) -> JoinMapping:
    if value is None or isinstance(value, str):
        return JoinMapping(_choice(value, place))
    entries = _object(value, place)
    for name in entries:
        if name not in ("join", "send_to", "without"):
            raise MappingError(
                f"'{place}.{name}' is nothing that a join has. Write join, send_to or without."
            )
    if "join" in entries and "send_to" in entries:
        raise MappingError(f"'{place}' has both join and send_to. Remove one of them.")
    without = entries.get("without", [])
    are_texts = isinstance(without, list) and all(isinstance(x, str) for x in without)
    if not are_texts:
        raise MappingError(f"'{place}.without' is a list of executors.")
    send_to = entries.get("send_to", "")
    if not isinstance(send_to, str):
        raise MappingError(f"'{place}.send_to' is the id of an executor.")
    join = _choice(entries.get("join", UNDECIDED), f"{place}.join")
    return JoinMapping(join, send_to, tuple(without))


def _choice(value: Any, place: str) -> Choice:
    if value is None or (isinstance(value, str) and value):
        return value
    raise MappingError(
        f"'{place}' is the id of an executor, or null for what is dropped."
    )


def _object(value: Any, place: str) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    raise MappingError(f"'{place}' is a JSON object.")
