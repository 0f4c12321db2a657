"""What travels through the random workflows, and what they ask."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32


@dataclass
class Token:
    """A message: how far it came, a text that depends on everything before, and a list
    for handlers to spoil.
    """

    hops: int
    text: str
    tags: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Question:
    hops: int
    text: str


@dataclass(frozen=True)
class Verdict:
    good: bool
    text: str


def answer_to(question: Question, salt: int = 0) -> Any:
    """The answer: as an object, or as the JSON that a person outside would give."""
    good = weight(question) % 2 == 0
    text = f"a{weight(question) + salt}"
    return Verdict(good, text) if good else {"good": good, "text": text}


def weight(value: Any) -> int:
    """A number that any value gives, equal in every process."""
    text = value.text if isinstance(value, Token | Question) else type(value).__name__
    return crc32(text.encode())


def mixed(values: Iterable[Any]) -> str:
    """A short text that differs when anything in the values does."""
    return f"{crc32(repr(list(values)).encode()):08x}"


def tokens_of(message: Any) -> list[Token]:
    """The tokens of a message, or of the list that a join delivers; other things may be
    among them.
    """
    return [
        one
        for one in (message if isinstance(message, list) else [message])
        if isinstance(one, Token)
    ]
