"""How an edge looks in a picture, whatever format draws it (Mermaid, DOT, matplotlib).

A kind of edge describes its picture by these values; `runtime.export` draws them.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

LineLook = Literal["plain", "condition", "default", "error"]
BoxLook = Literal["fan-in", "switch", "selection"]


class DrawnWay(NamedTuple):
    """A line that ends at a target, with what is written on it."""

    target: str
    look: LineLook = "plain"
    label: str = ""


class Drawing(NamedTuple):
    """The picture of one edge.

    Without a `title` a line leads from every source straight to every target. With a
    title the edge has a box of its own: every source leads to it, and it leads to every
    target.
    """

    sources: tuple[str, ...]
    ways: tuple[DrawnWay, ...]
    title: str = ""
    look: BoxLook = "selection"


def one_line(source: str, target: str, condition: str) -> Drawing:
    """Return one line, with the condition on it if there is one."""
    look: LineLook = "condition" if condition else "plain"
    return Drawing((source,), (DrawnWay(target, look, condition),))


def error_line(source: str, target: str, condition: str) -> Drawing:
    """Return the line that failures take."""
    label = f"on error: {condition}" if condition else "on error"
    return Drawing((source,), (DrawnWay(target, "error", label),))


def plain_lines(source: str, targets: tuple[str, ...]) -> Drawing:
    """Return a line from the source to every target."""
    return Drawing((source,), tuple(DrawnWay(target) for target in targets))


def join_box(sources: tuple[str, ...], target: str, policy: str, count: int) -> Drawing:
    """Return the box of a join, titled by its policy."""
    rule = f"{count} of {len(sources)}" if policy == "count" else policy
    return Drawing(sources, (DrawnWay(target),), f"fan-in ({rule})", "fan-in")


def switch_box(source: str, ways: tuple[DrawnWay, ...]) -> Drawing:
    """Return the box of a switch."""
    return Drawing((source,), ways, "switch", "switch")


def selection_box(
    source: str, ways: tuple[tuple[str, str], ...], title: str = "any of"
) -> Drawing:
    """Return the box of a selection; `ways` are targets with their conditions."""
    drawn = tuple(
        DrawnWay(target, "condition" if condition else "plain", condition)
        for target, condition in ways
    )
    return Drawing((source,), drawn, title, "selection")
