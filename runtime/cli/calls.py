"""`stepwell show --section calls`: what the calls of the superstep before a checkpoint did
that reached outside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from runtime.cli.report import out, print_json, text_of
from runtime.debug.values.display import plain
from runtime.state import owner_of

if TYPE_CHECKING:
    from runtime.calls import Call, Results
    from runtime.checkpoint import Checkpoint


def print_calls(checkpoint: Checkpoint, *, as_json: bool) -> None:
    """Print the calls of a viewed checkpoint."""
    calls = [call_json(call) for call in checkpoint.calls]
    if as_json:
        print_json(calls)
        return
    out.print(Text("calls outside of the run", style="bold"))
    if not calls:
        out.print(Text("  none", style="dim"))
    for call in calls:
        _print_call(call)


def call_json(call: Call) -> dict[str, Any]:
    """Return a call as plain values."""
    return {
        "executor": "/".join((*call.path, call.executor_id)),
        "handler": call.handler,
        "what": call.what,
        "name": "/".join((*map(owner_of, call.path), call.executor_id)),
        "reads": list(call.inputs.reads),
        "omitted": call.omitted,
        **({} if call.omitted else _results(call.results)),
    }


def _results(results: Results) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "sent": [plain(message.data) for message in results.sent],
        "outputs": [plain(value) for value in results.outputs],
        "writes": plain(dict(results.writes)),
        "deleted": list(results.deleted),
        "asked": [request.id for request in results.asked],
    }
    if results.record is not None:
        shown["record"] = plain(dict(results.record))
    if results.error is not None:
        shown["error"] = f"{results.error.type}: {results.error.text}"
    return {name: value for name, value in shown.items() if value}


def _print_call(call: Mapping[str, Any]) -> None:
    out.print(Text(f"  {call['executor']} · {call['what']}"))
    if call["omitted"]:
        out.print(Text(f"    not kept: {call['omitted']}", style="yellow"))
    for name in ("sent", "outputs"):
        _print_values(name, call.get(name, ()))
    for key, value in call.get("writes", {}).items():
        _print_values(f"wrote {key}", [value])
    for name in ("deleted", "asked", "error"):
        if name in call:
            out.print(Text(f"    {name}: {call[name]}"))


def _print_values(name: str, values: Sequence[Any]) -> None:
    for value in values:
        out.print(Text(f"    {name}: {text_of(value)}"))
