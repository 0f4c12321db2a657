"""When the collector of garbage walks: never while a document is opened, and never over what a document is made of.

With five thousand nodes open one walk over everything takes as long as five frames, and whoever makes many objects,
such as a layout, brings it about.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


def spare_frames() -> None:
    """Walk seven times less often. Call when all modules are there; they are never walked over again."""
    gc.freeze()
    gc.set_threshold(2000, 10, 25)


@contextmanager
def held_back() -> Iterator[None]:
    """No walk meanwhile, and none over what was made in it until `collect`."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()


def collect() -> None:
    """Walk over everything, once: a document was closed."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
