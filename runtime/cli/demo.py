"""The demo in the terminal: a real run of the licence audit, a look into its past, and
a second outcome on a fork.
"""

from __future__ import annotations

import asyncio
import difflib

from rich.markdown import Markdown
from rich.panel import Panel
from rich.text import Text
from rich.tree import Tree

from runtime.checkpoint import CheckpointHeader, CheckpointStore
from runtime.checkpoints.archive import Archive
from runtime.cli import json_values, report
from runtime.cli.exit_codes import ExitCode
from runtime.cli.report import out
from runtime.cli.timeline import print_timeline
from runtime.document.definition import (
    EdgeDefinition,
    WorkflowDefinition,
)
from runtime.document.files import read_file
from runtime.engine.runner import Runner
from runtime.loader.build import build
from runtime.nodes import catalogue
from runtime.stores.memory import MemoryStore

EXAMPLE = "licence_audit"
_REPORT_LINES = 60
_WIDEST = 100


def run_demo() -> int:
    """Return the exit code: 0 when both outcomes were reached."""
    return asyncio.run(_demo())


async def _demo() -> int:
    from resources import examples

    path = next(example.path for example in examples() if example.name == EXAMPLE)
    definition = read_file(path).workflow
    types = catalogue(path.parent)
    report.warn(types.warnings)
    store = MemoryStore()

    def new_runner() -> Runner:
        return Runner(build(definition, types, path.parent), store)

    _head("1. The workflow", definition.description)
    print_graph(definition)
    first = new_runner()
    await first.start(definition.input)
    half_full = await _run_to_join(first)
    _head(
        "2. A join that is half full",
        f"superstep {half_full.superstep}, saved as checkpoint {half_full.id[:8]}",
    )
    await _print_joins(store, half_full)
    _head("3. The run goes on, and asks", "")
    await first.finish()
    await _answer(first, {"verdict": "approve"})
    _head("4. First outcome", f"on the branch {first.branch}")
    first_report = await _report(first, store)
    out.print(
        Panel(
            Markdown(_cut(first_report)),
            title="The report",
            title_align="left",
            width=_width(),
        ),
        soft_wrap=False,
    )
    second = new_runner()
    await second.restore(half_full.id, fork=True, branch="what if")
    _head(
        "5. Back to the half-full join",
        "a fork: the past stays as it is, the join holds what it held",
    )
    assert second.header is not None  # noqa: S101 - a fork is a checkpoint
    await _print_joins(store, second.header)
    out.print()
    await second.finish()
    await _answer(second, {"verdict": "replace", "reason": "We ship closed source."})
    _head("6. Second outcome", f"on the branch {second.branch}")
    second_report = await _report(second, store)
    _say(
        "The same findings, from a join that was restored. This differs from the first report:"
    )
    _print_difference(first_report, second_report)
    _head("7. The timeline", "one run, two branches; ◀ is the half-full join")
    print_timeline(await store.headers(), mark=half_full.id)
    out.print()
    _say(
        "Your own: stepwell run FILE. All commands: stepwell --help. Where there is a display, the demo is a window."
    )
    return (
        ExitCode.FINISHED
        if first_report and second_report and first_report != second_report
        else ExitCode.FAILED
    )


def _head(title: str, text: str) -> None:
    out.print(Text(f"\n{title}", style="bold"))
    if text:
        _say(text)
    out.print()


def _say(text: str) -> None:
    report.print_wrapped(Text(text), 0)


async def _run_to_join(runner: Runner) -> CheckpointHeader:
    """Step until a join holds some of its messages and still waits."""
    while await runner.step() is not None:
        if runner.header is not None and runner.header.buffered:
            break
    assert runner.header is not None  # noqa: S101 - a run with a store has saved its input
    return runner.header


async def _print_joins(store: CheckpointStore, header: CheckpointHeader) -> None:
    archive = Archive(store)
    for join in await json_values.joins(archive, await archive.view(header.id)):
        report.print_join(join)


async def _answer(runner: Runner, answer: dict[str, str]) -> None:
    for request in list(runner.state.requests.values()):
        title = f"Superstep {request.superstep}: a question waits"
        out.print(
            Panel(
                Text(request.data.text), title=title, title_align="left", width=_width()
            ),
            soft_wrap=False,
        )
        out.print(
            Text.assemble("  answer: ", (" — ".join(answer.values()), "bold cyan"))
        )
        await runner.answer({request.id: answer})
    await runner.finish()


async def _report(runner: Runner, store: CheckpointStore) -> str:
    return "".join(
        str(output["data"])
        for output in (await json_values.outcome(runner, store))["outputs"]
    )


def _cut(text: str) -> str:
    lines = text.splitlines()
    if len(lines) > _REPORT_LINES:
        more = ["", f"… {len(lines) - _REPORT_LINES} more lines"]
    else:
        more = []
    return "\n".join(lines[:_REPORT_LINES] + more)


def _print_difference(first: str, second: str) -> None:
    for line in difflib.ndiff(first.splitlines(), second.splitlines()):
        if line[0] in "-+":
            report.print_wrapped(
                Text(line, style="red" if line[0] == "-" else "green"), 2, out
            )


def _width() -> int:
    return min(out.width, _WIDEST)


# --- the graph ----------------------------------------------------------------------------------------------------


def print_graph(definition: WorkflowDefinition) -> None:
    """Print the graph as a tree from the start; a node that was printed before is
    only named.
    """
    ways: dict[str, list[tuple[EdgeDefinition, str]]] = {}
    for edge in definition.edges:
        for source, target in edge.pairs:
            ways.setdefault(source, []).append((edge, target))
    titles = {node.id: node.title for node in definition.nodes}
    tree = Tree(Text(titles[definition.start], style="bold"), guide_style="dim")
    _draw(tree, definition.start, ways, titles, {definition.start})
    out.print(tree)


def _draw(
    tree: Tree,
    node: str,
    ways: dict[str, list[tuple[EdgeDefinition, str]]],
    titles: dict[str, str],
    drawn: set[str],
) -> None:
    for edge, target in ways.get(node, []):
        again = target in drawn
        if again:
            name = (f"{titles[target]} (above)", "dim")
        else:
            name = (titles[target], "bold")
        branch = tree.add(Text.assemble((_label(edge, target), "blue"), name))
        if not again:
            drawn.add(target)
            _draw(branch, target, ways, titles, drawn)


def _label(edge: EdgeDefinition, target: str) -> str:
    label = edge.label_to(target)
    return f"{label} ▸ " if label else ""
