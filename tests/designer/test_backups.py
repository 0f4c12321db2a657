"""Earlier versions are kept: the newest all, then one of each day, and never two that
are the same.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from designer.document.backups import MOST, NEWEST, backups, keep

BEGIN = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_a_version_is_kept_once_and_the_newest_comes_first(tmp_path: Path) -> None:
    file = tmp_path / "flow.stepwell.json"
    for second, content in enumerate((b"one", b"one", b"two", b"one")):
        keep(tmp_path, file, content, "saved", BEGIN + timedelta(seconds=second))
    found = backups(tmp_path, file)
    assert [backup.file.read_bytes() for backup in found] == [b"one", b"two", b"one"]
    assert found[-1].time == BEGIN.timestamp()


def test_documents_of_one_name_and_drawings_without_a_file_keep_apart(
    tmp_path: Path,
) -> None:
    places = [
        tmp_path / "a" / "flow.stepwell.json",
        tmp_path / "b" / "flow.stepwell.json",
        None,
    ]
    for number, place in enumerate(places):
        keep(tmp_path, place, bytes([number]), "discarded")
    assert [
        [backup.file.read_bytes() for backup in backups(tmp_path, place)]
        for place in places
    ] == [
        [b"\0"],
        [b"\1"],
        [b"\2"],
    ]
    assert backups(tmp_path, None)[0].reason == "discarded"


def test_the_newest_are_all_kept_and_of_the_days_before_the_last(
    tmp_path: Path,
) -> None:
    for number in range(200):
        keep(
            tmp_path,
            None,
            str(number).encode(),
            "saved",
            BEGIN + timedelta(hours=6 * number),
        )
    kept = [int(backup.file.read_bytes()) for backup in backups(tmp_path, None)]
    assert len(kept) == MOST
    assert kept[:NEWEST] == list(range(199, 199 - NEWEST, -1))
    assert all(
        newer - older == 4
        for newer, older in zip(kept[NEWEST + 1 :], kept[NEWEST + 2 :], strict=False)
    )


def test_what_is_not_ours_in_the_folder_is_left_alone(tmp_path: Path) -> None:
    keep(tmp_path, None, b"x", "saved")
    stranger = backups(tmp_path, None)[0].file.with_name("notes.stepwell.json")
    stranger.write_text("mine")
    assert len(backups(tmp_path, None)) == 1
    assert stranger.exists()
