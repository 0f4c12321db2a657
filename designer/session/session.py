"""The verbs of a debugger over the mirror of one run, and what happens when its process is lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from pydantic import BaseModel
from PySide6.QtCore import QObject, QTimer

from designer.session.client import Done, refusal
from designer.session.comeback import Comeback
from designer.session.link import Link, ProcessLink
from designer.session.mirror import NO_HISTORY, TOLD, Mirror
from designer.session.opener import Source, store_exists, store_is_sealed
from runtime.debug import protocol
from runtime.debug.protocol import Header, Reply, StoppedBody

Body = TypeVar("Body", bound=BaseModel)
STOP_PATIENCE = 600  # ms that a run has to stop by itself
CLOSE_PATIENCE = 300


class DebugSession(Mirror):
    """A run, and everything that can be done with it.

    source   asked for the present document before a fresh run and a restore; None means: what `open` was given
    trust    asked before code of a folder is run for the first time; the shell shows the dialog
    folder   that of the present document, which may have node types of its own

    Commands tell `done` the host's reply. One that fails is told by `failed` too, so a caller may leave `done` out.
    """

    def __init__(self, link: Link | None = None, parent: QObject | None = None) -> None:
        super().__init__(link if link is not None else ProcessLink(), parent)
        self._moving = False  # a command that moves the run has not been answered
        self._ending = False  # we end the host ourselves
        self._closing = False
        self.folder: Callable[[], str] = lambda: ""
        self._comparing: protocol.DiffArguments | None = None
        self._asked: str | None = None  # the folder for which the catalogue was asked
        self._after_stop: Callable[[], None] | None = None
        self._client.closed.connect(self._on_closed)
        self._opener.opened.connect(self._on_opened)
        self._history.loaded.connect(self._view_newest)
        self._comeback = Comeback(self._client, self._opener, self)
        self._stop_timer = QTimer(self, interval=STOP_PATIENCE, singleShot=True)
        self._stop_timer.timeout.connect(self._on_stop_timeout)
        self.stopped_at.connect(self._on_stopped_at)
        self.viewed.connect(self._compare)

    # --- who is asked ---------------------------------------------------------------------------------------

    @property
    def source(self) -> Callable[[], Source] | None:
        return self._opener.ask

    @source.setter
    def source(self, ask: Callable[[], Source] | None) -> None:
        self._opener.ask = ask

    @property
    def trust(self) -> Callable[[str], bool]:
        return self._opener.trust

    @trust.setter
    def trust(self, ask: Callable[[str], bool]) -> None:
        self._opener.trust = ask

    # --- opening ------------------------------------------------------------------------------------------------

    def open(
        self,
        document: Mapping[str, Any],
        folder: str,
        store: str,
        done: Done | None = None,
    ) -> None:
        """Another document: forget the run; the host builds it when the folder is trusted. Runs nothing."""
        self._opener.given = Source(document, folder, store)
        self.forget()
        opened = Reply(request_seq=0, command="open", success=True)
        self._opener.for_running(
            lambda: _tell(done, opened), partial(self._not_done, done)
        )

    def forget(self) -> None:
        """The document was replaced: nothing of its run is shown any more."""
        if self.running:
            self._ending = True
            self._client.kill()
        self._stand_at = None
        self._opener.lost()
        self._viewer.forget()
        self._history.clear()
        self._debugging = self.running = self._moving = self._entering = False
        self._after_stop = None
        self.base = ""
        self.base_name = ""
        self.comparison = None
        self.run_id = self.head = self.moment = self.viewing = self.stopped = (
            self.progress
        ) = None
        self.changed.emit()
        self.viewed.emit()

    def load_history(self, store: str, workflow: str) -> None:
        """Show the timeline of a workflow's newest run in a store, if there is one. Builds and runs nothing."""
        if store_exists(store):
            load = partial(self._history.load_newest, workflow)
            self._opener.for_looking(load, self._complain(NO_HISTORY), store)

    def look_into(self, store: str, *, read_only: bool) -> None:
        """Look into a store without a document: at the newest run, whichever workflow it is of. Nothing can be run."""
        self._opener.looks_only = True
        self._opener.read_only = read_only
        if store_exists(store):
            self._opener.for_looking(
                self._history.load_all,
                self._complain("The store cannot be opened"),
                store,
            )
        else:
            self.failed.emit(
                "The store cannot be opened", f"There is nothing at {store}."
            )

    @property
    def looks_only(self) -> bool:
        """Whether there is only a store to look into, and no document."""
        return self._opener.looks_only

    @property
    def read_only(self) -> bool:
        """Whether the store is opened for reading only, because that was asked for or nothing else is possible."""
        return self._opener.read_only or store_is_sealed(self._opener.store)

    @property
    def store_kind(self) -> str:
        """The scheme of the URL of the store that runs are kept in."""
        return self._opener.store.partition(":")[0]

    def list_runs(self) -> None:
        """Ask anew which runs there are; `changed` follows."""
        self._opener.for_looking(self._history.load_runs, self._complain(NO_HISTORY))

    def delete_runs(self, run_ids: Sequence[str]) -> None:
        """Remove runs from the store, for ever. The newest that is left takes the place of one on the timeline."""
        shown = self.timeline.run_id in run_ids
        delete = partial(
            self._history.delete,
            run_ids,
            self._show_what_is_left if shown else self.changed.emit,
        )
        self._opener.for_looking(delete, self._complain("The runs cannot be deleted"))

    def _show_what_is_left(self) -> None:
        self._leave()
        self._viewer.forget()
        if self.runs:
            self.select_run(self.runs[0].run_id)
        else:
            self._history.clear()
            self.changed.emit()

    def select_run(self, run_id: str) -> None:
        """Look at the newest checkpoint of a run of the store; for the live run, go back to it."""
        if run_id == self.run_id:
            self.back_to_live()
            return
        load = partial(self._history.load, run_id, self._view_newest)
        self._opener.for_looking(load, self._complain(NO_HISTORY))

    def load_catalogue(self, *, again: bool = False) -> None:
        """Ask for the node types, once for a folder, or `again` after packages or files have changed; `catalogue_ready`
        follows. The code of the folder is read for it and not run.
        """
        folder = self.folder()
        if again or folder != self._asked:
            self._asked = folder
            self._client.request(
                "catalogue",
                protocol.CatalogueArguments(folder=folder),
                self._on_catalogue,
            )

    # --- moving the run -----------------------------------------------------------------------------------------

    @property
    def starting(self) -> bool:
        """A run was asked for and does not move yet: its process starts, or imports the code of the folder."""
        return self._moving and self.mode == "edit"

    def run(
        self,
        input: Any = None,
        *,
        stop_on_entry: bool = False,
        done: Done | None = None,
    ) -> None:
        """A fresh run of the document as it is now; with `stop_on_entry` it stands at its input."""
        if self.running or self._moving:
            return
        self._moving = True
        arguments = protocol.StartArguments(input=input, stop_on_entry=stop_on_entry)
        start = partial(self._put, "start", arguments, done)
        self._opener.for_running(start, partial(self._not_done, done))
        self.changed.emit()

    def step(self, count: int = 1, done: Done | None = None) -> None:
        """Supersteps of the live run. When editing: a fresh run that stands at its input. In the past: look at the
        next checkpoint of the branch, which runs nothing.
        """
        if self.mode == "edit":
            self.run(stop_on_entry=True, done=done)
        elif self.viewing is not None:
            self._view_row(self.timeline.next_row(self.timeline.row_of(self.viewing)))
        else:
            self._move("step", protocol.StepArguments(count=count), done)

    def continue_(self, done: Done | None = None) -> None:
        """Let the live run go on; when editing, a fresh run."""
        if self.mode == "edit":
            self.run(done=done)
        else:
            self._look_live()
            self._move("continue", None, done)

    def pause(self) -> None:
        """Stand at the next barrier."""
        if self.running:
            self._client.request(
                "pause", None, self._complain("The run cannot be paused")
            )

    def stop(self) -> None:
        """Cancel the superstep. A host that does not answer in time is killed: what was saved is not lost."""
        if (self.running or self._moving) and not self._stop_timer.isActive():
            self._stop_timer.start()
            self._client.request(
                "stop", None, self._complain("The run cannot be stopped")
            )

    def cancel_wait(self) -> None:
        """Wait no longer for what the host has not answered. A run that goes on goes on; where none does, the process
        is ended, as it may be at it for ever: the next command starts another.
        """
        if self._moving:
            self.stop()
        elif self.running:
            self._client.cancel()
        elif self._client.is_open:
            self._ending = True
            self._client.kill()

    def restore(
        self, checkpoint_id: str, branch: str = "", done: Done | None = None
    ) -> None:
        """Re-execute from here: stand at a checkpoint, live, on a new branch. A run that moves is stopped first."""
        if self.running:
            self._after_stop = partial(self.restore, checkpoint_id, branch, done)
            self.stop()
            return
        if self._moving:
            return
        self._moving = True
        arguments = protocol.RestoreArguments(
            checkpoint_id=checkpoint_id, branch=branch
        )
        restore = partial(
            self._put, "restore", arguments, partial(self._on_restored, done)
        )
        self._opener.for_running(restore, partial(self._not_done, done))

    def answer(self, answers: Mapping[str, Any], done: Done | None = None) -> None:
        """Answer open requests of the live run, by id. A run that could not go on without the answer (nothing is
        queued) then goes on by itself; one that the user holds in the middle stays.
        """
        if self.viewing is not None:
            text = "You are viewing the past. Restore this checkpoint first, then answer on the new branch."
            self._not_done(done, refusal("answer", text))
            return
        waited = self.head is not None and self.head.queued == 0
        answered = partial(self._on_answered, done) if waited else done
        self._move("answer", protocol.AnswerArguments(answers=dict(answers)), answered)

    # --- looking ------------------------------------------------------------------------------------------------

    def view(self, checkpoint_id: str) -> None:
        """Look at a checkpoint; changes nothing. The place where the run stands is live, not past."""
        if self._is_live_head(checkpoint_id):
            self.back_to_live()
            return
        self._debugging = True
        self._entering = False
        self.viewing = checkpoint_id
        self.changed.emit()
        self._viewer.look_at(checkpoint_id)

    def step_back(self) -> None:
        """Look at the checkpoint before the one that is looked at."""
        at = self.viewing or (
            self.head.id if self.head is not None and self.mode == "live" else None
        )
        self._view_row(
            self.timeline.parent_row(
                self.timeline.row_of(at) if at is not None else None
            )
        )

    def back_to_live(self) -> None:
        """Stop looking at the past: to where the run stands, or to editing when there is none."""
        if self.run_id is None:
            self.leave()
            return
        self._look_live()
        if self.timeline.run_id != self.run_id:
            self._opener.for_looking(
                partial(self._history.load, self.run_id), self._complain(NO_HISTORY)
            )
        self._show_live()

    def leave(self) -> None:
        """Back to editing. The run stays where it is. Who looks into a store has nothing to edit, and stays."""
        if not self.looks_only:
            self._leave()

    def _leave(self) -> None:
        self._debugging = self._entering = False
        self.viewing = self.moment = None
        self.changed.emit()
        self.viewed.emit()

    def outputs(
        self, checkpoint_id: str, done: Callable[[protocol.OutputsBody | None], None]
    ) -> None:
        """Everything that was put out on the way to a checkpoint; `done` gets None on failure."""
        arguments = protocol.OutputsArguments(checkpoint_id=checkpoint_id)
        title = "What the run has put out cannot be shown"
        self._ask(
            "outputs", arguments, protocol.OutputsBody, done, self._complain(title)
        )

    def expand(
        self,
        section: str,
        path: Sequence[int],
        offset: int,
        done: Callable[[protocol.ExpandBody | None], None],
        *,
        checkpoint_id: str | None = None,
        outermost: bool = False,
    ) -> None:
        """More of a large value of the moment that is looked at, or of a checkpoint by its id; `done` gets the
        children, or None on failure. With `outermost` it is one of the workflow as a whole, wherever one looks.
        """
        arguments = protocol.ExpandArguments(
            checkpoint_id=checkpoint_id or self.looked_at,
            section=section,
            path=tuple(path),
            offset=offset,
            inside=() if outermost else self.way,
            runs=() if outermost else self._runs_inside,
        )
        self._ask(
            "expand",
            arguments,
            protocol.ExpandBody,
            done,
            self._complain("This value cannot be shown"),
        )

    def is_running(self, node: str) -> bool:
        """Whether a node runs just now, where one looks."""
        return (
            self.running
            and self.seen_progress is not None
            and node in self.seen_progress.running
        )

    def cancel_node(self, node: str) -> None:
        """End what a node does just now: it fails, and the others go on. What comes then, its attempts and its error
        edges decide.
        """
        if self.running:
            arguments = protocol.CancelArguments(
                executor=node, inside=self.way, runs=self._runs_inside
            )
            self._client.request(
                "cancel", arguments, self._complain("The node cannot be cancelled")
            )

    def node(self, node: str, done: Callable[[protocol.NodeBody | None], None]) -> None:
        """What a node got and did in the superstep that is looked at, and over the run; `done` gets None where there is
        nothing to tell, as for a run inside that has ended meanwhile.
        """
        arguments = protocol.NodeArguments(node=node, **self._where())
        self._ask("node", arguments, protocol.NodeBody, done)

    def edge(self, edge: str, done: Callable[[protocol.EdgeBody | None], None]) -> None:
        """What went along an edge group; as `node`."""
        arguments = protocol.EdgeArguments(edge=edge, **self._where())
        self._ask("edge", arguments, protocol.EdgeBody, done)

    def log(
        self, checkpoint_id: str, done: Callable[[protocol.EventsBody | None], None]
    ) -> None:
        """What is recorded of the way to a checkpoint; `done` gets None where it cannot be read."""
        self._ask(
            "log",
            protocol.LogArguments(checkpoint_id=checkpoint_id),
            protocol.EventsBody,
            done,
        )

    def compare_with(self, checkpoint_id: str, name: str = "") -> None:
        """Compare what is looked at with a checkpoint, from now on; with "" no more. One of another run has a name."""
        if checkpoint_id != self.base:
            self.base = checkpoint_id
            self.base_name = name
            self.comparison = None
            self.changed.emit()
            self.compared.emit()
            self._compare()

    def swap_base(self) -> None:
        """Look at what is compared with, and compare with what was looked at."""
        at = self.viewing or (self.head.id if self.head is not None else "")
        if self.base and at:
            base = self.base
            self.base = at
            self.view(base)
            self.changed.emit()
            self._compare()

    def _compare(self) -> None:
        """Ask what differs, one question at a time; an answer of before is asked again."""
        if not self.base or self._comparing or self.moment is None:
            return
        arguments = protocol.DiffArguments(base=self.base, **self._where())
        self._comparing = arguments
        self._ask(
            "diff", arguments, protocol.DiffBody, partial(self._on_compared, arguments)
        )

    def _on_compared(
        self, asked: protocol.DiffArguments, body: protocol.DiffBody | None
    ) -> None:
        self._comparing = None
        if asked.base != self.base:
            self._compare()
            return
        self.comparison = body
        self.compared.emit()
        if asked != protocol.DiffArguments(base=self.base, **self._where()):
            self._compare()

    @property
    def _runs_inside(self) -> tuple[str, ...]:
        """The runs that are shown on the way into sub-workflows, by their keys."""
        return self.inside.keys if self.inside is not None else ()

    def _where(self) -> dict[str, Any]:
        return {
            "checkpoint_id": self.looked_at,
            "inside": self.way,
            "runs": self._runs_inside,
        }

    def _ask(
        self,
        command: str,
        arguments: BaseModel,
        body: type[Body],
        done: Callable[[Body | None], None],
        complain: Done | None = None,
    ) -> None:
        def on_reply(reply: Reply) -> None:
            _tell(complain, reply)
            done(body.model_validate(reply.body) if reply.success else None)

        self._opener.for_looking(
            partial(self._client.request, command, arguments, on_reply), on_reply
        )

    def annotate(
        self,
        checkpoint_id: str,
        *,
        tags: Sequence[str] | None = None,
        note: str | None = None,
    ) -> None:
        """Set the tags or the note of a checkpoint; the timeline shows them when they are stored."""
        arguments = protocol.AnnotateArguments(
            checkpoint_id=checkpoint_id,
            tags=tuple(tags) if tags is not None else None,
            note=note,
        )
        annotate = partial(
            self._client.request, "annotate", arguments, self._on_annotated
        )
        self._opener.for_looking(annotate, self._on_annotated)

    def close(self) -> None:
        """The window closes: end the process, gently if it listens."""
        self._closing = True
        self._stop_timer.stop()
        self._client.abandon()
        if self._client.is_open:
            self._ending = True
            self._client.request("shutdown")
            self._client.kill(CLOSE_PATIENCE)

    # --- the host is told ---------------------------------------------------------------------------------------

    def _move(
        self, command: str, arguments: BaseModel | None, done: Done | None
    ) -> None:
        """A command that goes on with the live run. While it moves, another is not sent: keys repeat."""
        if self.running or self._moving:
            return
        self._moving = True
        move = partial(self._send, command, arguments, done)
        self._opener.for_running(
            partial(self._stand, move, done), partial(self._not_done, done), same=True
        )

    def _stand(self, then: Callable[[], None], done: Done | None) -> None:
        """After the loss of a host: stand where the run stood, then go on."""
        self._comeback.then(partial(self._restore_standing, then, done))

    def _restore_standing(self, then: Callable[[], None], done: Done | None) -> None:
        if self._stand_at is None:
            then()
            return
        arguments = protocol.RestoreArguments(checkpoint_id=self._stand_at, fork=False)

        def on_reply(reply: Reply) -> None:
            if reply.success:
                self._stand_at = None
                then()
            else:
                self._not_done(done, reply)

        self._client.request("restore", arguments, on_reply)

    def _send(
        self, command: str, arguments: BaseModel | None, done: Done | None
    ) -> None:
        self._look_live()
        self._client.request(command, arguments, partial(self._on_moved, done))

    def _put(self, command: str, arguments: BaseModel, done: Done | None) -> None:
        """A command that puts the run elsewhere. The host may refuse it: until it is done, the view stays as it is."""
        self._entering = True
        self._client.request(command, arguments, partial(self._on_moved, done))

    def _on_moved(self, done: Done | None, reply: Reply) -> None:
        if reply.success:
            self._moving = False
            self._stand_at = None
            self._enter()
            _tell(done, reply)
        else:
            self._not_done(done, reply)

    def _on_answered(self, done: Done | None, reply: Reply) -> None:
        _tell(done, reply)
        if reply.success and not self.running and not self._moving:
            self._moving = True
            # Not through `_send`: who looks elsewhere by now goes on looking.
            self._client.request("continue", None, partial(self._on_moved, None))

    def _on_restored(self, done: Done | None, reply: Reply) -> None:
        if reply.success:
            self._set_head(protocol.HeaderBody.model_validate(reply.body).header)
            self._show_live()
        _tell(done, reply)

    def _not_done(self, done: Done | None, reply: Reply) -> None:
        self._moving = self._entering = False
        if reply.error_type not in TOLD:
            self.failed.emit(
                _TITLES.get(reply.command, "That could not be done"), reply.message
            )
        self.changed.emit()
        _tell(done, reply)

    def _on_catalogue(self, reply: Reply) -> None:
        if reply.success:
            found = protocol.CatalogueBody.model_validate(reply.body)
            self.infos = {info.type: info for info in found.nodes}
            for warning in found.warnings:
                self.console.emit("stderr", warning)
            self.catalogue_ready.emit()
        else:
            self._asked = None
            self._complain("The node types cannot be listed")(reply)

    def _on_stop_timeout(self) -> None:
        self.console.emit(
            "stderr", "The run did not stop by itself: its process was ended."
        )
        self._ending = True
        self._client.kill()

    def _on_opened(self) -> None:
        """The host built a document: it has no run yet, so going on with ours begins with standing where it stood."""
        self._stand_at = self.head.id if self.head is not None else None
        self.changed.emit()

    def _on_closed(self, reason: str) -> None:
        """The host is gone. What it saved is in the store; the next command stands there again."""
        surprise = not self._ending
        self._ending = False
        self._stop_timer.stop()
        was_running = self.running
        self.running = False
        self.progress = None
        self._moving = self._entering = False
        self._opener.lost()
        self._stand_at = self.head.id if self.head is not None else None
        if was_running:
            self.stopped = self._lost(reason)
        self.changed.emit()
        if surprise:
            self.failed.emit("The run's process ended", f"{reason} {_NOTHING_LOST}")
        if was_running and not self._closing:
            after = self.head.sequence if self.head is not None else 0
            self._comeback.look(self.run_id or "", after, self._on_come_back)
            self.stopped_at.emit()

    def _on_come_back(self, headers: Sequence[Header]) -> None:
        """What the lost host had saved and not told."""
        if headers:
            self._history.add_live(headers, shown=self.viewing is None)
            self._set_head(headers[-1])
            self._stand_at = headers[-1].id
        elif self.head is None:
            self.run_id = None
            self._debugging = False
        self.changed.emit()
        self._show_live()

    def _on_stopped_at(self) -> None:
        self._stop_timer.stop()
        self._moving = False
        then = self._after_stop
        self._after_stop = None
        if then is not None:
            then()

    def _lost(self, reason: str) -> StoppedBody:
        at = self.head
        return StoppedBody(
            reason="cancelled",
            status="CANCELLED",
            superstep=at.superstep if at else 0,
            run_id=at.run_id if at else "",
            branch=at.branch if at else "main",
            checkpoint_id=at.id if at else None,
            text=reason,
        )

    # --- small --------------------------------------------------------------------------------------------------

    def _is_live_head(self, checkpoint_id: str) -> bool:
        return (
            self.head is not None and self.head.id == checkpoint_id and not self.running
        )

    def _view_row(self, row: int | None) -> None:
        if row is not None:
            self.view(self.timeline.header_at(row).id)

    def _view_newest(self) -> None:
        self._view_row(
            self.timeline.rowCount() - 1 if self.timeline.rowCount() else None
        )


_NOTHING_LOST = (
    "Nothing that was saved is lost: the next command goes on from the last checkpoint."
)
_TITLES = {
    "open": "The workflow cannot be run",
    "start": "The run could not be started",
    "restore": "The checkpoint could not be restored",
    "answer": "The answer was not taken",
    "step": "The run could not go on",
    "continue": "The run could not go on",
}


def _tell(done: Done | None, reply: Reply) -> None:
    if done is not None:
        done(reply)
