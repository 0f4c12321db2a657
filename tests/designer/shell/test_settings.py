"""Settings survive a restart, and a broken file is kept aside instead of being lost."""

import json
from pathlib import Path

import pytest

from designer.shell.settings.settings import RECENT_LIMIT, Settings, Values


def test_what_was_set_is_there_after_a_restart(tmp_path):
    file = tmp_path / "settings.json"
    first = Settings(file)
    first.values.theme = "dark"
    first.opened(Path("/flows/a.stepwell.json"), 10.0)
    first.ran(
        Path("/flows/a.stepwell.json"),
        outcome="Finished",
        status="IDLE",
        checkpoints=4,
        branches=2,
    )
    first.trust("/flows")
    second = Settings(file)
    assert second.values == first.values
    assert second.is_trusted("/flows")
    assert second.values.recent[0].outcome == "Finished"


def test_the_newest_comes_first_once_and_the_list_is_bounded(tmp_path):
    settings = Settings(tmp_path / "settings.json")
    for number in range(RECENT_LIMIT + 5):
        settings.opened(Path(f"/{number}"), float(number))
    settings.opened(Path("/7"), 99.0)
    paths = [entry.path for entry in settings.values.recent]
    assert paths[0] == "/7"
    assert len(paths) == RECENT_LIMIT
    assert len(set(paths)) == RECENT_LIMIT


def test_recent_paths_that_lead_nowhere_from_another_folder_are_dropped(tmp_path):
    file = tmp_path / "settings.json"
    whole = str(tmp_path / "a.stepwell.json")
    entries = [
        {"path": path, "opened": 1.0}
        for path in ("a.stepwell.json", whole, "../b.stepwell.json")
    ]
    file.write_text(json.dumps({"recent": entries}))
    assert [entry.path for entry in Settings(file).values.recent] == [whole]


def test_a_broken_file_is_kept_aside(tmp_path):
    file = tmp_path / "settings.json"
    file.write_text("{ not json")
    assert Settings(file).values.theme == "system"
    assert (tmp_path / "settings.broken.json").read_text() == "{ not json"


def test_fields_of_a_newer_version_do_no_harm(tmp_path):
    file = tmp_path / "settings.json"
    file.write_text('{"theme": "light", "of_the_future": 1}')
    assert Settings(file).values.theme == "light"


@pytest.mark.parametrize(
    "content",
    [
        '{"theme": 3}',
        '{"recent": [{"x": 1}]}',
        "[1]",
        '{"trusted": "/"}',
        '{"shortcuts": {"new": 3}}',
        '{"scale": 7}',
    ],
)
def test_what_cannot_be_settings_is_kept_aside(tmp_path, content):
    file = tmp_path / "settings.json"
    file.write_text(content)
    assert Settings(file).values == Values()
    assert (tmp_path / "settings.broken.json").read_text() == content


def test_settings_that_cannot_be_written_are_told_once_and_stop_nothing(tmp_path):
    settings = Settings(tmp_path / "no folder" / "settings.json")
    told = []
    settings.tell = told.append
    settings.opened(Path("/a"), 1.0)
    settings.trust("/flows")
    assert len(told) == 1
    assert "cannot be saved" in told[0]
    assert settings.is_trusted("/flows")
    (tmp_path / "no folder").mkdir()
    settings.write()
    assert Settings(tmp_path / "no folder" / "settings.json").is_trusted("/flows")
