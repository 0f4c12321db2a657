"""What the debug host reported last about one run, and which moment of it the user
looks at.

Nothing here guesses what a run does: the phase, the head and the moments come from the
host. What the user looks at is the window's own business, and never moves the run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from pydantic import ValidationError
from PySide6.QtCore import QObject, Signal

from designer.session.client import Client
from designer.session.history import History
from designer.session.opener import Opener
from designer.session.phase import RunEvent, RunState
from designer.session.timeline_model import FAILED, MISSED, TimelineModel
from designer.session.viewer import Viewer
from runtime.debug import protocol
from runtime.debug.protocol import (
    SAID_LIMIT,
    Header,
    InsideMoment,
    Moment,
    Notice,
    Patch,
    ProgressBody,
    RunInfo,
    StoppedBody,
)

Mode = Literal["edit", "live", "past"]
# Reasons why a run stands that has nothing left to do.
ENDED = ("finished", "stalled")


class Mirror(QObject):
    """A part of the session. It reads the notices of the host; the session calls the
    methods.

    run_id     the live run
    head       its newest checkpoint, where it stands
    resume_at  the checkpoint from which the host has to resume before the run can go on,
               because a new host, or one that opened another document, has no run
    stopped    why the run stands; None while it runs
    progress   the superstep that runs now
    viewing    the checkpoint of the past that the user looks at; None for the live run
    original   what the user looks at, as soon as the host has sent it
    preview    what a staged patch would make of it; None without one. `preview_patch` is that patch
    timeline   the checkpoints of the run that is shown
    """

    changed = Signal()  # any attribute but moment and progress
    viewed = Signal()  # moment
    progressed = Signal()  # progress
    resumed = Signal()
    stopped_at = Signal()  # `stopped` says why
    # category (stdout, stderr, or traceback: that of a run that failed), text
    console = Signal(str, str)
    events = Signal(object)  # EventsBody

    def __init__(
        self, client: Client, opener: Opener, run: RunState, parent: QObject
    ) -> None:
        super().__init__(parent)
        self.run_id: str | None = None
        self.head: Header | None = None
        self.resume_at: str | None = None
        self.stopped: StoppedBody | None = None
        self.progress: ProgressBody | None = None
        self.viewing: str | None = None
        self.original: Moment | None = None
        self.preview: Moment | None = None
        self.preview_patch: Patch | None = None
        self.timeline = TimelineModel(self)
        self._run = run
        self._opener = opener
        self._shows_run = False  # the run, and not the drawing
        # Show the run at the next sign that the host has accepted it. The host may
        # refuse it, so the view stays as it is until then.
        self._shows_run_next = False
        self.viewer = Viewer(client, opener.for_looking, self)
        self.viewer.arrived.connect(self._on_moment)
        self.history = History(client, self.timeline, self)
        self.history.changed.connect(self.changed)
        self._readers: dict[str, Callable[[Any], None]] = {
            "resumed": self._on_resumed,
            "stopped": self._on_stopped,
            "checkpoints": self._on_checkpoints,
            "progress": self._on_progress,
            "console": self._on_console,
            "event": self._on_event,
            "program": self._on_program,
        }
        client.notice.connect(self._on_notice)

    # --- what is shown ---

    @property
    def mode(self) -> Mode:
        if self.viewing is not None or self._opener.looks_only:
            return "past"
        if self._opener.is_attached:
            return "live"
        return "live" if self._shows_run and self.run_id is not None else "edit"

    @property
    def moment(self) -> Moment | None:
        """What is shown: the preview of a staged patch, or else the original."""
        return self.preview if self.preview is not None else self.original

    @property
    def looked_at(self) -> str | None:
        """The checkpoint of the moment; None for the live run in the host."""
        return self.viewing if self.viewing is not None else self.resume_at

    @property
    def way(self) -> tuple[str, ...]:
        """The sub-workflows on the way to the level that is shown, outermost first."""
        return self.viewer.way

    @property
    def chosen_run(self) -> str:
        """The key of the sub-workflow's run that the user chose; "" for its newest."""
        runs = self.viewer.runs
        return runs[-1] if runs and len(runs) == len(self.way) else ""

    @property
    def inside(self) -> InsideMoment | None:
        """What the host sent of the level that is shown; None as long as it is missing."""
        return self._inside_of(self.moment)

    @property
    def runs_inside(self) -> tuple[str, ...]:
        """The keys of the runs on the way into sub-workflows."""
        return self.inside.keys if self.inside is not None else ()

    @property
    def seen(self) -> Moment | None:
        """The moment of the level that is shown; an empty one where no run is inside."""
        return self._level_of(self.moment)

    @property
    def seen_original(self) -> Moment | None:
        """The same without a staged patch."""
        return self._level_of(self.original)

    def _inside_of(self, moment: Moment | None) -> InsideMoment | None:
        inside = moment.inside if moment is not None else None
        return inside if inside is not None and inside.way == self.way else None

    def _level_of(self, moment: Moment | None) -> Moment | None:
        if moment is None or not self.way:
            return moment
        inside = self._inside_of(moment)
        if inside is None or inside.moment is None:
            return Moment(header=moment.header)
        return inside.moment

    @property
    def seen_progress(self) -> ProgressBody | None:
        """The progress of the level that is shown; None in the past."""
        if self.mode == "past":
            return None
        if not self.way:
            return self.progress
        if self.progress is None or self.inside is None or self.inside.moment is None:
            return None
        progress = self.progress.inside.get("/".join(self.inside.keys))
        if progress is None:
            return None
        return ProgressBody(
            superstep=self.inside.moment.superstep + 1,
            running=progress.running,
            done=progress.done,
            attempts=progress.attempts,
        )

    @property
    def runs(self) -> tuple[RunInfo, ...]:
        """The document's runs in the store, the most recently written first."""
        return self.history.runs

    @property
    def timeline_run(self) -> str:
        """The name of the run on the timeline: "run 5", counted from the first of the
        store; "" for a run that is not listed.
        """
        for place, run in enumerate(self.runs):
            if run.run_id == self.timeline.run_id:
                return f"run {len(self.runs) - place}"
        return ""

    @property
    def has_ended(self) -> bool:
        """Whether the run stands at its end: only going back can move it again."""
        stopped = self.stopped
        is_running = self._run.is_running
        return not is_running and stopped is not None and stopped.reason in ENDED

    # --- what the session does with it ---

    @property
    def stands_inside(self) -> bool:
        """Whether the live run stands inside a superstep."""
        stopped = self.stopped
        is_inside = stopped is not None and stopped.delivery is not None
        return self._run.is_standing and self.run_id is not None and is_inside

    def is_live_head(self, checkpoint_id: str) -> bool:
        """Whether the run stands at this checkpoint."""
        if self.head is None or self._run.is_running:
            return False
        return self.head.id == checkpoint_id

    def look_at(self, checkpoint_id: str) -> None:
        """Show a checkpoint of the past."""
        self._shows_run = True
        self._shows_run_next = False
        self.viewing = checkpoint_id
        self.changed.emit()
        self.viewer.look_at(checkpoint_id)

    def look_live(self) -> None:
        """Show the live run instead of the drawing or the past."""
        self._shows_run = True
        self.viewing = None
        self.changed.emit()

    def look_live_when_accepted(self) -> None:
        """Show the live run as soon as the host has accepted what it was asked for."""
        self._shows_run_next = True

    def accepted(self) -> None:
        if self._shows_run_next:
            self._shows_run_next = False
            self.look_live()

    def refused(self) -> None:
        self._shows_run_next = False

    def show_preview(self, moment: Moment | None, patch: Patch | None = None) -> None:
        """Show what a staged patch would make of the moment; None for the moment."""
        self.preview_patch = patch
        if moment is not self.preview:
            self.preview = moment
            self.viewed.emit()

    def leave(self) -> None:
        """Show the drawing. The run stays where it is."""
        self._shows_run = False
        self._shows_run_next = False
        self.viewing = None
        self.original = None
        self.preview = None
        self.changed.emit()
        self.viewed.emit()

    def show_live(self, *, now: bool = True) -> None:
        """Fetch the moment of the live run, if that is shown."""
        if self.mode != "live":
            return
        if self.resume_at is not None:
            self.viewer.look_at(self.resume_at)
        else:
            self.viewer.look_at_live(now=now)

    def look_inside(
        self, way: Sequence[str], run: str = "", *, keys: Sequence[str] = ()
    ) -> None:
        """Show the level of a sub-workflow from now on, of one of its runs by its key,
        or with "" of its newest. `keys` names a run on each level of the way.
        """
        way = tuple(way)
        runs = self._runs_on(way)
        if keys:
            runs = tuple(keys)
        elif run:
            runs = (*self._shared_keys(way)[: len(way) - 1], run)
        if (way, runs) == (self.viewer.way, self.viewer.runs):
            return
        self.viewer.way = way
        self.viewer.runs = runs
        self.viewed.emit()  # because `seen` is of another level of the same moment
        if self.viewing is not None:
            self.viewer.look_at(self.viewing)
        else:
            self.show_live()
        self.changed.emit()

    def _shared_keys(self, way: tuple[str, ...]) -> list[str]:
        """The keys of the runs on the part of the present way that another way shares."""
        keys = []
        for key, present, wanted in zip(self.runs_inside, self.way, way, strict=False):
            if present == wanted:
                keys.append(key)
        return keys

    def _runs_on(self, way: tuple[str, ...]) -> tuple[str, ...]:
        """The runs that the user chose further out, which stay chosen."""
        if not way:
            return ()
        count = min(len(way) - 1, len(self._shared_keys(way)))
        return tuple(self.viewer.runs[:count])

    def set_head(self, header: Header) -> None:
        self.head = header
        self.run_id = header.run_id
        self.changed.emit()

    def replace(self, header: Header) -> None:
        """The tags or the note of a checkpoint changed."""
        self.viewer.forget(header.id)
        self.timeline.replace(header)
        if self.head is not None and self.head.id == header.id:
            self.head = header
        self.changed.emit()

    def host_has_no_run(self) -> None:
        """The host ended, or built a document: going on begins with resuming the run."""
        self.resume_at = self.head.id if self.head is not None else None

    def stopped_by_loss(self, reason: str) -> None:
        """The host ended while the run moved."""
        head = self.head
        self.stopped = StoppedBody(
            reason="cancelled",
            status="CANCELLED",
            superstep=head.superstep if head is not None else 0,
            run_id=head.run_id if head is not None else "",
            branch=head.branch if head is not None else "main",
            checkpoint_id=head.id if head is not None else None,
            text=reason,
        )

    def add_saved(self, headers: Sequence[Header]) -> None:
        """Add what a lost host had saved and not reported."""
        if headers:
            self.history.add_live(headers, shown=self.viewing is None)
            self.set_head(headers[-1])
            self.resume_at = headers[-1].id
        elif self.head is None:
            self.run_id = None
            self._shows_run = False
        self.changed.emit()
        self.show_live()

    def forget(self) -> None:
        """Show nothing of the run any more."""
        self.viewer.forget()
        self.history.clear()
        self._shows_run = False
        self._shows_run_next = False
        self.run_id = None
        self.head = None
        self.resume_at = None
        self.stopped = None
        self.progress = None
        self.viewing = None
        self.original = None
        self.preview = None

    # --- what the host reports ---

    def _on_notice(self, notice: Notice) -> None:
        read = self._readers.get(notice.event)
        if read is None or self._run.is_closed:
            return
        try:
            read(notice.body)
        except ValidationError as error:
            text = f"The run's process sent a '{notice.event}' notice that cannot be read: {error}"
            self.console.emit("stderr", text[:SAID_LIMIT])

    def _on_resumed(self, body: Any) -> None:
        resumed = protocol.ResumedBody.model_validate(body)
        self._run.take(RunEvent.RESUMED)
        self.run_id = resumed.run_id
        self.resume_at = None
        self.stopped = None
        self.progress = None
        self.accepted()
        self.resumed.emit()
        self.changed.emit()

    def _on_stopped(self, body: Any) -> None:
        stopped = StoppedBody.model_validate(body)
        self._run.take(RunEvent.STOPPED)
        self.stopped = stopped
        self.progress = None
        if stopped.run_id:
            self.run_id = stopped.run_id
            self.resume_at = None
        if stopped.reason == "failed":
            superstep = stopped.superstep + 1
            self.timeline.add_incident(FAILED, stopped.branch, superstep, stopped.text)
            self.console.emit("traceback", stopped.traceback or stopped.text)
        self.accepted()
        self.changed.emit()
        self.stopped_at.emit()
        self.show_live()

    def _on_checkpoints(self, body: Any) -> None:
        headers = protocol.HeadersBody.model_validate(body).headers
        if not headers:
            return
        newest = headers[-1]
        self.accepted()
        is_shown = self.viewing is None or self.timeline.run_id == newest.run_id
        self.history.add_live(headers, shown=is_shown)
        self.resume_at = None
        self.set_head(newest)
        self.show_live(now=False)

    def _on_progress(self, body: Any) -> None:
        self.progress = ProgressBody.model_validate(body)
        self.progressed.emit()

    def _on_program(self, body: Any) -> None:
        self._opener.program = protocol.AttachBody.model_validate(body)
        self.changed.emit()

    def _on_console(self, body: Any) -> None:
        line = protocol.ConsoleBody.model_validate(body)
        self.console.emit(line.category, line.text)

    def _on_event(self, body: Any) -> None:
        events = protocol.EventsBody.model_validate(body)
        for item in events.events:
            if item.kind == "checkpoint_missed" and self.head is not None:
                branch = self.head.branch
                self.timeline.add_incident(MISSED, branch, item.superstep, item.text)
        self.events.emit(events)

    def _on_moment(self, checkpoint_id: str | None, moment: Moment) -> None:
        is_live = checkpoint_id is None or checkpoint_id == self.resume_at
        if self.viewing is None:
            is_wanted = is_live
        else:
            is_wanted = checkpoint_id is not None
        # The user may look elsewhere since the question was sent.
        if is_wanted and self.mode != "edit":
            self.original = moment
            self.viewed.emit()
