"""What differs between two checkpoints, and where two runs part."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from runtime.debug.protocol.moments import InsideRun
from runtime.debug.protocol.packets import Model
from runtime.debug.protocol.values import Value
from runtime.debug.sections import COMPARED_TITLES, HEADER, SECTIONS


class DiffArguments(Model):
    """`base` is the checkpoint to compare with; the rest names the inspected one,
    as in `InspectArguments`. `base_run` is the run of the innermost sub-workflow that
    is compared with, if it is not the inspected one, and `base_store` the URL of the
    store that has the base, if it is not the one that is open.
    """

    base: str
    base_run: str = ""
    base_store: str = ""
    checkpoint_id: str | None = None
    inside: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()


class DivergenceArguments(Model):
    """The same for the ways to both. `seconds` is how long the first difference is
    searched before the rest is bisected, and `counting` how long what follows is counted.
    """

    base: str
    base_store: str = ""
    checkpoint_id: str | None = None
    inside: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    seconds: float = Field(default=5.0, ge=0)
    counting: float = Field(default=0.5, ge=0)


ChangeKind = Literal["added", "removed", "changed", "moved"]
# The sections of a checkpoint by name, in their order.
SECTION_TITLES = {section.name: section.title for section in SECTIONS}
# The same with what is compared beside them.
DIFFERENCE_TITLES = dict(COMPARED_TITLES)


class ChangeItem(Model):
    """A value that differs: `section` is one of `COMPARED_TITLES`, `path` where in it.
    `old` is None for what was added, `new` for what was removed.

    before, after  where a moved value was and is, or what became of a question, in words
    way            the keys of the invocations that lead to its run
    executor       who owns it, wrote it, or will get the message; "" for none
    source         who sent the message; "" for none
    edge           the join that holds it; "" for none
    """

    section: str
    path: str
    kind: ChangeKind
    old: Value | None = None
    new: Value | None = None
    before: str = ""
    after: str = ""
    way: tuple[str, ...] = ()
    executor: str = ""
    source: str = ""
    edge: str = ""


class DiffBody(Model):
    """From `base` to `checkpoint_id`, in the order of the sections; `more` counts
    changes that are not sent. The changes of the section `header` are the facts that
    tell the two checkpoints apart, and count as no difference.

    `outputs_compared` is false if there are too many outputs, or reading them takes too
    long. Inside of a sub-workflow
    `base_runs` are its runs in the base, of which `base_run`
    is compared; "" for none.
    """

    base: str
    checkpoint_id: str | None
    changes: tuple[ChangeItem, ...] = ()
    more: int = 0
    outputs_compared: bool = True
    base_runs: tuple[InsideRun, ...] = ()
    base_run: str = ""

    @property
    def differences(self) -> tuple[ChangeItem, ...]:
        """Return the changes without the facts of the header."""
        return tuple(change for change in self.changes if change.section != HEADER)

    @property
    def count(self) -> int:
        """Return the number of differences, also of those that are not sent."""
        return len(self.differences) + self.more


class DivergedSide(Model):
    """What one of two runs did where they part, in words, and the value if there is
    one.
    """

    words: str = ""
    value: Value | None = None


class DivergenceReason(Model):
    """Why two runs part.

    kind      input, answer, edit, graph (edited), edge, call (of an executor), order (of writes), end (of one), value
    text      a sentence or its beginning, that names the place
    way       the keys of the invocations that lead to the place; `inside` the nodes that they are runs of
    note      a sentence more, or ""
    """

    kind: str
    text: str
    base: DivergedSide = DivergedSide()
    other: DivergedSide = DivergedSide()
    way: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()
    executor: str = ""
    source: str = ""
    edge: str = ""
    note: str = ""


class DivergenceRow(Model):
    """A superstep after the first difference: the last checkpoint of each line in it,
    and how many differences there are, None if they were not counted.
    """

    superstep: int
    base: str | None = None
    other: str | None = None
    differences: int | None = None


class DivergenceBody(Model):
    """Where the ways to two checkpoints part. Without a difference of the runs `reason`
    is None.

    equal             how many checkpoints of both are equal before it; `equal_base` and `equal_other` are the last
                      ones, `superstep` is theirs
    first_base        the first checkpoint that differs, None where the line has ended; `first_other` the same
    first_superstep   its superstep
    is_proved         false if the search took too long, so that an earlier difference is possible
    unread            pairs before it that are damaged
    is_whole          whether both ways reach back to an input
    changes           what differs there
    graph             what differs between the graphs
    """

    base: str
    checkpoint_id: str | None = None
    equal: int = 0
    equal_base: str | None = None
    equal_other: str | None = None
    superstep: int = 0
    first_base: str | None = None
    first_other: str | None = None
    first_superstep: int = 0
    is_proved: bool = True
    unread: int = 0
    is_whole: bool = True
    reason: DivergenceReason | None = None
    changes: tuple[ChangeItem, ...] = ()
    graph: tuple[ChangeItem, ...] = ()
    following: tuple[DivergenceRow, ...] = ()
