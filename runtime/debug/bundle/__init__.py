"""A bug as a folder: the workflow, the few checkpoints that show the fault, what was
expected and what came instead, and a test that is red until the fault is mended.

    expectation  what should be at a place of a checkpoint, such as state["reach"]["certifi"] == 12
    cover        secrets, and personal data on request, covered in checkpoints and documents
    manifest     `bundle.json`: what a bundle is about
    code         the files of code that a workflow needs, and versions
    draft        a bundle of a checkpoint in a store, before it is written, and as files
    target       the folder or the zip where the files go
    texts        the test and the README
    trial        `Bundle`, with which the test restores and steps; the run of a test in a process
    opener       a bundle, also a zip of one, into a store that the window can look at
"""

from __future__ import annotations

from runtime.debug.bundle.trial import Bundle as Bundle
