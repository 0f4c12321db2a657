"""Reading and writing `*.stepwell.json`: whole or not at all, the same bytes for the same value, nothing lost."""

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
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from runtime.document.definition import FILE_FORMAT, WorkflowFile
from runtime.edges.definition import EdgeDefinition
from runtime.edges.registry import EDGE_KINDS
from runtime.errors import DefinitionError
from runtime.system.bounded_files import MEGABYTE, TooDeepError, from_json, read_bytes
from runtime.system.user_folders import is_read_only

LONGEST_WORD = 60  # of a text that was perhaps meant as one
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
LARGEST_DOCUMENT = 64 * MEGABYTE  # a hundred times the largest that anybody has drawn
# seconds: by then a partial file is of a process that was killed, and not of one that writes
LEFTOVER_AGE = 3600


def read_file(path: Path | str) -> WorkflowFile:
    """The document in a file. Runs and imports nothing that it names.

    Raises `OSError` if it cannot be read, of the kind `UnfitFileError` if it is no file that ends or too large, and
    `DefinitionError` if it is no document: broken JSON (with line and column), too many brackets in one another, a
    newer format, or fields that do not fit (with the path of each).
    """
    return parse(read_bytes(path, LARGEST_DOCUMENT))


def write_file(path: Path | str, file: WorkflowFile) -> bytes:
    """Write a document: after a crash at any moment the file holds the old content or the new, whole. Returns what was
    written.

    A link is written through, and the rights of an existing file are kept. Raises `OSError`, or `DefinitionError` for
    a value that JSON does not have; the old file is then untouched.
    """
    content = serialise(file)
    write_bytes(path, content)
    sweep(real_path(path))
    return content


def write_bytes(path: Path | str, content: bytes) -> None:
    """Replace a file whole: after a crash at any moment it holds the old content or the new. A file that is marked
    read-only is not replaced, by nobody: that it could be is due to the folder only. Raises `OSError`.
    """
    target = real_path(path)
    if is_read_only(target):
        raise PermissionError(
            errno.EACCES,
            "The file is read-only: allow writing, or save elsewhere",
            str(path),
        )
    if target.exists() and not (target.is_file() or target.is_dir()):
        # To be replaced would be its end: of /dev/null, for all programs.
        raise OSError(
            errno.EINVAL,
            "It is a pipe or a device, and no file: choose another place",
            str(path),
        )
    partial = target.with_name(f".{target.name[:40]}.{secrets.token_hex(6)}.tmp")
    try:
        with partial.open("xb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            partial.chmod(stat.S_IMODE(target.stat().st_mode))
        partial.replace(target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def real_path(path: Path | str) -> Path:
    """Where links lead, also where nothing is yet. Raises `OSError` if they lead in a circle."""
    try:
        return Path(path).resolve()
    except (
        RuntimeError
    ) as error:  # Python's word for it, which nobody expects of a path
        raise OSError(
            errno.ELOOP, "The links lead in a circle: remove one of them", str(path)
        ) from error


def sweep(target: Path) -> None:
    """Remove what processes that were killed while they wrote this file have left beside it."""
    for partial in target.parent.glob(f".{glob.escape(target.name[:40])}.*.tmp"):
        try:
            if partial.stat().st_mtime < time.time() - LEFTOVER_AGE:
                partial.unlink()
        except OSError:
            continue  # it belongs to somebody else, or is gone already


def parse(content: bytes | str) -> WorkflowFile:
    """A document from its text. Edges without an id get one that depends on their ends only."""
    return _document(_load(content))


def from_value(value: Any) -> WorkflowFile:
    """A document that stands inside another one, as JSON value; the value is left as it is. Raises as `parse`."""
    return _document(copy.deepcopy(value))


def _document(raw: Any) -> WorkflowFile:
    if not isinstance(raw, dict):
        raise DefinitionError(
            "A workflow file holds one JSON object with the keys format, workflow and layout."
        )
    _check_format(raw.get("format", FILE_FORMAT))
    _fill_edge_ids(raw)
    try:
        return WorkflowFile.model_validate(raw)
    except ValidationError as error:
        raise DefinitionError(*_first_fault(error)) from error


def serialise(file: WorkflowFile, *, indent: int | None = 2) -> bytes:
    """A document as UTF-8 JSON: two spaces, the models' key order, unknown keys after the known, newline at the end.
    Without an indent all is one line, which Python writes five times as fast.
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
    # Only a lone surrogate does not fit UTF-8, and Python's escape for it is also JSON's.
    return (text + "\n").encode("utf-8", errors="backslashreplace")


def json_schema() -> dict[str, Any]:
    """JSON Schema of a file, for editors; `resources/schema/stepwell.schema.json` holds it."""
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
    except ValueError as error:  # after its two kinds above: an integer of more digits than Python reads
        raise DefinitionError(f"The JSON cannot be read: {error}.") from error


def read_json(text: str) -> Any:
    """The value of a JSON text that somebody typed, exactly. Raises `DefinitionError` that says what is wrong with it,
    and where.
    """
    try:
        return from_json(text, STRICT)
    except json.JSONDecodeError as error:
        reason = f"{error.msg[:1].lower()}{error.msg[1:]}, line {error.lineno}, column {error.colno}"
        raise DefinitionError(f"{reason}. {json_hint(text)}".strip()) from error
    except (
        ValueError
    ) as error:  # nested too deeply, or an integer of more digits than Python reads
        raise DefinitionError(f"{error}.") from error


def json_hint(text: str) -> str:
    """What helps with a text that is no JSON, where it is a word or a number of another country; else ""."""
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
    if math.isinf(value):  # it could be read, and then never be written again
        raise DefinitionError(
            f"The number {text[:40]} is too large; write a smaller one."
        )
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of a key that stands twice Python keeps the last, so that saving would lose the first."""
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = next(
            key
            for key, number in Counter(key for key, _ in pairs).items()
            if number > 1
        )
        raise DefinitionError(
            f"The key '{twice}' stands twice in one object of the JSON; remove or rename one of them."
        )
    return made


# For `json.loads`: what a file cannot hold raises `DefinitionError`.
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
    """A pydantic location as a path, such as `workflow.nodes[2].params`."""
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
    """Make the replacement itself durable. Windows cannot open folders, and does not need it."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
