"""What a key would be on a Latin keyboard: single letters and Ctrl+letter are made by every layout.

In a Cyrillic, Greek or Hebrew layout no key gives an F, and in a French one Ctrl and the key of the zero give "à". A
press that nobody takes as what it is comes again as what stands at this place of a US keyboard. What it is comes first,
so a shortcut that somebody set to a letter of his own layout stays his.
"""

from __future__ import annotations

import unicodedata

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent

_SHIFT = Qt.KeyboardModifier.ShiftModifier
_KEYPAD = Qt.KeyboardModifier.KeypadModifier
_NAMED = 0x01000000  # Qt's keys from here on are no signs but F1, Left and the like
# The rows of a US keyboard by the scan code of their first key, as PC keyboards and Linux number them.
_ROWS = {2: "1234567890-=", 16: "QWERTYUIOP[]", 30: "ASDFGHJKL;'`", 43: "\\ZXCVBNM,./"}
_BY_SCAN_CODE = {
    first + at: sign for first, row in _ROWS.items() for at, sign in enumerate(row)
}
_X11_OFFSET = 8  # X11 and Wayland count from here
# macOS has no scan codes; its virtual keys are places, in this order.
_MAC = "ASDFHGZXCV\0BQWERYT123465=97-80]OU[IP\0LJ'K;\\,/NM."
_BY_MAC_KEY = {number: sign for number, sign in enumerate(_MAC) if sign != "\0"}
_WITH_SHIFT = str.maketrans("1234567890-=[];'`\\,./", '!@#$%^&*()_+{}:"~|<>?')
# Signs that stand where a US keyboard has a letter, in layouts that have no Latin letters: Hebrew and Greek.
_SIGNS_ON_LETTERS = {("/", "Q"), ("'", "W"), (";", "Q")}


def latin_event(event: QKeyEvent) -> QKeyEvent | None:
    """The next thing that a press can mean when nobody took it as what it is; None when there is nothing else."""
    key = event.key()
    held = event.modifiers()
    own = chr(key) if key < _NAMED else ""
    if (
        held & _SHIFT
        and own.isascii()
        and own.isprintable()
        and own
        and not own.isalpha()
    ):
        # Shift was needed to reach the sign, as for "." in French
        return _again(event, own, held & ~_SHIFT)
    sign = _sign_at(event)
    if (
        not sign
        or held & _KEYPAD
        or not _can_mean(own, sign, shifted=bool(held & _SHIFT))
    ):
        return None
    if held & _SHIFT and not sign.isalpha():
        return _again(event, sign.translate(_WITH_SHIFT), held & ~_SHIFT)
    return _again(event, sign, held)


def _sign_at(event: QKeyEvent) -> str:
    """What a US keyboard has at the place of the key; "" where it is not known."""
    platform = QGuiApplication.platformName()
    if platform == "cocoa":
        return _BY_MAC_KEY.get(event.nativeVirtualKey(), "")
    offset = 0 if platform == "windows" else _X11_OFFSET
    return _BY_SCAN_CODE.get(event.nativeScanCode() - offset, "")


def _can_mean(own: str, sign: str, *, shifted: bool) -> bool:
    if not own or own.isspace() or (own.isascii() and own.isalnum()):
        return False
    if (own, sign) in _SIGNS_ON_LETTERS or _is_foreign(own):
        return True
    # A layout with Latin letters has them somewhere; but its digits may need Shift.
    return sign.isdigit() and not shifted


def _is_foreign(own: str) -> bool:
    """Whether a sign is of a script that is not Latin."""
    if own.isascii():
        return False
    is_written = unicodedata.category(own)[0] in "LMN" or unicodedata.bidirectional(
        own
    ) in ("R", "AL")
    return is_written and not unicodedata.name(own, "").startswith("LATIN")


def _again(event: QKeyEvent, sign: str, held: Qt.KeyboardModifier) -> QKeyEvent:
    """The same press with another sign. It has no place, so that it means this and nothing further."""
    text = sign if held & _SHIFT else sign.lower()
    return QKeyEvent(
        event.type(), Qt.Key(ord(sign)), held, text, event.isAutoRepeat(), event.count()
    )
