"""Properties: the editor for what is selected, or for the workflow when nothing is."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from designer.model.frames import frames_of
from designer.model.names import ids_of
from designer.panels.base import Panel, PanelHost
from designer.panels.forms.context import FormContext
from designer.panels.forms.field_undo import FieldUndo
from designer.panels.forms.fields import Draft, TypedField
from designer.panels.properties.edge_editors import EDGE_EDITORS, EdgeEditor
from designer.panels.properties.editor import Editor
from designer.panels.properties.frame_editor import FrameEditor
from designer.panels.properties.node_editor import Habits, NodeEditor
from designer.panels.properties.workflow_editor import SeveralEditor, WorkflowEditor
from designer.panels.widgets.basic import Glyph, hairline, label, scrolling
from designer.panels.widgets.focus import order_focus
from designer.qt.layouts import column, put, row, stack

_Key = tuple[str, ...]


class PropertiesPanel(Panel):
    """The editor stays while the same thing is selected and is only brought up to date, so typing is not disturbed.
    What was typed and could not be taken over is there again when one comes back. `align_requested` carries how the
    selected nodes should be put in line: the canvas knows how large they are.
    """

    title = "Properties"
    icon = "gear"
    area = "right-edit"
    align_requested = Signal(str)

    def set_up(self) -> None:
        self.editor: Editor | None = None
        self.form_context = FormContext(lambda: self.document.folder)
        self._habits = Habits()
        self._key: _Key = ()
        self._drafts: dict[_Key, tuple[Draft, ...]] = {}
        # an editor is put away: what that commits is followed when it is done
        self._leaving = False
        self._field_undo = FieldUndo(self, self.document.undo_stack)
        self._note = self._read_only_note()
        self._scroll = scrolling()
        layout = column(self)
        layout.addWidget(self._note)
        layout.addWidget(self._scroll, 1)
        self.document.changed.connect(lambda _diff: self.invalidate())
        self.document.replaced.connect(self._on_replaced)
        self.document.entered.connect(self._rebuild)
        self.document.selection_changed.connect(self.invalidate)
        self.session.changed.connect(self.invalidate)
        self.session.catalogue_ready.connect(self._on_catalogue)
        self.checks.changed.connect(self._show_problems)

    def connect_to(self, host: PanelHost) -> None:
        self.align_requested.connect(host.align)
        self.form_context = replace(self.form_context, edit=host.edit_source)

    @property
    def read_only(self) -> bool:
        return self.session.mode != "edit"

    def unfinished(self) -> list[str]:
        """What was typed and could not be taken over: where, and the text. Undone by typing on, or by what is shown."""
        return [
            f"{' '.join(place[:2])}, {draft.field}: {draft.text}"
            for place, drafts in self.mistyped().items()
            for draft in drafts
        ]

    def mistyped(self) -> dict[_Key, tuple[Draft, ...]]:
        """The same by what it was typed for; see `go_to` for a way there."""
        workflow = self.document.design.workflow
        present_ids = set(ids_of(workflow))
        # What was typed for something that is gone is not missed; inside of sub-workflows it may still be there.
        drafts_by_place = {
            key: drafts
            for key, drafts in self._drafts.items()
            if key != self._key
            and (
                key[0] not in ("node", "edge") or len(key) > 3 or key[1] in present_ids
            )
        }
        if self.editor is not None:
            drafts_by_place[self._key] = self.editor.drafts()
        return {key: drafts for key, drafts in drafts_by_place.items() if drafts}

    def go_to(self, place: _Key, field: str) -> None:
        """To the field in which something was typed for something."""
        key_length = {"node": 3, "edge": 3, "frame": 2}.get(place[0], 1)
        self.document.go_to(place[key_length:])
        self.document.select({place[1]} if key_length > 1 else ())
        self.refresh()
        fields = self.editor.findChildren(TypedField) if self.editor is not None else []
        target = next(
            (
                typed_field
                for typed_field in fields
                if typed_field.editor().accessibleName() == field
            ),
            None,
        )
        if target is not None:
            target.editor().setFocus(Qt.FocusReason.OtherFocusReason)

    def settle(self) -> None:
        """Take over what is being typed, as if one had left its field, and stay there."""
        focused = QApplication.focusWidget()
        if (
            focused is not None
            and self.editor is not None
            and self.editor.isAncestorOf(focused)
        ):
            focused.clearFocus()
            focused.setFocus()

    def focus_part(self, part: str) -> None:
        """Give the focus to the field of a part of what is edited, or to the first field."""
        if self.editor is None:
            return
        field = self.editor.field_of(part) or next(
            iter(self.editor.findChildren(QLineEdit)), None
        )
        if field is not None:
            self._scroll.ensureWidgetVisible(field)
            field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def refresh(self) -> None:
        if self._leaving or (self.editor is not None and self.editor.busy):
            return
        key = self._wanted()
        drafts: tuple[Draft, ...] = ()
        if key != self._key and not self._follows(key):
            self._put_away()
            self._key, drafts = key, self._drafts.pop(key, ())
            self._set_editor(self._make(key))
        self._key = key
        self._note.setVisible(self.read_only)
        if self.editor is not None:
            self.editor.set_read_only(self.read_only)
            self.editor.show_design()
            self.editor.type_in(drafts)
            self.editor.show_problems()

    # --- inside

    def _wanted(self) -> _Key:
        """What has to be edited: ("node", id, type), ("edge", id, kind), ("frame", id), ("several",) or ("workflow",),
        and behind that the sub-workflows in which it is.
        """
        return (*self._chosen(), *self.document.inside)

    def _chosen(self) -> _Key:
        selection = self.document.selection
        if len(selection) > 1:
            return ("several",)
        workflow = self.document.design.workflow
        for chosen in selection:
            node = workflow.node(chosen)
            if node is not None:
                return ("node", node.id, node.type)
            edge = next((edge for edge in workflow.edges if edge.id == chosen), None)
            if edge is not None:
                return ("edge", edge.id, edge.kind)
            return ("frame", chosen)
        return ("workflow",)

    def _follows(self, key: _Key) -> bool:
        """Whether the editor is already that of the wanted node, because it has just changed the node's id."""
        is_node = (
            isinstance(self.editor, NodeEditor)
            and key[0] == "node"
            and self.editor.node_id == key[1]
        )
        return is_node and key[2] == self._key[2]

    def _make(self, key: _Key) -> Editor:
        workflow = self.document.design.workflow
        if key[0] == "node":
            node = next(node for node in workflow.nodes if node.id == key[1])
            return NodeEditor(self, node, self.form_context, self._habits)
        if key[0] == "edge":
            return EDGE_EDITORS.get(key[2], EdgeEditor)(
                self, next(edge for edge in workflow.edges if edge.id == key[1])
            )
        if key[0] == "frame":
            return FrameEditor(
                self,
                next(
                    frame
                    for frame in frames_of(self.document.design)
                    if frame.id == key[1]
                ),
            )
        if key[0] == "several":
            return SeveralEditor(self, self._align)
        return WorkflowEditor(self)

    def _align(self, way: str) -> None:
        self.align_requested.emit(way)

    def _put_away(self) -> None:
        """Let go of the editor. A field that has the focus loses it by that, and is committed like any other."""
        editor = self.editor
        if editor is None:
            return
        focused = QApplication.focusWidget()
        if focused is not None and editor.isAncestorOf(focused):
            self._leaving = True
            focused.clearFocus()
            self._leaving = False
        self.editor = None
        self._scroll.takeWidget()
        editor.hide()
        if drafts := editor.drafts():
            self._drafts[self._key] = drafts
        editor.deleteLater()

    def _set_editor(self, editor: Editor) -> None:
        self.editor = editor
        editor.settled.connect(self._field_undo.forget)
        self._scroll.setWidget(editor)
        order_focus(self)

    def _on_replaced(self) -> None:
        self._rebuild()
        self._drafts.clear()

    def _on_catalogue(self) -> None:
        """A type that is another one now has another form. Where it is what it was, who is typing goes on."""
        if isinstance(self.editor, NodeEditor) and not self.editor.is_made_for(
            self.session.infos
        ):
            self._rebuild()
        else:
            self.invalidate()

    def _rebuild(self) -> None:
        self._put_away()
        self._key = ()
        self.invalidate()

    def _show_problems(self) -> None:
        if self.editor is not None and self.isVisible() and self._wanted() == self._key:
            self.editor.show_problems()

    def _read_only_note(self) -> QWidget:
        note = QWidget()
        text = "A run is shown: go back to editing to change this."
        words = label(text, "secondary", wrap=True)
        line = row(
            Glyph(self.look, "eye", "text2", 16),
            (words, 1),
            gap=8,
            margins=(12, 8, 12, 8),
        )
        put(note, stack(line, hairline()))
        return note
