"""Python code in a document: its errors, found from its syntax tree alone. Nothing of
it is run.
"""

from __future__ import annotations

import ast
import warnings

from runtime.errors import SourceError

PYTHON_FORMAT = "python"
ENTRY = "run"  # the function that is called with each message
MAX_LENGTH = 200_000

Function = ast.FunctionDef | ast.AsyncFunctionDef


def parse(text: str) -> ast.Module:
    """Return the syntax tree. Raise `SourceError`, with the position, for invalid
    Python.
    """
    if len(text) > MAX_LENGTH:
        raise SourceError(
            f"it is longer than {MAX_LENGTH} characters; move a part of it into another module"
        )
    try:
        with warnings.catch_warnings():
            # of a doubtful escape: Python says so when the code is run
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        line = error.lineno or 1
        column = error.offset or 1
        raise SourceError(
            f"line {line}, column {column}: {error.msg}", line, column
        ) from error
    except (
        ValueError,
        RecursionError,
        MemoryError,
    ) as error:  # a null byte; brackets nested too deeply
        raise SourceError(
            f"it cannot be read as Python: {error or 'it is nested too deeply'}"
        ) from error


def check_source(text: str) -> None:
    """Raise `SourceError`, with the position where there is one, for code without
    a function `run(message)` or `run(message, ctx)`.
    """
    tree = parse(text)
    functions = [
        statement
        for statement in tree.body
        if isinstance(statement, Function) and statement.name == ENTRY
    ]
    if not functions:
        raise SourceError(
            f"there is no function '{ENTRY}': write  def {ENTRY}(message: str) -> str:  and its lines"
        )
    function = functions[-1]  # a later one replaces an earlier
    parameters = function.args
    positional = [*parameters.posonlyargs, *parameters.args]
    without_default = len(positional) - len(parameters.defaults)
    keywords = [
        parameter.arg
        for parameter, value in zip(
            parameters.kwonlyargs, parameters.kw_defaults, strict=True
        )
        if value is None
    ]
    taken = max(without_default, min(len(positional), 1))
    if taken not in (1, 2) or keywords:
        raise SourceError(
            f"line {function.lineno}, column {function.col_offset + 1}: '{ENTRY}' must take (message) or (message, "
            "ctx); give any other parameter a default",
            function.lineno,
            function.col_offset + 1,
        )
