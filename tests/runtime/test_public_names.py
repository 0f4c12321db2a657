"""The package: every public name is there, and importing it loads nothing heavy."""

from __future__ import annotations

import pydoc
import subprocess
import sys

import pytest

import runtime

HEAVY = ("PySide6", "networkx", "pydantic", "jsonschema", "sqlite3", "asyncio")


def test_every_public_name_is_there() -> None:
    assert [name for name in runtime.__all__ if not hasattr(runtime, name)] == []


def test_help_shows_no_addresses() -> None:
    helps = {name: pydoc.render_doc(getattr(runtime, name)) for name in runtime.__all__}
    assert [name for name, text in helps.items() if " at 0x" in text] == []


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nobody"):
        _ = runtime.nobody


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = (
        f"import sys, runtime; print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_building_and_running_a_workflow_loads_no_store_and_no_form_library() -> None:
    code = """
import asyncio, sys
from runtime import WorkflowBuilder, executor, WorkflowContext

@executor
async def double(n: int, ctx: WorkflowContext[int, int]) -> None:
    await ctx.yield_output(2 * n)

assert asyncio.run(WorkflowBuilder(start_executor=double).build().run(1)).get_outputs() == [2]
print([name for name in ("PySide6", "networkx", "pydantic", "jsonschema", "sqlite3") if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
