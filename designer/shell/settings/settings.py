"""The settings of the window: theme, sizes, recent files, trusted folders. One JSON
file, read once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, astuple, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from designer.look.theme import ThemeChoice
from designer.shell.settings.motion import effects_are_off
from designer.shell.settings.scale import SIZES
from runtime.document.files import write_bytes
from runtime.errors import UnfitFileError
from runtime.system.bounded_files import MEGABYTE, from_json, read_bytes
from runtime.values.json_bytes import json_bytes

RECENT_LIMIT = 20
OUR_KEYS = "stepwell"  # the set of shortcuts that is no other program's


@dataclass(frozen=True)
class Recent:
    """A workflow that was opened: when (seconds since 1970), and the outcome of its
    last run.
    """

    path: str
    opened: float
    checkpoints: int = 0
    branches: int = 0
    outcome: str = ""
    status: str = ""


@dataclass
class Values:
    # May be of a package that is no longer installed; `Look` says so then.
    theme: ThemeChoice = "system"
    reduce_motion: bool = False
    full_motion: bool = False  # although the system wants reduced motion
    scale: int = 100  # per cent
    geometry: str = ""
    splitters: dict[str, list[int]] = field(default_factory=dict)
    # The user's own keys, by command.
    shortcuts: dict[str, str] = field(default_factory=dict)
    preset: str = OUR_KEYS  # the set of shortcuts below them
    # The command that opens source files; see `designer.panels.code.external_editor`.
    editor: str = ""
    trusted: list[str] = field(default_factory=list)
    recent: list[Recent] = field(default_factory=list)


LARGEST = 4 * MEGABYTE  # bytes of the file


class Settings:
    """Writes each change atomically. A file that cannot be read is renamed, and not
    replaced.

    tell             gets the reason why settings cannot be written, once until they can
    system_is_still  returns whether the system wants reduced motion
    """

    def __init__(
        self, file: Path, system_is_still: Callable[[], bool] = effects_are_off
    ) -> None:
        self._file = file
        self.system_is_still = system_is_still
        self._has_failed = False  # the last write
        self.tell: Callable[[str], object] = lambda _text: None
        self.values = self._read()

    def _read(self) -> Values:
        try:
            return _values(from_json(read_bytes(self._file, LARGEST)))
        except FileNotFoundError:
            return Values()
        except (
            ValueError,
            TypeError,
            AttributeError,
            UnfitFileError,
            IsADirectoryError,
        ):
            self._file.replace(self._file.with_suffix(".broken.json"))
            return Values()

    def write(self) -> None:
        try:
            write_bytes(self._file, json_bytes(asdict(self.values), indent=True))
        except OSError as error:
            if not self._has_failed:
                self._has_failed = True
                self.tell(f"Settings and recent workflows cannot be saved: {error}.")
        else:
            self._has_failed = False

    # --- motion ---

    @property
    def still(self) -> bool:
        """Whether motion is reduced: as the user chose, otherwise as the system wants."""
        if self.values.reduce_motion:
            return True
        return self.system_is_still() and not self.values.full_motion

    def set_still(self, still: bool) -> None:
        """Remember a choice only where it differs from the system's, so that the system
        is followed again after its setting changes.
        """
        system_is_still = self.system_is_still()
        self.values.reduce_motion = still and not system_is_still
        self.values.full_motion = system_is_still and not still
        self.write()

    # --- recent files ---

    def opened(self, path: Path, now: float) -> None:
        entry = Recent(str(path), now)
        others = []
        for other in self.values.recent:
            if other.path == entry.path:
                entry = replace(other, opened=now)
            else:
                others.append(other)
        self.values.recent = [entry, *others][:RECENT_LIMIT]
        self.write()

    def ran(self, path: Path, **facts: Any) -> None:
        """Remember the last run of a recent workflow: `checkpoints`, `branches`,
        `outcome` and `status`.
        """
        self.values.recent = [
            replace(entry, **facts) if entry.path == str(path) else entry
            for entry in self.values.recent
        ]
        self.write()

    def forget(self, path: str) -> None:
        self.values.recent = [
            entry for entry in self.values.recent if entry.path != path
        ]
        self.write()

    # --- trust ---

    def is_trusted(self, folder: str) -> bool:
        return folder in self.values.trusted

    def trust(self, folder: str) -> None:
        if folder not in self.values.trusted:
            self.values.trusted.append(folder)
            self.write()


def _values(raw: Any) -> Values:
    """Settings from a file. Raise `ValueError` or `TypeError` for what cannot be them;
    unknown names are left out.
    """
    if not isinstance(raw, dict):
        raise TypeError("settings are an object")
    known = {f.name: raw[f.name] for f in fields(Values) if f.name in raw}
    recent = [Recent(**entry) for entry in known.get("recent", [])]
    # Older versions saved relative paths, whose folder is unknown.
    known["recent"] = [entry for entry in recent if Path(entry.path).is_absolute()]
    values = Values(**known)
    for f, default in zip(fields(Values), astuple(Values()), strict=True):
        if type(getattr(values, f.name)) is not type(default):
            raise TypeError(f"{f.name} is of another type")
    if not all(type(keys) is str for keys in values.shortcuts.values()):
        raise TypeError("shortcuts are texts")
    if values.scale not in SIZES:
        raise ValueError(f"there is no size {values.scale} %")
    return values
