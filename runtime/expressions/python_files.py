"""Find the source file of a module that a document names, without importing anything."""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from pathlib import Path


def source_of(module: str, folder: Path) -> tuple[Path | None, bool]:
    """The source of a module, where it has one, and whether there is such a module.
    Looks where a run looks, and imports no package on the way, as
    `importlib.util.find_spec` would.
    """
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names or top in sys.builtin_module_names:
        return None, True
    where: list[str] = [str(folder), *sys.path]
    source: Path | None = None
    for depth, name in enumerate(module.split(".")):
        # By its last name alone: with the whole one, Python wants the package above to
        # be imported.
        spec = PathFinder.find_spec(name, where)
        if spec is None:
            # An editable installation may be found by a finder of its own, which is
            # code of others.
            return None, depth == 0 and top in sys.modules
        if spec.origin and spec.origin.endswith(".py"):
            source = Path(spec.origin)
        else:
            source = None
        where = list(spec.submodule_search_locations or ())
    return source, True
