"""A program that runs as if lines had been added to modules: what a developer would
write, without writing it.

run_changed({"runtime.checkpoint": [(AFTER, LINES)]}, "tests.some.program", *arguments)

The program runs in a process of its own, because modules derive much from a declaration
as they are imported.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import runpy
import subprocess
import sys
from collections.abc import Mapping, Sequence
from types import CodeType
from typing import Any

# The text after which to insert, and what to insert.
Insertions = Sequence[tuple[str, str]]


def run_changed(
    changes: Mapping[str, Insertions], program: str, *arguments: str
) -> None:
    """Run a module of the tests with the changes, and fail with what it printed if it
    fails.
    """
    finished = subprocess.run(
        [sys.executable, "-m", __name__, json.dumps(changes), program, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr


class _ChangedLoader(importlib.machinery.SourceFileLoader):
    insertions: Insertions = ()

    def get_code(self, fullname: str) -> CodeType:
        source = self.get_data(self.path).decode()
        for after, lines in self.insertions:
            assert source.count(after) == 1, f"{after!r} is not once in {self.path}"
            source = source.replace(after, after + lines)
        return compile(source, self.path, "exec", dont_inherit=True)


class _ChangedFinder(importlib.machinery.PathFinder):
    changes: Mapping[str, Insertions] = {}

    @classmethod
    def find_spec(cls, fullname: str, path: Any = None, target: Any = None) -> Any:
        if fullname not in cls.changes:
            return None
        spec = super().find_spec(fullname, path, target)
        loader = _ChangedLoader(fullname, spec.origin)
        loader.insertions = cls.changes[fullname]
        return importlib.util.spec_from_file_location(
            fullname, spec.origin, loader=loader
        )


def main() -> None:
    _ChangedFinder.changes = json.loads(sys.argv[1])
    sys.meta_path.insert(0, _ChangedFinder)
    sys.argv = sys.argv[2:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
