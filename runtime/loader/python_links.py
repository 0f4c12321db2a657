"""Take executors, and conditions without a name, from a workflow that is written in
Python.

A document that was imported from Python names the workflow as `module:attribute`, and a
condition by its place among the workflow's edges: `module:attribute#2` is that of edge
group 2, and `module:attribute#2.1` that of its case 1. Both numbers begin at 0.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any

from runtime.document.references import is_reference
from runtime.errors import DefinitionError
from runtime.executors.executor import Executor
from runtime.loader.python_modules import load
from runtime.values.user_failures import in_words
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.workflow import Workflow

_PLACE = re.compile(
    r"(?P<reference>[^#]+)#(?P<group>[0-9]{1,6})(\.(?P<case>[0-9]{1,6}))?"
)


def is_link(text: str) -> bool:
    """Return whether a text names a condition by its place in a workflow."""
    place = _PLACE.fullmatch(text)
    return place is not None and is_reference(place["reference"])


@dataclass
class _MadeWorkflow:
    """A workflow that a function or builder made, and the ids of the executors that
    were handed out. Each is handed out once, because executors may have a state and
    know each other, so that those of two documents must not be mixed.
    """

    maker: Any
    workflow: Workflow
    given: set[str] = field(default_factory=set)


_MADE: dict[tuple[str, Path], _MadeWorkflow] = {}
_LOCK = threading.RLock()


def linked_workflow(reference: str, folder: Path, location: str = "") -> Workflow:
    """Return the workflow at `module:attribute`, which is a `Workflow`, a builder of
    one, or a function without arguments that returns either. Imports the module, which
    runs its code. Raise `DefinitionError` at `location` for anything else.
    """
    with _LOCK:
        return _made(reference, folder.resolve(), location).workflow


def linked_executor(reference: str, folder: Path, executor_id: str) -> Executor:
    """Return an executor of that workflow. Raise `DefinitionError` at the executor's
    id, also if the workflow has none of that id.
    """
    folder = folder.resolve()
    with _LOCK:
        source = _made(reference, folder, executor_id)
        if executor_id in source.given:
            del _MADE[reference, folder]
            source = _made(reference, folder, executor_id)
        if executor_id not in source.workflow.executors:
            known = ", ".join(f"'{known_id}'" for known_id in source.workflow.executors)
            raise DefinitionError(
                f"The workflow '{reference}' has no executor '{executor_id}'; it has {known}. "
                "Give the node the id that the executor has in Python.",
                executor_id,
            )
        if source.maker is not source.workflow:
            source.given.add(executor_id)
        return source.workflow.executors[executor_id]


def linked_function(text: str, folder: Path, location: str = "") -> Callable[..., Any]:
    """Return the condition or selection at a place such as `module:attribute#2.1`.

    Raise `DefinitionError` at `location` if the workflow cannot be loaded, or has no
    function at that place any more.
    """
    place = _PLACE.fullmatch(text)
    if place is None:
        raise DefinitionError(
            f"'{text}' is no place of a condition, such as module:workflow#0.", location
        )
    workflow = linked_workflow(place["reference"], folder, location)
    group = int(place["group"])
    case = None if place["case"] is None else int(place["case"])
    if group < len(workflow.edge_groups):
        functions = workflow.edge_groups[group].functions()
    else:
        functions = {}
    if case not in functions:
        raise DefinitionError(
            f"The workflow '{place['reference']}' has no condition at {text.rpartition('#')[2]} any more. "
            "Import it again, or write the condition in CEL.",
            location,
        )
    return functions[case]


def linked_reducer(reference: str, key: str, folder: Path) -> Callable[..., Any]:
    """Return the reducer of a key of the shared state in a workflow. Raise
    `DefinitionError` if there is none.
    """
    reducer = linked_workflow(reference, folder, "reducers").reducers.get(key)
    if reducer is None:
        raise DefinitionError(
            f"The workflow '{reference}' has no reducer of '{key}' any more. Import it again, or name a function.",
            "reducers",
        )
    return reducer


def _made(reference: str, folder: Path, location: str) -> _MadeWorkflow:
    maker = load(reference, folder, location)
    made = _MADE.get((reference, folder))
    if made is None or made.maker is not maker:
        made = _MADE[reference, folder] = _MadeWorkflow(
            maker, _workflow(maker, reference, location)
        )
    return made


def _workflow(maker: Any, reference: str, location: str) -> Workflow:
    try:
        workflow = maker
        if callable(maker) and not iscoroutinefunction(maker):
            workflow = maker()
        if isinstance(workflow, WorkflowBuilder):
            workflow = workflow.build()
    except (Exception, SystemExit) as error:
        raise DefinitionError(
            f"'{reference}' makes no workflow: it raised {in_words(error)}.", location
        ) from error
    if isinstance(workflow, Workflow):
        return workflow
    if iscoroutinefunction(maker):
        what = "an async function"
    else:
        what = f"of type {type(workflow).__name__}"
    raise DefinitionError(
        f"'{reference}' is no workflow, but {what}. Name a Workflow, a WorkflowBuilder, or a function without "
        "arguments that returns one.",
        location,
    )
