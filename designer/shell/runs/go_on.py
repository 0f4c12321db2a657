"""What Run and Superstep do in the present mode: the words for it, and the act."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from designer.document.checks import Checks
from designer.document.document import Document
from designer.session.opener import LOOKS_ONLY, NOT_ATTACHED
from designer.session.session import DebugSession
from designer.shell.runs import outside_words
from designer.shell.runs.changed_graph import ChangedGraph
from designer.shell.runs.edit_copy import EditCopy
from designer.shell.runs.outside import OutsideWorld
from designer.shell.runs.stop_words import STOPS
from runtime.debug.protocol import RunToArguments

MAIN = "main"  # the branch that is no fork
# The reasons for which a run stands that can continue.
CONTINUABLE = frozenset(
    {"entry", "step", "pause", "restored", "failed", "limit", "cancelled", *STOPS}
)
STARTS_ITSELF = "The program starts its runs itself. Wait for its next call, or view a checkpoint and run from there."
NO_INPUT = (
    "There is no input. Close the window, and give one: stepwell debug … --input JSON"
)
WAITS = "The run waits for an answer: see Requests. For a fresh run, go back to editing first (Ctrl+E)."


@dataclass(frozen=True)
class Plan:
    """What a command does at present. `text` is for menus and tool tips, `short` for
    buttons.
    """

    text: str
    short: str
    act: Callable[[], object]


class Going:
    """The plans of a workspace.

    is_typed_out  returns whether a fresh run gets everything that the user has typed
    refuse        shows the known errors of a workflow, because of which it does not run
    changed_graph goes on from checkpoints with the document as it is now
    edit_copy     applies what is staged over a checkpoint
    outside       says beforehand what going on does outside
    """

    def __init__(
        self,
        document: Document,
        session: DebugSession,
        checks: Checks,
        is_typed_out: Callable[[], bool],
        refuse: Callable[[], object],
        changed_graph: ChangedGraph,
        edit_copy: EditCopy,
        outside: OutsideWorld,
    ) -> None:
        self._document = document
        self._session = session
        self._checks = checks
        self._is_typed_out = is_typed_out
        self._refuse = refuse
        self._changed_graph = changed_graph
        self._edit_copy = edit_copy
        self._outside = outside

    @property
    def run(self) -> Plan:
        session = self._session
        if session.staged.is_on:
            act = self._edit_copy.apply_and_run
            return Plan("Apply the changes as a fork, and run it", "Apply and run", act)
        if session.viewing is not None:
            name = session.timeline.name(session.viewing)
            act = self._run_from_viewed
            how = "fork, with the changed graph" if self._is_changed else "fork"
            text = f"Run from {name} ({how})"
            outside = outside_words.in_the_past(session)
            if outside:
                text += f" · {outside}"
            return Plan(text, f"Run from {name}", act)
        if self._can_continue:
            text = f"Continue {self._branch or 'the run'}"
            if self._stands_because("failed"):
                text += " with the failed superstep"
            if self._stands_because("outside") and not session.results.is_outdated:
                text += ": make the call that it stands before"
            if self._is_changed:
                text += " with the changed graph (fork)"
            return Plan(text, "Continue", lambda: self._move(session.continue_))
        text = f"Start a new run{outside_words.pins_in_new_run(session)}"
        return Plan(text, "Run", self.start)

    @property
    def why_not_go_on(self) -> str:
        """Why the run cannot go on from before the change of the graph; "" if it can."""
        if self._session.running:
            return "It is running already."
        if not self._session.difference.before:
            return "The graph is that of the run that is shown."
        return ""

    def go_on(self) -> None:
        """Go on from before the change of the graph, with the graph as it is now."""
        if not self.why_not_go_on and self.may_run():
            self._changed_graph.go_on()

    @property
    def superstep(self) -> Plan:
        if self._session.staged.is_on:
            act = self._edit_copy.apply_and_step
            text = "Apply the changes as a fork, and take one superstep"
            return Plan(text, "Superstep", act)
        if self._session.viewing is not None:
            return self._superstep_in_the_past(self._session.viewing)
        if self._can_continue:
            text = "One superstep"
            if self._stands_because("failed"):
                text = "The failed superstep again"
            if self._branch:
                text += f" of {self._branch}"
            return Plan(text, "Superstep", lambda: self._move(self._session.step))
        return Plan(
            "Start a new run, and stop before superstep 1",
            "Superstep",
            lambda: self.start(stop_on_entry=True),
        )

    @property
    def delivery(self) -> Plan:
        if self._can_continue:
            return Plan(
                "One delivery: a handler call of this superstep",
                "Delivery",
                lambda: self._move(self._session.deliver),
            )
        return Plan(
            "Start a new run, and stop before superstep 1",
            "Delivery",
            lambda: self.start(stop_on_entry=True),
        )

    @property
    def why_no_delivery(self) -> str:
        """Why no delivery can be made; "" if one can."""
        if self._session.viewing is not None:
            return "You are viewing the past. Restore this checkpoint first."
        return self.why_not

    @property
    def why_not_out(self) -> str:
        """Why the run cannot step out of a sub-workflow; "" if it can."""
        session = self._session
        stopped = session.stopped
        if session.mode != "live" or session.running or stopped is None:
            return "No run stands inside a sub-workflow."
        delivery = stopped.delivery
        if delivery is None or not delivery.path:
            return "The run does not stand inside a sub-workflow."
        return ""

    def run_to(self, place: RunToArguments) -> None:
        """Run until a place is reached, from where the run stands, from the viewed
        checkpoint, or from the start.
        """
        session = self._session
        if place.superstep:
            session.back_to_live()
        if session.viewing is not None:
            self._from_viewed(lambda: session.run_to(place))
        elif self._can_continue:
            self._move(lambda: session.run_to(place))
        elif self.may_run():
            session.run_to(place)

    def run_past_breakpoints(self) -> None:
        """Run or continue without a stop at any breakpoint."""
        session = self._session
        if session.viewing is not None:
            self._from_viewed(session.continue_past_breakpoints)
        elif self._can_continue:
            self._move(session.continue_past_breakpoints)
        elif self.may_run():
            session.continue_past_breakpoints()

    def _superstep_in_the_past(self, viewed: str) -> Plan:
        timeline = self._session.timeline
        row = timeline.next_row(timeline.row_of(viewed))
        if row is not None:
            text = f"View the next checkpoint, #{row + 1}"
            return Plan(text, f"View #{row + 1}", self._session.step)
        text = f"One superstep from {timeline.name(viewed)} (fork)"
        return Plan(text, "Superstep", self._step_from_viewed)

    @property
    def why_not(self) -> str:
        """Why neither can be done; "" if they can."""
        session = self._session
        if session.staged.is_on:
            return session.staged.why_not
        if session.running:
            return "It is running already."
        if session.looks_only:
            return LOOKS_ONLY
        if session.is_attached:
            return self._why_not_attached()
        if session.mode == "edit" and not self._document.root.workflow.nodes:
            return "There is nothing to run yet: add a node first."
        if session.mode == "live" and self._stands_because("waiting"):
            return WAITS
        return ""

    def _why_not_attached(self) -> str:
        session = self._session
        if session.has_left:
            return NOT_ATTACHED
        if session.viewing is not None or self._can_continue:
            return ""
        if self._stands_because("waiting"):
            return WAITS
        if session.program is None or not session.program.can_start:
            return NO_INPUT if session.owns_process else STARTS_ITSELF
        return ""

    def start(self, *, stop_on_entry: bool = False) -> None:
        """Start a fresh run, unless it is known to fail."""
        if self.may_run():
            self._session.run(stop_on_entry=stop_on_entry)

    def may_run(self) -> bool:
        """Return whether a run gets everything that was typed, and has no known error.
        Otherwise show why not, and stay in editing.
        """
        if not self._is_typed_out():
            return False
        self._checks.insist()
        if self._session.mode == "edit" and self._checks.count("error") > 0:
            self._refuse()
            return False
        return True

    @property
    def _branch(self) -> str:
        """The branch of the run if it is a fork; else ""."""
        head = self._session.head
        return head.branch if head is not None and head.branch != MAIN else ""

    def _stands_because(self, *reasons: str) -> bool:
        stopped = self._session.stopped
        return stopped is not None and stopped.reason in reasons

    @property
    def _can_continue(self) -> bool:
        session = self._session
        is_shown = session.has_live and session.mode != "edit"
        return is_shown and self._stands_because(*CONTINUABLE)

    def _run_from_viewed(self) -> None:
        self._from_viewed(self._session.continue_)

    def _step_from_viewed(self) -> None:
        self._from_viewed(self._session.step)

    @property
    def _is_changed(self) -> bool:
        return self._changed_graph.is_there

    def _from_viewed(self, move: Callable[[], object]) -> None:
        viewing = self._session.viewing
        if viewing is None:
            return
        name = self._session.timeline.name(viewing)
        self._outside.before(
            viewing,
            f"Run from {name}",
            lambda: self._changed_graph.restore(viewing, move),
        )

    def _move(self, move: Callable[[], object]) -> None:
        """Continue the run, as soon as it is known whether the graph has changed since."""
        self._session.difference.when_known(lambda: self._move_on(move))

    def _move_on(self, move: Callable[[], object]) -> None:
        """Continue the run. After a failure or the superstep limit, and after a change
        of the graph, restore its head first, because the host still has the code, the
        limit and the graph of before.
        """
        head = self._session.head
        has_old = self._stands_because("failed", "limit") or self._is_changed
        if head is not None and has_old:
            self._changed_graph.restore(head.id, move)
        else:
            move()
