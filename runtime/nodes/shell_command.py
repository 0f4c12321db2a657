"""Shell command: runs a program for each message, and sends on what it writes."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from runtime.errors import NodeError
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.executors.outside import Outside
from runtime.expressions.environment import NAME_PATTERN, Secrets
from runtime.expressions.template import Template, to_json
from runtime.nodes.base import NET, NodeParams, NodeType, Place, TemplateLine, render
from runtime.nodes.support.outside_words import program_name
from runtime.nodes.support.processes import Command, Ended, HeldOpenError, run
from runtime.nodes.support.text_input import lines_of
from runtime.system.bounded_files import from_json

# What programs need to start and to speak the user's language, and nothing that may be
# a secret.
_ALWAYS = (
    *(
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "LANG",
        "LANGUAGE",
        "LC_ALL",
        "LC_CTYPE",
        "TZ",
        "TERM",
    ),
    *(
        "TMPDIR",
        "TEMP",
        "TMP",
        "SYSTEMROOT",
        "SYSTEMDRIVE",
        "COMSPEC",
        "PATHEXT",
        "USERPROFILE",
        "APPDATA",
    ),
)
_SHOWN = 500  # characters of its complaint in an error text

Variable = Annotated[str, Field(pattern=NAME_PATTERN)]


class ShellCommandParams(NodeParams):
    program: str = Field(
        min_length=1,
        title="Program",
        description="The name of a program, or its path relative to the workflow's folder, such as ./convert.sh. With "
        "'Shell' a whole command line. Nothing of a message is filled in here.",
    )
    arguments: list[TemplateLine] = Field(
        default_factory=list,
        title="Arguments",
        description="One argument each, such as --name={message.name}. An argument stays one whatever it holds. With "
        '\'Shell\' they are "$1", "$2" and so on.',
    )
    shell: bool = Field(
        False,
        title="Shell",
        description="Let the shell run 'Program' as a command line, with pipes and variables.",
    )
    stdin: Literal["nothing", "message"] = Field(
        "nothing",
        title="Input",
        description="What the program reads: nothing, or the message (text and bytes as they are, else as JSON).",
    )
    output: Literal["text", "lines", "json", "bytes"] = Field(
        "text",
        title="Output as",
        description="What the program writes, as one text, a list of lines, the value of its JSON, or bytes.",
        json_schema_extra={"group": "Result"},
    )
    whole_result: bool = Field(
        False,
        title="Whole result",
        description="Send on a map with exit_code, output and errors, and not the output alone.",
        json_schema_extra={"group": "Result"},
    )
    exit_codes: list[Annotated[str, Field(pattern=r"^(any|\d{1,3})$")]] = Field(
        ["0"],
        min_length=1,
        title="Exit codes",
        description=(
            "The exit codes that are no error, such as 0 and 1, or any. Another "
            "one ends the run with an error."
        ),
        json_schema_extra={"group": "Result"},
    )
    variables: list[Variable] = Field(
        default_factory=list,
        title="Variables",
        description="Names of variables of the environment that the program gets beside PATH, HOME and the language.",
        json_schema_extra={
            "format": "environment-variable",
            "group": "Environment and limits",
        },
    )
    timeout: float = Field(
        60.0,
        gt=0,
        le=86_400,
        title="Timeout",
        description="Seconds after which it is ended, with all that it started.",
        json_schema_extra={"unit": "s", "group": "Environment and limits"},
    )
    max_bytes: int = Field(
        10_000_000,
        ge=1,
        title="Largest output",
        description="In bytes; a program that writes more is ended.",
        json_schema_extra={"unit": "bytes", "group": "Environment and limits"},
    )


class ShellCommandExecutor(Executor):
    def __init__(self, id: str, folder: Path, params: ShellCommandParams) -> None:
        super().__init__(id, type=SHELL_COMMAND.type)
        self._folder = folder
        self._params = params
        self._arguments = [Template(argument) for argument in params.arguments]

    @handler
    async def run(self, message: Any, ctx: WorkflowContext[Any]) -> None:
        secrets = Secrets()
        command = self._command(message, secrets)
        try:
            ended = await run(command, self._params.timeout, self._params.max_bytes)
        except HeldOpenError as error:
            raise self._error(
                f"ended, but what it has started held its output open for {self._params.timeout:g} s and was ended; "
                "lead the output of a program in the background elsewhere, such as to /dev/null"
            ) from error
        except TimeoutError as error:
            raise self._error(
                f"did not end within {self._params.timeout:g} s and was ended; allow more time"
            ) from error
        except OSError as error:
            raise self._error(
                f"cannot be started: {error.strerror} ({error.filename})"
            ) from error
        except ValueError as error:
            raise self._error(f"cannot be started: {error}") from error
        self._check(ended, secrets)
        await ctx.send_message(self._result(ended))

    def _command(self, message: Any, secrets: Secrets) -> Command:
        arguments = [render(template, message, self.id) for template in self._arguments]
        if self._params.shell:
            program = ["/bin/sh", "-c", self._params.program, "sh"]
        else:
            program = [self._params.program]
        if self._params.shell and os.name != "posix":
            program = [os.environ.get("COMSPEC", "cmd.exe"), "/c", self._params.program]
        return Command(
            [*program, *arguments],
            self._folder,
            self._environment(secrets),
            self._stdin(message),
        )

    def _environment(self, secrets: Secrets) -> dict[str, str]:
        inherited = {name: os.environ[name] for name in _ALWAYS if name in os.environ}
        try:
            return {
                **inherited,
                **{name: secrets.value(name) for name in self._params.variables},
            }
        except LookupError as error:
            raise NodeError(f"{error.args[0]}.", self.id) from error

    def _stdin(self, message: Any) -> bytes:
        if self._params.stdin == "nothing" or isinstance(message, bytes):
            return message if self._params.stdin == "message" else b""
        try:
            text = message if isinstance(message, str) else to_json(message)
        except ValueError as error:
            raise NodeError(
                f"the message cannot be written as JSON: {error}.", self.id
            ) from error
        return text.encode("utf-8", errors="surrogatepass")

    def _check(self, ended: Ended, secrets: Secrets) -> None:
        if ended.too_much:
            raise self._error(
                f"wrote more than {self._params.max_bytes} bytes and was ended; raise 'Largest output'"
            )
        if (
            "any" in self._params.exit_codes
            or str(ended.code) in self._params.exit_codes
        ):
            return
        if ended.code >= 0:
            how = f"ended with exit code {ended.code}"
        else:
            how = f"was ended by {_signal_name(-ended.code)}"
        output = secrets.mask(_text(ended.stderr or ended.stdout)).strip()[-_SHOWN:]
        raise self._error(f"{how}{f': {output}' if output else ''}")

    def _result(self, ended: Ended) -> Any:
        output = self._parsed(ended.stdout)
        if self._params.whole_result:
            return {
                "exit_code": ended.code,
                "output": output,
                "errors": _text(ended.stderr),
            }
        return output

    def _parsed(self, content: bytes) -> Any:
        match self._params.output:
            case "bytes":
                return content
            case "lines":
                return lines_of(_text(content))
            case "json":
                try:
                    return from_json(content)
                except ValueError as error:
                    raise self._error(
                        f"did not write JSON ({error}); take its output as text"
                    ) from error
            case _:
                return _text(content)

    def _error(self, why: str) -> NodeError:
        return NodeError(f"'{self._params.program}' {why.rstrip('.')}.", self.id)


def _text(content: bytes) -> str:
    return content.decode("utf-8", errors="replace")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _make(place: Place, params: ShellCommandParams) -> Executor:
    return ShellCommandExecutor(place.node_id, place.folder, params)


SHELL_COMMAND = NodeType(
    type="shell_command",
    title="Shell command",
    category=NET,
    icon="term",
    description=(
        "Runs a program in the workflow's folder for each message, and sends on "
        "what it writes. No shell is used unless 'Shell' is on, so nothing in a "
        "message can become a command. Stop and the time limit end the program and "
        "all that it started. A superstep that has failed "
        "runs it again; a run that goes on from the past has the recorded output."
    ),
    params=ShellCommandParams,
    make=_make,
    outside=lambda params: Outside(f"command {program_name(params.program)}"),
    summary="program",
    always_sends=True,
    sink=True,
)
