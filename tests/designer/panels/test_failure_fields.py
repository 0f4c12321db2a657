""" "When it fails": attempts, waits and the time limit of a node, and the workflow's
defaults for all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from designer.document.document import Document
from designer.model import edits
from designer.panels.properties.failure_fields import in_words
from designer.panels.properties.panel import PropertiesPanel
from runtime.document.definition import NodeDefinition, RetryDefinition
from runtime.policy import FailurePolicy, RetryPolicy
from tests.designer.fake_session import FakeSession
from tests.designer.panels.fakes import moment

Show = Callable[..., Any]


def node(document: Document) -> NodeDefinition:
    found = document.design.workflow.node("classify")
    assert found is not None
    return found


def typed(field: Any, text: str) -> None:
    editor = field.editor()
    editor.setFocus()
    editor.selectAll()
    QTest.keyClicks(editor, text)
    QTest.keyClick(editor, Qt.Key.Key_Return)


def test_attempts_and_limit_are_typed_and_undone(
    show: Show, document: Document
) -> None:
    document.select({"classify"})
    fields = show(PropertiesPanel).editor.failures
    assert not fields.backoff.isVisible()
    typed(fields.attempts, "3")
    assert node(document).retry == RetryDefinition(attempts=3)
    typed(fields.backoff, "2 min")
    typed(fields.timeout, "1.5")
    assert node(document).retry == RetryDefinition(attempts=3, backoff=120)
    assert node(document).timeout == 1.5
    assert "tried 3 times" in fields.words.text()
    for _ in range(document.undo_stack.count()):
        document.undo_stack.undo()
    assert (node(document).retry, node(document).timeout) == (None, None)
    assert fields.attempts.text() == ""


def test_what_is_out_of_range_is_said_and_never_stored(
    show: Show, document: Document
) -> None:
    document.select({"classify"})
    fields = show(PropertiesPanel).editor.failures
    typed(fields.attempts, "3")
    typed(fields.attempts, "0")
    assert node(document).retry == RetryDefinition(attempts=3)
    assert fields._errors[fields.attempts].text() == "It must be from 1 to 100."
    typed(fields.timeout, "soon")
    assert node(document).timeout is None
    assert fields._errors[fields.timeout].text()


def test_an_emptied_field_lets_the_workflow_decide(
    show: Show, document: Document
) -> None:
    document.apply(
        "x",
        edits.set_failure_policy(document.design, "", RetryDefinition(attempts=5), 9.0),
    )
    document.select({"classify"})
    fields = show(PropertiesPanel).editor.failures
    assert (
        fields.attempts.editor().placeholderText(),
        fields.timeout.editor().placeholderText(),
    ) == ("5", "9")
    assert "tried 5 times" in fields.words.text()
    typed(fields.timeout, "0")
    assert node(document).timeout == 0
    assert "after" not in fields.words.text()
    fields.timeout.editor().selectAll()
    QTest.keyClick(fields.timeout.editor(), Qt.Key.Key_Delete)
    assert node(document).timeout is None


def test_the_defaults_of_the_workflow_are_edited_when_nothing_is_selected(
    show: Show, document: Document
) -> None:
    fields = show(PropertiesPanel).editor.failures
    typed(fields.attempts, "4")
    typed(fields.timeout, "30")
    workflow = document.design.workflow
    assert (workflow.retry, workflow.timeout) == (RetryDefinition(attempts=4), 30)


def test_it_says_where_failures_go(show: Show, document: Document) -> None:
    document.select({"classify"})
    fields = show(PropertiesPanel).editor.failures
    assert "stops the run" in fields.words.text()
    document.apply(
        "x", edits.connect_on_error(document.design, "classify", "report")[0]
    )
    assert "then goes to Write report" in fields.words.text()


def test_while_a_run_is_looked_at_nothing_can_be_changed(
    show: Show, document: Document, session: FakeSession
) -> None:
    document.select({"classify"})
    panel = show(PropertiesPanel)
    session.look_at(moment(), "past")
    fields = getattr(panel.editor, "failures", None)
    if fields is not None:
        assert all(field.editor().isReadOnly() for field in fields.fields().values())


def test_a_policy_in_words() -> None:
    assert (
        in_words(FailurePolicy())
        == "Its failure then stops the run at the last barrier."
    )
    both = FailurePolicy(RetryPolicy(attempts=9, backoff=1), 5)
    assert in_words(both, ["Report"]) == (
        "It is tried 9 times, 1 s, 2 s, 4 s, … apart. Each attempt fails after 5 s. Its failure then goes to Report."
    )
