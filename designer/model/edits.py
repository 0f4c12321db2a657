"""Every edit of a drawing: pure functions `Design -> Design`, which the window wraps into undo steps.

An edit is total: it returns a consistent design, or raises `EditError` with a sentence for the person who draws, and
then nothing has changed. Edits that make something return the new design and the id of what they made. A new edit is
one more function in one of these modules.
"""

from designer.model.clipboard import copy, paste
from designer.model.dots import set_dots, without_dots
from designer.model.edge_edits import (
    ConvertKind,
    add_to_join,
    conditions_of,
    connect,
    connect_case,
    connect_fan_out,
    connect_join,
    connect_switch,
    convert,
    new_case,
    replace_edge,
    set_condition,
    set_edge,
)
from designer.model.errors import EditError
from designer.model.node_edits import (
    UNCHANGED,
    add_node,
    move,
    remove,
    rename,
    set_icon,
    set_id,
    set_off,
    set_outputs,
    set_params,
    set_start,
    set_workflow,
    toggle_off,
)
from designer.model.rewiring import (
    Side,
    Way,
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

__all__ = [
    "UNCHANGED",
    "ConvertKind",
    "EditError",
    "Side",
    "Way",
    "add_node",
    "add_to_join",
    "add_way",
    "conditions_of",
    "connect",
    "connect_case",
    "connect_fan_out",
    "connect_join",
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
