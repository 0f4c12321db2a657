"""`stepwell debug`: step through a workflow that was made in code."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from runtime.cli.commands import json_of
from runtime.cli.exit_codes import ExitCode
from runtime.errors import CommandError

if TYPE_CHECKING:
    from designer.shell.window import Window
    from runtime.debug.code_target import CodeTarget


def debug(
    target: Annotated[
        str,
        typer.Argument(
            metavar="MODULE:NAME",
            help="A workflow in Python: itself, its builder, or a function that returns one of them.",
            show_default=False,
        ),
    ],
    input: Annotated[
        str | None,
        typer.Option("--input", metavar="JSON", help="The input of its runs."),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            metavar="URL",
            help="The store for checkpoints. Default: the workflow's own, else one that ends with the window.",
        ),
    ] = None,
) -> int:
    """Step through a workflow that was made in code, in the window. Runs its code."""
    with ExitStack() as cleanup:
        return _in_window(_target(target, input, store, cleanup))


def _target(
    reference: str, input: str | None, store: str | None, cleanup: ExitStack
) -> CodeTarget:
    """Return the target that the words mean. What `cleanup` removes is needed as long as
    it is debugged.
    """
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from runtime.debug.code_target import CodeTarget
    from runtime.document.references import is_reference

    if not is_reference(reference):
        raise CommandError(
            f"'{reference}' is not of the form MODULE:NAME, such as shop.orders:workflow. "
            "A workflow file is opened by: stepwell open FILE"
        )
    folder = cleanup.enter_context(TemporaryDirectory(prefix="stepwell-"))
    return CodeTarget(
        reference=reference,
        folder=str(Path.cwd()),
        store=store or "",
        # In a file, so that nothing is lost when the process of the run has to be ended.
        spare_store=f"sqlite:{Path(folder) / 'runs.db'}",
        has_input=input is not None,
        input=None if input is None else json_of(input, "--input"),
    )


def _in_window(target: CodeTarget) -> int:
    from designer.startup import window_problem
    from runtime.cli import report

    problem = window_problem()
    if problem:
        report.complain(problem)
        return ExitCode.FAILED
    from designer.app import main as run_application

    return run_application(None, begin=partial(show, target))


def show(target: CodeTarget, window: Window) -> None:
    """Debug a target in a tab of the window."""
    from designer.session.link import ProcessLink

    window.files.debug(ProcessLink(target.command), target.reference, target.reference)
