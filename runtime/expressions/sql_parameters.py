"""One SQL statement with `:name` parameters. It is parsed without a database, and
values are never pasted into its text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_TEXT = 100_000
_READING = frozenset({"select", "values", "table", "with"})
_CHANGING = frozenset({"insert", "update", "delete", "merge", "into"})
_TOKEN = re.compile(
    r"""
    (?P<skip> \s+ | --[^\n]* | /\*.*?\*/ )
  | (?P<text> [eE]'(?:[^'\\]|\\.|'')*' | '(?:[^']|'')*' | "(?:[^"]|"")*" | `[^`]*` | \[[A-Za-z_][^\]\n,;:]*\]
            | (?P<tag>\$(?:[A-Za-z_]\w*)?\$) .*? (?P=tag) )
  | (?P<cast> :: | := )
  | :(?P<name> [A-Za-z_]\w* )
  | (?P<end> ; )
  | (?P<other> \w+ | . )
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """`names` are the parameters in the order of their first use. `percent` is the text
    with `%(name)s` for `:name`. `only_reads` says that it surely gives rows and changes
    none; where that is not sure it is false.
    """

    text: str
    names: tuple[str, ...]
    percent: str
    only_reads: bool


def parse_statement(text: str) -> Statement:
    """Parse one statement. Raise `ValueError` for an empty text, several statements,
    and open quotes or comments.
    """
    if len(text) > MAX_TEXT:
        raise ValueError(f"it is longer than {MAX_TEXT} characters")
    names: dict[str, None] = {}
    percent: list[str] = []
    words: list[str] = []
    ended = False
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        word = token.group()
        if token["name"]:
            names[token["name"]] = None
            percent.append(f"%({token['name']})s")
        else:
            percent.append(word.replace("%", "%%"))
        if token["skip"] is not None:
            continue
        if ended and kind != "end":
            raise ValueError(
                "there is more than one statement; write one, and use a node for each of the others"
            )
        if word in ("'", '"', "`") or text.startswith("/*", token.start()):
            line = text.count("\n", 0, token.start()) + 1
            raise ValueError(
                f"line {line}: what begins with {text[token.start() : token.start() + 2].strip()} has no end"
            )
        ended = kind == "end"
        if not ended:
            words.append(word.lower())
    if not words:
        raise ValueError(
            "it is empty; write a statement such as SELECT name FROM people WHERE id = :id"
        )
    only_reads = words[0] in _READING and _CHANGING.isdisjoint(words)
    return Statement(text, tuple(names), "".join(percent), only_reads)
