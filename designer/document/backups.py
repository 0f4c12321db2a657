"""Backups of documents: versions that a save replaced, and discarded changes. Without
Qt.

They are in the user's data folder and not beside the document, because a folder under
version control should not change, and a backup should outlive its document. A backup
has the bytes of the file, whether they are a workflow or not.
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
# The newest are all kept; of older ones, the last of each day, up to so many in all.
NEWEST = 10
MOST = 30
_STAMP = "%Y%m%dT%H%M%S.%fZ"

Reason = Literal["saved", "discarded"]


@dataclass(frozen=True, slots=True)
class Backup:
    """An earlier version: its file, the time of the backup (seconds since 1970), and
    whether it was `saved` before (a save replaced it) or `discarded` (it was never
    saved).
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
    """Back up a version of a document (None: a drawing without a file), unless the
    newest backup is equal. Raise `OSError`, and removes no backup then.
    """
    known = backups(folder, document)
    if known and _content(known[0].file) == content:
        return
    place = _place(folder, document)
    # A drawing may hold private data.
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    stamp = (now or datetime.now(UTC)).strftime(_STAMP)
    write_bytes(place / f"{stamp}-{reason}{FILE_SUFFIX}", content)
    for backup in surplus(backups(folder, document)):
        backup.file.unlink(missing_ok=True)


def backups(folder: Path, document: Path | None) -> list[Backup]:
    """Return the backups of a document, the newest first."""
    files = _place(folder, document).glob(f"*{FILE_SUFFIX}")
    known = [backup for backup in map(_backup, files) if backup is not None]
    return sorted(known, key=lambda backup: backup.file.name, reverse=True)


def surplus(known: Sequence[Backup]) -> list[Backup]:
    """Return those of `known`, the newest first, that can be removed."""
    last_of_days: dict[str, Backup] = {}
    for backup in known[NEWEST:]:
        last_of_days.setdefault(backup.file.name[:8], backup)
    keep = [*known[:NEWEST], *last_of_days.values()][:MOST]
    return [backup for backup in known if backup not in keep]


def _place(folder: Path, document: Path | None) -> Path:
    if document is None:
        return folder / FOLDER / "untitled"
    path = place_of(document)
    encoded = str(path).encode(errors="surrogateescape")
    # The digest is there because two documents may have one name. The name is cut
    # because it may be as long as a name of a folder can be.
    digest = blake2b(encoded, digest_size=6).hexdigest()
    return folder / FOLDER / f"{path.name.removesuffix(FILE_SUFFIX)[:40]}-{digest}"


def _content(file: Path) -> bytes | None:
    """Return the content of a backup; None if it is no file that we wrote."""
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
