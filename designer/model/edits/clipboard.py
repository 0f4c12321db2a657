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

# of one paste: more would keep the window busy for longer than anybody waits
MOST_NODES = 10_000


class _Clip(BaseModel):
    """What is copied: nodes, all edges that touch them, frames, all places. `stepwell` marks the text as ours.
    `settings` are the workflow's own fields, where the text is that of a whole file.
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
    """The nodes and frames among `ids` as JSON text, with all edges of the nodes. Raises `EditError` for none."""
    clip = _clip_of(design, set(ids))
    if not clip.nodes and not clip.frames:
        raise EditError("Nothing to copy: select a node first.")
    return json.dumps(clip.model_dump(), ensure_ascii=False)


def _clip_of(design: Design, wanted: Collection[str]) -> _Clip:
    workflow = design.workflow
    nodes = tuple(node for node in workflow.nodes if node.id in wanted)
    copied = {node.id for node in nodes}
    edges = tuple(edge for edge in workflow.edges if ends.ends(edge) & copied)
    return _Clip(
        start=workflow.start if workflow.start in copied else "",
        nodes=nodes,
        frames=tuple(frames.copied(design, wanted)),
        edges=edges,
        positions={key: at for key, at in design.positions.items() if key in copied},
        dots={
            edge.id: dict(design.dots[edge.id])
            for edge in edges
            if edge.id in design.dots
        },
    )


def paste(
    design: Design, text: str, at: Position, *, keep_links: bool = False
) -> tuple[Design, tuple[str, ...]]:
    """What `copy` gave, or a workflow file, under new ids, its top left corner at `at`; and the new ids of nodes and
    frames. A file that is pasted into an empty drawing brings its name, input and other settings along.

    Edges between the copied nodes come along. With `keep_links` so do those to and from other nodes that still exist:
    a new node then joins the groups that its original is in. The start comes along only where there is none. Raises
    `EditError` for any other text.
    """
    clip = _read(text)
    names = Names(design)
    new = {node.id: names.take(node.id) for node in clip.nodes}
    nodes = renamed_outside(
        tuple(node.model_copy(update={"id": new[node.id]}) for node in clip.nodes), new
    )
    workflow = design.workflow
    made = dict[str, EdgeDefinition]()
    pasted = with_workflow(
        design,
        **({} if workflow.nodes else clip.settings),
        nodes=(*workflow.nodes, *nodes),
        edges=_merged(design, clip, new, names, keep_links=keep_links, made=made),
        start=workflow.start or new.get(clip.start, ""),
    )
    pasted = _with_ways(pasted, new) if keep_links else pasted
    positions = {**design.positions, **_placed(clip, new, at)}
    dots = {**design.dots, **_dots(clip, made, new, positions)}
    pasted = replace(pasted, positions=positions, dots=dots)
    left, top = _corner(clip, clip.positions) if clip.frames else at
    pasted, boxes = frames.pasted(pasted, clip.frames, at[0] - left, at[1] - top)
    return pasted, (*new.values(), *boxes)


def _with_ways(pasted: Design, new: Mapping[str, str]) -> Design:
    """A copy that keeps links to a sub-workflow enters it, and gets of it, where its original does."""
    pairs = {pair for edge in pasted.workflow.edges for pair in edge.pairs}

    def led(node: NodeDefinition) -> NodeDefinition:
        senders = {
            old: (old, copied)
            for old, copied in new.items()
            if (copied, node.id) in pairs
        }
        receivers = {
            old: (old, copied)
            for old, copied in new.items()
            if (node.id, copied) in pairs
        }
        return led_otherwise(node, senders, receivers)

    return with_workflow(pasted, nodes=tuple(map(led, pasted.workflow.nodes)))


def _dots(
    clip: _Clip,
    made: Mapping[str, EdgeDefinition],
    new: Mapping[str, str],
    positions: Mapping[str, Position],
) -> dict[str, Mapping[str, Points]]:
    """The dots of copied wires, as far from the new nodes as from the old ones; none where those had no places."""
    first = next((node.id for node in clip.nodes), "")
    if first not in clip.positions:
        return {}
    (x, y), (old_x, old_y) = positions[new[first]], clip.positions[first]
    copied = {
        made[edge.id].id: copied_dots(
            clip.dots, edge, made[edge.id], new, (x - old_x, y - old_y)
        )
        for edge in clip.edges
        if edge.id in made
    }
    return {edge: lines for edge, lines in copied.items() if lines}


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
        if isinstance(error, ValidationError):
            detail = error.errors()[0]["msg"]
        else:
            detail = "it is nested too deeply"
        raise EditError(
            f"The copied nodes cannot be read: {detail}. Copy them again."
        ) from None
    except DefinitionError as error:  # of values that no file can hold, so that nothing could be saved any more
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
    """All that the text of a workflow file holds."""
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


def _placed(clip: _Clip, new: Mapping[str, str], at: Position) -> dict[str, Position]:
    # Nodes that were never laid out would all come to lie on one point.
    positions = laid_out(
        Design(WorkflowDefinition(nodes=clip.nodes, edges=clip.edges), clip.positions)
    ).positions
    left, top = _corner(clip, positions)
    return {
        new[key]: (at[0] + positions[key][0] - left, at[1] + positions[key][1] - top)
        for key in new
    }


def _corner(clip: _Clip, positions: Mapping[str, Position]) -> Position:
    """The top left corner of all that was copied."""
    corners = [positions[node.id] for node in clip.nodes if node.id in positions]
    corners += [rect[:2] for rect in frames.rects_of(clip.frames)]
    return min(x for x, _ in corners), min(y for _, y in corners)


def _merged(
    design: Design,
    clip: _Clip,
    new: Mapping[str, str],
    names: Names,
    *,
    keep_links: bool,
    made: dict[str, EdgeDefinition],
) -> tuple[EdgeDefinition, ...]:
    """The edges of the design, grown where a new node joins one, and those of the clip between new nodes; `made` gets
    the latter, by the ids that they were copied from.
    """
    edges = list(design.workflow.edges)
    place = {edge.id: index for index, edge in reversed(list(enumerate(edges)))}
    there = {node.id for node in design.workflow.nodes} if keep_links else set()
    for edge in clip.edges:
        # Not `- new.keys()`, which would walk over all of them for each edge.
        outside = {end for end in ends.ends(edge) if end not in new}
        twin = edges[place[edge.id]] if edge.id in place else None
        if outside & there and twin and (grown := _grown(twin, edge, new)):
            edges[place[edge.id]] = grown
        elif left := ends.without(edge, _out_of_reach(edge, outside, there)):
            copied = ends.renamed(left, new)
            made[edge.id] = copied.model_copy(
                update={"id": names.take(ends.usual_id(copied))}
            )
            edges.append(made[edge.id])
    return tuple(edges)


def _out_of_reach(edge: EdgeDefinition, outside: set[str], there: set[str]) -> set[str]:
    """Ends that the copy of a group cannot have. A group held together by a node that was copied keeps its ways to
    nodes that still exist; of any other group only the ways to new nodes are new. A switch gives exactly one way, so
    no second node can stand where the original does.
    """
    hub = kind_of(edge).hub(edge)
    if hub not in outside:
        return outside - there
    if edge.takes_one_arc or hub not in there:
        return outside
    return outside - {hub}


def _grown(
    twin: EdgeDefinition, edge: EdgeDefinition, new: Mapping[str, str]
) -> EdgeDefinition | None:
    """Return the group `twin` of the design with the new nodes where their originals are in `edge`; None unless it is
    the same group and is held together by a node that was not copied.
    """
    if twin.kind != edge.kind:
        return None
    return kind_of(twin).with_copies(twin, edge, new)
