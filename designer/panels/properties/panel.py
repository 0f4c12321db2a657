"""Properties: the editor of the selected element, or of the workflow when nothing is
selected.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from designer.model.frames import frames_of
from designer.model.names import ids_of
from designer.panels.base import Panel, PanelHost
from designer.panels.fields.plain import Draft, TypedField
from designer.panels.forms.context import FormContext
from designer.panels.forms.field_undo import FieldUndo
from designer.panels.properties.edge_editors import EDGE_EDITORS, EdgeEditor
from designer.panels.properties.editor import Editor
from designer.panels.properties.frame_editor import FrameEditor
from designer.panels.properties.node_editor import FormPreferences, NodeEditor
from designer.panels.properties.workflow_editor import SeveralEditor, WorkflowEditor
from designer.panels.widgets.basic import Glyph, hairline, label, scrolling
from designer.panels.widgets.focus import order_focus
from designer.qt.layouts import column, put, row, stack

_Key = tuple[str, ...]


class PropertiesPanel(Panel):
    """Shows the editor of the selection.

    The editor stays while the same element is selected and is only updated, so that
    typing is not disturbed. Drafts, which are texts that could not be stored, come back
    when the element is selected again. `align_requested` carries the alignment of the
    selected nodes, which the canvas makes because it knows their sizes.
    """

    title = "Properties"
    icon = "gear"
    area = "right-edit"
    align_requested = Signal(str)

    def set_up(self) -> None:
        self.editor: Editor | None = None
        self.form_context = FormContext(lambda: self.document.folder)
        self._preferences = FormPreferences()
        self._key: _Key = ()
        self._drafts: dict[_Key, tuple[Draft, ...]] = {}
        # True while an editor is removed: its last commit must not refresh the panel.
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
        """Return each draft with its place."""
        return [
            f"{' '.join(place[:2])}, {draft.field}: {draft.text}"
            for place, drafts in self.mistyped().items()
            for draft in drafts
        ]

    def mistyped(self) -> dict[_Key, tuple[Draft, ...]]:
        """Return the drafts by the key of their editor; see `go_to`."""
        workflow = self.document.design.workflow
        present_ids = set(ids_of(workflow))
        drafts_by_place: dict[_Key, tuple[Draft, ...]] = {}
        for key, drafts in self._drafts.items():
            # Drafts of a removed element are dropped. A key of more than three parts is
            # inside a sub-workflow, whose ids are not known here.
            is_element = key[0] in ("node", "edge") and len(key) <= 3
            is_gone = is_element and key[1] not in present_ids
            if key != self._key and not is_gone:
                drafts_by_place[key] = drafts
        if self.editor is not None:
            drafts_by_place[self._key] = self.editor.drafts()
        return {key: drafts for key, drafts in drafts_by_place.items() if drafts}

    def go_to(self, place: _Key, field: str) -> None:
        """Select the element of a draft and focus its field."""
        key_length = {"node": 3, "edge": 3, "frame": 2}.get(place[0], 1)
        self.document.go_to(place[key_length:])
        self.document.select({place[1]} if key_length > 1 else ())
        self.refresh()
        if self.editor is None:
            return
        for typed_field in self.editor.findChildren(TypedField):
            if typed_field.editor().accessibleName() == field:
                typed_field.editor().setFocus(Qt.FocusReason.OtherFocusReason)
                break

    def settle(self) -> None:
        """Commit the field that the user is typing in, and keep the focus there."""
        focused = QApplication.focusWidget()
        if (
            focused is not None
            and self.editor is not None
            and self.editor.isAncestorOf(focused)
        ):
            focused.clearFocus()
            focused.setFocus()

    def focus_part(self, part: str) -> None:
        """Focus the field of a part of the element, or the first field."""
        if self.editor is None:
            return
        field = self.editor.field_of(part)
        if field is None:
            field = next(iter(self.editor.findChildren(QLineEdit)), None)
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
            self._key = key
            drafts = self._drafts.pop(key, ())
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
        """Return the key of the editor to show: ("node", id, type), ("edge", id, kind),
        ("frame", id), ("several",) or ("workflow",), followed by the sub-workflows that
        contain it.
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
        """Return whether the editor is already that of the node, because it has just
        changed the node's id.
        """
        if not isinstance(self.editor, NodeEditor) or key[0] != "node":
            return False
        return self.editor.node_id == key[1] and key[2] == self._key[2]

    def _make(self, key: _Key) -> Editor:
        workflow = self.document.design.workflow
        if key[0] == "node":
            node = next(node for node in workflow.nodes if node.id == key[1])
            return NodeEditor(self, node, self.form_context, self._preferences)
        if key[0] == "edge":
            edge = next(edge for edge in workflow.edges if edge.id == key[1])
            return EDGE_EDITORS.get(key[2], EdgeEditor)(self, edge)
        if key[0] == "frame":
            frames = frames_of(self.document.design)
            frame = next(frame for frame in frames if frame.id == key[1])
            return FrameEditor(self, frame)
        if key[0] == "several":
            return SeveralEditor(self, self._align)
        return WorkflowEditor(self)

    def _align(self, way: str) -> None:
        self.align_requested.emit(way)

    def _put_away(self) -> None:
        """Remove the editor and keep its drafts. A focused field in it is committed
        first.
        """
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
        """Rebuild the editor if the type of its node has changed; otherwise typing goes
        on.
        """
        editor = self.editor
        infos = self.session.infos
        if isinstance(editor, NodeEditor) and not editor.is_made_for(infos):
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
        text = "This is a run. Go back to editing to change the workflow."
        words = label(text, "secondary", wrap=True)
        line = row(
            Glyph(self.look, "eye", "text2", 16),
            (words, 1),
            gap=8,
            margins=(12, 8, 12, 8),
        )
        put(note, stack(line, hairline()))
        return note
