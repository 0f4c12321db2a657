"""The demo in the terminal: a real run of the licence audit, a look into its past, and a second outcome on a fork."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from rich.panel import Panel
from rich.text import Text
from rich.tree import Tree

from runtime import reporting
from runtime.definition import FanInEdge, SwitchEdge, WorkflowDefinition, edge_pairs
from runtime.reporting import out

if TYPE_CHECKING:
    from runtime.checkpoint import CheckpointHeader, CheckpointStore
    from runtime.runner import Runner

EXAMPLE = "licence_audit"


def run_demo() -> int:
    """Returns the exit code: 0 when both outcomes were reached."""
    return asyncio.run(_demo())


async def _demo() -> int:
    from resources import examples
    from runtime.building import build
    from runtime.files import read_file
    from runtime.runner import Runner
    from runtime.stores.memory import MemoryStore

    path = next(example.path for example in examples() if example.name == EXAMPLE)
    definition = read_file(path).workflow
    store = MemoryStore()

    def new_runner() -> Runner:
        return Runner(build(definition, folder=path.parent), store)

    _head("The workflow", definition.description)
    print_graph(definition)
    first = new_runner()
    await first.start(definition.input)
    half_full = await _run_to_join(first)
    _head("A join that is half full", f"checkpoint {half_full.id[:8]}, superstep {half_full.superstep}")
    await _print_joins(store, half_full)
    await first.finish()
    await _answer(first, "approve", "")
    _head("First outcome: approved", "branch " + first.branch)
    await _print_report(first, store)
    second = new_runner()
    await second.restore(half_full.id, fork=True, branch="what if replaced")
    _head("Back to the half-full join", "a fork: the past stays as it is, the join holds what it held")
    await second.finish()
    await _answer(second, "replace", "We ship closed source.")
    _head("Second outcome: to be replaced", "branch " + second.branch)
    await _print_report(second, store)
    _head("The timeline", "two branches of one run")
    reporting.print_timeline(await store.headers(), mark=half_full.id)
    out.print("\nIn the window: stepwell demo (with a display) · Yours: stepwell run FILE, stepwell --help")
    await store.close()
    return 0


def _head(title: str, text: str) -> None:
    out.print(Text.assemble(("\n" + title, "bold"), f"  {text}"))


async def _run_to_join(runner: Runner) -> CheckpointHeader:
    """Step until a join holds some of its messages and still waits."""
    while await runner.step() is not None:
        if runner.header is not None and runner.header.buffered:
            break
    assert runner.header is not None  # noqa: S101 - a run with a store has saved its input
    return runner.header


async def _print_joins(store: CheckpointStore, header: CheckpointHeader) -> None:
    from runtime.archive import Archive

    for join in reporting.sections(await Archive(store).view(header.id))["joins"]:
        reporting.print_join(join)


async def _answer(runner: Runner, verdict: str, reason: str) -> None:
    for request in list(runner.state.requests.values()):
        text = getattr(request.data, "text", str(request.data))
        out.print(Panel(Text(text), title="A question waits", subtitle=f"answer: {verdict}", width=100))
        answer: Any = {"verdict": verdict, **({"reason": reason} if reason else {})}
        await runner.answer({request.id: answer})
    await runner.finish()


async def _print_report(runner: Runner, store: CheckpointStore) -> None:
    report = await reporting.outcome(runner, store, None)
    for output in report["outputs"]:
        lines = str(output["data"]).splitlines()
        shown = lines[:14] + ([f"… {len(lines) - 14} more lines"] if len(lines) > 14 else [])
        out.print(Panel(Text("\n".join(shown)), title=output["executor"], width=100))


def print_graph(definition: WorkflowDefinition) -> None:
    """The graph as a tree from the start; what was drawn before is named, not drawn again."""
    titles = {node.id: node.title for node in definition.nodes}
    tree = Tree(Text(titles.get(definition.start, definition.start), style="bold"))
    seen = {definition.start}

    def grow(branch: Tree, node_id: str) -> None:
        for edge in definition.edges:
            for source, target in edge_pairs(edge):
                if source == node_id:
                    again = target in seen
                    seen.add(target)
                    label = Text.assemble((_label(edge, target), "dim"), (titles[target], "" if again else "bold"))
                    grown = branch.add(label.append(" ↩", "dim") if again else label)
                    if not again:
                        grow(grown, target)

    grow(tree, definition.start)
    out.print(tree)


def _label(edge: Any, target: str) -> str:
    if isinstance(edge, FanInEdge):
        return f"join of {len(edge.sources)} ▸ "
    if isinstance(edge, SwitchEdge):
        names = [case.name or case.when for case in edge.cases if case.target == target]
        return "/".join([*names, *(["default"] if edge.default == target else [])]) + " ▸ "
    return ""
