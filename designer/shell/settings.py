"""What the window remembers between starts: theme, sizes, recent files, trusted folders. One JSON file, read once."""

from __future__ import annotations

import os
import tempfile
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import orjson

from designer.look.theme import ThemeChoice

RECENT_LIMIT = 20


@dataclass(frozen=True)
class Recent:
    """A workflow that was open: when (seconds since 1970), and how its last run stood."""

    path: str
    opened: float
    checkpoints: int = 0
    branches: int = 0
    outcome: str = ""
    status: str = ""


@dataclass
class Values:
    theme: ThemeChoice = "system"
    reduce_motion: bool = False
    geometry: str = ""
    splitters: dict[str, list[int]] = field(default_factory=dict)
    shortcuts: dict[str, str] = field(default_factory=dict)
    trusted: list[str] = field(default_factory=list)
    recent: list[Recent] = field(default_factory=list)


class Settings:
    """Changes are written at once and whole; a file that cannot be read is kept aside, never overwritten silently."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.values = self._read()

    def _read(self) -> Values:
        try:
            raw = orjson.loads(self._file.read_bytes())
            known = {f.name for f in fields(Values)}
            values = Values(**{name: value for name, value in raw.items() if name in known})
            values.recent = [Recent(**entry) for entry in raw.get("recent", [])]
        except FileNotFoundError:
            return Values()
        except (OSError, ValueError, TypeError, AttributeError):
            self._file.replace(self._file.with_suffix(".broken.json"))
            return Values()
        return values

    def write(self) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self._file.parent, prefix=".settings-")
        with os.fdopen(handle, "wb") as stream:
            stream.write(orjson.dumps(asdict(self.values), option=orjson.OPT_INDENT_2))
        Path(name).replace(self._file)

    # --- recent files ---

    def opened(self, path: Path, now: float) -> None:
        known = next((entry for entry in self.values.recent if entry.path == str(path)), None)
        entry = replace(known, opened=now) if known else Recent(str(path), now)
        rest = [other for other in self.values.recent if other.path != str(path)]
        self.values.recent = [entry, *rest][:RECENT_LIMIT]
        self.write()

    def ran(self, path: Path, **facts: Any) -> None:
        """Remember how the last run of a recent workflow stands: `checkpoints`, `branches`, `outcome`, `status`."""
        self.values.recent = [
            replace(entry, **facts) if entry.path == str(path) else entry for entry in self.values.recent
        ]
        self.write()

    def forget(self, path: str) -> None:
        self.values.recent = [entry for entry in self.values.recent if entry.path != path]
        self.write()

    # --- trust ---

    def is_trusted(self, folder: str) -> bool:
        return folder in self.values.trusted

    def trust(self, folder: str) -> None:
        if folder not in self.values.trusted:
            self.values.trusted.append(folder)
            self.write()
