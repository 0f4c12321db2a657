"""`bundle.json`: what a bundle is about."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from runtime.errors import SharedFileError
from runtime.system.bounded_files import MEGABYTE, from_json, read_bytes

BUNDLE_FORMAT = 1
MANIFEST = "bundle.json"
CHECKPOINTS = "checkpoints.stepwell-run"
PATCH = "patch.json"
README = "README.md"
_LARGEST = 16 * MEGABYTE


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Expected(_Model):
    """What should be, and what was there: each a line, such as `state["n"] == 12`."""

    expected: str
    actual: str


class BundleManifest(_Model):
    """What a bundle is about.

    number       of the checkpoint in its run, from 1, as the timeline shows it
    source       where the expectation comes from, in words
    document     the file of the workflow; empty for one built in Python
    app          for that: `module:name` of what makes it; empty if nobody said
    code         files of code that are in the bundle, by their paths in it
    code_needed  files of code that the workflow names and that are not in it
    variables    of the environment, which stand for secrets that were written in the workflow
    versions     of Python, Stepwell and the packages that the workflow names
    """

    format: Literal[1] = 1
    made_by: str
    workflow: str
    run: str
    checkpoint: str
    number: int
    superstep: int
    branch: str
    expected: tuple[Expected, ...]
    source: str
    test: str
    document: str = ""
    app: str = ""
    has_patch: bool = False
    code: tuple[str, ...] = ()
    code_needed: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    covered: tuple[str, ...] = ()
    versions: dict[str, str] = {}


def read_manifest(folder: Path) -> BundleManifest:
    """Return the manifest of the bundle in a folder. Raise `SharedFileError` if there is
    none, or one of a newer format.
    """
    try:
        value: Any = from_json(read_bytes(folder / MANIFEST, _LARGEST))
    except (OSError, ValueError) as error:
        raise SharedFileError(f"{folder} is no bug bundle: {error}.") from error
    number = value.get("format") if isinstance(value, dict) else None
    if isinstance(number, int) and number > BUNDLE_FORMAT:
        raise SharedFileError(
            f"The bug bundle in {folder} has format {number}, and this program knows formats up to {BUNDLE_FORMAT}. "
            "Open it with a newer version of Stepwell."
        )
    try:
        return BundleManifest.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise SharedFileError(
            f"The bug bundle in {folder} is damaged: {MANIFEST}, {place}: {first['msg']}."
        ) from error
