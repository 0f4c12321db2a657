"""Whether a name still means the open file is seen by its folder, and by the files
where the folder cannot tell.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from runtime.stores.sqlite.link import Names


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    made = tmp_path / "folder" / "runs.db", tmp_path / "folder" / "runs.db-wal"
    made[0].parent.mkdir()
    for file in made:
        file.touch()
    return made


def later() -> int:
    """A clock by which the folder has been as it is for long."""
    return time.time_ns() + 10**10


def never() -> int:
    """A clock by which the folder changes all the time."""
    return 0


def _remove(file: Path) -> None:
    file.unlink()


def _replace(file: Path) -> None:
    other = file.with_name("other")
    other.touch()
    other.replace(file)


def _move_folder(file: Path) -> None:
    file.parent.rename(file.parent.with_name("elsewhere"))


def _copy_folder(file: Path) -> None:
    _move_folder(file)
    file.parent.mkdir()
    file.touch()


def tick(folder: Path) -> None:
    """Let the clock of the file system go on by a step, which takes it some
    milliseconds where steps are long.
    """
    before = folder.parent.stat().st_ctime_ns
    while folder.parent.stat().st_ctime_ns == before:
        (folder.parent / "tick").touch()
        (folder.parent / "tick").unlink()


@pytest.mark.parametrize("clock", [later, never])
@pytest.mark.parametrize("lose", [_remove, _replace, _move_folder, _copy_folder])
@pytest.mark.parametrize("which", [0, 1])
def test_a_name_that_is_lost_is_told(
    files: tuple[Path, Path],
    lose: Callable[[Path], None],
    clock: Callable[[], int],
    which: int,
) -> None:
    names = Names(*files, clock=clock)
    assert [names.lost(), names.lost()] == [None, None]
    tick(files[0].parent)
    lose(files[which])
    lost = files[which] if lose in (_remove, _replace) else files[0]
    assert [names.lost(), names.lost()] == [lost, lost]


def test_a_name_that_comes_back_is_right_again(files: tuple[Path, Path]) -> None:
    names = Names(*files, clock=later)
    assert names.lost() is None
    tick(files[0].parent)
    moved = files[0].rename(files[0].with_name("moved"))
    assert names.lost() == files[0]
    moved.rename(files[0])
    assert names.lost() is None


def test_a_folder_that_has_just_changed_does_not_tell(files: tuple[Path, Path]) -> None:
    """What changes within the same tick leaves the same time: the files are asked until
    the folder is older.
    """
    settled = Names(*files, clock=later)
    fresh = Names(*files, clock=lambda: files[0].parent.stat().st_ctime_ns + 10**6)
    assert (settled.lost(), fresh.lost()) == (None, None)
    assert settled._settled is not None
    assert fresh._settled is None
