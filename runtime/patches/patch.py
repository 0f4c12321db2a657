"""`Patch`: what becomes of a checkpoint, change by change.

The changes are independent of each other, so that each can be taken back on its own:
a message is named by its place in the original checkpoint, never in a half-changed one.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from runtime.errors import PatchError

PATCH_FORMAT = 1

Doing = Literal[
    "set",
    "remove",
    "drop",
    "duplicate",
    "move",
    "address",
    "add",
    "answer",
    "withdraw",
]
PatchedSection = Literal["state", "executors", "queue", "buffers", "requests"]
# What can be done in each section.
DOINGS: dict[PatchedSection, tuple[Doing, ...]] = {
    "state": ("set", "remove"),
    "executors": ("set", "remove"),
    "queue": ("set", "remove", "drop", "duplicate", "move", "address", "add"),
    "buffers": ("set", "remove", "drop", "duplicate", "move", "address", "add"),
    "requests": ("set", "answer", "withdraw"),
}


class _Model(BaseModel):
    # A field that nobody knows is a slip of the pen, and must not be passed over.
    model_config = ConfigDict(frozen=True, extra="forbid")


class Spot(_Model):
    """Which message of a queue or of a join.

    place   0-based, in the original checkpoint
    added   instead: the id of the change that added or duplicated the message
    was     its value in the original, as JSON; counts only together with `source`
    source  from whom it was there; without it the message is known by its place alone
    target  to whom it was addressed there; None for wherever the edges lead
    """

    place: int | None = None
    added: str = ""
    was: Any = None
    source: str | None = None
    target: str | None = None


class PatchChange(_Model):
    """One change.

    id       unique in the patch: "c1", "c2", …
    do       set a value, or a part of it; remove a key or an item; drop, duplicate, move or address a message; add one;
             answer or withdraw a question
    run      keys of invocations that lead to the run of a sub-workflow; () for the outermost
    key      a key of the shared state, the id of an executor, the key of a join, the id of a question
    spot     the message that is meant
    path     leads into the value, by keys, names of fields and places; () for all of it
    value    as JSON. It gets the type of what stood there, of the handler that takes it, or of the awaited answer
    type     the name of a registered type, where JSON alone leaves it open
    source   of an added message, or the new one of an addressed one; None for the one of before
    target   of these; None for wherever the edges lead
    to       where a moved or added message stands at the end: 0-based, after all other changes; None for the last
    was      what stood at `path` in the original; if it is another, that is a warning. None for whatever stood there
    """

    id: str
    do: Doing
    section: PatchedSection
    run: tuple[str, ...] = ()
    key: str = ""
    spot: Spot | None = None
    path: tuple[str | int, ...] = ()
    value: Any = None
    type: str = ""
    source: str | None = None
    target: str | None = None
    to: int | None = None
    was: Any = None

    @model_validator(mode="after")
    def _can_be_done(self) -> PatchChange:
        if self.do not in DOINGS[self.section]:
            possible = ", ".join(DOINGS[self.section])
            raise ValueError(
                f"'{self.do}' is nothing for the section '{self.section}'. Possible are {possible}."
            )
        return self


class Patch(_Model):
    """A patch. It applies whole or not at all.

    name      of the fork, if the caller gives none
    note      for people
    made_for  the id of the checkpoint that the places are of
    """

    format: Literal[1] = 1
    name: str = ""
    note: str = ""
    made_for: str = ""
    changes: tuple[PatchChange, ...] = ()

    @model_validator(mode="after")
    def _has_names_for_its_changes(self) -> Patch:
        seen: set[str] = set()
        for change in self.changes:
            if not change.id or change.id in seen:
                raise ValueError(
                    f"Two changes have the id '{change.id}'. Give each change its own id."
                    if change.id
                    else "A change has no id. Give each change its own id, such as 'c1'."
                )
            seen.add(change.id)
        return self

    def as_json(self) -> dict[str, Any]:
        """Return the patch as JSON values, without the fields that are as by default."""
        # Not in the mode "json", which fails at a lone surrogate.
        fields = self.model_dump(exclude_defaults=True)
        return {"format": self.format, **_with_lists(fields)}


def _with_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_lists(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_with_lists(item) for item in value]
    return value


def patch_from(data: Any) -> Patch:
    """Return the patch of a JSON value. Raise `PatchError` that says what is wrong."""
    try:
        return Patch.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = "".join(
            f"[{step}]" if isinstance(step, int) else f".{step}"
            for step in first["loc"]
        )
        text = first["msg"].removeprefix("Value error, ")
        raise PatchError(
            f"{place.removeprefix('.')}: {text}" if place else text
        ) from error
