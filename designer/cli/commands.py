"""The `stepwell` command: the runtime's commands, and those that open a window or need
the designer's model.

Qt is imported only when a window opens, so that everything else works on a machine that
has no display.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from designer.cli.debug import debug
from designer.cli.exchange import export, import_
from runtime.cli import command_line
from runtime.cli.command_line import app, register
from runtime.cli.command_table import COMMANDS as RUNTIME_COMMANDS
from runtime.cli.commands import FileArgument, JsonOption, check_is_file, naming
from runtime.cli.exit_codes import ExitCode
from runtime.errors import CommandError


class Direction(StrEnum):
    LR = "LR"
    TB = "TB"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; a file alone opens the window. Return the exit code."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    return command_line.main(
        ["open", *words] if words and _is_file(words[0]) else words
    )


def _is_file(word: str) -> bool:
    """Return whether a first word is a file: it exists, or it looks like a path or a
    file name. Another word is an unknown command.
    """
    if word.startswith("-") or word in COMMANDS:
        return False
    path = Path(word)
    return path.suffix != "" or path.name != word or path.is_file()


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.")
    ] = False,
) -> None:
    """Draw a workflow, run it in supersteps, and go back to any moment of any run.
    Alone it opens the window.
    """
    if version:
        from importlib import metadata

        typer.echo(f"stepwell {metadata.version('stepwell')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        raise typer.Exit(_window(None))


def open_window(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="A workflow file.", show_default=False),
    ] = None,
) -> int:
    """Open the window, on a workflow or on the start page."""
    if file is not None:
        check_is_file(file)
    return _window(file)


def _window(file: Path | None) -> int:
    from designer.startup import window_problem

    problem = window_problem()
    if problem:
        return _fail(problem)
    from designer.app import main as run_application

    return run_application(file)


def _fail(problem: str) -> int:
    from runtime.cli import report

    report.complain(problem)
    return ExitCode.FAILED


def demo(
    screenshot: Annotated[
        Path | None,
        typer.Option(
            "--screenshot",
            metavar="DIR",
            help="Write pictures of the window into this folder instead.",
        ),
    ] = None,
) -> int:
    """Show what Stepwell does: in the window, or in the terminal if there is no
    display.
    """
    if screenshot is not None:
        return _screenshots(screenshot)
    from designer.startup import window_problem

    problem = window_problem()
    if problem is None:
        from designer.app import main as run_application
        from designer.demo import start_demo

        return run_application(None, begin=start_demo)
    from runtime.cli import report
    from runtime.cli.demo import run_demo

    report.hint(f"{problem}\nSo here it is in the terminal.")
    return run_demo()


def _screenshots(folder: Path) -> int:
    import os

    from designer.startup import binding_problem

    problem = binding_problem()
    if problem:
        return _fail(problem)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from designer.screenshots import take_all

    for path in take_all(folder):
        typer.echo(str(path))
    return ExitCode.FINISHED


def layout(
    file: FileArgument,
    direction: Annotated[
        Direction | None,
        typer.Option(
            help="LR (left to right, the default) or TB (top to bottom).",
            show_default=False,
        ),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind",
            metavar="NAME",
            help="LR, TB, organic, tidy (moves only badly placed nodes), or a layout of an installed package.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", metavar="OUT", help="Write this file and leave FILE as it is."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Arrange the nodes of a workflow file. With --json it prints the positions and
    writes nothing.
    """
    from designer.model import edits, files
    from designer.model.layout.arrange import arrange
    from designer.model.layout.tidy import tidy
    from runtime.cli import report

    if kind is not None and direction is not None:
        raise CommandError(
            "Give --kind or --direction, not both: LR and TB are kinds, too."
        )
    check_is_file(file)
    with naming(file):
        design = files.load(file)
    name = kind or (direction or Direction.LR).value
    positions = tidy(design) if name == "tidy" else arrange(design, name)
    if as_json:
        report.print_json({id_: list(position) for id_, position in positions.items()})
    else:
        files.save(output or file, edits.move(design, positions))
        report.hint(f"Arranged {len(positions)} nodes in {output or file}.")
    return ExitCode.FINISHED


COMMANDS: dict[str, Callable[..., int]] = {
    **RUNTIME_COMMANDS,
    "export": export,
    "import": import_,
    "open": open_window,
    "demo": demo,
    "debug": debug,
    "layout": layout,
}
register(COMMANDS)

if __name__ == "__main__":
    sys.exit(main())
