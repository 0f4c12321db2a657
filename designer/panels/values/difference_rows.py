"""The rows of a comparison: a heading for each section, a row for each difference, and
below it both values where one line is too short. Also the same as text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from designer.look.difference_marks import SIGNS
from designer.model.differences import in_words, node_of
from designer.panels.values.changes import with_titles
from designer.panels.values.model import Mark, Node
from runtime.debug.protocol import ChangeItem, Value

LONGEST = 400  # characters of a value in words
KEPT = 8  # characters of a common beginning that stay
SHORT = 40  # characters of a value that still fits beside another one
MARKS: dict[str, Mark] = {
    "added": "new",
    "changed": "changed",
    "removed": "removed",
    "moved": "moved",
}
TEXT_SIGNS = {"added": "+", "removed": "−", "changed": "≠", "moved": "⇅"}
Title = Callable[[str], str]


class DifferenceNode(Node):
    """A row of a comparison. `counts` are those of a heading, by kind; `side` is the
    letter of a value below a difference.
    """

    __slots__ = ("change", "counts", "side")

    def __init__(self, key: str, title: str, *, open: bool = False) -> None:
        super().__init__(key, title=title, open=open)
        self.change: ChangeItem | None = None
        self.counts: Counter[str] = Counter()
        self.side = ""


class Filter(NamedTuple):
    """The differences that the user wants to see: of these kinds, with this text."""

    kinds: Collection[str] = frozenset(SIGNS)
    text: str = ""

    def accepts(self, change: ChangeItem, title: Title) -> bool:
        if change.kind not in self.kinds:
            return False
        words = self.text.strip().casefold()
        return not words or words in line_of(change, title).casefold()


def root_of(
    changes: Sequence[ChangeItem], titles: dict[str, str], title: Title
) -> Node:
    """Return the tree of differences, in the order of the sections."""
    root = Node("")
    for section, caption in titles.items():
        mine = [change for change in changes if change.section == section]
        if not mine:
            continue
        heading = DifferenceNode(section, caption, open=True)
        heading.counts = Counter(change.kind for change in mine)
        nodes = [_row(number, change, title) for number, change in enumerate(mine)]
        _lead_to_difference(nodes)
        heading.add(nodes)
        root.add([heading])
    return root


def _row(number: int, change: ChangeItem, title: Title) -> DifferenceNode:
    node = DifferenceNode(f"{change.path} {number}", place_of(change, title))
    node.change = change
    node.mark = MARKS[change.kind]
    if change.before or change.after:
        node.open = True
        node.add(_sides(change))
    elif change.kind == "changed":
        node.tail = _pair(change)
        if not node.tail:
            node.open = True
            node.add(_sides(change))
    else:
        value = change.new or change.old
        if value is not None:
            # The title of a request is its question already.
            if change.section != "requests":
                node.tail = value_text(value)
            node.add(list(Node("", value).children))
    return node


def _lead_to_difference(nodes: Sequence[DifferenceNode]) -> None:
    """Of two values at one place, such as two messages of one executor, show only what
    is after their common beginning, because there is room for little.
    """
    by_place: dict[str, list[DifferenceNode]] = {}
    for node in nodes:
        if node.mark in ("new", "removed"):
            by_place.setdefault(node.title, []).append(node)
    for pair in by_place.values():
        if len(pair) != 2 or pair[0].mark == pair[1].mark:
            continue
        same = _common_length(pair[0].tail, pair[1].tail)
        cut = same - KEPT
        is_longer = all(len(node.tail) > same for node in pair)
        if cut > KEPT and is_longer:
            for node in pair:
                node.tail = f"…{node.tail[cut:]}"


def _common_length(first: str, second: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    for place, (letter, other) in enumerate(zip(first, second, strict=False)):
        if letter != other:
            return place
    return min(len(first), len(second))


def _sides(change: ChangeItem) -> Iterable[Node]:
    """Yield what is on each side: a value, or words in place of one."""
    for side, value, words in (
        ("A", change.old, change.before),
        ("B", change.new, change.after),
    ):
        if value is None and not words:
            continue
        text = words
        if not words and value is not None:
            text = value_text(value)
        node = DifferenceNode(side, text)
        node.side = side
        if not words:
            node.add(list(Node(side, value).children))
        yield node


def _pair(change: ChangeItem) -> str:
    """Return both values in one line; "" if they are too long for it."""
    old = _short(change.old)
    new = _short(change.new)
    return f"{old} → {new}" if old and new else ""


def _short(value: Value | None) -> str:
    if value is None or value.count or len(value.text) > SHORT:
        return ""
    return value.text


def value_text(value: Value) -> str:
    """Return a value as Python would write it, as far as it was sent."""
    return shortened(Node("", value).python_text(), LONGEST)


def shortened(text: str, most: int) -> str:
    """Return a text in one line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def place_of(change: ChangeItem, title: Title) -> str:
    """Return where a difference is, for people: executors by their titles."""
    if change.section in ("messages", "joins"):
        return with_titles(change.path, title)
    if change.section == "outputs":
        return title(change.executor)
    path = in_words(change.path)
    if change.section == "executors":
        executor_id, dot, field = path.partition(".")
        if "." not in field:
            field = field.replace("_", " ")
        way, slash, name = executor_id.rpartition("/")
        words = title(name) if not way else name
        return f"{way}{slash}{words}{' · ' if dot else ''}{field}"
    if change.section == "requests" and change.executor:
        value = change.new or change.old
        question = _question(value) if value is not None else path
        return f"{title(change.executor)}: {question}"
    return path or node_of("".join(change.way[:1]))


def _question(value: Value) -> str:
    """Return the words of a question, whatever else belongs to it."""
    words = dict(value.children or ()).get("text", value)
    return shortened(value_text(words).strip("'\""), SHORT)


def line_of(change: ChangeItem, title: Title) -> str:
    """Return a difference as one line of text."""
    sign = TEXT_SIGNS[change.kind]
    place = place_of(change, title)
    old = change.before or (value_text(change.old) if change.old is not None else "")
    new = change.after or (value_text(change.new) if change.new is not None else "")
    match change.kind:
        case "added":
            return f"{sign} {place}: {new}"
        case "removed":
            return f"{sign} {place}: {old}"
    return f"{sign} {place}: {old} → {new}"


def text_of(changes: Iterable[ChangeItem], titles: dict[str, str], title: Title) -> str:
    """Return differences as text, under the names of their sections."""
    lines = []
    section = ""
    for change in changes:
        if change.section != section:
            section = change.section
            lines.append(titles.get(section, section))
        lines.append(f"  {line_of(change, title)}")
    return "\n".join(lines)
