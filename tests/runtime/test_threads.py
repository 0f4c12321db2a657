"""Plain functions run in threads that can be let go."""

import asyncio
import threading
from collections.abc import Iterator
from contextvars import ContextVar

import pytest

from runtime.concurrency.threads import AT_ONCE, in_thread

NAME: ContextVar[str] = ContextVar("NAME", default="")


@pytest.fixture
def never() -> Iterator[threading.Event]:
    """Set when the test is over, so that no thread of it stays."""
    event = threading.Event()
    yield event
    event.set()


async def test_functions_that_never_end_do_not_keep_later_ones_waiting(
    never: threading.Event,
) -> None:
    for _ in range(AT_ONCE + 8):
        call = asyncio.ensure_future(in_thread(never.wait))
        await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
    assert await in_thread(lambda: "ran") == "ran"


def test_a_loop_ends_although_a_function_does_not(never: threading.Event) -> None:
    async def give_up() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await in_thread(never.wait)

    asyncio.run(give_up())
    assert not never.is_set()


async def test_stop_iteration_is_an_error_and_no_silence() -> None:
    with pytest.raises(RuntimeError, match="StopIteration"):
        await in_thread(next, iter(()))


async def test_only_so_many_at_once() -> None:
    lock = threading.Lock()
    running = 0
    most = 0

    def work() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        threading.Event().wait(0.002)
        with lock:
            running -= 1

    async with asyncio.TaskGroup() as group:
        for _ in range(3 * AT_ONCE):
            group.create_task(in_thread(work))
    assert 1 < most <= AT_ONCE


async def test_a_function_sees_the_context_of_its_caller() -> None:
    NAME.set("caller")
    assert await in_thread(NAME.get) == "caller"


def test_each_loop_has_its_own_threads() -> None:
    def many() -> list[int]:
        async def run() -> list[int]:
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(in_thread(int, number))
                    for number in range(2 * AT_ONCE)
                ]
            return [task.result() for task in tasks]

        return asyncio.run(run())

    assert many() == many() == list(range(2 * AT_ONCE))
