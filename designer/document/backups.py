"""Earlier versions of documents, put aside when a save replaces them or when unsaved work is given up. Knows no Qt.

They lie in the user's data folder, not beside the document: a folder under version control stays as it is, and a
version outlives the removal of its document. Whatever bytes were there are kept, a workflow or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Literal

from runtime.document.definition import FILE_SUFFIX
from runtime.document.files import write_bytes
from runtime.errors import UnfitFileError
from runtime.system.bounded_files import read_bytes
from runtime.system.user_folders import place_of

FOLDER = "backups"
# the newest are all kept; of those before, the last of each day, up to so many together
NEWEST = 10
KEPT = 30
_STAMP = "%Y%m%dT%H%M%S.%fZ"

Reason = Literal["saved", "discarded"]


@dataclass(frozen=True, slots=True)
class Backup:
    """An earlier version: its file, when it was put aside (seconds since 1970), and whether it had been `saved` (a
    save replaced it) or `discarded` (it never was saved).
    """

    file: Path
    time: float
    reason: Reason


def keep(
    folder: Path,
    document: Path | None,
    content: bytes,
    reason: Reason,
    now: datetime | None = None,
) -> None:
    """Put a version of a document aside (None: a drawing without a file), unless it is the newest that is kept.
    Raises `OSError`; there are then as many as before.
    """
    known = backups(folder, document)
    if known and _content(known[0].file) == content:
        return
    place = _place(folder, document)
    # a drawing may hold what is nobody else's business
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    stamp = (now or datetime.now(UTC)).strftime(_STAMP)
    write_bytes(place / f"{stamp}-{reason}{FILE_SUFFIX}", content)
    for old in surplus(backups(folder, document)):
        old.file.unlink(missing_ok=True)


def backups(folder: Path, document: Path | None) -> list[Backup]:
    """The versions of a document that are kept, the newest first."""
    found = (_backup(file) for file in _place(folder, document).glob(f"*{FILE_SUFFIX}"))
    return sorted(
        (backup for backup in found if backup),
        key=lambda backup: backup.file.name,
        reverse=True,
    )


def surplus(known: Sequence[Backup]) -> list[Backup]:
    """Those of `known`, the newest first, that need not be kept any longer."""
    last_of_days: dict[str, Backup] = {}
    for backup in known[NEWEST:]:
        last_of_days.setdefault(backup.file.name[:8], backup)
    kept = [*known[:NEWEST], *last_of_days.values()][:KEPT]
    return [backup for backup in known if backup not in kept]


def _place(folder: Path, document: Path | None) -> Path:
    if document is None:
        return folder / FOLDER / "untitled"
    where = place_of(document)
    # The digest keeps two documents of one name apart; a name may be too long for a folder with more behind it.
    digest = blake2b(
        str(where).encode(errors="surrogateescape"), digest_size=6
    ).hexdigest()
    return folder / FOLDER / f"{where.name.removesuffix(FILE_SUFFIX)[:40]}-{digest}"


def _content(file: Path) -> bytes | None:
    """What is kept; None if something else is in its place."""
    try:
        return read_bytes(file)
    except (UnfitFileError, IsADirectoryError):
        return None


def _backup(file: Path) -> Backup | None:
    stamp, _, reason = file.name.removesuffix(FILE_SUFFIX).rpartition("-")
    try:
        time = datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None  # not one of ours
    return Backup(file, time, "discarded" if reason == "discarded" else "saved")
