"""The patch that a checkpoint keeps, as text and as JSON. What is called like a secret is
masked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runtime.checkpoint import Checkpoint

_VALUES = ("value", "was")


def patch_json(patch: Mapping[str, Any]) -> Any:
    """Return a patch as JSON, as far as it may be shown."""
    from runtime.debug.values.display import plain

    changes = [_masked(change) for change in patch.get("changes", ())]
    return plain({**patch, "changes": changes})


def _masked(change: Mapping[str, Any]) -> dict[str, Any]:
    from runtime.debug.values.shapes import MASKED
    from runtime.document.secret_names import is_secret

    names = [change.get("key", ""), *change.get("path", ())]
    if not any(isinstance(name, str) and is_secret(name) for name in names):
        return dict(change)
    return {
        name: MASKED if name in _VALUES else value for name, value in change.items()
    }


def print_kept_patch(checkpoint: Checkpoint, *, as_json: bool) -> None:
    """Print the patch that made a checkpoint, or that none did."""
    from runtime.cli import report
    from runtime.cli.forecast import print_list
    from runtime.patches.patch import patch_from
    from runtime.patches.words import change_words

    if checkpoint.patch is None:
        if as_json:
            report.print_json(None)
        else:
            report.print_fine("No patch made this checkpoint.")
        return
    shown = patch_json(checkpoint.patch)
    if as_json:
        report.print_json(shown)
        return
    patch = patch_from(shown)
    lines = [f"{change.id}  {change_words(change)}" for change in patch.changes]
    if patch.note:
        lines.append(f"note: {patch.note}")
    print_list("patch", lines)
