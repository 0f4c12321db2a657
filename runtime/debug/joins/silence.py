"""Why a source of a join is silent, in words, and where to look for the cause.

A reason names what decided against the source: the edge whose condition was false, the
switch that took another case, the failure, the disabled node. It says in which
superstep, so that one can go there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from runtime.debug.graphs.graph import Graph, Join
from runtime.debug.supersteps.next_superstep import Outlook, held
from runtime.debug.supersteps.past_supersteps import Past
from runtime.edges.arcs import Arc
from runtime.edges.base import CONDITION_FALSE, NOT_SELECTED
from runtime.message import is_failure_of_source
from runtime.state import Fate, RunState, Trace

_REFUSALS = {
    CONDITION_FALSE: "was not taken, its condition was false",
    NOT_SELECTED: "was not selected",
}
_COMING = {
    CONDITION_FALSE: "is not taken, its condition is false",
    NOT_SELECTED: "is not selected",
}


class Cause(NamedTuple):
    """A reason, the node or edge that it is about, and the superstep of the outermost
    run in which it happened; 0 for the present moment.
    """

    text: str
    element: str = ""
    superstep: int = 0


@dataclass(frozen=True, slots=True)
class Silence:
    """Explain the silence of sources at one barrier. The fields are those of the
    `Ledger`; `superstep` is that of the outermost run, and `coming` has the fates of
    the next one, as far as they are known.
    """

    graph: Graph
    state: RunState
    trace: Trace
    ahead: Outlook
    history: Past
    failed: str
    superstep: int
    is_inside: bool
    coming: tuple[Fate, ...] = ()

    def last_ran(self, source: str) -> int:
        """Return the superstep in which an executor ran last; 0 for never, or where it
        is not known.
        """
        if any(call.executor_id == source for call in self.trace.invocations):
            return self.superstep
        if self.is_inside:
            # Its record counts the supersteps of its own run.
            return self.history.ran.get(source, 0)
        record = self.state.executors.get(source)
        return record.last_superstep if record is not None and record.runs else 0

    def has_fired(self, join: Join) -> bool:
        """Whether a join fired in this superstep."""
        return any(release.edge_id == join.edge for release in self.trace.releases)

    def cause(self, join: Join, source: str) -> Cause:
        """Return why a join still has no message of a source."""
        following = self.superstep + 1
        name = self.graph.title(source)
        if self.ahead.arriving[join.edge, source]:
            text = f"its message is queued and arrives in superstep {following}"
            return Cause(text, join.edge)
        if source == self.failed:
            return Cause(f"{name} failed in superstep {following}", source)
        ran = self.last_ran(source)
        failure = self._failure(source)
        if failure:
            return Cause(f"{name} failed: {failure}", source, ran)
        if source in self.ahead.next:
            clause = self._sender_clause(source)
            return Cause(f"{name} runs in superstep {following}{clause}", source)
        if any(
            request.executor_id == source for request in self.state.requests.values()
        ):
            return Cause(f"{name} waits for an answer", source)
        if source in self.ahead.maybe:
            text = f"a condition decides in superstep {following} whether {name} runs"
            return Cause(text, source)
        dropped = self._dropped(join, source, ran)
        if dropped is not None:
            return dropped
        if source in self.ahead.untaken:
            return self._untaken(source)
        return self._silent(join, source, ran)

    def _untaken(self, source: str) -> Cause:
        """Return which edge on the way to the source went elsewhere, if that is
        known.
        """
        seen = {source}
        todo = [source]
        while todo:
            for way in self.graph.into.get(todo.pop(0), ()):
                refusal = self._refusal(way, after=0)
                if refusal is not None:
                    text = f"branch not taken: {refusal.text}"
                    return refusal._replace(text=text)
                if way.source in self.ahead.untaken and way.source not in seen:
                    seen.add(way.source)
                    todo.append(way.source)
        return Cause("branch not taken", source)

    def _refusal(self, way: Arc, *, after: int) -> Cause | None:
        """Return how an edge decided against its target after a superstep; None if it
        did not, or that is not known.
        """
        edge = way.edge.id
        decided = self._coming_refusal(way)
        if decided is not None:
            return decided
        refused = self._last_refusal(edge, way.target)
        choice = self._last_choice(edge)
        if choice is not None and choice[0] > after:
            superstep, case = choice
            name = self.graph.title(way.source)
            text = f"{name} took {_case_words(case)} in superstep {superstep}"
            return Cause(text, edge, superstep)
        if refused is None or refused[0] <= after:
            return None
        superstep, reason = refused
        words = _REFUSALS.get(reason, f"did not take it ({reason})")
        text = f"{self._ends(way)} {words} in superstep {superstep}"
        return Cause(text, edge, superstep)

    def _coming_refusal(self, way: Arc) -> Cause | None:
        """Return how an edge decides against its target in the next superstep, if that
        is known.
        """
        following = self.superstep + 1
        fates = [fate for fate in self.coming if fate.edge_id == way.edge.id]
        taken = [fate for fate in fates if fate.kind != "dropped"]
        if any(fate.target_id == way.target for fate in taken):
            return None
        name = self.graph.title(way.source)
        for fate in fates:
            if fate.case:
                words = f"{name} takes {_case_words(fate.case)}"
            elif fate.target_id == way.target:
                refuses = _COMING.get(fate.reason, f"does not take it ({fate.reason})")
                words = f"{self._ends(way)} {refuses}"
            else:
                continue
            text = f"{words} in superstep {following}"
            return Cause(text, way.edge.id, following)
        return None

    def _ends(self, way: Arc) -> str:
        return f"{self.graph.title(way.source)} → {self.graph.title(way.target)}"

    def _last_refusal(self, edge: str, target: str) -> tuple[int, str] | None:
        """Return when and why an edge last did not take a message, unless it took
        another one in that superstep.
        """
        drops = []
        for fate in self.trace.fates:
            if fate.edge_id == edge and fate.target_id == target:
                if fate.kind != "dropped":
                    return None
                drops.append(fate.reason)
        if drops:
            return self.superstep, drops[-1]
        return self.history.refused.get((edge, target))

    def _last_choice(self, edge: str) -> tuple[int, str] | None:
        """Return the superstep and the case in which a switch chose last, if known."""
        for fate in self.trace.fates:
            if fate.edge_id == edge and fate.case:
                return self.superstep, fate.case
        return self.history.taken.get(edge)

    def _failure(self, source: str) -> str:
        """Return how the last run of the source failed, if an error edge took
        the failure.
        """
        for invocation in reversed(self.trace.invocations):
            if invocation.executor_id == source:
                return invocation.error
        for message in self.state.queue:
            if message.source_id == source and is_failure_of_source(message):
                return f"{message.data.error_type}: {message.data.error}"
        return self.history.errors.get(source, "")

    def _silent(self, join: Join, source: str, ran: int) -> Cause:
        disabled = self.graph.lost.get(source)
        if disabled:
            names = ", ".join(self.graph.title(id_) for id_ in disabled)
            verb = "is" if len(disabled) == 1 else "are"
            return Cause(f"not reached while {names} {verb} disabled", disabled[0])
        upstream = sorted(
            id_ for id_ in self.ahead.active if source in self.graph.reachable([id_])
        )
        if upstream and not ran:
            names = ", ".join(self.graph.title(id_) for id_ in upstream)
            return Cause(f"not reached yet: waits for {names}", upstream[0])
        if not upstream:
            for other_join in self.graph.joins:
                if other_join.target == source and held(other_join, self.state):
                    text = f"{self.graph.title(source)} waits in its own join"
                    return Cause(text, other_join.edge)
            if not ran:
                return Cause("not reached", source)
        return self._silent_since(join, source, ran)

    def _silent_since(self, join: Join, source: str, ran: int) -> Cause:
        fired = self.history.fired.get(join.edge, 0)
        if self.has_fired(join):
            fired = self.superstep
        for way in self.graph.into.get(source, ()):
            refusal = self._refusal(way, after=max(ran, fired))
            if refusal is not None:
                text = f"ran in superstep {ran}; then {refusal.text}"
                return refusal._replace(text=text)
        if fired:
            text = f"silent since the join fired in superstep {fired}"
            return Cause(text, source, ran)
        if not ran:
            return Cause("sent nothing here", source)
        return Cause(f"ran in superstep {ran}, sent nothing here", source, ran)

    def _sender_clause(self, source: str) -> str:
        senders = [s for (_edge, s, target) in self.ahead.ways if target == source]
        if len(senders) == 1:
            return f", a message from {self.graph.title(senders[0])} is queued for it"
        return ""

    def _dropped(self, join: Join, source: str, ran: int) -> Cause | None:
        """Return why the last message of the source was dropped, if it was. A drop
        before its last run explains nothing.
        """
        for fate in self.trace.fates:
            on_way = fate.edge_id == join.edge and fate.source_id == source
            if on_way and fate.kind == "dropped":
                reason = fate.reason or "no reason recorded"
                return Cause(f"dropped: {reason}", join.edge, self.superstep)
        earlier = self.history.dropped.get((join.edge, source))
        if earlier is None or earlier[0] <= ran:
            return None
        superstep, reason = earlier
        reason = reason or "no reason recorded"
        text = f"dropped in superstep {superstep}: {reason}"
        return Cause(text, join.edge, superstep)


def _case_words(case: str) -> str:
    return "the default" if case == "default" else f"case {int(case) + 1}"
