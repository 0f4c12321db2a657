"""Where a value comes from, back to the input."""

from __future__ import annotations

from pydantic import Field

from runtime.debug.protocol.packets import Model
from runtime.debug.protocol.supersteps import Item


class ProvenanceArguments(Model):
    """`address` names a value of the inspected moment: `state:KEY`, `queue:N`,
    `held:N`, `output:N`, `request:ID`, or `own:NODE` for an executor's own state. With
    `path`, positions as in `ExpandArguments`, `state` alone is enough: the first
    position is that of the key.

    `limit` is how many origins are looked up at most.
    """

    checkpoint_id: str | None = None
    address: str
    path: tuple[int, ...] = ()
    inside: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    limit: int = Field(default=200, ge=1, le=2000)


class OriginLink(Model):
    """A value from which another was made: its number, and the edge group that carried
    it ("" if none did). `case` is the place of a switch's case from 0, or "default".
    """

    number: int
    edge: str = ""
    case: str = ""


class OriginAddress(Model):
    """A value for `ProvenanceArguments`. `runs` has the keys of all runs that lead to
    it; their owners are the way inside.
    """

    checkpoint_id: str
    address: str
    runs: tuple[str, ...] = ()

    @property
    def inside(self) -> tuple[str, ...]:
        return tuple(run.rpartition("#")[0] for run in self.runs)


class OriginStep(Model):
    """A value on the way back from the requested one, and who made it.

    number         its place, in causal order from 1: sources come before what was made
                   of them, and the requested value is the last
    item           the value with its place; `item_runs` has the keys that lead to its
                   run. Its kind is also `own`, for the own state of an executor
    at             where a further question about it goes on
    executor       who made it, "" for a value from outside; `runs` has the keys that
                   lead to the run of the executor
    how            what the executor did: "sent", "wrote votes"
    superstep      of the outermost run, that led to `checkpoint_id`
    sources        the values from which it was made
    gap            why the record does not say more
    is_open        its origin was not looked up any more, because the walk is bounded
    """

    number: int
    item: Item
    item_runs: tuple[str, ...] = ()
    at: OriginAddress
    executor: str = ""
    runs: tuple[str, ...] = ()
    handler: str = ""
    how: str = ""
    superstep: int = 0
    checkpoint_id: str | None = None
    sources: tuple[OriginLink, ...] = ()
    gap: str = ""
    is_open: bool = False


class ProvenanceBody(Model):
    """The way of a value, from its farthest known origin on. `complete` is true if
    every way was followed back to the outside.
    """

    steps: tuple[OriginStep, ...]
    complete: bool = True
