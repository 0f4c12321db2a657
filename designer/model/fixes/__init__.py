"""Quick fixes: for a problem of the drawing, the edits that would end it, each with
words for a button.

An entry of `_FIXES` makes those for one rule. An edit that cannot be done is not
offered: each is tried first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from designer.model import edits
from designer.model.design import Design
from designer.model.edits.inside import replaced_at
from designer.model.fixes import edges as edge_fixes
from designer.model.fixes import fields as field_fixes
from designer.model.fixes import files as file_fixes
from designer.model.fixes import nodes as node_fixes
from designer.model.fixes import ways as way_fixes
from designer.model.fixes.nodes import Offers
from designer.model.fixes.similar_names import near_names
from designer.model.inside import at
from runtime.document.definition import Infos
from runtime.document.problem import Problem


class Fix(NamedTuple):
    """`text` says what it does; `design` is the drawing with it done."""

    text: str
    design: Design


def fixes(
    design: Design, problem: Problem, infos: Infos, folder: Path | None = None
) -> list[Fix]:
    """Return what would end a problem, the best first.

    For a problem inside of a sub-workflow the fix is in the drawing inside; there is
    none for a sub-workflow in a file. With the folder of the document there are also
    fixes that look into it.
    """
    if problem.inside:
        return _inside(design, problem, infos, folder)
    done: list[Fix] = []
    for text, change in _offers(design, problem, infos, folder):
        try:
            done.append(Fix(text, change()))
        except edits.EditError:
            continue
    return [fix for fix in done if fix.design is not design]


def _offers(
    design: Design, problem: Problem, infos: Infos, folder: Path | None
) -> Offers:
    if problem.rule in _FIXES:
        yield from _FIXES[problem.rule](design, problem, infos)
    elif problem.rule in _BESIDE and folder is not None:
        yield from _BESIDE[problem.rule](design, problem, folder)


def _inside(
    design: Design, problem: Problem, infos: Infos, folder: Path | None
) -> list[Fix]:
    way = (problem.location, *problem.inside[:-1])
    changes = {
        "location": problem.inside[-1],
        "rule": problem.inside_rule,
        "part": problem.inside_part,
        "inside": (),
    }
    try:
        inner = at(design, way)
    except edits.EditError:
        return []
    inner_problem = problem.model_copy(update=changes)
    return [
        Fix(fix.text, replaced_at(design, way, fix.design))
        for fix in fixes(inner, inner_problem, infos, folder)
    ]


_FIXES: Mapping[str, Callable[[Design, Problem, Infos], Offers]] = {
    "field-known": field_fixes.unknown_field,
    "policy-has-effect": field_fixes.policy,
    "run": lambda design, problem, _infos: near_names(
        design, problem.location, problem.message
    ),
    "start-exists": node_fixes.start,
    "limit-suffices": node_fixes.limit,
    "ids-unique": node_fixes.doubles,
    "node-type-known": node_fixes.unknown_type,
    "params-valid": node_fixes.params,
    "secret-written-out": node_fixes.secret,
    "reducer-named": node_fixes.reducer,
    "sub-workflow": way_fixes.way,
    "reachable": node_fixes.unreachable,
    "start-on": node_fixes.disabled,
    "behind-disabled": node_fixes.disabled,
    "reaches-output": node_fixes.dead_end,
    "edge-ends-exist": edge_fixes.loose_end,
    "pairs-unique": edge_fixes.duplicate,
    "enough-ends": edge_fixes.too_few,
    "join-count": edge_fixes.of_kind,
    "condition-compiles": edge_fixes.of_kind,
    "types-fit": edge_fixes.types,
    "join-can-fill": edge_fixes.of_kind,
    "meeting-without-join": edge_fixes.meeting,
    "self-loop": edge_fixes.of_kind,
    "loop-has-exit": edge_fixes.endless,
}
# Those that look into the folder of the document.
_BESIDE: Mapping[str, Callable[[Design, Problem, Path], Offers]] = {
    "file-there": file_fixes.missing_file,
    "python-there": file_fixes.missing_python,
}
RULES_WITH_FIXES = (*_FIXES, *_BESIDE)
