"""`stepwell verify`: the restore proof of a store, for people and for CI."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from runtime.cli.commands import (
    JsonOption,
    StoreArgument,
    errors_of,
    read_document,
    refuse,
    source_of,
)
from runtime.cli.exit_codes import ExitCode
from runtime.errors import CommandError

if TYPE_CHECKING:
    from runtime.checkpoint import CheckpointHeader, CheckpointStore
    from runtime.cli.target import Document, Source
    from runtime.debug.verify.results import Proof
    from runtime.debug.verify.workflows import Workflows

_MARKS = {
    "proved": ("✓", "green"),
    "failed": ("✗", "bold red"),
    "unchecked": ("⧗", "yellow"),
    "none": ("–", "dim"),
}
# Findings of one check that the text shows; `--json` has more.
_SHOWN = 10


def verify(
    store: StoreArgument,
    run_id: Annotated[
        str | None,
        typer.Option("--run", metavar="ID", help="Check the checkpoints of this run."),
    ] = None,
    checkpoint: Annotated[
        str | None,
        typer.Option("--checkpoint", metavar="ID", help="Check this checkpoint alone."),
    ] = None,
    workflow: Annotated[
        Path | None,
        typer.Option(
            "--workflow",
            metavar="FILE",
            help="Use this workflow file as it is now. Default: what each checkpoint carries.",
        ),
    ] = None,
    app: Annotated[
        str | None,
        typer.Option(
            "--app",
            metavar="MODULE:NAME",
            help="Use the workflow that this function makes, for runs built in Python.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Prove that each checkpoint is complete, comes back as it was, and goes on as it
    did. Runs handlers again, except those that reach outside. Changes nothing.

    The exit code is 0 if everything is proved, 1 for a failure, and 5 if nothing failed
    but something could not be checked.
    """
    if workflow is not None and app is not None:
        raise CommandError("Give --workflow or --app, and not both.")
    document = None if workflow is None else read_document(workflow)
    problems = errors_of(document)
    if document is not None and problems:
        return refuse(document.path, problems, as_json)
    import asyncio

    from runtime.cli.progress import OutputRedirection

    work = _Work(source_of(store), run_id, checkpoint)
    redirection = OutputRedirection()

    async def main() -> None:
        with redirection.to_stderr():
            await work.do(_workflows(document, app))

    try:
        asyncio.run(main())
    finally:
        redirection.restore()
    return work.report(as_json=as_json)


def _workflows(document: Document | None, app: str | None) -> Workflows:
    from runtime.debug.verify.workflows import (
        SavedWorkflows,
        WorkflowOfCode,
        WorkflowOfFile,
    )

    if document is not None:
        folder = document.path.resolve().parent
        return WorkflowOfFile(document.definition, folder)
    if app is None:
        return SavedWorkflows()
    from runtime.document.references import is_reference
    from runtime.loader.code_workflow import workflow_of

    if not is_reference(app):
        raise CommandError(
            f"'{app}' is not of the form MODULE:NAME, such as shop.orders:workflow."
        )
    folder = Path.cwd()
    # Once before the first checkpoint, so that a wrong name is an error of the command.
    workflow_of(app, folder)
    return WorkflowOfCode(lambda: workflow_of(app, folder))


class _Work:
    """One run of the command: which checkpoints, and what came of them."""

    def __init__(
        self, source: Source, run_id: str | None, checkpoint: str | None
    ) -> None:
        self._source = source
        self._run_id = run_id
        self._checkpoint = checkpoint
        self._proofs: list[dict[str, Any]] = []
        self._outcomes: Counter[str] = Counter()

    async def do(self, workflows: Workflows) -> None:
        from runtime.cli.target import opened
        from runtime.debug.verify.prover import Prover

        async with opened(self._source, read_only=True) as store:
            prover = Prover(store, workflows)
            with _progress() as progress:
                task = progress.add_task("checking", total=None)
                async for chosen, every in self._chosen(store):
                    done = len(self._proofs)
                    progress.update(task, total=done + len(chosen))
                    async for proof in prover.proofs(chosen, every):
                        self._note(proof)
                        progress.advance(task)

    async def _chosen(
        self, store: CheckpointStore
    ) -> AsyncIterator[tuple[Sequence[CheckpointHeader], Sequence[CheckpointHeader]]]:
        """Yield the checkpoints to prove, run by run, with all those of their run.
        Raise `CommandError` if there is none.
        """
        from runtime.cli.target import find, nothing

        workflow = self._source.workflow
        if self._checkpoint is not None:
            header = await find(store, self._checkpoint, self._source)
            if not header.run_id.startswith(self._run_id or ""):
                raise CommandError(
                    f"Checkpoint {header.id[:8]} is not of the run {self._run_id}."
                )
            yield [header], await store.headers(run_id=header.run_id)
            return
        run_ids = [
            run.run_id
            for run in await store.runs()
            if workflow in (None, run.workflow)
            and run.run_id.startswith(self._run_id or "")
        ]
        if not run_ids:
            if self._run_id is None:
                raise await nothing(store, self._source)
            raise CommandError(
                f"No run begins with {self._run_id!r}. See: "
                f"stepwell timeline {self._source.name}"
            )
        for run_id in run_ids:
            headers = await store.headers(run_id=run_id)
            yield headers, headers

    def _note(self, proof: Proof) -> None:
        self._outcomes[proof.outcome] += 1
        self._proofs.append(proof_json(proof))

    @property
    def _code(self) -> ExitCode:
        if self._outcomes["failed"]:
            return ExitCode.FAILED
        return ExitCode.UNCHECKED if self._outcomes["unchecked"] else ExitCode.FINISHED

    def report(self, *, as_json: bool) -> int:
        """Print what was found, and return the exit code."""
        from runtime.cli import report

        code = self._code
        counts = {
            name: self._outcomes[name] for name in ("proved", "failed", "unchecked")
        }
        if as_json:
            value = {**counts, "checkpoints": self._proofs, "exit_code": int(code)}
            report.print_json(value)
            return code
        for proof in self._proofs:
            if proof["outcome"] != "proved":
                _print_proof(proof)
        _print_counts(counts)
        return code


@contextlib.contextmanager
def _progress() -> Any:
    """Show how many checkpoints are checked, on a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from runtime.cli import report

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns,
        console=report.err,
        transient=True,
        disable=not report.err.is_terminal,
    ) as progress:
        yield progress


# --- JSON and text ------------------------------------------------------------------------------------------------


def proof_json(proof: Proof) -> dict[str, Any]:
    """Return a proof as plain values."""
    from runtime.debug.values.display import plain

    header = proof.header
    checks = []
    for check in proof.checks:
        findings = [
            {
                "part": finding.section,
                "path": finding.path,
                "kind": finding.kind,
                "recorded": plain(finding.old),
                "now": plain(finding.new),
                "text": finding.text,
                "writer": finding.writer,
                "compared_with": finding.checkpoint or None,
            }
            for finding in check.findings
        ]
        checks.append(
            {
                "check": check.name,
                "outcome": check.outcome,
                "text": check.text,
                "findings": findings,
                "more_findings": check.more,
            }
        )
    return {
        "id": header.id,
        "run_id": header.run_id,
        "branch": header.branch,
        "superstep": header.superstep,
        "cause": header.cause.value,
        "outcome": proof.outcome,
        "checks": checks,
    }


def _print_proof(proof: dict[str, Any]) -> None:
    from rich.text import Text

    from runtime.cli.report import out
    from runtime.debug.verify.results import TITLES

    mark, style = _MARKS[proof["outcome"]]
    place = f"superstep {proof['superstep']}, {proof['branch']}, {proof['cause']}"
    out.print(Text.assemble((mark, style), f" {proof['id'][:8]}  {place}"))
    for check in proof["checks"]:
        if check["outcome"] in ("proved", "none"):
            continue
        mark, style = _MARKS[check["outcome"]]
        title = TITLES[check["check"]]
        out.print(Text.assemble(("  " + mark, style), f" {title}: {check['text']}"))
        findings = check["findings"]
        said = ""
        for finding in findings[:_SHOWN]:
            _print_finding(finding, says_text=finding["text"] != said)
            said = finding["text"]
        left = len(findings) - _SHOWN + check["more_findings"]
        if left > 0:
            out.print(Text(f"      {left} more; --json shows them.", style="dim"))


def _print_finding(finding: dict[str, Any], *, says_text: bool) -> None:
    from rich.text import Text

    from runtime.cli.report import out, shorten, text_of

    old = shorten(text_of(finding["recorded"]), 60)
    new = shorten(text_of(finding["now"]), 60)
    where = f"{finding['part']} {finding['path']}".rstrip()
    values = ""
    if finding["kind"] == "added":
        values = f": only now: {new}"
    elif finding["kind"] == "removed":
        values = f": only in the record: {old}"
    elif finding["recorded"] is not None or finding["now"] is not None:
        values = f": {old} → {new}"
    writer = f", by {finding['writer']}" if finding["writer"] else ""
    out.print(Text(f"      {where}{values}{writer}"))
    if finding["text"] and says_text:
        out.print(Text(f"        {finding['text']}", style="dim"))


def _print_counts(counts: dict[str, int]) -> None:
    from rich.text import Text

    from runtime.cli.report import many, out

    total = many(sum(counts.values()), "checkpoint")
    words = [
        (f"{counts['proved']} proved", "green"),
        (f"{counts['failed']} failed", "bold red" if counts["failed"] else "dim"),
        (
            f"{counts['unchecked']} not checked",
            "yellow" if counts["unchecked"] else "dim",
        ),
    ]
    text = Text(f"{total}: ")
    for index, (word, style) in enumerate(words):
        text.append(", " if index else "")
        text.append(word, style=style)
    out.print(text)
