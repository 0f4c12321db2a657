"""What is wrong with the open document, kept up to date beside it: for Problems, the canvas and the forms."""

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
from designer.qt.background import Lane, Outcome, beside, outcome_of
from designer.session.session import DebugSession
from runtime.checks.check import as_inside
from runtime.checks.check import check as check_workflow
from runtime.document.definition import NodeInfo, WorkflowDefinition
from runtime.document.problem import Problem
from runtime.system.user_folders import place_of

# `check` of the open document when nothing else is given; a test gives what it wants to see.
Check = Callable[[WorkflowDefinition, Mapping[str, NodeInfo] | None], Sequence[Problem]]
PAUSE = 120  # ms after the last edit: typing and dragging never wait for a check
# rules that look into the folder of the document
BESIDE = ("file-there", "python-there")
_SEVERITIES = ("error", "warning", "info")
# of all windows: one check at a time leaves the others their processor
_lane = Lane("checks")


class Patience:
    """Forms ask calmly for what is empty, until its field was left once, or a run of it was tried. So do problems of
    what was only begun to be drawn.
    """

    def __init__(self) -> None:
        self._left: set[tuple[str, str]] = set()
        self._tried: set[str] = set()

    def is_with(self, location: str, part: str) -> bool:
        """Whether nobody was at this part of a node or edge yet."""
        return location not in self._tried and (location, part) not in self._left

    def end(self, location: str, part: str) -> None:
        self._left.add((location, part))

    def end_for_all(self, workflow: WorkflowDefinition) -> None:
        self._tried.update(ids_of(workflow))
        self._tried.add("")

    def calmed(self, problem: Problem, workflow: WorkflowDefinition) -> Problem:
        """An empty drawing, and a node that no edge leads to or from yet, are hints until a run is tried."""
        is_begun = (problem.rule == "start-exists" and not workflow.nodes) or (
            problem.rule == "reachable" and not _has_edge(workflow, problem.location)
        )
        if not is_begun or problem.location in self._tried:
            return problem
        return problem.model_copy(update={"severity": "info"})


class Checks(QObject):
    """`problems` are sorted, errors first; `by_location` has those of each node and edge id ("" is the workflow).

    They are recomputed a moment after the document or the catalogue changed, or the program came to the front again,
    as files may have come or gone meanwhile; `changed` tells when they differ. This is done in another thread, and
    dropped when the workflow was edited meanwhile. What only the host could find (code that cannot be imported) is kept
    until the workflow is edited, a run is tried or the program comes to the front: code is mended outside the drawing,
    and only the host can tell whether it was.
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
        self._heard: tuple[Problem, ...] = ()
        self.problems: tuple[Problem, ...] = ()
        self.patience = Patience()
        # the status bar asks with every change of anything
        self._counts: Counter[str] = Counter()
        self.by_location: dict[str, tuple[Problem, ...]] = {}
        self._timer = QTimer(self, interval=PAUSE, singleShot=True)
        self._timer.timeout.connect(self._on_time)
        self._number = 0  # of the check that is on in the lane; 0 when none is
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
        # a node that only moved is as right as it was
        if self._document.design.workflow is not self._checked:
            self.schedule()

    def _on_time(self) -> None:
        if warm.is_busy():
            self._timer.start()
        else:
            self._drop()
            told = partial(self._on_outcome, self._document.design.workflow)
            self._number = _lane.start(self, self._begin(), told)

    def _on_application(self, state: Qt.ApplicationState) -> None:
        if state == Qt.ApplicationState.ApplicationActive:
            self._from_host = ()
            self.schedule()

    @property
    def is_busy(self) -> bool:
        """Whether a check is on, or about to be."""
        return self._timer.isActive() or bool(self._number)

    def stop(self) -> None:
        """Check nothing any more; what a check that is on finds is not told."""
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
        self._on_outcome(workflow, beside(partial(outcome_of, work)))

    def insist(self) -> None:
        """A run is tried: what is missing is said plainly from now on, and the host is asked anew."""
        self._from_host = ()
        self.patience.end_for_all(self._document.design.workflow)
        self.run()
        self.changed.emit()

    def _begin(self) -> Callable[[], Sequence[Problem]]:
        """The check of the workflow as it is; what it returns runs in any thread."""
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
        # else the next one is on its way
        if workflow is self._document.design.workflow:
            self._found(workflow, outcome.value())

    def _found(self, workflow: WorkflowDefinition, problems: Sequence[Problem]) -> None:
        if self._document.path is not None:
            found = list(problems)
        else:
            found = [_of_unsaved(problem) for problem in problems]
        known = {(problem.rule, problem.location, problem.part) for problem in found}
        # The host knows the document as a whole: its ids are not those of a drawing inside.
        if not self._document.inside:
            found += [
                p for p in self._from_host if (p.rule, p.location, p.part) not in known
            ]
        found = [self.patience.calmed(problem, workflow) for problem in found]
        self._take(
            tuple(
                sorted(found, key=lambda problem: _SEVERITIES.index(problem.severity))
            )
        )

    def count(self, severity: str) -> int:
        return self._counts[severity]

    def at(self, location: str, part: str = "") -> tuple[Problem, ...]:
        """The problems of a node or edge, or of one part of it and what is inside that part."""
        found = self.by_location.get(location, ())
        return tuple(
            problem for problem in found if not part or _is_in(problem.part, part)
        )

    def _on_session(self) -> None:
        if self._session.problems is not self._heard:
            self._heard = self._from_host = self._session.problems
            self.schedule()

    def _take(self, problems: tuple[Problem, ...]) -> None:
        if problems == self.problems:
            return
        self.problems = problems
        self._counts = Counter(problem.severity for problem in problems)
        grouped: dict[str, list[Problem]] = {}
        for problem in problems:
            grouped.setdefault(problem.location, []).append(problem)
        self.by_location = {
            location: tuple(found) for location, found in grouped.items()
        }
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
    """With the files of sub-workflows, and with what leads to the drawing, so that circles are found."""
    steps = tuple(f"#{node}" for node in way)
    chain = (str(place_of(path)), *steps) if path is not None else steps
    found = check_workflow(
        workflow, infos, folder, chain, entries_into(root, way, folder)
    )
    return [as_inside(one) for one in found] if way else found


def _is_in(part: str, outer: str) -> bool:
    return part == outer or part.startswith((f"{outer}.", f"{outer}["))


def _of_unsaved(problem: Problem) -> Problem:
    """Files are looked for beside the document: who has not saved it yet is told so, not only where that was."""
    if problem.rule not in BESIDE:
        return problem
    return problem.model_copy(
        update={"remedy": f"Save the workflow beside its files first. {problem.remedy}"}
    )
