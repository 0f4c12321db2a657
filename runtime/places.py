"""Where things live on this machine: the runs of a document, and what belongs to the user."""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path

import platformdirs

APP_NAME = "stepwell"
RUNS_FOLDER = ".stepwell"
RUNS_FILE = "runs.db"


def data_dir() -> Path:
    """The user's data folder, made if it is not there. `STEPWELL_DATA_DIR` replaces it (portable use, tests)."""
    folder = _data_place()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _data_place() -> Path:
    chosen = os.environ.get("STEPWELL_DATA_DIR")
    return Path(chosen) if chosen else Path(platformdirs.user_data_dir(APP_NAME, appauthor=False))


def place_of(path: Path) -> Path:
    """Where links lead, also where nothing is yet; the path itself if they lead in a circle."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return path.absolute()


def rooted(path: Path) -> Path:
    """The same place for whoever starts in another folder. Links keep their names, unless `..` leads out of one."""
    return place_of(path) if ".." in path.parts else path.absolute()


def is_shipped(path: Path) -> bool:
    """Whether a document is one of the examples that come with the program: trusted, and never written beside."""
    import resources

    return place_of(path).is_relative_to(Path(resources.__file__).resolve().parent)


def store_url(document: Path | None) -> str:
    """The store of a document's runs: `.stepwell/runs.db` beside it, or in the user's data folder where that cannot be
    written (a read-only folder, a shipped example, a document without a file). Its folder is made.
    """
    file = runs_file(document)
    file.parent.mkdir(parents=True, exist_ok=True)
    return f"sqlite:{file}"


def runs_file(document: Path | None) -> Path:
    """The file of that store, which need not be there; nothing is made."""
    if document is not None and not is_shipped(document):
        folder = place_of(document).parent / RUNS_FOLDER
        if os.access(folder if folder.exists() else folder.parent, os.W_OK):
            return folder / RUNS_FILE
    where = str(place_of(document)) if document is not None else "untitled"
    stem = document.name.split(".")[0] if document is not None else "untitled"
    # The digest keeps two documents of one name apart.
    return _data_place() / "runs" / f"{stem}-{blake2b(os.fsencode(where), digest_size=4).hexdigest()}" / RUNS_FILE
