"""Answers of the host about bug bundles."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from runtime.checkpoint import CheckpointStore
from runtime.debug.bundle import texts
from runtime.debug.bundle.draft import Draft, Wish, draft_of
from runtime.debug.bundle.manifest import CHECKPOINTS, PATCH, BundleManifest
from runtime.debug.bundle.opener import open_bundle
from runtime.debug.bundle.target import place_for, sizes
from runtime.debug.bundle.trial import Verdict, run_test, what_comes
from runtime.debug.protocol import (
    BundleArguments,
    BundleBody,
    BundleItem,
    BundleOpenArguments,
    BundleOpenBody,
)
from runtime.document.definition import FILE_SUFFIX
from runtime.values.words import counted

_NAMES_SHOWN = 3


async def bundle(store: CheckpointStore, request: BundleArguments) -> BundleBody:
    """Make a bundle, or say what would be in it. Raise `CommandError` for what cannot be
    expected, `SharedFileError`, `OSError`, and what the store raises.
    """
    wish = Wish(
        request.checkpoint_id,
        request.expect,
        request.patch,
        request.with_code,
        request.whole_run,
        request.cover_personal,
        request.app,
    )
    draft = await draft_of(store, wish)
    if request.find_fault and not draft.expected:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            await draft.write(folder)
            code = draft.code_elsewhere
            actual = await asyncio.to_thread(what_comes, folder, draft.number, code)
        draft.expect_recorded(actual)
    if request.to:
        with place_for(Path(request.to)) as folder:
            return await _written(draft, request, folder)
    with tempfile.TemporaryDirectory() as name:
        return await _written(draft, request, Path(name))


async def _written(draft: Draft, request: BundleArguments, folder: Path) -> BundleBody:
    manifest = await draft.write(folder)
    verdict: Verdict | None = None
    if request.run_test and draft.expected:
        # It waits for a process.
        verdict = await asyncio.to_thread(
            run_test, folder, draft.test, draft.code_elsewhere
        )
    return _body(draft, manifest, sizes(folder), verdict)


def _body(
    draft: Draft,
    manifest: BundleManifest,
    files: dict[str, int],
    verdict: Verdict | None,
) -> BundleBody:
    body = BundleBody(
        place=f"#{draft.number}",
        expected=tuple((item.expected, item.actual) for item in manifest.expected),
        source=draft.source,
        items=tuple(_items(draft, manifest, files)),
        test=draft.test,
        test_text=texts.test_body(draft.number, draft.expected),
        name=f"{texts.slug(draft.header.workflow)}-{draft.number}",
        folder=str(draft.code_elsewhere or draft.folder),
    )
    if verdict is None:
        return body
    outcome = "fails" if verdict.fails else "other"
    if "passes" in verdict.text:
        outcome = "passes"
    return body.model_copy(update={"verdict": outcome, "text": verdict.text})


def _items(
    draft: Draft, manifest: BundleManifest, files: dict[str, int]
) -> list[BundleItem]:
    workflow = draft.workflow
    graph = "made by " + draft.wish.app
    if workflow is not None:
        graph = f"workflow as run, {counted(len(workflow.nodes), 'node')}"
    code = [path.as_posix() for path in draft.code]
    documents = sum(size for name, size in files.items() if name.endswith(FILE_SUFFIX))
    items = [
        BundleItem(id="graph", text=graph, bytes=documents),
        BundleItem(
            id="checkpoints",
            text=f"{len(draft.selection.rows):,} of {draft.run_size:,}, #{draft.number} and what shows the fault",
            bytes=files.get(CHECKPOINTS, 0),
        ),
        BundleItem(
            id="effects", text=f"recorded results of {counted(draft.calls, 'call')}"
        ),
    ]
    if draft.wish.patch is not None:
        changes = counted(len(draft.wish.patch.changes), "change")
        items.append(BundleItem(id="patch", text=changes, bytes=files.get(PATCH, 0)))
    if code:
        size = sum(files.get(name, 0) for name in code)
        items.append(
            BundleItem(id="code", text=_listed(code), bytes=size, names=tuple(code))
        )
    covered = "e-mail addresses, author, phone and the like"
    if draft.wish.cover_personal:
        covered = _listed(list(manifest.covered)) or "nothing was found"
    places = manifest.covered if draft.wish.cover_personal else ()
    items.append(BundleItem(id="personal", text=covered, names=places))
    items.append(BundleItem(id="run", text=counted(draft.run_size, "checkpoint")))
    return items


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:_NAMES_SHOWN])
    more = len(names) - _NAMES_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


async def bundle_open(request: BundleOpenArguments) -> BundleOpenBody:
    """Open a bundle. Raise as `open_bundle`."""
    opened = await open_bundle(Path(request.path))
    return BundleOpenBody(
        folder=str(opened.folder),
        document="" if opened.document is None else str(opened.document),
        store=opened.store,
        run_id=opened.manifest.run,
        checkpoint_id=opened.manifest.checkpoint,
    )
