"""A drawing in the forms of other programs: Python, Mermaid, DOT, SVG, PNG, PDF, JSON Schema.

Nothing that the drawing names is imported for it. The pictures carry the drawing inside, so that they can be opened
again (`designer.model.pictures`); a PDF has it as an attached file. Qt is only needed for pictures, and a
`QApplication` then.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from designer.formats import Format
from designer.model import files
from designer.model.design import Design
from designer.model.edits import move
from designer.model.layout import arrange
from designer.model.pictures import into_png, into_svg
from runtime.definition import FILE_SUFFIX, NodeInfo, WorkflowDefinition

if TYPE_CHECKING:
    from designer.look.theme import ThemeName


def export(
    design: Design,
    to: Format,
    infos: Mapping[str, NodeInfo],
    *,
    folder: Path | str | None = None,
    theme: ThemeName = "light",
    scale: float = 2.0,
) -> bytes:
    """The content of the file. `infos` are the known node types; `folder` is the document's, for sub-workflows in
    files. `theme` is that of pictures, `scale` how many pixels of a PNG are one of the drawing.

    Raises `DefinitionError` for a drawing that Python code cannot have, or that is too large for a PNG.
    """
    return prepared(design, to, infos, folder=folder, theme=theme, scale=scale)()


def prepared(
    design: Design,
    to: Format,
    infos: Mapping[str, NodeInfo],
    *,
    folder: Path | str | None = None,
    theme: ThemeName = "light",
    scale: float = 2.0,
) -> Callable[[], bytes]:
    """`export` in two parts: what is painted is painted now; what is returned makes the content, in any thread. Both
    raise as `export`.
    """
    if to.is_picture:
        return _picture(_laid_out(design), to, infos, folder, theme, scale)
    return partial(_text, design.workflow, to, infos, folder)


def _text(workflow: WorkflowDefinition, to: Format, infos: Mapping[str, NodeInfo], folder: Path | str | None) -> bytes:
    match to:
        case Format.PYTHON:
            from runtime.export_python import to_python

            return to_python(workflow).encode()
        case Format.MERMAID:
            from runtime.viz.document import picture_of_document
            from runtime.viz.mermaid import to_mermaid

            return f"{to_mermaid(picture_of_document(workflow))}\n".encode()
        case Format.DOT:
            from runtime.viz.document import picture_of_document
            from runtime.viz.dot import to_dot

            return f"{to_dot(picture_of_document(workflow))}\n".encode()
        case _:
            from runtime.export_schema import input_schema

            schema = input_schema(workflow, infos, folder)
            return f"{json.dumps(schema, indent=2, ensure_ascii=False)}\n".encode(errors="backslashreplace")


def _laid_out(design: Design) -> Design:
    missing = [node.id for node in design.workflow.nodes if node.id not in design.positions]
    return move(design, arrange(design)) if missing else design


def _picture(
    design: Design,
    to: Format,
    infos: Mapping[str, NodeInfo],
    folder: Path | str | None,
    theme: ThemeName,
    scale: float,
) -> Callable[[], bytes]:
    from designer.canvas import picture
    from designer.canvas.scene import CanvasScene
    from designer.look.theme import load_theme

    document = files.dumps(design).encode()
    name = design.workflow.name
    scene = CanvasScene(load_theme(theme))
    scene.folder = None if folder is None else Path(folder)
    try:
        scene.show(design, infos)
        match to:
            case Format.SVG:
                drawn = picture.render_svg(scene, name)
                return lambda: into_svg(drawn, document)
            case Format.PDF:
                page = picture.render_pdf(scene, name, (f"workflow{FILE_SUFFIX}", document))
                return lambda: page
            case _:
                image = picture.image_for_file(scene, scale)
                return lambda: into_png(picture.png_of(image), document)
    finally:
        scene.dispose()
        scene.deleteLater()
