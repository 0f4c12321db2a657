"""A workflow file as a Python program: `WorkflowBuilder` code that builds a workflow
with an equal signature.

Nothing that the document names is imported for it. The program asks the catalogue for
its nodes, so that parameters mean in it what they mean in the file.
"""

from __future__ import annotations

import builtins
import json
import keyword
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from runtime.document.definition import NodeDefinition, NodeInfo, WorkflowDefinition
from runtime.document.disabled import effective
from runtime.document.secret_values import Omitted
from runtime.edges.definition import EdgeDefinition
from runtime.errors import DefinitionError
from runtime.export.formats import ExportSource
from runtime.export.secrets import without_secrets
from runtime.policy import RetryPolicy

_WIDTH = 100
_INDENT = "    "
# Python's own parser gives up on literals that are nested some hundred levels.
_DEEPEST = 40
_TAKEN = frozenset(
    (*keyword.kwlist, *keyword.softkwlist, *dir(builtins), "asyncio", "json", "Path", "Case", "Default", "Parts",
     "RetryPolicy", "WorkflowBuilder", "WorkflowMessage", "parts", "builder", "workflow", "INPUT", "main")
)  # fmt: skip


def export(source: ExportSource) -> bytes:
    """Return the program. It names the secrets that are left out of it."""
    return to_python(source.workflow, source.infos).encode()


def to_python(
    definition: WorkflowDefinition, infos: Mapping[str, NodeInfo] | None = None
) -> str:
    """Return the program, which belongs into the folder of the document, because it
    finds modules and files as the document does. Literal secrets of the document
    are left out: the program takes them from the environment, and says which
    variables to set.

    `infos` are the known node types by name, which know more secrets than names
    tell. Raise `DefinitionError`, at the node or edge, for what no builder can
    take: no start, two nodes with one id, or an edge with a missing end.
    """
    _check(definition)
    definition = effective(definition)
    given_input = definition.input
    definition, omitted = without_secrets(definition, infos)
    names = _names([node.id for node in definition.nodes])
    edges = [line for edge in definition.edges for line in _edge(edge, names)]
    body = [
        *_header(definition, omitted),
        "from __future__ import annotations",
        "",
        "import asyncio",
        *(
            ["import json"]
            if _is_deep([node.params for node in definition.nodes] + [definition.input])
            else []
        ),
        "from pathlib import Path",
        "",
        f"from runtime import {', '.join(_imports(definition))}",
        "from runtime.export.python_parts import Parts",
        "",
        "# Makes nodes and conditions as the workflow file does; modules and files are looked up beside this program.",
        "parts = Parts(Path(__file__).parent)",
        "",
        *(
            line
            for node in definition.nodes
            for line in _node(node.id, node.type, node.params, names)
        ),
        "",
        *_builder(definition, names),
        *(
            line
            for node in definition.nodes
            for line in _policy(definition, node, names)
        ),
        *edges,
        "workflow = builder.build()",
        "",
        *_input(definition.input, is_whole=definition.input == given_input),
        "",
        "",
        "async def main() -> None:",
        *(f"{_INDENT}{line}" for line in _run(definition.input)),
        f"{_INDENT}for output in result.get_outputs():",
        f"{_INDENT * 2}print(output)",
        f"{_INDENT}for question in result.get_request_info_events():",
        f'{_INDENT * 2}print(f"Waits for an answer to {{question.request_id}}: {{question.data}}")',
        "",
        "",
        'if __name__ == "__main__":',
        f"{_INDENT}asyncio.run(main())",
    ]
    return "\n".join(body) + "\n"


def _check(definition: WorkflowDefinition) -> None:
    if not definition.start:
        raise DefinitionError(
            "The workflow has no start, which code needs. Choose the node that gets the input."
        )
    seen: set[str] = set()
    for node in definition.nodes:
        if node.id in seen:
            raise DefinitionError(
                f"Two nodes have the id '{node.id}'. Give each an id of its own.",
                node.id,
            )
        seen.add(node.id)
    if definition.start not in seen:
        raise DefinitionError(
            f"The start '{definition.start}' is not a node. Choose one of the nodes.",
            "start",
        )
    for edge in definition.edges:
        for end in (end for pair in edge.pairs for end in pair):
            if end not in seen:
                text = f"Edge '{edge.id}' names '{end}', which is no node. Add the node, or remove the edge."
                raise DefinitionError(text, edge.id)


def _header(definition: WorkflowDefinition, omitted: Sequence[Omitted]) -> list[str]:
    lines = [
        f"The workflow {definition.name}, exported by Stepwell.",
        *definition.description.split("\n"),
    ]
    if omitted:
        lines += [
            "Its secrets are not in here. Set these variables of the environment before it runs:"
        ]
        lines += [f"  {variable}" for variable in omitted]
    return [f"# {_one_line(line)}".rstrip() for line in lines if line.strip()] + [""]


def _one_line(text: str) -> str:
    """Return a text that fits a comment: an end of line, or a character that no file
    can have, would end it.
    """
    return "".join(char if char.isprintable() else " " for char in text)


def _imports(definition: WorkflowDefinition) -> list[str]:
    names = [name for edge in definition.edges for name in edge.python_imports]
    if definition.retry is not None or any(node.retry for node in definition.nodes):
        names.append("RetryPolicy")
    names.append("WorkflowBuilder")
    if definition.input is None:
        names.append("WorkflowMessage")
    return sorted(set(names))


# --- names --------------------------------------------------------------------------------------------------------


def _names(ids: Sequence[str]) -> dict[str, str]:
    """A variable for each node, which reads like its id as far as Python allows."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for id_ in ids:
        # Python takes names that differ only in form, such as a ligature and its
        # letters, for one.
        word = re.sub(r"\W+", "_", unicodedata.normalize("NFKC", id_)).strip("_")
        if not word.isidentifier() or word in _TAKEN:
            word = f"node_{word}".rstrip("_")
        if not word.isidentifier():
            word = "node"
        name = word
        number = 2
        while name in taken or name in _TAKEN:
            name = f"{word}_{number}"
            number = number + 1
        taken.add(name)
        names[id_] = name
    return names


# --- statements ---------------------------------------------------------------------------------------------------


def _node(
    id_: str, type_: str, params: Mapping[str, Any], names: Mapping[str, str]
) -> list[str]:
    arguments = [_quoted(id_), _quoted(type_)]
    return _call(
        f"{names[id_]} = parts.node",
        [*arguments, *([_value(dict(params), 1)] if params else [])],
    )


def _builder(definition: WorkflowDefinition, names: Mapping[str, str]) -> list[str]:
    return _call(
        "builder = WorkflowBuilder",
        [
            f"name={_quoted(definition.name)}",
            *(
                [f"description={_text(definition.description, 1)}"]
                if definition.description
                else []
            ),
            f"max_iterations={definition.max_supersteps}",
            f"start_executor={names[definition.start]}",
            f"executors={_listed(names.values())}",
            *_designations(definition, names),
            *([f"reducers={{{_reducers(definition)}}}"] if definition.reducers else []),
            *(
                ['state_conflicts="last"']
                if definition.state_conflicts == "last"
                else []
            ),
            *_limits(
                None if definition.retry is None else definition.retry.policy(),
                definition.timeout,
            ),
        ],
    )


def _limits(retry: RetryPolicy | None, timeout: float | None) -> list[str]:
    """Return the arguments about failures; of a retry the attempts, and only values
    that are not the default.
    """
    arguments = []
    if retry is not None:
        settings = [
            f"{field.name}={getattr(retry, field.name)!r}"
            for field in fields(retry)
            if field.name == "attempts" or getattr(retry, field.name) != field.default
        ]
        arguments.append(f"retry=RetryPolicy({', '.join(settings)})")
    return [*arguments, *([f"timeout={timeout!r}"] if timeout else [])]


def _policy(
    definition: WorkflowDefinition, node: NodeDefinition, names: Mapping[str, str]
) -> list[str]:
    """A node's own policy, which takes the place of the workflow's as a whole: so what
    that says is written again.
    """
    if node.type == "sub_workflow" or (node.retry is None and node.timeout is None):
        return []
    policy = definition.policy_of(node)
    return _call(
        "builder.set_failure_policy",
        [names[node.id], *_limits(policy.retry, policy.timeout)],
    )


def _designations(
    definition: WorkflowDefinition, names: Mapping[str, str]
) -> list[str]:
    """Return whose outputs count. Which executors yield outputs is known only when they
    are built.
    """
    if not any(node.outputs for node in definition.nodes):
        return []
    kinds = (("counted", ""), ("on_the_way", "intermediate"), ("dropped", "none"))
    chosen = {
        word: [names[node.id] for node in definition.nodes if node.outputs == kind]
        for word, kind in kinds
    }
    arguments = ", ".join(
        f"{word}={_listed(which)}" for word, which in chosen.items() if which
    )
    return [f"**parts.outputs({arguments})"]


def _reducers(definition: WorkflowDefinition) -> str:
    items = definition.reducers.items()
    return ", ".join(
        f"{_quoted(key)}: parts.reducer({_quoted(key)}, {_quoted(text)})"
        for key, text in items
    )


class _Writer:
    """Writes the parts of an edge as Python."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def node(self, node_id: str) -> str:
        return self._names[node_id]

    def nodes(self, node_ids: Sequence[str]) -> str:
        return _listed(self._names[node_id] for node_id in node_ids)

    def condition(self, text: str) -> str:
        return f"parts.when({_text(text, 2)})"

    def value(self, value: Any) -> str:
        return _value(value, 1)

    def listed(self, items: Sequence[str]) -> str:
        return _listed(items)


def _edge(edge: EdgeDefinition, names: Mapping[str, str]) -> list[str]:
    method, arguments = edge.to_python(_Writer(names))
    return _call(f"builder.{method}", arguments)


def _input(value: Any, *, is_whole: bool) -> list[str]:
    literal = _value(value, 0)
    return f"INPUT = {literal if is_whole else f'parts.filled({literal})'}".split("\n")


def _run(value: Any) -> list[str]:
    if value is not None:
        return ["result = await workflow.run(INPUT)"]
    return [
        "# To run() None is no message; in one it is an input like others.",
        'result = await workflow.run(WorkflowMessage(INPUT, "input"))',
    ]


def _call(start: str, arguments: Sequence[str]) -> list[str]:
    line = f"{start}({', '.join(arguments)})"
    if len(line) <= _WIDTH and "\n" not in line:
        return [line]
    return f"{start}(\n{''.join(f'{_INDENT}{argument},{chr(10)}' for argument in arguments)})".split(
        "\n"
    )


def _listed(items: Iterable[str]) -> str:
    """A list, on several lines when it is long."""
    parts = list(items)
    line = f"[{', '.join(parts)}]"
    if len(line) <= _WIDTH - 20 and "\n" not in line:
        return line
    return "[\n" + "".join(f"{_INDENT * 2}{part},\n" for part in parts) + f"{_INDENT}]"


# --- values -------------------------------------------------------------------------------------------------------


def _value(value: Any, level: int) -> str:
    """A JSON value as Python, on several lines when it is long. `level` is how far its
    lines are indented.
    """
    if _is_deep(value, _DEEPEST):
        return f"json.loads({_quoted(json.dumps(value))})"
    return _literal(value, level)


def _literal(value: Any, level: int) -> str:
    if isinstance(value, str):
        return _text(value, level)
    line = _flat(value)
    if not isinstance(value, dict | list) or (
        len(line) + len(_INDENT) * level <= _WIDTH - 20 and "\\n" not in line
    ):
        return line
    inner = _INDENT * (level + 1)
    end = _INDENT * level
    if isinstance(value, dict):
        items = [
            f"{_quoted(key)}: {_literal(item, level + 1)}"
            for key, item in value.items()
        ]
        return "{\n" + "".join(f"{inner}{item},\n" for item in items) + end + "}"
    return (
        "[\n"
        + "".join(f"{inner}{_literal(item, level + 1)},\n" for item in value)
        + end
        + "]"
    )


def _text(text: str, level: int) -> str:
    """A text of several lines as one literal for each of them."""
    lines = text.splitlines(keepends=True)
    if len(lines) < 2:
        return _quoted(text)
    inner = _INDENT * (level + 1)
    end = _INDENT * level
    return "(\n" + "".join(f"{inner}{_quoted(line)}\n" for line in lines) + end + ")"


def _quoted(text: str) -> str:
    """The literal of a text, in double quotes where it holds none."""
    literal = repr(text)
    return f'"{literal[1:-1]}"' if literal[0] == "'" and '"' not in literal else literal


def _flat(value: Any) -> str:
    """A value on one line."""
    match value:
        case str():
            return _quoted(value)
        case dict():
            return (
                "{"
                + ", ".join(
                    f"{_quoted(key)}: {_flat(item)}" for key, item in value.items()
                )
                + "}"
            )
        case list():
            return f"[{', '.join(map(_flat, value))}]"
        case _:
            return repr(value)


def _is_deep(value: Any, most: int = _DEEPEST) -> bool:
    level = [value]
    for _ in range(most):
        level = [
            inner
            for item in level
            if isinstance(item, dict | list)
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
        if not level:
            return False
    return True
