"""Twelve workflows with a fault in each, as somebody makes them by mistake.

`right` is the output without the fault. `Planted.write` puts the document, and the
files that belong to it, into a folder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Fields = dict[str, Any]


@dataclass(frozen=True)
class Planted:
    """A workflow with a fault. `files` are further files of its folder, by name."""

    name: str
    nodes: Sequence[Fields]
    edges: Sequence[Fields]
    input: Any
    right: Any
    files: Mapping[str, str] = field(default_factory=dict)
    workflow: Fields = field(default_factory=dict)

    def write(self, folder: Path) -> Path:
        """Write the document and its files. Return the path of the document."""
        for name, text in self.files.items():
            (folder / name).write_text(text, "utf-8")
        workflow = {
            "name": self.name,
            "start": self.nodes[0]["id"],
            "input": self.input,
            "nodes": list(self.nodes),
            "edges": list(self.edges),
            **self.workflow,
        }
        path = folder / f"{self.name}.stepwell.json"
        path.write_text(json.dumps({"format": 1, "workflow": workflow}), "utf-8")
        return path


def node(node_id: str, node_type: str, **params: Any) -> Fields:
    return {"id": node_id, "type": node_type, "params": params}


def call(node_id: str, function: str) -> Fields:
    return node(node_id, "python_function", function=f"work:{function}")


def wire(source: str, target: str, condition: str = "") -> Fields:
    edge = {
        "id": f"{source}-{target}",
        "kind": "direct",
        "source": source,
        "target": target,
    }
    return edge | ({"condition": condition} if condition else {})


def fan_out(source: str, *targets: str) -> Fields:
    return {"id": "out", "kind": "fan_out", "source": source, "targets": targets}


def join(target: str, *sources: str, policy: str = "all") -> Fields:
    return {
        "id": "join",
        "kind": "fan_in",
        "sources": sources,
        "target": target,
        "policy": policy,
    }


START = node("start", "input")
END = node("end", "output")

# The condition to the second reviewer asks for another kind than the message has, so
# that branch gets nothing, and nobody says so.
LOST_BRANCH = Planted(
    "lost_branch",
    nodes=[
        START,
        node("law", "json_transform", expression="'law: ' + message.text"),
        node("press", "json_transform", expression="'press: ' + message.text"),
        END,
    ],
    edges=[
        wire("start", "law"),
        wire("start", "press", "message.kind == 'Public'"),
        wire("law", "end"),
        wire("press", "end"),
    ],
    input={"kind": "public", "text": "ship it"},
    right=["law: ship it", "press: ship it"],
)

# The price is read from the state under the key of the round before.
STALE_ANSWER = Planted(
    "stale_answer",
    nodes=[
        START,
        node("old", "set_state", key="price", value="message.price"),
        node("raise", "json_transform", expression="{'price': message.price * 2}"),
        node("new", "set_state", key="new_price", value="message.price"),
        node("read", "get_state", key="price"),
        END,
    ],
    edges=[
        wire("start", "old"),
        wire("old", "raise"),
        wire("raise", "new"),
        wire("new", "read"),
        wire("read", "end"),
    ],
    input={"price": 21},
    right=[42],
)

# Large amounts take the way of small ones.
SWAPPED_CASE = Planted(
    "swapped_case",
    nodes=[
        START,
        node("boss", "json_transform", expression="'boss signs ' + string(message)"),
        node("clerk", "json_transform", expression="'clerk signs ' + string(message)"),
        END,
    ],
    edges=[
        {
            "id": "by-amount",
            "kind": "switch",
            "source": "start",
            "cases": [{"name": "large", "when": "message < 1000", "target": "boss"}],
            "default": "clerk",
        },
        wire("boss", "end"),
        wire("clerk", "end"),
    ],
    input=5000,
    right=["boss signs 5000"],
)

# The join fires on the first of its messages, and the second comes a superstep later.
LATE_MESSAGE = Planted(
    "late_message",
    nodes=[
        START,
        node("quick", "json_transform", expression="message + 1"),
        node("slow", "json_transform", expression="message + 10"),
        node("slower", "json_transform", expression="message + 100"),
        node("sum", "json_transform", expression="message"),
        END,
    ],
    edges=[
        fan_out("start", "quick", "slow"),
        wire("slow", "slower"),
        join("sum", "quick", "slower", policy="any"),
        wire("sum", "end"),
    ],
    input=0,
    right=[[1, 110]],
)

# Two executors write different values to one key in one superstep.
STATE_CONFLICT = Planted(
    "state_conflict",
    nodes=[
        START,
        node("ann", "set_state", key="vote", value="'yes'"),
        node("bob", "set_state", key="vote_bob", value="'no'"),
        node("cid", "set_state", key="vote", value="'no'"),
        END,
    ],
    edges=[
        fan_out("start", "ann", "bob", "cid"),
        wire("ann", "end"),
        wire("bob", "end"),
        wire("cid", "end"),
    ],
    input="plan",
    right=["plan", "plan", "plan"],
)

# A join waits for both ways of a switch, and only one is ever taken.
STARVED_JOIN = Planted(
    "starved_join",
    nodes=[
        START,
        node("cheap", "json_transform", expression="'cheap'"),
        node("dear", "json_transform", expression="'dear'"),
        node("report", "json_transform", expression="message"),
        END,
    ],
    edges=[
        {
            "id": "by-price",
            "kind": "switch",
            "source": "start",
            "cases": [{"name": "dear", "when": "message > 100", "target": "dear"}],
            "default": "cheap",
        },
        join("report", "cheap", "dear"),
        wire("report", "end"),
    ],
    input=7,
    right=[["cheap"]],
)

# The votes are multiplied instead of added.
WRONG_REDUCER = Planted(
    "wrong_reducer",
    nodes=[
        START,
        node("ann", "set_state", key="total", value="2"),
        node("bob", "set_state", key="total", value="3"),
        node("wait", "json_transform", expression="message"),
        node("read", "get_state", key="total"),
        END,
    ],
    edges=[
        fan_out("start", "ann", "bob"),
        join("wait", "ann", "bob"),
        wire("wait", "read"),
        wire("read", "end"),
    ],
    input="count",
    right=[5],
    workflow={"reducers": {"total": "operator:mul"}},
)

# The way out asks for a number that the loop jumps over.
ENDLESS_LOOP = Planted(
    "endless_loop",
    nodes=[START, node("grow", "json_transform", expression="message + 2"), END],
    edges=[
        wire("start", "grow"),
        {
            "id": "way-out",
            "kind": "switch",
            "source": "grow",
            "cases": [{"name": "done", "when": "message == 9", "target": "end"}],
            "default": "grow",
        },
    ],
    input=0,
    right=[10],
)

# A handler keeps its list over calls, so a second message meets the first one's rows.
ALIASING_HANDLER = Planted(
    "aliasing_handler",
    nodes=[START, call("gather", "gather"), call("again", "gather"), END],
    edges=[wire("start", "gather"), wire("gather", "again"), wire("again", "end")],
    input=["a"],
    right=[["a", "seen", "seen"]],
    files={
        "work.py": (
            "def gather(message: list, rows=[]) -> list:\n"
            "    rows.extend(message)\n"
            "    rows.append('seen')\n"
            "    return list(rows)\n"
        )
    },
)

# Somebody changed the file of the sub-workflow, and made a mistake in it.
CHANGED_CHILD = Planted(
    "changed_child",
    nodes=[
        START,
        node("ask", "ask", question="Go on?"),
        node("price", "sub_workflow", file="price.stepwell.json"),
        END,
    ],
    edges=[wire("start", "ask"), wire("ask", "price"), wire("price", "end")],
    input=100,
    right=["price of the plan"],
    files={
        "price.stepwell.json": json.dumps(
            {
                "format": 1,
                "workflow": {
                    "name": "price",
                    "start": "take",
                    "nodes": [
                        node("take", "input"),
                        node(
                            "tell",
                            "json_transform",
                            expression="'prise of the plan'",
                        ),
                        node("give", "output"),
                    ],
                    "edges": [wire("take", "tell"), wire("tell", "give")],
                },
            }
        )
    },
)

# A number goes to a function that takes only texts.
TYPE_DROP = Planted(
    "type_drop",
    nodes=[START, call("count", "count"), call("shout", "shout"), END],
    edges=[wire("start", "count"), wire("count", "shout"), wire("shout", "end")],
    input="word",
    right=["4!"],
    files={
        "work.py": (
            "def count(text: str):\n"
            "    return len(text)\n\n\n"
            "def count_in_words(text: str) -> str:\n"
            "    return str(len(text))\n\n\n"
            "def shout(text: str) -> str:\n"
            "    return text + '!'\n"
        )
    },
)

# The condition names a field that the message does not have.
FAILING_CONDITION = Planted(
    "failing_condition",
    nodes=[START, node("rate", "json_transform", expression="{'score': 7}"), END],
    edges=[wire("start", "rate"), wire("rate", "end", "message.scroe > 3")],
    input="essay",
    right=[{"score": 7}],
)

PLANTED = (
    LOST_BRANCH,
    STALE_ANSWER,
    SWAPPED_CASE,
    LATE_MESSAGE,
    STATE_CONFLICT,
    STARVED_JOIN,
    WRONG_REDUCER,
    ENDLESS_LOOP,
    ALIASING_HANDLER,
    CHANGED_CHILD,
    TYPE_DROP,
    FAILING_CONDITION,
)
