"""Work that waits for a disk, done in a thread while the window goes on painting.

Who asked waits too, and has the answer or the error as if the work had been done in place. Keys and the mouse wait
until then, as they may be about what is being written.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Generic, TypeVar

from PySide6.QtCore import QCoreApplication, QEventLoop, QObject, QThread, Signal

T = TypeVar("T")
SHORT = 0.02  # s: so long nobody sees that nothing is painted

_waiting = 0


def is_waiting() -> bool:
    """Whether somebody waits, in the middle of saving or the like; what comes meanwhile must not end a document."""
    return _waiting > 0


def beside(work: Callable[[], T]) -> T:
    """What `work` returns or raises. It must not touch what belongs to the window."""
    application = QCoreApplication.instance()
    if application is None or QThread.currentThread() is not application.thread():
        return work()
    errand = _Errand(work)
    errand.thread.start()
    errand.thread.join(SHORT)
    if errand.thread.is_alive():
        _wait(errand.bell)
    errand.thread.join()
    return errand.answer()


class _Bell(QObject):
    rung = Signal()


class _Errand(Generic[T]):
    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._results: list[T] = []
        self._error: BaseException | None = None
        self.bell = _Bell()
        self.thread = Thread(target=self._run, name="beside the window")

    def answer(self) -> T:
        if self._error is not None:
            raise self._error
        return self._results[0]

    def _run(self) -> None:
        try:
            self._results.append(self._work())
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            self._error = error
        self.bell.rung.emit()


def _wait(bell: _Bell) -> None:
    global _waiting  # noqa: PLW0603 - there is one window's thread in a process
    loop = QEventLoop()
    bell.rung.connect(loop.quit)  # queued, as it rings in another thread: also when it has rung before
    _waiting += 1
    try:
        loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    finally:
        _waiting -= 1
