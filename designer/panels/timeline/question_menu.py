"""The menu beside the search field: what can be asked of the past, for what is selected
and for the breakpoints of the document.
"""

from __future__ import annotations

from dataclasses import dataclass

from designer.document.document import Document
from designer.model import breakpoint_words
from designer.session.session import DebugSession
from runtime.debug.protocol import Breakpoint


@dataclass(frozen=True, slots=True)
class Template:
    """An entry of the menu: its text, and the question that it asks. With `unfinished`
    the user has to write more first.
    """

    text: str
    question: str = ""
    unfinished: bool = False
    breakpoint: Breakpoint | None = None


NODE_KINDS = (
    ("Runs of {}", "before"),
    ("Failures of {}", "failure"),
    ("Outputs of {}", "output"),
    ("Questions of {}", "question"),
    ("Joins into {} that fire", "fires"),
)
EDGE_KINDS = (("Messages along {}", "message"), ("Drops at {}", "dropped"))
ANYWHERE = (
    Template("A state is true…", "state.", unfinished=True),
    Template("A message is true…", "message.", unfinished=True),
    Template("A key is written…", "write ", unfinished=True),
    Template("First write of a key…", "first write ", unfinished=True),
)
PLAIN = (
    Template("Failures", "failure"),
    Template("Dropped messages", "dropped"),
    Template("Writes", "write"),
    Template("Joins that starve", "starves"),
    Template("Questions", "question"),
    Template("Answers", "answer"),
    Template("Outputs", "output"),
)


def templates(document: Document, session: DebugSession) -> list[list[Template]]:
    """Return the entries of the menu, in groups."""
    groups = [
        list(ANYWHERE),
        _about_selection(document, session),
        list(PLAIN),
        _breakpoints(document),
    ]
    return [group for group in groups if group]


def _about_selection(document: Document, session: DebugSession) -> list[Template]:
    if len(document.selection) != 1:
        return []
    (element,) = document.selection
    way = ""
    if session.way:
        way = f" in {'/'.join(map(_quoted, session.way))}"
        if session.chosen_run:
            way += f"#{session.chosen_run.rpartition('#')[2]}"
    workflow = document.design.workflow
    node = workflow.node(element)
    if node is not None:
        return [
            Template(text.format(node.title), f"{kind} {_quoted(element)}{way}")
            for text, kind in NODE_KINDS
        ]
    if any(edge.id == element for edge in workflow.edges):
        return [
            Template(text.format("this edge"), f"{kind} {_quoted(element)}{way}")
            for text, kind in EDGE_KINDS
        ]
    return []


def _breakpoints(document: Document) -> list[Template]:
    def name(element: str) -> str:
        node = document.root.workflow.node(element)
        return node.title if node is not None else element

    return [
        Template(_words(point, name), breakpoint=point)
        for point in document.breakpoints.notes.breakpoints
    ]


def _words(point: Breakpoint, name: breakpoint_words.Name) -> str:
    words = f"{breakpoint_words.where(point, name)} {breakpoint_words.when(point)}"
    condition = breakpoint_words.only_if(point)
    return f"{words}: {condition}" if condition else words


def _quoted(name: str) -> str:
    is_word = name.replace("_", "").replace("-", "").replace(".", "").isalnum()
    return name if is_word and name != "in" else f'"{name}"'
