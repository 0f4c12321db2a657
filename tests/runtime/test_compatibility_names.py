"""Every workflow name of agent-framework 1.23 is here, with its parameters and members,
or stands in a list.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import runtime
from runtime.edges import (
    FanInEdgeGroup,
    FanOutEdgeGroup,
    SingleEdgeGroup,
    SwitchCaseEdgeGroup,
    SwitchCaseEdgeGroupCase,
    SwitchCaseEdgeGroupDefault,
)
from tests.runtime.agent_framework_names import NAMES, described

THEIRS: dict[str, Any] = json.loads(
    Path(__file__).with_name("agent_framework_names.json").read_text()
)

VALUES = {  # what has attributes of its own only once it is made
    "FanInEdgeGroup": FanInEdgeGroup(["a", "b"], "c"),
    "FanOutEdgeGroup": FanOutEdgeGroup("a", ["b", "c"]),
    "SingleEdgeGroup": SingleEdgeGroup("a", "b"),
    "SwitchCaseEdgeGroup": SwitchCaseEdgeGroup(
        "a", [SwitchCaseEdgeGroupCase(bool, "b"), SwitchCaseEdgeGroupDefault("c")]
    ),
}
_CODE = "code does not come back from data"
_KINDS = "a kind of edges is registered in EDGE_KINDS"
_SWITCH = "a switch has cases and no selection function"
_HOOKS = "hooks, gates and other forms of a stream are for the answers of agents"
_RUNNER = "its deprecated export; ours is another class: it steps, restores and forks"
_PROTOCOL = (
    "the protocol asks only for what executors use; InProcRunnerContext has the rest"
)
_STREAM_PARTS = (
    *(
        "(stream)",
        "(finalizer)",
        "(transform_hooks)",
        "(cleanup_hooks)",
        "(result_hooks)",
        "(update_gates)",
    ),
    *(
        "(result_gates)",
        "(update_transforms)",
        "(result_transforms)",
        "(stream_updates)",
        "(result_to_updates)",
    ),
    *(
        ".buffer_updates",
        ".buffered_and_gated",
        ".flat_map",
        ".from_awaitable",
        ".map",
        ".with_cleanup_hook",
    ),
    *(
        ".with_consumption_context_manager",
        ".with_finalizer",
        ".with_pull_context_manager",
        ".with_result_gate",
    ),
    *(
        ".with_result_hook",
        ".with_result_transform",
        ".with_transform_hook",
        ".with_update_gate",
    ),
    ".with_update_transform",
)
_RUNNER_PARTS = (
    *(
        "(edge_groups)",
        "(executors)",
        "(state)",
        "(ctx)",
        "(workflow_name)",
        "(graph_signature_hash)",
    ),
    *(
        "(max_iterations)",
        ".build_checkpoint",
        ".context",
        ".create_checkpoint_if_enabled",
        ".reset_iteration_count",
    ),
    *(".restore_checkpoint", ".restore_from_checkpoint", ".run_until_convergence"),
)
_CONTEXT_PARTS = (
    *(
        ".apply_checkpoint",
        ".build_checkpoint",
        ".cancel_request_info_events",
        ".clear_runtime_checkpoint_storage",
    ),
    *(
        ".clear_runtime_tools",
        ".create_checkpoint",
        ".drain_events",
        ".drain_messages",
        ".has_checkpointing",
    ),
    *(
        ".get_pending_request_info_events",
        ".has_events",
        ".has_messages",
        ".load_checkpoint",
        ".next_event",
    ),
    *(
        ".reset_for_new_run",
        ".send_request_info_response",
        ".set_runtime_checkpoint_storage",
        ".set_runtime_tools",
    ),
    *(".set_streaming", ".set_yield_output_classifier"),
)
_GROUPS = (
    "FanInEdgeGroup",
    "FanOutEdgeGroup",
    "SingleEdgeGroup",
    "SwitchCaseEdgeGroup",
)
# A name with one of its members or parameters -> why it is not here. The guide says the
# same (agent-framework.md).
LEFT_OUT: dict[str, str] = {
    **{
        f"{name}.{one}": _CODE
        for name in ("Executor", "FunctionExecutor", "Workflow", "WorkflowExecutor")
        for one in ("clone", "from_dict", "from_json")
    },
    **{
        f"{name}.{one}": _KINDS
        for name in _GROUPS
        for one in ("builtin_type", "register")
    },
    **{
        f"SwitchCaseEdgeGroup.{one}": _SWITCH
        for one in ("selection_func", "selection_func_name")
    },
    **{f"ResponseStream{one}": _HOOKS for one in _STREAM_PARTS},
    **{f"Runner{one}": _RUNNER for one in _RUNNER_PARTS},
    **{f"RunnerContext{one}": _PROTOCOL for one in _CONTEXT_PARTS},
    **{
        f"WorkflowExecutor.{one}": "a sub-workflow is run by the engine, not by handlers"
        for one in (
            *(
                "handle_message_wrapped_request_response",
                "handle_propagated_request_response",
                "process_workflow",
            ),
        )
    },
    **{
        f"WorkflowConvergenceException({one})": "only the engine raises it: it carries the limit and who waits"
        for one in ("message", "inner_exception", "log_level")
    },
    "Workflow.as_agent": "needs agents",
}


def gaps(name: str) -> Iterator[str]:
    """What of a name is there and not here: itself, or `name.member`, or
    `name(parameter)`.
    """
    if not hasattr(runtime, name):
        yield name
        return
    value = getattr(runtime, name)
    # a function and a module of one name
    value = value.executor if inspect.ismodule(value) else value
    theirs = THEIRS[name]
    ours = described(value)
    yield from _call_gaps(name, theirs.get("call"), ours.get("call"))
    for member, shape in theirs.get("members", {}).items():
        found = ours.get("members", {}).get(member)
        if found is None and not hasattr(VALUES.get(name, value), member):
            yield f"{name}.{member}"
        elif isinstance(shape, list):
            yield from _call_gaps(f"{name}.{member}", shape, found)
    for key in ("values", "literal", "value"):
        wanted = theirs.get(key, ())
        here = ours.get(key, ())
        if isinstance(wanted, dict):
            yield from (
                f"{name}.{one}"
                for one, shape in wanted.items()
                if here.get(one) != shape
            )
        elif isinstance(wanted, list):
            yield from (f"{name}.{one}" for one in wanted if one not in here)
        elif wanted != here and key in ours:
            yield f"{name} is {here!r}"


def _call_gaps(
    name: str, theirs: list[list[str]] | None, ours: list[list[str]] | None
) -> Iterator[str]:
    """Parameters with which a call that works there would not work here."""
    here = {one[0]: (place, one) for place, one in enumerate(ours or ())}
    takes_any = {one[1] for one in ours or ()}
    for place, (parameter, kind, default) in enumerate(theirs or ()):
        if kind in ("VAR_POSITIONAL", "VAR_KEYWORD"):
            continue
        found = here.get(parameter)
        if found is None:
            if kind == "KEYWORD_ONLY" and "VAR_KEYWORD" in takes_any:
                continue
            yield f"{name}({parameter})"
        elif kind == "POSITIONAL_OR_KEYWORD" and (
            found[0] != place or found[1][1] != kind
        ):
            yield f"{name}({parameter}) has another place"
        elif default not in ("", "...") and found[1][2] != default:
            yield f"{name}({parameter}={found[1][2]})"
        elif default and not found[1][2]:
            yield f"{name}({parameter}) has no default"


@pytest.mark.parametrize(
    "name", [one for one in NAMES if one != "WorkflowViz" or hasattr(runtime, one)]
)
def test_a_name_of_agent_framework_is_here_with_all_that_belongs_to_it(
    name: str,
) -> None:
    assert set(gaps(name)) == {
        one
        for one in LEFT_OUT
        if one == name or one.startswith((f"{name}.", f"{name}("))
    }
