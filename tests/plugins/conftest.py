"""Packages that are installed for a test: files and metadata in a folder on `sys.path`,
as pip would leave them.
"""

from __future__ import annotations

import shutil
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from designer.look import theme
from designer.session.session import DebugSession
from tests.designer.fakes import RecordingLink
from tests.designer.shell.support import Hand, opened

SAMPLE = Path(__file__).parent / "sample_package"
Groups = Mapping[str, Mapping[str, str]]


class Site:
    """A folder of installed packages."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, package: str, groups: Groups, files: Mapping[str, str]) -> None:
        info = self.path / f"{package.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n"
        )
        lines = [
            f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in names.items())
            for group, names in groups.items()
        ]
        (info / "entry_points.txt").write_text("\n".join(lines))
        for name, text in files.items():
            (self.path / name).write_text(text)

    def add_sample(self) -> None:
        shutil.copytree(SAMPLE / "stepwell_sample", self.path / "stepwell_sample")
        project = tomllib.loads((SAMPLE / "pyproject.toml").read_text())["project"]
        self.add(project["name"], project["entry-points"], {})


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    folder = tmp_path / "site"
    folder.mkdir()
    before = set(sys.modules)
    monkeypatch.syspath_prepend(folder)
    yield Site(folder)
    for name in set(sys.modules) - before:
        if str(folder) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]
    theme.load_theme.cache_clear()


@pytest.fixture
def sample(site: Site) -> Site:
    site.add_sample()
    return site


@pytest.fixture
def open_window(
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Callable[..., object]:
    """A window with the packages that are installed by then."""
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    painted = request.node.get_closest_marker("painted") is not None
    return lambda choice="light": opened(
        qtbot,
        tmp_path,
        lambda: DebugSession(RecordingLink()),
        choice,
        painted=painted,
    )


@pytest.fixture
def hand(sample: Site, open_window: Callable[..., object]) -> Iterator[Hand]:
    with open_window() as made:  # type: ignore[attr-defined]
        yield made
