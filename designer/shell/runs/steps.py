"""Steps to a place of the drawing, and executors that are held: what is selected decides
about what they are.
"""

from __future__ import annotations

from dataclasses import replace

from designer.canvas.view import CanvasView
from designer.document.document import Document
from designer.session.session import DebugSession
from designer.shell.runs.go_on import Going
from runtime.debug.protocol import RunToArguments

NO_PLACE = "Select a node or an edge first, or view a checkpoint that the run has yet to reach."


class Steps:
    """The commands of a workspace for the place that is selected or viewed."""

    def __init__(
        self,
        document: Document,
        session: DebugSession,
        canvas: CanvasView,
        going: Going,
    ) -> None:
        self._document = document
        self._session = session
        self._canvas = canvas
        self._going = going

    # --- run to ---

    @property
    def why_not_here(self) -> str:
        """Why the run cannot go to what is selected or viewed; "" if it can."""
        if self._going.why_not:
            return self._going.why_not
        return "" if self._here() is not None else NO_PLACE

    def run_to_here(self) -> None:
        """Run until the selected node runs, a message goes along the selected edge, or
        the superstep of the viewed checkpoint is done.
        """
        place = self._here()
        if place is not None:
            self._going.run_to(place)

    def run_to_question(self) -> None:
        """Run until a node asks."""
        self._going.run_to(RunToArguments(question=True))

    def _here(self) -> RunToArguments | None:
        scene = self._canvas.scene()
        inside = self._document.inside
        run = self._session.chosen_run
        for key in reversed(self._canvas.order):
            if key in scene.topology.edges:
                return RunToArguments(edge=key, inside=inside, run=run)
            if key in scene.nodes:
                return RunToArguments(node=key, inside=inside, run=run)
        session = self._session
        viewed = session.timeline.header(session.viewing)
        head = session.head
        if viewed is None or head is None or viewed.superstep <= head.superstep:
            return None
        return RunToArguments(superstep=viewed.superstep)

    # --- hold ---

    @property
    def is_held(self) -> bool:
        """Whether all selected nodes are held."""
        nodes = self._canvas.chosen_nodes()
        inside = self._document.inside
        held = self._session.held
        return bool(nodes) and all((inside, node) in held for node in nodes)

    def hold_selected(self) -> None:
        """Keep the selected nodes from running, or let them go on."""
        held = not self.is_held
        for node in self._canvas.chosen_nodes():
            self._session.hold(node, self._document.inside, held=held)

    # --- all breakpoints ---

    def turn_used_off(self) -> None:
        """Turn a breakpoint off that was to stop the run once, and has done so."""
        breakpoints = self._document.breakpoints
        point = breakpoints.notes.get(self._session.hit_breakpoint)
        if point is not None and point.once and point.enabled:
            breakpoints.put(point.model_copy(update={"enabled": False}))

    def mute_breakpoints(self) -> None:
        """Let the run pass all breakpoints, or stop at them again."""
        breakpoints = self._document.breakpoints
        notes = breakpoints.notes
        breakpoints.take(replace(notes, muted=not notes.muted))

    def delete_breakpoints(self) -> None:
        """Delete all breakpoints. The list of breakpoints can bring them back."""
        breakpoints = self._document.breakpoints
        breakpoints.remove({point.id for point in breakpoints.notes.breakpoints})
