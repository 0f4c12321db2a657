"""The meaning of a key on a Latin keyboard, so that single letters and Ctrl+letter work
in every layout.

In a Cyrillic, Greek or Hebrew layout no key gives an F, and in a French one Ctrl and
the key of the zero give "à". So a key press without a meaning is sent again as the key
at the same place of a US keyboard. Its own meaning comes first, so a shortcut can also
be a letter of the user's layout.
"""

from __future__ import annotations

import unicodedata

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent

_SHIFT = Qt.KeyboardModifier.ShiftModifier
_KEYPAD = Qt.KeyboardModifier.KeypadModifier
_NAMED = 0x01000000  # Qt's keys from here on are no signs, but F1, Left and so on
# The rows of a US keyboard by the scan code of their first key, as PC keyboards and
# Linux number them.
_ROWS = {2: "1234567890-=", 16: "QWERTYUIOP[]", 30: "ASDFGHJKL;'`", 43: "\\ZXCVBNM,./"}
_BY_SCAN_CODE = {
    first + place: sign
    for first, row in _ROWS.items()
    for place, sign in enumerate(row)
}
_X11_OFFSET = 8  # X11 and Wayland count from here
# macOS has no scan codes. Its virtual keys are places, in this order.
_MAC = "ASDFHGZXCV\0BQWERYT123465=97-80]OU[IP\0LJ'K;\\,/NM."
_BY_MAC_KEY = {number: sign for number, sign in enumerate(_MAC) if sign != "\0"}
_WITH_SHIFT = str.maketrans("1234567890-=[];'`\\,./", '!@#$%^&*()_+{}:"~|<>?')
# Signs at the place of a letter, in layouts without Latin letters: Hebrew and Greek.
_SIGNS_ON_LETTERS = {("/", "Q"), ("'", "W"), (";", "Q")}


def latin_event(event: QKeyEvent) -> QKeyEvent | None:
    """Return the next meaning of a press that had none; None if there is no other."""
    key = event.key()
    held = event.modifiers()
    typed = chr(key) if key < _NAMED else ""
    if held & _SHIFT and _is_sign(typed):
        # Shift was needed to type the sign, as for "." in French.
        return _again(event, typed, held & ~_SHIFT)
    sign = _sign_at(event)
    if not sign or held & _KEYPAD:
        return None
    if not _can_mean(typed, sign, shifted=bool(held & _SHIFT)):
        return None
    if held & _SHIFT and not sign.isalpha():
        return _again(event, sign.translate(_WITH_SHIFT), held & ~_SHIFT)
    return _again(event, sign, held)


def _is_sign(typed: str) -> bool:
    """Return whether a text is an ASCII sign that is no letter."""
    if not typed or typed.isalpha():
        return False
    return typed.isascii() and typed.isprintable()


def _sign_at(event: QKeyEvent) -> str:
    """Return the sign of a US keyboard at the place of the key; "" if the place is
    unknown.
    """
    platform = QGuiApplication.platformName()
    if platform == "cocoa":
        return _BY_MAC_KEY.get(event.nativeVirtualKey(), "")
    offset = 0 if platform == "windows" else _X11_OFFSET
    return _BY_SCAN_CODE.get(event.nativeScanCode() - offset, "")


def _can_mean(typed: str, sign: str, *, shifted: bool) -> bool:
    """Return whether a key that types one sign can have the meaning of another."""
    if not typed or typed.isspace() or (typed.isascii() and typed.isalnum()):
        return False
    if (typed, sign) in _SIGNS_ON_LETTERS or _is_foreign(typed):
        return True
    # A layout with Latin letters has all of them, but its digits may need Shift.
    return sign.isdigit() and not shifted


def _is_foreign(typed: str) -> bool:
    """Return whether a sign is of a script that is not Latin."""
    if typed.isascii():
        return False
    is_letter_like = unicodedata.category(typed)[0] in "LMN"
    is_right_to_left = unicodedata.bidirectional(typed) in ("R", "AL")
    if not is_letter_like and not is_right_to_left:
        return False
    return not unicodedata.name(typed, "").startswith("LATIN")


def _again(event: QKeyEvent, sign: str, held: Qt.KeyboardModifier) -> QKeyEvent:
    """Return the same press with another sign. It has no place, so it has no further
    meaning.
    """
    text = sign if held & _SHIFT else sign.lower()
    return QKeyEvent(
        event.type(), Qt.Key(ord(sign)), held, text, event.isAutoRepeat(), event.count()
    )
