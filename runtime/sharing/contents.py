"""What a shared file would hold, in words, before it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from runtime.checkpoint import CheckpointStore
from runtime.checkpoints.archive import Archive
from runtime.document.secret_texts import secret_texts, secret_variables
from runtime.errors import WorkflowCheckpointException
from runtime.sharing.selection import Selection
from runtime.values.secret_forms import written_forms

HOLDS = (
    "The workflow as it ran, and of each checkpoint its values, messages, questions, tags and note.",
    "No code: the files that the workflow names are not in it.",
)


async def definitions(
    store: CheckpointStore, selection: Selection
) -> list[Mapping[str, Any]]:
    """Return the workflows with which the selected runs went on last."""
    newest = {row.run_id: row.id for row in selection.rows}
    archive = Archive(store)
    documents = []
    for checkpoint_id in newest.values():
        try:
            definition = (await archive.view(checkpoint_id)).definition
        except WorkflowCheckpointException:
            continue  # it is left out, and named, when the file is written
        if definition is not None:
            documents.append(definition)
    return documents


def forbidden_texts(documents: Sequence[Mapping[str, Any]]) -> list[bytes]:
    """Return what a shared file must not hold: the values of secrets that are set
    here, in each form in which a file may have them.
    """
    values = secret_texts(documents).values()
    return sorted({form for value in values for form in written_forms(value)})


def secret_words(documents: Sequence[Mapping[str, Any]]) -> str:
    """Return a sentence on the secrets of the workflows."""
    names = sorted({name for item in documents for name in secret_variables(item)})
    if not names:
        return "The workflow uses no secrets of the environment."
    return (
        f"No values of secrets: it names {', '.join(names)}, and who imports it sets their own. "
        "Nothing is written if a value that is set here is found in it."
    )
