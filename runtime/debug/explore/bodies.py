"""An exploration as the protocol sends it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from runtime.checkpoint import Checkpoint
from runtime.debug.compare.checkpoints import Change
from runtime.debug.explore.explorer import Naming
from runtime.debug.explore.log import Lane
from runtime.debug.explore.report import Exploration, Finding, Group, Progress
from runtime.debug.explore.trial import CallName
from runtime.debug.explore.words import order_words
from runtime.debug.moments.moment import Snapshot
from runtime.debug.protocol import (
    ChangeItem,
    ExploreArguments,
    ExploredBody,
    ExploredCall,
    ExploredFinding,
    ExploredLane,
    ExploredOutcome,
)
from runtime.debug.questions.comparer import Known, change_item
from runtime.debug.values.shapes import clean

SENT_OUTCOMES = 12
SENT_CHANGES = 100


def titles_of(checkpoint: Checkpoint) -> Naming:
    """Return what calls are named by: the titles of their nodes in the document of a
    checkpoint.
    """
    snapshot = Snapshot.of(checkpoint)

    def name(call: CallName) -> str:
        run = snapshot.run_at(call.path)
        titles = {} if run is None else run.graph.titles
        title = titles.get(call.executor) or call.executor
        words = " › ".join((*call.path, title))
        if call.of == 1:
            return words
        return f"{words} (delivery {call.number} of {call.of})"

    return name


class Bodies:
    """Makes the bodies of one exploration. `checkpoint` is the one that it begins from,
    `store` the URL of the store that gets the outcomes in the end.
    """

    def __init__(
        self, arguments: ExploreArguments, checkpoint: Checkpoint, store: str = ""
    ) -> None:
        self._arguments = arguments
        self._store = store
        self._snapshot = Snapshot.of(checkpoint)
        self.naming = titles_of(checkpoint)

    def progress(self, progress: Progress) -> ExploredBody:
        """Return how far it is."""
        body = self.result(progress.exploration)
        return body.model_copy(
            update={
                "phase": progress.phase,
                "planned": progress.planned,
                "store": "",
                "done": False,
            }
        )

    def result(self, exploration: Exploration) -> ExploredBody:
        """Return what was found in the end."""
        group = partial(self._outcome, exploration)
        return ExploredBody(
            id=self._arguments.id,
            checkpoint_id=self._arguments.checkpoint_id,
            superstep=exploration.superstep,
            calls=tuple(map(self._call, exploration.calls)),
            tries=exploration.tries,
            planned=exploration.tries,
            disturbed=exploration.disturbed,
            count=len(exploration.groups),
            outcomes=tuple(map(group, exploration.groups[:SENT_OUTCOMES])),
            findings=tuple(
                self._finding(exploration, finding)
                for finding in exploration.findings
                if finding.kind != "orders" or finding.group < SENT_OUTCOMES
            ),
            notes=tuple(map(clean, exploration.notes)),
            complete=exploration.is_complete,
            store=self._store,
            refused=clean(exploration.refused),
            done=True,
        )

    def _call(self, call: CallName) -> ExploredCall:
        return ExploredCall(
            path=call.path,
            executor=call.executor,
            handler=call.handler,
            number=call.number,
            of=call.of,
            title=clean(self.naming(call)),
        )

    def _outcome(self, exploration: Exploration, group: Group) -> ExploredOutcome:
        when = order_words(
            group.witness.order, lambda call: self.naming(exploration.name(call))
        )
        lane = partial(_lane, exploration)
        return ExploredOutcome(
            tries=group.tries,
            when=clean(when),
            lanes=tuple(map(lane, group.witness.lanes)),
            recorded_in=group.recorded_in,
            saved_in=_id_of(group) if self._store else "",
            error=clean(group.outcome.error),
            changes=self._changes(group.changes),
            more=max(0, len(group.changes) - SENT_CHANGES),
        )

    def _finding(self, exploration: Exploration, finding: Finding) -> ExploredFinding:
        call = None
        if finding.call is not None:
            call = list(exploration.calls).index(finding.call)
        is_about_orders = finding.kind == "orders"
        return ExploredFinding(
            kind=finding.kind,
            text=clean(finding.text),
            outcome=finding.group if is_about_orders else None,
            call=call,
            changes=() if is_about_orders else self._changes(finding.changes),
        )

    def _changes(self, changes: Sequence[Change]) -> tuple[ChangeItem, ...]:
        both = self._snapshot, self._snapshot
        return tuple(
            change_item(change, both, Known()) for change in changes[:SENT_CHANGES]
        )


def _id_of(group: Group) -> str:
    saved = group.outcome.saved
    return "" if saved is None else saved.record.header.id


def _lane(exploration: Exploration, lane: Lane) -> ExploredLane:
    return ExploredLane(call=exploration.place(lane.call), work=lane.work, end=lane.end)
