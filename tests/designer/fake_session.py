"""A session without a process: what canvas and panels see of a run in tests and
pictures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel
from PySide6.QtCore import QObject, Signal

from designer.session.delivery_orders import DeliveryOrders
from designer.session.origin import Answered, OriginTrail
from designer.session.past_counts import PastCounts
from designer.session.past_search import PastSearch
from designer.session.proof import RestoreProof
from designer.session.results import Planned, Results
from designer.session.staged_patch import StagedPatch
from designer.session.timeline_model import TimelineModel
from runtime.debug.protocol import (
    BoardBody,
    BoardColumn,
    BoardTimesBody,
    Breakpoint,
    BreakpointStatus,
    DiffBody,
    DivergenceBody,
    EdgeBody,
    EventsBody,
    ExpandBody,
    Header,
    InsideMoment,
    InsideSuperstep,
    Moment,
    NodeBody,
    OriginStep,
    OutputsBody,
    Patch,
    ProgressBody,
    ProvenanceArguments,
    RecordedResultBody,
    Reply,
    RestorePlanArguments,
    RunInfo,
    RunToArguments,
    StoppedBody,
    SuperstepBody,
)
from runtime.document.definition import NodeInfo
from runtime.document.problem import Problem


class FakeMirror(QObject):
    """What a staged patch sees of the moment that the user looks at."""

    changed = Signal()
    viewed = Signal()

    def __init__(self, session: FakeSession) -> None:
        super().__init__(session)
        self._session = session
        self.preview: Moment | None = None
        self.viewer = self
        self.runs: tuple[str, ...] = ()

    @property
    def mode(self) -> str:
        return self._session.mode

    @property
    def viewing(self) -> str | None:
        return self._session.viewing

    @property
    def way(self) -> tuple[str, ...]:
        return self._session.way

    @property
    def runs_inside(self) -> tuple[str, ...]:
        inside = self._session.inside
        return inside.keys if inside is not None else ()

    @property
    def timeline(self) -> TimelineModel:
        return self._session.timeline

    @property
    def original(self) -> Moment | None:
        return self._session.moment

    @property
    def seen_original(self) -> Moment | None:
        return self._session.moment

    def look_at(self, checkpoint_id: str) -> None:
        self._session.commands.append(("look at", checkpoint_id))
        self._session.viewing = checkpoint_id
        self._session.mode = "past"

    def look_live(self) -> None:
        self._session.commands.append(("live", None))

    def show_live(self) -> None:
        pass

    def show_preview(self, moment: Moment | None, patch: Patch | None = None) -> None:
        self.preview = moment


class FakeSession(QObject):
    """The attributes and signals of `DebugSession` that canvas and panels use;
    `commands` has what was asked for.
    """

    changed = Signal()
    viewed = Signal()
    progressed = Signal()
    console = Signal(str, str)
    failed = Signal(str, str)
    catalogue_ready = Signal()
    events = Signal(object)
    stopped_at = Signal()
    compared = Signal()
    breakpoints_changed = Signal()
    logged = Signal(object)

    def __init__(self, infos: Iterable[NodeInfo] = ()) -> None:
        super().__init__()
        self.mode = "edit"
        self.running = False
        self.waits_long = False
        self.moment: Moment | None = None
        self.viewing: str | None = None
        self.run_id: str | None = None
        self.progress: ProgressBody | None = None
        self.infos = {info.type: info for info in infos}
        self.problems: tuple[Problem, ...] = ()
        self.commands: list[tuple[str, Any]] = []
        self.asked: list[
            tuple[str, tuple[int, ...], int, Callable[[ExpandBody], None]]
        ] = []
        self.asked_of: list[str | None] = []
        self.reply: Callable[[Reply], None] | None = None
        self.stopped: StoppedBody | None = None
        self.timeline = TimelineModel(self)
        self.watchers: dict[str, bool] = {}
        self.why_not_annotate = ""
        self.past = PastSearch(
            self.timeline,
            lambda command, arguments, _done: self.commands.append(
                (command, arguments)
            ),
            lambda: "",
            lambda _run, _checkpoint: None,
            self,
        )
        self.proof = RestoreProof(
            self.timeline,
            lambda command, arguments, _done: self.commands.append(
                (command, arguments)
            ),
            self.view,
            self.compare_with,
            self,
        )
        self.delivery_orders = DeliveryOrders(
            self.timeline,
            lambda command, arguments, _done: self.commands.append(
                (command, arguments)
            ),
            self.view,
            self.compare_with,
            self,
        )
        self.recorded_asked: list[
            tuple[str, Callable[[RecordedResultBody | None], object]]
        ] = []
        self.plans: list[tuple[RestorePlanArguments, Planned]] = []
        self.results = Results(
            self,  # type: ignore[arg-type]
            self,  # type: ignore[arg-type]
            self._ask_plan,
            lambda node, done: self.recorded_asked.append((node, done)),
            self,
        )
        self.counts = PastCounts(
            self.timeline,
            lambda command, arguments, _done: self.commands.append(
                (command, arguments)
            ),
            self,
        )
        # questions for what is selected
        self.elements: list[tuple[str, Callable[[Any], None]]] = []
        # the recorded lines of checkpoints
        self.logs: list[
            tuple[tuple[str, ...], Callable[[EventsBody | None], None]]
        ] = []
        self.supersteps: list[Callable[[SuperstepBody | None], None]] = []
        self.origin = OriginTrail(self._ask_origin, self)
        # what was asked about origins, and who waits for the answer
        self.origins: list[tuple[ProvenanceArguments, Answered]] = []
        self.breakpoint_statuses: dict[str, BreakpointStatus] = {}
        self.held: frozenset[tuple[tuple[str, ...], str]] = frozenset()
        self.put_out: list[tuple[str, Callable[[OutputsBody | None], None]]] = []
        # the board: None answers later
        self.board_columns: Mapping[str, BoardColumn] | None = {}
        self.board_pages: list[tuple[str, ...]] = []
        self.board_waits: list[Callable[[BoardBody | None], None]] = []
        self.mirror = FakeMirror(self)
        # what was asked about staged changes, and who waits for the answer
        self.patches: list[tuple[BaseModel, Callable[[Any], None]]] = []
        self.staged = StagedPatch(self.mirror, self, self._restore, self)  # type: ignore[arg-type]
        self.times_asked: list[tuple[str, Callable[[BoardTimesBody | None], None]]] = []

    @property
    def questions(self) -> FakeSession:
        """It takes the questions itself."""
        return self

    looks_only = False
    can_run = True
    way: tuple[str, ...] = ()
    chosen_run = ""
    base = base_name = timeline_run = ""
    base_run = ""
    shows_first = False
    is_compared = True
    comparison_failed = False
    comparison: DiffBody | None = None
    divergence: DivergenceBody | None = None
    runs: tuple[RunInfo, ...] = ()
    other_store = ""
    other_runs: tuple[RunInfo, ...] = ()
    head: Header | None = None
    inside: InsideMoment | None = None

    @property
    def has_ended(self) -> bool:
        return (
            not self.running
            and self.stopped is not None
            and self.stopped.reason in ("finished", "stalled")
        )

    def search_breakpoint(self, point: Breakpoint, text: str) -> None:
        self.past.ask_breakpoint(point, text)

    @property
    def hit_breakpoint(self) -> str:
        stopped = self.stopped
        if self.running or stopped is None or stopped.breakpoint is None:
            return ""
        return stopped.breakpoint.id

    @property
    def standing(self) -> InsideSuperstep | None:
        if self.running or self.moment is None:
            return None
        return self.moment.standing

    def know_breakpoints(self, *statuses: BreakpointStatus) -> None:
        self.breakpoint_statuses = {status.id: status for status in statuses}
        self.breakpoints_changed.emit()

    @property
    def seen(self) -> Moment | None:
        return self.moment

    @property
    def seen_progress(self) -> ProgressBody | None:
        return self.progress

    def look_at(self, moment: Moment | None, mode: str = "live") -> None:
        self.moment = moment
        self.mode = mode
        if mode == "past" and moment is not None and moment.header is not None:
            self.viewing = moment.header.id
        else:
            self.viewing = None
        self.changed.emit()
        self.viewed.emit()

    def know(self, infos: Sequence[NodeInfo]) -> None:
        self.infos = {info.type: info for info in infos}
        self.catalogue_ready.emit()

    def outputs(
        self, checkpoint_id: str, done: Callable[[OutputsBody | None], None]
    ) -> None:
        self.put_out.append((checkpoint_id, done))

    def log(
        self, checkpoints: Sequence[str], done: Callable[[EventsBody | None], None]
    ) -> None:
        self.logs.append((tuple(checkpoints), done))

    def search_past(self, question: str, *, every_run: bool = False) -> None:
        self.commands.append(("search", question))

    def compare_with_store(self, store: str) -> None:
        self.commands.append(("compare with store", store))

    def compare_with(self, checkpoint_id: str, name: str = "", store: str = "") -> None:
        self.base_store = store
        self.base = checkpoint_id
        self.base_name = name
        self.comparison = None
        self.divergence = None
        if not checkpoint_id:
            self.shows_first = False
        self.changed.emit()
        self.compared.emit()

    def compare_pair(self, base: str, checkpoint_id: str) -> None:
        self.compare_with(base)
        self.view(checkpoint_id)

    def swap_base(self) -> None:
        self.commands.append(("swap", self.base))

    def show_first_difference(self, is_first: bool) -> None:
        self.shows_first = is_first
        self.compared.emit()

    def choose_base_run(self, key: str) -> None:
        self.base_run = key
        self.compared.emit()

    def watch_comparison(self, is_watched: bool) -> None:
        self.commands.append(("watch", is_watched))

    def list_runs(self) -> None:
        self.commands.append(("runs", ""))

    def node(self, node: str, done: Callable[[NodeBody | None], None]) -> None:
        self.elements.append((node, done))

    def node_at(
        self,
        checkpoint_id: str,
        node: str,
        inside: Sequence[str],
        runs: Sequence[str],
        done: Callable[[NodeBody | None], None],
    ) -> None:
        self.elements.append((node, done))

    def watch_growth(self, watcher: str, *, is_watching: bool) -> None:
        self.watchers = {**self.watchers, watcher: is_watching}

    def board(
        self, checkpoints: Sequence[str], done: Callable[[BoardBody | None], None]
    ) -> None:
        self.board_pages.append(tuple(checkpoints))
        if self.board_columns is None:
            self.board_waits.append(done)
            return
        columns = [self.board_columns[each] for each in checkpoints]
        done(BoardBody(columns=tuple(columns)))

    def board_times(
        self, checkpoint_id: str, done: Callable[[BoardTimesBody | None], None]
    ) -> None:
        self.times_asked.append((checkpoint_id, done))

    def edge(self, edge: str, done: Callable[[EdgeBody | None], None]) -> None:
        self.elements.append((edge, done))

    def superstep(self, done: Callable[[SuperstepBody | None], None]) -> None:
        self.supersteps.append(done)

    def explain(
        self,
        address: str,
        name: str,
        *,
        path: Sequence[int] = (),
        checkpoint_id: str | None = None,
        outermost: bool = False,
    ) -> None:
        arguments = ProvenanceArguments(
            checkpoint_id=checkpoint_id, address=address, path=tuple(path)
        )
        self.origin.explain(arguments, name)

    def _ask_plan(
        self, arguments: RestorePlanArguments, done: Planned, *, again: bool
    ) -> None:
        self.plans.append((arguments, done))

    def _ask_origin(self, arguments: ProvenanceArguments, answered: Answered) -> None:
        self.origins.append((arguments, answered))

    def expand_at(
        self,
        step: OriginStep,
        path: Sequence[int],
        offset: int,
        done: Callable[[ExpandBody | None], None],
    ) -> None:
        self.asked.append((step.item.section, tuple(path), offset, done))
        self.asked_of.append(step.item.checkpoint_id)

    def is_running(self, node: str) -> bool:
        return (
            self.running and self.progress is not None and node in self.progress.running
        )

    def cancel_node(self, node: str) -> None:
        self.commands.append(("cancel", node))

    def hold(self, executor: str, inside: Sequence[str], *, held: bool) -> None:
        self.commands.append(("hold", (executor, tuple(inside), held)))

    def run_to(self, place: RunToArguments) -> None:
        self.commands.append(("run_to", place))

    def checkpoint_in(self, superstep: int) -> str | None:
        return f"c{superstep}"

    def view(self, checkpoint_id: str) -> None:
        self.commands.append(("view", checkpoint_id))

    def expand(
        self,
        section: str,
        path: Sequence[int],
        offset: int,
        done: Callable[[ExpandBody], None],
        *,
        checkpoint_id: str | None = None,
        outermost: bool = False,
    ) -> None:
        self.asked.append((section, tuple(path), offset, done))
        self.asked_of.append(checkpoint_id)

    def answer(
        self, answers: Mapping[str, Any], done: Callable[[Reply], None] | None = None
    ) -> None:
        self.commands.append(("answer", dict(answers)))
        self.reply = done

    def leave(self) -> None:
        self.commands.append(("leave", None))

    def ask_workflow(
        self,
        command: str,
        arguments: BaseModel,
        body: type[BaseModel],
        done: Callable[[Any], None],
        complain: Callable[[Reply], None] | None = None,
        sent: Callable[[int], None] = lambda _number: None,
    ) -> None:
        self.patches.append((arguments, done))

    def drop(self, number: int) -> None:
        self.commands.append(("drop", number))

    def _restore(
        self,
        checkpoint_id: str,
        branch: str = "",
        done: Callable[[Reply], None] | None = None,
        *,
        patch: Patch | None = None,
    ) -> None:
        self.commands.append(("restore", (checkpoint_id, branch, patch)))
        self.reply = done

    def load_catalogue(self, *, again: bool = False) -> None:
        self.commands.append(("catalogue", None))
