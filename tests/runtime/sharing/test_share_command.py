"""`stepwell share` and `stepwell receive`: what they write, say, and answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.runtime.command_line import (
    OUTPUT,
    Stepwell,
    edge,
    finishing,
    template,
    write,
)


@pytest.fixture
def stepwell(capsys: pytest.CaptureFixture[str]) -> Stepwell:
    return Stepwell(capsys)


@pytest.fixture
def store(stepwell: Stepwell, tmp_path: Path) -> str:
    """A store with a run of three checkpoints."""
    url = f"sqlite:{tmp_path}/runs.db"
    assert stepwell("run", finishing(tmp_path), "--store", url).code == 0
    return url


def test_a_run_goes_through_a_file_into_another_store(
    stepwell: Stepwell, store: str, tmp_path: Path
) -> None:
    file = tmp_path / "x.stepwell-run"
    said = stepwell("share", store, file)
    assert said.code == 0
    assert "Wrote" in said.out
    assert "No code" in said.err
    target = f"dir:{tmp_path}/runs"
    said = stepwell("receive", file, target, "--json")
    assert said.json["added"] == said.json["checkpoints"]
    again = stepwell("receive", file, target)
    assert (again.code, again.out.startswith("✓ Nothing to import")) == (0, True)
    mine = stepwell("timeline", store, "--json").json
    theirs = stepwell("timeline", target, "--json").json
    assert mine == theirs


def test_a_dry_run_of_either_writes_nothing(
    stepwell: Stepwell, store: str, tmp_path: Path
) -> None:
    file = tmp_path / "x.stepwell-run"
    said = stepwell(
        "share", store, file, "--checkpoint", "latest", "--dry-run", "--json"
    )
    assert (said.json["checkpoints"], said.json["dry_run"]) == (1, True)
    assert not file.exists()
    stepwell("share", store, file, "--branch", "main", "--no-ancestors")
    target = tmp_path / "other.db"
    said = stepwell("receive", file, target, "--dry-run", "--json")
    assert said.json["added"] > 0
    assert stepwell("timeline", target, "--json").json == []


def test_the_value_of_a_secret_is_never_written(
    stepwell: Stepwell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_KEY", 'no "body" knows')
    nodes = [template("start", "{message}"), OUTPUT]
    wires = [edge("start", "result")]
    key = {"api_key": "{env.MY_API_KEY}"}
    document = write(tmp_path, "keyed", nodes, wires, input=key)
    url = f"sqlite:{tmp_path}/runs.db"
    said = stepwell(
        "run", document, "--store", url, "--input", json.dumps('no "body" knows')
    )
    assert said.code == 0, said.err
    file = tmp_path / "x.stepwell-run"
    said = stepwell("share", url, file)
    assert said.code == 1
    assert "holds the value of a secret" in said.err
    assert "it names MY_API_KEY" in said.err
    assert not file.exists()


def test_a_secret_that_only_the_code_has_read_is_not_written_either(
    stepwell: Stepwell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_PASSWORD", "nobody knows")
    nodes = [template("start", "{message}"), OUTPUT]
    document = write(tmp_path, "plain", nodes, [edge("start", "result")])
    url = f"sqlite:{tmp_path}/runs.db"
    stepwell("run", document, "--store", url, "--input", '"so nobody knows"')
    file = tmp_path / "x.stepwell-run"
    said = stepwell("share", url, file)
    assert said.code == 1
    assert "holds the value of a secret" in said.err
    assert not file.exists()
    monkeypatch.setenv("SHOP_PASSWORD", "/so nobody knows")
    assert stepwell("share", url, file).code == 0


def test_the_value_of_a_secret_is_no_name_of_a_branch_in_a_file(
    stepwell: Stepwell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_KEY", "nobody knows")
    nodes = [template("start", "{message}"), OUTPUT]
    key = {"api_key": "{env.MY_API_KEY}"}
    document = write(tmp_path, "keyed", nodes, [edge("start", "result")], input=key)
    url = f"sqlite:{tmp_path}/runs.db"
    stepwell("run", document, "--store", url, "--input", '"x"')
    file = tmp_path / "x.stepwell-run"
    assert stepwell("share", url, file).code == 0
    patch = tmp_path / "patch.json"
    change = {"id": "c1", "do": "set", "section": "state", "key": "n", "value": 1}
    patch.write_text(json.dumps({"name": "nobody knows", "changes": [change]}))
    assert stepwell("patch", url, "latest", patch).code == 0
    file.unlink()
    said = stepwell("share", url, file)
    assert said.code == 1
    assert "a branch" in said.err
    assert "nobody knows" not in said.err
    assert not file.exists()


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--run", "zzz"], "No run begins with 'zzz'"),
        (["--branch", "zzz"], "has no branch 'zzz'"),
        (["--checkpoint", "zzz"], "No checkpoint begins with 'zzz'"),
        (["--checkpoint", "latest", "--run", "x"], "Give --checkpoint alone"),
    ],
)
def test_a_wrong_name_is_said(
    stepwell: Stepwell, store: str, tmp_path: Path, words: list[str], error: str
) -> None:
    said = stepwell("share", store, tmp_path / "x.stepwell-run", *words)
    assert said.code != 0
    assert error in said.err


def test_a_folder_that_is_not_there_is_named(
    stepwell: Stepwell, tmp_path: Path
) -> None:
    document = write(tmp_path, "w", [OUTPUT], [], input="x")
    stepwell("run", document)
    said = stepwell("share", document, tmp_path / "none" / "a.stepwell-run")
    assert said.code != 0
    assert f"There is no folder {tmp_path / 'none'}" in said.err


def test_a_file_that_is_none_is_refused_in_one_json_value(
    stepwell: Stepwell, store: str, tmp_path: Path
) -> None:
    file = tmp_path / "x.stepwell-run"
    file.write_bytes(b"PK\x03\x04")
    said = stepwell("receive", file, store, "--json")
    assert (said.code, said.json["error"]["type"]) == (1, "SharedFileError")
    assert stepwell("receive", tmp_path / "none", store).code == 2
    said = stepwell("receive", file, "memory:")
    assert (said.code, "ends with this command" in said.err) == (2, True)
