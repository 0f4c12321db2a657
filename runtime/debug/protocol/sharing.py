"""Checkpoints to one file, and from it into the store that is open."""

from __future__ import annotations

from typing import Literal

from runtime.debug.protocol.packets import Model


class ShareArguments(Model):
    """Write a run, a branch or a checkpoint of the store that is open to a file.

    file       where to; without one nothing is written, and the reply says what the file would hold
    ancestors  with a branch: whether the checkpoints from which it has forked go along
    """

    scope: Literal["checkpoint", "branch", "run"]
    run_id: str = ""
    branch: str = ""
    checkpoint_id: str = ""
    ancestors: bool = True
    file: str = ""


class ShareBody(Model):
    """What is in the file, or would be.

    bytes       of all parts, about, before they are compressed
    holds       sentences on what is in the file, and what is not
    file_bytes  of the file that was written
    left_out    ids of checkpoints that cannot be read
    """

    workflow: str
    checkpoints: int
    branches: int
    bytes: int
    holds: tuple[str, ...]
    file_bytes: int = 0
    left_out: tuple[str, ...] = ()


class ReceiveArguments(Model):
    """Import a shared file into the store that is open. With `dry_run` it is only
    checked, and the reply says what an import would do.
    """

    file: str
    dry_run: bool = False


class ReceiveBody(Model):
    """What an import did, or would do.

    present   how many checkpoints of the file the store has already
    reworded  how many of these have other tags or another note there, which stay
    run_id    the run of the newest checkpoint of the file
    newest    the id of that checkpoint; empty for a dry run
    """

    made_by: str
    workflow: str
    checkpoints: int
    present: int
    reworded: int
    runs: int
    run_id: str
    newest: str = ""

    @property
    def added(self) -> int:
        return self.checkpoints - self.present


class SharingBody(Model):
    """How far the file is that is written, read or checked: checkpoints done, of how
    many. `total` is 0 where it is not known.
    """

    done: int
    total: int
