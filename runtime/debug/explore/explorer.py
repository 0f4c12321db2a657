"""Explores one superstep: under other orders, and with failures and cancellations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random

from runtime.debug.compare.checkpoints import Change
from runtime.debug.explore.contents import differences_of
from runtime.debug.explore.gate import PATIENCE, Disturbance
from runtime.debug.explore.log import lanes_of
from runtime.debug.explore.orders import (
    Call,
    Order,
    all_under_way,
    calls_of,
    distance,
    fixed_order,
    nearer,
    plan,
)
from runtime.debug.explore.report import (
    Exploration,
    Finding,
    Group,
    Phase,
    Progress,
    Witness,
)
from runtime.debug.explore.trial import (
    CallName,
    Disturbed,
    Instance,
    Make,
    Outcome,
    Start,
    Try,
)
from runtime.debug.explore.words import call_words, disturbance_words, order_words
from runtime.errors import OutsideCallError
from runtime.state import RECORDED, owner_of

Naming = Callable[[CallName], str]
# Groups whose witnesses are made smaller, and tries for each of them.
SHRUNK_GROUPS = 4
SHRINK_TRIES = 24
# Awaits of a call at which the superstep is cancelled.
CANCELLED_AWAITS = 2


@dataclass(frozen=True)
class Options:
    """orders    how many orders are tried at most, and how many disturbances
    seed      of what is chosen at random
    failures  whether failures and cancellations are put in
    patience  seconds after which another call goes on while one waits, and after which a cancelled call is ended
    live      whether calls that reach outside are really made, in each try
    naming    what a call is called in texts
    """

    orders: int = 40
    seed: int = 0
    failures: bool = True
    patience: float = PATIENCE
    live: bool = False
    naming: Naming = call_words


async def explore(
    make: Make,
    start: Start,
    options: Options | None = None,
    report: Callable[[Progress], object] = bool,
) -> Exploration:
    """Explore the superstep that follows on a checkpoint. `make` makes a clean instance
    of the workflow for each try. It may be cancelled at any time.
    """
    work = _Work(make, start, options or Options(), report)
    await work.do()
    return work.exploration


@dataclass
class _Work:
    make: Make
    start: Start
    options: Options
    report: Callable[[Progress], object]
    exploration: Exploration = field(init=False)
    _phase: Phase = "repeat"
    _planned: int = 3
    _groups: dict[str, Group] = field(default_factory=dict)
    _tried: set[Order] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.exploration = Exploration(self.start.record.header)

    async def do(self) -> None:
        first = await self._repeat()
        if first is None:
            return
        if not first.counts:
            self.exploration.is_complete = True
            self.exploration.notes.append(
                "No handler is called: messages are held or dropped."
            )
            return
        await self._try_orders(first)
        await self._shrink()
        self._name_outcomes()
        if self.options.failures:
            await self._disturb(first)

    # --- the same order again ----------------------------------------------------------------------------------

    async def _repeat(self) -> Try | None:
        """Try the fixed order in two clean instances, and again in the second. Return
        None if it cannot be repeated, because then nothing can be compared.
        """
        first = await self._try()
        exploration = self.exploration
        exploration.calls = first.calls
        if first.outcome.outside is not None:
            exploration.refused = self._refusal(first.outcome.outside)
            return None
        self._keep(first)
        self._note_recorded(first.outcome)
        instance = self._instance()
        second = await self._try(instance=instance)
        if second.outcome.digest != first.outcome.digest:
            exploration.findings.append(
                Finding(
                    "not repeatable",
                    "Not repeatable: the same order came to another outcome, although each try began "
                    "from a clean instance. So orders were not compared. "
                    "A handler uses the time, chance, or something outside of the run.",
                    changes=_changes(first.outcome, second.outcome),
                )
            )
            return None
        self._keep(second)
        third = await self._try(instance=instance)
        if third.outcome.digest != first.outcome.digest:
            exploration.findings.append(
                Finding(
                    "kept outside",
                    "Not repeatable in one process: the second try of the same order came to another outcome. "
                    "A handler keeps something outside of the run, in a module or in an attribute.",
                    changes=_changes(first.outcome, third.outcome),
                )
            )
        return first

    def _refusal(self, error: OutsideCallError) -> str:
        names = (
            self.options.naming(call)
            for call in self.exploration.calls
            if error.name == "/".join((*map(owner_of, call.path), call.executor))
        )
        who = next(names, error.name)
        return (
            f"It reaches outside ({who}: {error.what}), and each try would do that again. "
            f"It has no recorded result, because {error.reason}."
        )

    def _note_recorded(self, outcome: Outcome) -> None:
        """Note how many results are those of the record."""
        if outcome.checkpoint is None:
            return
        calls = outcome.checkpoint.trace.invocations
        recorded = sum(call.origin == RECORDED for call in calls)
        if recorded:
            what = "1 call" if recorded == 1 else f"{recorded} calls"
            self.exploration.notes.append(
                f"Results of the record were used for {what} that would reach outside."
            )

    # --- orders -------------------------------------------------------------------------------------------------

    async def _try_orders(self, first: Try) -> None:
        options = self.options
        chosen = plan(first.counts, first.awaits, options.orders, options.seed)
        self.exploration.is_complete = chosen.is_complete
        self._enter("orders", len(chosen.orders))
        for order in chosen.orders:
            self._keep(await self._try(order))

    def _keep(self, attempt: Try) -> None:
        """Add a try to the group of its outcome, or begin a group."""
        order = attempt.order or fixed_order(attempt.counts)
        self._tried.add(order)
        witness = Witness(order, lanes_of(attempt.log))
        group = self._groups.get(attempt.outcome.digest)
        if group is None:
            group = Group(attempt.outcome, witness)
            self._groups[attempt.outcome.digest] = group
            self.exploration.groups.append(group)
            return
        group.tries += 1
        if distance(order) < distance(group.witness.order):
            group.witness = witness

    async def _shrink(self) -> None:
        """Bring the witnesses nearer to the fixed order."""
        groups = self.exploration.groups[1 : 1 + SHRUNK_GROUPS]
        self._enter("witnesses", SHRINK_TRIES * len(groups))
        for group in groups:
            await self._shrink_group(group)

    async def _shrink_group(self, group: Group) -> None:
        for _ in range(SHRINK_TRIES):
            candidates = nearer(group.witness.order)
            order = next((each for each in candidates if each not in self._tried), None)
            if order is None:
                return
            # Another outcome may come up here for the first time.
            self._keep(await self._try(order))

    def _name_outcomes(self) -> None:
        exploration = self.exploration
        if not exploration.groups:
            return
        first = exploration.groups[0]
        for place, group in enumerate(exploration.groups[1:], start=1):
            group.changes = [*_changes(first.outcome, group.outcome)]
            when = order_words(group.witness.order, self._name)
            exploration.findings.append(
                Finding(
                    "orders",
                    f"Another outcome {_sentence_part(when)}.",
                    group=place,
                    changes=tuple(group.changes),
                )
            )

    # --- failures and cancellations -----------------------------------------------------------------------------

    async def _disturb(self, first: Try) -> None:
        exploration = self.exploration
        disturbances = [*_disturbances(first)]
        if self._keeps_outside:
            exploration.notes.append(
                "Nothing can be said of what a failure leaves behind: a second try comes to another outcome "
                "without a failure too."
            )
            disturbances = [each for each in disturbances if each.kind == "cancel"]
        if len(disturbances) > self.options.orders:
            random = Random(self.options.seed)  # noqa: S311 - no secret
            chosen = random.sample(disturbances, self.options.orders)
            disturbances = [each for each in disturbances if each in chosen]
        self._enter("failures", len(disturbances))
        for disturbance in disturbances:
            order = _order_for(first, disturbance)
            outcome = await self._instance().disturb(order, disturbance)
            exploration.tries += 1
            self._tell()
            self._judge(outcome, first.outcome)

    @property
    def _keeps_outside(self) -> bool:
        return any(
            finding.kind == "kept outside" for finding in self.exploration.findings
        )

    def _judge(self, disturbed: Disturbed, expected: Outcome) -> None:
        exploration = self.exploration
        if disturbed.came:
            exploration.disturbed += 1
        known = {
            finding.call
            for finding in exploration.findings
            if finding.kind == "swallowed"
        }
        for call in disturbed.swallowed:
            if call not in known:
                text = f"{self.options.naming(call)} swallows its cancellation: it goes on to its end."
                if call in disturbed.forced:
                    text = f"{self.options.naming(call)} does not end when it is cancelled. It was ended by force."
                exploration.findings.append(Finding("swallowed", text, call=call))
        what = disturbance_words(disturbed.disturbance, self._name)
        call = exploration.name(disturbed.disturbance.call)
        if not disturbed.unchanged:
            text = f"After {what}, the state is not that of the checkpoint any more."
            exploration.findings.append(Finding("residue", text, call=call))
        elif self._keeps_outside:
            return
        elif disturbed.again and disturbed.again.digest != expected.digest:
            text = f"After {what}, the second try came to another outcome: something of the failed try remained."
            changes = _changes(expected, disturbed.again)
            exploration.findings.append(
                Finding("residue", text, call=call, changes=changes)
            )

    # --- tries --------------------------------------------------------------------------------------------------

    def _instance(self) -> Instance:
        options = self.options
        return Instance(self.make(), self.start, options.patience, live=options.live)

    async def _try(self, order: Order = (), instance: Instance | None = None) -> Try:
        attempt = await (instance or self._instance()).try_order(order)
        self.exploration.tries += 1
        self._tell()
        return attempt

    def _enter(self, phase: Phase, tries: int) -> None:
        self._phase = phase
        self._planned = self.exploration.tries + tries
        self._tell()

    def _tell(self) -> None:
        planned = max(self._planned, self.exploration.tries)
        self.report(Progress(self._phase, planned, self.exploration))

    def _name(self, call: Call) -> str:
        return self.options.naming(self.exploration.name(call))


def _sentence_part(words: str) -> str:
    return words if words.startswith("in ") else f"when {words}"


def _changes(expected: Outcome, actual: Outcome) -> tuple[Change, ...]:
    if expected.checkpoint is None or actual.checkpoint is None:
        return ()
    return tuple(differences_of(expected.checkpoint, actual.checkpoint))


def _disturbances(first: Try) -> Iterator[Disturbance]:
    """Yield what is put in, the plainest first."""
    calls = calls_of(first.counts)
    for call in calls:
        yield Disturbance("fail before", call)
        yield Disturbance("fail after", call)
    for call in calls:
        waits = min(first.awaits.get(call, 0), CANCELLED_AWAITS)
        yield from (Disturbance("cancel", call, number + 1) for number in range(waits))
        if not waits:
            yield Disturbance("cancel", call, 0)
    yield Disturbance("cancel", calls[-1], None)


def _order_for(first: Try, disturbance: Disturbance) -> Order:
    """Return the order in which the superstep is disturbed: as many calls as possible
    are under way, and the one that is concerned comes last of those that begin.
    """
    order = all_under_way(first.counts, first.awaits)
    begins_here = disturbance.kind == "fail before" or disturbance.awaits == 0
    if disturbance.kind != "fail after" and not begins_here:
        return order
    return tuple(
        turn for turn in order if turn.awaits is None or turn.call != disturbance.call
    )
