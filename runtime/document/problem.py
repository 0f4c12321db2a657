"""What a check finds in a document: one problem, with its place and its remedy."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class Problem(BaseModel):
    """What `check` finds. `location` is a node or edge id, `part` the place in it
    (`params.path`, `cases[1].when`).

    `inside` leads into a sub-workflow: the ids from the workflow inside `location` on;
    the last id is where the problem is. `inside_rule` and `inside_part` are what `rule`
    and `part` are there.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    severity: Literal["error", "warning", "info"]
    rule: str
    message: str
    location: str = ""
    part: str = ""
    remedy: str = ""
    line: int = 0
    column: int = 0
    inside: tuple[str, ...] = ()
    inside_rule: str = ""
    inside_part: str = ""
