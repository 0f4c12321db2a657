"""The fixtures that all themes of the suite share: a place for a store, and an open
store there.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from runtime.checkpoint import CheckpointStore
from runtime.testing.records import StoreFactory, opened


class Conformance:
    """`open_` opens one and the same place each time it is called."""

    # Here, so that a project that inherits these tests may have any `asyncio_mode`.
    pytestmark = pytest.mark.asyncio

    @pytest.fixture
    def open_(self) -> StoreFactory:
        raise NotImplementedError(
            "give the fixture open_: a function that opens the store"
        )

    @pytest_asyncio.fixture
    async def store(self, open_: StoreFactory) -> AsyncIterator[CheckpointStore]:
        async with opened(open_) as store:
            yield store
