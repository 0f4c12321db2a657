"""The answer to one question: a form from its schema, or JSON. It shows missing fields,
and sends only a valid answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

from designer.look.theme import Look
from designer.panels.fields.error_line import ErrorLine
from designer.panels.fields.plain import MISSING, JsonField, drafts_in, type_into
from designer.panels.fields.plain import Draft as Typed
from designer.panels.fields.schema import schema_problems, title_of
from designer.panels.forms.form import Form
from designer.panels.widgets.basic import button, hint, label, set_style
from designer.qt.layouts import column, put, row
from runtime.debug.protocol import RequestMoment


@dataclass
class Draft:
    """An answer that was begun. Only `touched` fields, which were edited, show
    messages.
    """

    value: Any = MISSING
    typed: tuple[Typed, ...] = ()  # texts that are no value yet
    json: bool = False
    text: str = ""
    touched: set[str] = field(default_factory=set)


class AnswerForm(QWidget):
    """`sent` carries the JSON value of the answer. `kept` asks to keep the draft for
    later.
    """

    sent = Signal(object)
    kept = Signal()
    edited = Signal()

    def __init__(self, request: RequestMoment, look: Look, draft: Draft) -> None:
        super().__init__()
        self.draft = draft
        self._schema = request.schema_
        self._blocked = ""
        self.form = Form(self._schema, look, stacked=True)
        self.json = JsonField(least=6)
        self.json.editor().setAccessibleName("Answer as JSON")
        self._json_error = ErrorLine(look)
        self._kind = label(str(self._schema.get("title", "")), "chip")
        self._left = hint("")
        self.send = button("Send answer", self._on_send, primary=True)
        self.keep = button("Keep draft", self.kept.emit)
        self.as_form, self.as_json = self._switch()
        self._build()
        self._restore()
        self.form.edited.connect(self._on_edited)
        self.form.committed.connect(self._on_edited)
        self.json.edited.connect(self._on_json_edited)
        self._judge()

    def value(self) -> Any:
        """Return the answer as JSON. Raise ValueError when a text is no value."""
        return self.json.value() if self.draft.json else self.form.value()

    def problems(self) -> dict[str, str]:
        if not self.draft.json:
            return self.form.problems()
        try:
            value = self.json.value()
        except ValueError as error:
            return {"": str(error)}
        if value is MISSING:
            return {"": "An answer is needed."}
        return schema_problems(value, self._schema)

    def block(self, reason: str) -> None:
        """Set the reason why nothing can be sent now, or ""."""
        self._blocked = reason
        self.form.setToolTip(reason)
        self._judge()

    # --- inside

    def _switch(self) -> tuple[QPushButton, QPushButton]:
        group = QButtonGroup(self)
        choices = []
        for text, place in (("Form", "first"), ("JSON", "last")):
            choice = QPushButton(text)
            choice.setCheckable(True)
            choice.setProperty("segment", place)
            choice.setAccessibleName(f"Answer as {text}")
            group.addButton(choice)
            choices.append(choice)
        choices[0].clicked.connect(self._to_form)
        choices[1].clicked.connect(self._to_json)
        return choices[0], choices[1]

    def _build(self) -> None:
        layout = column(self, gap=8)
        switch = row(self.as_form, self.as_json, gap=0)
        put(layout, row(label("Answer", "section"), self._kind, None, switch))
        layout.addWidget(self.form)
        layout.addWidget(self.json)
        layout.addWidget(self._json_error)
        put(layout, row(self.send, self.keep, None, self._left, margins=(0, 4, 0, 0)))

    def _restore(self) -> None:
        if self.draft.value is not MISSING:
            self.form.show_value(self.draft.value)
        type_into(self.form, self.draft.typed)
        if self.draft.json:
            self.json.editor().set_text(self.draft.text)
        self._show_mode()

    def _show_mode(self) -> None:
        self.as_form.setChecked(not self.draft.json)
        self.as_json.setChecked(self.draft.json)
        self.form.setVisible(not self.draft.json)
        self.json.setVisible(self.draft.json)

    def _to_form(self) -> None:
        """Go back to the form, if the JSON text is a value that it can show."""
        try:
            value = self.json.value()
        except ValueError:
            self._show_mode()
            return
        self.draft.json = False
        self.form.show_value({} if value is MISSING else value)
        self._keep_value()
        self._show_mode()
        self._judge()

    def _to_json(self) -> None:
        try:
            self.json.show_value(self.form.value())
        except ValueError:
            self._show_mode()
            return
        self.draft.json = True
        self.draft.text = self.json.editor().text()
        self._show_mode()
        self._judge()

    def _on_edited(self, name: str) -> None:
        self.draft.touched.add(name)
        self._keep_value()
        self._judge()
        self.edited.emit()

    def _on_json_edited(self) -> None:
        self.draft.text = self.json.editor().text()
        self.draft.touched.add("")
        self._judge()
        self.edited.emit()

    def _keep_value(self) -> None:
        self.draft.value = self.form.stored()
        self.draft.typed = drafts_in(self.form)

    def _judge(self) -> None:
        problems = self.problems()
        sentences = [_named(name, text) for name, text in problems.items()]
        touched = self.draft.touched
        is_touched = "" in touched
        if self.draft.json:
            self.form.show_errors({})
            self._json_error.say("; ".join(sentences) if is_touched else "")
        else:
            self.form.show_errors(
                {name: text for name, text in problems.items() if name in touched}
            )
            # A form with one field shows the message about the value under that field.
            in_form = "" in self.form.names
            shows = is_touched and not in_form
            self._json_error.say(problems.get("", "") if shows else "")
        self.json.set_invalid(bool(problems) and is_touched)
        self._left.setText(_left(problems) if not self._blocked else "")
        why = self._blocked or "\n".join(sentences)
        self.send.setEnabled(not why)
        self.send.setToolTip(why or "Send the answer (Ctrl+Enter)")
        set_style(self.send, primary=True)

    def _on_send(self) -> None:
        if not self.problems() and not self._blocked:
            self.sent.emit(self.value())


def _named(name: str, text: str) -> str:
    return f"{title_of(name, {})}: {text}" if name else text


def _left(problems: dict[str, str]) -> str:
    if not problems:
        return ""
    return f"{len(problems)} {'field' if len(problems) == 1 else 'fields'} left"
