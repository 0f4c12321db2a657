"""`Bundle`: with it the test of a bug bundle restores its checkpoint and goes on, without
a window and without the store that the bundle comes from.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from runtime.checkpoints.archive import Archive
from runtime.debug.bundle.checked_values import CheckedList, CheckedMap, checked
from runtime.debug.bundle.expectation import ROOTS, views_of
from runtime.debug.bundle.manifest import (
    CHECKPOINTS,
    PATCH,
    BundleManifest,
    read_manifest,
)
from runtime.document.files import read_file, read_json
from runtime.document.sub_workflows import saved_files
from runtime.errors import (
    DefinitionError,
    OutsideCallError,
    SignatureMismatchError,
    WorkflowException,
)
from runtime.sharing.read import import_file
from runtime.stores.memory import MemoryStore
from runtime.system.bounded_files import read_bytes
from runtime.values.user_failures import in_words

if TYPE_CHECKING:
    from runtime.engine.runner import Runner
    from runtime.patches.patch import Patch
    from runtime.workflow.workflow import Workflow

Effects = Literal["recorded", "live"]
# Variables of the environment that a test may set: another workflow file than that of
# the bundle, and the folder of the code that the bundle does not have.
WORKFLOW_VARIABLE = "STEPWELL_WORKFLOW"
CODE_VARIABLE = "STEPWELL_CODE"
# What a variable is set to that stands for a secret which was written in the workflow.
_STAND_IN = "covered"
_PATIENCE = 120  # seconds that a test may take
_KEPT = 4000  # characters of its output


class Bundle:
    """The bug bundle in a folder; also by the path of a file in it.

    with Bundle(__file__) as bundle:
        run = bundle.restore(14)
        run.step(effects="recorded")
        assert run.state["reach"]["certifi"] == 12
    """

    def __init__(self, place: str | Path) -> None:
        path = Path(place).resolve()
        self.folder = path if path.is_dir() else path.parent
        self.manifest: BundleManifest = read_manifest(self.folder)
        self._loop = asyncio.Runner()
        self._stand_ins: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._loop.close()
        while self._stand_ins:
            os.environ.pop(self._stand_ins.pop(), None)

    def restore(self, number: int, *, patched: bool = True) -> TrialRun:
        """Return a run that stands at the checkpoint of the bundle, by its number in
        the run. The patch of the bundle is applied, if it has one.

        Raise `WorkflowException` if the workflow cannot be built, or the checkpoint not
        be restored: that is another fault than the one of the bundle.
        """
        if number != self.manifest.number:
            raise WorkflowException(
                f"The bundle is about checkpoint #{self.manifest.number}, and not about #{number}."
            )
        patch = self._patch() if patched and self.manifest.has_patch else None
        return TrialRun(self._loop, partial(self._restored, patch))

    async def _restored(self, patch: Patch | None, effects: Effects) -> Runner:
        from runtime.engine.replay.settings import Replay
        from runtime.engine.runner import Runner

        store = MemoryStore()
        await import_file(store, self.folder / CHECKPOINTS)
        checkpoint_id = self.manifest.checkpoint
        definition = (await Archive(store).view(checkpoint_id)).definition
        missing = [name for name in self.manifest.variables if name not in os.environ]
        self._stand_ins += missing
        os.environ.update(dict.fromkeys(missing, _STAND_IN))
        replay = Replay(default="live")
        if effects == "recorded":
            replay = Replay(on_miss="refuse")
        runner = Runner(self._workflow(definition), store)
        try:
            await runner.restore(checkpoint_id, patch=patch, replay=replay)
        except SignatureMismatchError:
            # The graph was mended.
            await runner.restore(
                checkpoint_id, on_change="migrate", patch=patch, replay=replay
            )
        return runner

    def _patch(self) -> Patch:
        from runtime.patches.patch import patch_from

        return patch_from(read_json(read_bytes(self.folder / PATCH).decode()))

    def _workflow(self, definition: Mapping[str, Any] | None) -> Workflow:
        from runtime.loader.build import build
        from runtime.nodes import catalogue

        if not self.manifest.document:
            return _made(self.manifest.app, self._code_folder())
        given = os.environ.get(WORKFLOW_VARIABLE)
        file = Path(given) if given else self.folder / self.manifest.document
        folder = file.resolve().parent if given else self._code_folder()
        own = {
            folder / path.relative_to(_root_of(definition)): workflow
            for path, workflow in saved_files(definition).items()
            if path.is_relative_to(_root_of(definition))
        }
        missing = {path: value for path, value in own.items() if not path.is_file()}
        known = catalogue(folder).with_files(missing)
        return build(read_file(file).workflow, known, folder)

    def _code_folder(self) -> Path:
        """Return where the code is: in the bundle, or where the test is run."""
        given = os.environ.get(CODE_VARIABLE)
        if given:
            return Path(given).resolve()
        has_all = self.manifest.document and not self.manifest.code_needed
        return self.folder if has_all else Path.cwd()


def _root_of(definition: Mapping[str, Any] | None) -> Path:
    return Path(str((definition or {}).get("folder") or ".")).resolve()


def _made(app: str, folder: Path) -> Workflow:
    """Return the workflow that `module:name` makes. Raise `DefinitionError`."""
    from runtime.loader.python_modules import load
    from runtime.workflow.builder import WorkflowBuilder
    from runtime.workflow.workflow import Workflow

    if not app:
        raise DefinitionError(
            "The workflow of this bundle was built in Python, and nobody said what makes it. Make the bundle with "
            "--app MODULE:NAME."
        )
    value = load(app, folder)
    if callable(value) and not isinstance(value, Workflow | WorkflowBuilder):
        value = value()
    if isinstance(value, WorkflowBuilder):
        value = value.build()
    if not isinstance(value, Workflow):
        raise DefinitionError(f"'{app}' is no workflow, and makes none.")
    return value


class TrialRun:
    """A run that stands at a barrier, with what there is, as plain JSON values.

    error  the text of the error with which the last superstep failed, or None
    """

    def __init__(
        self,
        loop: asyncio.Runner,
        restored: Callable[[Effects], Coroutine[Any, Any, Runner]],
    ) -> None:
        self._loop = loop
        self._restored = restored
        self._effects: Effects = "recorded"
        self._runner = loop.run(restored(self._effects))
        self._has_begun = False
        self.views: dict[str, Any] = dict.fromkeys(ROOTS)
        self.error: str | None = None
        self._look()

    def step(self, effects: Effects = "recorded") -> None:
        """Run one superstep. A failed one leaves its text in `error`.

        With recorded effects, a call that reaches outside has the result that was
        recorded: of the same code, with the same messages and state. Raise
        `OutsideCallError` for one that has none; with live effects it is made.
        """
        if effects != self._effects:
            if self._has_begun:
                raise WorkflowException("All steps of a run have the same effects.")
            self._effects = effects
            self._runner = self._loop.run(self._restored(effects))
        self._has_begun = True
        try:
            self._loop.run(self._step())
        except OutsideCallError:
            raise
        except (KeyboardInterrupt, SystemExit, asyncio.CancelledError):
            raise
        except BaseException as error:  # noqa: BLE001 - user code raises anything
            self.error = in_words(error)
        self._look()

    async def _step(self) -> None:
        await self._runner.step()

    def _look(self) -> None:
        self.views = self._loop.run(self._viewed())
        self.views["error"] = self.error

    async def _viewed(self) -> dict[str, Any]:
        header = self._runner.header
        store = self._runner.store
        if header is None or store is None:
            return dict.fromkeys(ROOTS)
        return views_of(await Archive(store).view(header.id))

    def _view(self, root: str) -> Any:
        assert self.error is None, f"The superstep failed: {self.error}"  # noqa: S101 - read by a test
        return checked(self.views[root])

    @property
    def state(self) -> dict[str, Any]:
        return CheckedMap(self._view("state"))

    @property
    def executors(self) -> dict[str, Any]:
        return CheckedMap(self._view("executors"))

    @property
    def messages(self) -> list[Any]:
        return CheckedList(self._view("messages"))

    @property
    def joins(self) -> dict[str, Any]:
        return CheckedMap(self._view("joins"))

    @property
    def requests(self) -> dict[str, Any]:
        return CheckedMap(self._view("requests"))

    @property
    def runs(self) -> dict[str, Any]:
        return CheckedMap(self._view("runs"))

    @property
    def outputs(self) -> list[Any]:
        return CheckedList(self._view("outputs"))

    @property
    def status(self) -> str:
        return str(self._view("status"))

    @property
    def superstep(self) -> int:
        return int(self._view("superstep"))


def what_comes(folder: Path, number: int, code: Path | None) -> dict[str, Any]:
    """Return what there is one superstep after the checkpoint of a bundle. It blocks,
    and runs code of the workflow in this process.

    code  the folder of the code that is not in the bundle
    """
    before = os.environ.get(CODE_VARIABLE)
    os.environ[CODE_VARIABLE] = str(code or folder)
    try:
        with Bundle(folder) as bundle:
            run = bundle.restore(number)
            run.step()
            return dict(run.views)
    finally:
        os.environ.pop(CODE_VARIABLE, None)
        if before is not None:
            os.environ[CODE_VARIABLE] = before


# --- the test in a process of its own ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """What came of the test.

    fails     it is red by what it asserts, as it should while the fault is there
    text      why, in a line
    output    the end of what pytest has written
    """

    fails: bool
    text: str
    output: str = ""


def run_test(folder: Path, test: str, code: Path | None) -> Verdict:
    """Run the test of a bundle by pytest, in a process of its own. It blocks.

    code  the folder of the code that is not in the bundle
    """
    environment = dict(os.environ)
    environment.pop(WORKFLOW_VARIABLE, None)
    environment.pop("PYTEST_ADDOPTS", None)
    # The test needs no plugin, and some take seconds to start.
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    # The bundle gets no files but its own.
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    if code is not None:
        environment[CODE_VARIABLE] = str(code)
    roots = [str(Path(__file__).parents[3]), environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, roots))
    words = ["-m", "pytest", "-q", "-rf", "--tb=short", "-p", "no:cacheprovider"]
    words += ["--rootdir", str(folder), "-c", os.devnull, str(folder / test)]
    try:
        done = subprocess.run(  # noqa: S603 - the test that was just written
            [sys.executable, *words],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            cwd=folder,
            env=environment,
            timeout=_PATIENCE,
        )
    except subprocess.TimeoutExpired:
        return Verdict(False, f"The test took longer than {_PATIENCE} seconds.")
    return _verdict(done.returncode, done.stdout + done.stderr)


def _verdict(code: int, output: str) -> Verdict:
    end = output[-_KEPT:]
    if "No module named pytest" in output:
        return Verdict(False, "pytest is not installed: pip install pytest", end)
    if code == 0:
        return Verdict(False, "The test passes: the fault does not show.", end)
    failures = [line for line in output.splitlines() if line.startswith("FAILED ")]
    reasons = [line.partition(" - ")[2] for line in failures]
    if reasons and all(reason.startswith(("assert", "Assert")) for reason in reasons):
        return Verdict(True, reasons[0], end)
    errors = [line for line in output.splitlines() if line.startswith("E  ")]
    why = reasons[0] if reasons else (errors or ["it did not run"])[-1].strip("E ")
    return Verdict(False, f"The test fails for another reason: {why}", end)
