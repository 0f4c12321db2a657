"""Python's garbage collector, run by the window itself.

Two things pay for this module:

* A crash. Left to itself, the collector runs in whichever thread creates an object, and
  deletes the cycles that it finds in that thread. A cycle with a timer or a widget in it
  ends the process, because Qt's objects must be deleted in their own thread. Each thread
  beside the window (`designer.qt.background`) could cause it. `tests/designer/test_garbage.py`
  shows the crash.
* Frames. A full collection over a document of 5,000 nodes takes as long as five frames.
  `python -m tests.benchmarks.window --only canvas5000 live` measures it.

So the collector is switched off, and a timer of the window runs it between two events.
What a document is made of is frozen when the document is opened: the collector skips it
until a document is closed, and then everything is collected once.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

# ms between two looks at the counts. The longer it is, the more there is to collect at
# once.
INTERVAL = 20
# As `gc.set_threshold`: a generation is collected when its count is above its
# threshold. The first counts new objects, the others the collections of the generation
# before.
THRESHOLDS = (2000, 10, 25)


def collect_from_timer(parent: QObject) -> None:
    """Collect garbage from a timer only, as long as `parent` exists.

    Call it after all modules are imported, because they are frozen for ever.
    """
    gc.freeze()
    gc.disable()
    timer = QTimer(parent, interval=INTERVAL)
    timer.timeout.connect(collect_if_due)
    timer.start()


def collect_if_due() -> None:
    """Collect the generations that are due, as Python does by itself."""
    young, middle, old = (
        count > threshold
        for count, threshold in zip(gc.get_count(), THRESHOLDS, strict=True)
    )
    if young and middle and old:
        gc.collect(2)
    elif young and middle:
        gc.collect(1)
    elif young:
        gc.collect(0)


def freeze() -> None:
    """Skip all present objects until `collect`, because a document was opened."""
    gc.freeze()


def collect() -> None:
    """Collect everything once, because a document was closed."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
