"""Write file: writes each message to a file, whole or not at all, and passes it on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from runtime.document.files import write_bytes
from runtime.errors import NodeError
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.expressions.template import Template, to_json
from runtime.nodes.base import DATA, NodeParams, NodeType, Place, TemplateLine, render
from runtime.nodes.support.outside_words import on_file
from runtime.nodes.support.paths import resolve


class WriteFileParams(NodeParams):
    path: TemplateLine = Field(
        title="Path",
        description="Relative to the workflow's folder. May hold placeholders: {message.name} is a part.",
        json_schema_extra={"file": "write"},
    )
    allow_outside: bool = Field(
        False,
        title="Allow outside",
        description="Let the path lead out of the workflow's folder.",
    )


class WriteFileExecutor(Executor):
    def __init__(self, id: str, folder: Path, params: WriteFileParams) -> None:
        super().__init__(id, type=WRITE_FILE.type)
        self._folder = folder
        self._params = params
        self._path = Template(params.path)

    @handler
    def write(self, message: Any, ctx: WorkflowContext[Any]) -> None:
        path = resolve(
            self._folder,
            render(self._path, message, self.id),
            self._params.allow_outside,
            self.id,
        )
        try:
            # the whole new file lies beside its target for a moment, here beside the
            # folder
            if path.is_dir():
                raise NodeError(f"{path} is a folder. Choose a file in it.", self.id)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(path, _content(message))
        except OSError as error:
            raise NodeError(
                f"{path} cannot be written: {error.strerror}.", self.id
            ) from error
        except ValueError as error:
            raise NodeError(
                f"the message cannot be written as JSON: {error}.", self.id
            ) from error
        ctx.send_message(message)


def _content(message: Any) -> bytes:
    if isinstance(message, bytes):
        return message
    text = message if isinstance(message, str) else to_json(message, indent=2) + "\n"
    return text.encode("utf-8", errors="surrogatepass")


def _make(place: Place, params: WriteFileParams) -> Executor:
    return WriteFileExecutor(place.node_id, place.folder, params)


WRITE_FILE = NodeType(
    type="write_file",
    title="Write file",
    category=DATA,
    icon="save",
    description=(
        "Writes each message to a file and passes it on unchanged. Text and bytes "
        "are written as they are, anything else as JSON. An existing file is "
        "replaced; a superstep that has failed writes it again."
    ),
    params=WriteFileParams,
    make=_make,
    outside=lambda params: on_file("write file", params.path, reads=False),
    summary="path",
    always_sends=True,
    passes_on=True,
    sink=True,
)
