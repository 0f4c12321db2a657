"""Selected: the selected node, edge or join at the viewed moment, or the superstep when
nothing is selected.

To show a node here from elsewhere, select it in the document, and bring the panel to
the front with the window's `show_panel("Selected")`. A failure of the live run is shown
at the node that failed, with its message; `panel.body` has the host's answer, with
`panel.body.failure` and `panel.body.coming[failure.call].received`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from designer.look.icons import themed_icon
from designer.model.edge_kinds import KINDS, kind_of, read_edge
from designer.model.errors import EditError
from designer.model.inside import child
from designer.model.origin_path import path_on
from designer.panels.base import NO_RUN, NOT_INSIDE, Panel, PanelHost
from designer.panels.values.changes import Changes
from designer.panels.values.model import Done, Node
from designer.panels.values.origin_view import OriginView
from designer.panels.values.origins import ask_origin
from designer.panels.values.patch_address import offer_copy
from designer.panels.values.results_row import ResultsRow
from designer.panels.values.row_builder import Rows
from designer.panels.values.selected_question import Body, SelectedQuestion
from designer.panels.values.selected_rows import edge_rows, node_rows
from designer.panels.values.superstep_question import SuperstepQuestion
from designer.panels.values.superstep_rows import superstep_rows
from designer.panels.values.tree import ValueTree
from designer.panels.values.view_as import TreeAndViewer
from designer.panels.widgets.basic import (
    ContentOrNotice,
    ElidedLabel,
    Glyph,
    hairline,
    label,
)
from designer.panels.widgets.glyphs import STATE_WORDS
from designer.qt.layouts import column, put, row, stack
from runtime.debug.protocol import (
    SECTION_TITLES,
    ChangeItem,
    EdgeBody,
    JoinMoment,
    Moment,
    NodeBody,
    NodeMoment,
)

_TONES = {
    "ran": "ok",
    "done": "ok",
    "waiting": "warn",
    "stalled": "warn",
    "asking": "ask",
    "failed": "bad",
}
_ACCENTED = {"queued", "running", "next"}


class SelectedPanel(Panel):
    """Asks the host about the selected element while visible.

    element  the id of the shown node or edge, "" for the superstep
    body     the host's answer about it, None until it has come
    """

    title = "Selected"
    icon = "target"
    area = "right-debug"
    copy_requested = Signal(object)  # Address
    origin_copy_requested = Signal(str, object)  # id of a checkpoint, Address

    def connect_to(self, host: PanelHost) -> None:
        self.copy_requested.connect(host.edit_copy)
        self.origin_copy_requested.connect(host.edit_copy_of_value)

    def set_up(self) -> None:
        self._question = SelectedQuestion(self.session, self)
        self._question.answered.connect(self.invalidate)
        self._at_work = ""
        self._rows = Rows(Node(""))
        self._mark = Glyph(self.look, "idle", "text3", 16)
        self._title = ElidedLabel("", "section")
        self._facts = ElidedLabel("", "secondary")
        self._kind = label("", "chip")
        self.results = ResultsRow(self.session, self.look)
        self._error = label("", "error", wrap=True)
        self._error.setContentsMargins(12, 0, 12, 8)
        self._note = label("", "caption", wrap=True)
        self._note.setContentsMargins(12, 0, 12, 8)
        self.tree = ValueTree(self.look, self._expand, "Selected element")
        self.tree.chosen.connect(self._on_chosen)
        self.tree.doubleClicked.connect(
            lambda index: self._on_double_click(self.tree.values.node(index))
        )
        self.tree_and_viewer = TreeAndViewer(self.tree, self.look)
        self.tree_and_viewer.automatic = True
        packaged = self.tree.offer
        self.tree.offer = partial(self._offer, packaged)
        self.tree.ask_origin = partial(ask_origin, self.session)
        self.stack = ContentOrNotice(self._content(), self.look)
        self.changes = Changes(
            self.session, self.look, tuple(SECTION_TITLES), self.node_title
        )
        self.stack.addWidget(self.changes)
        self.origin = OriginView(self.session, self.look, self._title_on)
        self.origin.copy_requested.connect(self.origin_copy_requested)
        self.stack.addWidget(self.origin)
        self._superstep = SuperstepQuestion(self.session, self)
        self._superstep.answered.connect(self.invalidate)
        column(self).addWidget(self.stack)
        self.session.compared.connect(self.invalidate)
        self.session.origin.changed.connect(self.invalidate)
        self.session.viewed.connect(self.invalidate)
        self.session.progressed.connect(self._on_progress)
        self.session.changed.connect(self._on_session)
        self.document.selection_changed.connect(self.invalidate)
        self.document.selection_changed.connect(self._follow_selection)

    @property
    def element(self) -> str:
        return self._question.element

    @property
    def body(self) -> Body | None:
        return self._question.body

    def _content(self) -> QWidget:
        content = QWidget()
        head = row(
            self._mark, (self._title, 1), self._kind, gap=8, margins=(12, 10, 12, 2)
        )
        facts = row((self._facts, 1), margins=(36, 0, 12, 8))
        put(
            content,
            stack(
                head,
                facts,
                self.results,
                self._error,
                self._note,
                hairline(),
                (self.tree_and_viewer, 1),
            ),
        )
        return content

    def refresh(self) -> None:
        moment = self.session.seen
        inside = self.session.inside
        if self.session.origin.is_on:
            self.origin.refresh()
            self.stack.setCurrentWidget(self.origin)
            return
        if moment is None:
            self._forget()
            if self.session.running:
                self.stack.say(
                    "clock",
                    "Running",
                    "The first checkpoint of this run has not been reached yet.",
                )
            else:
                self.stack.say(self.icon, *NO_RUN)
            return
        if inside is not None and inside.moment is None:
            self._forget()
            self.stack.say(self.icon, *NOT_INSIDE)
            return
        element = self._chosen(moment)
        if self.changes.is_on:
            self.changes.show_changes(partial(_is_about, element))
            self.stack.setCurrentWidget(self.changes)
            return
        self.stack.show_content()
        self._question.ask_about(element, moment)
        self._show(moment)

    # --- what is selected

    def _chosen(self, moment: Moment) -> str:
        """Return the id of the selected element, if only one is selected and the run
        has it.
        """
        selection = self.document.selection
        in_run = selection & moment.nodes.keys()
        if in_run != selection:
            in_run |= selection & self._edge_ids(moment)
        return next(iter(in_run)) if len(in_run) == 1 else ""

    def _edge_ids(self, moment: Moment) -> set[str]:
        ids = {join.edge for join in moment.joins} | moment.edges.keys()
        for edge in self._edges(moment):
            edge_id = edge.get("id")
            if isinstance(edge_id, str):
                ids.add(edge_id)
        return ids

    def _edges(self, moment: Moment) -> list[dict[str, Any]]:
        """Return the edge groups of the moment's graph, or else of the drawing."""
        if moment.definition is None:
            return [
                edge.model_dump(mode="json")
                for edge in self.document.design.workflow.edges
            ]
        edges = moment.definition.get("edges")
        if isinstance(edges, list | tuple):
            return [edge for edge in edges if isinstance(edge, dict)]
        return []

    # --- asking

    def _forget(self) -> None:
        self._question.forget()
        self.tree.show_root(Node(""))

    def _on_progress(self) -> None:
        """Refresh only when the node begins or ends, because a superstep reports its
        progress often.
        """
        if self._at_work != self._work():
            self.invalidate()

    def _work(self) -> str:
        """Return the state of the node in the running superstep: "running", "held"
        until the barrier, or "".
        """
        session = self.session
        progress = session.seen_progress
        if progress is None or not session.running or session.mode != "live":
            return ""
        if self.element in progress.running:
            return "running"
        if self.element in progress.done:
            return "held"
        return ""

    def _on_session(self) -> None:
        if self.session.mode == "edit":
            self._question.clear()
        if self.session.seen is None:
            self.invalidate()

    # --- showing

    def _show(self, moment: Moment) -> None:
        self._at_work = self._work()
        match self.body:
            case NodeBody() as body if self.element:
                self._show_node(moment, body)
            case EdgeBody() as body if self.element:
                self._show_edge(moment, body)
            case _ if self.element in moment.nodes:
                self._head_of_node(moment, "")
                self._fill(Rows(Node("")))
            case _ if self.element:
                self._head("chevr", "text2", self._edge_title(moment), "", "")
                self._fill(Rows(Node("")))
            case _:
                self._show_superstep(moment)

    def _show_node(self, moment: Moment, body: NodeBody) -> None:
        self._head_of_node(moment, body.type)
        failure = body.failure
        if failure is not None:
            self._say_error(f"{failure.error_type}: {failure.text}")
        self._say_notes(body.notes)
        self.results.show_node(body.node, body.type)
        node = moment.nodes.get(self.element, NodeMoment())
        at_work = bool(self._at_work) or node.state == "running"
        self._fill(node_rows(body, self.node_title, at_work=at_work))

    def _head_of_node(self, moment: Moment, kind: str) -> None:
        node = moment.nodes.get(self.element, NodeMoment())
        state, facts = self._state_of(node)
        self._head(state, _tone(state), self.node_title(self.element), facts, kind)

    def _state_of(self, node: NodeMoment) -> tuple[str, str]:
        """Return glyph and words of the node's state. The running time is on the
        canvas, where it is animated.
        """
        if self._at_work == "held":
            return "done", "Done, held until the barrier"
        if self._at_work == "running" or node.state == "running":
            return "running", STATE_WORDS["running"]
        if node.handed_on:
            return node.state, node.failure_words
        words = STATE_WORDS[node.state]
        return node.state, f"{words} · {node.detail}" if node.detail else words

    def _show_edge(self, moment: Moment, body: EdgeBody) -> None:
        came = len(body.carried)
        stopped = len(body.stopped)
        facts = f"{came} came, {stopped} stopped in superstep {body.superstep}"
        if not came and not stopped:
            facts = f"Nothing came in superstep {body.superstep}"
            if body.before is not None:
                facts = f"Nothing in superstep {body.superstep}"
                facts += f", the last in {body.before.superstep}"
        self._head(
            KINDS[body.kind].icon if body.kind in KINDS else "chevr",
            "text2",
            self._edge_title(moment),
            facts,
            body.kind.replace("_", "-"),
        )
        self._say_notes(body.notes)
        self._fill(edge_rows(body, self._join(moment), self.node_title))

    def _show_superstep(self, moment: Moment) -> None:
        superstep = moment.superstep
        title = f"Superstep {superstep}" if superstep else "Before superstep 1"
        facts = "Select a node or an edge to see it here"
        chosen = len(self.document.selection)
        if chosen > 1:
            facts = f"{chosen} selected: select one to see it here"
        self._head("superstep", "text2", title, facts, "")
        body = self._superstep.body()
        if body is not None:
            self._say_notes(body.notes)
        self._fill(superstep_rows(moment, self.node_title, body))

    def _head(self, glyph: str, role: str, title: str, facts: str, kind: str) -> None:
        self._mark.show_glyph(glyph, role)
        self._title.setText(title)
        self._facts.setText(facts)
        self._kind.setText(kind)
        self._kind.setVisible(bool(kind))
        self.results.show_nothing()
        self.setAccessibleName(f"Selected: {title}. {facts}")
        self._say_error("")
        self._say_notes(())

    def _say_error(self, text: str) -> None:
        self._error.setText(text)
        self._error.setVisible(bool(text))

    def _say_notes(self, notes: tuple[str, ...]) -> None:
        self._note.setText(" ".join(notes))
        self._note.setVisible(bool(notes))

    def _fill(self, rows: Rows) -> None:
        """Show the rows. Go to the first one unless the user has chosen a row that is
        still there.
        """
        self._rows = rows
        self.tree.show_root(rows.root)
        if rows.first and not self.tree.currentIndex().isValid():
            self.tree.go_to(rows.first)

    def _join(self, moment: Moment) -> JoinMoment | None:
        return next((join for join in moment.joins if join.edge == self.element), None)

    def _edge_title(self, moment: Moment) -> str:
        edges = [edge for edge in self._edges(moment) if edge.get("id") == self.element]
        edge = read_edge(edges[0] if edges else {})
        if edge is not None:
            return kind_of(edge).heading(edge, self.node_title)
        join = self._join(moment)
        if join is not None:
            return f"Join into {self.node_title(join.target)}"
        return self.element

    def _follow_selection(self) -> None:
        """Show the step of a node that the user selects on the canvas."""
        body = self.session.origin.body
        if body is None or len(self.document.selection) != 1:
            return
        inside = self.session.inside
        keys = inside.keys if inside is not None else ()
        path = path_on(body.steps, self.session.way, keys)
        [element] = self.document.selection
        self.origin.show_step_of(path.numbers.get(element, ()))

    def _title_on(self, way: Sequence[str], node: str) -> str:
        """Return the title of a node on the level to which a way leads."""
        if tuple(way) == self.session.way:
            return self.node_title(node)
        design = self.document.root
        try:
            for owner in way:
                design = child(design, owner, self.document.folder)
        except EditError:
            return node
        drawn = design.workflow.node(node)
        return drawn.title if drawn is not None else node

    # --- verbs of rows

    def _on_chosen(self, node: Node) -> None:
        """View the checkpoint of a clicked superstep, or select the node of a clicked
        row of the superstep.
        """
        checkpoint_id = self._rows.checkpoints.get(node.keys)
        if checkpoint_id is not None:
            self.session.view(checkpoint_id)
        elif node.keys in self._rows.elements and not self.element:
            self.reveal(self._rows.elements[node.keys])

    def _on_double_click(self, node: Node) -> None:
        element = self._rows.elements.get(node.keys)
        if element:
            self.reveal(element)

    def _offer(
        self, packaged: Callable[[QMenu, Node], object], menu: QMenu, node: Node
    ) -> None:
        element = self._rows.elements.get(node.keys)
        checkpoint_id = self._rows.checkpoints.get(node.keys)
        if element:
            menu.addAction(
                themed_icon("target", self.look),
                f"Select {self.node_title(element)}",
                lambda: self.reveal(element),
            )
        if checkpoint_id is not None:
            menu.addAction(
                themed_icon("eye", self.look),
                "View this checkpoint",
                lambda: self.session.view(checkpoint_id),
            )
        if not self.session.looks_only:
            moment = self.session.seen
            offer_copy(menu, node, moment, self.look, self.copy_requested)
        packaged(menu, node)

    def _expand(
        self, section: str, path: tuple[int, ...], offset: int, done: Done
    ) -> None:
        checkpoint_id = None
        if "@" in section:
            section, _, checkpoint_id = section.rpartition("@")
        self.session.questions.expand(
            section, path, offset, done, checkpoint_id=checkpoint_id
        )


def _is_about(element: str, change: ChangeItem) -> bool:
    """Return whether a change belongs to the selected element; with nothing selected,
    all do.
    """
    if not element:
        return True
    return change.section == "executors" and change.path.startswith(f"[{element!r}]")


def _tone(state: str) -> str:
    return "accent" if state in _ACCENTED else _TONES.get(state, "text3")
