"""A drawing in the forms of other programs: Python, Mermaid, DOT, SVG, PNG, PDF, JSON Schema.

Nothing that the drawing names is imported for it. The pictures carry the drawing inside, so that they can be opened
again (`designer.model.pictures`); a PDF has it as an attached file. Secrets that are written out in the drawing are in
none of them (`runtime.export.secrets`). Qt is only needed for pictures, and a `QApplication` then.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from designer.formats import Format
from designer.model import files
from designer.model.design import Design
from designer.model.layout.tidy import laid_out
from designer.model.pictures import into_png, into_svg
from runtime.document.definition import FILE_SUFFIX, NodeInfo, WorkflowDefinition
from runtime.document.secret_values import Omitted
from runtime.export.secrets import extra_without_secrets, without_secrets

if TYPE_CHECKING:
    from designer.look.theme import ThemeName


@dataclass(frozen=True)
class Export:
    """What is wanted of a drawing. `infos` are the known node types; `folder` is the document's, for sub-workflows in
    files and modules. `theme` is that of pictures, `scale` how many pixels of a PNG are one of the drawing.
    """

    design: Design
    to: Format
    infos: Mapping[str, NodeInfo]
    folder: Path | str | None = None
    theme: ThemeName = "light"
    scale: float = 2.0

    def content(self) -> bytes:
        """The content of the file.

        Raises `DefinitionError` for a drawing that Python code cannot have, or that is too large for a PNG.
        """
        return self.prepared()()

    def prepared(self) -> Callable[[], bytes]:
        """`content` in two parts: what is painted is painted now; what is returned makes the content, in any thread.
        Both raise as `content`.
        """
        return self._picture() if self.to.is_picture else self._text

    @property
    def omitted(self) -> tuple[Omitted, ...]:
        """The secrets that are left out of it, each with the variable of the environment that takes its place."""
        match self.to:
            case Format.MERMAID | Format.DOT:
                return ()  # they have no parameters
            case Format.SCHEMA:
                return tuple(one for one in self._open[1] if one.is_of_input)
            case _:
                return self._open[1]

    @cached_property
    def _open(self) -> tuple[Design, tuple[Omitted, ...]]:
        """The drawing that everybody may see."""
        design = self.design
        workflow, omitted = without_secrets(design.workflow, self.infos)
        extra, more = extra_without_secrets(design.extra)
        if not omitted and not more:
            return design, ()
        return replace(design, workflow=workflow, extra=extra), (*omitted, *more)

    def _text(self) -> bytes:
        workflow = self._open[0].workflow
        match self.to:
            case Format.PYTHON:
                from runtime.export.python import to_python

                # It says itself what is left out.
                return to_python(self.design.workflow, self.infos).encode()
            case Format.MERMAID:
                return _mermaid(workflow).encode()
            case Format.DOT:
                return _dot(workflow).encode()
            case _:
                from runtime.export.json_schema import workflow_schema

                schema = workflow_schema(workflow, self.infos, self.folder)
                return f"{json.dumps(schema, indent=2, ensure_ascii=False)}\n".encode(
                    errors="backslashreplace"
                )

    def _picture(self) -> Callable[[], bytes]:
        from designer.canvas.drawing import picture
        from designer.canvas.drawing.scene import CanvasScene
        from designer.look.theme import load_theme

        design = laid_out(self._open[0])
        name = design.workflow.name
        document = files.dumps(design).encode()
        scene = CanvasScene(load_theme(self.theme))
        scene.folder = None if self.folder is None else Path(self.folder)
        try:
            scene.show(design, self.infos)
            match self.to:
                case Format.SVG:
                    drawn = picture.render_svg(scene, name)
                    return lambda: into_svg(drawn, document)
                case Format.PDF:
                    page = picture.render_pdf(
                        scene, name, (f"workflow{FILE_SUFFIX}", document)
                    )
                    return lambda: page
                case _:
                    image = picture.image_for_file(scene, self.scale)
                    return lambda: into_png(picture.png_of(image), document)
        finally:
            scene.dispose()
            scene.deleteLater()


def _mermaid(workflow: WorkflowDefinition) -> str:
    from runtime.export.mermaid import to_mermaid
    from runtime.export.picture_document import picture_of_document

    return f"{to_mermaid(picture_of_document(workflow))}\n"


def _dot(workflow: WorkflowDefinition) -> str:
    from runtime.export.dot import to_dot
    from runtime.export.picture_document import picture_of_document

    return f"{to_dot(picture_of_document(workflow))}\n"
