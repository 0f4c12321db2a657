"""Reads the text format of protocol buffers, as far as CEL's published tests use it."""

from __future__ import annotations

import re
from typing import Any

Fields = list[tuple[str, Any]]

_TOKEN = re.compile(
    r"""
    (?P<skip> \s+ | \#[^\n]* )
  | (?P<string> "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' )
  | (?P<number> -?\s*(?: 0[xX][0-9a-fA-F]+ | (?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)? ) )
  | (?P<name> -?[A-Za-z_][\w.]* | \[[\w./]+\] )
  | (?P<mark> [{}<>:,;\[\]] )
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(
    rb"\\(?: ([0-7]{1,3}) | [xX]([0-9a-fA-F]{1,2}) | u([0-9a-fA-F]{4}) | U([0-9a-fA-F]{8}) | (.) )",
    re.VERBOSE | re.DOTALL,
)
_LETTERS = {
    b"n": b"\n",
    b"t": b"\t",
    b"r": b"\r",
    b"a": b"\a",
    b"b": b"\b",
    b"f": b"\f",
    b"v": b"\v",
}
_WORDS = {"true": True, "false": False}


def parsed(text: str) -> Fields:
    """The fields of a message, in order. Text and bytes are `bytes`, messages are lists
    of fields.
    """
    return _Reader(text).fields("")


def all_of(fields: Fields, name: str) -> list[Any]:
    return [value for field, value in fields if field == name]


def first_of(fields: Fields, name: str) -> Any:
    """The first value of a field, or None."""
    return next(iter(all_of(fields, name)), None)


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens = [
            (m.lastgroup or "", m.group())
            for m in _TOKEN.finditer(text)
            if m.lastgroup != "skip"
        ]
        self.tokens.append(("end", ""))
        self.position = 0

    def fields(self, end: str) -> Fields:
        fields: Fields = []
        while (name := self._take()[1]) != end:
            if name in (",", ";"):
                continue
            if self._next()[1] == ":":
                self._take()
            fields += [(name, value) for value in self._values()]
        return fields

    def _next(self) -> tuple[str, str]:
        return self.tokens[self.position]

    def _take(self) -> tuple[str, str]:
        self.position += 1
        return self.tokens[self.position - 1]

    def _values(self) -> list[Any]:
        if self._next()[1] != "[":
            return [self._value()]
        self._take()
        values = []
        while self._next()[1] != "]":
            values.append(self._value())
            if self._next()[1] == ",":
                self._take()
        self._take()
        return values

    def _value(self) -> Any:
        kind, word = self._take()
        if word in ("{", "<"):
            return self.fields("}" if word == "{" else ">")
        if kind == "string":
            whole = _unescaped(word)
            while self._next()[0] == "string":
                whole += _unescaped(self._take()[1])
            return whole
        return _number(word.replace(" ", "")) if kind == "number" else _word(word)


def _number(word: str) -> int | float:
    try:
        return int(word, 0)
    except ValueError:
        return float(word)


def _word(word: str) -> Any:
    try:
        return _WORDS[word] if word in _WORDS else float(word)  # inf, -inf, nan
    except ValueError:
        return word


def _unescaped(quoted: str) -> bytes:
    return _ESCAPE.sub(_character, quoted[1:-1].encode("utf-8"))


def _character(escape: re.Match[bytes]) -> bytes:
    octal, hexadecimal, short, long, letter = escape.groups()
    if octal:
        return bytes([int(octal, 8)])
    if hexadecimal:
        return bytes([int(hexadecimal, 16)])
    if short or long:
        return chr(int(short or long, 16)).encode("utf-8")
    return _LETTERS.get(letter, letter)
