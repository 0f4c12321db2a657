"""A bug bundle of a checkpoint, made from a store as files. Only `Draft.write` writes,
and nothing here runs code of the workflow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from runtime.calls import WAS_PINNED
from runtime.checkpoint import Cause, CheckpointHeader, CheckpointStore, Record
from runtime.checkpoints.archive import Archive
from runtime.debug.bundle import texts
from runtime.debug.bundle.code import needed_code, versions
from runtime.debug.bundle.cover import Cover, held
from runtime.debug.bundle.expectation import Expectation, Place, equal, parse, views_of
from runtime.debug.bundle.manifest import (
    CHECKPOINTS,
    MANIFEST,
    PATCH,
    README,
    BundleManifest,
    Expected,
)
from runtime.debug.graphs.graph import read_definition
from runtime.document.definition import FILE_SUFFIX, WorkflowDefinition, WorkflowFile
from runtime.document.files import write_bytes, write_file
from runtime.document.secret_texts import secret_texts
from runtime.errors import CheckpointNotFoundError, CommandError, SharedFileError
from runtime.sharing.selection import Selection, chosen, select
from runtime.sharing.write import share
from runtime.system.bounded_files import read_bytes
from runtime.values.json_bytes import json_bytes
from runtime.values.secret_forms import written_forms

if TYPE_CHECKING:
    from runtime.patches.patch import Patch

_LARGEST_CODE = 2**20  # bytes of a file of code
NO_FAULT = (
    "Superstep {superstep} from there comes out as it was recorded. Say what you expect instead, such as "
    'state["n"] == 12.'
)
PINNED = (
    "Superstep {superstep} from there had a pinned result, so what was recorded shows no fault. Say what you "
    'expect, such as state["n"] == 12.'
)


@dataclass(frozen=True)
class Wish:
    """What a bundle is asked to show.

    expect     what should be after one superstep, each as Python
    app        `module:name` of what makes a workflow that was built in Python
    whole_run  take all checkpoints of the run, and not only those that show the fault
    """

    checkpoint_id: str
    expect: tuple[str, ...] = ()
    patch: Patch | None = None
    with_code: bool = False
    whole_run: bool = False
    cover_personal: bool = False
    app: str = ""


@dataclass
class Draft:
    """A bundle that is not written yet.

    number    of the checkpoint in its run, from 1
    child     the recorded checkpoint one superstep later, if there is one; `child_number` is its number, and
              `was_pinned` whether a call of it had a pinned result
    recorded  what is at each place of that checkpoint; None without one, or with a patch
    code      the files of code that the workflow needs, relative to `folder`
    calls     how many recorded results the child has
    """

    store: CheckpointStore
    wish: Wish
    header: CheckpointHeader
    number: int
    run_size: int
    child: CheckpointHeader | None
    definition: Mapping[str, Any] | None
    selection: Selection
    recorded: Mapping[str, Any] | None = None
    code: list[Path] = field(default_factory=list)
    calls: int = 0
    child_number: int = 0
    was_pinned: bool = False
    expected: list[Expectation] = field(default_factory=list)
    actual: Mapping[str, Any] | None = None
    source: str = ""

    @property
    def workflow(self) -> WorkflowDefinition | None:
        """The document as it ran; None for a workflow that was built in Python."""
        if self.definition is None or "workflow" not in self.definition:
            return None
        return read_definition(self.definition)

    @property
    def folder(self) -> Path:
        """The folder of the code of the workflow, on this machine."""
        return Path(str((self.definition or {}).get("folder") or "."))

    async def read_child(self, archive: Archive, child: CheckpointHeader) -> None:
        """Read what was recorded one superstep later."""
        viewed = await archive.view(child.id)
        self.calls = len(viewed.calls)
        self.was_pinned = any(call.omitted == WAS_PINNED for call in viewed.calls)
        # With a patch another thing is to come, and no record keeps a pinned result.
        if self.wish.patch is None and not self.was_pinned:
            self.recorded = views_of(viewed)

    def look_for_code(self) -> None:
        """Raise `CommandError` if nobody said what makes the workflow."""
        workflow = self.workflow
        if workflow is not None:
            self.code = needed_code(workflow, self.folder)
        elif not self.wish.app:
            raise CommandError(
                "This run's workflow was built in Python. Name what makes it: --app MODULE:NAME"
            )

    @property
    def test(self) -> str:
        return texts.test_name(self.header.workflow, self.number)

    @property
    def code_elsewhere(self) -> Path | None:
        """The folder of the code that is not in the bundle; None if nothing is missing."""
        if self.wish.app:
            return Path.cwd()
        return self.folder if self.code and not self.wish.with_code else None

    def expect_recorded(self, actual: Mapping[str, Any]) -> None:
        """Expect what was recorded where another thing comes now. Raise `CommandError`
        if nothing else comes.
        """
        from runtime.debug.bundle.expectation import differing

        if self.was_pinned:
            raise CommandError(PINNED.format(superstep=self.header.superstep + 1))
        self.actual = actual
        if actual["error"] is not None:
            self.expected = [equal(Place("error"), None)]
            self.source = "the superstep does not fail"
            return
        if self.recorded is not None:
            self.expected = differing(self.recorded, actual)
        if not self.expected:
            superstep = self.header.superstep + 1
            raise CommandError(NO_FAULT.format(superstep=superstep))
        self.source = f"as recorded in checkpoint #{self.child_number}"

    def manifest(self, cover: Cover) -> BundleManifest:
        header = self.header
        workflow = self.workflow
        views = cover.value(dict(self.actual or self.recorded or {}))
        code = [path.as_posix() for path in self.code]
        with_code = self.wish.with_code
        document = (
            "" if workflow is None else f"{texts.slug(header.workflow)}{FILE_SUFFIX}"
        )
        return BundleManifest(
            made_by=f"Stepwell {metadata.version('stepwell')}",
            workflow=header.workflow,
            run=header.run_id,
            checkpoint=header.id,
            number=self.number,
            superstep=header.superstep,
            branch=header.branch,
            expected=tuple(
                Expected(expected=str(item), actual=item.actual(views))
                for item in self.expected
            ),
            source=self.source,
            test=self.test,
            document=document,
            app=self.wish.app,
            has_patch=self.wish.patch is not None,
            code=tuple(code) if with_code else (),
            code_needed=() if with_code else tuple(code),
            variables=tuple(cover.omitted),
            covered=tuple(cover.places),
            versions=versions(workflow),
        )

    async def write(self, folder: Path) -> BundleManifest:
        """Write all files into a folder that is there and empty. Raise `SharedFileError`
        if a file would hold the value of a secret, and `OSError`.
        """
        secrets = secret_texts([self.definition] if self.definition else [])
        cover = Cover(secrets.values(), personal=self.wish.cover_personal)
        forbidden = [form for text in secrets.values() for form in written_forms(text)]
        covered = _CoveredStore(self.store, cover)
        await share(covered, self.selection, folder / CHECKPOINTS, forbidden=forbidden)  # type: ignore[arg-type]
        document = None if self.definition is None else cover.document(self.definition)
        manifest = self.manifest(cover)
        for name, content in self._files(manifest, document, cover):
            if held(content, forbidden):
                raise SharedFileError(
                    f"Nothing was written: {name} holds the value of a secret. Take it out there, and try again."
                )
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(path, content)
        return manifest

    def _files(
        self,
        manifest: BundleManifest,
        document: Mapping[str, Any] | None,
        cover: Cover,
    ) -> Iterator[tuple[str, bytes]]:
        """Yield the name and the content of each file but the checkpoints."""
        yield MANIFEST, manifest.model_dump_json(indent=2).encode() + b"\n"
        yield README, texts.readme_text(manifest).encode()
        yield manifest.test, texts.test_text(manifest, self.expected).encode()
        if manifest.document and document is not None:
            yield manifest.document, _document_bytes(document["workflow"])
            for name, workflow in (document.get("files") or {}).items():
                if _is_inside(name):
                    yield name, _document_bytes(workflow)
        if self.wish.patch is not None:
            patch = cover.patch(self.wish.patch.as_json())
            yield PATCH, json_bytes(patch, indent=True)
        for name in manifest.code:
            yield name, read_bytes(self.folder / name, _LARGEST_CODE)


def _document_bytes(workflow: Any) -> bytes:
    import tempfile

    file = WorkflowFile(workflow=WorkflowDefinition.model_validate(workflow))
    with tempfile.TemporaryDirectory() as folder:
        return write_file(Path(folder, "workflow.json"), file)


def _is_inside(name: str) -> bool:
    """Return whether a relative path leads to a place below where it begins."""
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and "\\" not in name


class _CoveredStore:
    """Gives the records and parts of a store as they are covered."""

    def __init__(self, store: CheckpointStore, cover: Cover) -> None:
        self._store = store
        self._cover = cover
        self._parts: dict[str, bytes] = {}

    async def load(self, checkpoint_id: str) -> Record:
        record = await self._store.load(checkpoint_id)
        parts = await self._store.parts(record.digests)
        covered, self._parts = self._cover.record(record, parts)
        return covered

    async def parts(self, digests: Sequence[str]) -> dict[str, bytes]:
        return {digest: self._parts[digest] for digest in digests}


async def draft_of(store: CheckpointStore, wish: Wish) -> Draft:
    """Return the draft of a bundle. Raise `CommandError` for a wish that makes no sense,
    and what `CheckpointStore.load` raises.
    """
    archive = Archive(store)
    viewed = await archive.view(wish.checkpoint_id)
    header = viewed.header
    headers = await store.headers(run_id=header.run_id)
    ids = [other.id for other in headers]
    if header.id not in ids:
        raise CheckpointNotFoundError(header.id)
    child = _child(headers, header)
    draft = Draft(
        store,
        wish,
        header,
        number=ids.index(header.id) + 1,
        run_size=len(ids),
        child=child,
        definition=viewed.definition,
        selection=await _selection(store, wish, header, _shown(header, child, ids)),
    )
    if child is not None:
        draft.child_number = ids.index(child.id) + 1
        await draft.read_child(archive, child)
    draft.look_for_code()
    if wish.expect:
        draft.expected = [parse(text) for text in wish.expect]
        draft.source = "said by who made the bundle"
    return draft


async def _selection(
    store: CheckpointStore,
    wish: Wish,
    header: CheckpointHeader,
    shown: Sequence[str],
) -> Selection:
    if not wish.whole_run:
        return await chosen(store, shown, header.id)
    selection = await select(store, run_id=header.run_id)
    return replace(selection, checkpoint_id=header.id)


def _child(
    headers: Sequence[CheckpointHeader], header: CheckpointHeader
) -> CheckpointHeader | None:
    """Return the checkpoint one superstep later, on the same branch if there is one."""
    children = [
        other
        for other in headers
        if other.parent == header.id
        and other.cause is Cause.SUPERSTEP
        and not other.damaged
    ]
    on_branch = [other for other in children if other.branch == header.branch]
    return next(iter([*on_branch, *children]), None)


def _shown(
    header: CheckpointHeader, child: CheckpointHeader | None, ids: Sequence[str]
) -> list[str]:
    """Return the ids of the checkpoints that show the fault: the one before, the
    checkpoint, and the one after, which has the recorded results.
    """
    shown = [header.id]
    if header.parent in ids:
        shown.insert(0, str(header.parent))
    if child is not None:
        shown.append(child.id)
    return shown
