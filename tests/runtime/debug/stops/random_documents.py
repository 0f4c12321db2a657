"""Random documents: loops, fan-outs, joins, failures with retries and error edges,
questions, written keys, and sub-workflows inside. Handlers are pure.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

MODULE = "stepwell_law_steps"
CODE = """
def number(message):
    return message if isinstance(message, int) else len(str(message))

async def mix(message):
    return (number(message) * 7 + 3) % 101

def mix_in_thread(message):
    return (number(message) * 5 + 1) % 101

async def fail_for_some(message):
    if number(message) % 4 == 1:
        raise ValueError(f"cannot take {message}")
    return number(message) + 2

async def total(messages):
    return sum(map(number, messages))
"""
SUPERSTEPS = 6
_FUNCTIONS = ("mix", "mix_in_thread", "fail_for_some")
_KINDS = ("mix", "mix", "mix", "mix_in_thread", "fail_for_some", "keep", "ask")
Workflow = dict[str, Any]


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    return {"format": 1, "workflow": draw(_workflows())}


@st.composite
def _workflows(draw: st.DrawFn, prefix: str = "", *, nested: bool = True) -> Workflow:
    size = draw(st.integers(3, 6))
    names = [f"{prefix}{number}" for number in range(size)]
    kinds = [draw(st.sampled_from(_KINDS)) for _ in names]
    if nested and draw(st.booleans()):
        kinds[1] = "sub"
    nodes = [_node(draw, name, kind) for name, kind in zip(names, kinds, strict=True)]
    kind_of = dict(zip(names, kinds, strict=True))
    edges: list[dict[str, Any]] = []
    for at in range(1, size):
        source = names[draw(st.integers(0, at - 1))]
        edges.append(_direct(draw, source, names[at], kind_of[source]))
    pairs = {(edge["source"], edge["target"]) for edge in edges}
    if draw(st.booleans()):
        _add_loop(draw, edges, pairs, kind_of)
    if draw(st.booleans()):
        _add_join(draw, nodes, edges, names, f"{prefix}join")
    for name, kind in kind_of.items():
        if kind == "fail_for_some" and draw(st.booleans()):
            edges.append(_edge("on_error", name, f"{prefix}told"))
            nodes.append(_node(draw, f"{prefix}told", "mix"))
            break
    nodes.append({"id": f"{prefix}end", "type": "output", "params": {}})
    last = names[-1]
    edges.append(_edge("direct", last, f"{prefix}end"))
    return {
        "name": "law",
        "start": names[0],
        "input": draw(st.integers(0, 20)),
        "nodes": nodes,
        "edges": edges,
        "max_supersteps": SUPERSTEPS,
    }


def _node(draw: st.DrawFn, name: str, kind: str) -> dict[str, Any]:
    match kind:
        case "keep":
            params = {"key": f"k{name}", "value": "message"}
            return {"id": name, "type": "set_state", "params": params}
        case "ask":
            params = {"question": "{message}?", "free_text": True}
            return {"id": name, "type": "ask", "params": params}
        case "sub":
            inner = draw(_workflows(f"{name}i", nested=False))
            params = {"inline": {"format": 1, "workflow": inner}}
            return {"id": name, "type": "sub_workflow", "params": params}
    node: dict[str, Any] = {
        "id": name,
        "type": "python_function",
        "params": {"function": f"{MODULE}:{kind}"},
    }
    if kind == "fail_for_some" and draw(st.booleans()):
        node["retry"] = {"attempts": 2, "backoff": 0}
    return node


def _edge(kind: str, source: str, target: str, **more: Any) -> dict[str, Any]:
    name = f"{source}-{kind}-{target}"
    return {"id": name, "kind": kind, "source": source, "target": target, **more}


def _direct(draw: st.DrawFn, source: str, target: str, kind: str) -> dict[str, Any]:
    condition = ""
    if kind in _FUNCTIONS and draw(st.booleans()):
        condition = f"message % 3 != {draw(st.integers(0, 2))}"
    return _edge("direct", source, target, condition=condition)


def _add_loop(
    draw: st.DrawFn,
    edges: list[dict[str, Any]],
    pairs: set[tuple[str, str]],
    kind_of: dict[str, str],
) -> None:
    functions = [name for name, kind in kind_of.items() if kind in _FUNCTIONS]
    if not functions:
        return
    source = draw(st.sampled_from(functions))
    target = draw(st.sampled_from([*kind_of]))
    if (source, target) not in pairs:
        edges.append(_edge("direct", source, target, condition="message % 2 == 0"))


def _add_join(
    draw: st.DrawFn,
    nodes: list[dict[str, Any]],
    edges: list[dict[str, Any]],
    names: list[str],
    join: str,
) -> None:
    nodes.append(_node(draw, join, "total"))
    sources = draw(st.permutations(names))[:2]
    policy = draw(st.sampled_from(["all", "zip", "any"]))
    edges.append(
        {
            "id": f"to-{join}",
            "kind": "fan_in",
            "sources": sources,
            "target": join,
            "policy": policy,
        }
    )


def places(workflow: Workflow) -> list[tuple[tuple[str, ...], str, str]]:
    """Return all elements as (sub-workflows that lead to it, "node" or "edge", id)."""
    found: list[tuple[tuple[str, ...], str, str]] = []
    for node in workflow["nodes"]:
        found.append(((), "node", node["id"]))
        if node["type"] == "sub_workflow":
            inner = node["params"]["inline"]["workflow"]
            found += [
                ((node["id"], *inside), kind, id_)
                for inside, kind, id_ in places(inner)
            ]
    return found + [((), "edge", edge["id"]) for edge in workflow["edges"]]
