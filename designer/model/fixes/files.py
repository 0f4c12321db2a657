"""Quick fixes for what a node names and is not there: what is there by a name much like it. Nothing is imported."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice
from pathlib import Path, PurePosixPath

from designer.model import edits
from designer.model.completion.references import references_in
from designer.model.design import Design
from designer.model.fixes.nodes import Offers
from runtime.document.definition import NodeDefinition
from runtime.document.problem import Problem

# how many are offered; how much like the name they are, of 1
_MOST = 3
_LIKE = 0.6
_FILES = 500  # that are looked at


def missing_file(design: Design, problem: Problem, folder: Path) -> Offers:
    """Another file in the folder that is named."""
    node = design.workflow.node(problem.location)
    name = problem.part.removeprefix("params.")
    named = node.params.get(name) if node is not None else None
    if node is not None and isinstance(named, str):
        path = PurePosixPath(named)
        near = _near(path.name, _files_in(folder / path.parent))
        yield from _named_instead(
            design, node, name, [str(path.with_name(one)) for one in near]
        )


def missing_python(design: Design, problem: Problem, folder: Path) -> Offers:
    """Another function or class in the modules of the folder: first those of that very name."""
    node = design.workflow.node(problem.location)
    name = problem.part.removeprefix("params.")
    named = node.params.get(name) if node is not None else None
    if problem.part.startswith("reducers."):
        yield from _other_reducers(
            design, problem.part.removeprefix("reducers."), folder
        )
    if node is None or not isinstance(named, str):
        return  # a condition: its text may say more than the name
    yield from _named_instead(design, node, name, _like(named, folder))


def _other_reducers(design: Design, key: str, folder: Path) -> Offers:
    reducers = design.workflow.reducers
    for other in _like(reducers.get(key, ""), folder):
        changed = {**reducers, key: other}
        yield (
            f"Use {other}",
            lambda changed=changed: edits.set_workflow(design, reducers=changed),  # type: ignore[misc]
        )


def _like(named: str, folder: Path) -> list[str]:
    """Functions and classes of the folder: first those of the same name in other modules."""
    there = [one.text for one in references_in(folder)]
    same = [one for one in there if one.partition(":")[2] == named.partition(":")[2]]
    return list(dict.fromkeys([*same, *_near(named, there)]))[:_MOST]


def _named_instead(
    design: Design, node: NodeDefinition, name: str, others: Iterable[str]
) -> Offers:
    for other in others:
        params = {**node.params, name: other}
        yield (
            f"Use {other}",
            lambda params=params: edits.set_params(design, node.id, params),  # type: ignore[misc]
        )


def _near(name: str, others: Iterable[str]) -> list[str]:
    """The best first; large and small letters count for little, as on many file systems."""
    by_folded = {other.casefold(): other for other in others}
    return [
        by_folded[one]
        for one in get_close_matches(name.casefold(), by_folded, n=_MOST, cutoff=_LIKE)
    ]


def _files_in(folder: Path) -> list[str]:
    try:
        return [one.name for one in islice(folder.iterdir(), _FILES) if one.is_file()]
    except OSError:  # there is no such folder, or nobody may look into it
        return []
