"""Which wrappers PySide keeps of things that Qt deletes without a word.

Python hears of the death of a `QObject`, and of whatever it made itself. Of the rest,
such as the items of a layout, it does not: a wrapper that is kept points at memory that
passes to another object, and when that object dies PySide uses it once more. So nobody
keeps one, not even while the thing is alive.
"""

from __future__ import annotations

import sys
from collections import Counter

LASTING = {"QMetaObject"}  # Qt never deletes these


def kept() -> Counter[str]:
    """The names of the types of such wrappers. Costs a millisecond or two with a window
    open.
    """
    if "PySide6.QtCore" not in sys.modules:
        return Counter()
    import shiboken6
    from PySide6.QtCore import QObject

    return Counter(
        type(wrapper).__name__
        for wrapper in shiboken6.getAllValidWrappers()
        if not isinstance(wrapper, QObject)
        and type(wrapper).__name__ not in LASTING
        and not shiboken6.createdByPython(wrapper)
        and not shiboken6.ownedByPython(wrapper)
    )
