"""The lineage as a tree, and the removed checkpoints, printed for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from runtime.checkpoint import CheckpointHeader
from runtime.cli.report import checkpoint_line, hint, many, out

_ANY_WIDTH = 100_000


def print_timeline(headers: Sequence[CheckpointHeader], mark: str = "") -> None:
    """Print the lineage as a tree: a branch goes down its line, a fork is indented
    under the checkpoint it came from.

    Only parents decide what a line is, whatever the names of the branches are.
    """
    if not headers:
        hint("No checkpoints.")
    # A terminal shows that a line is cut; a pipe gets it whole.
    console = out
    if not out.is_terminal:
        console = Console(file=out.file, highlight=False, width=_ANY_WIDTH)
    runs: dict[str, list[CheckpointHeader]] = {}
    for header in headers:
        runs.setdefault(header.run_id, []).append(header)
    for run_id, line in runs.items():
        branches = len(_starts(line))
        began = (
            datetime.fromtimestamp(line[0].time)
            .astimezone()
            .strftime("%Y-%m-%d %H:%M:%S")
        )
        about = f"  run {run_id[:8]} · {began} · {many(len(line), 'checkpoint')}, {many(branches, 'branch')}"
        tree = Tree(Text.assemble((line[0].workflow, "bold"), about))
        _add_lines(tree, line, mark)
        console.print(tree)


def _predecessors(headers: Sequence[CheckpointHeader]) -> dict[str, str | None]:
    """Return the predecessor of each checkpoint: its parent or, if that was
    removed, the last before it on its branch.
    """
    known_ids = {None, *(header.id for header in headers)}
    last: dict[str, str] = {}
    previous: dict[str, str | None] = {}
    for header in headers:
        # A damaged checkpoint may have lost its parent.
        has_parent = header.parent in known_ids and not (
            header.damaged and header.parent is None
        )
        previous[header.id] = header.parent if has_parent else last.get(header.branch)
        last[header.branch] = header.id
    return previous


def _starts(headers: Sequence[CheckpointHeader]) -> set[str]:
    """Return the ids of the checkpoints that begin a line: all but those that go
    on from the last of their branch.
    """
    starts: set[str] = set()
    before = _predecessors(headers)
    # last checkpoint of a line -> branch of the line
    ends: dict[str | None, str] = {}
    for header in headers:
        if ends.get(before[header.id]) == header.branch:
            del ends[before[header.id]]
        else:
            starts.add(header.id)
        ends[header.id] = header.branch
    return starts


def _add_lines(tree: Tree, headers: Sequence[CheckpointHeader], mark: str) -> None:
    starts = _starts(headers)
    before = _predecessors(headers)
    by_id = {header.id: header for header in headers}
    lines: dict[str | None, Tree] = {}
    drawn: dict[str | None, Tree] = {}
    for header in headers:
        parent = before[header.id]
        if header.id in starts:
            lines[header.id] = drawn.get(parent, tree).add(_line_title(header, by_id))
        else:
            lines[header.id] = lines[parent]
        if header.parent not in (None, parent):
            lines[header.id].add(Text("┊ removed", "dim"))
        line = checkpoint_line(header, marked=mark == header.id)
        line.overflow = "ellipsis"
        drawn[header.id] = lines[header.id].add(line)


def _line_title(first: CheckpointHeader, by_id: Mapping[str, CheckpointHeader]) -> Text:
    title = Text.assemble((first.branch or "branch not known", "bold blue"))
    parent = by_id.get(first.parent or "")
    if parent is None:
        return title
    return title.append(f"  fork of s{parent.superstep} {parent.id[:8]}", "dim")


def print_removed(removed: Sequence[CheckpointHeader], *, dry_run: bool) -> None:
    """Print the removed checkpoints run by run; each one only in a dry run, when
    it can still be shown.
    """
    for run_id in dict.fromkeys(header.run_id for header in removed):
        of_run = [header for header in removed if header.run_id == run_id]
        what = "to remove" if dry_run else "removed"
        out.print(Text(f"run {run_id[:8]} · {many(len(of_run), 'checkpoint')} {what}"))
        for header in of_run if dry_run else ():
            out.print(Text("  ").append_text(checkpoint_line(header)))
    if not removed:
        hint(
            "Nothing to remove: nothing is old enough, or it is a head, an end of a fork, or tagged, and stays."
        )
    elif dry_run:
        hint("Nothing was changed. Without --dry-run these checkpoints are removed.")
