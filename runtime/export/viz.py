"""A workflow as a picture: `WorkflowViz` writes Mermaid and DOT, and draws SVG, PNG and
PDF without another program.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from runtime.export.dot import to_dot
from runtime.export.mermaid import to_mermaid
from runtime.export.picture_graph import picture_of

if TYPE_CHECKING:
    from runtime.export.picture_graph import Picture
    from runtime.workflow.workflow import Workflow

Format = Literal["svg", "png", "pdf", "dot"]


class WorkflowViz:
    """Pictures of one workflow, its sub-workflows included. The same workflow gives
    the same bytes.

    Edges show conditions and cases as they were written, joins show their policy;
    switches, selections, sub-workflows and ways back look different.
    `include_internal_executors` adds the sources of the input and of the answers.
    """

    def __init__(self, workflow: Workflow) -> None:
        self._workflow = workflow

    def to_digraph(self, include_internal_executors: bool = False) -> str:
        """The workflow in Graphviz' language DOT. An executor's name there is its id,
        one of a child `parent/id`.
        """
        return to_dot(self._picture(include_internal_executors))

    def to_mermaid(self, include_internal_executors: bool = False) -> str:
        """The workflow as a Mermaid flowchart."""
        return to_mermaid(self._picture(include_internal_executors))

    def export(
        self,
        format: Format = "svg",
        filename: str | None = None,
        include_internal_executors: bool = False,
    ) -> str:
        """Write a picture, or DOT, into a file, a temporary one if none is named; its
        path.

        A name without a suffix gets the format's. Raise `ValueError` for another format
        or a suffix that is not the format's, `ExtraMissingError` where matplotlib is
        not installed, and `OSError`.
        """
        if format not in get_args(Format):
            raise ValueError(
                f"Unsupported format: {format}. Supported formats: {', '.join(get_args(Format))}."
            )
        content = self._drawn(format, include_internal_executors)
        path = _path(format, filename)
        path.write_bytes(content)
        return str(path)

    def save_svg(self, filename: str, include_internal_executors: bool = False) -> str:
        """Draw into an SVG file; its path."""
        return self.export("svg", filename, include_internal_executors)

    def save_png(self, filename: str, include_internal_executors: bool = False) -> str:
        """Draw into a PNG file; its path."""
        return self.export("png", filename, include_internal_executors)

    def save_pdf(self, filename: str, include_internal_executors: bool = False) -> str:
        """Draw into a PDF file; its path."""
        return self.export("pdf", filename, include_internal_executors)

    def _picture(self, include_internal_executors: bool) -> Picture:
        return picture_of(self._workflow, include_internal_executors)

    def _drawn(self, format: Format, include_internal_executors: bool) -> bytes:
        picture = self._picture(include_internal_executors)
        if format == "dot":
            return to_dot(picture).encode("utf-8")
        from runtime.export.picture_renderer import draw  # brings matplotlib along

        return draw(picture, format)


def _path(format: Format, filename: str | None) -> Path:
    if filename is None:
        with tempfile.NamedTemporaryFile(suffix=f".{format}", delete=False) as file:
            return Path(file.name)
    path = Path(filename)
    if path.suffix and path.suffix != f".{format}":
        raise ValueError(
            f"File extension {path.suffix} doesn't match format {format}. Name the file *.{format}."
        )
    return path.with_suffix(f".{format}")
