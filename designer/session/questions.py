"""Questions to the host about what is shown. Each is sent as soon as the store is open,
and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypedDict, TypeVar

from pydantic import BaseModel

from designer.session.client import HOST_CLOSED, Client, Done, refusal
from designer.session.failures import Failures, reply_to
from designer.session.mirror import Mirror
from designer.session.opener import Opener
from designer.session.origin import Answered
from runtime.debug import protocol
from runtime.debug.protocol import Reply

Body = TypeVar("Body", bound=BaseModel)
NO_REASON_TO_START = ("find_stop", "verify_stop", "explore_stop", "counts")


class Questions:
    """A part of the session. `done` gets None where there is no answer."""

    def __init__(
        self, client: Client, opener: Opener, mirror: Mirror, failures: Failures
    ) -> None:
        self._client = client
        self._opener = opener
        self._mirror = mirror
        self._failures = failures

    def outputs(
        self, checkpoint_id: str, done: Callable[[protocol.OutputsBody | None], None]
    ) -> None:
        """Request all outputs on the way to a checkpoint."""
        arguments = protocol.OutputsArguments(checkpoint_id=checkpoint_id)
        complain = self._failures.under("The outputs of the run cannot be shown")
        self.ask("outputs", arguments, protocol.OutputsBody, done, complain)

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
        """Request more children of a large value of the moment that is shown, with what
        is staged over it, or of a checkpoint by its id as it is. With `outermost` it is
        a value of the workflow as a whole, whichever level is shown.
        """
        arguments = protocol.ExpandArguments(
            checkpoint_id=checkpoint_id or self._mirror.looked_at,
            section=section,
            path=tuple(path),
            offset=offset,
            inside=() if outermost else self._mirror.way,
            runs=() if outermost else self._mirror.runs_inside,
            patch=self._mirror.preview_patch if not checkpoint_id else None,
        )
        complain = self._failures.under("This value cannot be shown")
        self.ask("expand", arguments, protocol.ExpandBody, done, complain)

    def expand_at(
        self,
        step: protocol.OriginStep,
        path: Sequence[int],
        offset: int,
        done: Callable[[protocol.ExpandBody | None], None],
    ) -> None:
        """Request more children of the value of a step of `origin`."""
        arguments = protocol.ExpandArguments(
            checkpoint_id=step.item.checkpoint_id,
            section=step.item.section,
            path=tuple(path),
            offset=offset,
            inside=tuple(run.rpartition("#")[0] for run in step.item_runs),
            runs=step.item_runs,
        )
        complain = self._failures.under("This value cannot be shown")
        self.ask("expand", arguments, protocol.ExpandBody, done, complain)

    def node(self, node: str, done: Callable[[protocol.NodeBody | None], None]) -> None:
        """Request what a node received and did in the superstep that is shown, and over
        the run.
        """
        arguments = protocol.NodeArguments(node=node, **self._shown_place())
        self.ask("node", arguments, protocol.NodeBody, done)

    def edge(self, edge: str, done: Callable[[protocol.EdgeBody | None], None]) -> None:
        """Request what went along an edge group, as `node`."""
        arguments = protocol.EdgeArguments(edge=edge, **self._shown_place())
        self.ask("edge", arguments, protocol.EdgeBody, done)

    def superstep(self, done: Callable[[protocol.SuperstepBody | None], None]) -> None:
        """Request the superstep that is shown as a whole, and the next one."""
        arguments = protocol.SuperstepArguments(**self._shown_place())
        self.ask("superstep", arguments, protocol.SuperstepBody, done)

    def node_at(
        self,
        checkpoint_id: str,
        node: str,
        inside: Sequence[str],
        runs: Sequence[str],
        done: Callable[[protocol.NodeBody | None], None],
    ) -> None:
        """Request what a node did in the superstep that led to a checkpoint, at any
        place in the sub-workflows.
        """
        arguments = protocol.NodeArguments(
            checkpoint_id=checkpoint_id,
            node=node,
            inside=tuple(inside),
            runs=tuple(runs),
        )
        self.ask("node", arguments, protocol.NodeBody, done)

    def board(
        self,
        checkpoints: Sequence[str],
        done: Callable[[protocol.BoardBody | None], None],
    ) -> None:
        """Request the columns of the board that end at some checkpoints."""
        arguments = protocol.BoardArguments(checkpoints=tuple(checkpoints))
        self.ask("board", arguments, protocol.BoardBody, done)

    def export(
        self,
        checkpoints: Sequence[str],
        done: Callable[[protocol.ExportBody | None], None],
    ) -> None:
        """Request some checkpoints as lines of JSON."""
        arguments = protocol.ExportArguments(checkpoints=tuple(checkpoints))
        complain = self._failures.under("The checkpoints cannot be exported")
        self.ask("export", arguments, protocol.ExportBody, done, complain)

    def part_sizes(
        self,
        checkpoints: Sequence[str],
        done: Callable[[protocol.SizesBody | None], None],
    ) -> None:
        """Request how many bytes each part of some checkpoints has."""
        arguments = protocol.SizesArguments(checkpoints=tuple(checkpoints))
        self.ask("sizes", arguments, protocol.SizesBody, done)

    def board_times(
        self,
        checkpoint_id: str,
        done: Callable[[protocol.BoardTimesBody | None], None],
    ) -> None:
        """Request where the time went on the way to a checkpoint."""
        arguments = protocol.BoardTimesArguments(checkpoint_id=checkpoint_id)
        self.ask("board_times", arguments, protocol.BoardTimesBody, done)

    def log(
        self,
        checkpoints: Sequence[str],
        done: Callable[[protocol.EventsBody | None], None],
    ) -> None:
        """Request the recorded lines of checkpoints, at most `LOG_CHECKPOINTS`."""
        arguments = protocol.LogArguments(checkpoints=tuple(checkpoints))
        self.ask("log", arguments, protocol.EventsBody, done)

    def plan_change(
        self,
        checkpoint_id: str,
        mapping: Mapping[str, Any] | None,
        done: Callable[[protocol.ChangePlanBody | Reply], None],
        *,
        again: bool = False,
    ) -> None:
        """Request how the present document would go on from a checkpoint; `done` gets
        the plan, or the reply that says why there is none. The document is opened for
        it, so the run has to be resumed afterwards; with `again` it is open already.
        """
        arguments = protocol.ChangePlanArguments(
            checkpoint_id=checkpoint_id,
            mapping=dict(mapping) if mapping is not None else None,
        )

        def on_reply(reply: Reply) -> None:
            if reply.success:
                done(protocol.ChangePlanBody.model_validate(reply.body))
            else:
                done(reply)

        ask = partial(self._client.request, "change_plan", arguments, on_reply)
        self._opener.for_running(ask, on_reply, same=again)

    def restore_plan(
        self,
        arguments: protocol.RestorePlanArguments,
        done: Callable[[protocol.RestorePlanBody | None], object],
        *,
        again: bool = False,
    ) -> None:
        """Request what going on from a checkpoint would do outside. The host builds the
        document for that, unless it has one; with `again` in any case.
        """

        def on_reply(reply: Reply) -> None:
            plan = None
            if reply.success:
                plan = protocol.RestorePlanBody.model_validate(reply.body)
            done(plan)

        ask = partial(self._client.request, "restore_plan", arguments, on_reply)
        self._opener.for_running(ask, on_reply, same=not again)

    def recorded_result(
        self, node: str, done: Callable[[protocol.RecordedResultBody | None], object]
    ) -> None:
        """Request what a node that reaches outside did in the superstep that is shown."""
        mirror = self._mirror
        shown = mirror.looked_at
        if shown is None and mirror.head is not None:
            shown = mirror.head.id
        if shown is None:
            done(None)
            return
        arguments = protocol.RecordedResultArguments(
            checkpoint_id=shown, executor=node, runs=mirror.runs_inside
        )
        self.ask("recorded_result", arguments, protocol.RecordedResultBody, done)

    def provenance(
        self, arguments: protocol.ProvenanceArguments, answered: Answered
    ) -> None:
        """Request where a value comes from."""

        def on_reply(reply: Reply) -> None:
            body = None
            if reply.success:
                body = protocol.ProvenanceBody.model_validate(reply.body)
            answered(body, "" if reply.success else reply.message)

        ask = partial(self._client.request, "provenance", arguments, on_reply)
        self._opener.for_looking(ask, on_reply)

    def graph_changes(
        self,
        arguments: protocol.GraphChangesArguments,
        done: Callable[[protocol.GraphChangesBody | None], None],
    ) -> None:
        """Request how a document differs from the graph of a checkpoint."""
        if self._mirror.mode != "edit" and not self._client.is_open:
            # No reason to start a host.
            done(None)
            return
        self.ask("graph_changes", arguments, protocol.GraphChangesBody, done)

    def past(self, command: str, arguments: BaseModel, done: Done) -> None:
        """Ask about the past. Only a question of the user starts a host for it."""
        if command in NO_REASON_TO_START and not self._client.is_open:
            done(refusal(command, HOST_CLOSED, HOST_CLOSED))
            return
        ask = partial(self._client.request, command, arguments, done)
        self._opener.for_looking(ask, done)

    def tries(self, command: str, arguments: BaseModel, done: Done) -> None:
        """Ask for a restore proof, or for an exploration. It runs the code of the
        document's folder, so the user must trust that, and it begins no other run.
        """
        if command in NO_REASON_TO_START:
            self.past(command, arguments, done)
            return
        ask = partial(self._client.request, command, arguments, done)
        self._opener.for_running(ask, done, same=True)

    def drop(self, number: int) -> None:
        """Let the host drop a question that nobody waits for any more."""
        if self._client.is_open:
            self._client.request("drop", protocol.DropArguments(number=number))

    def _shown_place(self) -> _Place:
        return {
            "checkpoint_id": self._mirror.looked_at,
            "inside": self._mirror.way,
            "runs": self._mirror.runs_inside,
        }

    def ask(
        self,
        command: str,
        arguments: BaseModel,
        body: type[Body],
        done: Callable[[Body | None], object],
        complain: Done | None = None,
        sent: Callable[[int], None] = lambda _number: None,
    ) -> None:
        """Send a question as soon as the store is open; `sent` gets its number."""

        def on_reply(reply: Reply) -> None:
            reply_to(complain, reply)
            done(body.model_validate(reply.body) if reply.success else None)

        def ask() -> None:
            sent(self._client.request(command, arguments, on_reply))

        self._opener.for_looking(ask, on_reply)

    def ask_workflow(
        self,
        command: str,
        arguments: BaseModel,
        body: type[Body],
        done: Callable[[Body | None], None],
        complain: Done | None = None,
        sent: Callable[[int], None] = lambda _number: None,
    ) -> None:
        """Send a question as `ask`, but one that needs the workflow itself, because its
        conditions are evaluated or its types are looked up.
        """

        def on_reply(reply: Reply) -> None:
            reply_to(complain, reply)
            done(body.model_validate(reply.body) if reply.success else None)

        def ask() -> None:
            sent(self._client.request(command, arguments, on_reply))

        self._opener.for_running(ask, on_reply, same=True)


class _Place(TypedDict):
    """The checkpoint and the level that a question is about."""

    checkpoint_id: str | None
    inside: tuple[str, ...]
    runs: tuple[str, ...]
