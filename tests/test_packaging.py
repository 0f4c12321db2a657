"""The wheel holds everything that the program needs, and runs where nothing else is: an
editable install hides what is missing, and a developer's environment hides what is
needed.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
from collections.abc import Iterator, Sequence
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest

from runtime.cli.exit_codes import ExitCode

# an environment is made, and processes are started in it
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
ROOT = Path(__file__).parent.parent
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
_NAME = re.compile(r"[A-Za-z0-9._-]+")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "-t",
        "wheel",
        "-d",
        str(folder),
    ]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return path


class Bare:
    """An environment with the wheel and what it depends on, without extras; started
    from a folder of its own.
    """

    def __init__(self, folder: Path, wheel: Path) -> None:
        self.place = folder / "elsewhere"
        self.place.mkdir()
        self._bin = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
        # To put pip there takes longer than all else here.
        has_pip = find_spec("pip") is not None
        venv.create(folder / "env", with_pip=not has_pip)
        python = self._bin / "python"
        pip = [sys.executable, "-m", "pip", "--python", python]
        options = ["--no-index", "--no-deps", "--no-compile"]
        self._run(
            [*(pip if has_pip else [python, "-m", "pip"]), "install", *options, wheel],
            check=True,
        )
        (self.packages,) = (folder / "env").glob("lib/python*/site-packages")
        for name in _needed("stepwell"):
            _link(name, self.packages)

    def __call__(
        self, *command: str | Path, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return self._run([self._bin / command[0], *command[1:]], **environment)

    def _run(
        self, command: Sequence[str | Path], *, check: bool = False, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        clean = {
            key: value
            for key, value in os.environ.items()
            if key not in (*DISPLAYS, "PYTHONPATH")
        }
        env = {**clean, "STEPWELL_DATA_DIR": str(self.place / "data"), **environment}
        return subprocess.run(
            command,
            cwd=self.place,
            env=env,
            check=check,
            capture_output=True,
            text=True,
        )


def _needed(package: str) -> list[str]:
    """What a package depends on here and now, extras left out, and so on; without
    itself.
    """
    found: dict[str, None] = {}
    waiting = list(_requirements(package))
    while waiting:
        name = waiting.pop()
        try:
            name = metadata.distribution(name).metadata["Name"]
        except metadata.PackageNotFoundError:
            continue  # for another platform or Python
        if name not in found:
            found[name] = None
            waiting += _requirements(name)
    return list(found)


def _requirements(package: str) -> Iterator[str]:
    for line in metadata.requires(package) or ():
        if "extra ==" not in line and (match := _NAME.match(line)):
            yield match[0]


def _link(package: str, packages: Path) -> None:
    """Put an installed package there: downloading it again would need a network."""
    distribution = metadata.distribution(package)
    for top in {
        file.parts[0]
        for file in distribution.files or ()
        if file.parts[0] not in ("..", "__pycache__")
    }:
        source = Path(str(distribution.locate_file(top)))
        target = packages / top
        if source.exists() and not target.exists():
            target.symlink_to(source)


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Bare:
    return Bare(tmp_path_factory.mktemp("bare"), wheel)


def test_case_205_the_wheel_holds_every_file(wheel: Path) -> None:
    held = set(ZipFile(wheel).namelist())
    wanted = {
        path.relative_to(ROOT).as_posix()
        for package in ("runtime", "designer", "resources")
        for path in (ROOT / package).rglob("*")
        if path.is_file()
        and "__pycache__" not in path.parts
        and ".stepwell" not in path.parts
    }
    assert {
        "runtime/py.typed",
        "designer/py.typed",
        "resources/themes/tokens.json",
        "resources/help/guide/index.md",
    } <= wanted
    assert wanted <= held


def test_case_205_installed_without_anything_else_it_runs_from_another_folder(
    bare: Bare,
) -> None:
    assert not (bare.packages / "pytest").exists()
    for package in ("runtime", "designer"):
        assert (bare.packages / package / "py.typed").is_file()
    said = bare("stepwell", "--help")
    assert (said.returncode, said.stderr) == (0, "")
    assert "run" in said.stdout
    assert "open_store" in bare("stepwell", "help", "checkpoints").stdout
    nodes = json.loads(bare("stepwell", "nodes", "--json").stdout)
    assert {"template", "python_function"} <= {node["type"] for node in nodes}
    example = (
        bare.packages
        / "resources"
        / "examples"
        / "licence_audit"
        / "licence_audit.stepwell.json"
    )
    checked = bare("stepwell", "check", example)
    assert checked.returncode == 0, checked.stderr
    ran = bare("stepwell", "run", example)
    assert ran.returncode in (ExitCode.FINISHED, ExitCode.WAITING), ran.stderr
    assert "Traceback" not in ran.stderr


WINDOW = """
import sys
from pathlib import Path
from designer.app import make_application, make_window
from designer.look.theme import Look
from designer.shell.settings.settings import Settings
application = make_application()
window = make_window(Settings(Path("settings.json")), Look("light"))
workspace = window.files.open(Path(sys.argv[1]))
window.resize(1200, 800)
window.show()
application.processEvents()
print(len(workspace.canvas.scene().nodes), window.grab().save("window.png"))
workspace.session.close()
window.close()
"""


def test_case_205_the_window_opens_with_fonts_and_icons(bare: Bare) -> None:
    example = (
        bare.packages
        / "resources"
        / "examples"
        / "licence_audit"
        / "licence_audit.stepwell.json"
    )
    shown = bare("python", "-c", WINDOW, example, QT_QPA_PLATFORM="offscreen")
    assert shown.stdout.split() == ["8", "True"], shown.stderr
    assert "Cannot find font" not in shown.stderr
    assert "Traceback" not in shown.stderr
    assert (bare.place / "window.png").stat().st_size > 20_000


def test_case_201_without_a_display_there_is_one_sentence_and_exit_code_1(
    bare: Bare,
) -> None:
    for command in (["open"], []):
        said = bare("stepwell", *command)
        assert said.returncode == 1
        assert "no display" in said.stderr
        assert "Traceback" not in said.stderr
        assert len(said.stderr.splitlines()) <= 3


def test_case_201_the_commands_work_where_qt_cannot_be_loaded(bare: Bare) -> None:
    hidden = "import sys; sys.modules['PySide6'] = None\nfrom designer.cli.commands import main\nsys.exit(main())"
    said = bare("python", "-c", hidden, "open")
    assert said.returncode == 1
    assert "Qt cannot be loaded" in said.stderr
    assert "apt-get install" in said.stderr
    assert bare("python", "-c", hidden, "nodes").returncode == 0


def test_case_202_the_package_and_its_stores_need_no_extra(bare: Bare) -> None:
    code = (
        "import sys, runtime; from runtime.stores import open_store; open_store('memory:');"
        "print([name for name in ('PySide6', 'psycopg', 'networkx', 'pydantic') if name in sys.modules])"
    )
    done = bare("python", "-c", code)
    assert done.stdout == "[]\n", done.stderr


def test_case_202_stores_that_need_an_extra_name_it(bare: Bare) -> None:
    code = (
        "from runtime.stores import open_store\n"
        "open_store('sqlite:runs.db'); open_store('dir:runs')\n"
        "try: open_store('postgresql://nowhere/x')\n"
        "except Exception as error: print(error)"
    )
    done = bare("python", "-c", code)
    assert "stepwell[postgres]" in done.stdout, done.stdout + done.stderr
