"""What a press means on a Latin keyboard, with the key events that Qt makes of each
layout under X11.
"""

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

from designer.qt.key_positions import latin_event

K = Qt.Key
PLAIN = Qt.KeyboardModifier.NoModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier
# Scan codes of X11 by what a US keyboard has there.
PLACES = {
    "0": 19,
    "1": 10,
    "Q": 24,
    "W": 25,
    "F": 41,
    "L": 46,
    "Z": 52,
    "B": 56,
    ";": 47,
    ".": 60,
    "/": 61,
}


def event(sign: str, place: str, held: Qt.KeyboardModifier = PLAIN) -> QKeyEvent:
    """What Qt sends when a layout has `sign` on the key where a US keyboard has
    `place`.
    """
    key = ord(sign.upper())
    return QKeyEvent(QEvent.Type.KeyPress, key, held, PLACES[place], 0, 0, sign)


@pytest.mark.parametrize(
    ("layout", "sign", "place", "held", "key", "left"),
    [
        ("Russian", "а", "F", PLAIN, K.Key_F, PLAIN),
        ("Russian", "А", "F", SHIFT, K.Key_F, SHIFT),
        ("Russian", "д", "L", CTRL, K.Key_L, CTRL),
        ("Russian", "ю", ".", PLAIN, K.Key_Period, PLAIN),
        ("Greek", "φ", "F", PLAIN, K.Key_F, PLAIN),
        ("Greek", "ς", "W", PLAIN, K.Key_W, PLAIN),
        ("Greek", ";", "Q", PLAIN, K.Key_Q, PLAIN),
        ("Hebrew", "כ", "F", PLAIN, K.Key_F, PLAIN),
        ("Hebrew", "'", "W", PLAIN, K.Key_W, PLAIN),
        ("Hebrew", "ץ", ".", CTRL, K.Key_Period, CTRL),
        ("Arabic", "؟", "/", SHIFT, K.Key_Question, PLAIN),
        ("Persian", "۰", "0", CTRL, K.Key_0, CTRL),
        ("French", "à", "0", CTRL, K.Key_0, CTRL),
        ("French", "&", "1", CTRL, K.Key_1, CTRL),
        ("French", ".", ";", SHIFT, K.Key_Period, PLAIN),
        ("Czech", "é", "0", CTRL, K.Key_0, CTRL),
    ],
)
def test_a_press_of_another_layout_means_what_a_latin_keyboard_has_there(
    layout, sign, place, held, key, left
):
    instead = latin_event(event(sign, place, held))
    assert instead is not None, layout
    assert (Qt.Key(instead.key()), instead.modifiers()) == (key, left)
    assert latin_event(instead) is None  # and nothing further


@pytest.mark.parametrize(
    ("layout", "sign", "place", "held"),
    [
        ("German", "y", "Z", CTRL),
        ("French", "w", "Z", CTRL),
        ("German", "ö", ";", PLAIN),
        ("French", "§", "/", SHIFT),
        ("Dvorak", ",", "W", PLAIN),
        ("Dvorak", ";", "Z", PLAIN),
        ("US", "0", "0", CTRL),
        ("US", "f", "F", PLAIN),
    ],
)
def test_what_a_latin_layout_has_there_stays_what_it_is(layout, sign, place, held):
    assert latin_event(event(sign, place, held)) is None, layout


def test_shift_and_a_digit_are_not_the_digit():
    """Ctrl+Shift+0 of a US keyboard is its bracket, with or without Shift, and not
    Ctrl+0.
    """
    instead = latin_event(event(")", "0", CTRL | SHIFT))
    assert instead is not None
    assert Qt.Key(instead.key()) == K.Key_ParenRight


@pytest.mark.parametrize(
    "key", [K.Key_F5, K.Key_Left, K.Key_Escape, K.Key_Tab, K.Key_Shift]
)
def test_a_key_without_a_sign_means_itself(key):
    assert (
        latin_event(QKeyEvent(QEvent.Type.KeyPress, key, SHIFT, PLACES["F"], 0, 0, ""))
        is None
    )


def test_a_press_without_a_place_means_itself():
    assert latin_event(QKeyEvent(QEvent.Type.KeyPress, ord("А"), PLAIN, "а")) is None
