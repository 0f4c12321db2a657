"""Examples of the messages that nodes get and send, as far as the drawing tells: for what completion offers.

Nothing is run, so an example has the shape of a message and rarely its values. `UNKNOWN` stands for what is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from designer.model.design import Design
from runtime.definition import FanInEdge, NodeDefinition, edge_pairs

UNKNOWN: Any = object()
Params = Mapping[str, Any]

_PASSING = frozenset({"input", "switch", "log", "delay", "schedule", "set_state", "write_file", "csv_write"})


def arriving(design: Design, node_id: str, _seen: frozenset[str] = frozenset()) -> Any:
    """An example of the messages that a node gets; the first one that is known, where it gets several."""
    if node_id in _seen:
        return UNKNOWN
    seen = _seen | {node_id}
    if node_id == design.workflow.start and design.workflow.input is not None:
        return design.workflow.input
    for edge in design.workflow.edges:
        sources = [source for source, target in edge_pairs(edge) if target == node_id]
        if isinstance(edge, FanInEdge) and sources:
            return [_sent(design, source, seen) for source in sources]
        for source in sources:
            if (found := _sent(design, source, seen)) is not UNKNOWN:
                return found
    return UNKNOWN


def sent(design: Design, node_id: str) -> Any:
    """An example of the messages that a node sends."""
    return _sent(design, node_id, frozenset())


def _sent(design: Design, node_id: str, seen: frozenset[str]) -> Any:
    node = design.workflow.node(node_id)
    if node is None:
        return UNKNOWN
    got = arriving(design, node_id, seen)
    if node.type in _PASSING or node.off == "bypassed":
        return got
    shape = _SHAPES.get(node.type)
    return UNKNOWN if shape is None else shape(_with_defaults(node), got)


def _with_defaults(node: NodeDefinition) -> Params:
    return {**_DEFAULTS.get(node.type, {}), **node.params}


# What is chosen where a document says nothing of it.
_DEFAULTS: Mapping[str, Params] = {
    "counter": {"send": "both"},
    "read_file": {"content": "text"},
    "shell_command": {"output": "text"},
    "get_state": {"send": "value"},
    "collect": {"into": "list"},
}


def _counter(params: Params, got: Any) -> Any:
    return {"count": 1, "both": {"count": 1, "message": got}}.get(params["send"], got)


def _loop_guard(params: Params, got: Any) -> Any:
    return {"again": True, "round": 1, "message": got} if params.get("then") == "route" else got


def _ask(params: Params, got: Any) -> Any:
    answer: Any = "" if params.get("free_text") else True
    if params.get("choices"):
        answer = {"verdict": "", "reason": ""}
    schema = params.get("answer_schema")
    if isinstance(schema, Mapping) and schema:
        properties = schema.get("properties")
        answer = dict.fromkeys(properties, UNKNOWN) if isinstance(properties, Mapping) else UNKNOWN
    return {"message": got, "answer": answer}


def _for_each(params: Params, got: Any) -> Any:
    walked = params.get("items", "message").strip() == "message" and isinstance(got, list) and got
    item = got[0] if walked else UNKNOWN
    return {"item": item, "index": 0, "total": 1} if params.get("numbered") else item


def _batch(params: Params, got: Any) -> Any:
    return [got] if params.get("source") == "messages" else got if isinstance(got, list) else []


def _text_or(kind: Any) -> Any:
    return {"text": "", "lines": [""]}.get(kind, UNKNOWN)


def _csv_read(params: Params, _got: Any) -> Any:
    columns = params.get("columns")
    named = isinstance(columns, list) and bool(columns)
    row = dict.fromkeys(map(str, columns), "") if isinstance(columns, list) and named else UNKNOWN
    return row if params.get("each_row") else [row]


def _http_request(params: Params, _got: Any) -> Any:
    return {"status": 200, "headers": {}, "body": UNKNOWN} if params.get("whole_answer") else UNKNOWN


def _shell_command(params: Params, _got: Any) -> Any:
    output = _text_or(params["output"])
    return {"exit_code": 0, "output": output, "errors": ""} if params.get("whole_result") else output


def _chat_model(params: Params, _got: Any) -> Any:
    answer = "" if params.get("answer", "text") == "text" else UNKNOWN
    usage = dict.fromkeys(("prompt_tokens", "completion_tokens", "total_tokens"), 0)
    whole = {"answer": answer, "model": "", "finish_reason": "", "usage": usage}
    return whole if params.get("whole_answer") else answer


def _get_state(params: Params, got: Any) -> Any:
    match params["send"]:
        case "both":
            return {"message": got, "value": UNKNOWN}
        case "field" if isinstance(got, Mapping):
            return {**got, str(params.get("field") or params.get("key", "")): UNKNOWN}
        case _:
            return UNKNOWN


def _collect(params: Params, got: Any) -> Any:
    return {"text": "", "sum": 0}.get(params["into"], got)


_SHAPES: Mapping[str, Callable[[Params, Any], Any]] = {
    "counter": _counter,
    "loop_guard": _loop_guard,
    "ask": _ask,
    "for_each": _for_each,
    "batch": _batch,
    "template": lambda _params, _got: "",
    "read_file": lambda params, _got: _text_or(params["content"]),
    "csv_read": _csv_read,
    "http_request": _http_request,
    "shell_command": _shell_command,
    "chat_model": _chat_model,
    "get_state": _get_state,
    "collect": _collect,
}
