"""The contract of a checkpoint store as tests, for any implementation. Needs pytest and
pytest-asyncio.

    class TestMyStore(StoreConformance):
        @pytest.fixture
        def open_(self, tmp_path) -> StoreFactory:
            return lambda: MyStore(tmp_path / "store")

`open_` opens the same place each time it is called, because tests open a store again to
check what it kept.

Further suites are `DamageConformance` for stores whose records can be damaged from
outside, with `MarkedConformance` for a record of which little remains and
`NeverEmptyConformance` for damage of what many records share, and `ProcessConformance`
for stores that several processes may use at once.
"""

from __future__ import annotations

from runtime.testing.conformance.concurrency import ConcurrencyConformance
from runtime.testing.conformance.damage import (
    DamageConformance,
    MarkedConformance,
    NeverEmptyConformance,
)
from runtime.testing.conformance.filters import FilterConformance
from runtime.testing.conformance.keeping import KeepingConformance
from runtime.testing.conformance.lineage import LineageConformance
from runtime.testing.conformance.names import NameConformance
from runtime.testing.conformance.ownership import OwnershipConformance
from runtime.testing.conformance.processes import ProcessConformance
from runtime.testing.conformance.pruning import PruningConformance
from runtime.testing.conformance.removal import RemovalConformance
from runtime.testing.records import (
    HOSTILE,
    StoreFactory,
    check_whole,
    ids,
    opened,
    record_of,
    save,
)

__all__ = [
    "HOSTILE",
    "DamageConformance",
    "MarkedConformance",
    "NeverEmptyConformance",
    "ProcessConformance",
    "StoreConformance",
    "StoreFactory",
    "check_whole",
    "ids",
    "opened",
    "record_of",
    "save",
]


class StoreConformance(
    KeepingConformance,
    LineageConformance,
    OwnershipConformance,
    FilterConformance,
    NameConformance,
    RemovalConformance,
    PruningConformance,
    ConcurrencyConformance,
):
    """Every rule of `CheckpointStore` that one process can check. Subclass it, and give
    it an `open_` fixture.
    """
