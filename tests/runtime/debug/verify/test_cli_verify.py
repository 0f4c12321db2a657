"""`stepwell verify`: its exit codes, its text and its JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runtime.command_line import (
    OUTPUT,
    Stepwell,
    edge,
    finishing,
    function,
    write,
)


@pytest.fixture
def stepwell(capsys: pytest.CaptureFixture[str]) -> Stepwell:
    return Stepwell(capsys)


@pytest.fixture(autouse=True)
def _own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


def test_a_proved_store_gives_0_and_one_line(
    stepwell: Stepwell, tmp_path: Path
) -> None:
    file = finishing(tmp_path)
    stepwell("run", file)
    said = stepwell("verify", file)
    assert said.code == 0
    assert said.out == "3 checkpoints: 3 proved, 0 failed, 0 not checked\n"
    one = stepwell("verify", file, "--checkpoint", "latest", "--json")
    assert one.json["proved"] == 1
    assert one.json["checkpoints"][0]["outcome"] == "proved"


def test_a_changed_file_fails_with_part_and_path(
    stepwell: Stepwell, tmp_path: Path
) -> None:
    file = finishing(tmp_path)
    stepwell("run", file)
    changed = tmp_path / "changed.stepwell.json"
    changed.write_text(file.read_text().replace("{message}!", "{message}?"))
    said = stepwell("verify", file, "--workflow", changed)
    assert said.code == 1
    assert "✗ Restore and advance" in said.out
    assert "messages from start: x! → x?, by start" in said.out
    shown = stepwell("verify", file, "--workflow", changed, "--json").json
    [finding] = shown["checkpoints"][0]["checks"][2]["findings"]
    assert (finding["part"], finding["path"]) == ("messages", "from start")
    assert (finding["recorded"], finding["now"]) == ("x!", "x?")
    assert finding["writer"] == "start"
    assert shown["exit_code"] == 1


def test_a_workflow_in_python_is_named_by_app(
    stepwell: Stepwell, tmp_path: Path
) -> None:
    (tmp_path / "made.py").write_text(
        "from runtime import WorkflowBuilder, executor\n"
        "def build():\n"
        "    @executor\n"
        "    def shout(message: str) -> None:\n"
        "        pass\n"
        "    return WorkflowBuilder(start_executor=shout).build()\n"
    )
    from tests.runtime.debug.verify.made_in_python import run_once

    run_once(tmp_path)
    unknown = stepwell("verify", "made.db")
    assert unknown.code == 5
    assert "--app MODULE:NAME" in unknown.out
    said = stepwell("verify", "made.db", "--app", "made:build")
    assert (said.code, said.err) == (0, "")


def test_wrong_words_are_refused_with_what_to_do(
    stepwell: Stepwell, tmp_path: Path
) -> None:
    file = finishing(tmp_path)
    stepwell("run", file)
    both = stepwell("verify", file, "--workflow", file, "--app", "a:b")
    assert (both.code, both.err) == (
        2,
        "error: Give --workflow or --app, and not both.\n",
    )
    assert "No run begins with 'zz'" in stepwell("verify", file, "--run", "zz").err
    assert stepwell("verify", file, "--app", "made").code == 2


@pytest.mark.parametrize("error", ["BaseException('dark')", "GeneratorExit"])
def test_an_error_that_is_no_exception_is_a_finding_and_no_end_of_the_command(
    stepwell: Stepwell, tmp_path: Path, error: str
) -> None:
    file = write(
        tmp_path,
        "dark",
        [function("work", "loud"), OUTPUT],
        [edge("work", "result")],
    )
    stepwell("run", file)
    code = tmp_path / "code_of_test.py"
    code.write_text(f"def loud(message: object) -> str:\n    raise {error}\n")
    proved = stepwell("verify", file, "--json")
    assert proved.code == 1
    assert error[:11] in str(proved.json["checkpoints"])
    explored = stepwell("explore", file, "--json", "--superstep", 1)
    assert explored.code == explored.json["exit_code"]
    failed = stepwell("run", file, "--json")
    assert failed.code == 1
    assert failed.json["error"]["type"] == error[:13]
