"""JSON Schema of a workflow for its callers: the input of a run, its outputs, and the
answers to its questions.

It is known without running code: from node types and parameters, and from annotations
of Python in the document's folder, which is only read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from runtime.document.definition import (
    NodeDefinition,
    NodeInfo,
    WorkflowDefinition,
)
from runtime.document.disabled import effective, known_infos, live
from runtime.document.sub_workflows import SUB_WORKFLOW, child_of, info_of
from runtime.errors import DefinitionError
from runtime.export.formats import ExportSource
from runtime.expressions.python_source import ENTRY
from runtime.expressions.python_types import Handling, PythonTypes, Schema, any_of
from runtime.nodes.ask import AskParams, answer_schema

INPUT = "input"
OUTPUT = "output"
ANSWER = "answer"
_PYTHON = {"python_function": "function", "python_class": "class_name"}
_PLAIN = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "None": {"type": "null"},
    "list": {"type": "array"},
    "dict": {"type": "object"},
}
_LIST = re.compile(r"list\[(.*)\]")


def export(source: ExportSource) -> bytes:
    schema = workflow_schema(source.public_workflow, source.infos, source.folder)
    text = json.dumps(schema, indent=2, ensure_ascii=False)
    return f"{text}\n".encode(errors="backslashreplace")


def workflow_schema(
    definition: WorkflowDefinition,
    infos: Mapping[str, NodeInfo],
    folder: Path | str | None = None,
) -> Schema:
    """Return the schema of the input, with the workflow's own input as example.
    `$defs` has `output`, for each output, and `answer:ID` for each node that asks.
    What only code knows may be anything.

    `infos` are the known node types by name; `folder` is the document's, for its
    modules and sub-workflows in files.
    """
    root = None if folder is None else Path(folder)
    types = PythonTypes(root, (INPUT, OUTPUT))
    flow = _Flow(live(effective(definition)), known_infos(infos), root, types)
    definitions = {
        OUTPUT: {"title": f"Output of {definition.name}", **flow.output()},
        **{f"{ANSWER}:{place}": schema for place, schema in flow.answers()},
    }
    input_schema = flow.input()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Input of {definition.name}",
        **({"description": definition.description} if definition.description else {}),
        # Some readers ignore everything beside a reference.
        **({"allOf": [input_schema]} if "$ref" in input_schema else input_schema),
        **({} if definition.input is None else {"examples": [definition.input]}),
        "$defs": {**definitions, **types.named_in([input_schema, definitions])},
    }


class _Flow:
    """The schemas of the messages in a workflow. A schema `{}` may be anything."""

    def __init__(
        self,
        workflow: WorkflowDefinition,
        infos: Mapping[str, NodeInfo],
        folder: Path | None,
        types: PythonTypes,
        chain: tuple[str, ...] = (),
    ) -> None:
        self._workflow = workflow
        self._infos = infos
        self._folder = folder
        self._types = types
        self._chain = chain
        self._nodes = {node.id: node for node in workflow.nodes}
        self._known: dict[str, Handling | None] = {}

    # --- in -------------------------------------------------------------------------------------------------------

    def input(self) -> Schema:
        return self._accepted(self._workflow.start, frozenset())

    def _accepted(self, node_id: str, seen: frozenset[str]) -> Schema:
        node = self._nodes.get(node_id)
        if node is None or node_id in seen:
            return {}
        if not self._passes_on(node):
            return any_of(self._takes(node))
        # It passes messages on, so they must fit its targets. If these differ, nothing
        # is known.
        edges = [edge for edge in self._workflow.edges if not edge.carries_failures]
        ways = [
            (edge, target)
            for edge in edges
            for source, target in edge.pairs
            if source == node_id
        ]
        if any(edge.join is not None for edge, _ in ways):
            return {}
        schemas = [self._accepted(target, seen | {node_id}) for _, target in ways]
        if schemas and all(schema == schemas[0] for schema in schemas):
            return schemas[0]
        return {}

    def _passes_on(self, node: NodeDefinition) -> bool:
        info = self._infos.get(node.type)
        return info is not None and info.passes_on

    def _takes(self, node: NodeDefinition) -> list[Schema]:
        handling = self._handling(node)
        if handling is not None:
            return handling.takes
        info = info_of(node, self._infos, self._folder)
        return (
            [] if info is None else [_of_type(type_name) for type_name in info.inputs]
        )

    # --- out ------------------------------------------------------------------------------------------------------

    def output(self) -> Schema:
        """Return the schema of each output. An unknown one makes it anything."""
        return any_of(
            schema for node in self._workflow.nodes for schema in self._yields(node)
        )

    def _yields(self, node: NodeDefinition) -> list[Schema]:
        if node.type == "output":
            return self._received(node.id, frozenset())
        if node.type == SUB_WORKFLOW:
            if node.params.get("direct_output") is True:
                inner = self._inside(node)
            else:
                inner = None
            return [] if inner is None else [inner.output()]
        handling = self._handling(node)
        if handling is not None:
            return handling.yields
        if (
            node.type in (*_PYTHON, "python_executor", "inline_code")
            or ":" in node.type
        ):
            return [{}]
        return []

    def _received(self, node_id: str, seen: frozenset[str]) -> list[Schema]:
        received = [self.input()] if node_id == self._workflow.start else []
        for edge in self._workflow.edges:
            sent = [
                schema
                for source, target in edge.pairs
                if target == node_id and source not in seen
                for schema in self._sent(source, seen | {node_id})
            ]
            if edge.carries_failures and node_id in edge.target_ids:
                sent = [{"type": "object", "title": "ExecutorFailure"}]
            if sent and edge.join is not None and edge.join.delivers_lists:
                items = any_of(sent)
                sent = [{"type": "array", **({"items": items} if items else {})}]
            received += sent
        return received

    def _sent(self, node_id: str, seen: frozenset[str]) -> list[Schema]:
        node = self._nodes.get(node_id)
        if node is None:
            return []
        if self._passes_on(node):
            return self._received(node_id, seen)
        if node.type == SUB_WORKFLOW:
            inner = self._inside(node)
            return [{}] if inner is None else [inner.output()]
        if node.type == "ask":
            return [{}]  # the answer with what it is about
        handling = self._handling(node)
        if handling is not None:
            return handling.sends
        info = self._infos.get(node.type)
        return (
            [{}]
            if info is None
            else [_of_type(type_name) for type_name in info.outputs]
        )

    # --- questions ------------------------------------------------------------------------------------------------

    def answers(self, way: tuple[str, ...] = ()) -> Iterator[tuple[str, Schema]]:
        """Yield the answers to nodes that ask; inside of sub-workflows, with the way to
        them.
        """
        for node in self._workflow.nodes:
            place = (*way, node.id)
            if node.type == "ask":
                try:
                    schema = answer_schema(AskParams.model_validate(node.params))
                except ValidationError:
                    continue  # `check` says what is wrong with it
                yield "/".join(place), {**schema, "title": f"Answer to {node.title}"}
            elif (
                node.type == SUB_WORKFLOW and (inner := self._inside(node)) is not None
            ):
                yield from inner.answers(place)

    # --- nodes ----------------------------------------------------------------------------------------------------

    def _handling(self, node: NodeDefinition) -> Handling | None:
        """Return the types that the annotations of a node's code name, or None."""
        if node.id not in self._known:
            self._known[node.id] = self._read(node)
        return self._known[node.id]

    def _read(self, node: NodeDefinition) -> Handling | None:
        if node.type == "inline_code":
            return self._types.of_code(str(node.params.get("code", "")), ENTRY)
        if node.type in _PYTHON:
            named = node.params.get(_PYTHON[node.type])
        else:
            named = node.type
        if isinstance(named, str) and ":" in named:
            return self._types.of_reference(named)
        return None

    def _inside(self, node: NodeDefinition) -> _Flow | None:
        try:
            child = child_of(node, self._folder or ".", self._chain)
        except DefinitionError:
            return None
        types = PythonTypes(child.folder, (INPUT, OUTPUT))
        types.definitions = self._types.definitions
        return _Flow(
            live(effective(child.workflow)),
            self._infos,
            child.folder,
            types,
            child.chain,
        )


def _of_type(name: str) -> dict[str, Any]:
    if inner := _LIST.fullmatch(name):
        items = _of_type(inner[1])
        return {"type": "array", **({"items": items} if items else {})}
    return dict(_PLAIN.get(name.partition("[")[0], {}))
