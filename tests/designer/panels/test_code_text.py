"""The code editor: what keys do to the text, what belongs together, and which
characters have which colour.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextOption
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from designer.look.theme import Look
from designer.panels.code.colours import Language, spans
from designer.panels.code.json_positions import place_of
from designer.panels.code.line_edits import commented, dedented, indented, partner
from designer.panels.code.text import CodeText
from designer.panels.fields.plain import GrowingText

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
KEY = Qt.Key


@pytest.fixture
def code(qtbot: QtBot, look: Look) -> CodeText:
    made = CodeText(look, "python")
    qtbot.addWidget(made)
    made.resize(400, 300)
    made.show()
    made.activateWindow()
    made.setFocus()
    qtbot.waitUntil(made.hasFocus)
    return made


def test_enter_indents_as_python_is_written(code: CodeText) -> None:
    for line in ("def run(message):", "if message:", "return 1", "x = ["):
        QTest.keyClicks(code, line)
        QTest.keyClick(code, KEY.Key_Return)
    assert (
        code.text()
        == "def run(message):\n    if message:\n        return 1\n    x = [\n        "
    )


def test_tab_goes_to_the_next_stop_and_backspace_back_to_the_one_before(
    code: CodeText,
) -> None:
    QTest.keyClicks(code, "  ")
    QTest.keyClick(code, KEY.Key_Tab)
    assert code.text() == "    "
    QTest.keyClick(code, KEY.Key_Tab)
    QTest.keyClick(code, KEY.Key_Backspace)
    assert code.text() == "    "


def test_tab_and_shift_tab_move_the_selected_lines_in_one_step(code: CodeText) -> None:
    code.set_text("a\n\nb")
    code.selectAll()
    QTest.keyClick(code, KEY.Key_Tab)
    assert code.text() == "    a\n\n    b"
    QTest.keyClick(code, KEY.Key_Backtab, SHIFT)
    assert code.text() == "a\n\nb"
    code.undo()
    assert code.text() == "    a\n\n    b"


def test_lines_become_comments_and_lines_again(code: CodeText) -> None:
    code.set_text("def f():\n    return 1")
    code.selectAll()
    QTest.keyClick(code, KEY.Key_Slash, CTRL)
    assert code.text() == "# def f():\n#     return 1"
    QTest.keyClick(code, KEY.Key_Slash, CTRL)
    assert code.text() == "def f():\n    return 1"


def test_escape_and_ctrl_enter_tell_and_change_nothing(
    code: CodeText, qtbot: QtBot
) -> None:
    code.set_text("x")
    with qtbot.waitSignal(code.left):
        QTest.keyClick(code, KEY.Key_Escape)
    with qtbot.waitSignal(code.finished):
        QTest.keyClick(code, KEY.Key_Return, CTRL)
    assert code.text() == "x"


def test_brackets_in_texts_and_comments_belong_to_nothing(code: CodeText) -> None:
    code.set_text('f("(", [1])  # )')
    text = code.text()
    assert partner(text, 1, code._is_opaque) == text.index(")  #")
    assert partner(text, text.index('"(') + 1, code._is_opaque) is None
    code.go_to(1, 2)
    marked = [one.cursor.selectedText() for one in code.extraSelections()]
    assert "(" in marked
    assert ")" in marked


def test_a_wrong_place_is_marked_and_the_mark_goes(code: CodeText) -> None:
    code.set_text("a\nb = (\nc")
    code.mark_place(2, 5)
    waves = [
        one
        for one in code.extraSelections()
        if one.format.underlineColor() == code._look.theme.bad
    ]
    assert [one.cursor.selectedText() for one in waves] == ["("]
    code.mark_place(0)
    assert all(
        one.format.underlineColor() != code._look.theme.bad
        for one in code.extraSelections()
    )


def test_a_text_that_is_read_only_cannot_be_typed_over(code: CodeText) -> None:
    code.set_text("x")
    code.setReadOnly(True)
    for key in (KEY.Key_Tab, KEY.Key_Return, KEY.Key_Backspace, KEY.Key_A):
        QTest.keyClick(code, key)
    assert code.text() == "x"


def kinds(text: str, language: Language) -> list[tuple[str, str]]:
    found = []
    state = 0
    for line in text.split("\n"):
        made, state = spans(line, language, state)
        found += [(line[one.start : one.end], one.kind) for one in made]
    return found


@pytest.mark.parametrize(
    ("text", "language", "wanted"),
    [
        ("def run(m): # x", "python", [("def", "word"), ("run", "name"), ("# x", "comment")]),
        ('a = """b\nc # d""" # e', "python", [('"""', "text"), ("b", "text"), ('c # d"""', "text"),
         ("# e", "comment")]),
        ("x = 'a\\'b' + 1", "python", [("'a\\'b'", "text"), ("1", "number")]),
        ('{"a": "b", "c": [true, -1.5]}', "json", [('"a"', "name"), ('"b"', "text"), ('"c"', "name"), ("true", "word"),
         ("-1.5", "number")]),
        ("SELECT a /* x\ny */ FROM t WHERE i = :id", "sql", [("SELECT", "word"), ("/*", "comment"), (" x", "comment"),
         ("y */", "comment"), ("FROM", "word"), ("WHERE", "word"), (":id", "mark")]),
    ],
)  # fmt: skip
def test_colours(text: str, language: Language, wanted: list[tuple[str, str]]) -> None:
    assert kinds(text, language) == wanted


@given(
    text=st.text(alphabet="ab\"'#\\/*-: \n{}[]1", max_size=80),
    language=st.sampled_from(["python", "json", "sql"]),
)
def test_colours_never_overlap_and_stay_in_the_line(
    text: str, language: Language
) -> None:
    state = 0
    for line in text.split("\n"):
        found, state = spans(line, language, state)
        at = 0
        for one in found:
            assert at <= one.start <= one.end <= len(line)
            at = one.end


LINES = st.lists(st.text(alphabet=" ab#\t", max_size=12), min_size=1, max_size=5)


@given(lines=LINES)
def test_what_is_indented_comes_back_by_the_same_step(lines: list[str]) -> None:
    clean = [line.strip() for line in lines]
    assert [dedented(indented(one, 4), 4) for one in clean] == clean


@given(lines=LINES)
def test_what_is_commented_comes_back(lines: list[str]) -> None:
    clean = [line.replace("#", "").replace("\t", "") for line in lines]
    if any(line.strip() for line in clean):
        assert commented(commented(clean, "#"), "#") == clean


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ((), (1, 1)),
        (("b",), (2, 7)),
        (("b", 1), (3, 3)),
        (("b", 1, "é"), (3, 9)),
        (("c",), (1, 1)),
        (("b", 7), (2, 7)),
    ],
)
def test_where_a_value_stands_in_json(
    path: tuple[str | int, ...], place: tuple[int, int]
) -> None:
    assert place_of('{"a": {"b": 0},\n "b": [1,\n  {"é": 2}]}', path) == place


def test_shift_and_enter_are_a_new_line_like_any_other(qtbot) -> None:
    text = GrowingText()
    qtbot.addWidget(text)
    text.set_text("a")
    qtbot.keyClick(text, Qt.Key.Key_End)
    qtbot.keyClick(text, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(text, "b")
    assert text.text() == "a\nb"


def test_a_word_of_a_megabyte_is_pasted_without_a_search_for_its_end(qtbot) -> None:
    """Qt takes the square of its length for that, unless it wraps anywhere."""
    text = GrowingText()
    qtbot.addWidget(text)
    QApplication.clipboard().setText(f'"{"y" * 1_000_000}"')
    text.paste()
    assert text.wordWrapMode() is QTextOption.WrapMode.WrapAnywhere
    assert len(text.text()) == 1_000_002
