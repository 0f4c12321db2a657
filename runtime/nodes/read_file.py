"""Read file: sends the content of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from runtime.errors import NodeError
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.expressions.template import Template
from runtime.nodes.base import DATA, NodeParams, NodeType, Place, TemplateLine, render
from runtime.nodes.support.outside_words import on_file
from runtime.nodes.support.paths import resolve
from runtime.nodes.support.text_input import lines_of
from runtime.system.bounded_files import LARGEST_DATA, from_json, read_text


class ReadFileParams(NodeParams):
    path: TemplateLine = Field(
        title="Path",
        description="Relative to the workflow's folder. May hold placeholders: {message} is the arriving message.",
        json_schema_extra={"file": "read"},
    )
    content: Literal["text", "lines", "json"] = Field(
        "text",
        title="Content",
        description="text is one text, lines a list of texts, json the value of the file.",
    )
    allow_outside: bool = Field(
        False,
        title="Allow outside",
        description="Let the path lead out of the workflow's folder.",
    )


class ReadFileExecutor(Executor):
    def __init__(self, id: str, folder: Path, params: ReadFileParams) -> None:
        super().__init__(id, type=READ_FILE.type)
        self._folder = folder
        self._params = params
        self._path = Template(params.path)

    @handler
    def read(self, message: Any, ctx: WorkflowContext[Any]) -> None:
        path = resolve(
            self._folder,
            render(self._path, message, self.id),
            self._params.allow_outside,
            self.id,
        )
        try:
            ctx.send_message(
                self._parsed(read_text(path, LARGEST_DATA, encoding="utf-8-sig"))
            )
        except OSError as error:
            raise NodeError(
                f"{path} cannot be read: {error.strerror}.", self.id
            ) from error
        except ValueError as error:  # no UTF-8, or no JSON
            raise NodeError(
                f"{path} is not {self._params.content} in UTF-8: {error}.", self.id
            ) from error

    def _parsed(self, text: str) -> Any:
        match self._params.content:
            case "lines":
                return lines_of(text)
            case "json":
                return from_json(text)
            case _:
                return text


def _make(place: Place, params: ReadFileParams) -> Executor:
    return ReadFileExecutor(place.node_id, place.folder, params)


READ_FILE = NodeType(
    type="read_file",
    title="Read file",
    category=DATA,
    icon="open",
    description=(
        "Reads a file for each message, and sends its content on: as text, as "
        "lines, or as the value of a JSON file."
    ),
    params=ReadFileParams,
    make=_make,
    outside=lambda params: on_file("read file", params.path, reads=True),
    summary="path",
    always_sends=True,
)
