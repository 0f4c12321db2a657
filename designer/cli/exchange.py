"""The commands `export` and `import`. An export runs no code that a workflow names."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from runtime.cli.commands import JsonOption, check_is_file, naming
from runtime.cli.exit_codes import ExitCode
from runtime.errors import CommandError
from runtime.export.formats import FORMATS, ExportFormat, format_of_file

if TYPE_CHECKING:
    from designer.model.design import Design


class Theme(StrEnum):
    LIGHT = "light"
    DARK = "dark"


def _format_named(name: str) -> ExportFormat:
    if name not in FORMATS:
        known = ", ".join(f"'{known}'" for known in FORMATS)
        raise typer.BadParameter(f"'{name}' is not one of {known}.")
    return FORMATS[name]


def export(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="A workflow file, or a picture with one inside. Only --to schema works without.",
        ),
    ] = None,
    to: Annotated[
        ExportFormat | None,
        typer.Option(
            "--to",
            parser=_format_named,
            metavar=f"<{'|'.join(FORMATS)}>",
            autocompletion=lambda: list(FORMATS),
            help="The format. Default: that of the name of OUT, else python.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="The file to write. Default: standard output; for a picture a file beside FILE.",
        ),
    ] = None,
    theme: Annotated[
        Theme, typer.Option("--theme", help="Colours of a picture.")
    ] = Theme.LIGHT,
    scale: Annotated[
        float,
        typer.Option(
            "--scale",
            metavar="N",
            min=0.1,
            max=8,
            help="Pixels of a PNG for each pixel of the drawing.",
        ),
    ] = 2.0,
    as_json: JsonOption = False,
) -> int:
    """Write a workflow as Python code, Mermaid, DOT, SVG, PNG, PDF, or JSON Schema of
    its input, output and answers.

    Pictures carry the workflow inside: open them like its file. An export leaves out secrets and names them.
    --to schema without FILE writes the schema of workflow files.
    """
    if to is None:
        named = format_of_file(output.name) if output is not None else None
        to = named or FORMATS["python"]
    if file is not None:
        content = _exported(file, to, theme, scale)
        if output is None and to.is_picture:
            output = file.with_name(_stem(file) + to.suffix)
    elif to.name == "schema":
        content = _schema_of_files()
    else:
        raise CommandError(
            f"export --to {to.name} needs a FILE: name the workflow file."
        )
    return _tell(content, output, as_json=as_json)


def _exported(file: Path, to: ExportFormat, theme: Theme, scale: float) -> bytes:
    import os

    from designer.startup import binding_problem

    check_is_file(file)
    with naming(file):
        design = _design(file)
    if to.is_picture:
        problem = binding_problem()
        if problem:
            raise CommandError(problem)
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        from designer.app import make_application

        # has to be there as long as something is painted
        application = make_application()
    else:
        application = None
    from designer.export import Export
    from runtime.cli import report
    from runtime.nodes import catalogue

    known = catalogue(file.parent)
    report.warn(known.warnings)
    infos = {info.type: info for info in known.infos()}
    with naming(file):
        export = Export(design, to, infos, file.parent, theme.value, scale)
        content = export.content()
    del application
    if export.omitted:
        secrets = ", ".join(map(str, export.omitted))
        report.warn([f"Secrets are left out. Set in the environment: {secrets}."])
    return content


def _design(file: Path) -> Design:
    from designer.model import files
    from designer.model.pictures import is_picture, load_picture

    return load_picture(file) if is_picture(file) else files.load(file)


def _stem(file: Path) -> str:
    from runtime.document.definition import FILE_SUFFIX

    if file.name.endswith(FILE_SUFFIX):
        return file.name.removesuffix(FILE_SUFFIX)
    return file.stem


def _schema_of_files() -> bytes:
    import json

    from runtime.document.files import json_schema

    return f"{json.dumps(json_schema(), indent=2)}\n".encode()


def _tell(content: bytes, output: Path | None, *, as_json: bool) -> int:
    from runtime.cli import report
    from runtime.document.files import write_bytes

    if output is not None:
        if output.is_dir():
            raise CommandError(f"{output} is a folder: name a file in it.")
        write_bytes(output, content)
    if as_json:
        text = {"text": content.decode()} if output is None else {}
        report.print_json(
            {
                "file": None if output is None else str(output),
                "bytes": len(content),
                **text,
            }
        )
    elif output is None:
        sys.stdout.write(content.decode())
    else:
        report.hint(f"Wrote {output}: {len(content):,} bytes.")
    return ExitCode.FINISHED


def import_(
    reference: Annotated[
        str,
        typer.Argument(
            metavar="MODULE:NAME",
            help="A workflow in Python, or a function that returns one.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The workflow file. Modules are looked up in its folder first.",
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--folder",
            metavar="DIR",
            help="Look up modules in this folder first instead.",
        ),
    ] = None,
    replace: Annotated[
        bool,
        typer.Option(
            "--replace",
            help="Import again over the file. Everything that does not come from the code stays.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Make a workflow file from a workflow in Python. Runs the module. The file keeps a
    link to it.
    """
    from runtime.document.definition import FILE_SUFFIX

    target = output or Path(
        f"{reference.partition(':')[0].rpartition('.')[2] or 'workflow'}{FILE_SUFFIX}"
    )
    if target.is_dir():
        raise CommandError(f"{target} is a folder: name a file in it.")
    if target.exists() and not replace:
        raise CommandError(
            f"{target} exists already: name another file, or give --replace."
        )
    from designer.model import edits, files
    from designer.model.layout.arrange import arrange
    from designer.model.reimport import reimported
    from designer.model.summary import summary
    from runtime.cli import report
    from runtime.loader.from_python import import_workflow
    from runtime.nodes import catalogue

    module_folder = folder or target.resolve().parent
    # Because the output of the module is no result of this command.
    with redirect_stdout(sys.stderr):
        workflow = import_workflow(reference, module_folder, catalogue(module_folder))
    design = files.to_design(workflow)
    changes: list[str] | None = None  # None for a new file
    if target.exists():
        with naming(target):
            before = files.load(target)
        design = reimported(before, design)
        changes = list(summary(before, design))
    else:
        design = edits.move(design, arrange(design))
    files.save(target, design)
    name = design.workflow.name
    nodes = len(design.workflow.nodes)
    if as_json:
        result = {"file": str(target), "workflow": name, "nodes": nodes}
        if changes is not None:
            result["changes"] = changes
        report.print_json(result)
        return ExitCode.FINISHED
    report.hint(f"Wrote {target}: the workflow {name}, {report.many(nodes, 'node')}.")
    if changes is not None:
        for line in changes or ["nothing has changed"]:
            report.hint(f"  {line}")
    return ExitCode.FINISHED
