"""The canvas follows: the document, the session, the checks and the theme tell, and the scene comes to show it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from PySide6.QtCore import SignalInstance

from designer.canvas.camera import Place
from designer.canvas.clock import PULSE_MS
from designer.canvas.drawing.overlay import NOTHING, overlay_of
from designer.canvas.drawing.style import COMPACT
from designer.canvas.speech.describe import describe
from designer.model import inside
from designer.model.design import Design
from designer.model.edge_kinds import kind_of
from designer.model.errors import EditError
from designer.model.inside import Way
from designer.model.layout.arrange import arrange
from runtime.document.definition import NodeInfo, WorkflowDefinition
from runtime.document.sub_workflows import SUB_WORKFLOW, is_file_child

if TYPE_CHECKING:
    from designer.canvas.view import CanvasView


class Follower:
    """`order` is the selection in the order in which it was made; `travel` how far the pulses have come."""

    def __init__(self, view: CanvasView) -> None:
        self.view = view
        self.order: list[str] = []
        self.travel = 1.0
        # definition, document's design, shown
        self._seen: tuple[dict[str, Any], Design, Design] | None = None
        self._told: tuple[object, ...] = ()  # what the overlay was made from
        # what the badges were made from
        self._badged: tuple[object, object] = (None, None)
        self._infos: dict[str, NodeInfo] = {}
        # nodes at which messages enter, beside the start
        self._entries: set[str] = set()
        self._level: Way = ()  # the sub-workflow that is shown
        self._places: dict[Way, Place] = {}  # where one looked on each level
        self._wires = self._connections()
        for signal, slot in self._wires:
            signal.connect(slot)

    def _connections(self) -> list[tuple[SignalInstance, Callable[..., object]]]:
        view = self.view
        pairs: list[tuple[SignalInstance, Callable[..., object]]] = [
            (view.document.changed, self._on_design),
            (view.document.replaced, self._on_replaced),
            (view.document.entered, self._on_entered),
            (view.document.selection_changed, self.follow_selection),
            (view.session.changed, self.refresh),
            (view.session.viewed, self.refresh),
            (view.session.progressed, self.follow_moment),
            (view.session.catalogue_ready, self.refresh),
            (view.session.catalogue_ready, view.adding.follow_types),
            (view.look.changed, self._on_theme),
            (view.scene().content_changed, self._on_content),
        ]
        if view.checks is not None:
            pairs.append((view.checks.changed, self.follow_problems))
        return pairs

    def stop(self) -> None:
        """Hear nothing any more."""
        for signal, slot in self._wires:
            signal.disconnect(slot)
        self._wires.clear()

    def refresh(self) -> None:
        """Show the present design and moment. Costs what differs from what is shown."""
        view = self.view
        scene = self.view.scene()
        if not view.editable:
            view.end_edit_gestures()
        design = self._shown_design()
        if self._infos != view.session.infos:
            self._infos = dict(view.session.infos)
        if design is not scene.design or self._infos is not scene.infos:
            scene.folder = view.document.folder
            scene.show(design, self._infos)
            self._mark_entries()
            view.hover.forget_gone()
            self.follow_selection()
        self.follow_moment()
        self.follow_problems()
        view.floating.show()

    def _mark_entries(self) -> None:
        """Inside of a sub-workflow with several ways in, nodes at which messages enter are marked as the start is."""
        document = self.view.document
        scene = self.view.scene()
        try:
            entries = {
                *inside.entries_into(document.root, document.inside, document.folder)
            }
        except EditError:
            entries = set()  # a file that is gone meanwhile
        for node in (entries | self._entries) & scene.nodes.keys():
            scene.nodes[node].start = (
                node in entries or node == scene.design.workflow.start
            )
            scene.nodes[node].update()
        self._entries = entries

    def look_at_files(self) -> None:
        """Files of sub-workflows may have been saved in other tabs: their nodes' ports follow."""
        if any(
            node.type == SUB_WORKFLOW and is_file_child(node)
            for node in self.view.scene().design.workflow.nodes
        ):
            self._infos = dict(self._infos)
            self.refresh()

    def _on_design(self, _diff: object) -> None:
        # A gesture is about the design that it began with. One that is complete has let go before it edits.
        self.view.end_edit_gestures()
        self.refresh()

    def _on_replaced(self) -> None:
        self._level = self.view.document.inside
        self._places.clear()
        self._show_anew()

    def _on_entered(self) -> None:
        self._places[self._level] = self.view.camera.place()
        self._level = self.view.document.inside
        self._show_anew()

    def _show_anew(self) -> None:
        self.view.end_edit_gestures()
        self.order.clear()
        self.refresh()
        self.look_again()

    def look_again(self) -> None:
        """Where one looked on this level the last time; at everything, the first time."""
        place = self._places.get(self._level)
        if place is None:
            self.view.zoom_to_fit(glide=False)
        else:
            self.view.camera.go_to(place)

    def follow_selection(self) -> None:
        selection = frozenset(self.view.document.selection)
        self.order = [key for key in self.order if key in selection]
        self.order += sorted(selection.difference(self.order))
        self.view.scene().select(selection)
        self.view.show_focus()
        self._announce()

    def follow_moment(self) -> None:
        view = self.view
        session = self.view.session
        scene = self.view.scene()
        progress = session.progress if session.running else None
        told = (
            session.mode,
            session.moment,
            progress,
            session.running,
            scene.design.workflow,
            session.way,
        )
        if len(told) == len(self._told) and all(
            a is b for a, b in zip(told, self._told, strict=True)
        ):
            return
        self._told = told
        before = scene.overlay
        overlay = NOTHING
        # in the past the live run goes on unseen
        running = session.running and session.mode == "live"
        known = session.inside is not None and session.inside.moment is not None
        # Inside, ids are of that level: a moment of another says nothing of what is drawn here.
        if (
            not view.editable
            and session.way == view.document.inside
            and (known or not session.way)
        ):
            progress = session.seen_progress if running else None
            overlay = overlay_of(
                session.seen, progress, scene.design.workflow, running=running
            )
        scene.set_overlay(overlay)
        view.legend.show_rows(overlay.legend)
        view.clock.turn(scene.turn if overlay.running else None)
        if (
            overlay.pulses
            and overlay.superstep == before.superstep + 1
            and session.mode == "live"
        ):
            view.clock.start("pulse", PULSE_MS, self._pulse)
        self._announce()

    def follow_problems(self) -> None:
        found = self.view.checks.by_location if self.view.checks is not None else {}
        if found is self._badged[0] and self.view.scene().topology is self._badged[1]:
            return
        self._badged = (found, self.view.scene().topology)
        counts: dict[str, tuple[int, int]] = {}
        for location, problems in found.items():
            severities = [problem.severity for problem in problems]
            at = self._badge_at(location)
            errors, warnings = counts.get(at, (0, 0))
            counts[at] = (
                errors + severities.count("error"),
                warnings + severities.count("warning"),
            )
        self.view.scene().set_problems(counts)

    def _badge_at(self, location: str) -> str:
        """Problems of an edge are shown at its diamond, if it is drawn as one, else at its first end."""
        edge = self.view.scene().topology.edges.get(location)
        if edge is None:
            return location
        return kind_of(edge).hub(edge)

    def _on_theme(self) -> None:
        self.view.scene().set_theme(self.view.look.theme)
        self.view.restyle()

    def _on_content(self) -> None:
        self.view.far.forget()
        if self.view.zoom <= COMPACT:
            self.view.viewport().update()

    def _shown_design(self) -> Design:
        """The graph that the run ran with, where the document drew it; the document itself when editing."""
        session = self.view.session
        design = self.view.document.design
        way = self.view.document.inside
        moment = session.moment
        if self.view.editable or moment is None or moment.definition is None:
            return design
        if (
            way
            and session.way == way
            and session.inside is not None
            and session.inside.moment is not None
        ):
            # the host says which graph it is, also of a file
            moment = session.inside.moment
            way = ()
        if moment.definition is None:
            return design
        if (
            self._seen is not None
            and self._seen[1] is design
            and self._seen[0] == moment.definition
        ):
            return self._seen[2]
        try:
            whole = Design(WorkflowDefinition.model_validate(moment.definition))
            workflow = inside.at(whole, way, self.view.document.folder).workflow
        except ValidationError as error:
            faults = error.error_count()
            self.view.tell(
                f"The graph of this checkpoint cannot be read ({faults} faults). The present one is shown."
            )
            return design
        except EditError:
            self.view.tell(
                "This sub-workflow was not there at that checkpoint. What is shown is how it is now."
            )
            return design
        shown = design if workflow == design.workflow else placed(workflow, design)
        self._seen = (moment.definition, design, shown)
        return shown

    def _announce(self) -> None:
        """The name that a screen reader says: the canvas and what is selected on it."""
        scene = self.view.scene()
        chosen = [describe(scene, key) for key in self.order[-3:]]
        words = (
            "; ".join(filter(None, chosen))
            or f"{len(scene.nodes)} nodes, nothing selected"
        )
        if len(self.order) > 3:
            words = f"{len(self.order)} selected; {words}"
        self.view.setAccessibleName(f"Canvas: {words}")
        self.view.accessible.follow()

    def _pulse(self, share: float) -> None:
        self.travel = share
        for mark in self.view.scene().marks:
            if mark.path is not None:
                self.view.scene().update(mark.rect)


def placed(workflow: WorkflowDefinition, design: Design) -> Design:
    """An older graph, with the places that its nodes still have; those that are gone stand where a layout puts them."""
    known = {
        node.id: design.positions[node.id]
        for node in workflow.nodes
        if node.id in design.positions
    }
    if len(known) < len(workflow.nodes):
        known = {**arrange(Design(workflow)), **known}
    return Design(workflow, known, layout_extra=design.layout_extra, dots=design.dots)
