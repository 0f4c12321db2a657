"""Examples of the messages that nodes get and send, as far as the drawing shows them,
for completion.

Nothing is run (of a CSV file the first row is read), so an example has the shape of a
message and rarely its values. `UNKNOWN` stands for what is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from designer.model.completion.csv_head import csv_row
from designer.model.design import Design
from designer.model.edge_kinds import kind_of
from runtime.document.definition import EdgeDefinition, Infos, NodeDefinition
from runtime.expressions.template import look_up, parse_path

UNKNOWN: Any = object()
Params = Mapping[str, Any]


def arriving(
    design: Design, node_id: str, infos: Infos, folder: Path | None = None
) -> Any:
    """Return an example of the messages that a node gets; the first one that is known,
    where it gets several.

    `infos` are the known node types by name, `folder` is the document's, for the
    columns of CSV files in it.
    """
    return _Examples(design, infos, folder).arriving(node_id, frozenset())


def sent(design: Design, node_id: str, infos: Infos) -> Any:
    """Return an example of the messages that a node sends."""
    return _Examples(design, infos, None).sent(node_id, frozenset())


def failure_example(design: Design, node_id: str, infos: Infos) -> Any:
    """Return an example of what comes along an error edge of a node."""
    return _Examples(design, infos, None).failure(node_id, frozenset())


def row_at(example: Any, path: object) -> Any:
    """Return a row of the table at a path in a message, `UNKNOWN` where that is not
    known.
    """
    if example is UNKNOWN or not isinstance(path, str):
        return UNKNOWN
    try:
        rows = look_up(example, parse_path(path))
    except (LookupError, ValueError):
        return UNKNOWN
    return rows[0] if isinstance(rows, list) and rows else UNKNOWN


class _Examples:
    def __init__(self, design: Design, infos: Infos, folder: Path | None) -> None:
        self._workflow = design.workflow
        self._infos = infos
        self._folder = folder

    def arriving(self, node_id: str, seen: frozenset[str]) -> Any:
        if node_id in seen:
            return UNKNOWN
        seen |= {node_id}
        if node_id == self._workflow.start and self._workflow.input is not None:
            return self._workflow.input
        # Failures come last, because a node is mostly made for the messages beside
        # them.
        failing: list[EdgeDefinition] = []
        for edge in self._workflow.edges:
            sources = [source for source, target in edge.pairs if target == node_id]
            if edge.carries_failures:
                failing += [edge] if sources else []
                continue
            if edge.join is not None and sources:
                return [self.sent(source, seen) for source in sources]
            for source in sources:
                if (message := self.sent(source, seen)) is not UNKNOWN:
                    return message
        if failing:
            return self.failure(kind_of(failing[0]).hub(failing[0]), seen)
        return UNKNOWN

    def failure(self, node_id: str, seen: frozenset[str]) -> Any:
        message = self.arriving(node_id, seen)
        return {
            "executor_id": node_id,
            "handler": "run",
            "error_type": "ValueError",
            "error": "what went wrong",
            "attempts": 1,
            "superstep": 1,
            "message": None if message is UNKNOWN else message,
            "traceback": [],
            "path": "",
        }

    def sent(self, node_id: str, seen: frozenset[str]) -> Any:
        node = self._workflow.node(node_id)
        if node is None:
            return UNKNOWN
        message = self.arriving(node_id, seen)
        info = self._infos.get(node.type)
        if node.off == "bypassed" or (info is not None and info.passes_on):
            return message
        if node.type == "csv_read":
            return self._rows_of_file(node.params)
        shape = _SHAPES.get(node.type)
        return UNKNOWN if shape is None else shape(_with_defaults(node), message)

    def _rows_of_file(self, params: Params) -> Any:
        path = params.get("path")
        columns = params.get("columns")
        row: Any = UNKNOWN
        if isinstance(columns, list) and columns:
            row = dict.fromkeys(map(str, columns), "")
        if (
            self._folder is not None
            and isinstance(path, str)
            and path
            and "{" not in path
        ):
            row = csv_row(self._folder / path, params) or row
        return row if params.get("each_row") else [row]


def _with_defaults(node: NodeDefinition) -> Params:
    return {**_DEFAULTS.get(node.type, {}), **node.params}


# Parameters that a document leaves out.
_DEFAULTS: Mapping[str, Params] = {
    "counter": {"send": "both"},
    "read_file": {"content": "text"},
    "shell_command": {"output": "text"},
    "get_state": {"send": "value"},
    "collect": {"into": "list"},
    "filter_rows": {"rows": "message"},
    "sort_rows": {"rows": "message"},
    "group_rows": {"rows": "message", "compute": {"count": "count()"}},
    "join_tables": {"left": "message[0]", "right": "message[1]"},
}


def _counter(params: Params, message: Any) -> Any:
    return {"count": 1, "both": {"count": 1, "message": message}}.get(
        params["send"], message
    )


def _loop_guard(params: Params, message: Any) -> Any:
    if params.get("then") == "route":
        return {"again": True, "round": 1, "message": message}
    return message


def _ask(params: Params, message: Any) -> Any:
    answer: Any = "" if params.get("free_text") else True
    if params.get("choices"):
        answer = {"verdict": "", "reason": ""}
    schema = params.get("answer_schema")
    if isinstance(schema, Mapping) and schema:
        properties = schema.get("properties")
        if isinstance(properties, Mapping):
            answer = dict.fromkeys(properties, UNKNOWN)
        else:
            answer = UNKNOWN
    return {"message": message, "answer": answer}


def _for_each(params: Params, message: Any) -> Any:
    item = UNKNOWN
    takes_message = params.get("items", "message").strip() == "message"
    if takes_message and isinstance(message, list) and message:
        item = message[0]
    return {"item": item, "index": 0, "total": 1} if params.get("numbered") else item


def _batch(params: Params, message: Any) -> Any:
    if params.get("source") == "messages":
        return [message]
    if isinstance(message, list):
        return message
    return []


def _text_or(kind: Any) -> Any:
    return {"text": "", "lines": [""]}.get(kind, UNKNOWN)


def _rows(params: Params, message: Any) -> Any:
    row = row_at(message, params["rows"])
    return UNKNOWN if row is UNKNOWN else [row]


def _group_rows(params: Params, message: Any) -> Any:
    row = row_at(message, params["rows"])
    by = params.get("by")
    compute = params.get("compute")
    known = row if isinstance(row, Mapping) else {}
    if isinstance(by, list):
        keys = {name: known.get(name, UNKNOWN) for name in by}
    else:
        keys = {}
    return [
        {
            **keys,
            **(dict.fromkeys(compute, UNKNOWN) if isinstance(compute, Mapping) else {}),
        }
    ]


def _join_tables(params: Params, message: Any) -> Any:
    rows = [row_at(message, params[side]) for side in ("right", "left")]
    columns = {
        name: value
        for row in rows
        if isinstance(row, Mapping)
        for name, value in row.items()
    }
    return [columns] if columns else UNKNOWN


def _http_request(params: Params, _got: Any) -> Any:
    if params.get("whole_answer"):
        return {"status": 200, "headers": {}, "body": UNKNOWN}
    return UNKNOWN


def _shell_command(params: Params, _got: Any) -> Any:
    output = _text_or(params["output"])
    if params.get("whole_result"):
        return {"exit_code": 0, "output": output, "errors": ""}
    return output


def _chat_model(params: Params, _got: Any) -> Any:
    answer = "" if params.get("answer", "text") == "text" else UNKNOWN
    usage = dict.fromkeys(("prompt_tokens", "completion_tokens", "total_tokens"), 0)
    if not params.get("whole_answer"):
        return answer
    return {"answer": answer, "model": "", "finish_reason": "", "usage": usage}


def _get_state(params: Params, message: Any) -> Any:
    match params["send"]:
        case "both":
            return {"message": message, "value": UNKNOWN}
        case "field" if isinstance(message, Mapping):
            return {
                **message,
                str(params.get("field") or params.get("key", "")): UNKNOWN,
            }
        case _:
            return UNKNOWN


def _collect(params: Params, message: Any) -> Any:
    return {"text": "", "sum": 0}.get(params["into"], message)


_SHAPES: Mapping[str, Callable[[Params, Any], Any]] = {
    "counter": _counter,
    "loop_guard": _loop_guard,
    "ask": _ask,
    "for_each": _for_each,
    "batch": _batch,
    "template": lambda _params, _got: "",
    "read_file": lambda params, _got: _text_or(params["content"]),
    "filter_rows": _rows,
    "sort_rows": _rows,
    "group_rows": _group_rows,
    "join_tables": _join_tables,
    "http_request": _http_request,
    "shell_command": _shell_command,
    "chat_model": _chat_model,
    "get_state": _get_state,
    "collect": _collect,
}
