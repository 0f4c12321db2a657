"""What the objects of a workflow remember beside the state of a run: attributes of
executors and edges, defaults and surrounding variables of handlers and conditions.

An executor is configuration and code, and a checkpoint keeps what its hooks return and
nothing else. Data that a handler leaves elsewhere is gone after a restore.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from runtime.debug.verify.plain_trees import (
    Follow,
    function_state,
    mutable_objects,
    tree_of,
)
from runtime.engine.live_parts import attributes_of
from runtime.engine.sub_runs import sub_workflow

if TYPE_CHECKING:
    from runtime.edges.base import EdgeGroup
    from runtime.executors.executor import Executor
    from runtime.workflow.workflow import Workflow

# What the engine keeps in an executor beside names that begin with `engine_`, and what
# every edge is made of.
_OF_ENGINE = frozenset(
    {
        "id",
        "type",
        "type_",
        "_handlers",
        "_response_handlers",
        "_by_class",
        "class_decides",
        "class_in_list_decides",
    }
)
_OF_GROUPS = frozenset(
    {
        "id",
        "key",
        "edges",
        "source_ids",
        "target_ids",
        "target_id",
        "targets",
        "awaited_ids",
    }
)
_NOT_OF_USERS = frozenset({"runtime", "builtins", *sys.stdlib_module_names}) - {
    "__main__"
}


class Holder(NamedTuple):
    """An object of a workflow that may remember something.

    path  the executors of the sub-workflows that lead to it
    kind  executor, join, edge or reducer
    name  its id; of a reducer, the key of the state
    """

    path: tuple[str, ...]
    kind: str
    name: str

    @property
    def where(self) -> str:
        """Return its path in words that name it in a trace."""
        return "/".join((*self.path, self.name))


# The data that each holder remembers, by the name of the attribute.
Remembered = Mapping[Holder, Mapping[str, Any]]


def remembered_by(workflow: Workflow) -> Remembered:
    """Return what the objects of a workflow remember now, as plain trees."""
    return {
        holder: {name: tree_of(value, follow) for name, value in values.items()}
        for holder, values, follow in _holders(workflow, ())
    }


def remembered_by_hooked(workflow: Workflow) -> Remembered:
    """Return the same for executors with hooks alone."""
    return {
        holder: {name: tree_of(value, follow) for name, value in values.items()}
        for holder, values, follow in _holders(workflow, ())
        if holder.kind == "executor" and _executor(workflow, holder).has_hooks
    }


def _executor(workflow: Workflow, holder: Holder) -> Executor:
    for name in holder.path:
        workflow = sub_workflow(workflow, name)  # type: ignore[assignment]
    return workflow.executors[holder.name]


def mutable_objects_of(
    workflow: Workflow,
) -> Iterator[tuple[Holder, str, Any]]:
    """Yield each object that an object of the workflow could change in place, with its
    path in the holder.
    """
    for holder, values, follow in _holders(workflow, ()):
        for name, value in values.items():
            for path, found in mutable_objects(value, name, follow):
                yield holder, path, found


def _holders(
    workflow: Workflow, path: tuple[str, ...]
) -> Iterator[tuple[Holder, dict[str, Any], Follow]]:
    for executor_id, executor in workflow.executors.items():
        follow = _follow_of(executor)
        yield Holder(path, "executor", executor_id), _of_executor(executor), follow
        if executor.wraps_workflow:
            inner: Any = executor
            yield from _holders(inner.workflow, (*path, executor_id))
    for group in workflow.edge_groups:
        kind = "join" if group.is_join else "edge"
        yield Holder(path, kind, group.id), _of_group(group), _nothing_of_libraries
    for key, reducer in workflow.reducers.items():
        state = function_state(reducer)
        yield Holder(path, "reducer", key), state, _nothing_of_libraries


def _of_executor(executor: Executor) -> dict[str, Any]:
    skipped = _OF_ENGINE | ({"workflow"} if executor.wraps_workflow else set())
    values = _data_of(executor, skipped)
    functions = [handler.call for handler in executor.all_handlers]
    # A node calls a function of the user from a handler of its own.
    functions += [value for value in values.values() if inspect.isroutine(value)]
    for function in functions:
        for name, value in function_state(function).items():
            if value is not executor:
                values[f"{function.__name__}{name}"] = value
    return values


def _of_group(group: EdgeGroup) -> dict[str, Any]:
    values = _data_of(group, _OF_GROUPS)
    for holder in (group, *group.edges):
        for attribute in attributes_of(holder):
            for name, value in function_state(getattr(holder, attribute)).items():
                values[f"{attribute}{name}"] = value
    return values


def _data_of(holder: object, skipped: frozenset[str] | set[str]) -> dict[str, Any]:
    return {
        name: getattr(holder, name)
        for name in attributes_of(holder)
        if name not in skipped
        and not name.startswith("engine_")
        and not _is_remembered_result(holder, name)
    }


def _is_remembered_result(holder: object, name: str) -> bool:
    """Whether an attribute only keeps what can be worked out again."""
    return isinstance(getattr(type(holder), name, None), functools.cached_property)


def _follow_of(executor: Executor) -> Follow:
    """Return whether to look into the objects that an executor holds: those of classes
    of its own code. Clients and other objects of libraries change by themselves.
    """
    modules = {_package(type(executor).__module__)}
    functions = [handler.call for handler in executor.all_handlers]
    for function in (*functions, *vars(executor).values()):
        if inspect.isroutine(function):
            modules.add(_package(str(function.__module__)))
    own = modules - _NOT_OF_USERS

    def follow(cls: type) -> bool:
        return _package(cls.__module__) in own

    return follow


def _nothing_of_libraries(_: type) -> bool:
    return False


def _package(module: str) -> str:
    return module.partition(".")[0]
