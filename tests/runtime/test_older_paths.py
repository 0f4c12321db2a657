"""Import paths that programs of before use: exported programs, and what the guide
documents.
"""

from __future__ import annotations

import runpy
import shutil
from importlib import import_module
from pathlib import Path

import pytest

import resources
from runtime import Workflow, executor
from runtime.document.files import read_file
from runtime.loader.build import build
from runtime.nodes import catalogue

EXPORTED = Path(__file__).with_name("exported_before")
EXAMPLES = Path(resources.__file__).parent / "examples"
DOCUMENTED = {
    "runtime": ("Executor", "Runner", "Workflow", "WorkflowBuilder", "WorkflowViz"),
    "runtime.checkpoint": ("PINNED", "Checkpoint", "CheckpointHeader"),
    "runtime.codec": ("TypeRegistry",),
    "runtime.debug": (),
    "runtime.edges": ("SwitchCaseEdgeGroup", "Case", "Default"),
    "runtime.errors": ("WorkflowException",),
    "runtime.events": ("RunEvent", "WorkflowEvent"),
    "runtime.nodes": ("node_type",),
    "runtime.nodes.base": ("DATA", "NodeParams", "NodeType"),
    "runtime.stores": ("open_store", "prune"),
    "runtime.testing.conformance": ("StoreConformance",),
}


@pytest.mark.parametrize("name", sorted(path.stem for path in EXPORTED.glob("*.py")))
def test_a_program_that_was_exported_before_builds_the_same_workflow(
    name: str, tmp_path: Path
) -> None:
    folder = tmp_path / name
    shutil.copytree(EXAMPLES / name, folder)
    program = folder / "exported.py"
    shutil.copy(EXPORTED / f"{name}.py", program)
    workflow = runpy.run_path(str(program), run_name="exported")["workflow"]
    document = read_file(folder / f"{name}.stepwell.json").workflow
    assert isinstance(workflow, Workflow)
    assert (
        workflow.signature() == build(document, catalogue(folder), folder).signature()
    )


@pytest.mark.parametrize("module", DOCUMENTED)
def test_a_documented_path_stays(module: str) -> None:
    found = import_module(module)
    assert all(hasattr(found, name) for name in DOCUMENTED[module])


def test_executor_is_the_decorator() -> None:
    assert callable(executor)
    assert executor.__module__ == "runtime.executors.executor"
