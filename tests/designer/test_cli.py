"""The commands that need the designer: layout, and what happens where no window can
open.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.document.files import read_file
from tests.runtime.command_line import Stepwell, finishing, stalling


@pytest.fixture
def stepwell(capsys: pytest.CaptureFixture[str]) -> Stepwell:
    return Stepwell(capsys)


@pytest.fixture
def _no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)


def test_layout_writes_positions_and_changes_nothing_else(stepwell, tmp_path) -> None:
    document = stalling(tmp_path)
    before = read_file(document).workflow
    said = stepwell("layout", document)
    assert (said.code, said.out) == (0, "")
    assert "Arranged 5 nodes" in said.err
    after = read_file(document)
    assert after.workflow.nodes == before.nodes
    assert set(after.layout["positions"]) == {node.id for node in before.nodes}


def test_layout_with_json_tells_positions_and_writes_nothing(
    stepwell, tmp_path
) -> None:
    document = finishing(tmp_path)
    before = document.read_bytes()
    said = stepwell("layout", document, "--direction", "TB", "--json")
    assert document.read_bytes() == before
    assert said.json["start"][1] < said.json["result"][1]


def test_layout_can_write_elsewhere(stepwell, tmp_path) -> None:
    document = finishing(tmp_path)
    before = document.read_bytes()
    assert stepwell("layout", document, "--output", tmp_path / "out.json").code == 0
    assert document.read_bytes() == before
    assert "positions" in json.loads((tmp_path / "out.json").read_text())["layout"]


def test_a_file_that_cannot_be_read_is_named(stepwell, tmp_path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    said = stepwell("layout", broken, "--json")
    assert (said.code, said.json["exit_code"]) == (1, 1)
    assert str(broken) in said.err
    assert stepwell("open", tmp_path / "nowhere.json").code == 2


@pytest.mark.usefixtures("_no_display")
@pytest.mark.skipif(
    sys.platform != "linux", reason="other systems always have a display"
)
def test_without_a_display_the_window_is_a_sentence_and_the_demo_is_in_the_terminal(
    stepwell,
) -> None:
    for words in ([], ["open"]):
        said = stepwell(*words)
        assert (said.code, said.out) == (1, "")
        assert "There is no display" in said.err
    said = stepwell("demo")
    assert said.code == 0
    assert "There is no display" in said.err
    assert "what if" in said.out


@pytest.mark.usefixtures("_no_display")
@pytest.mark.skipif(
    sys.platform != "linux", reason="other systems always have a display"
)
def test_a_file_alone_is_opened(stepwell, tmp_path, monkeypatch) -> None:
    document = stalling(tmp_path)
    monkeypatch.chdir(tmp_path)
    for word in (document, document.name):
        said = stepwell(word)
        assert "There is no display" in said.err  # the window would have come
    assert stepwell("nowhere.stepwell.json").code == 2
    assert "nowhere.stepwell.json" in stepwell("nowhere.stepwell.json").err
    (tmp_path / "check").write_text("{}")
    assert "FILE" in stepwell("check").err  # a command stays one


def test_a_word_that_is_neither_a_command_nor_a_file_is_an_unknown_command(
    stepwell,
) -> None:
    said = stepwell("opne")
    assert said.code == 2
    assert "No such command 'opne'" in said.err


def test_the_version_is_told(stepwell) -> None:
    assert stepwell("--version").out.startswith("stepwell ")


def test_a_command_that_opens_no_window_does_not_import_qt(tmp_path: Path) -> None:
    code = (
        f"import sys; from designer.cli.commands import main; main(['layout', {str(finishing(tmp_path))!r}]);"
        "sys.exit('PySide6' in sys.modules)"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=root,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["orders"], "is not of the form MODULE:NAME"),
        (["orders.stepwell"], "stepwell open FILE"),
        (["shop:flow", "--input", "{"], "--input is not JSON"),
    ],
)
def test_debug_refuses_words_that_name_no_workflow(
    stepwell, words: list[str], reason: str
) -> None:
    said = stepwell("debug", *words)
    assert said.code == 2
    assert reason in said.err


@pytest.mark.usefixtures("_no_display")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has no display")
def test_debug_without_a_display_says_why(stepwell) -> None:
    said = stepwell("debug", "shop:flow")
    assert said.code == 1
    assert "display" in said.err
