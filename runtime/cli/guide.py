"""The command `help`: it prints a chapter of the guide."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from runtime.cli.exit_codes import ExitCode
from runtime.errors import CommandError

# A link to a chapter or to one of its headings. In a terminal it becomes the command
# that prints the chapter.
_CHAPTER_LINK = re.compile(r"\[([^\]\n]+)\]\(([\w-]+)\.md(?:#[\w-]+)?\)")
_HEADING_LINK = re.compile(r"\[([^\]\n]+)\]\(#[\w-]+\)")
_WIDEST = 100


def print_help(
    chapter: Annotated[
        str | None,
        typer.Argument(
            metavar="CHAPTER",
            help="The chapter, such as `checkpoints`.",
            show_default="the list of chapters",
        ),
    ] = None,
) -> int:
    """Print a chapter of the guide, or the list of its chapters."""
    from resources import guide
    from runtime.cli.markdown import FoldedMarkdown
    from runtime.cli.report import out

    name = chapter or guide.INDEX
    if name not in guide.chapters():
        raise CommandError(_unknown(name))
    content = guide.chapters()[name]
    text = f"# {content.title}\n\n{_for_terminal(content.body)}"
    width = min(out.width, _WIDEST)
    out.print(FoldedMarkdown(text, hyperlinks=False), width=width, soft_wrap=False)
    return ExitCode.FINISHED


def _for_terminal(text: str) -> str:
    text = _CHAPTER_LINK.sub(r"\1 (`stepwell help \2`)", text)
    return _HEADING_LINK.sub(r"\1", text)


def _unknown(name: str) -> str:
    from resources import guide
    from runtime.cli.command_line import app
    from runtime.expressions.similar_names import did_you_mean

    commands = [info.name for info in app.registered_commands if info.name]
    if name in commands:
        return f"{name} is a command, not a chapter. See: stepwell {name} --help"
    guess = did_you_mean(name, guide.chapters()) or "."
    return f"There is no chapter {name!r}{guess} See all: stepwell help"
