"""The store, the runs and the checkpoint that the words of a command name."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from runtime.checkpoint import CheckpointHeader, CheckpointStore
from runtime.document.definition import FILE_SUFFIX, WorkflowDefinition
from runtime.errors import CheckpointStoreError, CommandError
from runtime.stores.common import masked
from runtime.system.user_folders import store_url

LATEST = "latest"
# At least two letters, because one is a drive of Windows.
_URL = re.compile(r"[A-Za-z][A-Za-z+.-]+:")


@dataclass(frozen=True)
class Document:
    """A workflow file, and its content as it is now."""

    path: Path
    definition: WorkflowDefinition


@dataclass(frozen=True)
class Source:
    """The source that STORE names: a store and, for a workflow file, the document whose
    runs alone count.

    `name` is its name in commands: the URL without a passphrase, or the workflow
    file beside which the checkpoints are kept.
    """

    url: str
    name: str
    document: Document | None = None

    @property
    def workflow(self) -> str | None:
        """Return the name of its runs, or None for any."""
        return None if self.document is None else self.document.definition.name

    @property
    def masked_url(self) -> str:
        """Return the URL without a passphrase."""
        return masked(self.url)

    @property
    def is_url(self) -> bool:
        """Whether commands name it by its URL."""
        return self.name == self.masked_url

    @property
    def resume_arguments(self) -> tuple[str, ...]:
        """Return the arguments with which `resume` uses the workflow file, changed
        or not, instead of the saved workflow.
        """
        if self.document is None or not self.is_url:
            return (self.name,)
        return (self.name, "--file", str(self.document.path))


def is_document(text: str) -> bool:
    """Whether STORE is a workflow file, which means the runs kept beside it."""
    return text.endswith(FILE_SUFFIX) and not _URL.match(text)


def of_document(document: Document) -> Source:
    """Return the runs that are kept beside a document."""
    url = store_url(document.path)
    path = str(document.path)
    name = path if is_document(path) else url
    return Source(url, name, document)


def of_url(text: str, document: Document | None = None) -> Source:
    """Return the source of a URL or a bare path, which means an SQLite file; with
    a document only its runs.
    """
    url = text if _URL.match(text) else f"sqlite:{text}"
    return Source(url, masked(url), document)


@asynccontextmanager
async def opened(
    source: Source, *, read_only: bool = False
) -> AsyncIterator[CheckpointStore]:
    """Open a store and close it at the end. Raise `CommandError` if it cannot be
    opened.
    """
    from runtime.stores import open_store

    url = source.url
    if read_only and url == "memory:":
        raise CommandError(
            "A store in memory ends with its process: nothing can be shown or resumed from it."
        )
    try:
        store = open_store(url, read_only)
    except CheckpointStoreError as error:
        raise CommandError(str(error)) from error
    try:
        yield store
    finally:
        await store.close()


async def find(store: CheckpointStore, prefix: str, source: Source) -> CheckpointHeader:
    """Return the header of `latest`, an id, or an unambiguous start of one. Raise
    `CommandError`.
    """
    if not prefix:
        raise CommandError(
            "An empty text is no checkpoint: give its id, the start of it, or `latest`."
        )
    if prefix == LATEST:
        newest = await store.latest(workflow=source.workflow)
        if newest is None:
            raise await nothing(store, source)
        return newest
    matches = [
        header for header in await store.headers() if header.id.startswith(prefix)
    ]
    # A damaged checkpoint may have lost the name of its workflow. It counts as a match,
    # and using it raises that it is damaged.
    of_workflow = [
        header
        for header in matches
        if source.workflow in (None, header.workflow or source.workflow)
    ]
    exact = [header for header in of_workflow if header.id == prefix]
    if len(of_workflow) > 1 and not exact:
        raise CommandError(
            f"{len(of_workflow)} checkpoints begin with {prefix!r}: give more of the id."
        )
    if of_workflow:
        return (exact or of_workflow)[0]
    if matches:
        raise CommandError(
            f"Checkpoint {matches[0].id[:8]} is of the workflow '{matches[0].workflow}', not of '{source.workflow}'. "
            f"To use it, name the store: {store.url}"
        )
    raise CommandError(
        f"No checkpoint begins with {prefix!r}. See: stepwell timeline {source.name}"
    )


async def find_end(
    store: CheckpointStore, name: str, source: Source
) -> CheckpointHeader:
    """Return the header of a checkpoint as `find` does, or the newest one of a branch
    or a run: `fork 1`, the start of the id of a run, or both as `RUN/BRANCH`. Of several
    runs with such a branch the newest counts. Raise `CommandError`.
    """
    if not name or name == LATEST:
        return await find(store, name, source)
    headers = await store.headers(workflow=source.workflow)
    run_id, _, branch = name.rpartition("/")
    of_branch = [
        header
        for header in headers
        if header.branch == branch and header.run_id.startswith(run_id)
    ]
    if of_branch:
        newest = of_branch[-1].run_id
        return [header for header in of_branch if header.run_id == newest][-1]
    of_runs = [header for header in headers if header.run_id.startswith(name)]
    is_checkpoint = any(header.id.startswith(name) for header in headers)
    if of_runs and not is_checkpoint:
        run_ids = {header.run_id for header in of_runs}
        if len(run_ids) > 1:
            raise CommandError(
                f"{len(run_ids)} runs begin with {name!r}: give more of the id."
            )
        return of_runs[-1]
    return await find(store, name, source)


async def nothing(store: CheckpointStore, source: Source) -> CommandError:
    """Return the error that no checkpoint can be used, with what there is."""
    if source.document is None:
        return CommandError(
            f"The store {store.url} holds no checkpoint yet: stepwell run FILE --store {store.url}"
        )
    others = sorted({f"'{run.workflow}'" for run in await store.runs()})
    if others:
        hint = f" There are runs of {', '.join(others)}: stepwell timeline {store.url}"
    else:
        hint = ""
    return CommandError(
        f"No run of '{source.workflow}' is kept in {store.url} yet.{hint}"
    )
