"""Runs are kept beside the document, and in the user's folder where that is not
possible.
"""

import os
from pathlib import Path

import pytest

import resources
from runtime.system import user_folders


@pytest.fixture(autouse=True)
def _own_data_dir(tmp_path, monkeypatch):
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))


def test_runs_are_kept_beside_the_document(tmp_path):
    document = tmp_path / "mine.stepwell.json"
    assert user_folders.store_url(document) == f"sqlite:{tmp_path}/.stepwell/runs.db"


def test_nothing_is_written_beside_a_shipped_example(tmp_path):
    shipped = Path(resources.__file__).parent / "examples" / "x" / "x.stepwell.json"
    assert user_folders.is_shipped(shipped)
    assert user_folders.store_url(shipped).startswith(f"sqlite:{tmp_path / 'data'}")


def test_two_documents_of_one_name_do_not_share_runs(tmp_path):
    def shipped(folder):
        return user_folders.store_url(
            Path(resources.__file__).parent / folder / "same.stepwell.json"
        )

    assert shipped("a") != shipped("b")


def test_a_document_without_a_file_has_a_place_too(tmp_path):
    assert str(tmp_path / "data") in user_folders.store_url(None)


@pytest.fixture
def document(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    yield folder / "mine.stepwell.json"
    folder.chmod(0o755)


def test_runs_that_lie_beside_a_document_are_its_runs_also_when_the_folder_becomes_read_only(
    document, tmp_path
):
    runs = document.parent / user_folders.RUNS_FOLDER / user_folders.RUNS_FILE
    runs.parent.mkdir()
    runs.touch()
    runs.parent.chmod(0o555)
    document.parent.chmod(0o555)
    assert user_folders.store_url(document) == f"sqlite:{runs}"
    assert user_folders.is_sealed(runs)
    runs.parent.chmod(0o755)
    assert not user_folders.is_sealed(runs)


def test_a_read_only_folder_without_runs_has_them_with_the_user(document, tmp_path):
    document.parent.chmod(0o555)
    assert str(tmp_path / "data") in user_folders.store_url(document)


@pytest.mark.parametrize(
    "make",
    [Path.touch, lambda path: path.symlink_to("nowhere"), os.mkfifo],
    ids=["file", "dangling", "pipe"],
)
def test_what_has_the_name_of_the_folder_leads_to_the_user_too(
    document, tmp_path, make
):
    make(document.parent / user_folders.RUNS_FOLDER)
    assert str(tmp_path / "data") in user_folders.store_url(document)


def test_asking_where_runs_are_kept_makes_nothing(document, tmp_path):
    user_folders.store_url(document)
    user_folders.store_url(None)
    assert not (document.parent / user_folders.RUNS_FOLDER).exists()
    assert not (tmp_path / "data").exists()
