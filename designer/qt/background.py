"""Work done in a thread beside the window: what takes long, or waits for a disk.

A thread has neither widgets nor any other object of Qt: what dies in it would take them along, in the wrong thread. So
work holds data only, and answers wait in a queue until the window's thread takes them out.
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
SHORT = 0.02  # s: so long nobody sees that nothing is painted

_waiting = 0


class Outcome(NamedTuple, Generic[T]):
    """What work came to: its result, or what it raised."""

    result: T | None
    error: BaseException | None

    def value(self) -> T:
        if self.error is not None:
            raise self.error
        return self.result  # type: ignore[return-value]  # it may be None by itself


def outcome_of(work: Callable[[], T]) -> Outcome[T]:
    try:
        return Outcome(work(), None)
    except BaseException as error:  # noqa: BLE001 - raised again, or told, by who takes it
        return Outcome(None, error)


# --- who asks does not wait ------------------------------------------------------------------------------------------


class Lane:
    """Does one piece of work after another. `daemon`: the end of the process does not wait for it."""

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
        told: Callable[[Outcome[T]], object],
    ) -> int:
        """Do this after what was started before. `told` is called in the window's thread, unless the owner is gone or
        it was dropped by its number.
        """
        bell = _Bell.of_process()
        number = bell.expect(owner, told)
        with self._lock:
            self._queue.append((number, work))
            if self._thread is None:
                self._thread = Thread(
                    target=self._run, args=(bell,), name=self._name, daemon=self._daemon
                )
                self._thread.start()
        return number

    def drop(self, number: int) -> None:
        """Nobody wants this any more. What has not begun is not begun."""
        _Bell.of_process().forget(number)
        with self._lock:
            self._queue = deque(job for job in self._queue if job[0] != number)

    def wait(self) -> None:
        """Until all is done; answers are told later."""
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
    """Takes answers from threads to the window's thread. There is one, for ever, so that none dies in a thread."""

    rung = Signal()
    _one: _Bell | None = None

    def __init__(self) -> None:
        super().__init__()
        self._numbers = count(1)
        self._answers: SimpleQueue[tuple[int, Outcome[Any]]] = SimpleQueue()
        self._expected: dict[int, tuple[QObject, Callable[[Outcome[Any]], object]]] = {}
        self.rung.connect(self._take)

    @classmethod
    def of_process(cls) -> _Bell:
        if cls._one is None:
            cls._one = cls()
        return cls._one

    def expect(self, owner: QObject, told: Callable[[Outcome[Any]], object]) -> int:
        number = next(self._numbers)
        self._expected[number] = owner, told
        return number

    def forget(self, number: int) -> None:
        self._expected.pop(number, None)

    def ring(self, number: int, outcome: Outcome[Any]) -> None:
        """Called in any thread."""
        self._answers.put((number, outcome))
        self.rung.emit()

    def _take(self) -> None:
        while not self._answers.empty():
            number, outcome = self._answers.get()
            owner, told = self._expected.pop(number, (None, None))
            if told is not None and shiboken6.isValid(owner):
                told(outcome)


# --- who asks waits --------------------------------------------------------------------------------------------------


def is_waiting() -> bool:
    """Whether somebody waits, in the middle of saving or the like; what comes meanwhile must not end a document."""
    return _waiting > 0


def beside(work: Callable[[], T]) -> T:
    """What `work` returns or raises, as if it had been done in place; the window goes on painting meanwhile. Keys and
    the mouse wait, as they may be about what is being written.
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
    global _waiting  # noqa: PLW0603 - there is one window's thread in a process
    _waiting += 1
    try:
        loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    finally:
        _waiting -= 1
