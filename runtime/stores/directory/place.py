"""The folder of a store: how it is recognised, made, and tidied.

stepwell-store.json     says what this is, and in which format
lock                    held by the process that writes
records/                one file per checkpoint, see `names` and `record`
parts/                  one file per part, named by its digest
.….tmp                  a file that is being written; the next writer removes one whose process was killed
"""

from __future__ import annotations

import json
import re
import secrets
from pathlib import Path

from runtime.errors import CheckpointStoreError
from runtime.stores.directory.disk import (
    Disk,
    check_folder,
    is_plain_file,
    locked,
    names_in,
    read,
)
from runtime.system.bounded_files import from_json

FORMAT = 1
_HOLDS = "stepwell checkpoints"
_TEMPORARY = re.compile(r"\.[0-9a-f]{24}\.tmp")


class Place:
    """The paths in the folder. It is absolute, so that the paths stay right when the
    working directory changes.
    """

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder.absolute()
        self.url = url
        self.records = self.folder / "records"
        self.parts = self.folder / "parts"
        self.lock = self.folder / "lock"
        self.mark = self.folder / "stepwell-store.json"

    def temporary(self) -> Path:
        return self.folder / f".{secrets.token_hex(12)}.tmp"

    def check(self) -> bool:
        """Return whether the folder is a store. Raise `CheckpointStoreError` for one of
        another program, or of a newer format.
        """
        if not is_plain_file(self.mark):
            return False
        try:
            mark = from_json(read(self.mark, 4096)[0])
            ours = mark["holds"] == _HOLDS
            version = int(mark["format"])
        except (ValueError, TypeError, LookupError):
            ours = False
            version = 0
        if not ours:
            raise CheckpointStoreError(
                f"{self.url} is a folder of another program. Choose another folder."
            )
        if version > FORMAT:
            raise CheckpointStoreError(
                f"{self.url} has format {version}, and this program knows formats up to {FORMAT}. "
                "Open it with a newer version of Stepwell; it was left untouched."
            )
        return True

    def check_there(self) -> None:
        if not self.folder.is_dir():
            raise CheckpointStoreError(
                f"There is no folder {self.folder}. A store is made by the first run that is saved in it."
            )
        if not self.check():
            raise CheckpointStoreError(
                f"{self.url} holds no checkpoints. A store is made by the first run that is saved in it."
            )

    def check_folders(self) -> None:
        """Refuse folders that are links, because their targets are not ours."""
        for folder in (self.records, self.parts):
            check_folder(folder)

    def make(self, disk: Disk, patience: float) -> None:
        """Make the store if there is none. Several processes may do so at once: the
        first makes it.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.check():
            return
        if foreign := [
            name
            for name in names_in(self.folder)
            if not (name.startswith(".") or self._is_ours(name))
        ]:
            raise CheckpointStoreError(
                f"{self.url} has other files in it ({min(foreign)!r}). Choose an empty folder, or a new one."
            )
        with locked(self.lock, patience):
            if not self.check():
                self._fill(disk)

    def _is_ours(self, name: str) -> bool:
        """Return whether a name is one that another process, which makes the store at
        this moment, may have made already.
        """
        return name in {
            path.name for path in (self.records, self.parts, self.lock, self.mark)
        }

    def make_folders(self) -> None:
        for folder in (self.records, self.parts):
            folder.mkdir(exist_ok=True)

    def _fill(self, disk: Disk) -> None:
        self.make_folders()
        mark = self.temporary()
        disk.write(
            mark, json.dumps({"holds": _HOLDS, "format": FORMAT}).encode() + b"\n"
        )
        disk.move(mark, self.mark)  # last, because the store exists from now on
        disk.sync(self.folder)
        disk.sync(self.folder.parent)

    def tidy(self, disk: Disk) -> None:
        """Remove files whose writer ended before it was done. Only the holder of the
        lock may do so.
        """
        for name in names_in(self.folder):
            if _TEMPORARY.fullmatch(name):
                disk.remove(self.folder / name)
