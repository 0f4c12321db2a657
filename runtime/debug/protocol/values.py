"""Values for display, headers, and more of a large value."""

from __future__ import annotations

from pydantic import Field

from runtime import checkpoint
from runtime.checkpoint import HEADER_FIELDS, CheckpointHeader, shown_fields
from runtime.debug.protocol.packets import Model
from runtime.patches.patch import Patch


class Value(Model):
    """A value for display: the name of its type, one line of text, and its children as
    far as they were requested.

    `count` is the number of children; `children` is None if they were not sent. The
    way to a child is its position: `expand` takes the list of positions from the
    root of the section.
    """

    type: str
    text: str
    count: int = 0
    children: tuple[tuple[str, Value], ...] | None = None


# A header travels as it is declared. It is no model, because a window holds one for
# each checkpoint of a timeline, and a model weighs 3 KB.
Header = CheckpointHeader
# Names of further rows for a header, with a function that tells which of them a header
# has.
HEADER_CAPTIONS = tuple(
    field.kept.caption for field in HEADER_FIELDS if field.kept.caption
)
header_rows = shown_fields
PINNED = checkpoint.PINNED  # a tag


class ExpandArguments(Model):
    """`section` is that of a tree, such as state, or `request:<id>`, `output:<index>`,
    `queue:<place>`, `held:<place>`, `params:<node>`, `own:<node>`; `path` are
    positions, and `inside` and `runs` lead to a run of a sub-workflow as in
    `InspectArguments`. With a `patch` it is a value of the checkpoint as the patch
    leaves it.
    """

    checkpoint_id: str | None = None
    section: str
    path: tuple[int, ...] = ()
    offset: int = Field(default=0, ge=0)
    limit: int = Field(default=200, ge=1, le=2000)
    inside: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    patch: Patch | None = None


class HeaderBody(Model):
    header: Header


class ExpandBody(Model):
    """The children of a value, and its other views: `text` is a text with its line
    breaks, of which `cut` characters at the end are left out; `picture` has the
    bytes of a picture in base64.
    """

    children: tuple[tuple[str, Value], ...]
    count: int
    text: str | None = None
    cut: int = 0
    picture: str = ""
