"""Following: when the document, the session, the checks or the theme change, the scene
comes to show it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from pydantic import ValidationError
from PySide6.QtCore import SignalInstance

from designer.canvas.base import Canvas
from designer.canvas.camera import Place
from designer.canvas.clock import PULSE_MS
from designer.canvas.drawing.overlay import NOTHING, Overlay, compared, overlay_of
from designer.canvas.drawing.overview import OverviewPainter
from designer.canvas.drawing.staged_overlay import staged_overlay
from designer.canvas.drawing.style import COMPACT
from designer.canvas.floating import Floating
from designer.canvas.hover import Hover
from designer.canvas.speech.accessible import Accessible
from designer.canvas.speech.describe import describe
from designer.canvas.verbs.breakpoints import BreakpointVerbs
from designer.canvas.verbs.results import ResultVerbs
from designer.model import inside
from designer.model.design import Design
from designer.model.differences import Chip, chips_of, first_chips
from designer.model.edge_kinds import kind_of
from designer.model.errors import EditError
from designer.model.inside import Way
from designer.model.layout.arrange import arrange
from designer.model.origin_path import NO_PATH, path_on
from runtime.debug.protocol import Moment
from runtime.document.definition import NodeInfo, WorkflowDefinition
from runtime.document.sub_workflows import SUB_WORKFLOW, is_file_child

NAMED = 3  # selected things that the canvas names to a screen reader
UNREADABLE = "The graph of this checkpoint cannot be read ({faults} faults). The present one is shown."
NOT_THERE_YET = (
    "This sub-workflow did not exist at that checkpoint. The present one is shown."
)


class Followed(Canvas, Protocol):
    """The canvas with the parts that change along with what it shows."""

    @property
    def hover(self) -> Hover: ...
    @property
    def floating(self) -> Floating: ...
    @property
    def accessible(self) -> Accessible: ...
    @property
    def overview(self) -> OverviewPainter: ...
    @property
    def breakpoints(self) -> BreakpointVerbs: ...
    @property
    def results(self) -> ResultVerbs: ...

    def end_edit_gestures(self) -> None:
        """Cancel what is about a design that is not shown any more."""

    def follow_types(self) -> None:
        """Offer the node types that there are now."""

    def restyle(self) -> None:
        """Take over the colours of another theme."""

    def show_focus(self) -> None:
        """Ring the node that keys are for."""


class _Shown(NamedTuple):
    """The design that was made for the graph of a moment, and what it was made from."""

    definition: Mapping[str, Any]
    document: Design
    design: Design


class Follower:
    """`order` is the selection in the order in which it was made; `travel` how far the
    pulses of a superstep have come.
    """

    def __init__(self, canvas: Followed) -> None:
        self.canvas = canvas
        self.order: list[str] = []
        self.travel = 1.0
        self._shown: _Shown | None = None
        # What the overlay and the badges were made from: nothing is done for the same.
        self._overlaid: tuple[object, ...] = ()
        self._badged: tuple[object, ...] = ()
        self._infos: dict[str, NodeInfo] = {}
        # nodes at which messages enter, beside the start
        self._entries: set[str] = set()
        self._level: Way = ()  # the sub-workflow that is shown
        self._places: dict[Way, Place] = {}  # where one looked on each level
        self._connections = self._connect()

    def _connect(self) -> list[tuple[SignalInstance, Callable[..., object]]]:
        canvas = self.canvas
        document = canvas.document
        session = canvas.session
        pairs: list[tuple[SignalInstance, Callable[..., object]]] = [
            (document.changed, self._on_design),
            (document.replaced, self._on_replaced),
            (document.entered, self._on_entered),
            (document.selection_changed, self.follow_selection),
            (session.changed, self.refresh),
            (session.viewed, self.refresh),
            (session.progressed, self.follow_moment),
            (session.compared, self.follow_moment),
            (session.staged.changed, self.follow_moment),
            (session.staged.planned, self.follow_moment),
            (session.catalogue_ready, self.refresh),
            (session.breakpoints_changed, self._on_breakpoints),
            (session.origin.changed, self.follow_origin),
            (session.results.changed, canvas.results.refresh),
            (session.catalogue_ready, canvas.follow_types),
            (canvas.look.changed, self._on_theme),
            (canvas.scene().content_changed, self._on_content),
        ]
        if canvas.checks is not None:
            pairs.append((canvas.checks.changed, self.follow_problems))
        for signal, slot in pairs:
            signal.connect(slot)
        return pairs

    def stop(self) -> None:
        """Follow nothing any more."""
        for signal, slot in self._connections:
            signal.disconnect(slot)
        self._connections.clear()

    # --- the design

    def refresh(self) -> None:
        """Show the present design and moment. Costs what differs from what is shown."""
        canvas = self.canvas
        scene = canvas.scene()
        if not canvas.editable:
            canvas.end_edit_gestures()
        design = self._shown_design()
        if self._infos != canvas.session.infos:
            self._infos = dict(canvas.session.infos)
        if design is not scene.design or self._infos is not scene.infos:
            scene.folder = canvas.document.folder
            scene.show(design, self._infos)
            self._mark_entries()
            canvas.hover.forget_gone()
            self.follow_selection()
        self.follow_moment()
        self.follow_problems()
        canvas.breakpoints.refresh()
        canvas.results.refresh()
        self.follow_origin()
        canvas.floating.show(editable=canvas.editable)

    def _mark_entries(self) -> None:
        """Mark the nodes at which messages enter a sub-workflow, as the start is
        marked.
        """
        document = self.canvas.document
        scene = self.canvas.scene()
        try:
            entries = set(
                inside.entries_into(document.root, document.inside, document.folder)
            )
        except EditError:
            entries = set()  # the file of the sub-workflow is gone meanwhile
        start = scene.design.workflow.start
        for node in (entries | self._entries) & scene.nodes.keys():
            scene.nodes[node].start = node in entries or node == start
            scene.nodes[node].update()
        self._entries = entries

    def look_at_files(self) -> None:
        """Follow files of sub-workflows, which may have been saved in other tabs."""
        nodes = self.canvas.scene().design.workflow.nodes
        if any(node.type == SUB_WORKFLOW and is_file_child(node) for node in nodes):
            # Another object counts as other node types, so all ports are looked up
            # again.
            self._infos = dict(self._infos)
            self.refresh()

    def _on_design(self, _diff: object) -> None:
        # A gesture is about the design that it began with. One that is complete ended
        # before it edited.
        self.canvas.end_edit_gestures()
        self.refresh()

    def _on_replaced(self) -> None:
        self._level = self.canvas.document.inside
        self._places.clear()
        self._show_other()

    def _on_entered(self) -> None:
        self._places[self._level] = self.canvas.camera.place()
        self._level = self.canvas.document.inside
        self._show_other()

    def _show_other(self) -> None:
        """Show another workflow from where one looked at it."""
        self.canvas.end_edit_gestures()
        self.order.clear()
        self.refresh()
        self.look_again()

    def look_again(self) -> None:
        """Look where one looked on this level the last time, or at everything."""
        place = self._places.get(self._level)
        if place is None:
            self.canvas.camera.fit_all(glide=False)
        else:
            self.canvas.camera.go_to(place)

    def _shown_design(self) -> Design:
        """Return the document, or in a run the graph of the moment, drawn like it."""
        session = self.canvas.session
        document = self.canvas.document
        design = document.design
        moment = session.moment
        if self.canvas.editable or moment is None:
            return design
        definition = moment.definition
        way = document.inside
        inner = session.inside
        if (
            way
            and session.way == way
            and inner is not None
            and inner.moment is not None
        ):
            # The host says which graph the sub-workflow has, also one from a file.
            definition = inner.moment.definition
            way = ()
        if moment.definition is None or definition is None:
            return design
        shown = self._shown
        if (
            shown is not None
            and shown.document is design
            and shown.definition == definition
        ):
            return shown.design
        try:
            root = Design(WorkflowDefinition.model_validate(definition))
            workflow = inside.at(root, way, document.folder).workflow
        except ValidationError as error:
            self.canvas.tell(UNREADABLE.format(faults=error.error_count()))
            return design
        except EditError:
            self.canvas.tell(NOT_THERE_YET)
            return design
        drawn = design
        if workflow != design.workflow:
            drawn = placed(workflow, design)
        self._shown = _Shown(definition, design, drawn)
        return drawn

    # --- the selection

    def follow_selection(self) -> None:
        """Show what is selected in the document, and note in which order it was."""
        selection = frozenset(self.canvas.document.selection)
        self.order = [key for key in self.order if key in selection]
        self.order += sorted(selection.difference(self.order))
        self.canvas.scene().select(selection)
        self.canvas.show_focus()
        self.announce()

    def announce(self) -> None:
        """Give the canvas the name that a screen reader says: what is selected on it."""
        scene = self.canvas.scene()
        chosen = [describe(scene, key) for key in self.order[-NAMED:]]
        words = "; ".join(filter(None, chosen))
        if not words:
            words = f"{len(scene.nodes)} nodes, nothing selected"
        if len(self.order) > NAMED:
            words = f"{len(self.order)} selected; {words}"
        self.canvas.widget.setAccessibleName(f"Canvas: {words}")
        self.canvas.accessible.follow()

    # --- the run

    def follow_moment(self) -> None:
        """Show the moment of the run that the session looks at."""
        canvas = self.canvas
        session = canvas.session
        scene = canvas.scene()
        made_from = (
            session.mode,
            session.moment,
            session.progress if session.running else None,
            session.running,
            scene.design.workflow,
            session.way,
            session.held,
            session.base,
            session.comparison,
            session.is_compared,
            session.divergence,
            session.shows_first,
            session.staged.checkpoint,
            session.staged.draft,
            session.staged.plan,
        )
        if _are_same(made_from, self._overlaid):
            return
        self._overlaid = made_from
        before = scene.overlay
        overlay = self._overlay()
        scene.set_overlay(overlay)
        canvas.floating.legend.show_rows(overlay.legend)
        canvas.floating.frame.show_role(overlay.frame)
        canvas.clock.turn(scene.turn if overlay.running else None)
        is_next = overlay.superstep == before.superstep + 1
        if overlay.pulses and is_next and session.mode == "live":
            canvas.clock.start("pulse", PULSE_MS, self._pulse)
        self.announce()

    def _overlay(self) -> Overlay:
        session = self.canvas.session
        is_known = session.inside is not None and session.inside.moment is not None
        # Inside, ids are of that level: a moment of another says nothing of this
        # drawing.
        is_level = session.way == self.canvas.document.inside
        if self.canvas.editable or not is_level or (session.way and not is_known):
            return NOTHING
        # While one looks at the past, the live run goes on unseen.
        running = session.running and session.mode == "live"
        overlay = overlay_of(
            session.seen,
            session.seen_progress if running else None,
            self.canvas.scene().design.workflow,
            running=running,
            held=self._held() if session.mode == "live" else (),
            standing=session.standing,
            runs=session.inside.keys if session.inside is not None else (),
        )
        staged = session.staged
        if staged.is_on:
            original = staged.original
            return staged_overlay(
                overlay,
                staged.draft.changes,
                staged.plan,
                original if original is not None else Moment(),
                staged.run,
            )
        if session.base:
            overlay = compared(overlay, self._chips())
        return overlay

    def _chips(self) -> Mapping[str, Chip]:
        """Return what differs at the elements of the shown level: from the moment that
        is compared with, or where the ways to both part.
        """
        session = self.canvas.session
        workflow = self.canvas.scene().design.workflow
        chips: dict[str, Chip] = {}
        if session.comparison is not None and session.is_compared:
            chips.update(chips_of(session.comparison.differences, workflow))
        divergence = session.divergence
        if session.shows_first and divergence is not None:
            shown = session.viewing or (session.head.id if session.head else None)
            if shown not in (divergence.first_base, divergence.first_other):
                return chips
            if divergence.reason is not None:
                chips.update(first_chips(divergence.reason))
        return chips

    def _held(self) -> list[str]:
        """Return the nodes of the shown level that the user keeps from running."""
        session = self.canvas.session
        way = self.canvas.document.inside
        # One invocation can be held by its key.
        key = (*way[:-1], session.chosen_run) if way and session.chosen_run else way
        return [node for path, node in session.held if path in (way, key)]

    def _on_breakpoints(self) -> None:
        self.follow_moment()
        self.canvas.breakpoints.refresh()

    def follow_origin(self) -> None:
        """Show the way of the value that the user asks about, on the level shown."""
        session = self.canvas.session
        body = session.origin.body
        path = NO_PATH
        if body is not None:
            way = self.canvas.document.inside
            is_level = session.inside is not None and session.way == way
            keys = session.inside.keys if session.inside and is_level else ()
            path = path_on(body.steps, way, keys, session.origin.chosen)
        self.canvas.scene().show_origin(path)

    def _pulse(self, share: float) -> None:
        self.travel = share
        scene = self.canvas.scene()
        for mark in scene.marks:
            if mark.path is not None:
                scene.update(mark.rect)

    # --- problems and looks

    def follow_problems(self) -> None:
        """Show how many errors and warnings each node has."""
        checks = self.canvas.checks
        problems_at = checks.by_location if checks is not None else {}
        topology = self.canvas.scene().topology
        made_from = (problems_at, topology)
        if _are_same(made_from, self._badged):
            return
        self._badged = made_from
        counts: dict[str, tuple[int, int]] = {}
        for location, problems in problems_at.items():
            severities = [problem.severity for problem in problems]
            node = self._badge_at(location)
            errors, warnings = counts.get(node, (0, 0))
            errors += severities.count("error")
            warnings += severities.count("warning")
            counts[node] = (errors, warnings)
        self.canvas.scene().set_problems(counts)

    def _badge_at(self, location: str) -> str:
        """Return the node with the badge: of an edge its diamond, else its first end."""
        edge = self.canvas.scene().topology.edges.get(location)
        if edge is None:
            return location
        return kind_of(edge).hub(edge)

    def _on_theme(self) -> None:
        self.canvas.scene().set_theme(self.canvas.look.theme)
        self.canvas.restyle()

    def _on_content(self) -> None:
        self.canvas.overview.forget()
        if self.canvas.zoom <= COMPACT:
            self.canvas.widget.viewport().update()


def _are_same(first: tuple[object, ...], second: tuple[object, ...]) -> bool:
    """Return whether two tuples hold the same objects: comparing values would cost more
    than it saves.
    """
    if len(first) != len(second):
        return False
    return all(a is b for a, b in zip(first, second, strict=True))


def placed(workflow: WorkflowDefinition, design: Design) -> Design:
    """Return an older graph at the places that its nodes have in a design.

    Those that are gone from it are where a layout puts them.
    """
    positions = {
        node.id: design.positions[node.id]
        for node in workflow.nodes
        if node.id in design.positions
    }
    if len(positions) < len(workflow.nodes):
        positions = {**arrange(Design(workflow)), **positions}
    return Design(
        workflow, positions, layout_extra=design.layout_extra, dots=design.dots
    )
