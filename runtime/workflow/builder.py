"""`WorkflowBuilder`: makes a workflow in code, by joining executors with edges."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, Self

from runtime.edges.base import EdgeCondition, EdgeGroup
from runtime.edges.kinds.direct.group import SingleEdgeGroup
from runtime.edges.kinds.fan_in.group import FanInEdgeGroup, Policy
from runtime.edges.kinds.fan_out.group import FanOutEdgeGroup
from runtime.edges.kinds.multi_selection.group import MultiSelectionEdgeGroup
from runtime.edges.kinds.on_error.group import OnErrorEdgeGroup
from runtime.edges.kinds.switch.group import (
    AnyCase,
    Case,
    Default,
    SwitchCaseEdgeGroup,
    SwitchCaseEdgeGroupCase,
    SwitchCaseEdgeGroupDefault,
)
from runtime.errors import ValidationTypeEnum, WorkflowValidationError
from runtime.executors.effects import Reducer
from runtime.executors.executor import Executor
from runtime.graph.workflow_graph import DEFAULT_MAX_ITERATIONS, check_limit
from runtime.policy import FailurePolicy, RetryPolicy
from runtime.values.unset import UNSET
from runtime.workflow.workflow import Workflow

if TYPE_CHECKING:
    from runtime.checkpoint import CheckpointStore
    from runtime.checkpoints.storage import CheckpointStorage


Selected = Sequence[Executor] | str | None


class WorkflowBuilder:
    """Join executors by edges, then `build()`. Every method returns the builder. `id=`
    names an edge in traces.

    output_from                which executors yield the workflow's outputs: a list, or "all"; all when neither is given
    intermediate_output_from   whose outputs are progress only: a list, "all", or "all_other"
    executors                  their order, which is the order of deliveries and a part of the signature; others come
                               after them in the order in which edges name them, the start first
    retry, timeout             for executors without a failure policy of their own: how often a failed one is tried
                               again, and how many seconds an attempt may take (`runtime.policy` has the rules)
    """

    def __init__(
        self,
        max_iterations: int = DEFAULT_MAX_ITERATIONS,
        name: str | None = None,
        description: str | None = None,
        *,
        start_executor: Executor,
        checkpoint_storage: CheckpointStorage | CheckpointStore | None = None,
        output_from: Selected = UNSET,
        intermediate_output_from: Selected = UNSET,
        output_executors: Selected = UNSET,
        reducers: Mapping[str, Reducer] | None = None,
        state_conflicts: Literal["error", "last"] = "error",
        executors: Sequence[Executor] = (),
        retry: RetryPolicy | None = None,
        timeout: float | None = None,
    ) -> None:
        check_limit(max_iterations)
        if output_executors is not UNSET:
            if output_from is not UNSET:
                raise TypeError(
                    "Cannot pass multiple workflow output selection parameters (`output_from`, `output_executors`); "
                    "use `output_from`."
                )
            text = (
                "`output_executors` is deprecated and will be removed in a future version; "
                "use `output_from` instead."
            )
            warnings.warn(text, DeprecationWarning, stacklevel=2)
        self._options: dict[str, Any] = {
            "max_iterations": max_iterations,
            "name": name,
            "description": description,
            "checkpoint_storage": checkpoint_storage,
            "reducers": reducers,
            "state_conflicts": state_conflicts,
            "retry": retry,
            "timeout": timeout,
        }
        self._policies: dict[str, FailurePolicy] = {}
        self._output_from = _selection(
            "output_from",
            output_executors if output_from is UNSET else output_from,
            ("all",),
        )
        self._intermediate_from = _selection(
            "intermediate_output_from", intermediate_output_from, ("all", "all_other")
        )
        self._executors: dict[str, Executor] = {}
        self._groups: list[EdgeGroup] = []
        for executor in executors:
            self._add(executor)
        self._start_id = self._add(start_executor)

    def _add(self, executor: Any) -> str:
        if not isinstance(executor, Executor):
            if isinstance(executor, type):
                hint = f" Make one: {executor.__name__}(…)."
            else:
                hint = ""
            raise TypeError(
                "WorkflowBuilder expected an Executor or SupportsAgentRun instance; "
                f"got {type(executor).__name__}.{hint}"
            )
        if not hasattr(executor, "id"):
            raise TypeError(
                f"{type(executor).__name__}.__init__ must call super().__init__(id), before anything else."
            )
        if self._executors.setdefault(executor.id, executor) is not executor:
            raise ValueError(
                f"Duplicate executor ID '{executor.id}' detected in workflow. Give each executor its own id."
            )
        return executor.id

    def _join(self, group: EdgeGroup) -> Self:
        self._groups.append(group)
        return self

    # --- edges ----------------------------------------------------------------------------------------------------

    def add_edge(
        self,
        source: Executor,
        target: Executor,
        condition: EdgeCondition | None = None,
        *,
        id: str | None = None,
    ) -> Self:
        """Lead messages from a source to a target; with a condition, only those for
        which it is true.
        """
        return self._join(
            SingleEdgeGroup(self._add(source), self._add(target), condition, id=id)
        )

    def add_fan_out_edges(
        self, source: Executor, targets: Sequence[Executor], *, id: str | None = None
    ) -> Self:
        """Lead every message of the source to every target."""
        return self._join(
            FanOutEdgeGroup(
                self._add(source), [self._add(target) for target in targets], id=id
            )
        )

    def add_fan_in_edges(
        self,
        sources: Sequence[Executor],
        target: Executor,
        *,
        policy: Policy = "all",
        count: int = 0,
        id: str | None = None,
    ) -> Self:
        """Add a join: the target gets one list when the policy says so
        (`FanInEdgeGroup` has the four policies).
        """
        ids = [self._add(source) for source in sources]
        return self._join(
            FanInEdgeGroup(ids, self._add(target), policy=policy, count=count, id=id)
        )

    def add_switch_case_edge_group(
        self,
        source: Executor,
        cases: Sequence[Case | Default],
        *,
        id: str | None = None,
    ) -> Self:
        """Lead each message exactly one way: that of the first case that is true, else
        that of the default.
        """
        source_id = self._add(source)
        edge_cases: list[AnyCase] = []
        for case in cases:
            target_id = self._add(case.target)
            if isinstance(case, Default):
                edge_cases.append(SwitchCaseEdgeGroupDefault(target_id))
            else:
                edge_cases.append(
                    SwitchCaseEdgeGroupCase(case.condition, target_id, case.name)
                )
        return self._join(SwitchCaseEdgeGroup(source_id, edge_cases, id=id))

    def add_multi_selection_edge_group(
        self,
        source: Executor,
        targets: Sequence[Executor],
        selection_func: Callable[[Any, list[str]], Iterable[str]],
        *,
        id: str | None = None,
    ) -> Self:
        """Lead each message to any number of targets: those that `selection_func(data,
        target_ids)` names.
        """
        if len(targets) < 2:
            raise ValueError(
                "FanOutEdgeGroup must contain at least two targets. For one, use add_edge."
            )
        ids = [self._add(executor) for executor in targets]
        return self._join(
            MultiSelectionEdgeGroup(self._add(source), ids, selection_func, id=id)
        )

    def add_chain(self, executors: Sequence[Executor]) -> Self:
        """Lead from each executor to the next."""
        if len(executors) < 2:
            raise ValueError("At least two executors are required to form a chain.")
        for source, target in pairwise(executors):
            self.add_edge(source, target)
        return self

    def add_error_edge(
        self,
        source: Executor,
        target: Executor,
        condition: EdgeCondition | None = None,
        *,
        id: str | None = None,
    ) -> Self:
        """Lead failures: when the source fails for good, the target gets an
        `ExecutorFailure`, and the run goes on.
        """
        return self._join(
            OnErrorEdgeGroup(self._add(source), self._add(target), condition, id=id)
        )

    def add_edge_group(self, group: EdgeGroup) -> Self:
        """Add any edge group, such as one of a kind of your own. It names executors by
        their ids, so give them to the builder as `executors`.
        """
        return self._join(group)

    def set_failure_policy(
        self,
        executor: Executor,
        *,
        retry: RetryPolicy | None = None,
        timeout: float | None = None,
    ) -> Self:
        """Set what this executor does about failures, in the place of the workflow's
        `retry` and `timeout`.
        """
        self._policies[self._add(executor)] = FailurePolicy(retry, timeout)
        return self

    # --- building -------------------------------------------------------------------------------------------------

    def build(self) -> Workflow:
        """Return the workflow. Raise `WorkflowValidationError` if the graph cannot
        work.
        """
        outputs, intermediates = self._designations()
        return Workflow(
            self._groups,
            self._executors,
            self._start_id,
            output_from=outputs,
            intermediate_output_from=intermediates,
            policies=self._policies,
            **self._options,
        )

    def _designations(self) -> tuple[list[str] | None, list[str] | None]:
        yielding = [
            executor.id
            for executor in self._executors.values()
            if executor.workflow_output_types
        ]
        outputs = yielding if self._output_from == "all" else _ids(self._output_from)
        intermediates = _ids(self._intermediate_from)
        if self._intermediate_from == "all":
            intermediates = yielding
        elif self._intermediate_from == "all_other":
            intermediates = [
                executor for executor in yielding if executor not in (outputs or ())
            ]
        if outputs is None and intermediates is None:
            return None, None
        if not outputs and not intermediates:
            raise WorkflowValidationError(
                "Explicit workflow output designation must include at least one output or intermediate executor.",
                ValidationTypeEnum.OUTPUT_VALIDATION,
            )
        return outputs or [], intermediates or []


def _selection(name: str, value: Any, literals: Sequence[str]) -> Selected:
    if value is UNSET:
        return None
    if isinstance(value, str) and value not in literals:
        raise ValueError(
            f"Unsupported {name} literal {value!r}; use {', '.join(map(repr, literals))}, or a list of executors."
        )
    return value  # type: ignore[no-any-return]


def _ids(selected: Selected) -> list[str] | None:
    if selected is None or isinstance(selected, str):
        return None
    for executor in selected:
        if not isinstance(executor, Executor):
            raise TypeError(
                "WorkflowBuilder expected designation entries to be Executor or SupportsAgentRun instances; got "
                f"{type(executor).__name__}."
            )
    return [executor.id for executor in selected]
