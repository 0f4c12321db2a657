"""The formats that a workflow document can be exported as: the one table of window and
command line.

A new format is one function and one line in `FORMATS`. The table names the function
instead of importing it, because the command line lists the formats in its help, which
must not wait for heavy modules; and because pictures are painted by the designer, of
which the runtime imports nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from runtime.document.definition import NodeInfo, WorkflowDefinition


class ExportSource(Protocol):
    """The input of an export function."""

    @property
    def workflow(self) -> WorkflowDefinition:
        """The workflow as it is drawn, which may have secrets in it."""

    @property
    def public_workflow(self) -> WorkflowDefinition:
        """The workflow with variables of the environment in place of secrets."""

    @property
    def infos(self) -> Mapping[str, NodeInfo]:
        """The known node types, by type."""

    @property
    def folder(self) -> Path | str | None:
        """The folder of the document, for its modules and files."""


@dataclass(frozen=True)
class ExportFormat:
    """One format.

    name        its name on the command line
    suffix      the end of its files' names
    title       its name in the window
    about       its purpose, for the window
    function    "module:name" of the function that makes it. A text format is a function from
                an `ExportSource` to bytes, which runs in any thread. A picture is a function
                from the designer's `Export` to a function without arguments: the first paints,
                and needs a Qt application; the returned function makes the bytes, in any thread.
    secrets     which secrets the export names by variables of the environment
    is_picture  whether it is painted, and has the workflow inside
    has_scale   whether it is made of pixels
    """

    name: str
    suffix: str
    title: str
    about: str
    function: str
    secrets: Literal["all", "of the input", "none"] = "all"
    is_picture: bool = False
    has_scale: bool = False

    def load(self) -> Callable[[Any], Any]:
        """Import the function."""
        module, _, name = self.function.partition(":")
        function: Callable[[Any], Any] = getattr(import_module(module), name)
        return function


_DROP = "drop it on Stepwell to open it."

FORMATS: dict[str, ExportFormat] = {
    format.name: format
    for format in (
        ExportFormat(
            "python",
            ".py",
            "Python code",
            "WorkflowBuilder code that builds the same workflow. Keep it beside the modules that the workflow names.",
            "runtime.export.python:export",
        ),
        ExportFormat(
            "mermaid",
            ".mmd",
            "Mermaid flowchart",
            "Text for Markdown and wikis that draw Mermaid.",
            "runtime.export.mermaid:export",
            secrets="none",
        ),
        ExportFormat(
            "dot",
            ".dot",
            "Graphviz DOT",
            "Text that Graphviz draws.",
            "runtime.export.dot:export",
            secrets="none",
        ),
        ExportFormat(
            "svg",
            ".svg",
            "SVG picture",
            f"Sharp at every size. Carries the workflow inside: {_DROP}",
            "designer.export:to_svg",
            is_picture=True,
        ),
        ExportFormat(
            "png",
            ".png",
            "PNG picture",
            f"Pixels. Carries the workflow inside: {_DROP}",
            "designer.export:to_png",
            is_picture=True,
            has_scale=True,
        ),
        ExportFormat(
            "pdf",
            ".pdf",
            "PDF page",
            f"Sharp at every size, with the workflow attached: {_DROP}",
            "designer.export:to_pdf",
            is_picture=True,
        ),
        ExportFormat(
            "schema",
            ".schema.json",
            "JSON Schema",
            "The input of a run, its outputs, and its answers, as far as they are known without running code.",
            "runtime.export.json_schema:export",
            secrets="of the input",
        ),
    )
}


def format_of_file(name: str) -> ExportFormat | None:
    """Return the format that the name of a file ends with, if there is one."""
    for format in FORMATS.values():
        if name.lower().endswith(format.suffix):
            return format
    return None
