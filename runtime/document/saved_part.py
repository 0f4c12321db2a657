"""What a checkpoint would keep of a document, read without building anything."""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import Any

from runtime.document.definition import WorkflowDefinition
from runtime.document.sub_workflows import (
    SUB_WORKFLOW,
    Chain,
    child_of,
    is_file_child,
)
from runtime.errors import DefinitionError
from runtime.migration.outline_reader import file_key


def saved_part(workflow: WorkflowDefinition, folder: Path) -> dict[str, Any]:
    """Return a document with the files of its sub-workflows. A file that cannot be read
    is left out.
    """
    files: dict[str, Any] = {}
    _add_files(workflow, folder, "", (), files)
    part: dict[str, Any] = {
        "workflow": workflow.model_dump(mode="json"),
        "folder": str(folder),
    }
    return {**part, "files": files} if files else part


def _add_files(
    workflow: WorkflowDefinition,
    folder: Path,
    key_folder: str,
    chain: Chain,
    files: dict[str, Any],
) -> None:
    for node in workflow.nodes:
        if node.type != SUB_WORKFLOW:
            continue
        try:
            child = child_of(node, folder, chain)
        except DefinitionError:
            continue
        inner_key_folder = key_folder
        if is_file_child(node):
            key = file_key(key_folder, str(node.params["file"]))
            inner_key_folder = posixpath.dirname(key)
            if key in files:
                continue
            files[key] = child.workflow.model_dump(mode="json")
        _add_files(child.workflow, child.folder, inner_key_folder, child.chain, files)
