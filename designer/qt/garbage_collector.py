"""The collector of garbage walks in the window's thread only, between two events, and never while a document is opened.

Left to itself it walks in whichever thread makes an object, and takes away there what lies in circles: a timer, a
window, anything of Qt, in a thread that is not its own, which ends the process. `tests/designer/test_garbage.py` has
the case; every thread beside the window (`designer.qt.background`) could bring it about.

What a document is made of is kept out of its way, as one walk over five thousand nodes takes as long as five frames:
`python -m tests.benchmarks.window --only canvas5000 live` is what that pays for.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

EVERY = 20  # ms: the longer, the more there is to walk over at once
# new objects until a walk over these; so many walks until one that is a step longer
DUE = (2000, 10, 25)


def spare_frames(parent: QObject) -> None:
    """Walk now and then, as long as `parent` is there. Call when all modules are; they are never walked over again."""
    gc.freeze()
    gc.disable()
    timer = QTimer(parent, interval=EVERY)
    timer.timeout.connect(walk_if_due)
    timer.start()


def walk_if_due() -> None:
    young, middle, old = (
        count > due for count, due in zip(gc.get_count(), DUE, strict=True)
    )
    if young:
        gc.collect(2 if middle and old else 1 if middle else 0)


def freeze() -> None:
    """No walk over what there is now until `collect`."""
    gc.freeze()


def collect() -> None:
    """Walk over everything, once: a document was closed."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
