"""What is done in a store's thread comes back to the loop that asked, of whatever kind,
and leaves nothing there.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
import weakref
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path

import pytest

from runtime.stores.worker import Worker


class Resource:
    def __init__(self) -> None:
        self.closed = False

    def close(self) -> None:
        self.closed = True


@pytest.fixture(params=["with its bell", "without"])
def _bell(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways back to the loop: that of Linux, and that of all others."""
    if request.param == "without":
        monkeypatch.setattr(sys, "platform", "another")


pytestmark = pytest.mark.usefixtures("_bell")


def fail() -> None:
    raise LookupError("no")


async def test_results_and_errors_come_back_in_order() -> None:
    worker = Worker(Resource, "test")
    done: list[int] = []

    def note(number: int) -> int:
        done.append(number)
        return number

    results = [
        worker.run(lambda _, number=number: note(number)) for number in range(100)
    ]  # type: ignore[misc]
    assert await asyncio.gather(*results) == done == list(range(100))
    with pytest.raises(LookupError, match="no"):
        await worker.run(lambda _: fail())
    resource = await worker.run(lambda resource: resource)
    await worker.close()
    assert resource.closed


async def test_a_job_that_is_cancelled_before_it_began_is_dropped_and_one_that_has_begun_is_done() -> (
    None
):
    worker = Worker(Resource, "test")
    begun = threading.Event()
    go_on = threading.Event()
    done: list[str] = []

    def first(_: Resource) -> None:
        begun.set()
        assert go_on.wait(30)
        done.append("first")

    dropped: list[asyncio.Future[None]] = [
        worker.run(first),
        worker.run(lambda _: done.append("second")),
    ]
    last = worker.run(lambda _: "third")
    assert await asyncio.get_running_loop().run_in_executor(None, begun.wait, 5)
    for result in dropped:
        result.cancel()
    go_on.set()
    assert await last == "third"
    assert done == ["first"]
    await worker.close()


def test_loops_that_come_and_go_use_one_worker_and_leave_no_descriptor_open() -> None:
    def descriptors() -> int:
        gc.collect()
        if sys.platform == "linux":
            return len(list(Path("/proc/self/fd").iterdir()))
        return 0

    async def use() -> int:
        return await worker.run(lambda _: 1)

    worker = Worker(Resource, "test")
    assert asyncio.run(use()) == 1
    before = descriptors()
    assert [asyncio.run(use()) for _ in range(20)] == [1] * 20
    assert descriptors() == before
    asyncio.run(worker.close())


def test_what_is_done_when_its_loop_is_gone_is_dropped() -> None:
    worker = Worker(Resource, "test")
    begun = threading.Event()
    go_on = threading.Event()

    def late(_: Resource) -> None:
        begun.set()
        assert go_on.wait(30)

    async def leave() -> None:
        worker.run(late)
        assert await asyncio.get_running_loop().run_in_executor(None, begun.wait, 5)

    async def come() -> str:
        go_on.set()
        return await worker.run(lambda _: "after")

    asyncio.run(leave())
    assert asyncio.run(come()) == "after"
    asyncio.run(worker.close())


async def test_a_loop_keeps_nothing_of_who_asked_first() -> None:
    class Value:
        pass

    variable: ContextVar[Value] = ContextVar("variable")
    worker = Worker(Resource, "test")

    async def ask() -> Callable[[], Value | None]:
        variable.set(Value())
        await worker.run(lambda _: None)
        return weakref.ref(variable.get())

    kept = await asyncio.create_task(ask())
    # the loop forgets the step before only with the next
    await worker.run(lambda _: None)
    gc.collect()
    assert kept() is None
    await worker.close()
