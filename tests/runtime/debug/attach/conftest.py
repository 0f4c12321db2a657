import pytest


@pytest.fixture(autouse=True)
def run_folder(tmp_path_factory, monkeypatch: pytest.MonkeyPatch):
    """A run folder of its own, with a name that is short enough for a socket."""
    folder = tmp_path_factory.mktemp("run")
    monkeypatch.setenv("STEPWELL_RUN_DIR", str(folder))
    return folder
