"""Work in another thread than the window's: long work, and waits for a disk.

A background thread must not hold widgets or other objects of Qt, because the last
reference to such an object would delete it in the wrong thread. So work holds data
only, and outcomes wait in a queue until the window's thread takes them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import count
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Generic, NamedTuple, TypeVar

import shiboken6
from PySide6.QtCore import QCoreApplication, QEventLoop, QObject, QThread, Signal

T = TypeVar("T")
SHORT = 0.02  # s for which the window can do without painting

_waits = 0  # of `run_in_background`, one inside of another


class Outcome(NamedTuple, Generic[T]):
    """The result of work, or the exception that it raised."""

    result: T | None
    error: BaseException | None

    def value(self) -> T:
        if self.error is not None:
            raise self.error
        return self.result  # type: ignore[return-value]  # it may be None by itself


def outcome_of(work: Callable[[], T]) -> Outcome[T]:
    try:
        return Outcome(work(), None)
    except BaseException as error:  # noqa: BLE001 - its receiver raises or reports it
        return Outcome(None, error)


# --- work for which the caller does not wait ---


class Lane:
    """Does one piece of work after another, in one thread. The end of the process does
    not wait for a `daemon`.
    """

    def __init__(self, name: str, *, daemon: bool = False) -> None:
        self._name = name
        self._daemon = daemon
        self._lock = Lock()
        self._queue: deque[tuple[int, Callable[[], Any]]] = deque()
        self._thread: Thread | None = None

    def start(
        self,
        owner: QObject,
        work: Callable[[], T],
        on_outcome: Callable[[Outcome[T]], object],
    ) -> int:
        """Do this work after earlier work, and return its number. `on_outcome` is
        called in the window's thread, unless the owner is deleted or the number was
        dropped.
        """
        bell = _Bell.of_process()
        number = bell.expect(owner, on_outcome)
        with self._lock:
            self._queue.append((number, work))
            if self._thread is None:
                self._thread = Thread(
                    target=self._run, args=(bell,), name=self._name, daemon=self._daemon
                )
                self._thread.start()
        return number

    def drop(self, number: int) -> None:
        """Drop the outcome of work, and the work itself if it has not begun."""
        _Bell.of_process().forget(number)
        with self._lock:
            self._queue = deque(job for job in self._queue if job[0] != number)

    def wait(self) -> None:
        """Wait until all work is done. The outcomes are received later."""
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self, bell: _Bell) -> None:
        while True:
            with self._lock:
                if not self._queue:
                    self._thread = None
                    return
                number, work = self._queue.popleft()
            bell.ring(number, outcome_of(work))
            del work


class _Bell(QObject):
    """Takes outcomes from threads to the window's thread. There is one for ever, so
    that none is deleted in a thread.
    """

    rung = Signal()
    _one: _Bell | None = None

    def __init__(self) -> None:
        super().__init__()
        self._numbers = count(1)
        self._outcomes: SimpleQueue[tuple[int, Outcome[Any]]] = SimpleQueue()
        self._expected: dict[int, tuple[QObject, Callable[[Outcome[Any]], object]]] = {}
        self.rung.connect(self._take)

    @classmethod
    def of_process(cls) -> _Bell:
        if cls._one is None:
            cls._one = cls()
        return cls._one

    def expect(
        self, owner: QObject, on_outcome: Callable[[Outcome[Any]], object]
    ) -> int:
        number = next(self._numbers)
        self._expected[number] = owner, on_outcome
        return number

    def forget(self, number: int) -> None:
        self._expected.pop(number, None)

    def ring(self, number: int, outcome: Outcome[Any]) -> None:
        """Hand over an outcome, in any thread."""
        self._outcomes.put((number, outcome))
        self.rung.emit()

    def _take(self) -> None:
        while not self._outcomes.empty():
            number, outcome = self._outcomes.get()
            owner, on_outcome = self._expected.pop(number, (None, None))
            if on_outcome is not None and shiboken6.isValid(owner):
                on_outcome(outcome)


# --- work for which the caller waits ---


def is_waiting() -> bool:
    """Return whether a caller of `run_in_background` waits, for example in the middle
    of a save. A document must not be closed meanwhile.
    """
    return _waits > 0


def run_in_background(work: Callable[[], T]) -> T:
    """Return or raise what `work` does, and let the window paint meanwhile. Keys and
    the mouse wait, because they could change what is written.
    """
    application = QCoreApplication.instance()
    if application is None or QThread.currentThread() is not application.thread():
        return work()
    outcomes: list[Outcome[T]] = []
    bell = _Bell.of_process()
    loop = QEventLoop()
    number = bell.expect(loop, lambda _outcome: loop.quit())

    def run() -> None:
        outcomes.append(outcome_of(work))
        bell.ring(number, Outcome(None, None))

    thread = Thread(target=run, name="beside the window")
    thread.start()
    thread.join(SHORT)
    if thread.is_alive():
        _wait(loop)
    thread.join()
    bell.forget(number)
    return outcomes[0].value()


def _wait(loop: QEventLoop) -> None:
    global _waits  # noqa: PLW0603 - there is one window's thread in a process
    _waits += 1
    try:
        loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    finally:
        _waits -= 1
