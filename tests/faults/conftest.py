"""Every store in a fresh place: `kind` names it, `store_url` opens it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.faults.places import STORES, place


@pytest.fixture(params=STORES)
def kind(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture
def store_url(request: pytest.FixtureRequest, kind: str) -> Iterator[str]:
    with place(
        kind, request.getfixturevalue("postgres_server") if kind == "postgresql" else ""
    ) as url:
        yield url
