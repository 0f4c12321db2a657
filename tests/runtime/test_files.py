"""Documents on disk: the same value gives the same bytes, a crash loses nothing, errors
say where.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.document.definition import FILE_FORMAT, WorkflowFile
from runtime.document.files import (
    json_schema,
    parse,
    read_file,
    serialise,
    write_bytes,
    write_file,
)
from runtime.errors import DefinitionError

SCHEMA = Path(__file__).parents[2] / "resources" / "schema" / "stepwell.schema.json"
SMALL = {
    "workflow": {
        "name": "w",
        "start": "a",
        "nodes": [
            {"id": "a", "type": "input"},
            {"id": "b", "type": "output", "params": {"z": 1, "y": [2.5, None]}},
        ],
        "edges": [{"kind": "direct", "source": "a", "target": "b"}],
    },
    "layout": {"positions": {"b": [1, 2], "a": [3, 4]}},
}

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
    ),
    max_leaves=8,
)


def document(**extra: object) -> WorkflowFile:
    return parse(json.dumps(SMALL | extra))


@given(value=json_values, extra=json_values)
def test_a_document_comes_back_equal_and_written_again_has_the_same_bytes(
    value, extra
) -> None:
    first = document(input_note=extra)
    first = first.model_copy(
        update={"workflow": first.workflow.model_copy(update={"input": value})}
    )
    content = serialise(first)
    again = parse(content)
    assert again == first
    assert serialise(again) == content


def test_unknown_fields_are_kept_at_every_level() -> None:
    raw = json.loads(json.dumps(SMALL))
    raw["later"] = {"x": 1}
    raw["workflow"]["owner"] = "me"
    raw["workflow"]["nodes"][0]["colour"] = "red"
    raw["workflow"]["edges"][0]["weight"] = 3
    written = json.loads(serialise(parse(json.dumps(raw))))
    assert written["later"] == {"x": 1}
    assert written["workflow"]["owner"] == "me"
    assert written["workflow"]["nodes"][0]["colour"] == "red"
    assert written["workflow"]["edges"][0]["weight"] == 3


def test_the_text_is_made_for_readable_diffs() -> None:
    text = serialise(
        document(**{"$schema": "stepwell.schema.json", "comment": "é"})
    ).decode()
    assert text.startswith(
        '{\n  "$schema": "stepwell.schema.json",\n  "format": 1,\n  "workflow": {\n    "name": "w"'
    )
    assert text.endswith("}\n")
    assert '"comment": "é"' in text
    assert text.index('"a": [\n') < text.index('"b": [\n')


def test_edge_ids_are_filled_by_what_the_edge_joins_and_never_collide() -> None:
    edges = [
        {"kind": "direct", "source": "a", "target": "b"},
        {"kind": "direct", "source": "a", "target": "b"},
        {"kind": "direct", "source": "x", "target": "y", "id": "a-b-2"},
        {"kind": "fan_in", "sources": ["a", "b"], "target": "j"},
        {"kind": "fan_out", "source": "a", "targets": ["b", "c"]},
    ]
    raw = {"workflow": {"edges": edges}}
    ids = [edge.id for edge in parse(json.dumps(raw)).workflow.edges]
    assert ids == ["a-b", "a-b-3", "a-b-2", "join-j", "fan_out-a"]
    raw["workflow"]["edges"] = edges[3:]
    assert [edge.id for edge in parse(json.dumps(raw)).workflow.edges] == ids[3:]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{\n  "workflow": {,\n}', r"line 2, column 16"),
        ("[1]", "one JSON object"),
        ('{"workflow": {"nodes": [{"id": "a"}]}}', r"workflow\.nodes\[0\]\.type: "),
        ('{"workflow": {"edges": [{"kind": "magic"}]}}', r"workflow\.edges\[0\]"),
        ('{"workflow": {"input": NaN}}', "NaN"),
        ('{"workflow": {"input": [-1e999]}}', "-1e999 is too large"),
        ('{"workflow": {"name": "a", "name": "b"}}', "'name' is twice"),
        ('{"workflow": {"edges": [{"source": "a"}]}}', "An edge has a kind"),
        ('{"format": "1"}', "format: "),
        ('{"format": 1, "changes": []}', "a patch of a checkpoint"),
        ("[" * 100_000, "nested too deeply"),
        (f'{{"workflow": {{"input": {"9" * 10_000}}}}}', "cannot be read"),
    ],
)
def test_what_is_no_document_is_refused_with_its_place(text, words) -> None:
    with pytest.raises(DefinitionError, match=words):
        parse(text)


def test_bytes_that_are_no_text_are_refused_and_a_byte_order_mark_is_not() -> None:
    with pytest.raises(DefinitionError, match="byte 1"):
        parse(b"{\xff}")
    assert parse(b"\xef\xbb\xbf{}") == WorkflowFile()


def test_a_newer_format_is_refused_by_its_number() -> None:
    with pytest.raises(DefinitionError, match=f"format {FILE_FORMAT + 1}"):
        parse(
            json.dumps(
                {"format": FILE_FORMAT + 1, "workflow": "not ours to understand"}
            )
        )


def test_a_value_json_does_not_have_leaves_the_old_file(tmp_path) -> None:
    path = tmp_path / "w.stepwell.json"
    write_file(path, document())
    before = path.read_bytes()
    bad = document()
    bad = bad.model_copy(update={"layout": {"zoom": float("nan")}})
    with pytest.raises(DefinitionError):
        write_file(path, bad)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_writing_keeps_rights_follows_links_and_leaves_no_other_file(tmp_path) -> None:
    real = tmp_path / "real" / "w.stepwell.json"
    real.parent.mkdir()
    real.write_text("{}")
    real.chmod(0o640)
    link = tmp_path / "link.stepwell.json"
    link.symlink_to(real)
    write_file(link, document())
    assert link.is_symlink()
    assert read_file(link) == read_file(real) == document()
    assert real.stat().st_mode & 0o777 == 0o640
    assert list(real.parent.iterdir()) == [real]


def test_a_write_that_fails_leaves_nothing_behind(tmp_path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError, match="taken"):
        write_file(tmp_path / "taken", document())
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_the_schema_in_resources_is_the_one_of_the_models() -> None:
    expected = json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"
    assert SCHEMA.read_text(encoding="utf-8") == expected, (
        "the models have changed: write json.dumps(runtime.document.files.json_schema(), indent=2, "
        "ensure_ascii=False) and a "
        f"newline to {SCHEMA}"
    )


def test_the_schema_accepts_what_is_read_and_refuses_what_is_not() -> None:
    import jsonschema

    jsonschema.validate(SMALL, json_schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"workflow": {"nodes": [{"id": "a"}]}}, json_schema())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name")
def test_a_pipe_or_a_device_is_never_replaced_by_a_file(tmp_path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for place in (pipe, Path(os.devnull)):
        with pytest.raises(OSError, match="no file"):
            write_bytes(place, b"x")
    assert pipe.is_fifo()


def test_links_that_lead_in_a_circle_are_an_error_of_the_path(tmp_path) -> None:
    circle = tmp_path / "circle"
    circle.symlink_to(circle)
    with pytest.raises(OSError, match="circle"):
        write_bytes(circle, b"x")
