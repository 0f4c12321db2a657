"""The directory store keeps the contract across threads, processes and crashes, and touches no file that is not its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from runtime.stores import open_store
from runtime.testing.conformance import DamageConformance, StoreConformance, StoreFactory


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "runs"


@pytest.fixture
def open_(folder: Path) -> StoreFactory:
    return lambda: open_store(f"dir:{folder}")


class TestDirectory(StoreConformance):
    @pytest.fixture
    def open_(self, folder: Path) -> StoreFactory:
        return lambda: open_store(f"dir:{folder}")


def record_file(folder: Path, checkpoint_id: str) -> Path:
    (found,) = (folder / "records").glob(f"*.{checkpoint_id}.json")
    return found


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def turn_into_link(path: Path) -> None:
    outside = path.parent.parent.parent / "outside"
    outside.write_bytes(path.read_bytes())
    path.unlink()
    path.symlink_to(outside)


def turn_into_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


SPOILINGS: dict[str, Callable[[Path], object]] = {
    "cut": cut,
    "empty": lambda path: path.write_bytes(b""),
    "wrong type": lambda path: path.write_bytes(b'{"id": "c"}\n[]\n\n'),
    "not text": lambda path: path.write_bytes(b"\xff\0" * 100),
    "another header": lambda path: path.write_bytes(path.read_bytes().replace(b'"flow"', b'"floh"')),
    "too long": lambda path: path.write_bytes(path.read_bytes() + b" "),
    "newer": lambda path: path.write_bytes(path.read_bytes().replace(b"checkpoint 1 ", b"checkpoint 7 ")),
    "another's bytes": lambda path: path.write_bytes(record_file(path.parent.parent, "a").read_bytes()),
    "a link": turn_into_link,
    "a folder": turn_into_folder,
}


@pytest.mark.parametrize("spoiling", SPOILINGS.values(), ids=SPOILINGS.keys())
class TestDamage(DamageConformance):
    @pytest.fixture
    def open_(self, folder: Path) -> StoreFactory:
        return lambda: open_store(f"dir:{folder}")

    @pytest.fixture
    def damage(self, folder: Path, spoiling: Callable[[Path], object]) -> Callable[[str], None]:
        return lambda checkpoint_id: spoiling(record_file(folder, checkpoint_id)) and None
