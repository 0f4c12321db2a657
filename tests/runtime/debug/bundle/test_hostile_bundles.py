"""A bundle from anybody: a zip that leads out of its folder, fills the disk, or is none
unpacks nothing.
"""

from __future__ import annotations

import asyncio
import json
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from runtime.debug.bundle.manifest import BundleManifest
from runtime.debug.bundle.opener import open_bundle
from runtime.errors import SharedFileError


def _named(name: str) -> Callable[[zipfile.ZipFile], None]:
    def fill(archive: zipfile.ZipFile) -> None:
        archive.writestr("x/bundle.json", "{}")
        archive.writestr(name, "harm")

    return fill


def _link(archive: zipfile.ZipFile) -> None:
    entry = zipfile.ZipInfo("x/link")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    archive.writestr("x/bundle.json", "{}")
    archive.writestr(entry, "/etc/passwd")


def _bomb(archive: zipfile.ZipFile) -> None:
    archive.writestr("x/bundle.json", "{}")
    archive.writestr("x/zeros", bytes(50 * 2**20))


def _many(archive: zipfile.ZipFile) -> None:
    for number in range(2100):
        archive.writestr(f"x/{number}", "")


def _empty(archive: zipfile.ZipFile) -> None:
    archive.writestr("x/other.json", "{}")


def _newer(archive: zipfile.ZipFile) -> None:
    archive.writestr("x/bundle.json", '{"format": 2}')


def _damaged(archive: zipfile.ZipFile) -> None:
    archive.writestr("x/bundle.json", '{"format": 1}')


ZIPS = {
    "out of the folder": (_named("x/../../harm"), "made to do harm"),
    "absolute": (_named("/tmp/harm"), "made to do harm"),  # noqa: S108 - a name in a zip
    "a drive": (_named("C:/harm"), "made to do harm"),
    "backslashes": (_named("x\\..\\harm"), "made to do harm"),
    "a link": (_link, "made to do harm"),
    "a bomb": (_bomb, "made to fill the disk"),
    "many files": (_many, "at most 2,000 files"),
    "no bundle": (_empty, "has no bundle.json"),
    "a newer format": (_newer, "newer version of Stepwell"),
    "a damaged manifest": (_damaged, "is damaged: bundle.json"),
}


@pytest.mark.parametrize("name", ZIPS)
def test_a_zip_that_is_no_sound_bundle_is_refused(name: str, tmp_path: Path) -> None:
    fill, words = ZIPS[name]
    folder = tmp_path / "inside"
    folder.mkdir()
    file = folder / "bug.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        fill(archive)
    with pytest.raises(SharedFileError, match=words):
        asyncio.run(open_bundle(file))
    assert [path.name for path in tmp_path.iterdir()] == ["inside"]
    unpacked = [path for path in folder.rglob("*") if path.is_file()]
    assert {path.name for path in unpacked} <= {"bug.zip", "bundle.json"}


def test_a_file_that_is_no_zip_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "bug.zip"
    file.write_bytes(b"PK\x03\x04 and nothing else")
    with pytest.raises(SharedFileError, match="no zip that can be read"):
        asyncio.run(open_bundle(file))


def test_a_folder_without_a_manifest_is_no_bundle(tmp_path: Path) -> None:
    with pytest.raises(SharedFileError, match="is no bug bundle"):
        asyncio.run(open_bundle(tmp_path))


@pytest.mark.parametrize(
    "name",
    ["..", "../x.stepwell.json", "a\0.stepwell.json", "\ud800.stepwell.json", "x.json"],
)
def test_a_document_elsewhere_is_refused_and_no_store_is_made(
    name: str, tmp_path: Path
) -> None:
    folder = tmp_path / "in" / "bug"
    folder.mkdir(parents=True)
    manifest = BundleManifest(
        made_by="anybody",
        workflow="x",
        run="r",
        checkpoint="c",
        number=1,
        superstep=1,
        branch="main",
        expected=(),
        source="",
        test="test_x.py",
    )
    fields = {**manifest.model_dump(), "document": name}
    (folder / "bundle.json").write_text(json.dumps(fields))
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(SharedFileError, match="its document is elsewhere"):
        asyncio.run(open_bundle(folder))
    assert sorted(tmp_path.rglob("*")) == before
