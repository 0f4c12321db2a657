"""The problems of the open document, always up to date, for the Problems panel, the
canvas and the forms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from designer import warm
from designer.document.document import Document
from designer.model.design import Design
from designer.model.inside import Way, entries_into
from designer.model.names import ids_of
from designer.qt.background import Lane, Outcome, outcome_of, run_in_background
from designer.session.session import DebugSession
from runtime.checks.check import as_inside
from runtime.checks.check import check as check_workflow
from runtime.document.definition import NodeInfo, WorkflowDefinition
from runtime.document.problem import Problem
from runtime.system.user_folders import place_of

# Tests give their own.
Check = Callable[[WorkflowDefinition, Mapping[str, NodeInfo] | None], Sequence[Problem]]
PAUSE = 120  # ms after the last edit: typing and dragging never wait for a check
# Rules that look for files in the folder of the document.
FILE_RULES = ("file-there", "python-there")
_SEVERITIES = ("error", "warning", "info")
# One for all windows: one check at a time leaves the other processors free.
_lane = Lane("checks")


class Patience:
    """Lets the user finish before it complains. An empty field is no error until the
    user has left it once, or tried to run; nor is a drawing that was only begun.
    """

    def __init__(self) -> None:
        self._left: set[tuple[str, str]] = set()
        self._tried: set[str] = set()

    def is_with(self, location: str, part: str) -> bool:
        """Return whether the user has neither left this part of a node or edge nor
        tried to run.
        """
        return location not in self._tried and (location, part) not in self._left

    def end(self, location: str, part: str) -> None:
        self._left.add((location, part))

    def end_for_all(self, workflow: WorkflowDefinition) -> None:
        self._tried.update(ids_of(workflow))
        self._tried.add("")

    def calmed(self, problem: Problem, workflow: WorkflowDefinition) -> Problem:
        """Make an empty drawing, or a node without edges, a hint until a run is tried."""
        if problem.rule == "start-exists":
            is_begun = not workflow.nodes
        elif problem.rule == "reachable":
            is_begun = not _has_edge(workflow, problem.location)
        else:
            is_begun = False
        if not is_begun or problem.location in self._tried:
            return problem
        return problem.model_copy(update={"severity": "info"})


class Checks(QObject):
    """`problems` are sorted, errors first; `by_location` has those of each node and
    edge id ("" is the workflow).

    They are checked a moment after the document or the catalogue changed, or after the
    program came to the front again, because files may have changed meanwhile. The check
    runs in another thread, and its result is dropped if the workflow was edited
    meanwhile. `changed` is emitted when the problems differ.

    Problems that only the host finds (code that cannot be imported) stay until the
    workflow is edited, a run is tried or the program comes to the front, because the
    user repairs code outside of the window, and only the host can check it.
    """

    changed = Signal()

    def __init__(
        self,
        document: Document,
        session: DebugSession,
        parent: QObject | None = None,
        *,
        check: Check | None = None,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._session = session
        self._check = check
        self._checked: WorkflowDefinition | None = None
        self._from_host: tuple[Problem, ...] = ()
        self._last_from_host: tuple[Problem, ...] = ()  # also after they were dropped
        self.problems: tuple[Problem, ...] = ()
        self.patience = Patience()
        # Cached because the status bar asks with every change.
        self._counts: Counter[str] = Counter()
        self.by_location: dict[str, tuple[Problem, ...]] = {}
        self._timer = QTimer(self, interval=PAUSE, singleShot=True)
        self._timer.timeout.connect(self._on_time)
        self._number = 0  # of the check in the lane; 0 for none
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication):
            application.applicationStateChanged.connect(self._on_application)
        document.changed.connect(self._on_edit)
        document.replaced.connect(self.schedule)
        document.entered.connect(self.schedule)
        session.catalogue_ready.connect(self.schedule)
        session.changed.connect(self._on_session)
        self.schedule()

    def schedule(self) -> None:
        """Check soon, once."""
        self._timer.start()

    def _on_edit(self, _diff: object) -> None:
        # Moving a node changes no problem.
        if self._document.design.workflow is not self._checked:
            self.schedule()

    def _on_time(self) -> None:
        if warm.is_busy():
            self._timer.start()
        else:
            self._drop()
            on_outcome = partial(self._on_outcome, self._document.design.workflow)
            self._number = _lane.start(self, self._begin(), on_outcome)

    def _on_application(self, state: Qt.ApplicationState) -> None:
        if state == Qt.ApplicationState.ApplicationActive:
            self._from_host = ()
            self.schedule()

    @property
    def is_busy(self) -> bool:
        """Whether a check runs, or will soon."""
        return self._timer.isActive() or bool(self._number)

    def stop(self) -> None:
        """Check no longer, and drop the result of a check that runs."""
        self._timer.stop()
        self._drop()

    def _drop(self) -> None:
        _lane.drop(self._number)
        self._number = 0

    def run(self) -> None:
        """Check now, and wait for it."""
        self._timer.stop()
        self._drop()
        workflow = self._document.design.workflow
        work = self._begin()
        self._on_outcome(workflow, run_in_background(partial(outcome_of, work)))

    def insist(self) -> None:
        """Complain about everything from now on, because the user tries to run."""
        self._from_host = ()
        self.patience.end_for_all(self._document.design.workflow)
        self.run()
        self.changed.emit()

    def _begin(self) -> Callable[[], Sequence[Problem]]:
        """Return the check of the present workflow, which can run in any thread."""
        workflow = self._document.design.workflow
        if self._checked is not None and workflow is not self._checked:
            self._from_host = ()
        self._checked = workflow
        document = self._document
        check = self._check or partial(
            _check_at, document.path, document.root, document.inside, document.folder
        )
        return partial(check, workflow, dict(self._session.infos) or None)

    def _on_outcome(
        self, workflow: WorkflowDefinition, outcome: Outcome[Sequence[Problem]]
    ) -> None:
        self._number = 0
        # If it was edited, the next check is scheduled already.
        if workflow is self._document.design.workflow:
            self._add(workflow, outcome.value())

    def _add(self, workflow: WorkflowDefinition, checked: Sequence[Problem]) -> None:
        problems = list(checked)
        if self._document.path is None:
            problems = [_of_unsaved(problem) for problem in problems]
        # The host checks the whole document, so its ids are not those of a level
        # inside.
        if not self._document.inside:
            known = {(p.rule, p.location, p.part) for p in problems}
            for problem in self._from_host:
                if (problem.rule, problem.location, problem.part) not in known:
                    problems.append(problem)
        problems = [self.patience.calmed(problem, workflow) for problem in problems]
        problems.sort(key=lambda problem: _SEVERITIES.index(problem.severity))
        self._take(tuple(problems))

    def count(self, severity: str) -> int:
        return self._counts[severity]

    def at(self, location: str, part: str = "") -> tuple[Problem, ...]:
        """Return the problems of a node or edge, or of a part of it and the parts
        inside.
        """
        problems = self.by_location.get(location, ())
        if not part:
            return problems
        return tuple(problem for problem in problems if _is_in(problem.part, part))

    def _on_session(self) -> None:
        if self._session.problems is not self._last_from_host:
            self._last_from_host = self._session.problems
            self._from_host = self._session.problems
            self.schedule()

    def _take(self, problems: tuple[Problem, ...]) -> None:
        if problems == self.problems:
            return
        self.problems = problems
        self._counts = Counter(problem.severity for problem in problems)
        grouped: dict[str, list[Problem]] = {}
        for problem in problems:
            grouped.setdefault(problem.location, []).append(problem)
        self.by_location = {id: tuple(problems) for id, problems in grouped.items()}
        self.changed.emit()


def _has_edge(workflow: WorkflowDefinition, node_id: str) -> bool:
    return any(node_id in pair for edge in workflow.edges for pair in edge.pairs)


def _check_at(
    path: Path | None,
    root: Design,
    way: Way,
    folder: Path,
    workflow: WorkflowDefinition,
    infos: Mapping[str, NodeInfo] | None,
) -> Sequence[Problem]:
    """Check a level of a document, with the files of its sub-workflows.

    The chain of files and nodes that lead to the level is given too, so that a file
    that contains itself is found.
    """
    chain = tuple(f"#{node}" for node in way)
    if path is not None:
        chain = (str(place_of(path)), *chain)
    entries = entries_into(root, way, folder)
    problems = check_workflow(workflow, infos, folder, chain, entries)
    return [as_inside(problem) for problem in problems] if way else problems


def _is_in(part: str, outer: str) -> bool:
    return part == outer or part.startswith((f"{outer}.", f"{outer}["))


def _of_unsaved(problem: Problem) -> Problem:
    """Add to a missing file that the document must be saved first, because files are
    looked for in its folder.
    """
    if problem.rule not in FILE_RULES:
        return problem
    return problem.model_copy(
        update={"remedy": f"Save the workflow beside its files first. {problem.remedy}"}
    )
