"""A session without a process, and made-up workflows and moments: what the panels show
in tests and pictures.
"""

from __future__ import annotations

from typing import Any

from designer.model.design import Design
from runtime.checkpoint import Cause
from runtime.debug.protocol import (
    Header,
    JoinMoment,
    JoinSource,
    MessageMoment,
    Moment,
    NodeMoment,
    RequestMoment,
    Value,
)
from runtime.document.definition import (
    DirectEdge,
    FanInEdge,
    FanOutEdge,
    NodeDefinition,
    NodeInfo,
    SwitchCase,
    SwitchEdge,
    WorkflowDefinition,
)

PARAMS = {
    "title": "Params",
    "type": "object",
    "properties": {
        "function": {
            "type": "string",
            "title": "Function",
            "description": "module:name of a Python function.",
        },
        "template": {
            "type": "string",
            "title": "Template",
            "format": "multiline",
            "default": "Hello {message}",
        },
        "retries": {
            "type": "integer",
            "title": "Retries",
            "minimum": 0,
            "maximum": 5,
            "default": 2,
        },
        "timeout": {
            "anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "null"}],
            "default": None,
        },
        "strict": {"type": "boolean", "title": "Strict", "default": False},
        "mode": {"$ref": "#/$defs/Mode", "default": "fast"},
        "tags": {"type": "array", "items": {"type": "string"}, "title": "Tags"},
        "retry_policy": {"$ref": "#/$defs/Retry"},
        "extra": {"title": "Extra"},
    },
    "required": ["function"],
    "$defs": {
        "Mode": {"enum": ["fast", "careful"], "type": "string", "title": "Mode"},
        "Retry": {
            "type": "object",
            "title": "Retry policy",
            "properties": {
                "wait": {"type": "number", "title": "Wait"},
                "jitter": {"type": "boolean", "title": "Jitter"},
            },
        },
    },
}

_TYPES = [
    ("input", "Input", "Start and output", "inp", "Where the input of a run enters."),
    ("output", "Output", "Start and output", "flag", "What the run gives back."),
    (
        "function",
        "Function",
        "Python",
        "code",
        "Calls a Python function with the message.",
    ),
    ("class", "Class", "Python", "box", "An executor class of your own."),
    ("table", "Table", "Data", "table", "Rows and columns."),
    ("filter", "Filter", "Data", "filter", "Passes on what matches."),
    ("template", "Text template", "Data", "text", "Fills in a text."),
    ("http", "HTTP request", "HTTP and AI", "globe", "Asks a server."),
    ("model", "Model call", "HTTP and AI", "model", "Asks a language model."),
    ("ask", "Ask a person", "Human", "person", "Waits for an answer."),
    ("switch", "Switch", "Flow", "switch", "Chooses one way."),
]


def infos() -> list[NodeInfo]:
    return [
        NodeInfo(
            type=type_,
            title=title,
            category=category,
            icon=icon,
            description=text,
            params_schema=PARAMS if type_ == "function" else {},
            figure="diamond" if type_ == "switch" else "box",
        )
        for type_, title, category, icon, text in _TYPES
    ]


def design() -> Design:
    """The licence audit of the pictures, small: a fan-out, a join, a switch."""
    nodes = [
        ("scan", "function", "Installed packages"),
        ("classify", "function", "Classify licences"),
        ("rank", "function", "Rank by reach"),
        ("age", "function", "Age check"),
        ("route", "switch", "Route by licence"),
        ("ask", "ask", "Ask a person"),
        ("report", "template", "Write report"),
    ]
    params = {
        "function": "licences:classify",
        "retries": 3,
        "tags": ["audit", "nightly"],
    }
    cases = (
        SwitchCase(
            name="copyleft",
            when='message.licence in ["GPL-3.0", "AGPL-3.0"]',
            target="ask",
        ),
        SwitchCase(
            name="unknown",
            when='message.licence == ""\n  || message.confidense < 0.6',
            target="ask",
        ),
    )
    workflow = WorkflowDefinition(
        name="licence_audit",
        description="Which licences does this machine depend on?",
        start="scan",
        nodes=tuple(
            NodeDefinition(
                id=i, type=t, name=n, params=params if i == "classify" else {}
            )
            for i, t, n in nodes
        ),
        edges=(
            FanOutEdge(id="fan", source="scan", targets=("classify", "rank", "age")),
            FanInEdge(id="join", sources=("classify", "rank", "age"), target="route"),
            SwitchEdge(id="switch", source="route", cases=cases, default="report"),
            DirectEdge(
                id="ask->report",
                source="ask",
                target="report",
                condition="message.size > 1",
            ),
        ),
    )
    return Design(
        workflow=workflow,
        positions={
            node[0]: (at * 200.0, at % 3 * 100.0) for at, node in enumerate(nodes)
        },
    )


def value(data: Any) -> Value:
    """A made-up tree of plain data, sent whole."""
    if isinstance(data, dict):
        children = tuple((str(key), value(item)) for key, item in data.items())
        return Value(
            type="dict", text=f"{len(data)} items", count=len(data), children=children
        )
    if isinstance(data, list):
        children = tuple((str(at), value(item)) for at, item in enumerate(data))
        return Value(
            type="list", text=f"{len(data)} items", count=len(data), children=children
        )
    return Value(type="None" if data is None else type(data).__name__, text=repr(data))


ANSWER = {
    "title": "Decision",
    "type": "object",
    "properties": {
        "verdict": {"enum": ["approve", "replace", "block"], "title": "Verdict"},
        "reason": {"type": "string", "title": "Reason", "minLength": 1},
    },
    "required": ["verdict"],
    "if": {
        "properties": {"verdict": {"enum": ["replace", "block"]}},
        "required": ["verdict"],
    },
    "then": {"required": ["reason"]},
}


def request(
    id_: str = "r1",
    title: str = "May these packages ship?",
    superstep: int = 5,
    **schema: Any,
) -> RequestMoment:
    data = value(
        {"packages": ["readline-ext GPL-3.0", "mapserve AGPL-3.0", "oldzip no licence"]}
    )
    return RequestMoment(
        id=id_,
        executor="ask",
        title=title,
        superstep=superstep,
        data=data,
        schema=schema or ANSWER,
    )


def join(**changes: Any) -> JoinMoment:
    """The half-full join of the pictures."""
    report = Value(type="LicenceReport", text="412 packages, 9 unknown", count=2)
    dated = Value(type="AgeReport", text="396 dated", count=1)
    undated = Value(type="AgeReport", text="16 undated", count=1)
    why = "silent since the join fired in superstep 3"
    both = "all are taken together when the join fires"
    values: dict[str, Any] = {
        "edge": "join",
        "target": "route",
        "policy": "all",
        "sources": (
            JoinSource(id="classify", have=1, need=1, since=6, messages=(report,)),
            JoinSource(id="rank", have=0, need=1, reason=why),
            JoinSource(
                id="age",
                have=2,
                need=1,
                since=6,
                reason=both,
                messages=(dated, undated),
            ),
        ),
        "missing": ("rank",),
        "held": 3,
        "preview": (
            "All messages held are taken in source order and delivered to Route by licence as one list.",
            "Superstep 8 at the earliest.",
        ),
    }
    return JoinMoment(**{**values, **changes})


STATE = {
    "packages": [
        {"name": "rich", "licence": "MIT"},
        {"name": "networkx", "licence": "BSD-3-Clause"},
    ],
    "started": "2024-05-01T12:00:00",
    "counts": {"MIT": 210, "GPL-3.0": 3, "": 9},
    "threshold": 0.6,
    "dry_run": True,
}


def moment(superstep: int = 6, **changes: Any) -> Moment:
    header = Header(
        id=f"c{superstep}",
        run_id="run",
        workflow="licence_audit",
        superstep=superstep,
        cause=Cause.SUPERSTEP,
    )
    values: dict[str, Any] = {
        "header": header,
        "superstep": superstep,
        "nodes": {
            "scan": NodeMoment(state="done", detail="s5 · 1.2 s"),
            "classify": NodeMoment(state="ran", detail="640 ms"),
            "rank": NodeMoment(state="next", detail="s7"),
            "age": NodeMoment(state="ran", detail="96 ms"),
            "route": NodeMoment(state="waiting", detail="2 of 3"),
            "ask": NodeMoment(state="asking"),
            "report": NodeMoment(),
        },
        "joins": (join(),),
        "requests": (
            request(),
            request("r2", "Is the MIT text enough?", 4, type="string"),
        ),
        "messages": (
            MessageMoment(
                where="queued",
                source="scan",
                target="rank",
                section="queue:0",
                data=value({"graph": [1, 2, 3]}),
            ),
            MessageMoment(
                where="buffered",
                source="classify",
                target="route",
                edge="join",
                section="held:0",
                data=value(["a", "b"]),
            ),
            MessageMoment(
                where="buffered",
                source="age",
                target="route",
                edge="join",
                section="held:1",
                data=value(16),
            ),
        ),
        "outputs": (("report", value("# Report")),),
        "state": value(STATE),
        "executors": value(
            {
                "scan": {"runs": 2, "state": {"seen": 412}},
                "classify": {"runs": 1, "state": {}},
            }
        ),
    }
    values |= changes
    values["sections"] = {name: values.pop(name) for name in ("state", "executors")}
    return Moment(**values)
