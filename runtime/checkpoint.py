"""A checkpoint: a run at a barrier, with its place in the lineage. And the contract of
every store.

Order is lineage: parents and sequence numbers, never clocks. The past is never
rewritten, and a branch is a line: a run that goes on from a checkpoint which is not the
head of its branch opens a new branch.

`CheckpointHeader` is the one declaration of the fields of a header. Stores, the
protocol of the debugger, `stepwell show` and the timeline derive what they do from it,
by `HEADER_FIELDS`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import blake2b
from typing import Annotated, Any, NamedTuple, Protocol, TypeVar

from runtime.calls import Call
from runtime.state import RunState, Trace
from runtime.values.kept_fields import Keeper, Kept, is_set, kept_fields

FORMAT_VERSION = 3
# The format of a checkpoint that has nothing which only the newest one has, so that
# older versions read it too.
COMMON_FORMAT = 2
MAIN_BRANCH = "main"
# The tag of a checkpoint that no pruning removes.
PINNED = "pinned"
_BLANK = blake2b(digest_size=16)


def is_text(value: str) -> bool:
    """Return whether a text can be written as UTF-8, which lone surrogates cannot."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def digest_of(data: bytes) -> str:
    """Return the name of a part: 32 hexadecimal digits, from its bytes."""
    # A copy takes three quarters of the time of a new one, which reads its parameters
    # again.
    blake = _BLANK.copy()
    blake.update(data)
    return blake.hexdigest()


class Cause(StrEnum):
    """Why a checkpoint was saved."""

    INPUT = "input"
    SUPERSTEP = "superstep"
    RESPONSE = "response"
    FORK = "fork"
    EDIT = "edit"


@dataclass(frozen=True, slots=True)
class CheckpointHeader:
    """The small part of a checkpoint: enough for a timeline, read without touching a
    payload.

    A new field is one line at the end of this class, such as

    cost: Annotated[float, Kept(added=True, caption="Cost")] = 0.0

    sequence       given by the store at save: grows with every save of the store, never reused
    branch         name of the line of checkpoints it stands on, unique in its run
    signature      digest of the graph that the run ran with
    time           seconds since 1970, for people; never used for order
    status         run state at this barrier, the value of a `WorkflowRunState`
    queued, buffered, requests, stalled   counts: messages queued, messages held by joins, open requests, stalled joins
    size, new_size bytes of all parts, and of those that this checkpoint added
    damaged        why the record cannot be loaded, or empty; in a damaged header an empty text, and no tags, mean that
                   it may have been anything
    changed        of the cause `edit`: how the graph differs from that of the parent, in one line
    edited         of the cause `edit`: how much a patch changed, such as "3 changes"
    """

    id: str
    run_id: str
    workflow: Annotated[str, Kept(repeats=True)]
    superstep: int
    cause: Annotated[Cause, Kept(repeats=True)]
    parent: str | None = None
    branch: Annotated[str, Kept(repeats=True)] = MAIN_BRANCH
    sequence: Annotated[int, Kept(Keeper.STORE)] = 0
    signature: Annotated[str, Kept(repeats=True)] = ""
    time: float = 0.0
    format: int = COMMON_FORMAT
    status: Annotated[str, Kept(repeats=True)] = ""
    queued: int = 0
    buffered: int = 0
    requests: int = 0
    stalled: int = 0
    size: int = 0
    new_size: int = 0
    tags: Annotated[tuple[str, ...], Kept(Keeper.ANNOTATE)] = ()
    note: Annotated[str, Kept(Keeper.ANNOTATE)] = ""
    damaged: Annotated[str, Kept(Keeper.STORE)] = ""
    changed: Annotated[str, Kept(added=True, caption="Graph changed")] = ""
    edited: Annotated[str, Kept(added=True, caption="Edited")] = ""


HEADER_FIELDS = kept_fields(CheckpointHeader)


class InLineage(Protocol):
    """A checkpoint with its place in the lineage."""

    @property
    def parent(self) -> str | None: ...
    @property
    def sequence(self) -> int: ...


_InLineage = TypeVar("_InLineage", bound=InLineage)


def parent_among(
    checkpoint: InLineage, known: Mapping[str, _InLineage]
) -> _InLineage | None:
    """Return the parent of a checkpoint if it is known, by its id. In a damaged store a
    parent may be named that was saved later: it is none, so that each way ends.
    """
    if checkpoint.parent is None:
        return None
    parent = known.get(checkpoint.parent)
    if parent is None or parent.sequence >= checkpoint.sequence:
        return None
    return parent


def shown_fields(header: CheckpointHeader) -> list[tuple[str, str]]:
    """Return caption and words of each field that views show without knowing it."""
    shown = []
    for header_field in HEADER_FIELDS:
        kept = header_field.kept
        if kept.caption and is_set(header, header_field):
            value = getattr(header, header_field.name)
            shown.append((kept.caption, kept.words(value)))
    return shown


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A decoded checkpoint. It is the caller's own: nothing in it is shared with the
    store or with any run.

    change  of the cause `edit`: how a changed workflow took the run over from the parent, as JSON: from, signature (of
            the graph before), changes, mapping, kept, dropped
    patch   of the cause `edit`: the patch that made it of the parent, as JSON (`runtime.patches.Patch`)
    calls   what the calls of the superstep before did that reached outside of the run
    """

    header: CheckpointHeader
    state: RunState
    trace: Trace = field(default_factory=Trace)
    definition: Mapping[str, Any] | None = None
    change: Mapping[str, Any] | None = None
    patch: Mapping[str, Any] | None = None
    calls: tuple[Call, ...] = ()


class Part(NamedTuple):
    """One entry of a manifest: `kind` (shared, executor, buffer, queue, request, child,
    trace, definition, change, patch, call), the name within the kind, and the digest of its
    encoded bytes.
    """

    kind: str
    name: str
    digest: str


@dataclass(frozen=True, slots=True)
class Record:
    """What a store keeps of one checkpoint: its header and the list of its parts."""

    header: CheckpointHeader
    manifest: tuple[Part, ...]

    @property
    def digests(self) -> list[str]:
        """Return the digests of its parts, each once."""
        return list(dict.fromkeys([part.digest for part in self.manifest]))


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One run of a store: its checkpoints counted, and the header of the newest."""

    run_id: str
    workflow: str
    checkpoints: int
    branches: int
    latest: CheckpointHeader


class CheckpointStore(Protocol):
    """Keeps checkpoints as immutable bytes.

    Ownership: what `save` was given may be changed by the caller afterwards without
    effect on the store, and what any method returns belongs to the caller: changing it
    changes nothing in the store. Values never enter a store, only bytes and frozen
    headers do, so a store cannot hand out a live reference.

    Every method is safe to call from several tasks at once. A method that fails leaves
    the store as it was. `runtime.testing.conformance` checks this contract for any
    implementation.
    """

    url: str

    async def save(
        self, record: Record, parts: Mapping[str, bytes]
    ) -> CheckpointHeader:
        """Keep one checkpoint, durably when this returns. One transaction: all of it or
        nothing.

        `parts` maps digest to bytes, for the parts that this checkpoint adds. Parts
        that the store has already may be left out or given again. Return the header
        with its `sequence`.

        A branch is a line: if the branch of that run has a checkpoint already, the
        parent must be its head, the one with the highest sequence. That is checked in
        the same transaction, so that of two writers who go on from one checkpoint on
        one branch, in any process, exactly one is saved.

        Raise `CheckpointConflictError` if the id exists or the parent does not,
        `BranchMovedError`, which is one, with the id of the head if the parent is not
        the head, `PartsMissingError` if a digest of the manifest is neither given nor
        in the store, and `CheckpointStoreError` if the medium fails, or for texts (ids,
        names, tags, note) with lone surrogates.
        """
        ...

    async def load(self, checkpoint_id: str) -> Record:
        """Return a record. Raise `CheckpointNotFoundError`, or `CheckpointDamagedError`
        if it cannot be read.
        """
        ...

    async def parts(self, digests: Sequence[str]) -> dict[str, bytes]:
        """Return the bytes of each digest. Raise `CheckpointDamagedError` if one is
        missing or does not match its digest.
        """
        ...

    async def headers(
        self,
        *,
        run_id: str | None = None,
        workflow: str | None = None,
        branch: str | None = None,
        tag: str | None = None,
        after: int = 0,
        limit: int | None = None,
    ) -> list[CheckpointHeader]:
        """Return headers in the order of their sequence, those after sequence `after`,
        at most `limit`.

        A filter matches literally and as a whole. Damaged records are listed, with
        `damaged` set, wherever their remains do not contradict the filter, because a
        lost name may have been any, and a store that answered with nothing would look
        empty. Raise `ValueError` for a negative limit.
        """
        ...

    async def latest(
        self,
        *,
        run_id: str | None = None,
        branch: str | None = None,
        workflow: str | None = None,
    ) -> CheckpointHeader | None:
        """Return the header with the highest sequence among those that `headers` lists
        for these filters, or None.
        """
        ...

    async def runs(self) -> list[RunSummary]:
        """Return all runs, the most recently written first."""
        ...

    async def annotate(
        self,
        checkpoint_id: str,
        *,
        tags: Sequence[str] | None = None,
        note: str | None = None,
    ) -> CheckpointHeader:
        """Replace the tags or the note of a checkpoint.

        Raise `CheckpointNotFoundError`, or `CheckpointDamagedError`, because a damaged
        record is never written over.
        """
        ...

    async def delete(self, checkpoint_ids: Sequence[str]) -> int:
        """Remove checkpoints, with the parts that nothing else uses. Return how many
        were there.

        Every checkpoint is complete in itself: the one after a removed one restores as
        before, and its `parent` then names a gap. The checks are made in the same
        transaction: raise `CheckpointKeptError`, and remove nothing, if one is tagged
        `PINNED` or is the head of its branch (the newest of it that can be read), and
        `CheckpointDamagedError` if one cannot be read.
        """
        ...

    async def delete_run(self, run_id: str) -> int:
        """Remove a whole run, with the parts that nothing else uses. Return how many
        checkpoints it had.
        """
        ...

    async def close(self) -> None:
        """Release what the store holds. The caller that opened a store closes it."""
        ...
