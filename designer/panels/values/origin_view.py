"""Where a value comes from, as a list: the value first, then what it was made from, back
to the input. It is shown in place of a panel's usual content.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QMenu, QWidget

from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.model.patch_address import Address
from designer.panels.values.model import Done, Node
from designer.panels.values.patch_address import EDIT, place_of_step
from designer.panels.values.tree import ValueTree
from designer.panels.values.view_as import TreeAndViewer
from designer.panels.widgets.basic import (
    ContentOrNotice,
    ElidedLabel,
    copy_text,
    hairline,
    icon_button,
    label,
)
from designer.qt.layouts import put, row, stack
from designer.session.session import DebugSession
from runtime.debug.protocol import OriginStep, ProvenanceBody
from runtime.values.words import counted

# Returns the title of a node on the level to which a way leads.
TitleOn = Callable[[Sequence[str], str], str]
GO_ON = "go on"  # the key of the row that asks further back
_KINDS = {
    "message": "Message",
    "input": "Input of the run",
    "answer": "Answer",
    "output": "Output",
    "question": "Question",
    "state": "State",
    "own": "Own state",
}


class OriginView(QWidget):
    """Shows `session.origin`. A click on a step leads there: to its executor, after its
    superstep. A double-click edits its value in a copy.

    copy_requested  the id of a checkpoint, and the Address of a value in it
    """

    copy_requested = Signal(str, object)

    def __init__(self, session: DebugSession, look: Look, title_on: TitleOn) -> None:
        super().__init__()
        self._session = session
        self._look = look
        self._title_on = title_on
        self._shown: ProvenanceBody | None = None
        self.back_button = icon_button(
            look, "stepback", "Back to the steps before", session.origin.back
        )
        self.copy_button = icon_button(
            look, "copy", "Copy the steps as text", lambda: copy_text(self.text())
        )
        self.close_button = icon_button(
            look, "x", "Back to what is selected (Esc)", session.origin.forget
        )
        self.head = ElidedLabel("", "section")
        self.facts = label("", "secondary", wrap=True)
        self.facts.setContentsMargins(12, 0, 12, 8)
        self.tree = ValueTree(look, self._expand, "Where it comes from")
        self.tree.chosen.connect(self._on_chosen)
        self.tree.activated.connect(self._on_activated)
        self.tree.doubleClicked.connect(
            lambda index: self._edit(self.tree.values.node(index))
        )
        self.tree_and_viewer = TreeAndViewer(self.tree, look)
        self.tree_and_viewer.automatic = True
        self.tree.offer = partial(self._offer, self.tree.offer)
        self.notice = ContentOrNotice(self.tree_and_viewer, look)
        head = row(
            self.back_button,
            (self.head, 1),
            self.copy_button,
            self.close_button,
            gap=4,
            margins=(12, 8, 8, 2),
        )
        put(self, stack(head, self.facts, hairline(), (self.notice, 1)))

    def refresh(self) -> None:
        """Show the present answer, or that it is awaited."""
        origin = self._session.origin
        self.head.setText(f"Where {origin.name} comes from")
        self.setAccessibleName(self.head.text())
        self.back_button.setVisible(origin.can_go_back)
        body = origin.body
        self.facts.setText(_facts(body) if body is not None else "")
        self.facts.setVisible(body is not None)
        if body is not None:
            self.notice.show_content()
            if body is not self._shown:
                self._shown = body
                self.tree.show_root(self._root(body))
                self.tree.go_to((str(len(body.steps)),))
                if self.isAncestorOf(self.window().focusWidget()):
                    self.tree.setFocus()
        elif origin.failure:
            self.notice.say("branch", "Its origin is not known", origin.failure)
        else:
            self.notice.say("clock", "Looking it up…", "")

    def show_step_of(self, numbers: Sequence[int]) -> None:
        """Go to the newest of these steps, unless the user is at one of them."""
        current = self.tree.values.node(self.tree.currentIndex()).keys[:1]
        if numbers and current not in [(str(number),) for number in numbers]:
            self.tree.go_to((str(max(numbers)),))

    def text(self) -> str:
        """Return the whole way as text, one line for each step."""
        lines = []
        for node in self.tree.values.root.children:
            value = f": {node.value.text}" if node.value is not None else ""
            lines.append("  ".join(filter(None, (node.tail, node.title + value))))
        return "\n".join(lines)

    def _root(self, body: ProvenanceBody) -> Node:
        root = Node("")
        for step in reversed(body.steps):
            root.add([self._row(step)])
            if step.gap:
                gap = Node(f"{step.number} gap", title=step.gap, tail="not recorded")
                gap.plain = step.gap
                root.add([gap])
            if step.is_open:
                words = "Look further back from here"
                root.add([Node(f"{step.number} {GO_ON}", title=words)])
        return root

    def _row(self, step: OriginStep) -> Node:
        node = Node(
            str(step.number),
            step.item.value,
            # Its run may be another than the one that is shown.
            section=f"{step.item.section}@{step.number}",
            path=step.item.path,
            title=f"{step.number} · {self.words(step)}",
        )
        made_of = ", ".join(str(link.number) for link in step.sources)
        arrow = f"← {made_of}" if made_of else ""
        node.tail = " · ".join(filter(None, (arrow, f"s{step.superstep}")))
        return node

    def words(self, step: OriginStep) -> str:
        """Return who made a value, and how."""
        if not step.executor:
            words = step.how or _KINDS.get(step.item.kind, step.item.kind)
            return words[:1].upper() + words[1:]
        way = [run.rpartition("#")[0] for run in step.runs]
        names = [*step.runs, self._title_on(way, step.executor)]
        return f"{' › '.join(names)} {step.how}".strip()

    def _step_of(self, node: Node) -> tuple[OriginStep | None, str]:
        """Return the step that a row is of, and what the row is besides."""
        number, _, rest = node.key.partition(" ")
        if len(node.keys) != 1 or not number.isdecimal():
            return None, ""
        return self._session.origin.step(int(number)), rest

    def _place_of(self, node: Node) -> tuple[str, Address] | None:
        """Return where the value of a row can be edited in a copy."""
        step, rest = self._step_of(node)
        if step is None or rest or self._session.looks_only:
            return None
        return place_of_step(step)

    def _edit(self, node: Node) -> None:
        place = self._place_of(node)
        if place is not None:
            self.copy_requested.emit(*place)

    def _offer(
        self, packaged: Callable[[QMenu, Node], object], menu: QMenu, node: Node
    ) -> None:
        if self._place_of(node) is not None:
            icon = themed_icon("pencil", self._look)
            menu.addAction(icon, EDIT, lambda: self._edit(node))
        packaged(menu, node)

    def _on_chosen(self, node: Node) -> None:
        step, rest = self._step_of(node)
        origin = self._session.origin
        if step is not None and rest == GO_ON:
            origin.go_on(step)
        elif step is not None:
            origin.choose(step.number)

    def _on_activated(self, index: QModelIndex) -> None:
        self._on_chosen(self.tree.values.node(index))

    def _expand(
        self, section: str, path: tuple[int, ...], offset: int, done: Done
    ) -> None:
        """Request the parts of a value of a step."""
        step = self._session.origin.step(int(section.rpartition("@")[2]))
        if step is not None:
            self._session.questions.expand_at(step, path, offset, done)
        else:
            done(None)


def _facts(body: ProvenanceBody) -> str:
    """Return how far back the steps lead."""
    steps = body.steps
    first = min((step.superstep for step in steps), default=0)
    last = max((step.superstep for step in steps), default=0)
    words = f"{counted(len(steps), 'step')}, superstep {first}"
    if last != first:
        words += f" to {last}"
    if body.complete:
        return f"{words}, back to the input"
    if any(step.is_open for step in steps):
        return f"{words}. It goes further back"
    return f"{words}. The record has gaps"
