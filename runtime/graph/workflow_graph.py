"""`WorkflowGraph`: executors joined by edges, with everything that routing and the
engine look up.

The graph never changes once it is built. `runtime.workflow.workflow.Workflow` adds the
ways to run it; the engine only needs what is here.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, cast

from runtime.checkpoint import CheckpointStore
from runtime.edges.base import EdgeGroup
from runtime.edges.join import JoinEdgeGroup
from runtime.executors.context import check_reducers
from runtime.executors.effects import Reducer
from runtime.executors.executor import Executor
from runtime.executors.payload_types import register, types_of
from runtime.graph.graph_checks import levels_of, validate_workflow_graph
from runtime.graph.signature import code_of, digest, graph_of, reducers_of
from runtime.policy import FailurePolicy, RetryPolicy
from runtime.stores import store_behind

DEFAULT_MAX_ITERATIONS = 100
OutputKind = Literal["output", "intermediate"] | None


class WorkflowGraph:
    """Executors joined by edges, with a start executor.

    id              of this instance, new each time; checkpoints know the workflow by its name
    reducers        key of the shared state -> how contributions to it are combined at the barrier
    state_conflicts "error" refuses different values for one key in one superstep; "last" lets the later executor win
    definition      the document that the graph was built from, if there is one; saved with each checkpoint
    levels          how many workflows are nested in each other, this one included
    policies        executor id -> its failure policy, for those that have one
    handled         ids of executors whose failure does not simply fail the superstep
    reach           executor id -> ids of all executors that its messages may go to
    reaches_outside whether an executor, here or in a sub-workflow, reaches outside of the run
    """

    def __init__(
        self,
        edge_groups: Sequence[EdgeGroup],
        executors: Mapping[str, Executor],
        start_executor: Executor | str,
        *,
        name: str | None = None,
        description: str | None = None,
        max_iterations: int = DEFAULT_MAX_ITERATIONS,
        outputs: Sequence[str] | None = None,
        intermediates: Sequence[str] | None = None,
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
        validate_workflow_graph(
            edge_groups,
            executors,
            start_executor,
            outputs,
            intermediates,
            entries,
            # The checks of a document say the same, with the place in the document.
            warns=definition is None,
        )
        self.id = str(uuid.uuid4())
        self.name = name or "workflow"
        self.description = description
        self.max_iterations = max_iterations
        self.reducers = dict(reducers or {})
        self.state_conflicts = state_conflicts
        self.definition = definition
        self.executors = dict(executors)
        self.edge_groups = _without_silent_sources(edge_groups, executors)
        self.levels = levels_of(executors.values())
        if isinstance(start_executor, str):
            self.start_executor_id = start_executor
        else:
            self.start_executor_id = start_executor.id
        self._outputs = None if outputs is None else frozenset(outputs)
        self._intermediates = (
            None if intermediates is None else frozenset(intermediates)
        )
        self.policies = _policies(
            self.executors, FailurePolicy(retry, timeout), policies or {}
        )
        self.types = types_of(self.executors.values())
        register(self.types)
        self._index_edges()

    def _index_edges(self) -> None:
        """Build the tables that routing looks up, once for all runs."""
        self.order = {
            executor_id: position for position, executor_id in enumerate(self.executors)
        }
        self.joins = tuple(
            group for group in self.edge_groups if isinstance(group, JoinEdgeGroup)
        )
        self.outgoing: dict[str, list[EdgeGroup]] = {}
        self.incoming: dict[str, list[EdgeGroup]] = {}
        self.error_edges: dict[str, list[EdgeGroup]] = {}
        for group in self.edge_groups:
            if group.carries_failures:
                self.error_edges.setdefault(group.source_ids[0], []).append(group)
            else:
                for source_id in group.source_ids:
                    self.outgoing.setdefault(source_id, []).append(group)
            for target_id in group.target_ids:
                self.incoming.setdefault(target_id, []).append(group)
        self.handled = frozenset((*self.policies, *self.error_edges))
        self.wraps_workflows = any(
            executor.wraps_workflow for executor in self.executors.values()
        )
        self.reaches_outside = any(map(_reaches_outside, self.executors.values()))
        self.reach = {
            source_id: frozenset().union(*(group.targets for group in groups))
            for source_id, groups in self.outgoing.items()
        }
        # A cache that `runtime.engine.route` fills: (source, target, class of a
        # message) -> where it goes.
        self.known_ways: dict[Any, Any] = {}

    # --- executors and what they yield --------------------------------------------------------------------------

    def get_start_executor(self) -> Executor:
        return self.executors[self.start_executor_id]

    def get_executors_list(self) -> list[Executor]:
        return list(self.executors.values())

    def get_output_executors(self) -> list[Executor]:
        """Return the executors whose outputs are the workflow's: all, unless some were
        designated.
        """
        return self._executors_of_kind("output")

    def get_intermediate_executors(self) -> list[Executor]:
        return self._executors_of_kind("intermediate")

    def _executors_of_kind(self, kind: OutputKind) -> list[Executor]:
        return [
            executor
            for executor in self.executors.values()
            if self.output_kind(executor.id) == kind
        ]

    def output_kind(self, executor_id: str) -> OutputKind:
        """Return what a value that the executor yields is: the workflow's output,
        intermediate progress, or neither.
        """
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
        types: dict[Any, None] = {}
        for executor in self.get_output_executors():
            types |= dict.fromkeys(executor.workflow_output_types)
        return list(types)

    # --- the graph as data --------------------------------------------------------------------------------------

    @cached_property
    def graph(self) -> dict[str, Any]:
        """Everything that the signature is made of, as JSON values."""
        return graph_of(self)

    @property
    def graph_signature(self) -> dict[str, Any]:
        """agent-framework's name for `graph`."""
        return self.graph

    @cached_property
    def graph_signature_hash(self) -> str:
        return digest(self.graph)

    def signature(self) -> str:
        """Return the digest of the graph: equal for an equal graph in any process,
        different when a restore would be unsafe.
        """
        return self.graph_signature_hash

    def saved_definition(self) -> Mapping[str, Any]:
        """Return what a checkpoint says of the graph: the document with the files of
        its sub-workflows, or `{"graph": ...}` for a workflow made in code.
        """
        return self._saved_definition

    # Cached, because the archive recognizes an unchanged definition by its identity.
    @cached_property
    def _saved_definition(self) -> Mapping[str, Any]:
        if self.definition is not None:
            # What a document only names: the Python code behind it.
            code = code_of(self) if "workflow" in self.definition else {}
            return {**self.definition, "code": code} if code else self.definition
        reducers = reducers_of(self)
        if reducers:
            return {"graph": self.graph, "reducers": reducers}
        return {"graph": self.graph}

    def to_dict(self) -> dict[str, Any]:
        """Return the graph in agent-framework's shape."""
        result: dict[str, Any] = {
            "name": self.name,
            "id": self.id,
            "start_executor_id": self.start_executor_id,
            "max_iterations": self.max_iterations,
            "output_executors": self._in_order(self._outputs),
            "intermediate_executors": self._in_order(self._intermediates),
            "executors": {
                executor.id: executor.to_dict() for executor in self.executors.values()
            },
            "edge_groups": [group.to_dict() for group in self.edge_groups],
        }
        if self.description:
            result["description"] = self.description
        return result

    def _in_order(self, executor_ids: frozenset[str] | None) -> list[str] | None:
        if executor_ids is None:
            return None
        return sorted(executor_ids, key=self.order.__getitem__)

    def to_json(self) -> str:
        return json.dumps(self.to_dict())

    # --- checkpoints --------------------------------------------------------------------------------------------

    def store_of(self, storage: Any) -> CheckpointStore | None:
        """Return the store behind a `checkpoint_storage` argument; None for None.

        Raise `TypeError` for anything else; a `Workflow` also takes storages with
        agent-framework's methods.
        """
        if storage is None:
            return None
        store = store_behind(storage)
        if store is None:
            raise TypeError(
                f"A store of open_store() is needed; got {type(storage).__name__}."
            )
        return store


def _policies(
    executors: Mapping[str, Executor],
    default: FailurePolicy,
    own_policies: Mapping[str, FailurePolicy],
) -> dict[str, FailurePolicy]:
    """Return the policy of each executor that has one. Raise `ValueError` for one that
    cannot have any.
    """
    for executor_id, policy in own_policies.items():
        if executor_id not in executors:
            raise ValueError(
                f"A failure policy is for '{executor_id}', which is no executor of the workflow."
            )
        if executors[executor_id].wraps_workflow and policy.is_needed:
            raise ValueError(
                f"'{executor_id}' is a sub-workflow, which takes several supersteps: it is not retried as a whole and "
                "cannot have a time limit. Give the policy to executors inside it."
            )
    policies: dict[str, FailurePolicy] = {}
    for executor_id, executor in executors.items():
        policy = own_policies.get(executor_id, default)
        if policy.is_needed and not executor.wraps_workflow:
            policies[executor_id] = policy
    return policies


def _without_silent_sources(
    groups: Sequence[EdgeGroup], executors: Mapping[str, Executor]
) -> list[EdgeGroup]:
    """Return the edge groups such that no join waits for executors that never send."""
    silent = {
        executor_id
        for executor_id, executor in executors.items()
        if executor.never_sends
    }
    return [group.without(silent) for group in groups]


def check_limit(limit: int) -> None:
    """Raise `ValueError` if `limit` is not a whole number of supersteps, or if it lets
    nothing run.
    """
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise ValueError(
            f"max_iterations must be a whole number of at least 1, got {limit!r}: it is the number of supersteps a run "
            "may have."
        )


def _reaches_outside(executor: Executor) -> bool:
    """Return True if calls of an executor, or inside it, reach outside of the run."""
    if executor.wraps_workflow:
        return bool(cast("Any", executor).workflow.reaches_outside)
    return executor.engine_reaches_outside
