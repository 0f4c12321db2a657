"""Questions are answered with exactly the JSON that the form shows, once it fits the
schema, and not in the past.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from designer.document.document import Document
from designer.panels.requests import RequestsPanel, _split, subject
from runtime.debug.protocol import Reply, Value
from tests.designer.fake_session import FakeSession
from tests.designer.panels.fakes import moment, request, value

Show = Callable[..., Any]


def choose(panel: RequestsPanel, text: str) -> None:
    assert panel.question is not None
    field = panel.question.form.form.field("verdict")
    radio = next(radio for radio in field._group.buttons() if radio.text() == text)  # type: ignore[attr-defined]
    radio.click()


def reason(panel: RequestsPanel) -> Any:
    assert panel.question is not None
    return panel.question.form.form.field("reason").editor()


def send(panel: RequestsPanel) -> QPushButton:
    assert panel.question is not None
    return panel.question.form.send


def test_the_form_sends_exactly_its_json(show: Show, session: FakeSession) -> None:
    session.look_at(moment())
    panel = show(RequestsPanel)
    choose(panel, "replace")
    QTest.keyClicks(reason(panel), "not free")
    QTest.mouseClick(send(panel), Qt.MouseButton.LeftButton)
    assert session.commands == [
        ("answer", {"r1": {"verdict": "replace", "reason": "not free"}})
    ]


def test_nothing_is_sent_before_it_is_valid_and_the_button_says_why(
    show: Show, session: FakeSession
) -> None:
    session.look_at(moment())
    panel = show(RequestsPanel)
    assert not send(panel).isEnabled()
    assert "Verdict is needed" in send(panel).toolTip()
    choose(panel, "approve")
    assert send(panel).isEnabled()
    choose(panel, "block")  # the schema asks for a reason then
    assert not send(panel).isEnabled()
    assert panel.question.form._left.text() == "1 field left"
    assert panel.question.form.form._rows["reason"]._required.text() == "required"


def test_a_message_stands_under_a_field_once_it_was_touched(
    show: Show, session: FakeSession
) -> None:
    session.look_at(moment())
    panel = show(RequestsPanel)
    choose(panel, "block")
    under = panel.question.form.form.row("reason")
    assert under.message == ""
    QTest.keyClicks(reason(panel), "x")
    QTest.keyClick(reason(panel), Qt.Key.Key_Backspace)
    assert under.message == "Reason is needed."


def test_json_and_form_show_the_same_answer(show: Show, session: FakeSession) -> None:
    session.look_at(moment())
    panel = show(RequestsPanel)
    form = panel.question.form
    choose(panel, "approve")
    form.as_json.click()
    assert form.json.value() == {"verdict": "approve"}
    form.json.editor().setPlainText('{"verdict": "block", "reason": "GPL"}')
    form.as_form.click()
    assert form.form.value() == {"verdict": "block", "reason": "GPL"}


def test_broken_json_keeps_the_text_and_is_not_sent(
    show: Show, session: FakeSession
) -> None:
    session.look_at(moment())
    panel = show(RequestsPanel)
    form = panel.question.form
    form.as_json.click()
    form.json.editor().setPlainText("{oops")
    form.as_form.click()
    assert form.json.isVisible()
    assert "Line 1, column 2" in form._json_error.text()
    assert not form.send.isEnabled()


def test_an_answer_that_was_begun_and_not_sent_is_known(
    show: Show, session: FakeSession
) -> None:
    session.look_at(moment())
    panel = show(RequestsPanel)
    assert panel.unfinished() == []
    choose(panel, "approve")
    assert len(panel.unfinished()) == 1
    assert panel.unfinished()[0].endswith(", not sent")
    session.look_at(None)  # nobody asks any more
    assert panel.unfinished() == []


def test_a_draft_is_there_again_when_one_comes_back(
    show: Show, session: FakeSession
) -> None:
    session.look_at(moment())
    panel = show(RequestsPanel)
    choose(panel, "block")
    QTest.keyClicks(reason(panel), "because")
    panel.question.form.keep.click()
    assert panel.question.request.id == "r2"
    panel.inbox.setCurrentIndex(panel._items.index(0, 0))
    assert panel.question.form.form.value() == {"verdict": "block", "reason": "because"}
    assert panel._items.index(0, 0).data(Qt.ItemDataRole.UserRole) == "draft · s5"


def test_a_draft_that_is_no_value_comes_back_as_it_was_typed(
    show: Show, session: FakeSession
) -> None:
    """What its beginning means would else be there, ready to be sent."""
    amount = {
        "type": "object",
        "properties": {"amount": {"type": "number"}},
        "required": ["amount"],
    }
    session.look_at(moment(requests=(request("r1", **amount), request("r2"))))
    panel = show(RequestsPanel)
    QTest.keyClicks(panel.question.form.form.field("amount").editor(), "12 apples")
    panel.question.form.keep.click()
    panel.inbox.setCurrentIndex(panel._items.index(0, 0))
    form = panel.question.form
    assert form.form.field("amount").text() == "12 apples"
    assert not form.send.isEnabled()


def test_another_moment_does_not_disturb_who_is_typing(
    show: Show, session: FakeSession
) -> None:
    session.look_at(moment(6))
    panel = show(RequestsPanel)
    QTest.keyClicks(reason(panel), "half a sen")
    before = reason(panel)
    session.look_at(moment(7))
    assert reason(panel) is before
    assert before.toPlainText() == "half a sen"


def test_a_text_answer_is_sent_as_a_text(show: Show, session: FakeSession) -> None:
    session.look_at(moment(requests=(request("r2", type="string", minLength=1),)))
    panel = show(RequestsPanel)
    editor = panel.question.form.form.field("").editor()
    editor.setFocus()
    QTest.keyClicks(editor, "yes")
    QTest.keyClick(
        panel.windowHandle(), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier
    )
    assert session.commands == [("answer", {"r2": "yes"})]


def test_a_refused_answer_says_why_and_can_be_corrected(
    show: Show, session: FakeSession
) -> None:
    session.look_at(moment())
    panel = show(RequestsPanel)
    choose(panel, "approve")
    send(panel).click()
    assert not send(panel).isEnabled()  # not twice
    session.reply(
        Reply(request_seq=1, command="answer", success=False, message="Wrong type.")
    )
    assert panel.question._refused.text() == "Wrong type."
    assert send(panel).isEnabled()


def test_the_past_is_read_only_and_offers_to_restore(
    show: Show, session: FakeSession, qtbot: QtBot
) -> None:
    session.look_at(moment(), "past")
    panel = show(RequestsPanel)
    assert not send(panel).isVisible()
    assert reason(panel).isReadOnly()
    restore = next(
        b
        for b in panel.findChildren(QPushButton)
        if b.text() == "Restore here to answer"
    )
    with qtbot.waitSignal(panel.restore_requested) as asked:
        QTest.mouseClick(restore, Qt.MouseButton.LeftButton)
    assert asked.args == ["c6"]


def test_while_the_run_moves_the_answer_waits(show: Show, session: FakeSession) -> None:
    session.running = True
    session.look_at(moment())
    panel = show(RequestsPanel)
    choose(panel, "approve")
    assert not send(panel).isEnabled()
    session.running = False
    session.changed.emit()
    assert send(panel).isEnabled()


def test_the_badge_counts_and_an_empty_inbox_says_so(
    show: Show, session: FakeSession, qtbot: QtBot
) -> None:
    panel = show(RequestsPanel)
    assert "No run" in panel.stack.notice.text()
    told: list[str] = []
    panel.badge_changed.connect(told.append)
    session.look_at(moment())
    session.look_at(moment(requests=()))
    assert (told[0], told[-1]) == ("2", "")
    assert "No open questions" in panel.stack.notice.text()


def test_who_asks_can_be_selected(
    show: Show, session: FakeSession, document: Document
) -> None:
    session.look_at(moment())
    panel = show(RequestsPanel)
    next(
        b for b in panel.findChildren(QPushButton) if b.text() == "Ask a person"
    ).click()
    assert document.selection == {"ask"}


def test_of_our_own_question_the_details_are_shown() -> None:
    details = value({"a": 1})
    asked = Value(
        type="Question",
        text="…",
        count=2,
        children=(("text", value("May it?")), ("details", details)),
    )
    assert subject(asked) == ((1,), details)
    assert subject(details) == ((), details)


def test_the_first_paragraph_is_the_question_and_the_others_are_about_it():
    asked = request("q", title="May it ship? a (GPL)").model_copy(
        update={"text": "May it ship?\n\na (GPL)"}
    )
    assert _split(asked) == ("May it ship?", "a (GPL)")
    assert _split(request("q", title="May it ship?")) == ("May it ship?", "")


def answer_first(panel: RequestsPanel, session: FakeSession) -> None:
    """Send the answer to the question that is shown, by its button, and let the host
    take it.
    """
    choose(panel, "approve")
    send(panel).setFocus()
    QTest.keyClick(send(panel), Qt.Key.Key_Space)
    assert session.reply is not None
    session.reply(Reply(request_seq=1, command="answer", success=True))


def test_after_an_answer_the_keys_are_in_the_next_question(
    show: Show, session: FakeSession, qtbot: QtBot
) -> None:
    session.look_at(moment(requests=(request(), request("r2", "And these?"))))
    panel = show(RequestsPanel)
    panel.activateWindow()
    qtbot.waitUntil(panel.isActiveWindow)
    answer_first(panel, session)
    assert panel.isAncestorOf(panel.window().focusWidget())
    session.look_at(moment(requests=(request("r2", "And these?"),)))
    assert panel.question is not None
    assert panel.question.form.isAncestorOf(panel.window().focusWidget())


def test_after_the_last_answer_the_panel_lets_go_of_the_keys(
    show: Show, session: FakeSession, qtbot: QtBot
) -> None:
    session.look_at(moment(requests=(request(),)))
    panel = show(RequestsPanel)
    panel.activateWindow()
    qtbot.waitUntil(panel.isActiveWindow)
    with qtbot.waitSignal(panel.answered):
        answer_first(panel, session)


def test_a_refused_answer_leaves_the_keys_in_its_form(
    show: Show, session: FakeSession, qtbot: QtBot
) -> None:
    session.look_at(moment(requests=(request(),)))
    panel = show(RequestsPanel)
    panel.activateWindow()
    qtbot.waitUntil(panel.isActiveWindow)
    choose(panel, "approve")
    QTest.mouseClick(send(panel), Qt.MouseButton.LeftButton)
    assert session.reply is not None
    session.reply(Reply(request_seq=1, command="answer", success=False, message="no"))
    assert panel.question is not None
    assert panel.question.form.isAncestorOf(panel.window().focusWidget())
