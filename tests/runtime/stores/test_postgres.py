"""The store in PostgreSQL: the contract of all stores, and what a server and its connections bring with them."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest

from runtime.stores import open_store
from runtime.testing.conformance import DamageConformance, StoreConformance, StoreFactory


class InPostgres:
    @pytest.fixture
    def open_(self, postgres_url: str) -> StoreFactory:
        return lambda: open_store(postgres_url)


class TestPostgres(InPostgres, StoreConformance):
    pass


class TestPostgresDamage(InPostgres, DamageConformance):
    @pytest.fixture
    def damage(self, postgres_url: str) -> Callable[[str], None]:
        return lambda checkpoint_id: run_sql(
            postgres_url, "UPDATE stepwell.checkpoint SET header = '{' WHERE id = %s", checkpoint_id.encode()
        )


def run_sql(url: str, query: str, *values: object) -> None:
    with psycopg.connect(url) as connection:
        connection.execute(query.encode(), values)
