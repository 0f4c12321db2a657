"""A workflow: executors joined by edges. The graph never changes; the run of it that `run` drives is kept beside."""

from __future__ import annotations

import json
import uuid
import warnings
from collections.abc import Awaitable, Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

from runtime.edges.base import EdgeGroup
from runtime.edges.fan_in import FanInEdgeGroup
from runtime.edges.on_error import OnErrorEdgeGroup
from runtime.events import WorkflowRunState
from runtime.executors.context import check_reducers
from runtime.executors.effects import Reducer
from runtime.executors.executor import Executor
from runtime.executors.payload_types import register, types_of
from runtime.graph.graph_checks import levels_of, validate_workflow_graph
from runtime.graph.signature import digest, graph_of
from runtime.policy import FailurePolicy, RetryPolicy

if TYPE_CHECKING:
    from runtime.agent_framework.run_arguments import InvocationKwargs, Tools
    from runtime.agent_framework.workflow_checkpoint import CheckpointStorage
    from runtime.checkpoint import CheckpointStore
    from runtime.engine.route import Known, KnownKey
    from runtime.engine.run import RunSession, WorkflowStream
    from runtime.events import WorkflowRunResult
    from runtime.executors.runner_context import InProcRunnerContext

DEFAULT_MAX_ITERATIONS = 100


class Unset:
    """What a parameter has that was not given, where None means something."""

    def __repr__(self) -> str:
        return "<not given>"


UNSET: Any = Unset()


class Workflow:
    """Executors joined by edges, with a start. Use `WorkflowBuilder`, or give the parts directly; both are validated.

    id              of this instance, new each time; checkpoints know the workflow by its name
    runner_context  only its checkpoint storage is used, and only of an `InProcRunnerContext`
    reducers        key of the shared state -> how contributions to it are combined at the barrier
    state_conflicts "error" refuses different values for one key in one superstep; "last" lets the later executor win
    definition      the document it was built from, if it was; saved with each checkpoint
    entries         where messages of a parent enter as well, if this is a sub-workflow with several ways in
    retry, timeout  what executors do about failures that have no policy of their own, see `runtime.policy`
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
        check_limit(max_iterations)
        check_reducers(reducers or {})
        if state_conflicts not in ("error", "last"):
            raise ValueError(
                f"state_conflicts is 'error' or 'last', not {state_conflicts!r}."
            )
        outputs = renamed(
            "output_executors", output_executors, "output_from", output_from
        )
        intermediates = renamed(
            "intermediate_executors",
            intermediate_executors,
            "intermediate_output_from",
            intermediate_output_from,
        )
        outputs, intermediates = (
            None if one is UNSET else one for one in (outputs, intermediates)
        )
        validate_workflow_graph(
            edge_groups,
            executors,
            start_executor,
            outputs,
            intermediates,
            entries,
            warns=definition is None,
        )
        self.id = str(uuid.uuid4())
        self.edge_groups = _not_waiting(edge_groups, executors)
        self.executors = dict(executors)
        self.levels = levels_of(executors.values())
        if isinstance(start_executor, str):
            self.start_executor_id = start_executor
        else:
            self.start_executor_id = start_executor.id
        self.max_iterations = max_iterations
        self.name = name or "workflow"
        self.description = description
        self.reducers = dict(reducers or {})
        self.state_conflicts = state_conflicts
        self.checkpoint_storage = self.store_of(
            _storage_in(runner_context)
            if checkpoint_storage is None
            else checkpoint_storage
        )
        self.policies = _policies(
            self.executors, FailurePolicy(retry, timeout), policies or {}
        )
        self.definition = definition
        self._outputs = None if outputs is None else frozenset(outputs)
        if intermediates is None:
            self._intermediates = None
        else:
            self._intermediates = frozenset(intermediates)
        self.types = types_of(self.executors.values())
        register(self.types)
        self._make_tables()
        self._session: RunSession | None = None

    def _make_tables(self) -> None:
        """What routing looks up, made once."""
        self.order = {
            executor_id: position for position, executor_id in enumerate(self.executors)
        }
        self.joins = tuple(
            group for group in self.edge_groups if isinstance(group, FanInEdgeGroup)
        )
        outgoing: dict[str, list[EdgeGroup]] = {}
        incoming: dict[str, list[EdgeGroup]] = {}
        errors: dict[str, list[OnErrorEdgeGroup]] = {}
        for group in self.edge_groups:
            if isinstance(group, OnErrorEdgeGroup):
                errors.setdefault(group.source_ids[0], []).append(group)
            else:
                for source_id in group.source_ids:
                    outgoing.setdefault(source_id, []).append(group)
            for target_id in group.target_ids:
                incoming.setdefault(target_id, []).append(group)
        self.outgoing = outgoing
        self.incoming = incoming
        self.error_edges = errors
        # Executors whose failure does not simply fail the superstep.
        self.handled = frozenset((*self.policies, *errors))
        self.wraps_workflows = any(
            executor.wraps_workflow for executor in self.executors.values()
        )
        # Filled by routing: source, target that was asked for, class of the message -> where such a message goes.
        self.known_ways: dict[KnownKey, Known | None] = {}
        self.reach = {
            source_id: frozenset().union(*(group.targets for group in groups))
            for source_id, groups in outgoing.items()
        }

    # --- the graph ------------------------------------------------------------------------------------------------

    def get_start_executor(self) -> Executor:
        return self.executors[self.start_executor_id]

    def get_executors_list(self) -> list[Executor]:
        return list(self.executors.values())

    def get_output_executors(self) -> list[Executor]:
        """The executors whose outputs are the workflow's: all, unless some were designated."""
        return [
            one
            for one in self.executors.values()
            if self.output_kind(one.id) == "output"
        ]

    def get_intermediate_executors(self) -> list[Executor]:
        return [
            one
            for one in self.executors.values()
            if self.output_kind(one.id) == "intermediate"
        ]

    def output_kind(self, executor_id: str) -> Literal["output", "intermediate"] | None:
        """What a value is that the executor yields: the workflow's output, progress on the way, or neither."""
        if self._outputs is None and self._intermediates is None:
            return "output"
        if executor_id in (self._outputs or ()):
            return "output"
        return "intermediate" if executor_id in (self._intermediates or ()) else None

    def is_terminal_executor(self, executor_id: str) -> bool:
        return self.output_kind(executor_id) == "output"

    def is_intermediate_executor(self, executor_id: str) -> bool:
        return self.output_kind(executor_id) == "intermediate"

    @property
    def input_types(self) -> list[Any]:
        return self.get_start_executor().input_types

    @property
    def output_types(self) -> list[Any]:
        return list(
            dict.fromkeys(
                one
                for executor in self.get_output_executors()
                for one in executor.workflow_output_types
            )
        )

    @cached_property
    def graph(self) -> dict[str, Any]:
        """What the signature is made of, as JSON values."""
        return graph_of(self)

    @property
    def graph_signature(self) -> dict[str, Any]:
        """agent-framework's name for `graph`."""
        return self.graph

    @cached_property
    def graph_signature_hash(self) -> str:
        return digest(self.graph)

    def signature(self) -> str:
        """Digest of the graph: equal for an equal graph in any process, different when a restore would be unsafe."""
        return self.graph_signature_hash

    def saved_definition(self) -> Mapping[str, Any]:
        """What a checkpoint says of the graph: the document, or for a workflow made in code `{"graph": ...}`."""
        return self._saved_definition

    @cached_property
    def _saved_definition(self) -> Mapping[str, Any]:
        return self.definition if self.definition is not None else {"graph": self.graph}

    def to_dict(self) -> dict[str, Any]:
        """The graph in agent-framework's shape."""
        made: dict[str, Any] = {
            "name": self.name,
            "id": self.id,
            "start_executor_id": self.start_executor_id,
            "max_iterations": self.max_iterations,
            "output_executors": None
            if self._outputs is None
            else sorted(self._outputs, key=self.order.__getitem__),
            "intermediate_executors": (
                None
                if self._intermediates is None
                else sorted(self._intermediates, key=self.order.__getitem__)
            ),
            "executors": {one.id: one.to_dict() for one in self.executors.values()},
            "edge_groups": [group.to_dict() for group in self.edge_groups],
        }
        return made | ({"description": self.description} if self.description else {})

    def to_json(self) -> str:
        return json.dumps(self.to_dict())

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
        tools: Tools = None,
        function_invocation_kwargs: InvocationKwargs = None,
        client_kwargs: InvocationKwargs = None,
    ) -> Any:
        """Run until the workflow rests: a fresh `message`, `responses` to open requests, or on from a `checkpoint_id`
        (with or without responses).

        Awaiting it gives a `WorkflowRunResult`. With `stream=True` it is iterated for events as they happen, and
        `get_final_response()` gives the result. Handlers get `tools` by `ctx.get_runtime_tools()`. Raises `ValueError`
        for another combination, and for invocation kwargs, which only agents take; `WorkflowException` while a run is
        active, and whatever a handler raises.
        """
        from runtime.agent_framework.run_arguments import as_list, refuse_kwargs
        from runtime.engine.run import Mode

        mode = Mode.of(message, responses, checkpoint_id, tools=as_list(tools))
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
        """Give open requests up and go on until the workflow rests; with a `checkpoint_id` from there.

        That is saved, with the cause `response`: going back to before it means that they are open again. An answer that
        comes later is refused. Raises `ValueError` for what is no id, `RequestError` for one that is not open; then
        nothing has changed.
        """
        from runtime.agent_framework.run_arguments import as_list, refuse_kwargs
        from runtime.engine.run import Mode

        refuse_kwargs(
            function_invocation_kwargs=function_invocation_kwargs,
            client_kwargs=client_kwargs,
        )
        ids = tuple(
            dict.fromkeys(
                [request_ids] if isinstance(request_ids, str) else request_ids
            )
        )
        if not all(isinstance(one, str) and one for one in ids):
            raise ValueError("Pending workflow request IDs must be non-empty strings.")
        mode = Mode(checkpoint_id=checkpoint_id, cancel=ids, tools=as_list(tools))
        run = self._runs().begin(
            mode, self._store_for_run(checkpoint_storage), False, False
        )
        return await run.get_final_response()

    def store_of(self, storage: Any) -> CheckpointStore | None:
        """The store behind what was given as `checkpoint_storage`. Raises `TypeError` for what keeps no checkpoints."""
        if storage is None:
            return None
        from runtime.agent_framework.storage_adapter import store_of

        return store_of(storage, self.name)

    def _store_for_run(self, storage: Any) -> CheckpointStore | None:
        return None if storage is None else self._runs().store_for(storage)

    def resume(
        self, *, max_iterations: int | None = None
    ) -> Awaitable[WorkflowRunResult]:
        """Go on from the last barrier: after a failure, a cancellation, or a reached limit, with a higher one."""
        from runtime.engine.run import Mode

        check_limit(1 if max_iterations is None else max_iterations)
        return (
            self._runs().begin(Mode(limit=max_iterations), None, False, False).awaited()
        )

    def reset(self) -> None:
        """Give the run up: queue, buffers, state and open requests are gone. Saved checkpoints stay."""
        self._runs().reset()

    def get_last_checkpoint_id(self) -> str | None:
        """The checkpoint that was saved or restored last on this instance."""
        return self._runs().last_checkpoint_id

    async def resolve_pause_checkpoint_id(
        self,
        request_ids: Collection[str],
        *,
        checkpoint_storage: CheckpointStorage | CheckpointStore | None = None,
        known_checkpoint_id: str | None = None,
        baseline_checkpoint_id: str | None = UNSET,
    ) -> str | None:
        """A checkpoint in which all these requests are open, to answer them later; None if there is none.

        First the last one of the latest run, if it saved any: that is, if it differs from `baseline_checkpoint_id`, by
        default what was last before that run. Then `known_checkpoint_id`. The checkpoint that the run began with is not
        given, as that would undo what it did. Without a storage only the first can be told, and is not looked into.
        """
        ids = {str(one) for one in request_ids if one}
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

            self._session = RunSession(self)
        return self._session

    def __getstate__(self) -> dict[str, Any]:
        """What a copy gets: the graph. Its run is its own."""
        return self.__dict__ | {"_session": None}

    def __repr__(self) -> str:
        return f"Workflow({self.name!r}, {len(self.executors)} executors, {len(self.edge_groups)} edge groups)"


def _policies(
    executors: Mapping[str, Executor],
    default: FailurePolicy,
    own: Mapping[str, FailurePolicy],
) -> dict[str, FailurePolicy]:
    """The policy of each executor that has one. Raises `ValueError` for one that cannot have any."""
    for executor_id in own:
        if executor_id not in executors:
            raise ValueError(
                f"A failure policy is for '{executor_id}', which is no executor of the workflow."
            )
        if executors[executor_id].wraps_workflow and own[executor_id].is_needed:
            raise ValueError(
                f"'{executor_id}' is a sub-workflow, which takes several supersteps: nothing of it is tried again, and "
                "no time limit holds for it. Give the policy to executors inside it."
            )
    chosen = {
        executor_id: own.get(executor_id, default)
        for executor_id, executor in executors.items()
        if not executor.wraps_workflow
    }
    return {
        executor_id: policy
        for executor_id, policy in chosen.items()
        if policy.is_needed
    }


def _not_waiting(
    groups: Sequence[EdgeGroup], executors: Mapping[str, Executor]
) -> list[EdgeGroup]:
    """The edge groups, whose joins do not wait for executors that never send."""
    silent = {
        executor_id
        for executor_id, executor in executors.items()
        if executor.never_sends
    }
    return [
        group.without(silent)
        if isinstance(group, FanInEdgeGroup) and not silent.isdisjoint(group.source_ids)
        else group
        for group in groups
    ]


def renamed(old_name: str, old: Any, new_name: str, new: Any) -> Any:
    """The value of a parameter that has an old name too. Raises `TypeError` if both were given."""
    if old is UNSET:
        return new
    if new is not UNSET:
        raise TypeError(
            f"Cannot pass both `{old_name}` (deprecated) and `{new_name}`; use `{new_name}` only."
        )
    text = f"`{old_name}` is deprecated and will be removed in a future version; use `{new_name}` instead."
    warnings.warn(text, DeprecationWarning, stacklevel=3)
    return old


def _storage_in(context: Any) -> Any:
    """The checkpoint storage of a runner context. Raises `TypeError` for a context of another kind."""
    if context is None:
        return None
    from runtime.executors.runner_context import InProcRunnerContext

    if not isinstance(context, InProcRunnerContext):
        raise TypeError(
            f"A workflow is run by its own engine, so a runner_context of type {type(context).__name__} cannot run it. "
            "Leave it out, or give an InProcRunnerContext with a checkpoint storage."
        )
    return context.checkpoint_storage


def check_limit(limit: int) -> None:
    """Raises `ValueError` for what is no number of supersteps, or lets nothing run."""
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise ValueError(
            f"max_iterations must be a whole number of at least 1, got {limit!r}: it is the number of supersteps a run "
            "may have."
        )
