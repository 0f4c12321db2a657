"""Runs one program with one framework: `python child.py PROGRAM FRAMEWORK` prints its
facts as JSON.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[2]
_IMPORT = re.compile(r"^from agent_framework import", re.MULTILINE)


def load(program: Path, framework: str) -> ModuleType:
    """The program as a module that imports from the framework. Its import lines are
    changed, and nothing else.
    """
    source = _IMPORT.sub(
        f"from {framework} import", program.read_text(encoding="utf-8")
    )
    module = ModuleType(f"compatibility_{program.stem}")
    module.__file__ = str(program)
    # data classes, string annotations and decoders look it up
    sys.modules[module.__name__] = module
    exec(compile(source, str(program), "exec"), module.__dict__)  # noqa: S102 - a program of ours
    return module


def facts_of(program: Path, framework: str) -> dict[str, Any]:
    """What the program's `main` returns, as JSON gives it back. An error that it lets
    through is its only fact.
    """
    from tests.compatibility.facts import plain

    try:
        module = load(program, framework)
        facts = asyncio.run(module.main())
    except Exception as error:  # noqa: BLE001 - it is what the program came to
        facts = {"raised": f"{type(error).__name__}: {error}"}
    finally:
        sys.modules.pop(f"compatibility_{program.stem}", None)
    made: dict[str, Any] = json.loads(json.dumps(plain(facts)))
    return made


if __name__ == "__main__":
    sys.path[0] = str(ROOT)  # and not this folder, whose modules are no top-level ones
    sys.stdout.write(json.dumps(facts_of(Path(sys.argv[1]), sys.argv[2])))
