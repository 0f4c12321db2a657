"""A URL leads to a store, or the error says which there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.errors import CheckpointStoreError
from runtime.stores import STORES, open_store


@pytest.mark.parametrize("url", ["", "nothing", "ftp://x", "C:", "sqlite", ":memory:"])
def test_an_unknown_url_names_the_stores_there_are(url: str) -> None:
    with pytest.raises(CheckpointStoreError) as caught:
        open_store(url)
    assert all(f"{scheme}:" in str(caught.value) for scheme in STORES)


def test_a_path_alone_is_answered_with_the_url_that_it_needs(tmp_path: Path) -> None:
    with pytest.raises(
        CheckpointStoreError, match=r"sqlite:runs\.db, for a folder dir:runs\.db"
    ):
        open_store("runs.db")
    with pytest.raises(
        CheckpointStoreError, match=f"is a folder.* Write dir:{tmp_path}"
    ):
        open_store(f"sqlite:{tmp_path}", read_only=True)


@pytest.mark.parametrize("url", ["sqlite:", "sqlite:a\0b", "dir:", "dir:a\0b"])
def test_a_store_on_the_disk_needs_a_name(url: str) -> None:
    with pytest.raises(CheckpointStoreError, match="names no f"):
        open_store(url)


async def test_a_file_is_made_with_the_folders_it_lies_in(tmp_path: Path) -> None:
    store = open_store(f"sqlite:{tmp_path}/a/b c?#%/runs.db")
    assert store.url == f"sqlite:{tmp_path}/a/b c?#%/runs.db"
    await store.close()
    assert (tmp_path / "a" / "b c?#%" / "runs.db").is_file()
