"""Read and write `*.stepwell.json` files.

A file is written whole or not at all, has the same bytes for the same value, and keeps
what this version does not know.
"""

from __future__ import annotations

import copy
import errno
import glob
import json
import math
import os
import re
import secrets
import stat
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import ValidationError

from runtime.document.definition import FILE_FORMAT, WorkflowFile
from runtime.edges.definition import EdgeDefinition
from runtime.edges.registry import EDGE_KINDS
from runtime.errors import DefinitionError
from runtime.system.bounded_files import MEGABYTE, TooDeepError, from_json, read_bytes
from runtime.system.user_folders import is_read_only

LONGEST_WORD = 60  # characters of a text that was perhaps meant as one word
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
LARGEST_DOCUMENT = 64 * MEGABYTE  # a hundred times the largest that people have drawn
# Seconds after which a partial file is from a process that was killed.
LEFTOVER_AGE = 3600


def read_file(path: Path | str) -> WorkflowFile:
    """Return the document in a file. Runs and imports nothing that it names.

    Raise `OSError` if it cannot be read, and its subclass `UnfitFileError` if it is too
    large or never ends. Raise `DefinitionError` if it is no document: broken JSON (with
    line and column), brackets nested too deeply, a newer format, or fields that do not
    fit (with the path of each).
    """
    return parse(read_bytes(path, LARGEST_DOCUMENT))


def write_file(path: Path | str, file: WorkflowFile) -> bytes:
    """Write a document, and return what was written. After a crash at any moment the
    file has the whole old or the whole new content.

    Links are followed, and an existing file keeps its permissions. Raise `OSError`, or
    `DefinitionError` for a value that JSON does not have; the old file then stays as it
    is.
    """
    content = serialise(file)
    write_bytes(path, content)
    sweep(real_path(path))
    return content


def write_bytes(path: Path | str, content: bytes) -> None:
    """Replace a file: after a crash at any moment it has the old content or the new.

    Raise `OSError`, also for a file that is marked read-only: it could be replaced,
    because that needs the right to write the folder only, but the mark says not to.
    """
    with replacing(path) as stream:
        stream.write(content)


@contextmanager
def replacing(path: Path | str) -> Iterator[BinaryIO]:
    """Give a stream for the new content of a file, which is there once the block ends.
    After an error in the block the file is as it was. Raise as `write_bytes` does.
    """
    target = real_path(path)
    if is_read_only(target):
        raise PermissionError(
            errno.EACCES,
            "The file is read-only: allow writing, or save elsewhere",
            str(path),
        )
    if target.exists() and not (target.is_file() or target.is_dir()):
        # Replacing it would remove it, and /dev/null is needed by all programs.
        raise OSError(
            errno.EINVAL,
            "It is a pipe or a device, and no file: choose another place",
            str(path),
        )
    partial = target.with_name(f".{target.name[:40]}.{secrets.token_hex(6)}.tmp")
    try:
        with _opened_new(partial, target) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            partial.chmod(stat.S_IMODE(target.stat().st_mode))
        partial.replace(target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _opened_new(partial: Path, target: Path) -> BinaryIO:
    try:
        return partial.open("xb")
    except OSError as error:
        # The user knows the file that is to be written, and not the partial one.
        raise OSError(error.errno, error.strerror, str(target)) from error


def real_path(path: Path | str) -> Path:
    """Return where links lead, also if there is no file yet. Raise `OSError` for links
    that lead in a circle.
    """
    try:
        return Path(path).resolve()
    except RuntimeError as error:  # raised by Python for a circle of links
        raise OSError(
            errno.ELOOP, "The links lead in a circle: remove one of them", str(path)
        ) from error


def sweep(target: Path) -> None:
    """Remove the partial files that killed processes have left beside this file."""
    for partial in target.parent.glob(f".{glob.escape(target.name[:40])}.*.tmp"):
        try:
            if partial.stat().st_mtime < time.time() - LEFTOVER_AGE:
                partial.unlink()
        except OSError:
            continue  # it belongs to another user, or is already gone


def parse(content: bytes | str) -> WorkflowFile:
    """Return the document of a text. Edges without an id get one that depends only on
    their ends.
    """
    return _document(_load(content))


def from_value(value: Any) -> WorkflowFile:
    """Return the document of a JSON value, such as one inside another document. The
    value is not changed. Raise as `parse`.
    """
    return _document(copy.deepcopy(value))


def _document(raw: Any) -> WorkflowFile:
    if not isinstance(raw, dict):
        raise DefinitionError(
            "A workflow file holds one JSON object with the keys format, workflow and layout."
        )
    if "changes" in raw and "workflow" not in raw:
        # An empty workflow would be shown, and saving it would replace the patch.
        raise DefinitionError(
            "This is a patch of a checkpoint, and no workflow. Edit and fork loads it, "
            "and `stepwell patch` applies it."
        )
    _check_format(raw.get("format", FILE_FORMAT))
    _fill_edge_ids(raw)
    try:
        return WorkflowFile.model_validate(raw)
    except ValidationError as error:
        raise DefinitionError(*_first_fault(error)) from error


def serialise(file: WorkflowFile, *, indent: int | None = 2) -> bytes:
    """Return a document as UTF-8 JSON: an indent of two spaces, keys in the order of
    the models, unknown keys after the known ones, and a newline at the end.

    Without an indent it is one line, which Python writes five times as fast.
    """
    raw = file.model_dump()  # not mode="json", which writes NaN as null without a word
    ordered = {
        key: raw.pop(key)
        for key in ("$schema", "format", "workflow", "layout")
        if key in raw
    }
    ordered["layout"] = _sorted_keys(ordered["layout"])
    try:
        text = json.dumps(
            {**ordered, **raw}, indent=indent, ensure_ascii=False, allow_nan=False
        )
    except (TypeError, ValueError) as error:
        raise DefinitionError(
            f"The document cannot be written as JSON: {error}."
        ) from error
    # Only a lone surrogate does not fit UTF-8, and Python's escape for it is also
    # JSON's.
    return (text + "\n").encode("utf-8", errors="backslashreplace")


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of files, for editors.
    `resources/schema/stepwell.schema.json` has it.
    """
    schema = WorkflowFile.model_json_schema()
    for model in schema["$defs"].values():
        if "kind" in model.get("properties", {}):
            model["required"].remove("id")  # filled when read
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "Stepwell workflow",
        "description": "A workflow drawn with Stepwell: its logic, and where its nodes stand.",
    }


def _load(content: bytes | str) -> Any:
    try:
        text = content if isinstance(content, str) else content.decode("utf-8-sig")
        return from_json(text, STRICT)
    except json.JSONDecodeError as error:
        raise DefinitionError(
            f"Not valid JSON: {error.msg}.",
            f"line {error.lineno}, column {error.colno}",
        ) from error
    except UnicodeDecodeError as error:
        raise DefinitionError(
            f"Not UTF-8: byte {error.start} cannot be read as text."
        ) from error
    except TooDeepError as error:
        raise DefinitionError(f"The JSON cannot be a workflow: {error}.") from error
    except ValueError as error:  # an integer of more digits than Python reads
        raise DefinitionError(f"The JSON cannot be read: {error}.") from error


def read_json(text: str) -> Any:
    """Return the value of a JSON text that a user typed. Raise `DefinitionError` that
    says what is wrong with it, and where.
    """
    try:
        return from_json(text, STRICT)
    except json.JSONDecodeError as error:
        reason = f"{error.msg[:1].lower()}{error.msg[1:]}, line {error.lineno}, column {error.colno}"
        raise DefinitionError(f"{reason}. {json_hint(text)}".strip()) from error
    # Nested too deeply, or an integer of more digits than Python reads.
    except ValueError as error:
        raise DefinitionError(f"{error}.") from error


def json_hint(text: str) -> str:
    """Return a hint for a text that is no JSON, if it is a word, or a number with a
    decimal comma; else "".
    """
    word = text.strip()
    if _DECIMAL_COMMA.fullmatch(word):
        return f"A number has a dot: {word.replace(',', '.')}"
    is_word = word[:1].isalpha() and len(word) <= LONGEST_WORD and "\n" not in word
    if is_word:
        return f"A text stands in quotes: {json.dumps(word, ensure_ascii=False)}"
    return ""


def _no_constant(name: str) -> Any:
    raise DefinitionError(f"{name} is not a JSON value; write null or a number.")


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):  # JSON has no infinity, so it could not be written again
        raise DefinitionError(
            f"The number {text[:40]} is too large; write a smaller one."
        )
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that is twice in one object: Python keeps the last value, so saving
    would lose the first.
    """
    value = dict(pairs)
    if len(value) < len(pairs):
        [(twice, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise DefinitionError(
            f"The key '{twice}' is twice in one object of the JSON; remove or rename one of them."
        )
    return value


# Options of `json.loads` that raise `DefinitionError` for what a file cannot have.
STRICT: Mapping[str, Any] = {
    "parse_constant": _no_constant,
    "parse_float": _float,
    "object_pairs_hook": _object,
}


def _check_format(number: Any) -> None:
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise DefinitionError(
            f"The format is a whole number from 1, not {number!r}.", "format"
        )
    if number > FILE_FORMAT:
        raise DefinitionError(
            f"This file has format {number}; this version of Stepwell reads up to format {FILE_FORMAT}. "
            "Update Stepwell to open it; the file was not changed.",
            "format",
        )


def _first_fault(error: ValidationError) -> tuple[str, str]:
    faults = error.errors(include_url=False, include_input=False)
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return f"{faults[0]['msg']}{more}", location_text(faults[0]["loc"])


def location_text(location: tuple[int | str, ...]) -> str:
    """Return a pydantic location as a path, such as `workflow.nodes[2].params`."""
    return "".join(
        f"[{part}]" if isinstance(part, int) else f".{part}" for part in location
    ).lstrip(".")


# --- edge ids -----------------------------------------------------------------------------------------------------


def _fill_edge_ids(raw: Mapping[str, Any]) -> None:
    edges = list(_edges(raw))
    taken = {edge["id"] for edge in edges if isinstance(edge.get("id"), str)}
    for edge in edges:
        if edge.get("id") in (None, ""):
            edge["id"] = _free_id(_edge_name(edge), taken)
            taken.add(edge["id"])


def _edges(raw: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    workflow = raw.get("workflow")
    edges = workflow.get("edges") if isinstance(workflow, dict) else None
    if isinstance(edges, list):
        yield from (edge for edge in edges if isinstance(edge, dict))


def _edge_name(edge: Mapping[str, Any]) -> str:
    kind = edge.get("kind")
    if isinstance(kind, str) and kind in EDGE_KINDS:
        return EDGE_KINDS[kind].definition.name_for(edge)
    return EdgeDefinition.name_for(edge)


def _free_id(name: str, taken: set[str]) -> str:
    number = 1
    free = name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free


# --- writing ------------------------------------------------------------------------------------------------------


def _sorted_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted_keys(value[key]) for key in sorted(value)}
    return value


def _sync_folder(folder: Path) -> None:
    """Make the replacement itself durable. Windows needs no such step."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
