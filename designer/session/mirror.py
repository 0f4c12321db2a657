"""The window's mirror of one run: what the host said last, and what of it the user looks at.

Nothing here guesses what a run does: `running`, `head`, `stopped` and the moments are what the host told. What the
user looks at (`viewing`) is the window's own, and never moves the run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from pydantic import ValidationError
from PySide6.QtCore import QObject, Signal

from designer.session.client import CANCELLED, HOST_CLOSED, Client, Done
from designer.session.history import History
from designer.session.link import Link
from designer.session.opener import NOT_TRUSTED, Opener
from designer.session.timeline_model import FAILED, MISSED, TimelineModel
from designer.session.viewer import Viewer
from runtime.debug import protocol
from runtime.debug.protocol import (
    SAID_LIMIT,
    DiffBody,
    Header,
    InsideMoment,
    Moment,
    ProgressBody,
    Reply,
    RunInfo,
    StoppedBody,
)
from runtime.document.definition import NodeInfo
from runtime.document.problem import Problem

Mode = Literal["edit", "live", "past"]
ENDED = ("finished", "stalled")  # why a run stands that has nothing left to do
NO_HISTORY = "The runs of this document cannot be listed"
# `error_type` of what the user knows already
TOLD = (HOST_CLOSED, NOT_TRUSTED, CANCELLED)


class Mirror(QObject):
    """Attributes are read by everybody and set by the session only; `changed` tells that any of them is new.

    running     whether the run moves            stopped   why it stands, None while it moves
    run_id      the live run                     head      its newest checkpoint: where it stands
    viewing     the checkpoint of the past that is looked at, None when it is the live run (or the drawing)
    moment      what is looked at, as soon as it has come; `seen` is the level of it that is looked at
    progress    the superstep that runs now      infos     the node types, by type
    timeline    the checkpoints of the run that is shown
    base        the checkpoint that is compared with, "" for none, and `base_name` its name if it is of another run;
                `comparison` is what differs, as soon as it has come
    waits_long  whether the host has owed an answer for long: a person may want to wait no more
    """

    changed = Signal()  # any attribute but moment and progress
    viewed = Signal()  # moment
    progressed = Signal()  # progress
    stopped_at = Signal()  # the run stands; `stopped` says why
    # category (stdout, stderr, or traceback: that of a run that failed), text
    console = Signal(str, str)
    failed = Signal(str, str)  # title, text: for a message to the user
    catalogue_ready = Signal()  # infos
    events = Signal(object)  # EventsBody
    compared = Signal()  # comparison

    def __init__(self, link: Link, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.running = False
        self.run_id: str | None = None
        self.head: Header | None = None
        self.moment: Moment | None = None
        self.viewing: str | None = None
        self.stopped: StoppedBody | None = None
        self.progress: ProgressBody | None = None
        self.base = self.base_name = ""
        self.comparison: DiffBody | None = None
        self.infos: dict[str, NodeInfo] = {}
        self.waits_long = False
        self.timeline = TimelineModel(self)
        self._debugging = False  # not editing
        # as soon as the host has put the run where it was told to, that is looked at
        self._entering = False
        # the host has no run (yet): where it will have to stand
        self._stand_at: str | None = None
        self._link = link
        self._client = Client(link, self)
        self._client.notice.connect(self._on_notice)
        self._client.console.connect(self.console)
        self._client.waits_long.connect(self._on_waits_long)
        self._opener = Opener(self._client, self)
        self._viewer = Viewer(self._client, self._opener.for_looking, self)
        self._viewer.arrived.connect(self._on_moment)
        self._viewer.failed.connect(self._complain("This checkpoint cannot be shown"))
        self._history = History(self._client, self.timeline, self)
        self._history.changed.connect(self.changed)
        self._history.failed.connect(self._complain(NO_HISTORY))

    @property
    def mode(self) -> Mode:
        if self.viewing is not None or self._opener.looks_only:
            return "past"
        return "live" if self._debugging and self.run_id is not None else "edit"

    @property
    def looked_at(self) -> str | None:
        """The checkpoint that is looked at; None for the run as it stands, if its host has it."""
        return self.viewing if self.viewing is not None else self._stand_at

    @property
    def way(self) -> tuple[str, ...]:
        """The sub-workflows that are looked into, from the outermost on."""
        return self._viewer.way

    @property
    def chosen_run(self) -> str:
        """The run of the sub-workflow that a person chose, by its key; "" for the newest, whichever that is."""
        runs = self._viewer.runs
        return runs[-1] if runs and len(runs) == len(self.way) else ""

    @property
    def inside(self) -> InsideMoment | None:
        """What the host told of where one looks into sub-workflows; None when that has not come yet."""
        found = self.moment.inside if self.moment is not None else None
        return found if found is not None and found.way == self.way else None

    @property
    def seen(self) -> Moment | None:
        """The moment; looking into a sub-workflow, that of the run inside, empty while none is on."""
        if self.moment is None or not self.way:
            return self.moment
        if self.inside is None or self.inside.moment is None:
            return Moment(header=self.moment.header)
        return self.inside.moment

    @property
    def seen_progress(self) -> ProgressBody | None:
        """Who is at work where one looks; nobody in the past."""
        if self.mode == "past":
            return None
        if self.progress is None or not self.way or self.inside is None:
            return None if self.way else self.progress
        found = self.progress.inside.get("/".join(self.inside.keys))
        if found is None or self.inside.moment is None:
            return None
        superstep = self.inside.moment.superstep + 1
        return ProgressBody(
            superstep=superstep,
            running=found.running,
            done=found.done,
            attempts=found.attempts,
        )

    @property
    def runs(self) -> tuple[RunInfo, ...]:
        """The document's runs in the store, the most recently written first."""
        return self._history.runs

    @property
    def timeline_run(self) -> str:
        """How people call the run on the timeline: "run 5", from the first of the store; "" where it is not listed."""
        runs = self.runs
        shown = self.timeline.run_id
        return next(
            (
                f"run {len(runs) - place}"
                for place, run in enumerate(runs)
                if run.run_id == shown
            ),
            "",
        )

    @property
    def has_live(self) -> bool:
        """Whether there is a run to go back to."""
        return self.run_id is not None

    @property
    def has_ended(self) -> bool:
        """Whether the run has come to its end: it stands, and nothing but going back can move it on."""
        stopped = self.stopped
        return not self.running and stopped is not None and stopped.reason in ENDED

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What the host found when it built the document."""
        return self._opener.problems

    # --- the host tells -----------------------------------------------------------------------------------------

    def _on_notice(self, notice: protocol.Notice) -> None:
        handler: Callable[[Any], None] | None = getattr(
            self, f"_on_{notice.event}_notice", None
        )
        if handler is None:
            return
        try:
            handler(notice.body)
        except ValidationError as error:
            text = f"The run's process told of '{notice.event}' in a way that is not understood: {error}"
            self.console.emit("stderr", text[:SAID_LIMIT])

    def _on_waits_long(self, waits: bool) -> None:
        self.waits_long = waits
        self.changed.emit()

    def _on_resumed_notice(self, body: Any) -> None:
        resumed = protocol.ResumedBody.model_validate(body)
        self.running = True
        self.run_id = resumed.run_id
        self.stopped = None
        self.progress = None
        self._stand_at = None
        self._enter()
        # what the run needs of a person is not to be hidden behind a comparison
        if self.base:
            self.base = ""
            self.base_name = ""
            self.comparison = None
            self.compared.emit()
        self.changed.emit()

    def _on_stopped_notice(self, body: Any) -> None:
        stopped = StoppedBody.model_validate(body)
        self.running = False
        self.stopped = stopped
        self.progress = None
        if stopped.run_id:
            self.run_id = stopped.run_id
            self._stand_at = None
        if stopped.reason == "failed":
            self.timeline.add_incident(
                FAILED, stopped.branch, stopped.superstep + 1, stopped.text
            )
            self.console.emit("traceback", stopped.traceback or stopped.text)
        self._enter()
        self.changed.emit()
        self.stopped_at.emit()
        self._show_live()

    def _on_checkpoints_notice(self, body: Any) -> None:
        headers = protocol.HeadersBody.model_validate(body).headers
        if not headers:
            return
        self._enter()
        self._history.add_live(
            headers,
            shown=self.viewing is None or self.timeline.run_id == headers[-1].run_id,
        )
        self._stand_at = None
        self._set_head(headers[-1])
        self._show_live(now=False)

    def _on_progress_notice(self, body: Any) -> None:
        self.progress = ProgressBody.model_validate(body)
        self.progressed.emit()

    def _on_console_notice(self, body: Any) -> None:
        line = protocol.ConsoleBody.model_validate(body)
        self.console.emit(line.category, line.text)

    def _on_event_notice(self, body: Any) -> None:
        events = protocol.EventsBody.model_validate(body)
        for item in events.events:
            if item.kind == "checkpoint_missed" and self.head is not None:
                self.timeline.add_incident(
                    MISSED, self.head.branch, item.superstep, item.text
                )
        self.events.emit(events)

    def _on_annotated(self, reply: Reply) -> None:
        if not reply.success:
            self._complain("The note could not be stored")(reply)
            return
        header = protocol.HeaderBody.model_validate(reply.body).header
        self._viewer.forget(header.id)
        self.timeline.replace(header)
        if self.head is not None and self.head.id == header.id:
            self.head = header
        self.changed.emit()

    # --- what is looked at ----------------------------------------------------------------------------------------

    def _show_live(self, *, now: bool = True) -> None:
        """Fetch the moment of the live run. A host that has no run (yet) shows where it will stand."""
        if self.mode != "live":
            return
        if self._stand_at is not None:
            self._viewer.look_at(self._stand_at)
        else:
            self._viewer.look_at_live(now=now)

    def look_inside(self, way: Sequence[str], run: str = "") -> None:
        """Look into sub-workflows from now on, of the last one at a run by its key, or with "" at the newest."""
        wanted = tuple(way)
        keys = self.inside.keys if self.inside is not None else ()
        shared = [
            key
            for key, one, other in zip(keys, self.way, wanted, strict=False)
            if one == other
        ]
        # What was chosen further out stays chosen.
        if wanted:
            runs = tuple(self._viewer.runs[: min(len(wanted) - 1, len(shared))])
        else:
            runs = ()
        if run:
            runs = (*shared[: len(wanted) - 1], run)
        if (wanted, runs) == (self._viewer.way, self._viewer.runs):
            return
        self._viewer.way = wanted
        self._viewer.runs = runs
        self.viewed.emit()  # of the moment that is there another level is seen
        if self.viewing is not None:
            self._viewer.look_at(self.viewing)
        else:
            self._show_live()
        self.changed.emit()

    def _on_moment(self, checkpoint_id: str | None, moment: Moment) -> None:
        of_live = checkpoint_id is None or checkpoint_id == self._stand_at
        if self.mode == "edit" or (
            not of_live if self.viewing is None else checkpoint_id is None
        ):
            return  # asked before the user looked elsewhere
        self.moment = moment
        self.viewed.emit()

    def _set_head(self, header: Header) -> None:
        self.head = header
        self.run_id = header.run_id
        self.changed.emit()

    def _look_live(self) -> None:
        self._debugging = True
        self.viewing = None
        self.changed.emit()

    def _enter(self) -> None:
        if self._entering:
            self._entering = False
            self._look_live()

    def _complain(self, title: str) -> Done:
        def on_reply(reply: Reply) -> None:
            if not reply.success and reply.error_type not in TOLD:
                self.failed.emit(title, reply.message)

        return on_reply
