"""What all stores check and answer in the same way."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any
from urllib.parse import unquote

from runtime.checkpoint import (
    HEADER_FIELDS,
    PINNED,
    CheckpointHeader,
    RunSummary,
    digest_of,
    is_text,
)
from runtime.errors import (
    BranchMovedError,
    CheckpointConflictError,
    CheckpointDamagedError,
    CheckpointKeptError,
    CheckpointStoreError,
)

_texts_of = attrgetter(*[field.name for field in HEADER_FIELDS if field.type is str])


def check_header(header: CheckpointHeader) -> None:
    """Refuse texts that cannot be written as UTF-8, in every store alike."""
    check_texts(*filter(None, _texts_of(header)), *header.tags)


def check_texts(*texts: str) -> None:
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        bad = next(text for text in texts if not is_text(text))
        raise CheckpointStoreError(
            f"{bad!r} holds a lone surrogate, which no store keeps: use proper text"
        ) from None


# Up to the last @, because a passphrase may have characters that should have been
# escaped.
_PASSPHRASE = re.compile(r"(//[^:@/?]*:).*@", re.DOTALL)
_OPTION = re.compile(r"([?&][^=&]*=)([^&]*)")
# Options of libpq: password, sslpassword, oauth_client_secret, scram_client_key,
# scram_server_key. The names of files with keys are no secrets.
_SECRET = re.compile(r"password|secret|scram_\w+_key")


def masked(url: str) -> str:
    """Return the URL of a store with asterisks for a passphrase, so that it may be
    shown.
    """
    hidden = _PASSPHRASE.sub(lambda match: f"{match[1]}***@", url)
    return _OPTION.sub(
        lambda match: (
            f"{match[1]}***" if _SECRET.search(unquote(match[1])) else match[0]
        ),
        hidden,
    )


def key_of(digest: str) -> bytes:
    """Return a digest as half as many bytes."""
    try:
        return bytes.fromhex(digest)
    except ValueError:
        raise CheckpointStoreError(
            f"{digest!r} is no digest: use runtime.checkpoint.digest_of"
        ) from None


def whole_parts(digests: Iterable[str], stored: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the requested parts from those that were found. Raise
    `CheckpointDamagedError` if one is missing or not intact.
    """
    parts: dict[str, bytes] = {}
    for digest in digests:
        data = stored.get(digest)
        if type(data) is not bytes or digest_of(data) != digest:
            raise CheckpointDamagedError(
                "", f"part {digest} is {'missing' if data is None else 'not intact'}"
            )
        parts[digest] = data
    return parts


def matching(
    headers: Iterable[CheckpointHeader],
    *,
    run_id: str | None = None,
    branch: str | None = None,
    workflow: str | None = None,
    tag: str | None = None,
) -> Iterator[CheckpointHeader]:
    """Yield the headers that fit all filters. A damaged header also fits if it has lost
    the field that the filter is for.
    """
    for header in headers:
        if (
            (
                run_id is None
                or header.run_id == run_id
                or _is_lost(header, header.run_id)
            )
            and (
                branch is None
                or header.branch == branch
                or _is_lost(header, header.branch)
            )
            and (
                workflow is None
                or header.workflow == workflow
                or _is_lost(header, header.workflow)
            )
            and (tag is None or tag in header.tags or _is_lost(header, header.tags))
        ):
            yield header


def _is_lost(header: CheckpointHeader, value: str | tuple[str, ...]) -> bool:
    return not value and bool(header.damaged)


def annotated(
    header: CheckpointHeader, tags: Sequence[str] | None, note: str | None
) -> CheckpointHeader:
    """Return the header with new tags or a new note, where they are not None."""
    return replace(
        header,
        tags=header.tags if tags is None else tuple(tags),
        note=header.note if note is None else note,
    )


def summed(headers: Iterable[CheckpointHeader]) -> list[RunSummary]:
    """Return the runs of headers that come in the order of their sequence, the most
    recently written run first.
    """
    groups: dict[str, list[CheckpointHeader]] = {}
    for header in headers:
        groups.setdefault(header.run_id, []).append(header)
    summaries = [
        RunSummary(
            run_id,
            group[-1].workflow,
            len(group),
            len({header.branch for header in group}),
            group[-1],
        )
        for run_id, group in groups.items()
    ]
    return sorted(summaries, key=lambda summary: -summary.latest.sequence)


MAX_INTEGER = 2**63 - 1


def checked_limit(limit: int | None) -> int | None:
    """Return a limit that every medium can count to."""
    if limit is None:
        return None
    if limit < 0:
        raise ValueError(f"limit is {limit}: give a number from 0 up, or None for all")
    return min(limit, MAX_INTEGER)


def id_taken(checkpoint_id: str) -> CheckpointConflictError:
    return CheckpointConflictError(
        f"There is a checkpoint {checkpoint_id} already: the past is never rewritten. Save under a new id.",
        checkpoint_id,
    )


def parent_unknown(checkpoint_id: str, parent: str) -> CheckpointConflictError:
    return CheckpointConflictError(
        f"Checkpoint {checkpoint_id} says that it follows {parent}, which is not in this store. "
        "Save the parent first, or give none.",
        checkpoint_id,
    )


def check_head(header: CheckpointHeader, head: str | None) -> None:
    """Refuse what would split a branch; `head` is the id of its newest checkpoint, if
    it has any.
    """
    if head is not None and head != header.parent:
        raise BranchMovedError(header.id, header.branch, head, header.parent)


def check_removable(run: Iterable[CheckpointHeader], sequences: Container[int]) -> None:
    """Raise for checkpoints that must not be removed.

    `run` has all headers of one run in the order of their sequence, and `sequences`
    those to remove. No run can go on from a damaged record, so it is no head: the
    newest readable one before it stays.
    """
    headers = list(run)
    heads = {header.branch: header.sequence for header in headers if not header.damaged}
    for header in headers:
        if header.sequence not in sequences:
            continue
        if header.damaged:
            raise CheckpointDamagedError(header.id, header.damaged)
        if PINNED in header.tags:
            raise CheckpointKeptError(
                header.id, "it is pinned; take the pin away first"
            )
        if heads[header.branch] == header.sequence:
            raise CheckpointKeptError(
                header.id,
                f"it is the head of branch '{header.branch}', where that goes on",
            )


def closed(url: str) -> CheckpointStoreError:
    return CheckpointStoreError(
        f"The store {url} is closed: open it again with open_store."
    )


def read_only(url: str) -> CheckpointStoreError:
    return CheckpointStoreError(
        f"The store {url} was opened for reading only: open it without read_only to write."
    )
