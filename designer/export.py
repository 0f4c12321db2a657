"""A drawing in the forms of other programs, as the table `runtime.export.formats` lists
them.

An export imports nothing that the drawing names, and leaves out secrets that are
written out in it (`runtime.export.secrets`). Pictures carry the drawing inside, so that
they can be opened again (`designer.model.pictures`); a PDF has it as an attached file.
Only pictures need Qt, and a `QApplication`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from designer.model import files
from designer.model.design import Design
from designer.model.layout.tidy import laid_out
from designer.model.pictures import into_png, into_svg
from runtime.document.definition import FILE_SUFFIX, NodeInfo, WorkflowDefinition
from runtime.document.secret_values import Omitted
from runtime.export.formats import ExportFormat
from runtime.export.secrets import extra_without_secrets, without_secrets

if TYPE_CHECKING:
    from designer.canvas.drawing.scene import CanvasScene
    from designer.look.theme import ThemeName

Pack = Callable[[], bytes]


@dataclass(frozen=True)
class Export:
    """One export of a drawing; an `ExportSource`.

    infos   the known node types
    folder  that of the document, for sub-workflows in files and modules
    theme   that of pictures
    scale   how many pixels of a PNG are one of the drawing
    """

    design: Design
    to: ExportFormat
    infos: Mapping[str, NodeInfo]
    folder: Path | str | None = None
    theme: ThemeName = "light"
    scale: float = 2.0

    @property
    def workflow(self) -> WorkflowDefinition:
        return self.design.workflow

    @property
    def public_workflow(self) -> WorkflowDefinition:
        return self.public_design.workflow

    @property
    def public_design(self) -> Design:
        """The drawing without secrets."""
        return self._without_secrets[0]

    @property
    def omitted(self) -> tuple[Omitted, ...]:
        """The secrets that are left out of it, each with the variable of the
        environment that takes its place.
        """
        omitted = self._without_secrets[1]
        match self.to.secrets:
            case "none":
                return ()
            case "of the input":
                return tuple(secret for secret in omitted if secret.is_of_input)
            case _:
                return omitted

    def content(self) -> bytes:
        """Return the content of the file.

        Raise `DefinitionError` for a drawing that Python code cannot have, or that is
        too large for a PNG.
        """
        return self.prepared()()

    def prepared(self) -> Pack:
        """Paint what is painted, and return a function that makes the content, in any
        thread. Both raise as `content`.
        """
        if self.to.is_picture:
            pack: Pack = self.to.load()(self)
            return pack
        return self._text

    def _text(self) -> bytes:
        content: bytes = self.to.load()(self)
        return content

    @cached_property
    def _without_secrets(self) -> tuple[Design, tuple[Omitted, ...]]:
        design = self.design
        workflow, omitted = without_secrets(design.workflow, self.infos)
        extra, omitted_in_extra = extra_without_secrets(design.extra)
        if not omitted and not omitted_in_extra:
            return design, ()
        design = replace(design, workflow=workflow, extra=extra)
        return design, (*omitted, *omitted_in_extra)


# --- the functions that the table names for pictures ---


def to_svg(export: Export) -> Pack:
    from designer.canvas.drawing.picture import render_svg

    with _drawn(export) as (scene, design):
        picture = render_svg(scene, design.workflow.name)
    document = files.dumps(design).encode()
    return lambda: into_svg(picture, document)


def to_png(export: Export) -> Pack:
    from designer.canvas.drawing.picture import image_for_file, png_of

    with _drawn(export) as (scene, design):
        image = image_for_file(scene, export.scale)
    document = files.dumps(design).encode()
    return lambda: into_png(png_of(image), document)


def to_pdf(export: Export) -> Pack:
    from designer.canvas.drawing.picture import render_pdf

    with _drawn(export) as (scene, design):
        attached = (f"workflow{FILE_SUFFIX}", files.dumps(design).encode())
        page = render_pdf(scene, design.workflow.name, attached)
    return lambda: page


@contextmanager
def _drawn(export: Export) -> Iterator[tuple[CanvasScene, Design]]:
    """A scene that shows the drawing without secrets, and that drawing."""
    from designer.canvas.drawing.scene import CanvasScene
    from designer.look.theme import load_theme

    design = laid_out(export.public_design)
    scene = CanvasScene(load_theme(export.theme))
    scene.folder = None if export.folder is None else Path(export.folder)
    try:
        scene.show(design, export.infos)
        yield scene, design
    finally:
        scene.dispose()
        scene.deleteLater()
