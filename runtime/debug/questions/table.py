"""The questions of the protocol: each is answered at once, also while a superstep runs,
and none of them moves the run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from runtime.checkpoints.archive import Archive
from runtime.debug import protocol
from runtime.debug.protocol import HeaderBody
from runtime.debug.questions.comparer import Comparer
from runtime.debug.questions.exploring import Explorations
from runtime.debug.questions.inspector import Inspector
from runtime.debug.questions.past import PastQuestions
from runtime.debug.questions.proofs import Proofs
from runtime.debug.session.session import Session
from runtime.debug.stops.gate import DebugGate
from runtime.errors import WorkflowRunnerException

if TYPE_CHECKING:
    from runtime.debug.questions.patching import Patching

Arguments = dict[str, Any]


class Questions:
    """Answer the questions about one session.

    is_moving    whether its run moves, or is about to
    create_task  starts the search of a question to the past
    """

    def __init__(
        self,
        session: Session,
        gate: DebugGate,
        is_moving: Callable[[], bool],
        create_task: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
    ) -> None:
        self._session = session
        self.inspector = Inspector(session, gate)
        self.comparer = Comparer(session, self.inspector)
        self.past = PastQuestions(session, session.notices, is_moving, create_task)
        self.explorations = Explorations(session, session.notices, create_task)
        self.proofs = Proofs(session, session.notices, create_task)
        self._patches: Patching | None = None

    async def forget(self) -> None:
        """Forget everything that was read, and close the other store."""
        self._forget_checkpoints()
        self.past.forget()
        self.explorations.forget()
        self.proofs.forget()
        await self.comparer.close()

    def _forget_checkpoints(self) -> None:
        self.inspector.forget()
        if self._patches is not None:
            self._patches.forget()

    async def inspect(self, arguments: Arguments) -> protocol.Moment:
        return await self.inspector.inspect(
            protocol.InspectArguments.model_validate(arguments)
        )

    async def expand(self, arguments: Arguments) -> protocol.ExpandBody:
        request = protocol.ExpandArguments.model_validate(arguments)
        if request.patch is not None:
            return await self._patching().expand(request, request.patch)
        return await self.inspector.expand(request)

    async def node(self, arguments: Arguments) -> protocol.NodeBody:
        return await self.inspector.node(
            protocol.NodeArguments.model_validate(arguments)
        )

    async def edge(self, arguments: Arguments) -> protocol.EdgeBody:
        return await self.inspector.edge(
            protocol.EdgeArguments.model_validate(arguments)
        )

    async def diff(self, arguments: Arguments) -> protocol.DiffBody:
        return await self.comparer.diff(
            protocol.DiffArguments.model_validate(arguments)
        )

    async def divergence(self, arguments: Arguments) -> protocol.DivergenceBody:
        return await self.comparer.divergence(
            protocol.DivergenceArguments.model_validate(arguments)
        )

    async def graph_changes(self, arguments: Arguments) -> protocol.GraphChangesBody:
        from runtime.debug.questions.graph_change import graph_changes

        request = protocol.GraphChangesArguments.model_validate(arguments)
        return await graph_changes(self._session, request)

    async def change_plan(self, arguments: Arguments) -> protocol.ChangePlanBody:
        from runtime.debug.questions.graph_change import change_plan

        request = protocol.ChangePlanArguments.model_validate(arguments)
        return await change_plan(self._session, request)

    async def restore_plan(self, arguments: Arguments) -> protocol.RestorePlanBody:
        from runtime.debug.questions.restore_plan import restore_plan

        request = protocol.RestorePlanArguments.model_validate(arguments)
        return await restore_plan(self._session, request)

    async def patch_plan(self, arguments: Arguments) -> protocol.PatchPlanBody:
        request = protocol.PatchPlanArguments.model_validate(arguments)
        return await self._patching().plan(request)

    async def patch_parse(self, arguments: Arguments) -> protocol.PatchParseBody:
        request = protocol.PatchParseArguments.model_validate(arguments)
        return await self._patching().parse(request)

    def _patching(self) -> Patching:
        if self._patches is None:
            # Imported here, because most sessions never patch.
            from runtime.debug.questions.patching import Patching

            self._patches = Patching(self._session)
        return self._patches

    async def log(self, arguments: Arguments) -> protocol.EventsBody:
        return await self.past.log(protocol.LogArguments.model_validate(arguments))

    async def counts(self, arguments: Arguments) -> protocol.CountsBody:
        return await self.past.counts(
            protocol.CountsArguments.model_validate(arguments)
        )

    async def find(self, arguments: Arguments) -> protocol.FindBody:
        return await self.past.find(protocol.FindArguments.model_validate(arguments))

    async def find_stop(self, arguments: Arguments) -> None:
        await self.past.find_stop(protocol.FindStopArguments.model_validate(arguments))

    async def explore(self, arguments: Arguments) -> None:
        await self.explorations.explore(
            protocol.ExploreArguments.model_validate(arguments)
        )

    async def explore_stop(self, arguments: Arguments) -> None:
        await self.explorations.explore_stop(
            protocol.ExploreStopArguments.model_validate(arguments)
        )

    async def verify(self, arguments: Arguments) -> protocol.VerifyBody:
        return await self.proofs.verify(
            protocol.VerifyArguments.model_validate(arguments)
        )

    async def verify_stop(self, arguments: Arguments) -> None:
        await self.proofs.stop(protocol.VerifyStopArguments.model_validate(arguments))

    async def superstep(self, arguments: Arguments) -> protocol.SuperstepBody:
        return await self.inspector.superstep(
            protocol.SuperstepArguments.model_validate(arguments)
        )

    async def reverse(self, arguments: Arguments) -> protocol.ReverseBody:
        return await self.past.reverse(
            protocol.ReverseArguments.model_validate(arguments)
        )

    async def provenance(self, arguments: Arguments) -> protocol.ProvenanceBody:
        return await self.inspector.provenance(
            protocol.ProvenanceArguments.model_validate(arguments)
        )

    async def recorded_result(
        self, arguments: Arguments
    ) -> protocol.RecordedResultBody:
        from runtime.debug.questions.recorded_result import recorded_result

        request = protocol.RecordedResultArguments.model_validate(arguments)
        return await recorded_result(Archive(self._session.store), request)

    async def board(self, arguments: Arguments) -> protocol.BoardBody:
        return await self.inspector.board(
            protocol.BoardArguments.model_validate(arguments)
        )

    async def board_times(self, arguments: Arguments) -> protocol.BoardTimesBody:
        return await self.inspector.board_times(
            protocol.BoardTimesArguments.model_validate(arguments)
        )

    async def export(self, arguments: Arguments) -> protocol.ExportBody:
        return await self.inspector.export(
            protocol.ExportArguments.model_validate(arguments)
        )

    async def sizes(self, arguments: Arguments) -> protocol.SizesBody:
        return await self.inspector.sizes(
            protocol.SizesArguments.model_validate(arguments)
        )

    async def outputs(self, arguments: Arguments) -> protocol.OutputsBody:
        return await self.inspector.outputs(
            protocol.OutputsArguments.model_validate(arguments)
        )

    async def timeline(self, arguments: Arguments) -> protocol.TimelineBody:
        return await self.inspector.timeline(
            protocol.TimelineArguments.model_validate(arguments)
        )

    async def runs(self, arguments: Arguments) -> protocol.RunsBody:
        request = protocol.RunsArguments.model_validate(arguments)
        if request.store:
            return await self.comparer.runs(request.store)
        return await self.inspector.runs()

    async def delete_runs(self, arguments: Arguments) -> protocol.RunsBody:
        request = protocol.DeleteRunsArguments.model_validate(arguments)
        if self._session.has_run and self._session.runner.run_id in request.run_ids:
            raise WorkflowRunnerException(
                "The live run cannot be deleted. Close it first, or leave it out."
            )
        for run_id in dict.fromkeys(request.run_ids):
            await self._session.store.delete_run(run_id)
        self._forget_checkpoints()
        self.past.forget_headers()
        return await self.inspector.runs()

    async def annotate(self, arguments: Arguments) -> HeaderBody:
        request = protocol.AnnotateArguments.model_validate(arguments)
        header = await self._session.store.annotate(
            request.checkpoint_id, tags=request.tags, note=request.note
        )
        self._forget_checkpoints()
        self.past.forget_headers()
        return HeaderBody(header=header)

    async def share(self, arguments: Arguments) -> protocol.ShareBody:
        from runtime.debug.questions.sharing import share

        request = protocol.ShareArguments.model_validate(arguments)
        return await share(self._session.store, self._session.notices, request)

    async def receive(self, arguments: Arguments) -> protocol.ReceiveBody:
        from runtime.debug.questions.sharing import receive

        request = protocol.ReceiveArguments.model_validate(arguments)
        body = await receive(self._session.store, self._session.notices, request)
        self._forget_checkpoints()
        self.past.forget_headers()
        return body

    async def bundle(self, arguments: Arguments) -> protocol.BundleBody:
        from runtime.debug.questions.bundles import bundle

        request = protocol.BundleArguments.model_validate(arguments)
        return await bundle(self._session.store, request)

    async def bundle_open(self, arguments: Arguments) -> protocol.BundleOpenBody:
        from runtime.debug.questions.bundles import bundle_open

        request = protocol.BundleOpenArguments.model_validate(arguments)
        return await bundle_open(request)

    async def catalogue(self, arguments: Arguments) -> protocol.CatalogueBody:
        from runtime.nodes import catalogue

        node_types = catalogue(
            protocol.CatalogueArguments.model_validate(arguments).folder or None
        )
        return protocol.CatalogueBody(
            nodes=tuple(node_types.infos()), warnings=tuple(node_types.warnings)
        )


QUESTIONS: dict[str, Callable[[Questions, Arguments], Awaitable[BaseModel | None]]] = {
    "inspect": Questions.inspect,
    "expand": Questions.expand,
    "node": Questions.node,
    "edge": Questions.edge,
    "diff": Questions.diff,
    "divergence": Questions.divergence,
    "graph_changes": Questions.graph_changes,
    "change_plan": Questions.change_plan,
    "patch_plan": Questions.patch_plan,
    "restore_plan": Questions.restore_plan,
    "patch_parse": Questions.patch_parse,
    "log": Questions.log,
    "counts": Questions.counts,
    "find": Questions.find,
    "find_stop": Questions.find_stop,
    "explore": Questions.explore,
    "explore_stop": Questions.explore_stop,
    "verify": Questions.verify,
    "verify_stop": Questions.verify_stop,
    "superstep": Questions.superstep,
    "reverse": Questions.reverse,
    "provenance": Questions.provenance,
    "recorded_result": Questions.recorded_result,
    "board": Questions.board,
    "board_times": Questions.board_times,
    "export": Questions.export,
    "sizes": Questions.sizes,
    "outputs": Questions.outputs,
    "share": Questions.share,
    "receive": Questions.receive,
    "bundle": Questions.bundle,
    "bundle_open": Questions.bundle_open,
    "timeline": Questions.timeline,
    "runs": Questions.runs,
    "delete_runs": Questions.delete_runs,
    "annotate": Questions.annotate,
    "catalogue": Questions.catalogue,
}
