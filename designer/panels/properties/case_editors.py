"""The ordered conditions of a switch and of a multi-selection: a card each, with
number, target and condition.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Generic

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QWidget

from designer.model import edits
from designer.model.completion.cel_words import example_for
from designer.model.edge_kinds.base import AnyEdge
from designer.model.names import is_blank
from designer.panels.code.cel_edit import CelField
from designer.panels.properties.editor import Card, Editor, move_buttons
from designer.panels.properties.reorder import Grip, Reorder
from designer.panels.properties.try_value import OutcomeLine, TryBox
from designer.panels.widgets.basic import (
    RIGHT,
    Choice,
    ElidedLabel,
    Glyph,
    button,
    hint,
    label,
    set_style,
)
from designer.qt.layouts import clear, column, put, row, stack
from runtime.checks.try_conditions import Outcome, Trial
from runtime.document.definition import (
    MultiSelectionEdge,
    Selection,
    SwitchCase,
    SwitchEdge,
)
from runtime.document.problem import Problem

AnyCase = SwitchCase | Selection


class CaseCard(Card):
    """One case or selection: number, name, target, condition."""

    def __init__(self, owner: _Cases[Any], at: int) -> None:
        super().__init__()
        self._owner = owner
        self._at = at
        look = owner.editor.look
        self.grip = Grip(look, owner.reorder, at, f"case {at + 1}")
        self.number = label(str(at + 1), "data2")
        self.name = QLineEdit()
        set_style(self.name, bare=True)
        self.name.setPlaceholderText("Name")
        self.name.setAccessibleName(f"Name of case {at + 1}")
        self.target = Choice(look)
        set_style(self.target, bare=True)
        self.target.setMinimumContentsLength(3)
        self.name.setMinimumWidth(40)
        self.target.setAccessibleName(f"Target of case {at + 1}")
        self.when = CelField(look, f"Condition of case {at + 1}", "message.score > 0.8")
        to = Glyph(look, "chevr", "text2", 12)
        head = put(
            self.body,
            row(self.grip, self.number, (self.name, 3), to, (self.target, 4), gap=2),
        )
        self._tools = put(head, row(gap=0))
        self.outcome = OutcomeLine(look)
        self.body.addWidget(self.when)
        self.body.addWidget(self.outcome)
        self._count = -1
        self._is_naming = False
        self._name_before: str | None = None  # the name from before the typing
        for part in self.parts():
            owner.reorder.watch(part)
        settle = owner.editor.settle
        self.name.textEdited.connect(self._on_name)
        self.name.editingFinished.connect(self._end_name)
        self.name.editingFinished.connect(settle)
        self.target.activated.connect(
            lambda index: owner.put(self._at, "target", self.target.itemData(index))
        )
        self.when.edited.connect(lambda: owner.put(self._at, "when", self.when.text()))
        self.when.committed.connect(settle)
        self.when.committed.connect(lambda: owner.end_patience(self._at))

    def show_case(
        self,
        case: SwitchCase | Selection,
        count: int,
        nodes: list[tuple[str, str]],
        read_only: bool,
    ) -> None:
        name = case.name if isinstance(case, SwitchCase) else None
        self.name.setVisible(name is not None)
        if name is not None and self.name.text() != name and not self._is_naming:
            self.name.setText(name)
            self.name.setCursorPosition(0)
        self.target.fill([(title, node_id) for node_id, title in nodes], case.target)
        self.when.show_text(case.when)
        self.name.setReadOnly(read_only)
        self.when.set_read_only(read_only)
        self.target.setEnabled(not read_only)
        self.grip.setVisible(not read_only and count > 1)
        self._show_tools(0 if read_only else count)

    def _on_name(self, text: str) -> None:
        """Store the name while the user types. A blank text is no name, so the previous
        name is stored instead.
        """
        blank = is_blank(text)
        if self._name_before is None:
            self._name_before = self._owner.name_of(self._at)
        set_style(self.name, invalid=blank)
        self.name.setToolTip("A name of blanks alone cannot be seen." if blank else "")
        self._is_naming = True
        self._owner.put(self._at, "name", self._name_before if blank else text)
        self._is_naming = False

    def _end_name(self) -> None:
        self._name_before = None
        if is_blank(self.name.text()):
            self.name.setText(self._owner.name_of(self._at))
            set_style(self.name, invalid=False)
            self.name.setToolTip("")

    def parts(self) -> tuple[QWidget, ...]:
        """Return the widgets that take the focus, in the same order for all cards."""
        return self.name, self.target, self.when.editor, self.grip

    def show_problems(self) -> None:
        found = self._owner.problems(self._at)
        calm = self._owner.is_patient(self)
        self.when.show_problems(found, calm=calm)
        self.set_invalid(bool(found) and not calm)

    def _show_tools(self, count: int) -> None:
        if count == self._count:
            return
        self._count = count
        clear(self._tools)
        if count:
            title = f"case {self._at + 1}"
            owner = self._owner
            for tool in move_buttons(
                owner.editor.look, title, self._at, count, owner.move_case, owner.drop
            ):
                self._tools.addWidget(tool)


class _Cases(QWidget, Generic[AnyEdge]):
    """The ordered conditions of an edge group; `part` is the name of
    their list in it.
    """

    part = "cases"

    def __init__(self, editor: Editor) -> None:
        super().__init__()
        self.editor = editor
        self._edge: AnyEdge | None = None
        self.cards: list[CaseCard] = []
        self.reorder = Reorder(self, editor.look, lambda: self.cards, self.move_case)
        self.try_box = TryBox(editor.look, editor.document, editor.panel.node_title)
        self.try_box.tried.connect(self._on_tried)
        self.add = button(self.add_text, self._on_add, small=True)
        self.body = column(self, gap=8)
        put(
            self.body,
            row(
                label(self.head, "strong"),
                (ElidedLabel(self.explanation, "secondary", RIGHT), 1),
                self.add,
            ),
        )
        self._list = put(self.body, stack(gap=8))

    head = "Cases"
    explanation = "first match wins, top to bottom"
    add_text = "+ Case"

    def field_of(self, part: str) -> QWidget | None:
        """Return the condition that a part names: that of `cases[1].when` is the
        second.
        """
        for at, card in enumerate(self.cards):
            if part.startswith(f"{self.part}[{at}]"):
                return card.when.editor
        return None

    def items(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def new_item(self) -> SwitchCase | Selection | None:
        """Return a new case, or None when no node is left for it."""
        raise NotImplementedError

    def show_items(self, read_only: bool) -> None:
        items = self.items()
        nodes = [(node.id, node.title) for node in self.editor.design.workflow.nodes]
        while len(self.cards) > len(items):
            card = self.cards.pop()
            self._list.removeWidget(card)
            card.hide()
            card.deleteLater()
        while len(self.cards) < len(items):
            self.cards.append(CaseCard(self, len(self.cards)))
            self._list.addWidget(self.cards[-1])
        for card, item in zip(self.cards, items, strict=True):
            card.show_case(item, len(items), nodes, read_only)
        self.add.setVisible(not read_only)
        if self._edge is not None:
            self.try_box.show_edge(self._edge)
            self._give_example(self._edge)

    def _give_example(self, edge: AnyEdge) -> None:
        value = self.try_box.value()
        for at, card in enumerate(self.cards):
            card.when.set_example(partial(self._example, edge, at, value))

    def _example(self, edge: AnyEdge, at: int, value: Any) -> Any:
        return example_for(
            self.editor.design, edge, at, self.editor.panel.session.infos, value
        )

    def _on_tried(self, trial: Trial | None) -> None:
        """Show on each card the result of its condition."""
        if self._edge is not None:
            self._give_example(self._edge)
        for at, card in enumerate(self.cards):
            outcome = None
            if trial is not None and at < len(trial.outcomes):
                outcome = trial.outcomes[at]
            is_true = outcome is not None and outcome.answer == "true"
            taken = is_true and self.takes(trial, at)
            late = not taken and self.comes_late(trial, at)
            card.outcome.say(outcome, taken=taken, late=late)

    def takes(self, trial: Trial | None, at: int) -> bool:
        """Return whether the value goes to the target of this condition,
        if it is true.
        """
        return trial is not None and trial.targets is not None

    def comes_late(self, trial: Trial | None, at: int) -> bool:
        """Return whether an earlier case has taken the value."""
        return False

    def show_problems(self) -> None:
        for card in self.cards:
            card.show_problems()

    def problems(self, at: int) -> list[Problem]:
        edge = self._edge
        if edge is not None:
            return list(self.editor.panel.checks.at(edge.id, f"{self.part}[{at}]"))
        return []

    def is_patient(self, card: CaseCard) -> bool:
        """Return whether the condition is only missing yet, because the user has just
        added the case.
        """
        if card.when.text().strip():
            return False
        part = f"{self.part}[{self.cards.index(card)}]"
        edge_id = self._edge.id if self._edge is not None else ""
        return self.editor.panel.checks.patience.is_with(edge_id, part)

    def end_patience(self, at: int) -> None:
        if self._edge is not None:
            self.editor.panel.checks.patience.end(self._edge.id, f"{self.part}[{at}]")
            self.editor.panel.invalidate()

    def name_of(self, at: int) -> str:
        item = self.items()[at]
        return item.name if isinstance(item, SwitchCase) else ""

    def put(self, at: int, field: str, value: str) -> None:
        items = list(self.items())
        items[at] = items[at].model_copy(update={field: value})
        merge = ""
        if field != "target":
            edge_id = self._edge.id if self._edge is not None else ""
            merge = f"{self.part}:{edge_id}:{at}:{field}"
        self._apply(f"Change case {at + 1}", items, merge)

    def move_case(self, at: int, step: int) -> None:
        items = list(self.items())
        to = max(0, min(len(items) - 1, at + step))
        items.insert(to, items.pop(at))
        focus = self._focus_in(at)
        self._apply(f"Move case {at + 1}", items)
        if focus is not None:
            self._focus(to, *focus)

    def _focus_in(self, at: int) -> tuple[int, int] | None:
        """Return the index of the focused part of a card, and the position of the
        cursor in its condition.
        """
        parts = self.cards[at].parts()
        focused = QApplication.focusWidget()
        if focused not in parts:
            return None
        return parts.index(focused), self.cards[at].when.editor.textCursor().position()

    def _focus(self, at: int, part: int, cursor: int) -> None:
        """Focus a part of a card, because the focus must move with its case."""
        widget = self.cards[at].parts()[part]
        widget.setFocus(Qt.FocusReason.OtherFocusReason)
        if isinstance(widget, QPlainTextEdit):
            place = widget.textCursor()
            place.setPosition(min(cursor, widget.document().characterCount() - 1))
            widget.setTextCursor(place)

    def drop(self, at: int) -> None:
        items = list(self.items())
        del items[at]
        self._apply(f"Remove case {at + 1}", items)

    def _on_add(self) -> None:
        item = self.new_item()
        if item is None:
            self.editor.refused.say("No node is left for another case.")
            return
        self._apply("Add case", [*self.items(), item])
        if self.cards:
            self.cards[-1].when.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def _apply(self, text: str, items: list[Any], merge: str = "") -> None:
        edge = self._edge
        if edge is None:
            return
        changes = {self.part: tuple(items)}
        self.editor.edit(
            text, lambda design: edits.set_edge(design, edge.id, **changes), merge
        )


class SwitchCases(_Cases[SwitchEdge]):
    """The cases of a switch and its default; also in the editor of a node that is drawn
    as a switch.
    """

    def __init__(self, editor: Editor) -> None:
        super().__init__(editor)
        self.default = Choice(editor.look)
        set_style(self.default, bare=True)
        self.default.setAccessibleName("Target of the default")
        self.default.activated.connect(self._on_default)
        card = Card()
        set_style(card, dashed=True)
        words = (label("default", "strong"), hint("when no case matches"), None)
        put(
            card.body,
            row(
                *words,
                Glyph(editor.look, "chevr", "text2", 12),
                (self.default, 1),
                gap=8,
            ),
        )
        self.default_outcome = OutcomeLine(editor.look)
        card.body.addWidget(self.default_outcome)
        self.body.addWidget(card)
        self.body.addSpacing(4)
        self.body.addWidget(self.try_box)
        self.hide()

    def show_edge(self, edge: SwitchEdge | None, read_only: bool) -> None:
        self._edge = edge
        self.setVisible(edge is not None)
        self.show_items(read_only)
        if edge is None:
            return
        nodes = [(node.title, node.id) for node in self.editor.design.workflow.nodes]
        self.default.fill(nodes, edge.default)
        self.default.setEnabled(not read_only)

    def takes(self, trial: Trial | None, at: int) -> bool:
        return trial is not None and trial.targets is not None and trial.case == at

    def comes_late(self, trial: Trial | None, at: int) -> bool:
        return trial is not None and trial.case is not None and at > trial.case

    def _on_tried(self, trial: Trial | None) -> None:
        super()._on_tried(trial)
        takes = trial is not None and trial.targets is not None and trial.case is None
        self.default_outcome.say(Outcome("true", "") if takes else None, taken=takes)
        if takes:
            self.default_outcome.words.setText("no case is true: goes here")

    def items(self) -> tuple[SwitchCase, ...]:
        return self._edge.cases if self._edge is not None else ()

    def new_item(self) -> SwitchCase | None:
        if self._edge is None:
            return None
        return edits.new_case(self._edge, self._edge.default)

    def _on_default(self, index: int) -> None:
        edge = self._edge
        target = self.default.itemData(index)
        if edge is not None:
            self.editor.edit(
                "Change default",
                lambda design: edits.set_edge(design, edge.id, default=target),
            )


class Selections(_Cases[MultiSelectionEdge]):
    part = "selections"
    head = "Targets"
    explanation = "each that matches gets the message"
    add_text = "+ Target"

    def __init__(self, editor: Editor) -> None:
        super().__init__(editor)
        self.body.addWidget(self.try_box)

    def show_edge(self, edge: MultiSelectionEdge, read_only: bool) -> None:
        self._edge = edge
        self.show_items(read_only)

    def items(self) -> tuple[Selection, ...]:
        return self._edge.selections if self._edge is not None else ()

    def new_item(self) -> Selection | None:
        taken = {item.target for item in self.items()}
        for node in self.editor.design.workflow.nodes:
            if node.id not in taken:
                return Selection(target=node.id)
        return None
