"""Bug bundles: made of a checkpoint, and opened."""

from __future__ import annotations

from typing import Literal

from runtime.debug.protocol.packets import Model
from runtime.patches.patch import Patch

Verdict = Literal["none", "fails", "passes", "other"]


class BundleArguments(Model):
    """Make a bug bundle of a checkpoint of the store that is open.

    expect    what should be after one superstep, each as Python
    app       `module:name` of what makes a workflow that was built in Python
    to        a new folder, or a file that ends with `.zip`; without one nothing is kept, and the reply says what
              would be in it
    find_fault  if nothing is expected: run one superstep, and expect what was recorded
    run_test    run its test in a process of its own

    The last two run code of the workflow.
    """

    checkpoint_id: str
    expect: tuple[str, ...] = ()
    patch: Patch | None = None
    with_code: bool = False
    whole_run: bool = False
    cover_personal: bool = False
    app: str = ""
    to: str = ""
    find_fault: bool = False
    run_test: bool = False


class BundleItem(Model):
    """What goes in, or could: `bytes` is 0 for what does not. `names` are all files of
    code, or all places that are covered.
    """

    id: Literal["graph", "checkpoints", "effects", "patch", "code", "personal", "run"]
    text: str
    bytes: int = 0
    names: tuple[str, ...] = ()


class BundleBody(Model):
    """What is in a bundle, or would be.

    place     the checkpoint in words, such as "#14"
    expected  each line with what there is instead; empty as long as nothing is expected
    source    where the expectation comes from
    test      the name of the test, and `test_text` its function
    verdict   what came of the test; `text` why
    folder    where the code of the workflow is; a run of the test runs it
    name      a name for the folder
    """

    place: str
    expected: tuple[tuple[str, str], ...]
    source: str
    items: tuple[BundleItem, ...]
    test: str
    test_text: str
    name: str
    folder: str
    verdict: Verdict = "none"
    text: str = ""


class BundleOpenArguments(Model):
    """Open a bundle: a folder, its `bundle.json`, or a zip, which is unpacked."""

    path: str


class BundleOpenBody(Model):
    """Where an opened bundle is: its document (empty for a workflow built in Python), the
    store with its checkpoints, and the one that it is about.
    """

    folder: str
    document: str
    store: str
    run_id: str
    checkpoint_id: str
