"""A bundle in its place: as a folder, or as a zip of one; and the run of its test."""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runtime.document.files import replacing
from runtime.errors import CommandError

ZIP_SUFFIX = ".zip"


@contextmanager
def place_for(target: Path) -> Iterator[Path]:
    """Give an empty folder for the files of a bundle. At the end of the block they are
    at the target: a folder, or a file that ends with `.zip`. After an error nothing is.

    Raise `CommandError` for a folder that has something in it.
    """
    target = target.resolve()
    if target.suffix == ZIP_SUFFIX:
        with tempfile.TemporaryDirectory() as draft:
            folder = Path(draft, target.stem)
            folder.mkdir()
            yield folder
            with replacing(target) as stream:
                _zip(folder, stream)
        return
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise CommandError(
            f"{target} is there already, and not empty. Choose another folder, or remove it first."
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        draft = tempfile.mkdtemp(prefix=f".{target.name[:40]}.", dir=target.parent)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target)) from error
    folder = Path(draft)
    try:
        yield folder
        folder.chmod(0o777 & ~_umask())
        if target.is_dir():
            target.rmdir()
        folder.replace(target)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _zip(folder: Path, stream: object) -> None:
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[call-overload]
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                name = Path(folder.name) / path.relative_to(folder)
                archive.write(path, name.as_posix())


def sizes(folder: Path) -> dict[str, int]:
    """Return the bytes of each file, by its path in the folder."""
    return {
        path.relative_to(folder).as_posix(): path.stat().st_size
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
