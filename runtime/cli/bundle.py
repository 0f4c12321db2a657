"""The command `bundle`: a fault as a folder with a test that is red until it is mended."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from runtime.cli.commands import IdArgument, JsonOption, StoreArgument, source_of
from runtime.cli.exit_codes import ExitCode
from runtime.errors import CommandError

if TYPE_CHECKING:
    from runtime.cli.target import Source
    from runtime.debug.bundle.draft import Draft, Wish
    from runtime.debug.bundle.manifest import BundleManifest
    from runtime.debug.bundle.trial import Verdict

_MOST = 300  # characters of a value that are printed; bundle.json has it whole


def bundle(
    store: StoreArgument,
    checkpoint: Annotated[str, IdArgument],
    to: Annotated[
        Path | None,
        typer.Option(
            "--to",
            metavar="FOLDER",
            help="A new folder, or a file that ends with .zip. Default: bugs/WORKFLOW-NUMBER",
        ),
    ] = None,
    expect: Annotated[
        list[str] | None,
        typer.Option(
            "--expect",
            metavar="TEXT",
            help="What should be after the next superstep, such as 'state[\"n\"] == 12'. Default: what was recorded.",
        ),
    ] = None,
    patch: Annotated[
        Path | None,
        typer.Option(
            "--patch", metavar="FILE", help="Apply this patch to the checkpoint first."
        ),
    ] = None,
    with_code: Annotated[
        bool,
        typer.Option("--with-code", help="Put in the code that the workflow names."),
    ] = False,
    whole_run: Annotated[
        bool, typer.Option("--whole-run", help="Put in all checkpoints of the run.")
    ] = False,
    cover: Annotated[
        bool,
        typer.Option(
            "--cover-personal",
            help="Cover e-mail addresses, and what stands under names such as author.",
        ),
    ] = False,
    app: Annotated[
        str | None,
        typer.Option(
            "--app",
            metavar="MODULE:NAME",
            help="What makes the workflow, for runs built in Python.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Write a fault as a folder: checkpoints, workflow, and a test that is red until the
    fault is mended. Runs the next superstep.

    The exit code is 1 if the test is not red, or is red for another reason.
    """
    from runtime.cli.patch import read_patch
    from runtime.debug.bundle.draft import Wish

    given = None if patch is None else read_patch(str(patch))
    wish = Wish("", tuple(expect or ()), given, with_code, whole_run, cover, app or "")
    work = _Work(source_of(store), checkpoint, wish, to)
    work.do()
    return work.report(as_json=as_json)


class _Work:
    """One run of the command."""

    def __init__(
        self, source: Source, checkpoint: str, wish: Wish, to: Path | None
    ) -> None:
        self._source = source
        self._checkpoint = checkpoint
        self._wish = wish
        self._to = to
        self._manifest: BundleManifest | None = None
        self._verdict: Verdict | None = None
        self._sizes: dict[str, int] = {}

    def do(self) -> None:
        """Look for the fault, write the bundle, and run its test."""
        import asyncio

        from runtime.cli import report
        from runtime.debug.bundle.target import place_for, sizes
        from runtime.debug.bundle.trial import run_test

        draft = asyncio.run(self._with_store(None, None))
        if draft.code and self._wish.with_code:
            report.hint(f"With the code: {', '.join(map(str, draft.code))}")
        if not draft.expected:
            self._look_for_fault(draft)
        target = self._target(draft)
        with place_for(target) as folder:
            asyncio.run(self._with_store(draft, folder))
            self._verdict = run_test(folder, draft.test, draft.code_elsewhere)
            self._sizes = sizes(folder)
        self._to = target

    async def _with_store(self, draft: Draft | None, folder: Path | None) -> Draft:
        """Open the store, make the draft of the bundle, and write it into a folder."""
        from dataclasses import replace

        from runtime.cli.target import find, opened
        from runtime.debug.bundle.draft import draft_of

        async with opened(self._source, read_only=True) as store:
            if draft is None:
                header = await find(store, self._checkpoint, self._source)
                draft = await draft_of(
                    store, replace(self._wish, checkpoint_id=header.id)
                )
            draft.store = store
            if folder is not None:
                self._manifest = await draft.write(folder)
        return draft

    def _look_for_fault(self, draft: Draft) -> None:
        """Run the next superstep, and expect what was recorded."""
        import asyncio

        from runtime.cli.progress import OutputRedirection
        from runtime.debug.bundle.trial import what_comes

        redirection = OutputRedirection()
        with tempfile.TemporaryDirectory() as name:
            asyncio.run(self._with_store(draft, Path(name)))
            try:
                with redirection.to_stderr():
                    actual = what_comes(Path(name), draft.number, draft.code_elsewhere)
            finally:
                redirection.restore()
        draft.expect_recorded(actual)

    def _target(self, draft: Draft) -> Path:
        from runtime.debug.bundle.texts import slug

        if self._to is not None:
            return self._to
        return Path("bugs", f"{slug(draft.header.workflow)}-{draft.number}")

    def report(self, *, as_json: bool) -> int:
        """Print what came of it, and return the exit code."""
        from runtime.cli import report

        manifest = self._manifest
        verdict = self._verdict
        if manifest is None or verdict is None:
            raise CommandError("Nothing was written.")
        code = ExitCode.FINISHED if verdict.fails else ExitCode.FAILED
        if as_json:
            report.print_json(self._json(manifest, verdict, code))
        else:
            for item in manifest.expected:
                wanted = report.shorten(item.expected, _MOST)
                came = report.shorten(item.actual, _MOST)
                report.out.print(f"expected  {wanted}", markup=False)
                report.out.print(f"actual    {came}", markup=False)
            for name, size in self._sizes.items():
                report.out.print(f"  {name}  {size:,} bytes", markup=False)
            if verdict.fails:
                report.print_fine(f"{self._to}: {manifest.test} fails, as it should")
        if not verdict.fails:
            report.complain(f"{self._to} was written. {verdict.text}")
        return code

    def _json(
        self, manifest: BundleManifest, verdict: Verdict, code: int
    ) -> dict[str, Any]:
        return {
            "to": str(self._to),
            "test": manifest.test,
            "fails": verdict.fails,
            "text": verdict.text,
            "expected": [item.model_dump() for item in manifest.expected],
            "files": self._sizes,
            "exit_code": int(code),
        }
