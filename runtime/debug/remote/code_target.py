"""What `stepwell debug` runs, and the command of the host that runs it."""

from __future__ import annotations

import sys
from typing import Any

from pydantic import BaseModel, ConfigDict

HOST_COMMAND = (sys.executable, "-P", "-X", "utf8", "-m", "runtime.debug")


class CodeTarget(BaseModel):
    """A workflow that was made in code.

    reference  where it is, as `module:name`
    folder     where its module is looked for first
    store      the URL of the store for checkpoints, by default the workflow's own, and
               if it has none, the `spare_store`
    input      the input of a fresh run, if it `has_input`
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    reference: str
    folder: str
    store: str = ""
    spare_store: str = "memory:"
    has_input: bool = False
    input: Any = None

    @property
    def command(self) -> list[str]:
        """The command of a host process for it."""
        return [*HOST_COMMAND, self.model_dump_json()]
