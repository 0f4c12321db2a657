"""Runs are kept beside the document, and in the user's folder where that is not possible."""

from pathlib import Path

import pytest

import resources
from runtime import places


@pytest.fixture(autouse=True)
def _own_data_dir(tmp_path, monkeypatch):
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))


def test_runs_are_kept_beside_the_document(tmp_path):
    document = tmp_path / "mine.stepwell.json"
    assert places.store_url(document) == f"sqlite:{tmp_path}/.stepwell/runs.db"


def test_nothing_is_written_beside_a_shipped_example(tmp_path):
    shipped = Path(resources.__file__).parent / "examples" / "x" / "x.stepwell.json"
    assert places.is_shipped(shipped)
    assert places.store_url(shipped).startswith(f"sqlite:{tmp_path / 'data'}")


def test_two_documents_of_one_name_do_not_share_runs(tmp_path):
    def shipped(folder):
        return places.store_url(Path(resources.__file__).parent / folder / "same.stepwell.json")

    assert shipped("a") != shipped("b")


def test_a_document_without_a_file_has_a_place_too(tmp_path):
    assert str(tmp_path / "data") in places.store_url(None)
