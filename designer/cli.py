"""The `stepwell` command: the runtime's commands, and those that open a window or need the designer's model.

Qt is imported only when a window opens, so that everything else works on a machine that has no display.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from runtime import reporting
from runtime.cli import FAILED, FINISHED, FileArgument, JsonOption, Misuse, app
from runtime.errors import DefinitionError


class Direction(StrEnum):
    LR = "LR"
    TB = "TB"


@app.callback(invoke_without_command=True)
def start(context: typer.Context) -> None:
    """Without a command, the window opens."""
    if context.invoked_subcommand is None:
        raise typer.Exit(_window(None))


@app.command("open")
def open_window(
    file: Annotated[Path | None, typer.Argument(help="A workflow file.", show_default=False)] = None,
) -> None:
    """Open the window, on a workflow or on the start page."""
    if file is not None and not file.is_file():
        raise Misuse(f"There is no file {file}.")
    raise typer.Exit(_window(file))


def _window(file: Path | None) -> int:
    from designer.startup import window_problem

    problem = window_problem()
    if problem:
        reporting.complain(problem)
        return FAILED
    from designer.app import main as run_application

    return run_application(file)


@app.command()
def demo(
    screenshot: Annotated[
        Path | None, typer.Option("--screenshot", metavar="DIR", help="Write pictures of the window there instead.")
    ] = None,
) -> None:
    """See what Stepwell does: in the window where there is a display, else in the terminal."""
    if screenshot is not None:
        raise typer.Exit(_screenshots(screenshot))
    from designer.startup import window_problem

    problem = window_problem()
    if problem is None:
        from designer.app import main as run_application

        raise typer.Exit(run_application(None, demo=True))
    from runtime.demo import run_demo

    reporting.err.print(f"{problem}\nShowing the demo in the terminal.\n")
    raise typer.Exit(run_demo())


def _screenshots(folder: Path) -> int:
    import os

    from designer.startup import binding_problem

    problem = binding_problem()
    if problem:
        reporting.complain(problem)
        return FAILED
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from designer.screenshots import take_all

    for path in take_all(folder):
        reporting.out.print(str(path))
    return FINISHED


@app.command()
def layout(
    file: FileArgument,
    direction: Annotated[Direction, typer.Option(help="LR (left to right) or TB (top to bottom).")] = Direction.LR,
    output: Annotated[Path | None, typer.Option("--output", help="Write there instead of into the file.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Arrange the nodes of a workflow file. With --json, print the positions and write nothing."""
    from designer.model import edits, files
    from designer.model.layout import arrange

    try:
        design = files.load(file)
    except FileNotFoundError:
        raise Misuse(f"There is no file {file}.") from None
    except DefinitionError as error:
        reporting.complain(str(error))
        raise typer.Exit(FAILED) from None
    positions = arrange(design, direction="TB" if direction is Direction.TB else "LR")
    if as_json:
        reporting.print_json({id_: list(position) for id_, position in positions.items()})
        return
    files.save(output or file, edits.move(design, positions))
    reporting.err.print(f"Arranged {len(positions)} nodes in {output or file}.")


def main() -> None:
    app()


if __name__ == "__main__":
    main()
