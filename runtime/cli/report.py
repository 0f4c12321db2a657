"""Reports of the commands for people, and JSON values for programs.

Results go to `out`, everything else to `err`. Both are made from the same plain values
that `--json` gives.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from rich.console import Console
from rich.text import Text

from runtime.checkpoint import shown_fields
from runtime.cli.exit_codes import printed_json
from runtime.debug.sections import HEADER
from runtime.events import WorkflowRunState
from runtime.values.json_bytes import json_bytes
from runtime.values.words import duration

if TYPE_CHECKING:
    from runtime.checkpoint import CheckpointHeader
    from runtime.document.definition import NodeInfo
    from runtime.document.problem import Problem

# Without wrapping, so that a command or an id is copied from the terminal in one piece.
out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)

_STATUS = {
    WorkflowRunState.IDLE: ("finished", "green"),
    WorkflowRunState.IDLE_WITH_PENDING_REQUESTS: ("waiting for answers", "cyan"),
    WorkflowRunState.IDLE_WITH_STALLED_JOINS: ("at rest with a stalled join", "yellow"),
    WorkflowRunState.FAILED: ("failed", "red"),
    WorkflowRunState.CANCELLED: ("stopped", "yellow"),
}
_CAUSES = {"input": "▼", "superstep": "●", "response": "◆", "fork": "◎", "edit": "◇"}
_SEVERITIES = {"error": "bold red", "warning": "yellow", "info": "blue"}


def complain(message: str) -> None:
    err.print(Text.assemble(("error: ", "bold red"), message))


def warn(messages: Iterable[str]) -> None:
    for message in messages:
        err.print(Text.assemble(("warning: ", "yellow"), message))


def hint(message: str) -> None:
    err.print(Text(message))


def print_fine(message: str) -> None:
    out.print(Text.assemble(("✓ ", "green"), message))


def print_json(value: Any, stream: TextIO | None = None) -> None:
    """Print one JSON value, indented, with keys in the given order."""
    text = json_bytes(value, indent=True).decode()
    printed_json.append(text)
    (stream or sys.stdout).write(f"{text}\n")


def many(number: int, thing: str) -> str:
    """Return `1 change`, `2 changes`, `3 branches`."""
    if number == 1:
        return f"1 {thing}"
    plural = "es" if thing.endswith("h") else "s"
    return f"{number} {thing}{plural}"


def shorten(text: str, width: int = 100) -> str:
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"


def print_wrapped(
    text: Text, indent: int, console: Console = out, mark: str = ""
) -> None:
    """Print text for reading in lines that fit; `mark` is before the first."""
    for line in text.wrap(console, max(console.width - indent, 20)) or [text]:
        line.rstrip()
        console.print(
            Text.assemble((f"{mark:<{indent}}" if line.plain else "", "cyan"), line)
        )
        mark = ""


def text_of(value: Any) -> str:
    """Return a plain value as text."""
    return value if isinstance(value, str) else json_bytes(value).decode()


class _LineFitter:
    """Cut values to the rest of their line, and remember whether one was cut."""

    def __init__(self) -> None:
        self._cut = False

    def __call__(self, before: str, value: Any) -> str:
        text = text_of(value)
        width = max(out.width - len(before), 20)
        short = shorten(text, width)
        self._cut = self._cut or short != " ".join(text.split())
        return short

    def print_hint(self) -> None:
        if self._cut:
            hint("Values that end in … are cut; --json shows them whole.")


# --- the outcome of a run ------------------------------------------------------------------------------------------


def print_outcome(
    report: Mapping[str, Any],
    store: str,
    *,
    is_newest: bool,
    changed: Sequence[str] = (),
) -> None:
    """Print outputs to standard output and everything else to standard error, so that
    a pipe gets only results.

    `store` is the name of the place of the run in commands, and `changed` the
    arguments with which `resume` uses a changed workflow file. `is_newest` says
    whether the run is at the newest checkpoint, where `resume` goes on by default.
    """
    checkpoint = "" if is_newest else report["checkpoint"]
    for output in report["outputs"]:
        if isinstance(output["data"], str):
            text = output["data"]
        else:
            text = _pretty(output["data"])
        sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
    sys.stdout.flush()
    words, style = _STATUS.get(
        WorkflowRunState(report["status"]), ("stopped between two supersteps", "yellow")
    )
    where = f" after superstep {report['superstep']}, branch {report['branch']}"
    err.print(Text.assemble(("● ", style), (words, f"bold {style}"), where))
    error = report["error"]
    is_misuse = error is not None and error["type"] == "CommandError"
    if error and not is_misuse:
        _print_error(error)
    outside = report.get("outside")
    if outside:
        err.print(Text(f"  outside: {outside['words']}"))
    for output in report["taken_back"]:
        _print_taken_back(output, report["superstep"] + 1)
    for join in report["joins"]:
        print_join(join, err)
    for drop in report["dropped"]:
        _print_dropped(drop)
    for id_ in report["unreadable"]:
        err.print(Text(f"  {_unreadable(id_)}", style="yellow"))
    for request in report["requests"]:
        print_question(request, store, checkpoint)
    _print_next_command(report, store, checkpoint, changed or (store,))
    if is_misuse:
        complain(error["text"])


def _pretty(value: Any) -> str:
    return json_bytes(value, indent=True).decode()


def _print_error(error: Mapping[str, Any]) -> None:
    if error["type"] == "KeyboardInterrupt":
        return
    err.print(Text(f"  {error['type']}: {error['text']}", style="red"))
    if error["executor"]:
        err.print(
            Text(
                f"  raised by executor {error['executor']} in superstep {error['superstep']}"
            )
        )
    for note in [] if error["executor"] else error["notes"]:
        err.print(Text(f"  {note}"))
    for frame in error["frames"]:
        err.print(Text(f"  at {frame}", style="dim"))


def _print_taken_back(output: Mapping[str, Any], superstep: int) -> None:
    if isinstance(output["data"], str):
        data = output["data"]
    else:
        data = _pretty(output["data"])
    text = f"  taken back: output of {output['executor']} in superstep {superstep}: {shorten(data)}"
    err.print(Text(text, style="yellow"))


def _print_dropped(drop: Mapping[str, Any]) -> None:
    to = f" → {drop['target']}" if drop["target"] else ""
    edge = f", edge {drop['edge']}" if drop["edge"] else ""
    what = many(drop["count"], "message")
    where = f"{what} from {drop['source']}{to}, {drop['reason']}{edge}"
    err.print(
        Text(f"  dropped in superstep {drop['superstep']}: {where}"), style="yellow"
    )


def _print_next_command(
    report: Mapping[str, Any], store: str, checkpoint: str, changed: Sequence[str]
) -> None:
    error = report["error"] and report["error"]["type"]
    if not report["checkpoint"]:
        hint("  Nothing was saved yet.")
    elif store.startswith("memory:"):
        if report["requests"] or report["joins"] or error:
            hint(
                "  The run was in memory only. To go on later, run it with --store sqlite:FILE"
            )
    elif error == "KeyboardInterrupt":
        hint(
            f"  The finished supersteps are saved. To continue: {resume_command(store, checkpoint)}"
        )
    elif error == "WorkflowConvergenceException":
        again = resume_command(store, checkpoint, "--max-supersteps", "N")
        hint(f"  The finished supersteps are saved. To continue: {again}")
    elif error == "OutsideCallError":
        live = ("--live", report["error"]["live"])
        again = resume_command(changed[0], checkpoint, *changed[1:], *live)
        hint(f"  The supersteps before are saved. To let it run: {again}")
    elif error and error != "CommandError":
        again = resume_command(changed[0], checkpoint, *changed[1:])
        hint(f"  The supersteps before are saved. Correct the cause, then: {again}")
    elif not report["requests"]:
        hint(f"  Its checkpoints: {command('timeline', store)}")


def resume_command(store: str, checkpoint: str, *options: str) -> str:
    """Return the command that goes on from a checkpoint, or from the newest if it
    is empty.
    """
    return command(
        "resume",
        store,
        *(["--checkpoint", checkpoint[:8]] if checkpoint else []),
        *options,
    )


def command(*words: str) -> str:
    """Return a command line to be copied."""
    return shlex.join(["stepwell", *words])


# --- questions --------------------------------------------------------------------------------------------------------


def print_question(
    request: Mapping[str, Any],
    store: str,
    checkpoint: str = "",
    console: Console = err,
    *,
    in_python: bool = False,
) -> None:
    """Print a question, its possible answers, and how to answer it: a command or,
    for a workflow built in Python, a call.
    """
    question = request["question"]
    text = question.get("text") if isinstance(question, Mapping) else None
    for number, line in enumerate(str(text or _pretty(question)).strip().splitlines()):
        mark = "  ? " if number == 0 else ""
        print_wrapped(Text(line, style="" if number else "bold"), 4, console, mark)
    schema = request["schema"] if isinstance(request["schema"], Mapping) else {}
    origin = f"asked by {request['executor']} in superstep {request['superstep']}"
    console.print(Text("; ".join([f"    {origin}", *_choices(schema)]), style="dim"))
    if in_python:
        call = f"run(checkpoint_id='{checkpoint}', responses={{{request['id']!r}: {_sample(schema)!r}}})"
        console.print(Text(f"    answer in Python: {call}"))
    elif not store.startswith("memory:"):
        answer = f"{request['id']}={json_bytes(_sample(schema)).decode()}"
        console.print(
            Text(f"    answer: {resume_command(store, checkpoint, '--answer', answer)}")
        )


def _choices(schema: Mapping[str, Any]) -> list[str]:
    """Return the choices of an answer, such as `verdict: approve, replace or
    block`.
    """
    lines = []
    for name, property_schema in [
        ("answer", schema),
        *schema.get("properties", {}).items(),
    ]:
        values = property_schema.get("enum", [])
        if not values and property_schema.get("type") == "boolean":
            values = [True, False]
        words = [text_of(value) for value in values]
        if words:
            text = words[0]
            if len(words) > 1:
                text = f"{', '.join(words[:-1])} or {words[-1]}"
            lines.append(f"{name}: {text}")
    return lines


def _sample(schema: Mapping[str, Any]) -> Any:
    """Return an answer that fits a schema, for editing by hand."""
    if schema.get("enum"):
        return schema["enum"][0]
    samples = {
        "string": "…",
        "boolean": True,
        "integer": 1,
        "number": 1.0,
        "array": [],
        "null": None,
    }
    if schema.get("type") == "object":
        required = schema.get("required", list(schema.get("properties", {})))
        return {
            name: _sample(schema.get("properties", {}).get(name, {}))
            for name in required
        }
    return samples.get(str(schema.get("type")), "…")


# --- one checkpoint ---------------------------------------------------------------------------------------------------


MOST_SHOWN = 500  # characters of a note in a list, and tags


def _cut(text: str) -> str:
    return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "…"


def checkpoint_line(
    header: CheckpointHeader, *, marked: bool = False, whole_id: bool = False
) -> Text:
    line = Text.assemble(
        (_CAUSES.get(header.cause, "●"), "magenta" if marked else "blue"),
        f" s{header.superstep:<3} ",
        (header.id if whole_id else header.id[:8], "bold" if marked else ""),
        f"  {header.cause}",
    )
    facts = [
        (header.damaged, f"damaged: {header.damaged}", "red"),
        (header.queued, f"{header.queued} queued", "blue"),
        (header.buffered, f"{header.buffered} held by joins", "yellow"),
        (header.requests, many(header.requests, "open question"), "cyan"),
        (header.stalled, f"{header.stalled} stalled", "yellow"),
        (header.status == WorkflowRunState.IDLE, "finished", "green"),
        (header.tags, _cut(" ".join(header.tags[:MOST_SHOWN])), "bold"),
        (header.note, _cut(header.note), "italic"),
        *[
            (True, f"{caption.lower()}: {_cut(words)}", "")
            for caption, words in shown_fields(header)
        ],
        (marked, "◀", "magenta"),
    ]
    for is_shown, words, style in facts:
        if is_shown:
            line.append("  ").append(words, style)
    return line


def print_sections(
    header: CheckpointHeader,
    sections: Mapping[str, Any],
    store: str,
    *,
    in_python: bool = False,
) -> None:
    fitter = _LineFitter()
    out.print(checkpoint_line(header, whole_id=True))
    view = _View(header, store, in_python, fitter)
    for name, section in sections.items():
        out.print(Text(f"\n{name}", style="bold"))
        if not section:
            nothing = "no join in this workflow" if name == "joins" else "none"
            out.print(f"  {nothing}", style="dim")
        elif name in _PRINTERS:
            _PRINTERS[name](section, view)
        else:
            _print_values(section, "  ", fitter)
    fitter.print_hint()


class _View(NamedTuple):
    """The checkpoint whose sections are printed, and how."""

    header: CheckpointHeader
    store: str
    in_python: bool
    fitter: _LineFitter


def _print_messages(messages: Sequence[Mapping[str, Any]], view: _View) -> None:
    for message in messages:
        target = f" → {message['target']}" if message["target"] else ""
        _print_value(f"  {message['origin']}{target}: ", message["data"], view.fitter)


def _print_outputs(outputs: Sequence[Mapping[str, Any]], view: _View) -> None:
    for output in outputs:
        if output["executor"] is None:
            out.print(Text(f"  {_unreadable(output['unreadable'])}", style="yellow"))
        else:
            _print_value(f"  {output['executor']}: ", output["data"], view.fitter)


def _print_joins(joins: Sequence[Mapping[str, Any]], view: _View) -> None:
    for join in joins:
        _print_join(join, out, view.fitter)


def _print_questions(requests: Sequence[Mapping[str, Any]], view: _View) -> None:
    for request in requests:
        print_question(
            request,
            view.store,
            view.header.id,
            out,
            in_python=view.in_python,
        )


def _unreadable(checkpoint: str) -> str:
    return (
        f"checkpoint {checkpoint[:8]} was removed, or cannot be read: "
        "its outputs and dropped messages are not known"
    )


def _print_executors(section: Mapping[str, Any], view: _View) -> None:
    width = max(map(len, section))
    for id_, record in section.items():
        out.print(
            Text(
                f"  {id_:<{width}}  last in superstep {record['last_superstep']}, {many(record['runs'], 'run')}"
            )
        )
        for call in record.get("attempts", ()):
            mark, style = ("✗", "red") if call["error"] else ("✓", "green")
            line = Text.assemble(
                (f"      {mark} ", style),
                f"attempt {call['attempt']}, {duration(call['seconds'])}",
            )
            out.print(line.append(f"  {call['error']}" if call["error"] else ""))
        _print_values(record["state"], "      ", view.fitter)


# Sections that are printed in another way than by the names of their values.
_PRINTERS: Mapping[str, Callable[[Any, _View], None]] = {
    "executors": _print_executors,
    "messages": _print_messages,
    "joins": _print_joins,
    "requests": _print_questions,
    "outputs": _print_outputs,
}


def _print_values(values: Mapping[str, Any], indent: str, fitter: _LineFitter) -> None:
    for name, value in values.items():
        _print_value(f"{indent}{name} = ", value, fitter)


def _print_value(before: str, value: Any, fitter: _LineFitter) -> None:
    out.print(Text.assemble(before, (fitter(before, value), "cyan")))


def print_join(join: Mapping[str, Any], console: Console = out) -> None:
    """Print a join: how full it is, each source with what it gave or why it did
    not, and the messages held.
    """
    _print_join(join, console, _LineFitter())


def _print_join(join: Mapping[str, Any], console: Console, fitter: _LineFitter) -> None:
    have = sum(1 for source in join["sources"] if source["have"])
    state = f"{have} of {len(join['sources'])}" + (
        f", waits for {', '.join(join['missing'])}" if have else ""
    )
    if join["stalled"]:
        state += ", for ever: nothing runs any more"
    console.print(
        Text.assemble(
            "  join into ",
            (join["target"], "bold"),
            "  ",
            (state, "yellow" if have else "dim"),
        )
    )
    width = max(len(source["id"]) for source in join["sources"])
    for source in join["sources"]:
        if source["have"]:
            mark, style = "✓", "green"
        else:
            mark, style = "…", "yellow" if have else "dim"
        since = f"since superstep {source['since']}" if source["since"] else ""
        need = f" of {source['need']}" if source["need"] else ""
        line = Text.assemble(
            (f"    {mark} ", style), f"{source['id']:<{width}}  {source['have']}{need}"
        )
        why = Text("  ".join(filter(None, [since, source["reason"]])), style="dim")
        if len(line) + len(why) + 2 <= console.width:
            console.print(line.append("  ").append(why) if why else line)
        else:
            console.print(line)
            print_wrapped(why, 8, console)
        for message in join["messages"]:
            if message["source"] == source["id"]:
                console.print(
                    Text(f"        {fitter(' ' * 8, message['data'])}", style="dim")
                )


def print_changes(
    old: CheckpointHeader, new: CheckpointHeader, changes: Sequence[Mapping[str, Any]]
) -> None:
    """Print changes in the form of `json_values.change_json`. The facts of the headers
    stand last, and count as no change.
    """
    number = sum(change["section"] != HEADER for change in changes)
    what = many(number, "change") if number else "no difference"
    out.print(
        Text(
            f"{old.id[:8]} (superstep {old.superstep}) → {new.id[:8]} (superstep {new.superstep}): {what}"
        )
    )
    section = ""
    fitter = _LineFitter()
    for change in changes:
        if change["section"] != section:
            section = change["section"]
            out.print(Text(f"\n{section}", style="bold"))
        _print_change(change, fitter)
    fitter.print_hint()


def print_change_list(changes: Sequence[Mapping[str, Any]], indent: str) -> None:
    """Print changes below something else, each section under its name."""
    section = ""
    fitter = _LineFitter()
    for change in changes:
        if change["section"] != section:
            section = change["section"]
            out.print(Text(f"{indent}{section}", style="bold"))
        _print_change(change, fitter, indent)


def _print_change(
    change: Mapping[str, Any], fitter: _LineFitter, indent: str = ""
) -> None:
    path = change["path"]
    if "before" in change:
        sign = "⇅" if change["kind"] == "moved" else "≠"
        before = f"{indent}  {sign} {path}, {change['before']} → {change['after']}: "
        out.print(Text(before + fitter(before, change["new"]), style="magenta"))
        return
    if change["kind"] != "added":
        before = f"{indent}  - {path}: "
        out.print(Text(before + fitter(before, change["old"]), style="red"))
    if change["kind"] != "removed":
        before = f"{indent}  + {path}: "
        out.print(Text(before + fitter(before, change["new"]), style="green"))


def print_change(change: Mapping[str, Any]) -> None:
    """Print how a changed workflow took the run over (`Checkpoint.change`)."""
    out.print(Text("\nchange", style="bold"))
    out.print(Text(f"  from checkpoint {change.get('from')}"))
    for item in change.get("changes", ()):
        out.print(Text(f"  {item.get('text')}"))
    for name in ("kept", "dropped"):
        for text in change.get(name, ()):
            style = "yellow" if name == "dropped" else "dim"
            out.print(Text(f"  {name}: {text}", style=style))


# --- documents --------------------------------------------------------------------------------------------------------


def print_problems(problems: Iterable[Problem], console: Console) -> None:
    for problem in problems:
        where = " ".join(part for part in (problem.location, problem.part) if part)
        console.print(
            Text.assemble(
                (f"{problem.severity} ", _SEVERITIES[problem.severity]),
                (f"{where}: " if where else ""),
                problem.message,
            )
        )
        console.print(
            Text(
                f"    {problem.remedy}  [{problem.rule}]".replace("      [", "    ["),
                style="dim",
            )
        )


def print_nodes(infos: Sequence[NodeInfo]) -> None:
    """Print node types by category: inputs and outputs, parameters (* marks
    required ones), and what the node does.
    """
    category = ""
    for info in infos:
        if info.category != category:
            category = info.category
            out.print(Text(category, style="bold blue"))
        ways = f"{', '.join(info.inputs) or '—'} → {', '.join(info.outputs) or '—'}"
        out.print(
            Text.assemble(
                "  ", (info.type, "bold"), f"  {info.title}  ", (ways, "cyan")
            )
        )
        schema = info.params_schema
        names = [
            name + "*" * (name in schema.get("required", ()))
            for name in schema.get("properties", {})
        ]
        print_wrapped(Text(info.description.split("\n")[0]), 6, out)
        if names:
            print_wrapped(Text(f"parameters: {', '.join(names)}", style="dim"), 6, out)
