"""Every edit of a drawing: pure functions `Design -> Design`, which the window wraps
into undo steps.

An edit is total: it returns a consistent design, or raises `EditError` with a sentence
for the person who draws, and then nothing has changed. Edits that make something return
the new design and the id of what they made. A new edit is one more function in one of
these modules.
"""

from designer.model.edge_kinds import Side, Way
from designer.model.edge_kinds.switch import new_case
from designer.model.edits.clipboard import copy, paste
from designer.model.edits.dots import set_dots, without_dots
from designer.model.edits.edges import (
    add_to_join,
    condition_part,
    conditions_of,
    connect,
    connect_case,
    connect_fan_out,
    connect_join,
    connect_on_error,
    connect_switch,
    convert,
    replace_edge,
    set_condition,
    set_edge,
)
from designer.model.edits.nodes import (
    UNCHANGED,
    add_node,
    move,
    remove,
    rename,
    set_failure_policy,
    set_icon,
    set_id,
    set_off,
    set_outputs,
    set_params,
    set_start,
    set_workflow,
    toggle_off,
)
from designer.model.edits.rewire import (
    add_way,
    cut,
    disconnect,
    fan_out_to,
    join_into,
    lead,
    push_aside,
    remove_healed,
    splice,
)
from designer.model.errors import EditError

__all__ = [
    "UNCHANGED",
    "EditError",
    "Side",
    "Way",
    "add_node",
    "add_to_join",
    "add_way",
    "condition_part",
    "conditions_of",
    "connect",
    "connect_case",
    "connect_fan_out",
    "connect_join",
    "connect_on_error",
    "connect_switch",
    "convert",
    "copy",
    "cut",
    "disconnect",
    "fan_out_to",
    "join_into",
    "lead",
    "move",
    "new_case",
    "paste",
    "push_aside",
    "remove",
    "remove_healed",
    "rename",
    "replace_edge",
    "set_condition",
    "set_dots",
    "set_edge",
    "set_failure_policy",
    "set_icon",
    "set_id",
    "set_off",
    "set_outputs",
    "set_params",
    "set_start",
    "set_workflow",
    "splice",
    "toggle_off",
    "without_dots",
]
