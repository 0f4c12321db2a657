"""Imports the library that compiles CEL, without its command line.

    from runtime.expressions.cel_library import cel

Its package imports that too, with prompt_toolkit, rich and typer under it: 130 of 210
milliseconds, in every process that checks or runs a workflow with a condition.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

_COMMAND_LINE = "cel.cli"


def _import_without_command_line() -> None:
    sys.modules[_COMMAND_LINE] = ModuleType(_COMMAND_LINE)
    try:
        vars(import_module("cel")).pop("cli", None)
    except ImportError:
        # a version that needs its command line: it is imported whole below
        pass
    finally:
        # who wants the command line imports the real one
        del sys.modules[_COMMAND_LINE]


if "cel" not in sys.modules:
    _import_without_command_line()

import cel  # noqa: E402 - it must not import its command line first

__all__ = ["cel"]
