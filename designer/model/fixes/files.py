"""Quick fixes for files and Python that a node names and that do not exist: those with
a similar name.

Nothing is imported.
"""

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

_MOST = 3  # offers
_LIKENESS = 0.6  # of a name to be offered, of 1
_FILES = 500  # that are looked at


def missing_file(design: Design, problem: Problem, folder: Path) -> Offers:
    """Offer other files in the folder that is named."""
    node = design.workflow.node(problem.location)
    name = problem.part.removeprefix("params.")
    named = node.params.get(name) if node is not None else None
    if node is not None and isinstance(named, str):
        path = PurePosixPath(named)
        near = _near(path.name, _files_in(folder / path.parent))
        others = [str(path.with_name(file_name)) for file_name in near]
        yield from _named_instead(design, node, name, others)


def missing_python(design: Design, problem: Problem, folder: Path) -> Offers:
    """Offer other functions and classes in the modules of the folder: first those of
    the same name.
    """
    node = design.workflow.node(problem.location)
    name = problem.part.removeprefix("params.")
    named = node.params.get(name) if node is not None else None
    if problem.part.startswith("reducers."):
        yield from _other_reducers(
            design, problem.part.removeprefix("reducers."), folder
        )
    if node is None or not isinstance(named, str):
        # A condition: its text may say more than the name.
        return
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
    """Return functions and classes of the folder: first those of the same name in other
    modules.
    """
    references = [reference.text for reference in references_in(folder)]
    name = named.partition(":")[2]
    same = [text for text in references if text.partition(":")[2] == name]
    return list(dict.fromkeys([*same, *_near(named, references)]))[:_MOST]


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
    """Return similar names, the best first. Upper and lower case are the same, as on
    many file systems.
    """
    by_folded = {other.casefold(): other for other in others}
    matches = get_close_matches(name.casefold(), by_folded, n=_MOST, cutoff=_LIKENESS)
    return [by_folded[match] for match in matches]


def _files_in(folder: Path) -> list[str]:
    try:
        paths = list(islice(folder.iterdir(), _FILES))
        return [path.name for path in paths if path.is_file()]
    except OSError:
        # There is no such folder, or it may not be read.
        return []
