"""What the commands print: for people with rich, for machines as one JSON value."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self

import orjson
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from runtime.debug.protocol import Header, Moment, Problem
from runtime.events import RunEvent, RunEventKind, WorkflowRunState

if TYPE_CHECKING:
    from rich.status import Status

    from runtime.checkpoint import Checkpoint, CheckpointHeader, CheckpointStore
    from runtime.comparing import Change
    from runtime.definition import NodeInfo
    from runtime.runner import Runner

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def complain(message: str) -> None:
    err.print(Text.assemble(("error: ", "bold red"), message))


def print_json(value: Any) -> None:
    """One JSON value on standard output, indented; keys as given."""
    sys.stdout.write(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS).decode() + "\n")


class Progress:
    """One line on standard error while a run goes on: superstep, rate, who runs. Silent when that is no terminal."""

    def __init__(self) -> None:
        self._status: Status | None = err.status("starting") if err.is_terminal else None
        self._running: dict[str, None] = {}
        self._supersteps = 0
        self._began = self._told = time.monotonic()

    def __enter__(self) -> Self:
        if self._status:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status:
            self._status.stop()

    def observe(self, event: RunEvent) -> None:
        if self._status is None:
            return
        if event.kind is RunEventKind.HANDLER_STARTED:
            self._running[event.data["executor"]] = None
        elif event.kind is RunEventKind.HANDLER_ENDED:
            self._running.pop(event.data["executor"], None)
        elif event.kind is RunEventKind.SUPERSTEP_ENDED:
            self._supersteps += 1
        now = time.monotonic()
        if now - self._told > 0.05:
            self._told = now
            rate = self._supersteps / max(now - self._began, 1e-9)
            who = ", ".join(list(self._running)[:4]) or "at the barrier"
            self._status.update(f"superstep {event.superstep} · {rate:,.0f}/s · {escape(who)}")


# --- plain values -----------------------------------------------------------------------------------------------------


def header_json(header: CheckpointHeader) -> dict[str, Any]:
    from runtime.debug.values import header_on_wire

    wire: Header = header_on_wire(header)
    return wire.model_dump()


def change_json(change: Change) -> dict[str, Any]:
    from runtime.debug.values import plain

    return {
        "section": change.section,
        "path": change.path,
        "kind": change.kind,
        "old": plain(change.old),
        "new": plain(change.new),
    }


def sections(checkpoint: Checkpoint) -> dict[str, Any]:
    """The five sections of a checkpoint as plain JSON values."""
    from runtime.debug.moment import moment
    from runtime.debug.values import plain

    seen = moment(checkpoint)
    state = checkpoint.state
    return {
        "state": plain(state.shared),
        "executors": {
            id_: {"state": plain(record.state), "runs": record.runs, "last_superstep": record.last_superstep}
            for id_, record in state.executors.items()
        },
        "messages": [
            {"source": message.source_id, "target": message.target_id, "data": plain(message.data)}
            for message in state.queue
        ],
        "joins": _joins(seen, checkpoint),
        "requests": [
            {
                "id": request.id,
                "executor": request.executor_id,
                "superstep": request.superstep,
                "question": plain(request.data),
                "schema": plain(request.schema),
            }
            for request in state.requests.values()
        ],
    }


def _joins(seen: Moment, checkpoint: Checkpoint) -> list[dict[str, Any]]:
    from runtime.debug.moment import held_messages
    from runtime.debug.values import plain

    return [
        {
            "target": join.target,
            "policy": join.policy,
            "sources": [
                {"id": source.id, "have": source.have, "need": source.need, "reason": source.reason}
                for source in join.sources
            ],
            "missing": list(join.missing),
            "stalled": join.stalled,
            "messages": [
                {"source": message.source_id, "data": plain(message.data)}
                for message in held_messages(checkpoint, join.edge)
            ],
        }
        for join in seen.joins
    ]


async def outcome(runner: Runner, store: CheckpointStore, error: BaseException | None) -> dict[str, Any]:
    """How a run stands: its status, all outputs of its branch, what it asks, which joins are stalled."""
    from runtime.debug.values import plain

    head = runner.header
    report: dict[str, Any] = {
        "run_id": runner.run_id,
        "branch": runner.branch,
        "status": runner.status.value,
        "checkpoint": head.id if head else None,
        "superstep": runner.state.superstep,
        "outputs": [],
        "requests": [],
        "joins": [],
        "error": None,
    }
    if error is not None:
        report["error"] = {"type": type(error).__name__, "text": str(error), "notes": getattr(error, "__notes__", [])}
    if head is not None:
        found = sections(await _archive(store).view(head.id))
        report["outputs"] = [{"executor": o.executor_id, "data": plain(o.data)} for o in await _outputs(store, head)]
        report["requests"] = found["requests"]
        report["joins"] = [join for join in found["joins"] if join["stalled"]]
    return report


def _archive(store: CheckpointStore) -> Any:
    from runtime.archive import Archive

    return Archive(store)


async def _outputs(store: CheckpointStore, head: CheckpointHeader) -> list[Any]:
    """All outputs on the way from the input to this checkpoint: an answer or a restart must not hide earlier ones."""
    by_id = {header.id: header for header in await store.headers(run_id=head.run_id)}
    line: list[str] = []
    here: str | None = head.id
    while here is not None and here in by_id:
        # A fork or an answer repeats the barrier of its parent; only supersteps have outputs of their own.
        if by_id[here].cause == "superstep":
            line.append(here)
        here = by_id[here].parent
    archive = _archive(store)
    return [output for id_ in reversed(line) for output in (await archive.view(id_)).trace.outputs]


# --- for people -------------------------------------------------------------------------------------------------------

_STATUS = {
    WorkflowRunState.IDLE: ("finished", "green"),
    WorkflowRunState.IDLE_WITH_PENDING_REQUESTS: ("waiting for answers", "cyan"),
    WorkflowRunState.IDLE_WITH_STALLED_JOINS: ("at rest, with a stalled join", "yellow"),
    WorkflowRunState.FAILED: ("failed", "red"),
    WorkflowRunState.CANCELLED: ("cancelled", "red"),
}
_CAUSES = {"input": "▼", "superstep": "●", "response": "◆", "fork": "◎", "edit": "◇"}


def print_outcome(report: Mapping[str, Any], url: str) -> None:
    """Outputs on standard output, everything else on standard error: a pipe gets the result and nothing else."""
    for output in report["outputs"]:
        out.print(Text(_text(output["data"])))
    words, style = _STATUS.get(WorkflowRunState(report["status"]), (report["status"].lower(), "white"))
    err.print(
        Text.assemble(
            ("● ", style),
            (words, f"bold {style}"),
            f" after superstep {report['superstep']}, branch {report['branch']}",
        )
    )
    if report["error"]:
        err.print(Text(f"{report['error']['type']}: {report['error']['text']}", style="red"))
        for note in report["error"]["notes"]:
            err.print(Text(f"  {note}"))
    for join in report["joins"]:
        err.print(
            Text(f"  join into {join['target']}: waits for {', '.join(join['missing'])} for ever", style="yellow")
        )
    for request in report["requests"]:
        _print_question(request, url)
    if report["error"] and report["checkpoint"] and not url.startswith("memory:"):
        err.print(Text(f"Nothing before it is lost. Mend the cause, then: stepwell resume {url}"))


def _print_question(request: Mapping[str, Any], url: str) -> None:
    question = request["question"]
    text = question.get("text") if isinstance(question, Mapping) else None
    err.print(Text.assemble(("  ? ", "cyan"), (str(text or _text(question)), "bold")))
    err.print(Text(f"    from {request['executor']}, asked in superstep {request['superstep']}"))
    if url.startswith("memory:"):
        err.print(Text("    this run is in memory only: give --store sqlite:FILE to be able to answer later"))
        return
    err.print(Text(f"    answer: stepwell resume {url} --answer '{request['id']}={_example(request['schema'])}'"))


def _example(schema: Any) -> str:
    """A sample answer that fits a schema, to be edited by hand."""
    return orjson.dumps(_sample(schema if isinstance(schema, Mapping) else {})).decode()


def _sample(schema: Mapping[str, Any]) -> Any:
    if schema.get("enum"):
        return schema["enum"][0]
    samples = {"string": "…", "boolean": True, "integer": 1, "number": 1.0, "array": [], "null": None}
    if schema.get("type") == "object":
        required = schema.get("required", list(schema.get("properties", {})))
        return {name: _sample(schema.get("properties", {}).get(name, {})) for name in required}
    return samples.get(str(schema.get("type")), "…")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def print_timeline(headers: Sequence[CheckpointHeader], mark: str = "") -> None:
    """The lineage as a tree: a branch goes down its line, a fork is indented under the checkpoint it came from."""
    if not headers:
        err.print("No checkpoints.")
        return
    runs: dict[str, list[CheckpointHeader]] = {}
    for header in headers:
        runs.setdefault(header.run_id, []).append(header)
    for run_id, line in runs.items():
        branches = len({header.branch for header in line})
        began = datetime.fromtimestamp(line[0].time).astimezone().strftime("%Y-%m-%d %H:%M:%S")
        tree = Tree(
            Text.assemble(
                (line[0].workflow, "bold"),
                f"  run {run_id[:8]} · {began} · {len(line)} checkpoints, {branches} branch{'es' * (branches > 1)}",
            )
        )
        _grow(tree, line, mark)
        out.print(tree)


def _grow(tree: Tree, headers: Sequence[CheckpointHeader], mark: str) -> None:
    branches: dict[str, Tree] = {}
    by_id: dict[str, Tree] = {}
    for header in headers:
        if header.branch not in branches:
            where = by_id.get(header.parent or "", tree)
            branches[header.branch] = where.add(Text(header.branch, style="bold blue"))
        by_id[header.id] = branches[header.branch].add(checkpoint_line(header, mark == header.id))


def checkpoint_line(header: CheckpointHeader, marked: bool = False) -> Text:
    line = Text.assemble(
        (_CAUSES.get(header.cause, "●"), "magenta" if marked else "blue"),
        f" s{header.superstep:<3} ",
        (header.id[:8], "bold" if marked else ""),
        f"  {header.cause}",
    )
    facts = [
        (header.damaged, f"damaged: {header.damaged}", "red"),
        (header.queued, f"{header.queued} queued", "blue"),
        (header.buffered, f"{header.buffered} held by joins", "yellow"),
        (header.requests, f"{header.requests} open question{'s' * (header.requests > 1)}", "cyan"),
        (header.stalled, f"{header.stalled} stalled", "yellow"),
        (header.status == WorkflowRunState.IDLE, "finished", "green"),
        (header.tags, " ".join(header.tags), "bold"),
        (header.note, header.note, "italic"),
    ]
    for there, words, style in facts:
        if there:
            line.append("  ").append(words, style)
    return line


def print_sections(header: CheckpointHeader, found: Mapping[str, Any], wanted: Iterable[str]) -> None:
    out.print(checkpoint_line(header))
    for name in wanted:
        out.print(Text(f"\n{name}", style="bold"))
        if name == "joins":
            for join in found[name]:
                print_join(join)
            if not found[name]:
                out.print("  this workflow has no join")
        else:
            out.print(Text(_text(found[name]) if found[name] else "  empty"))


def print_join(join: Mapping[str, Any]) -> None:
    have = sum(1 for source in join["sources"] if source["have"])
    missing = f" — waiting for {', '.join(join['missing'])}" if join["missing"] and have else ""
    out.print(
        Text.assemble(
            ("  join into ", ""), (join["target"], "bold"), (f"  {have} of {len(join['sources'])}{missing}", "yellow")
        )
    )
    for source in join["sources"]:
        mark, style = ("✓", "green") if source["have"] else ("…", "yellow")
        line = Text.assemble((f"    {mark} ", style), f"{source['id']}  {source['have']} / {source['need']}")
        if source["reason"]:
            line.append(f"  {source['reason']}", "dim")
        out.print(line)
    for message in join["messages"]:
        out.print(Text(f"      {message['source']}: {shorten(_text(message['data']))}", style="dim"))


def shorten(text: str, width: int = 100) -> str:
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"


def print_changes(old: CheckpointHeader, new: CheckpointHeader, changes: Sequence[Change]) -> None:
    from runtime.debug.values import plain

    out.print(
        Text.assemble(f"{old.id[:8]} (s{old.superstep}) → {new.id[:8]} (s{new.superstep})  ", f"{len(changes)} changes")
    )
    section = ""
    for change in changes:
        if change.section != section:
            section = change.section
            out.print(Text(f"\n{section}", style="bold"))
        if change.kind != "added":
            out.print(Text(f"  - {change.path} = {shorten(_text(plain(change.old)))}", style="red"))
        if change.kind != "removed":
            out.print(Text(f"  + {change.path} = {shorten(_text(plain(change.new)))}", style="green"))


def print_problems(name: str, problems: Sequence[Problem]) -> None:
    if not problems:
        out.print(Text.assemble(("✓ ", "green"), f"{name}: no problems"))
        return
    styles = {"error": "bold red", "warning": "yellow", "info": "blue"}
    for problem in problems:
        where = " ".join(part for part in (problem.location, problem.part) if part)
        at = f" (line {problem.line}, column {problem.column})" if problem.line else ""
        out.print(
            Text.assemble(
                (f"{problem.severity} ", styles[problem.severity]), (f"{where}: " if where else ""), problem.message, at
            )
        )
        if problem.remedy:
            out.print(Text(f"    {problem.remedy}  [{problem.rule}]", style="dim"))


def print_nodes(infos: Sequence[NodeInfo]) -> None:
    table = Table(
        "type", "title", "category", "takes", "sends", "does", box=None, header_style="bold", padding=(0, 2, 0, 0)
    )
    for info in infos:
        does = info.description.split("\n")[0]
        table.add_row(info.type, info.title, info.category, ", ".join(info.inputs), ", ".join(info.outputs), does)
    out.print(table)
