"""`stepwell debug`: step through a workflow that was made in code."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from runtime.cli.commands import json_of
from runtime.cli.exit_codes import ExitCode
from runtime.errors import AddressError, CommandError

if TYPE_CHECKING:
    from designer.shell.window import Window
    from runtime.debug.remote.code_target import CodeTarget


def debug(
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="[MODULE:NAME]",
            help="A workflow in Python: itself, its builder, or a function that returns one of them.",
            show_default=False,
        ),
    ] = None,
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
    attach: Annotated[
        str | None,
        typer.Option(
            "--attach",
            metavar="ADDRESS",
            help="Attach to a program that listens instead: HOST:PORT, or the path of its socket.",
        ),
    ] = None,
    token: Annotated[
        str,
        typer.Option(
            "--token",
            metavar="TEXT",
            envvar="STEPWELL_TOKEN",
            help="The token of a port. Default: that of a program of this user.",
        ),
    ] = "",
    terminal: Annotated[
        bool, typer.Option("--terminal", help="In the terminal, without a window.")
    ] = False,
) -> int:
    """Step through a workflow that was made in code, in the window or in the terminal.
    Runs its code, or attaches to a program that runs it.
    """
    if (target is None) == (attach is None):
        raise CommandError("Give MODULE:NAME, or --attach ADDRESS.")
    if attach is not None:
        if input is not None or store is not None:
            raise CommandError(
                "A program that listens has its own input and store. Leave --input and --store out."
            )
        return _attach(attach, token, terminal)
    with ExitStack() as cleanup:
        code_target = _target(target or "", input, store, cleanup)
        if terminal:
            from runtime.cli.terminal.session import debug_code

            return debug_code(code_target)
        return _in_window(partial(show, code_target))


def _attach(text: str, token: str, terminal: bool) -> int:
    from runtime.system.listeners import address_of, listings

    try:
        address = address_of(text)
    except AddressError as error:
        raise CommandError(str(error)) from error
    for listing in listings():
        if listing.address == address:
            token = token or listing.token
    if terminal:
        from runtime.cli.terminal.session import debug_program

        return debug_program(address, token)
    return _in_window(lambda window: window.files.attach(address, token, str(address)))


def _target(
    reference: str, input: str | None, store: str | None, cleanup: ExitStack
) -> CodeTarget:
    """Return the target that the words mean. What `cleanup` removes is needed as long as
    it is debugged.
    """
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from runtime.debug.remote.code_target import CodeTarget
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


def _in_window(begin: Callable[[Window], object]) -> int:
    from designer.startup import window_problem
    from runtime.cli import report

    problem = window_problem()
    if problem:
        report.complain(f"{problem}\nIn the terminal: stepwell debug --terminal …")
        return ExitCode.FAILED
    from designer.app import main as run_application

    return run_application(None, begin=begin)


def show(target: CodeTarget, window: Window) -> None:
    """Debug a target in a tab of the window."""
    from designer.session.link import ProcessLink

    window.files.debug(ProcessLink(target.command), target.reference, target.reference)
