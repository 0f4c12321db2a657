"""Runs, branches and checkpoints in one file, to pass them on to others.

    selection  which checkpoints of a store go into a file
    write      a store to a file
    plan       what an import would do, and whether the whole file is sound
    read       a file into a store, once its plan has no fault
    entries    the content of a file: parts, gaps, checkpoints, as lines and bytes
    blocks     the file around it: its format, its summary, and compressed blocks

The format of a file has the rules of the formats of checkpoints: an older file is read
for ever, and a newer one is refused with the version that it needs.
"""

from __future__ import annotations
