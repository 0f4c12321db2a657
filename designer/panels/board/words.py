"""The words of the board: times, and what a cell is in a sentence."""

from __future__ import annotations

from designer.panels.board.columns import Column, Group
from designer.panels.board.rows import Row
from runtime.debug.protocol import BoardCell, BoardJoin
from runtime.values.words import counted, duration


def took(seconds: float) -> str:
    """Return a time as the board shows it: `313 ms`, `1.92 s`, `4 min 10 s`."""
    if seconds < 0.9995:
        return duration(seconds)
    if seconds < 9.995:
        return f"{seconds:.2f} s"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,} h {minutes} min"


def held_words(join: BoardJoin) -> str:
    return f"{join.have} of {join.need} held"


def rank_words(column: Column, cell: BoardCell) -> str:
    """Return whether the others waited for a handler: "the longest of 3"."""
    others = len(column.cells)
    if others == 1:
        return "it ran alone"
    if column.longest == cell.executor:
        return f"the longest of {others}"
    return f"one of {others}"


def waiting_words(column: Column, cell: BoardCell, last: str) -> str:
    """Return who waited for whom at the barrier; `last` is the title of the executor
    that ended last.
    """
    if column.last != cell.executor:
        return f"{took(column.length - cell.ended)} for {last}"
    waits = [
        column.length - other.ended
        for other in column.cells.values()
        if other is not cell
    ]
    if not waits:
        return "nobody"
    return f"nobody; {len(waits):,} waited for it, {took(sum(waits))} in all"


def cell_words(row: Row, column: Column | None, superstep: int) -> str:
    """Return a cell as a sentence, for tool tips and screen readers."""
    own = column.own.get(row.name.rpartition("/")[0]) if column is not None else None
    place = f"{row.title}, superstep {superstep}"
    if own is not None:
        place += f", its own {own}"
    if column is None:
        return f"{place}: not read yet"
    if column.damaged:
        return f"{place}: {column.damaged}"
    if row.kind == "branch":
        return f"{place}: {_branch_words(column)}"
    cell = column.cells.get(row.name)
    if cell is not None:
        return f"{place}: {_did(column, cell)}"
    group = column.groups.get(row.name)
    if group is not None:
        return f"{place}: {_group_words(group)}"
    join = column.held.get(row.name)
    if join is not None:
        return (
            f"{place}: its join holds {counted(join.messages, 'message')}, from "
            f"{join.have} of {counted(join.need, 'source')}"
        )
    return f"{place}: did not run"


def _branch_words(column: Column) -> str:
    ran = counted(len(column.cells), "executor")
    return f"{ran} ran, {took(column.length)}"


def _group_words(group: Group) -> str:
    words = f"{took(group.ended - group.started)}, {counted(group.executors, 'executor')} ran"
    if group.failed:
        words += f", {group.failed} failed"
    if group.asked:
        words += f", asked {counted(group.asked, 'question')}"
    return words


def origin_words(cell: BoardCell) -> str:
    """Return how many calls were not made, because their results were recorded or are
    pinned; "" if all were made.
    """
    parts = []
    if cell.recorded:
        parts.append(counted(cell.recorded, "recorded result"))
    if cell.pinned:
        parts.append(counted(cell.pinned, "pinned result"))
    return ", ".join(parts)


def _did(column: Column, cell: BoardCell) -> str:
    parts = [f"took {took(cell.seconds)}, {rank_words(column, cell)}"]
    if cell.is_failed:
        parts.append(f"failed: {cell.error}")
    elif cell.failed:
        attempts = counted(len(cell.failed), "attempt")
        parts.append(f"{attempts} failed before: {cell.error}")
    origin = origin_words(cell)
    if origin:
        parts.append(origin)
    if cell.received:
        parts.append(f"took in {counted(cell.received, 'message')}")
    if cell.sent:
        parts.append(f"sent {counted(cell.sent, 'message')}")
    if cell.outputs:
        parts.append(f"yielded {counted(cell.outputs, 'output')}")
    if cell.asked:
        parts.append(f"asked {counted(cell.asked, 'question')}")
    if cell.wrote:
        parts.append(f"wrote {', '.join(cell.wrote)}")
    return "; ".join(parts)
