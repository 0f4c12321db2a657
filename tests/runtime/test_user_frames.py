"""A traceback for people begins with the lines of the workflow's code, before those of
libraries and the engine.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from runtime.engine.user_frames import own_code_first
from runtime.expressions.template import Template


def module(folder: Path, text: str) -> ModuleType:
    path = folder / "steps.py"
    path.write_text(text, "utf-8")
    spec = importlib.util.spec_from_file_location("steps", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_the_lines_of_the_workflow_come_first_and_the_whole_follows(
    tmp_path: Path,
) -> None:
    steps = module(
        tmp_path, "import json\n\ndef read(text):\n    return json.loads(text)\n"
    )
    try:
        steps.read("{")
    except json.JSONDecodeError as error:
        told = own_code_first(error)
    first, _, rest = told.partition("Traceback (most recent call last)")
    assert first.startswith("In the code of the workflow:")
    assert "steps.py" in first
    assert "json.loads(text)" in first
    assert "JSONDecodeError" in first
    assert "decoder.py" not in first
    assert "decoder.py" in rest


def test_an_error_of_the_engine_alone_is_told_as_it_is() -> None:
    with pytest.raises(LookupError) as raised:
        Template("{message.name}").render({})
    assert own_code_first(raised.value).startswith("Traceback")
