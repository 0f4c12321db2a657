"""The test and the README of a bug bundle."""

from __future__ import annotations

import re
from collections.abc import Sequence

from runtime.debug.bundle.expectation import Expectation
from runtime.debug.bundle.manifest import CHECKPOINTS, MANIFEST, PATCH, BundleManifest


def slug(name: str) -> str:
    """Return a name as a part of a name of a Python file."""
    return re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower() or "workflow"


def test_name(workflow: str, number: int) -> str:
    return f"test_{slug(workflow)}_{number}.py"


def test_body(number: int, expected: Sequence[Expectation]) -> str:
    """Return the function of the test, as the dialog shows it."""
    lines = [
        f"def test_advance_from_{number}(bundle):",
        f"    run = bundle.restore({number})",
        '    run.step(effects="recorded")',
    ]
    lines += [f"    assert {item.written(f'run.{item.place}')}" for item in expected]
    return "\n".join(lines) + "\n"


def test_text(manifest: BundleManifest, expected: Sequence[Expectation]) -> str:
    """Return the whole test file."""
    body = test_body(manifest.number, expected)
    # Only letters of a name, because it stands in a file that is run.
    name = slug(manifest.workflow)
    place = f"superstep {manifest.superstep + 1} from checkpoint #{manifest.number}"
    return f'''"""A fault in {name}, in {place}: red until it is mended.

README.md says how to run it.
"""

import pytest

from runtime.debug.bundle import Bundle


@pytest.fixture
def bundle():
    with Bundle(__file__) as opened:
        yield opened


{body}'''


def readme_text(manifest: BundleManifest) -> str:
    """Return the README."""
    lines = [
        f"# A fault in {_cell(manifest.workflow)}",
        "",
        f"Checkpoint #{manifest.number} (`{manifest.checkpoint}`) of the branch `{_cell(manifest.branch)}`.",
        f"It stands after superstep {manifest.superstep}. One superstep from there:",
        "",
        "| expected | actual |",
        "|---|---|",
    ]
    lines += [
        f"| `{_cell(item.expected)}` | `{_cell(item.actual)}` |"
        for item in manifest.expected
    ]
    lines += [
        "",
        f"The expectation: {manifest.source}.",
        "",
        "## Run the test",
        "",
        *_how_to_run(manifest),
        "",
        "It is red while the fault is there, and green once it is mended.",
        "",
        "## Look at it",
        "",
        "Drop the folder, or its zip, onto the window of Stepwell. The checkpoint opens.",
        "",
        "## What is here",
        "",
        *_contents(manifest),
        "",
        "## Versions",
        "",
    ]
    lines += [f"- {name} {version}" for name, version in manifest.versions.items()]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("`", "'")


def _how_to_run(manifest: BundleManifest) -> list[str]:
    lines = ["```bash", f"python -m pytest {manifest.test}", "```", ""]
    if manifest.code_needed or manifest.app:
        names = ", ".join(f"`{name}`" for name in manifest.code_needed)
        what = names or f"`{manifest.app.partition(':')[0]}`"
        lines.append(
            f"The code is not in the bundle ({what}). Run the test in its folder, or name it: "
            "`STEPWELL_CODE=FOLDER`."
        )
    if manifest.document:
        lines.append(
            f"Mend `{manifest.document}`, or name the workflow file that you mend: "
            "`STEPWELL_WORKFLOW=FILE`."
        )
    if manifest.variables:
        names = ", ".join(f"`{name}`" for name in manifest.variables)
        lines.append(
            f"Variables of the environment replace the secrets of the workflow: {names}. The test runs without them."
        )
    return lines


def _contents(manifest: BundleManifest) -> list[str]:
    lines = [f"- `{manifest.test}`: the test"]
    if manifest.document:
        lines.append(f"- `{manifest.document}`: the workflow as it ran")
    lines.append(
        f"- `{CHECKPOINTS}`: the checkpoints that show the fault, with the recorded results of calls that reach "
        "outside; `stepwell receive` imports them, too"
    )
    if manifest.has_patch:
        lines.append(f"- `{PATCH}`: the patch that is applied to the checkpoint first")
    lines += [f"- `{name}`: code that the workflow names" for name in manifest.code]
    lines.append(f"- `{MANIFEST}`: the same for programs")
    if manifest.covered:
        lines += [
            "",
            f"Covered: {', '.join(f'`{name}`' for name in manifest.covered)}.",
        ]
    return lines
