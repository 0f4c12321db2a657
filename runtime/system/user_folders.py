"""The places on this machine: the runs of a document, and the folders of the user."""

from __future__ import annotations

import os
import stat
from hashlib import blake2b
from pathlib import Path

import platformdirs

APP_NAME = "stepwell"
RUNS_FOLDER = ".stepwell"
RUNS_FILE = "runs.db"


def data_dir() -> Path:
    """Return the user's data folder, and make it if it is not there.
    `STEPWELL_DATA_DIR` replaces it (portable use, tests).
    """
    folder = _data_place()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _data_place() -> Path:
    chosen = os.environ.get("STEPWELL_DATA_DIR")
    if chosen:
        return Path(chosen)
    return Path(platformdirs.user_data_dir(APP_NAME, appauthor=False))


def place_of(path: Path) -> Path:
    """Return where links lead, also if nothing is there yet; the path itself if they
    lead in a circle.
    """
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return path.absolute()


def rooted(path: Path) -> Path:
    """Return the same place for a process that starts in another folder. Links keep
    their names, unless `..` leads out of one.
    """
    return place_of(path) if ".." in path.parts else path.absolute()


def is_shipped(path: Path) -> bool:
    """Return whether a document is one of the examples that come with the program,
    which are trusted, and never written beside.
    """
    import resources

    return place_of(path).is_relative_to(Path(resources.__file__).resolve().parent)


def is_read_only(path: Path) -> bool:
    """Return whether a file or a folder is there that must not be written. Its
    permissions count for root too, who could ignore them.
    """
    try:
        marked = not stat.S_IMODE(path.stat().st_mode) & (
            stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
        )
    except OSError:
        return False
    return marked or not os.access(path, os.W_OK)


def is_sealed(store_file: Path) -> bool:
    """Return whether the file of a store is there and can only be read. SQLite also
    writes beside it.
    """
    return _is_file(store_file) and (
        is_read_only(store_file) or is_read_only(store_file.parent)
    )


def store_url(document: Path | None) -> str:
    """Return the store of a document's runs, which need not be there. Nothing is made."""
    return f"sqlite:{runs_file(document)}"


def runs_file(document: Path | None) -> Path:
    """Return the file of the store of a document's runs.

    That is `.stepwell/runs.db` beside the document if runs are kept there already, also
    if they can only be read; or in the user's data folder if nothing can be kept beside
    it (a read-only folder, a shipped example, something else with the name of the
    folder, a document without a file).
    """
    if document is not None and not is_shipped(document):
        file = place_of(document).parent / RUNS_FOLDER / RUNS_FILE
        if _is_file(file) or _can_keep(file.parent):
            return file
    where = str(place_of(document)) if document is not None else "untitled"
    stem = document.name.split(".")[0] if document is not None else "untitled"
    # With a digest, so that two documents of one name have two files.
    return (
        _data_place()
        / "runs"
        / f"{stem}-{blake2b(os.fsencode(where), digest_size=4).hexdigest()}"
        / RUNS_FILE
    )


def _can_keep(folder: Path) -> bool:
    """Return whether a file can be made in a folder, which may have to be made too."""
    if os.path.lexists(folder):
        return os.path.isdir(folder) and not is_read_only(folder)  # noqa: PTH112 - as below
    return not is_read_only(folder.parent)


def _is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 - a Path raises where nobody may look
