"""Hostile cases: what lies in a folder, and the command that looks at it. The same seed
gives the same cases.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any

from tests.hostile.things import (
    BOMBS,
    DEPTHS,
    MARK,
    PICTURES,
    PYTHON,
    TABLES,
    THINGS,
    dumped,
    evil_database,
    nested_text,
    odd_values,
)

EXAMPLES = Path(__file__).parents[2] / "resources" / "examples"
FILE = "flow.stepwell.json"
COMMANDS = [
    ["check", FILE],
    ["check", FILE, "--json"],
    ["export", FILE, "--to", "mermaid"],
    ["export", FILE, "--to", "dot"],
    ["export", FILE, "--to", "svg", "-o", "out.svg"],
    ["export", FILE, "--to", "python"],
    ["export", FILE, "--to", "schema"],
    ["layout", FILE, "--json"],
    ["layout", FILE, "--kind", "tidy", "--json"],
]


@dataclass(frozen=True, slots=True)
class Case:
    """`make` fills an empty folder; `arguments` are for the command in it. `told` must
    be in what it says if it fails: the name of what is refused.
    """

    name: str
    make: Callable[[Path], object]
    arguments: list[str]
    told: str = ""


def cases(seed: int, number: int) -> list[Case]:
    """So many cases, of all families alike."""
    chance = random.Random(seed)  # noqa: S311 - to be repeated, not to be secret
    families = [family(chance) for family in FAMILIES]
    turns = (next(families[turn % len(families)]) for turn in count())
    return list(islice(turns, number))


def document(**more: Any) -> dict[str, Any]:
    nodes = [
        {"id": "a", "type": "input"},
        {"id": "b", "type": "python_function", "params": {"function": "module:f"}},
        {"id": "c", "type": "template", "params": {"text": "{message}"}},
        {"id": "d", "type": "output"},
    ]
    edges = [
        {"id": "ab", "kind": "direct", "source": "a", "target": "b"},
        {
            "id": "bc",
            "kind": "direct",
            "source": "b",
            "target": "c",
            "condition": "message == 1",
        },
        {"id": "cd", "kind": "direct", "source": "c", "target": "d"},
    ]
    return {
        "format": 1,
        "workflow": {
            "name": "w",
            "start": "a",
            "input": 1,
            "nodes": nodes,
            "edges": edges,
            **more,
        },
    }


def put(folder: Path, content: Any, name: str = FILE) -> None:
    (folder / name).write_bytes(
        content if isinstance(content, bytes) else dumped(content)
    )
    if not (folder / "module.py").exists():
        (folder / "module.py").write_text(MARK)


def command(chance: random.Random) -> list[str]:
    return list(chance.choice(COMMANDS))


# --- families: each yields cases without end --------------------------------------------------------------------------


def things_as_documents(chance: random.Random) -> Iterator[Case]:
    while True:
        for name, make in THINGS.items():
            yield Case(
                f"the document is {name}",
                lambda folder, make=make: make(folder / FILE),
                command(chance),
                FILE,
            )


def things_as_children(chance: random.Random) -> Iterator[Case]:
    while True:
        for name, make in THINGS.items():

            def fill(folder: Path, make: Callable[[Path], object] = make) -> None:
                make(folder / "child.json")
                nodes = [
                    {
                        "id": "s",
                        "type": "sub_workflow",
                        "params": {"file": "child.json"},
                    }
                ]
                put(folder, document(start="s", nodes=nodes, edges=[]))

            yield Case(
                f"the file of a sub-workflow is {name}",
                fill,
                command(chance),
                "child.json",
            )


def things_as_modules(chance: random.Random) -> Iterator[Case]:
    while True:
        for name, make in THINGS.items():
            where = chance.choice(
                [
                    "module.py",
                    "nodes/thing.py",
                    "nodes",
                    "module",
                    "nodes/__init__.py",
                    "os.py",
                ]
            )

            def fill(
                folder: Path, make: Callable[[Path], object] = make, where: str = where
            ) -> None:
                (folder / where).parent.mkdir(exist_ok=True)
                make(folder / where)
                if where == "module":
                    (folder / "module.py").write_text(MARK)
                put_beside(folder)

            yield Case(f"{where} is {name}", fill, _or_nodes(chance))


def put_beside(folder: Path) -> None:
    nodes = [
        {"id": "a", "type": "python_function", "params": {"function": "module:f"}},
        {"id": "b", "type": "nodes.thing:thing"},
        {"id": "c", "type": "read_file", "params": {"path": "module.py"}},
    ]
    edges = [
        {
            "id": "ab",
            "kind": "direct",
            "source": "a",
            "target": "b",
            "condition": "py:module:f",
        }
    ]
    (folder / FILE).write_bytes(
        dumped(
            document(start="a", nodes=nodes, edges=edges, reducers={"k": "module:f"})
        )
    )


def _or_nodes(chance: random.Random) -> list[str]:
    return chance.choice(
        [["nodes", "."], ["nodes", FILE, "--json"], command(chance), command(chance)]
    )


def hostile_modules(chance: random.Random) -> Iterator[Case]:
    while True:
        for text in PYTHON:

            def fill(folder: Path, text: str = text) -> None:
                (folder / "nodes").mkdir()
                for where in ("module.py", "nodes/thing.py", "nodes/f.py"):
                    (folder / where).write_text(text, errors="surrogatepass")
                for number in range(chance.choice([0, 0, 300])):
                    (folder / "nodes" / f"n{number}.py").symlink_to(
                        "nowhere" if number % 2 else f"n{number}.py"
                    )
                put_beside(folder)

            yield Case(f"a module of {text[:30]!r}", fill, _or_nodes(chance))


def deep_values(chance: random.Random) -> Iterator[Case]:
    places = [
        "input",
        "params",
        "extra",
        "layout",
        "field of a node",
        "field of an edge",
        "schema",
        "whole",
    ]
    while True:
        for depth in DEPTHS:
            place = chance.choice(places)
            style = chance.randrange(4)
            deep = nested_text(depth, style)

            def fill(folder: Path, place: str = place, deep: str = deep) -> None:
                whole = document()
                flow = whole["workflow"]
                target: dict[str, Any] = {
                    "input": flow,
                    "params": flow["nodes"][2]["params"],
                    "extra": whole,
                    "layout": whole.setdefault("layout", {}),
                    "field of a node": flow["nodes"][1],
                    "field of an edge": flow["edges"][1],
                    "schema": flow["nodes"][3].setdefault("params", {}),
                }.get(place, whole)
                key = {
                    "input": "input",
                    "params": "token",
                    "schema": "answer_schema",
                }.get(place, "deep")
                target[key] = "DEEP"
                if place == "whole":
                    text = deep
                else:
                    text = json.dumps(whole).replace('"DEEP"', deep)
                put(folder, text.encode())

            yield Case(
                f"{place} of depth {depth}, style {style}",
                fill,
                command(chance),
                FILE if depth > 110 else "",
            )


def deep_documents(chance: random.Random) -> Iterator[Case]:
    """Workflows in one another: inside, and by their files."""
    while True:
        for depth in (3, 15, 16, 17, 30, 59, 61, 200):
            inside = chance.random() < 0.5

            def fill(folder: Path, depth: int = depth, inside: bool = inside) -> None:
                if inside:
                    text = "DEEP"
                    level = document(
                        start="s",
                        nodes=[
                            {
                                "id": "s",
                                "type": "sub_workflow",
                                "params": {"inline": "DEEP"},
                            }
                        ],
                        edges=[],
                    )
                    for _ in range(depth):
                        if '"DEEP"' in text:
                            text = text.replace('"DEEP"', json.dumps(level))
                        else:
                            text = json.dumps(level)
                    put(folder, text.replace('"DEEP"', "null").encode())
                    return
                for number in range(depth + 1):
                    if number < depth:
                        file = f"{number + 1}.json"
                    else:
                        file = chance.choice([FILE, "0.json", f"{depth}.json"])
                    nodes = [
                        {"id": "s", "type": "sub_workflow", "params": {"file": file}}
                    ] * 1
                    put(
                        folder,
                        document(start="s", nodes=nodes, edges=[]),
                        f"{number}.json" if number else FILE,
                    )

            yield Case(
                f"{depth} workflows in one another, {'inside' if inside else 'files'}",
                fill,
                command(chance),
            )


def wide_children(chance: random.Random) -> Iterator[Case]:
    """Each workflow has the next one several times: the number of all of them is a
    power.
    """
    while True:
        for times, depth in ((2, 12), (2, 30), (3, 20), (10, 8), (4, 55)):

            def fill(folder: Path, times: int = times, depth: int = depth) -> None:
                for number in range(depth):
                    nodes: list[dict[str, Any]] = [
                        {
                            "id": f"s{at}",
                            "type": "sub_workflow",
                            "params": {"file": f"{number + 1}.json"},
                        }
                        for at in range(times)
                    ]
                    edges = [
                        {
                            "id": f"e{at}",
                            "kind": "direct",
                            "source": f"s{at}",
                            "target": f"s{at + 1}",
                        }
                        for at in range(times - 1)
                    ]
                    put(
                        folder,
                        document(start="s0", nodes=nodes, edges=edges),
                        f"{number}.json" if number else FILE,
                    )
                put(folder, document(), f"{depth}.json")

            yield Case(f"{times} children each, {depth} deep", fill, command(chance))


def hostile_conditions(chance: random.Random) -> Iterator[Case]:
    while True:
        for bomb in BOMBS:

            def fill(folder: Path, bomb: str = bomb) -> None:
                nodes = [
                    {"id": key, "type": "log", "params": {"text": bomb}}
                    for key in "abcdef"
                ]
                nodes += [
                    {
                        "id": "j",
                        "type": "json_transform",
                        "params": {"expression": bomb},
                    },
                    {
                        "id": "r",
                        "type": "reduce",
                        "params": {
                            "by": "expression",
                            "expression": bomb,
                            "items": bomb,
                        },
                    },
                    {
                        "id": "q",
                        "type": "ask",
                        "params": {
                            "question": bomb,
                            "answer_schema": {"pattern": bomb},
                        },
                    },
                    {"id": "fr", "type": "filter_rows", "params": {"condition": bomb}},
                    {
                        "id": "h",
                        "type": "http_request",
                        "params": {"url": bomb, "headers": {"x": bomb}},
                    },
                    {
                        "id": "sq",
                        "type": "sql_query",
                        "params": {"database": bomb, "statement": bomb},
                    },
                ]
                edges: list[dict[str, Any]] = [
                    {"id": "1", "kind": "direct", "source": "a", "target": "b", "condition": bomb},
                    {"id": "2", "kind": "switch", "source": "b", "default": "c",
                     "cases": [{"when": bomb, "target": key} for key in "cdef"]},
                    {"id": "3", "kind": "multi_selection", "source": "c",
                     "selections": [{"when": bomb, "target": key} for key in "def"]},
                    {"id": "4", "kind": "fan_in", "sources": ["d", "e"], "target": "f", "condition": bomb},
                ]  # fmt: skip
                put(folder, document(input=["a" * 50] * 500, nodes=nodes, edges=edges))

            yield Case(f"a condition of {bomb[:30]!r}", fill, command(chance))


def mutated_examples(chance: random.Random) -> Iterator[Case]:
    texts = {
        path: json.loads(path.read_bytes())
        for path in sorted(EXAMPLES.glob("*/*.stepwell.json"))
    }
    while True:
        path = chance.choice(list(texts))
        whole = copy.deepcopy(texts[path])
        for _ in range(chance.choice([1, 1, 2, 5])):
            _mutate(whole, chance)
        yield Case(
            f"{path.name}, changed",
            lambda folder, whole=whole: put(folder, whole),
            command(chance),
        )


def _mutate(whole: Any, chance: random.Random) -> None:
    """Replace, remove, double or add something at a random place."""
    value = whole
    way = 0
    while isinstance(value, dict | list) and value:
        key = chance.choice(
            list(value) if isinstance(value, dict) else range(len(value))
        )
        way += 1
        inner = value[key]
        if (
            not isinstance(inner, dict | list)
            or not inner
            or chance.random() < 0.15 * way
        ):
            match chance.randrange(4):
                case 0 if isinstance(value, dict):
                    del value[key]
                case 1 if isinstance(value, list):
                    value *= chance.choice([2, 50])
                case 2 if isinstance(value, dict):
                    value[str(odd_values(chance))[:200]] = odd_values(chance)
                case _:
                    value[key] = odd_values(chance)
            return
        value = inner


def hostile_graphs(chance: random.Random) -> Iterator[Case]:
    while True:
        for size, shape in (
            (3_000, "line"),
            (300, "all to all"),
            (60, "ladder"),
            (2_000, "star"),
            (400, "circle"),
        ):
            kind = chance.choice(["direct", "fan_out", "fan_in", "switch"])

            def fill(
                folder: Path, size: int = size, shape: str = shape, kind: str = kind
            ) -> None:
                nodes = [
                    {
                        "id": f"n{n}",
                        "type": chance.choice(["log", "collect", "switch", "x"]),
                    }
                    for n in range(size)
                ]
                put(
                    folder,
                    document(
                        start="n0", nodes=nodes, edges=list(_edges(size, shape, kind))
                    ),
                )

            yield Case(f"{size} nodes, {shape}, {kind}", fill, command(chance))


def _edges(size: int, shape: str, kind: str) -> Iterator[dict[str, Any]]:
    pairs = {
        "line": [(n, n + 1) for n in range(size - 1)],
        "all to all": [(a, b) for a in range(60) for b in range(60)],
        "ladder": [(n, n + 1) for n in range(size - 1)]
        + [(n, n + 2) for n in range(size - 2)],
        "star": [(0, n) for n in range(size)] + [(n, 0) for n in range(size)],
        "circle": [(n, (n + 1) % size) for n in range(size)] * 2,
    }[shape]
    if kind == "direct":
        yield from (
            {"kind": "direct", "source": f"n{a}", "target": f"n{b}"} for a, b in pairs
        )
        return
    ends: dict[int, list[str]] = {}
    for a, b in pairs:
        ends.setdefault(b if kind == "fan_in" else a, []).append(
            f"n{a if kind == 'fan_in' else b}"
        )
    for end, others in ends.items():
        match kind:
            case "fan_out":
                yield {"kind": kind, "source": f"n{end}", "targets": others}
            case "fan_in":
                yield {"kind": kind, "sources": others, "target": f"n{end}"}
            case _:
                cases = [{"when": "message == 1", "target": other} for other in others]
                yield {
                    "kind": kind,
                    "source": f"n{end}",
                    "cases": cases,
                    "default": others[0],
                }


def hostile_pictures(chance: random.Random) -> Iterator[Case]:
    while True:
        for name, make in PICTURES.items():
            file = name.split(" ")[0]
            arguments = [
                "export",
                file,
                "--to",
                chance.choice(["python", "mermaid", "svg"]),
                "-o",
                "out.txt",
            ]
            yield Case(
                name,
                lambda folder, make=make, file=file: (folder / file).write_bytes(
                    make()
                ),
                arguments,
                file,
            )
        for name, make in THINGS.items():
            file = chance.choice(["p.png", "p.svg", "p.pdf"])
            arguments = ["export", file, "--to", "mermaid"]
            yield Case(
                f"{file} is {name}",
                lambda folder, make=make, file=file: make(folder / file),
                arguments,
                file,
            )


def hostile_stores(chance: random.Random) -> Iterator[Case]:
    record = "0000000000000001.run.a.record"
    places = [
        "runs/stepwell-store.json",
        f"runs/records/{record}",
        "runs/records",
        "runs/parts",
        "runs/lock",
        "runs",
    ]
    while True:
        for name, make in THINGS.items():
            where = chance.choice(places)

            def fill(
                folder: Path, make: Callable[[Path], object] = make, where: str = where
            ) -> None:
                if where != "runs":
                    (folder / "runs").mkdir()
                    for inner in ("records", "parts"):
                        if where != f"runs/{inner}":
                            (folder / "runs" / inner).mkdir()
                    if where != "runs/stepwell-store.json":
                        mark = {"holds": "stepwell checkpoints", "format": 1}
                        (folder / "runs" / "stepwell-store.json").write_bytes(
                            dumped(mark)
                        )
                make(folder / where)

            arguments = chance.choice(
                [
                    ["timeline", "dir:runs"],
                    ["show", "dir:runs", "latest"],
                    ["timeline", "dir:runs", "--json"],
                ]
            )
            yield Case(f"{where} is {name}", fill, list(arguments))
        for statement in TABLES:
            arguments = chance.choice(
                [["timeline", "sqlite:runs.db"], ["show", "sqlite:runs.db", "latest"]]
            )
            yield Case(
                f"runs.db with {statement[:60]}",
                lambda folder, statement=statement: evil_database(
                    folder / "runs.db", statement
                ),
                list(arguments),
            )
        for name, make in THINGS.items():
            arguments = ["timeline", "sqlite:runs.db"]
            yield Case(
                f"runs.db is {name}",
                lambda folder, make=make: make(folder / "runs.db"),
                arguments,
            )


def hostile_arguments(chance: random.Random) -> Iterator[Case]:
    """JSON that is typed. A run that gets as far as to begin is one of no code."""
    while True:
        for depth in DEPTHS:
            deep = nested_text(min(depth, 30_000), chance.randrange(4))
            nodes = [{"id": "a", "type": "input"}, {"id": "d", "type": "output"}]
            edges = [{"id": "ad", "kind": "direct", "source": "a", "target": "d"}]
            flow = document(nodes=nodes, edges=edges)
            arguments = chance.choice(
                [
                    ["run", FILE, "--input", deep],
                    ["run", FILE, "--answer", f"x={deep}"],
                    ["run", FILE, "--input", "\udcff" + deep],
                ]
            )
            yield Case(
                f"typed JSON of depth {depth}",
                lambda folder, flow=flow: put(folder, flow),
                list(arguments),
            )


def crowded_folders(chance: random.Random) -> Iterator[Case]:
    while True:
        for kind in ("links up", "many files", "long names", "links into the system"):

            def fill(folder: Path, kind: str = kind) -> None:
                nodes = folder / "nodes"
                nodes.mkdir()
                match kind:
                    case "links up":
                        (nodes / "up.py").symlink_to("..")
                        (folder / "up").symlink_to(".")
                    case "many files":
                        for number in range(3_000):
                            (nodes / f"n{number}.py").write_text(
                                f"def n{number}(message): ...\n"
                            )
                    case "long names":
                        for number in range(50):
                            (
                                nodes / f"{chr(97 + number % 26)}{'x' * 240}{number}.py"
                            ).write_text("def f(message): ...")
                    case _:
                        for number, name in enumerate(
                            sorted(path.name for path in Path("/dev").iterdir())[:40]
                        ):
                            (nodes / f"d{number}.py").symlink_to(f"/dev/{name}")
                put_beside(folder)

            yield Case(f"a folder of {kind}", fill, _or_nodes(chance))


FAMILIES: list[Callable[[random.Random], Iterator[Case]]] = [
    things_as_documents,
    things_as_children,
    things_as_modules,
    hostile_modules,
    deep_values,
    deep_documents,
    wide_children,
    hostile_conditions,
    mutated_examples,
    mutated_examples,
    hostile_graphs,
    hostile_pictures,
    hostile_stores,
    hostile_arguments,
    crowded_folders,
]
