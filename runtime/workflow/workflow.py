"""`Workflow`: a graph that can be run, resumed and cancelled. A `RunSession` of the
engine drives the run.
"""

from __future__ import annotations

import warnings
from collections.abc import Awaitable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from runtime.edges.base import EdgeGroup
from runtime.events import WorkflowRunState
from runtime.executors.effects import Reducer
from runtime.executors.executor import Executor
from runtime.graph.workflow_graph import (
    DEFAULT_MAX_ITERATIONS,
    WorkflowGraph,
    check_limit,
)
from runtime.policy import FailurePolicy, RetryPolicy
from runtime.values.unset import UNSET

if TYPE_CHECKING:
    from runtime.agent_framework.run_arguments import InvocationKwargs, Tools
    from runtime.checkpoint import CheckpointStore
    from runtime.checkpoints.storage import CheckpointStorage
    from runtime.engine.replay.settings import Replay
    from runtime.engine.run import RunSession
    from runtime.engine.stream import WorkflowStream
    from runtime.events import WorkflowRunResult
    from runtime.executors.runner_context import InProcRunnerContext


class Workflow(WorkflowGraph):
    """Executors joined by edges, with a start. Use `WorkflowBuilder`, or give the parts
    directly; both are validated.

    runner_context  only its checkpoint storage is used, and only of an `InProcRunnerContext`
    reducers        key of the shared state -> how contributions to it are combined at the barrier
    state_conflicts "error" refuses different values for one key in one superstep; "last" lets the later executor win
    definition      the document that the workflow was built from, if there is one; saved with each checkpoint
    entries         further executors at which messages of a parent enter, if this is a sub-workflow
    retry, timeout  what executors without a policy of their own do about failures, see `runtime.policy`
    policies        executor id -> its own policy
    """

    def __init__(
        self,
        edge_groups: Sequence[EdgeGroup],
        executors: Mapping[str, Executor],
        start_executor: Executor | str,
        runner_context: InProcRunnerContext | None = None,
        name: str | None = None,
        description: str | None = None,
        max_iterations: int = DEFAULT_MAX_ITERATIONS,
        output_from: Sequence[str] | None = UNSET,
        intermediate_output_from: Sequence[str] | None = UNSET,
        *,
        output_executors: Sequence[str] | None = UNSET,
        intermediate_executors: Sequence[str] | None = UNSET,
        checkpoint_storage: CheckpointStorage | CheckpointStore | None = None,
        reducers: Mapping[str, Reducer] | None = None,
        state_conflicts: Literal["error", "last"] = "error",
        definition: Mapping[str, Any] | None = None,
        entries: Sequence[str] = (),
        retry: RetryPolicy | None = None,
        timeout: float | None = None,
        policies: Mapping[str, FailurePolicy] | None = None,
    ) -> None:
        outputs = renamed(
            "output_executors", output_executors, "output_from", output_from
        )
        intermediates = renamed(
            "intermediate_executors",
            intermediate_executors,
            "intermediate_output_from",
            intermediate_output_from,
        )
        super().__init__(
            edge_groups,
            executors,
            start_executor,
            name=name,
            description=description,
            max_iterations=max_iterations,
            outputs=None if outputs is UNSET else outputs,
            intermediates=None if intermediates is UNSET else intermediates,
            reducers=reducers,
            state_conflicts=state_conflicts,
            definition=definition,
            entries=entries,
            retry=retry,
            timeout=timeout,
            policies=policies,
        )
        if checkpoint_storage is None:
            checkpoint_storage = _storage_in(runner_context)
        self.checkpoint_storage = self.store_of(checkpoint_storage)
        self._session: RunSession | None = None

    # --- running --------------------------------------------------------------------------------------------------

    @overload
    def run(
        self,
        message: Any = None,
        *,
        stream: Literal[False] = False,
        responses: Mapping[str, Any] | None = None,
        checkpoint_id: str | None = None,
        checkpoint_storage: CheckpointStorage | CheckpointStore | None = None,
        include_status_events: bool = False,
        on_change: Literal["refuse", "migrate"] = "refuse",
        replay: Replay | None = None,
        tools: Tools = None,
        function_invocation_kwargs: InvocationKwargs = None,
        client_kwargs: InvocationKwargs = None,
    ) -> Awaitable[WorkflowRunResult]: ...
    @overload
    def run(
        self,
        message: Any = None,
        *,
        stream: Literal[True],
        responses: Mapping[str, Any] | None = None,
        checkpoint_id: str | None = None,
        checkpoint_storage: CheckpointStorage | CheckpointStore | None = None,
        include_status_events: bool = False,
        on_change: Literal["refuse", "migrate"] = "refuse",
        replay: Replay | None = None,
        tools: Tools = None,
        function_invocation_kwargs: InvocationKwargs = None,
        client_kwargs: InvocationKwargs = None,
    ) -> WorkflowStream: ...
    def run(
        self,
        message: Any = None,
        *,
        stream: bool = False,
        responses: Mapping[str, Any] | None = None,
        checkpoint_id: str | None = None,
        checkpoint_storage: CheckpointStorage | CheckpointStore | None = None,
        include_status_events: bool = False,
        on_change: Literal["refuse", "migrate"] = "refuse",
        replay: Replay | None = None,
        tools: Tools = None,
        function_invocation_kwargs: InvocationKwargs = None,
        client_kwargs: InvocationKwargs = None,
    ) -> Any:
        """Run until the workflow rests: with a fresh `message`, with `responses` to
        open requests, or on from a `checkpoint_id` (with or without responses).

        Await the result, a `WorkflowRunResult`. With `stream=True`, iterate it for
        events as they happen, and get the result by `get_final_response()`. Handlers
        get `tools` by `ctx.get_runtime_tools()`. A checkpoint of another graph raises
        `SignatureMismatchError`; with `on_change` "migrate" the run goes on from it, as
        `Runner.restore` says; that has `replay`, about calls that reach outside, too. Raise
        `ValueError` for another combination, and for
        invocation kwargs, which only agents take; `WorkflowException` while a run is
        active, and whatever a handler raises.
        """
        from runtime.agent_framework.run_arguments import as_list, refuse_kwargs
        from runtime.engine.run_request import RunRequest

        mode = RunRequest.of(
            message,
            responses,
            checkpoint_id,
            tools=as_list(tools),
            on_change=on_change,
            replay=replay,
        )
        refuse_kwargs(
            function_invocation_kwargs=function_invocation_kwargs,
            client_kwargs=client_kwargs,
        )
        run = self._runs().begin(
            mode, self._store_for_run(checkpoint_storage), stream, include_status_events
        )
        return run if stream else run.awaited()

    async def cancel_pending_requests(
        self,
        request_ids: Collection[str],
        *,
        checkpoint_id: str | None = None,
        checkpoint_storage: CheckpointStorage | CheckpointStore | None = None,
        tools: Tools = None,
        function_invocation_kwargs: InvocationKwargs = None,
        client_kwargs: InvocationKwargs = None,
    ) -> WorkflowRunResult:
        """Cancel open requests and go on until the workflow rests; with a
        `checkpoint_id` from there.

        That is saved, with the cause `response`, so in earlier checkpoints they are
        still open. An answer that comes later is refused. Raise `ValueError` for a
        value that is no id, and `RequestError` for an id that is not open; then nothing
        has changed.
        """
        from runtime.agent_framework.run_arguments import as_list, refuse_kwargs
        from runtime.engine.run_request import RunRequest

        refuse_kwargs(
            function_invocation_kwargs=function_invocation_kwargs,
            client_kwargs=client_kwargs,
        )
        ids = tuple(
            dict.fromkeys(
                [request_ids] if isinstance(request_ids, str) else request_ids
            )
        )
        if not all(isinstance(request_id, str) and request_id for request_id in ids):
            raise ValueError("Pending workflow request IDs must be non-empty strings.")
        mode = RunRequest(checkpoint_id=checkpoint_id, cancel=ids, tools=as_list(tools))
        run = self._runs().begin(
            mode, self._store_for_run(checkpoint_storage), False, False
        )
        return await run.get_final_response()

    def store_of(self, storage: Any) -> CheckpointStore | None:
        """Return the store behind a `checkpoint_storage` argument; None for None.

        Raise `TypeError` for an object that cannot keep checkpoints.
        """
        if storage is None:
            return None
        from runtime.agent_framework.storage_adapter import store_of

        return store_of(storage, self.name)

    def _store_for_run(self, storage: Any) -> CheckpointStore | None:
        return None if storage is None else self._runs().store_for(storage)

    def resume(
        self, *, max_iterations: int | None = None
    ) -> Awaitable[WorkflowRunResult]:
        """Go on from the last barrier: after a failure, a cancellation, or with a
        higher limit after a reached one.
        """
        from runtime.engine.run_request import RunRequest

        check_limit(1 if max_iterations is None else max_iterations)
        return (
            self._runs()
            .begin(RunRequest(limit=max_iterations), None, False, False)
            .awaited()
        )

    def reset(self) -> None:
        """Give the run up: queue, buffers, state and open requests are gone. Saved
        checkpoints stay.
        """
        self._runs().reset()

    def get_last_checkpoint_id(self) -> str | None:
        """Return the id of the checkpoint that was saved or restored last on this
        instance.
        """
        return self._runs().last_checkpoint_id

    async def resolve_pause_checkpoint_id(
        self,
        request_ids: Collection[str],
        *,
        checkpoint_storage: CheckpointStorage | CheckpointStore | None = None,
        known_checkpoint_id: str | None = None,
        baseline_checkpoint_id: str | None = UNSET,
    ) -> str | None:
        """Return a checkpoint in which all these requests are open, to answer them
        later; None if there is none.

        Tried first is the last checkpoint of the latest run, if that saved any: if it
        differs from `baseline_checkpoint_id`, by default the last one before that run.
        Then `known_checkpoint_id`. The checkpoint that the run began with is never
        returned, because going back to it would undo the run. Without a storage, the
        first one is returned without a look into it.
        """
        ids = {str(request_id) for request_id in request_ids if request_id}
        if not ids:
            return None
        if checkpoint_storage is None:
            store = self.checkpoint_storage
        else:
            store = self._store_for_run(checkpoint_storage)
        return await self._runs().pause_of(
            ids, store, known_checkpoint_id, baseline_checkpoint_id
        )

    @property
    def status(self) -> WorkflowRunState:
        return self._runs().status

    def _runs(self) -> RunSession:
        if self._session is None:
            from runtime.engine.run import RunSession

            self._session = RunSession(self, self.checkpoint_storage)
        return self._session

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy gets: the graph without the run."""
        return self.__dict__ | {"_session": None}

    def __repr__(self) -> str:
        return f"Workflow({self.name!r}, {len(self.executors)} executors, {len(self.edge_groups)} edge groups)"


def renamed(old_name: str, deprecated_value: Any, new_name: str, value: Any) -> Any:
    """Return the value of a parameter that has a deprecated name too. Raise `TypeError`
    if both were given.
    """
    if deprecated_value is UNSET:
        return value
    if value is not UNSET:
        raise TypeError(
            f"Cannot pass both `{old_name}` (deprecated) and `{new_name}`; use `{new_name}` only."
        )
    text = f"`{old_name}` is deprecated and will be removed in a future version; use `{new_name}` instead."
    warnings.warn(text, DeprecationWarning, stacklevel=3)
    return deprecated_value


def _storage_in(context: Any) -> Any:
    """Return the checkpoint storage of a runner context. Raise `TypeError` for a
    context of another kind.
    """
    if context is None:
        return None
    from runtime.executors.runner_context import InProcRunnerContext

    if not isinstance(context, InProcRunnerContext):
        raise TypeError(
            f"A workflow is run by its own engine, so a runner_context of type {type(context).__name__} cannot run it. "
            "Leave it out, or give an InProcRunnerContext with a checkpoint storage."
        )
    return context.checkpoint_storage
