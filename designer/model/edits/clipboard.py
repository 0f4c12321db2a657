"""Copy and paste as text, so that nodes travel between windows, into mails, and back."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

from designer.model import files, frames
from designer.model.design import Design, Points, Position
from designer.model.edge_kinds import kind_of
from designer.model.edits import ends
from designer.model.edits.dots import copied_dots
from designer.model.edits.nodes import with_workflow
from designer.model.edits.ways import led_otherwise, renamed_outside
from designer.model.errors import EditError
from designer.model.layout.tidy import laid_out
from designer.model.names import Names
from runtime.document.definition import (
    AnyEdge,
    EdgeDefinition,
    NodeDefinition,
    WorkflowDefinition,
)
from runtime.document.files import STRICT
from runtime.errors import DefinitionError
from runtime.system.bounded_files import TooDeepError, from_json

# In one paste: more would block the window for longer than a person waits.
MOST_NODES = 10_000


class _Clip(BaseModel):
    """What is copied: nodes, all edges that touch them, frames, all places. `stepwell`
    marks the text as ours.

    `settings` are the workflow's own fields, where the text is that of a file.
    """

    model_config = ConfigDict(frozen=True)

    stepwell: Literal["clip"] = "clip"
    format: Annotated[int, Field(ge=1, le=1)] = 1
    start: str = ""
    nodes: tuple[NodeDefinition, ...] = ()
    frames: tuple[dict[str, Any], ...] = ()
    edges: tuple[AnyEdge, ...] = ()
    positions: dict[str, tuple[FiniteFloat, FiniteFloat]] = Field(default_factory=dict)
    dots: dict[str, dict[str, tuple[tuple[FiniteFloat, FiniteFloat], ...]]] = Field(
        default_factory=dict
    )
    settings: dict[str, Any] = Field(default_factory=dict, exclude=True)


def copy(design: Design, ids: Collection[str]) -> str:
    """Return the nodes and frames among `ids` as JSON text, with all edges of the
    nodes. Raise `EditError` for none.
    """
    clip = _clip_of(design, set(ids))
    if not clip.nodes and not clip.frames:
        raise EditError("Nothing to copy: select a node first.")
    return json.dumps(clip.model_dump(), ensure_ascii=False)


def _clip_of(design: Design, ids: Collection[str]) -> _Clip:
    workflow = design.workflow
    nodes = tuple(node for node in workflow.nodes if node.id in ids)
    node_ids = {node.id for node in nodes}
    edges = tuple(edge for edge in workflow.edges if ends.ends(edge) & node_ids)
    positions = {
        node_id: place
        for node_id, place in design.positions.items()
        if node_id in node_ids
    }
    dots = {
        edge.id: dict(design.dots[edge.id]) for edge in edges if edge.id in design.dots
    }
    return _Clip(
        start=workflow.start if workflow.start in node_ids else "",
        nodes=nodes,
        frames=tuple(frames.copied(design, ids)),
        edges=edges,
        positions=positions,
        dots=dots,
    )


def paste(
    design: Design, text: str, at: Position, *, keep_links: bool = False
) -> tuple[Design, tuple[str, ...]]:
    """Add what `copy` returned, or a workflow file, with its top left corner at `at`.

    Nodes and frames get new ids, which are returned too. Edges between the copied nodes
    come along. With `keep_links` so do those to and from other nodes that still exist:
    a new node then joins the groups that its original is in. The start comes along only
    where there is none. A file that is pasted into an empty drawing brings its name,
    input and other settings along. Raise `EditError` for any other text.
    """
    clip = _read(text)
    names = Names(design)
    new_ids = {node.id: names.take(node.id) for node in clip.nodes}
    nodes = [node.model_copy(update={"id": new_ids[node.id]}) for node in clip.nodes]
    workflow = design.workflow
    edges, copies = _merged(design, clip, new_ids, names, keep_links=keep_links)
    settings = {} if workflow.nodes else clip.settings
    pasted = with_workflow(
        design,
        **settings,
        nodes=(*workflow.nodes, *renamed_outside(tuple(nodes), new_ids)),
        edges=edges,
        start=workflow.start or new_ids.get(clip.start, ""),
    )
    if keep_links:
        pasted = _with_ways(pasted, new_ids)
    positions = {**design.positions, **_placed(clip, new_ids, at)}
    dots = {**design.dots, **_dots(clip, copies, new_ids, positions)}
    pasted = replace(pasted, positions=positions, dots=dots)
    left, top = _corner(clip, clip.positions) if clip.frames else at
    pasted, frame_ids = frames.pasted(pasted, clip.frames, at[0] - left, at[1] - top)
    return pasted, (*new_ids.values(), *frame_ids)


def _with_ways(pasted: Design, new_ids: Mapping[str, str]) -> Design:
    """Let a copy that keeps links to a sub-workflow enter it, and get messages of it,
    where its original does.
    """
    pairs = {pair for edge in pasted.workflow.edges for pair in edge.pairs}

    def with_ways(node: NodeDefinition) -> NodeDefinition:
        senders = {}
        receivers = {}
        for original, copied in new_ids.items():
            if (copied, node.id) in pairs:
                senders[original] = (original, copied)
            if (node.id, copied) in pairs:
                receivers[original] = (original, copied)
        return led_otherwise(node, senders, receivers)

    return with_workflow(pasted, nodes=tuple(map(with_ways, pasted.workflow.nodes)))


def _dots(
    clip: _Clip,
    copies: Mapping[str, EdgeDefinition],
    new_ids: Mapping[str, str],
    positions: Mapping[str, Position],
) -> dict[str, Mapping[str, Points]]:
    """Return the dots of copied wires, as far from the new nodes as from the originals;
    none where those had no places.

    `copies` are the new edges by the ids of their originals.
    """
    first = clip.nodes[0].id if clip.nodes else ""
    if first not in clip.positions:
        return {}
    x, y = positions[new_ids[first]]
    old_x, old_y = clip.positions[first]
    shift = (x - old_x, y - old_y)
    dots: dict[str, Mapping[str, Points]] = {}
    for edge in clip.edges:
        if edge.id in copies:
            copied = copies[edge.id]
            lines = copied_dots(clip.dots, edge, copied, new_ids, shift)
            if lines:
                dots[copied.id] = lines
    return dots


def _read(text: str) -> _Clip:
    try:
        data = from_json(text, STRICT)
        if isinstance(data, dict) and "workflow" in data:
            return _file_clip(text)
        if not (isinstance(data, dict) and data.get("stepwell") == "clip"):
            raise EditError(
                "The clipboard holds no nodes of Stepwell. Copy some nodes first."
            )
        _refuse_too_many(data.get("nodes"))
        _refuse_too_many(data.get("frames"))
        clip = _Clip.model_validate(data)
    except (ValidationError, RecursionError) as error:
        detail = "it is nested too deeply"
        if isinstance(error, ValidationError):
            detail = error.errors()[0]["msg"]
        raise EditError(
            f"The copied nodes cannot be read: {detail}. Copy them again."
        ) from None
    except DefinitionError as error:
        # A value that no file can hold: nothing could be saved any more.
        raise EditError(
            f"The copied nodes cannot be read: {error} Then copy them again."
        ) from None
    except TooDeepError as error:
        raise EditError(
            f"The copied nodes cannot be read: {error}. Copy others."
        ) from None
    except ValueError:
        raise EditError(
            "The clipboard holds no nodes of Stepwell. Copy some nodes first."
        ) from None
    if not clip.nodes and not frames.rects_of(clip.frames):
        raise EditError(
            "The clipboard holds no nodes of Stepwell. Copy some nodes first."
        )
    _refuse_equal_ids(clip)
    return clip


def _file_clip(text: str) -> _Clip:
    """Return all that the text of a workflow file holds."""
    try:
        design = files.loads(text)
    except DefinitionError as error:
        raise EditError(
            f"The clipboard holds a workflow file that cannot be read: {error}"
        ) from None
    workflow = design.workflow
    _refuse_too_many(workflow.nodes)
    clip = _clip_of(
        design, {node.id for node in workflow.nodes} | frames.frame_ids(design)
    )
    if not clip.nodes and not frames.rects_of(clip.frames):
        raise EditError("The clipboard holds a workflow file without nodes.")
    _refuse_equal_ids(clip)
    settings = {
        name: value
        for name, value in workflow
        if name not in ("nodes", "edges", "start")
    }
    return clip.model_copy(update={"settings": settings})


def _refuse_equal_ids(clip: _Clip) -> None:
    if len({node.id for node in clip.nodes}) < len(clip.nodes):
        raise EditError(
            "The copied nodes cannot be read: two of them have one id. Rename one, then copy again."
        )


def _refuse_too_many(nodes: object) -> None:
    if isinstance(nodes, list | tuple) and len(nodes) > MOST_NODES:
        raise EditError(
            f"The clipboard holds {len(nodes):,} nodes or frames; at most {MOST_NODES:,} are pasted at once. "
            "Open their workflow as a file instead, or copy fewer."
        )


def _placed(
    clip: _Clip, new_ids: Mapping[str, str], at: Position
) -> dict[str, Position]:
    # Nodes that were never laid out would all be on one point.
    workflow = WorkflowDefinition(nodes=clip.nodes, edges=clip.edges)
    positions = laid_out(Design(workflow, clip.positions)).positions
    left, top = _corner(clip, positions)
    placed = {}
    for node_id, new_id in new_ids.items():
        x, y = positions[node_id]
        placed[new_id] = (at[0] + x - left, at[1] + y - top)
    return placed


def _corner(clip: _Clip, positions: Mapping[str, Position]) -> Position:
    """Return the top left corner of all that was copied."""
    corners = [positions[node.id] for node in clip.nodes if node.id in positions]
    corners += [rect[:2] for rect in frames.rects_of(clip.frames)]
    return min(x for x, _ in corners), min(y for _, y in corners)


def _merged(
    design: Design,
    clip: _Clip,
    new_ids: Mapping[str, str],
    names: Names,
    *,
    keep_links: bool,
) -> tuple[tuple[EdgeDefinition, ...], dict[str, EdgeDefinition]]:
    """Return the edges of the design, grown where a new node joins one, and those of
    the clip between new nodes.

    The latter are returned by themselves too, by the ids of their originals.
    """
    edges = list(design.workflow.edges)
    copies: dict[str, EdgeDefinition] = {}
    places: dict[str, int] = {}
    for place, edge in enumerate(edges):
        places.setdefault(edge.id, place)
    linked = {node.id for node in design.workflow.nodes} if keep_links else set()
    for edge in clip.edges:
        # Not `- new_ids.keys()`, which would walk over all of them for each edge.
        outside = {end for end in ends.ends(edge) if end not in new_ids}
        if outside & linked and edge.id in places:
            place = places[edge.id]
            grown = _grown(edges[place], edge, new_ids)
            if grown is not None:
                edges[place] = grown
                continue
        remaining = ends.without(edge, _out_of_reach(edge, outside, linked))
        if remaining is not None:
            copied = ends.renamed(remaining, new_ids)
            copy_id = names.take(ends.usual_id(copied))
            copies[edge.id] = copied.model_copy(update={"id": copy_id})
            edges.append(copies[edge.id])
    return tuple(edges), copies


def _out_of_reach(
    edge: EdgeDefinition, outside: set[str], linked: set[str]
) -> set[str]:
    """Return the ends that the copy of a group cannot have.

    A group that is held together by a node that was copied keeps its ways to nodes that
    still exist; of any other group only the ways to new nodes are new. A message takes
    exactly one way of a switch, so no second node can be beside the original there.
    """
    hub = kind_of(edge).hub(edge)
    if hub not in outside:
        return outside - linked
    if edge.takes_one_arc or hub not in linked:
        return outside
    return outside - {hub}


def _grown(
    twin: EdgeDefinition, edge: EdgeDefinition, new_ids: Mapping[str, str]
) -> EdgeDefinition | None:
    """Return the group `twin` of the design with the new nodes where their originals
    are in `edge`; None unless it is the same group and is held together by a node that
    was not copied.
    """
    if twin.kind != edge.kind:
        return None
    return kind_of(twin).with_copies(twin, edge, new_ids)
