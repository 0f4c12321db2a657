"""Several threads, each with a loop of its own, may use one store, and stores of their
own on one medium.
"""

import asyncio
import threading
from pathlib import Path

import pytest

from runtime.stores import open_store
from runtime.testing.conformance import save


@pytest.fixture(
    params=["sqlite", "dir", pytest.param("postgresql", marks=pytest.mark.slow)]
)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres_url"))
    return f"{request.param}:{tmp_path / 'kept'}"


def test_case_70_threads_save_into_one_store_and_into_one_medium(url: str) -> None:
    shared = open_store(url)

    def work(number: int) -> None:
        async def saves() -> None:
            own = open_store(url)
            for step in range(10):
                await save(shared, f"shared {number} {step}", run_id=f"shared {number}")
                await save(own, f"own {number} {step}", run_id=f"own {number}")
            await own.close()

        asyncio.run(saves())

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    async def count() -> int:
        found = await shared.headers()
        await shared.close()
        return len({header.sequence for header in found})

    assert asyncio.run(count()) == 80
