"""A bug bundle from outside: unpacked if it is a zip, and its checkpoints imported into
the store beside its workflow, so that they can be looked at.

A zip is a file from anybody. Its names must lead to places inside the new folder, and
its sizes are bounded before anything is unpacked.
"""

from __future__ import annotations

import stat
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from runtime.checkpoint import is_text
from runtime.debug.bundle.manifest import (
    CHECKPOINTS,
    MANIFEST,
    BundleManifest,
    read_manifest,
)
from runtime.document.definition import FILE_SUFFIX
from runtime.errors import SharedFileError
from runtime.sharing.read import import_file
from runtime.stores import open_store
from runtime.system.bounded_files import MEGABYTE, opened
from runtime.system.user_folders import store_url

_MOST_FILES = 2000
_MOST_BYTES = 1024 * MEGABYTE
_MOST_TIMES = 200  # bytes that one byte of the zip may become
_PIECE = MEGABYTE


@dataclass(frozen=True)
class OpenedBundle:
    """Where a bundle is now.

    document  the file of its workflow; None for one that was built in Python
    store     the URL of the store that has its checkpoints
    """

    folder: Path
    manifest: BundleManifest
    document: Path | None
    store: str


async def open_bundle(path: Path) -> OpenedBundle:
    """Open a bundle by its folder, its `bundle.json`, or a zip, which is unpacked into a
    new folder beside it. Runs no code.

    Raise `SharedFileError` for what is no bundle, is damaged or made to do harm, and
    `OSError`.
    """
    folder = path.parent if path.name == MANIFEST else path
    if path.is_file() and path.name != MANIFEST:
        folder = unpack(path)
    manifest = read_manifest(folder)
    document = None
    if manifest.document:
        document = _document(folder, manifest.document)
    url = store_url(document or folder / MANIFEST)
    store = open_store(url)
    try:
        await import_file(store, folder / CHECKPOINTS)
    finally:
        await store.close()
    return OpenedBundle(folder, manifest, document, url)


def _document(folder: Path, name: str) -> Path:
    """Return the file of the workflow, which is in the folder itself: beside it stands
    the store that is written.
    """
    is_plain = is_text(name) and not {"/", "\\", ":", "\0"} & {*name}
    if not is_plain or not name.endswith(FILE_SUFFIX):
        raise SharedFileError(f"{folder} is no bug bundle: its document is elsewhere.")
    document = folder / name
    if not document.is_file():
        raise SharedFileError(f"{folder} is no bug bundle: it has no {name}.")
    return document


def unpack(file: Path) -> Path:
    """Unpack a zip into a new folder beside it, and return the folder of the bundle in
    it.
    """
    with opened(file, None) as stream:
        try:
            archive = zipfile.ZipFile(stream)
        except (zipfile.BadZipFile, ValueError, OSError) as error:
            raise SharedFileError(
                f"{file} is no zip that can be read: {error}."
            ) from error
        names = {entry: _safe(file, entry) for entry in archive.infolist()}
        _check_sizes(file, archive.infolist())
        manifests = [path for path in names.values() if path.name == MANIFEST]
        if len(manifests) != 1 or len(manifests[0].parts) > 2:
            raise SharedFileError(f"{file} is no bug bundle: it has no {MANIFEST}.")
        root = manifests[0].parent
        target = _free(file.with_suffix(""))
        target.mkdir()
        for entry, path in names.items():
            if not entry.is_dir() and path.is_relative_to(root):
                _extract(file, archive, entry, target / path.relative_to(root))
    return target


def _safe(file: Path, entry: zipfile.ZipInfo) -> PurePosixPath:
    path = PurePosixPath(entry.filename)
    kind = stat.S_IFMT(entry.external_attr >> 16)
    is_plain = kind in (0, stat.S_IFREG, stat.S_IFDIR)
    bad = {"..", "\\", ":", "\0"} & {*path.parts, *entry.filename}
    if path.is_absolute() or bad or not is_plain or not path.parts:
        raise SharedFileError(
            f"{file} is made to do harm: {entry.filename[:80]!r} leads out of its folder, or is no plain file. "
            "Nothing was unpacked."
        )
    return path


def _check_sizes(file: Path, entries: list[zipfile.ZipInfo]) -> None:
    total = sum(entry.file_size for entry in entries)
    packed = sum(entry.compress_size for entry in entries)
    if len(entries) > _MOST_FILES or total > _MOST_BYTES:
        raise SharedFileError(
            f"{file} has {len(entries):,} files of {total:,} bytes together, and at most {_MOST_FILES:,} files of "
            f"{_MOST_BYTES:,} bytes are unpacked."
        )
    if total > max(packed * _MOST_TIMES, MEGABYTE):
        raise SharedFileError(
            f"{file} would become {total:,} bytes out of {packed:,}: it is made to fill the disk. Nothing was unpacked."
        )


def _extract(
    file: Path, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path
) -> None:
    """Write one file. A zip may say another size than it has, so the bytes are counted."""
    path.parent.mkdir(parents=True, exist_ok=True)
    left = entry.file_size
    try:
        with archive.open(entry) as source, path.open("xb") as target:
            while piece := source.read(min(_PIECE, left + 1)):
                left -= len(piece)
                if left < 0:
                    raise SharedFileError(f"{file} is damaged: {entry.filename[:80]}.")
                target.write(piece)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise SharedFileError(
            f"{file} is damaged: {entry.filename[:80]}: {error}."
        ) from error


def _free(folder: Path) -> Path:
    number = 2
    free = folder
    while free.exists():
        free = folder.with_name(f"{folder.name}-{number}")
        number += 1
    return free
