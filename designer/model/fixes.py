"""Quick fixes: for a problem of the drawing, the edits that would end it, each with words for a button.

An entry of `_FIXES` makes those for one rule. An edit that cannot be done is not offered: each is tried first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from designer.model import edge_fixes, edits, node_fixes
from designer.model.design import Design
from designer.model.node_fixes import Offers
from runtime.debug.protocol import Problem
from runtime.definition import Infos


class Fix(NamedTuple):
    """`text` says what it does; `design` is the drawing with it done."""

    text: str
    design: Design


def fixes(design: Design, problem: Problem, infos: Infos) -> list[Fix]:
    """What would end a problem, the best first. None for a problem inside of a sub-workflow: it is another drawing."""
    offers = _FIXES.get(problem.rule)
    if offers is None or problem.inside:
        return []
    found = []
    for text, change in offers(design, problem, infos):
        try:
            found.append(Fix(text, change()))
        except edits.EditError:
            continue
    return [fix for fix in found if fix.design is not design]


_FIXES: Mapping[str, Callable[[Design, Problem, Infos], Offers]] = {
    "start-exists": node_fixes.start,
    "limit-suffices": node_fixes.limit,
    "ids-unique": node_fixes.doubles,
    "node-type-known": node_fixes.unknown_type,
    "params-valid": node_fixes.params,
    "secret-written-out": node_fixes.secret,
    "reachable": node_fixes.unreachable,
    "start-on": node_fixes.disabled,
    "behind-disabled": node_fixes.disabled,
    "reaches-output": node_fixes.dead_end,
    "edge-ends-exist": edge_fixes.loose_end,
    "pairs-unique": edge_fixes.duplicate,
    "enough-ends": edge_fixes.too_few,
    "join-count": edge_fixes.join_count,
    "condition-compiles": edge_fixes.condition,
    "types-fit": edge_fixes.types,
    "join-can-fill": edge_fixes.unfillable,
    "meeting-without-join": edge_fixes.meeting,
    "self-loop": edge_fixes.self_loop,
    "loop-has-exit": edge_fixes.endless,
}
