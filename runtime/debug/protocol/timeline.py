"""Headers, runs, sizes and exports of recorded checkpoints."""

from __future__ import annotations

from pydantic import Field

from runtime.debug.protocol.packets import Model
from runtime.debug.protocol.values import Header


class RunsArguments(Model):
    """`store` is the URL of another store than the one that is open; it is only read."""

    store: str = ""


class ExportArguments(Model):
    """The checkpoints to export, in the order of the answer."""

    checkpoints: tuple[str, ...] = Field(max_length=64)


class SizesArguments(Model):
    """The checkpoints to measure, in the order of the answer."""

    checkpoints: tuple[str, ...] = Field(max_length=64)


class TimelineArguments(Model):
    run_id: str | None = None
    after: int = Field(default=0, ge=0)
    limit: int = Field(default=2000, ge=1)


class DeleteRunsArguments(Model):
    """The live run cannot be deleted. If it is among them, none is deleted."""

    run_ids: tuple[str, ...]


class AnnotateArguments(Model):
    checkpoint_id: str
    tags: tuple[str, ...] | None = None
    note: str | None = None


class TimelineBody(Model):
    """`more` is true when there are headers after the last of these."""

    headers: tuple[Header, ...]
    more: bool = False


class ExportBody(Model):
    """A JSON text for each checkpoint."""

    lines: tuple[str, ...]


class PartSize(Model):
    """`kind` and `name` are those of the part in the manifest: `shared` and the key of
    the state, `executor` and its id, and so on. `size` is in bytes. `way` has the keys
    of the invocations that lead to its run, empty for the outermost.
    """

    kind: str
    name: str
    size: int
    way: tuple[str, ...] = ()


class SizesColumn(Model):
    """The parts of one checkpoint; none where it is unreadable, with the reason."""

    checkpoint_id: str
    parts: tuple[PartSize, ...] = ()
    unreadable: str = ""


class SizesBody(Model):
    columns: tuple[SizesColumn, ...]


class RunInfo(Model):
    run_id: str
    workflow: str
    checkpoints: int
    branches: int
    latest: Header


class RunsBody(Model):
    runs: tuple[RunInfo, ...]
