"""What Run and Superstep will do in the present mode, in words, and doing just that for what is viewed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from designer.document.checks import Checks
from designer.document.document import Document
from designer.session.opener import LOOKS_ONLY
from designer.session.session import DebugSession
from runtime.debug.protocol import Reply

MAIN = "main"  # the branch that is no fork
GOES_ON = frozenset(
    {"entry", "step", "pause", "restored", "failed", "limit", "cancelled"}
)
WAITS = "The run waits for an answer: see Requests. For a fresh run, go back to editing first (Ctrl+E)."


@dataclass(frozen=True)
class Plan:
    """What a verb will do now. `text` says it in a menu and a tool tip, `short` on a button."""

    text: str
    short: str
    act: Callable[[], object]


class Going:
    """The plans of a workspace. `is_typed_out` says whether a fresh run has all that was typed; `refuse` shows the
    known errors of a workflow that is not run because of them.
    """

    def __init__(
        self,
        document: Document,
        session: DebugSession,
        checks: Checks,
        is_typed_out: Callable[[], bool],
        refuse: Callable[[], object],
    ) -> None:
        self._document = document
        self._session = session
        self._checks = checks
        self._is_typed_out = is_typed_out
        self._refuse = refuse

    @property
    def run(self) -> Plan:
        session = self._session
        if session.viewing is not None:
            name = session.timeline.name(session.viewing)
            return Plan(
                f"Run from {name} (fork)", f"Run from {name}", self._run_from_viewed
            )
        if self._can_go_on:
            return Plan(
                self._continue_words(),
                "Continue",
                lambda: self._go_on(session.continue_),
            )
        return Plan("Start a new run", "Run", self.start)

    @property
    def superstep(self) -> Plan:
        session = self._session
        if session.viewing is not None:
            following = session.timeline.next_row(
                session.timeline.row_of(session.viewing)
            )
            if following is not None:
                return Plan(
                    f"View the next checkpoint, #{following + 1}",
                    f"View #{following + 1}",
                    session.step,
                )
            name = session.timeline.name(session.viewing)
            return Plan(
                f"One superstep from {name} (fork)", "Superstep", self._step_from_viewed
            )
        if self._can_go_on:
            again = self._stands_because("failed")
            words = "The failed superstep again" if again else "One superstep"
            return Plan(
                f"{words}{self._on_branch(' of ')}",
                "Superstep",
                lambda: self._go_on(session.step),
            )
        return Plan(
            "Start a new run, and stop before superstep 1",
            "Superstep",
            lambda: self.start(stop_on_entry=True),
        )

    @property
    def why_not(self) -> str:
        """Why neither can be done; "" if they can."""
        session = self._session
        if session.running:
            return "It is running already."
        if session.looks_only:
            return LOOKS_ONLY
        if session.mode == "edit" and not self._document.root.workflow.nodes:
            return "There is nothing to run yet: add a node first."
        if session.mode == "live" and self._stands_because("waiting"):
            return WAITS
        return ""

    def start(self, *, stop_on_entry: bool = False) -> None:
        """A fresh run, unless it is known to fail."""
        if self.may_run():
            self._session.run(stop_on_entry=stop_on_entry)

    def may_run(self) -> bool:
        """Whether a run has all that was typed, and is not known to fail. Else editing goes on, and it is shown why."""
        if not self._is_typed_out():
            return False
        self._checks.insist()
        is_known_to_fail = (
            self._session.mode == "edit" and self._checks.count("error") > 0
        )
        if is_known_to_fail:
            self._refuse()
        return not is_known_to_fail

    def _continue_words(self) -> str:
        branch = self._on_branch("")
        if self._stands_because("failed"):
            return f"Continue {branch or 'the run'} with the failed superstep"
        return f"Continue {branch or 'the run'}"

    def _on_branch(self, before: str) -> str:
        head = self._session.head
        if head is not None and head.branch != MAIN:
            return f"{before}{head.branch}"
        return ""

    def _stands_because(self, *reasons: str) -> bool:
        stopped = self._session.stopped
        return stopped is not None and stopped.reason in reasons

    @property
    def _can_go_on(self) -> bool:
        return (
            self._stands_because(*GOES_ON)
            and self._session.has_live
            and self._session.mode != "edit"
        )

    def _run_from_viewed(self) -> None:
        self._from_viewed(self._session.continue_)

    def _step_from_viewed(self) -> None:
        self._from_viewed(self._session.step)

    def _from_viewed(self, move: Callable[[], object]) -> None:
        if self._session.viewing is not None:
            self._session.restore(self._session.viewing, done=_then(move))

    def _go_on(self, move: Callable[[], object]) -> None:
        """After a failure with the code and the limit as they are now: they were changed for that, and the host has
        the old ones. Else just on.
        """
        head = self._session.head
        if head is not None and self._stands_because("failed", "limit"):
            self._session.restore(head.id, done=_then(move))
        else:
            move()


def _then(move: Callable[[], object]) -> Callable[[Reply], None]:
    def restored(reply: Reply) -> None:
        if reply.success:
            move()

    return restored
