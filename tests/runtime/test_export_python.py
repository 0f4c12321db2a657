"""A workflow exported as Python builds one with the signature of the document's,
whatever its texts are.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources import examples
from runtime.document.definition import (
    DirectEdge,
    EdgeDefinition,
    FanInEdge,
    FanOutEdge,
    MultiSelectionEdge,
    NodeDefinition,
    OnErrorEdge,
    RetryDefinition,
    Selection,
    SwitchCase,
    SwitchEdge,
    WorkflowDefinition,
)
from runtime.document.files import read_file
from runtime.errors import DefinitionError, WorkflowValidationError
from runtime.export.python import to_python
from runtime.stores.memory import MemoryStore
from tests.documents import build

HOSTILE = [
    "class",
    "print",
    "2. wenn < 50",
    "入力",
    'a"b',
    'a\'b"""',
    "two\nlines",
    "a\\",
    "parts",
    "ﬁ",
    "fi",
]
HOSTILE += [
    "__debug__",
    "x\u2028y",
    "{message}",
    "\x00",
    "a b",
    "a_b",
    "😀",
    "None",
    "builder",
    "#",
    "node",
    "'''",
    "match",
]
PARAMS: list[tuple[str, dict[str, Any]]] = [
    (
        "template",
        {
            "text": 'Dear {message},\n\nsee "this" \\ that\'s\r\nall. \'\'\' """ 確認 \x0c end'
        },
    ),
    ("json_transform", {"expression": 'message == "a\\"b"'}),
    ("switch", {}),
]
# What a child process prints for each program that it is given: the signature of what
# it builds.
CHILD = """
import json, runpy, sys
signatures = [runpy.run_path(path, run_name="exported")["workflow"].signature() for path in sys.argv[1:]]
print(json.dumps(signatures))
"""


def built_by(*programs: Path) -> list[str]:
    command = [sys.executable, "-c", CHILD, *map(str, programs)]
    done = subprocess.run(
        command, capture_output=True, check=True, cwd=Path(__file__).parents[2]
    )
    found: list[str] = json.loads(done.stdout)
    return found


def anything(chance: random.Random) -> WorkflowDefinition:
    """A workflow that can be built: a chain over hostile ids in any order, and edge
    groups of every kind over it.
    """
    ids = chance.sample(HOSTILE, chance.randint(3, len(HOSTILE)))
    nodes = [
        NodeDefinition(id=id, type=type, params=params)
        for id in ids
        for type, params in [chance.choice(PARAMS)]
    ]
    pairs = set(pairwise(ids))
    edges: list[EdgeDefinition] = [
        DirectEdge(
            id=f"{one} → {two}",
            source=one,
            target=two,
            condition=chance.choice(["", 'message != "\\n\'"']),
        )
        for one, two in sorted(pairs)
    ]
    for at in range(chance.randint(0, 6)):
        source, *targets = chance.sample(ids, chance.randint(3, min(5, len(ids))))
        edge = group(chance, f"{at} '\"\n", source, targets)
        if isinstance(edge, FanInEdge):
            new = {(edge.sources[0], edge.target)}
        else:
            new = {(source, one) for one in targets}
        if isinstance(edge, FanInEdge):
            new = {(one, edge.target) for one in edge.sources}
        if not pairs & new:
            pairs |= new
            edges.append(edge)
    for one, two in sorted(pairs)[: chance.randint(0, 2)]:
        edges.append(
            OnErrorEdge(
                id=f"!{one}→{two}",
                source=one,
                target=two,
                condition=chance.choice(["", "true"]),
            )
        )
    for at in range(chance.randint(0, 2)):
        retry = RetryDefinition(
            attempts=chance.randint(1, 9),
            backoff=chance.choice([0, 1.0, 1e-9]),
            jitter=0.5,
        )
        nodes[at] = nodes[at].model_copy(
            update={"retry": retry, "timeout": chance.choice([None, 0.0, 2.5])}
        )
    chance.shuffle(nodes)
    return WorkflowDefinition(
        name=chance.choice(HOSTILE),
        description='Several\nlines, \\ and "quotes".',
        start=ids[0],
        max_supersteps=chance.randint(1, 500),
        retry=chance.choice([None, RetryDefinition(factor=3)]),
        timeout=chance.choice([None, 0.0, 60.0]),
        input={"a": [1, None, True, 1e300, {"b": "c\nd"}]},
        nodes=nodes,
        edges=edges,
    )


def group(
    chance: random.Random, id_: str, source: str, targets: list[str]
) -> EdgeDefinition:
    match chance.randrange(4):
        case 0:
            return FanOutEdge(id=id_, source=source, targets=targets)
        case 1:
            policy = chance.choice(["all", "zip", "any", "count"])
            return FanInEdge(
                id=id_,
                sources=targets,
                target=source,
                policy=policy,
                count=2 * (policy == "count"),
            )
        case 2:
            cases = [
                SwitchCase(
                    name=chance.choice(["", 'n"\n']), when="message > 1", target=one
                )
                for one in targets[1:]
            ]
            return SwitchEdge(id=id_, source=source, cases=cases, default=targets[0])
        case _:
            chosen = [
                Selection(target=one, when=chance.choice(["", "message.size() > 2"]))
                for one in targets
            ]
            return MultiSelectionEdge(id=id_, source=source, selections=chosen)


def test_an_example_and_its_python_have_one_signature(tmp_path: Path) -> None:
    programs = []
    signatures = {}
    for example in examples():
        folder = tmp_path / example.name
        folder.mkdir()
        for module in example.path.parent.glob("*.py"):
            (folder / module.name).write_bytes(module.read_bytes())
        definition = read_file(example.path).workflow
        programs.append(folder / "exported.py")
        programs[-1].write_text(to_python(definition), "utf-8")
        signatures[example.name] = build(definition, folder=folder).signature()
    assert dict(zip(signatures, built_by(*programs), strict=True)) == signatures


def test_any_workflow_and_its_python_have_one_signature(tmp_path: Path) -> None:
    definitions = []
    signatures = []
    for seed in range(60):
        made = anything(random.Random(seed))  # noqa: S311 - a test's
        first, second, *rest = made.nodes
        if seed % 3 == 0:
            first = first.model_copy(update={"outputs": "none"})
        if seed % 4 == 0:
            second = second.model_copy(update={"off": "bypassed"})
        rules = {
            "nodes": (first, second, *rest),
            "state_conflicts": "last" if seed % 2 else "",
        }
        made = made.model_copy(update=rules)
        try:
            signatures.append(build(made).signature())
        except (DefinitionError, WorkflowValidationError):
            continue
        definitions.append(made)
    assert len(definitions) > 30
    programs = [tmp_path / f"w{at}.py" for at in range(len(definitions))]
    for program, made in zip(programs, definitions, strict=True):
        program.write_text(to_python(made), "utf-8")
    assert built_by(*programs) == signatures


def test_what_does_not_stand_in_the_signature_is_carried_over_too() -> None:
    made = anything(random.Random(1))  # noqa: S311 - a test's
    space: dict[str, Any] = {"__file__": __file__, "__name__": "exported"}
    exec(to_python(made), space)  # noqa: S102 - our own program
    workflow = space["workflow"]
    assert (
        workflow.name,
        workflow.description,
        workflow.max_iterations,
        space["INPUT"],
    ) == (
        made.name,
        made.description,
        made.max_supersteps,
        made.input,
    )
    assert [group.id for group in workflow.edge_groups] == [
        edge.id for edge in made.edges
    ]


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
    ),
)


@given(json_values, st.text())
def test_values_come_back_equal(value: Any, text: str) -> None:
    node = NodeDefinition(id="a", type="template", params={"text": "x"}, name=text)
    program = to_python(
        WorkflowDefinition(
            name=text, description=text, start="a", nodes=[node], input=value
        )
    )
    space: dict[str, Any] = {"__file__": __file__, "__name__": "exported"}
    exec(program, space)  # noqa: S102 - our own program
    assert json.dumps(space["INPUT"]) == json.dumps(value)
    assert space["workflow"].description == (text or None)
    program.encode("utf-8")


def test_a_value_that_is_nested_deeper_than_python_reads_comes_back_equal() -> None:
    value: Any = "deep"
    for _ in range(400):
        value = [value]
    node = NodeDefinition(id="a", type="template", params={"text": "x"})
    space: dict[str, Any] = {"__file__": __file__, "__name__": "exported"}
    exec(to_python(WorkflowDefinition(start="a", nodes=[node], input=value)), space)  # noqa: S102 - our own program
    assert space["INPUT"] == value


A = NodeDefinition(id="a", type="template")
B = NodeDefinition(id="b", type="template")


@pytest.mark.parametrize(
    ("definition", "words", "location"),
    [
        (WorkflowDefinition(nodes=[A]), "has no start", ""),
        (WorkflowDefinition(nodes=[A], start="c"), "'c' is not a node", "start"),
        (WorkflowDefinition(nodes=[A, A], start="a"), "Two nodes have the id 'a'", "a"),
        (
            WorkflowDefinition(
                nodes=[A, B],
                start="a",
                edges=[DirectEdge(id="e", source="a", target="c")],
            ),
            "Edge 'e' names 'c'",
            "e",
        ),
    ],
)
def test_what_no_builder_can_take_is_refused(
    definition: WorkflowDefinition, words: str, location: str
) -> None:
    with pytest.raises(DefinitionError, match=words) as caught:
        to_python(definition)
    assert caught.value.location == location


def test_a_program_is_read_by_people() -> None:
    example = next(one for one in examples() if one.name == "licence_audit")
    program = to_python(read_file(example.path).workflow)
    assert (
        'rank_by_reach = parts.node("rank_by_reach", "python_function", {"function": "dependencies:rank"})'
        in program
    )
    assert "builder.add_edge(ask_a_person, write_report, id=" in program
    assert (
        '        Case(parts.when("message[0].copyleft.size() > 0"), ask_a_person, "copyleft"),\n'
        in program
    )


def _printed(definition: WorkflowDefinition, folder: Path) -> str:
    program = folder / "hello.py"
    program.write_text(to_python(definition), "utf-8")
    command = [sys.executable, str(program)]
    environment = {"PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.run(
        command, capture_output=True, text=True, check=True, env=environment
    ).stdout


@pytest.mark.parametrize(
    ("given", "printed"), [("world", "Hello world\n"), (None, "Hello \n")]
)
def test_an_exported_program_runs_with_any_input_and_with_none(
    tmp_path: Path, given: Any, printed: str
) -> None:
    nodes = [
        NodeDefinition(id="start", type="template", params={"text": "Hello {message}"}),
        NodeDefinition(id="end", type="output"),
    ]
    edge = DirectEdge(id="e", source="start", target="end")
    definition = WorkflowDefinition(
        start="start", nodes=nodes, edges=[edge], input=given
    )
    assert _printed(definition, tmp_path) == printed


def test_an_exported_program_says_which_questions_wait(tmp_path: Path) -> None:
    ask = NodeDefinition(id="ask", type="ask", params={"question": "Ship it?"})
    said = _printed(
        WorkflowDefinition(start="ask", nodes=[ask], input="a box"), tmp_path
    )
    assert said.startswith("Waits for an answer to ask:")
    assert "Ship it?" in said


def test_node_types_of_the_folder_are_found_by_the_program_too(tmp_path: Path) -> None:
    (tmp_path / "nodes").mkdir()
    code = "from runtime.nodes import node_type\n\n@node_type\ndef greet(message: str) -> str:\n    return message\n"
    (tmp_path / "nodes" / "greet.py").write_text(code)
    node = NodeDefinition(id="a", type="nodes.greet:greet")
    definition = WorkflowDefinition(start="a", nodes=[node])
    program = tmp_path / "exported.py"
    program.write_text(to_python(definition), "utf-8")
    assert built_by(program) == [build(definition, folder=tmp_path).signature()]


def test_workflows_inside_of_nodes_are_exported_with_them(tmp_path: Path) -> None:
    inner = {
        "workflow": WorkflowDefinition(
            start="a", nodes=[NodeDefinition(id="a", type="output")]
        ).model_dump()
    }
    node = NodeDefinition(id="team", type="sub_workflow", params={"inline": inner})
    definition = WorkflowDefinition(start="team", nodes=[node])
    program = tmp_path / "exported.py"
    program.write_text(to_python(definition), "utf-8")
    assert built_by(program) == [build(definition, folder=tmp_path).signature()]


async def test_the_program_goes_on_from_checkpoints_of_the_document() -> None:
    nodes = [
        NodeDefinition(id="start", type="template", params={"text": "Hello {message}"}),
        NodeDefinition(id="end", type="output"),
    ]
    edge = DirectEdge(
        id="e", source="start", target="end", condition="message.size() > 1"
    )
    definition = WorkflowDefinition(name="w", start="start", nodes=nodes, edges=[edge])
    store = MemoryStore()
    await build(definition).run("world", checkpoint_storage=store)
    space: dict[str, Any] = {"__file__": __file__, "__name__": "exported"}
    exec(to_python(definition), space)  # noqa: S102 - our own program
    first, *_ = await store.headers()
    result = await space["workflow"].run(
        checkpoint_id=first.id, checkpoint_storage=store
    )
    assert result.get_outputs() == ["Hello world"]
