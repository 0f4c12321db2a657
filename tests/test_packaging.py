"""The wheel holds everything that the program needs: an editable install hides what is missing."""

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return path


def test_case_205_the_wheel_holds_every_file(wheel):
    held = set(ZipFile(wheel).namelist())
    wanted = {
        path.relative_to(ROOT).as_posix()
        for package in ("runtime", "designer", "resources")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and ".stepwell" not in path.parts
    }
    assert {"runtime/py.typed", "designer/py.typed", "resources/themes/tokens.json"} <= wanted
    assert wanted <= held


def test_case_202_the_package_and_its_stores_need_no_extra():
    code = (
        "import sys, runtime; from runtime.stores import open_store; open_store('memory:');"
        "print([name for name in ('PySide6', 'psycopg', 'networkx', 'pydantic') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "[]\n"
