"""The section *Commands and options* of the guide, made from the command line itself.

`python -m tests.guide_commands` writes it into `command-line.md`; a test fails where
the two differ.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from enum import EnumType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from typer.models import ArgumentInfo

from designer.cli.commands import COMMANDS
from resources.guide import FOLDER

CHAPTER = FOLDER / "command-line.md"
HEADING = "## Commands and options\n"


def chapter_with_commands() -> str:
    """Return the chapter with its generated section as it should be."""
    written_by_hand = CHAPTER.read_text("utf-8").partition(HEADING)[0]
    sections = [
        _section(f"stepwell {name}", COMMANDS[name]) for name in sorted(COMMANDS)
    ]
    return f"{written_by_hand}{HEADING}\n" + "\n".join(sections)


def _section(name: str, function: Callable[..., Any]) -> str:
    words = [name]
    rows = []
    for parameter, type_, info in _parameters(function):
        is_required = parameter.default is inspect.Parameter.empty
        if isinstance(info, ArgumentInfo):
            words.append(info.metavar if is_required else f"[{info.metavar}]")
        meaning = [info.help.rstrip(".") + ".", *_limits(parameter, type_, info)]
        if is_required and not isinstance(info, ArgumentInfo):
            meaning.append("Required.")
        rows.append(
            f"| `{_shown_name(parameter, type_, info)}` | {' '.join(meaning)} |"
        )
    text = inspect.getdoc(function)
    return "\n".join(
        [
            f"### {name}",
            "",
            f"    {' '.join(words)}",
            "",
            f"{text}",
            "",
            "| name | means |",
            "|---|---|",
            *rows,
            "",
        ]
    )


def _parameters(
    function: Callable[..., Any],
) -> Iterator[tuple[inspect.Parameter, Any, Any]]:
    """Yield each parameter with its type and what typer knows of it."""
    hints = get_type_hints(function, include_extras=True)
    for parameter in inspect.signature(function).parameters.values():
        hint = hints[parameter.name]
        # A default may stand around the annotation: `Annotated[str, …] | None`.
        annotated = next(
            hint_part
            for hint_part in (hint, *get_args(hint))
            if get_origin(hint_part) is Annotated
        )
        yield parameter, *get_args(annotated)


def _shown_name(parameter: inspect.Parameter, type_: Any, info: Any) -> str:
    if isinstance(info, ArgumentInfo):
        return str(info.metavar)
    # In an annotation the first name is where typer otherwise has the default.
    names = [
        name
        for name in (info.default, *(info.param_decls or ()))
        if isinstance(name, str)
    ]
    shown = ", ".join(names or [f"--{parameter.name}"])
    return shown if not info.metavar or _listed(info) else f"{shown} {info.metavar}"


def _listed(info: Any) -> list[str]:
    """The choices that an option lists in place of a name for its value: `<a|b>`."""
    metavar = info.metavar or ""
    return metavar.strip("<>").split("|") if metavar.startswith("<") else []


def _limits(parameter: inspect.Parameter, type_: Any, info: Any) -> Iterator[str]:
    choices = _listed(info)
    for member in (type_, *get_args(type_)):
        if isinstance(member, EnumType):
            choices = [choice.value for choice in member]
    if choices:
        yield "One of: " + ", ".join(f"`{choice}`" for choice in choices) + "."
    if info.min is not None and info.max is not None:
        yield f"From {info.min} to {info.max}."
    if (
        parameter.default not in (None, False, inspect.Parameter.empty)
        and info.show_default is True
    ):
        yield f"Default: `{getattr(parameter.default, 'value', parameter.default)}`."


if __name__ == "__main__":
    CHAPTER.write_text(chapter_with_commands(), "utf-8")
