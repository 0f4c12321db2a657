"""Exports of the window and of the command line: every format, pictures that open
again, no code that is imported.
"""

from __future__ import annotations

import base64
import json
import re
import sys
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from PySide6.QtGui import QImage

from designer.cli.commands import main
from designer.export import Export
from designer.model.design import Design
from designer.model.files import load, save
from designer.model.pictures import load_picture
from resources import ROOT, Example, examples
from runtime.document.definition import NodeDefinition, WorkflowDefinition
from runtime.document.files import read_file
from runtime.errors import DefinitionError
from runtime.export.formats import FORMATS, ExportFormat
from runtime.nodes import catalogue
from tests.documents import build

INFOS = {info.type: info for info in catalogue().infos()}
BY_NAME = {example.name: example for example in examples()}
AUDIT = BY_NAME["licence_audit"].path
EACH = pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)


def put(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


@EACH
@pytest.mark.parametrize("to", [FORMATS["png"], FORMATS["svg"], FORMATS["pdf"]])
def test_a_picture_opens_as_the_drawing_that_it_shows(
    example: Example, to: ExportFormat, qapp: object, tmp_path: Path
) -> None:
    design = load(example.path)
    assert (
        load_picture(put(tmp_path, "a.png", Export(design, to, INFOS).content()))
        == design
    )


@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_the_scale_is_that_of_the_pixels(scale: float, qapp: object) -> None:
    design = load(AUDIT)

    image = QImage()
    svg = ET.fromstring(Export(design, FORMATS["svg"], INFOS).content())  # noqa: S314
    assert image.loadFromData(
        Export(design, FORMATS["png"], INFOS, scale=scale).content()
    )
    assert image.width() == pytest.approx(float(svg.attrib["width"]) * scale, abs=1)


def test_pictures_are_light_unless_dark_is_asked_for(qapp: object) -> None:
    design = load(AUDIT)
    corners = []
    for options in ({}, {"theme": "dark"}):
        image = QImage.fromData(
            Export(design, FORMATS["png"], INFOS, **options).content()
        )  # type: ignore[arg-type]
        corners.append(image.pixelColor(0, 0).lightness())
    assert corners[0] > 200
    assert corners[1] < 60


def test_a_drawing_without_a_layout_is_laid_out_for_its_picture(
    qapp: object, tmp_path: Path
) -> None:
    bare = Design(load(AUDIT).workflow)
    found = load_picture(
        put(tmp_path, "a.svg", Export(bare, FORMATS["svg"], INFOS).content())
    )
    assert found.workflow == bare.workflow
    assert len(set(found.positions.values())) == len(bare.workflow.nodes)


def test_a_png_that_would_be_too_large_says_what_else_there_is(qapp: object) -> None:
    nodes = tuple(NodeDefinition(id=id, type="template") for id in "ab")
    wide = Design(WorkflowDefinition(nodes=nodes), {"a": (0, 0), "b": (40_000, 0)})
    with pytest.raises(DefinitionError, match="too large for PNG"):
        Export(wide, FORMATS["png"], INFOS).content()
    assert Export(wide, FORMATS["svg"], INFOS).content()


def test_an_empty_drawing_has_pictures_too(qapp: object) -> None:
    for to in (
        FORMATS["png"],
        FORMATS["svg"],
        FORMATS["pdf"],
        FORMATS["mermaid"],
        FORMATS["dot"],
        FORMATS["schema"],
    ):
        assert Export(Design(), to, INFOS).content()


@pytest.mark.parametrize("to", list(FORMATS.values()), ids=list(FORMATS))
def test_no_export_imports_what_the_workflow_names(
    to: ExportFormat, qapp: object
) -> None:
    before = set(sys.modules)
    assert Export(load(AUDIT), to, INFOS).content()
    assert not {module.stem for module in AUDIT.parent.glob("*.py")} & (
        set(sys.modules) - before
    )


def test_the_schema_tells_what_the_start_takes_and_takes_the_own_input() -> None:
    node = NodeDefinition(id="a", type="collect")
    workflow = WorkflowDefinition(name="n", start="a", nodes=(node,), input=[1])
    schema = json.loads(Export(Design(workflow), FORMATS["schema"], INFOS).content())
    assert (schema["type"], schema["examples"]) == ("array", [[1]])
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate([1, "x"], schema)


# --- secrets ------------------------------------------------------------------------------------------------------

WORD = "hunter2-sk-123"
URL = f"https://{WORD}:{WORD}@example.org"
HEADERS = {"Authorization": f"Bearer {WORD}"}
CALL = NodeDefinition(
    id="call", type="http_request", params={"url": URL, "headers": HEADERS}
)
OWN = NodeDefinition(
    id="own",
    type="python_class",
    params={"class_name": "m:C", "arguments": {"api_key": WORD}},
)
SECRETIVE = WorkflowDefinition(
    start="call", nodes=(CALL, OWN), input={"password": WORD}
)


def unpacked(content: bytes) -> bytes:
    """What is in a file, and in what is packed or coded in it."""
    found = [content]
    for part in re.findall(rb"stream\r?\n(.*?)endstream", content, re.DOTALL):
        with suppress(zlib.error):
            found.append(zlib.decompressobj().decompress(part))
    found += [
        base64.b64decode(part)
        for part in re.findall(rb"document xmlns[^>]*>([^<]*)<", content)
    ]
    if content.startswith(b"\x89PNG"):
        found.append(
            zlib.decompress(content[content.index(b"stepwell\0\1") + 13 :][:-16])
        )
    return b"\n".join(found)


@pytest.mark.parametrize("to", list(FORMATS.values()), ids=list(FORMATS))
def test_no_export_holds_a_secret_that_is_written_out_and_each_says_what_to_set(
    to: ExportFormat, qapp: object
) -> None:
    design = Design(SECRETIVE, {}, {"later": {"auth_token": WORD}})
    wanted = Export(design, to, INFOS)
    content = unpacked(wanted.content())
    assert WORD.encode() not in content
    known = {one.variable for one in wanted.omitted}
    own = {
        "CALL_URL_USER",
        "CALL_URL_PASSWORD",
        "CALL_HEADERS_AUTHORIZATION",
        "OWN_ARGUMENTS_API_KEY",
    }
    expected = {
        FORMATS["mermaid"]: set(),
        FORMATS["dot"]: set(),
        FORMATS["schema"]: {"INPUT_PASSWORD"},
    }
    assert known == expected.get(to, {*own, "INPUT_PASSWORD", "LATER_AUTH_TOKEN"})
    if to.is_picture or to is FORMATS["python"]:
        assert all(name.encode() in content for name in own)


def test_the_command_line_says_what_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "w.stepwell.json"
    save(file, Design(SECRETIVE))
    code, out, err = stepwell(capsys, "export", file, "--to", "python")
    assert (code, WORD in out) == (0, False)
    assert "OWN_ARGUMENTS_API_KEY (own › arguments › api_key)" in " ".join(err.split())
    assert WORD in file.read_text()


# --- the command line ---------------------------------------------------------------------------------------------


def stepwell(
    capsys: pytest.CaptureFixture[str], *words: object
) -> tuple[int, str, str]:
    code = main([str(word) for word in words])
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("a.py", "# The workflow licence_audit"),
        ("a.mmd", "flowchart"),
        ("a.dot", "digraph"),
    ],
)
def test_the_name_of_the_output_tells_the_format(
    name: str, start: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert stepwell(capsys, "export", AUDIT, "-o", tmp_path / name)[0] == 0
    assert (tmp_path / name).read_text("utf-8").startswith(start)


def test_texts_go_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = stepwell(capsys, "export", AUDIT, "--to", "mermaid")
    assert (code, out.splitlines()[0], err) == (0, "flowchart TD", "")


def test_a_picture_goes_beside_its_file_and_can_be_exported_again(
    qapp: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = put(tmp_path, "audit.stepwell.json", AUDIT.read_bytes())
    for to in ("png", "svg", "pdf"):
        assert stepwell(capsys, "export", file, "--to", to)[0] == 0
    code, out, _ = stepwell(
        capsys, "export", tmp_path / "audit.png", "--to", "dot", "--json"
    )
    told = json.loads(out)
    assert (code, told["file"], told["text"].split()[0]) == (0, None, "digraph")
    assert (tmp_path / "audit.pdf").read_bytes().startswith(b"%PDF-")


def test_without_a_file_the_schema_is_that_of_workflow_files(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, _ = stepwell(capsys, "export", "--to", "schema")
    assert (code, json.loads(out)) == (
        0,
        json.loads((ROOT / "schema" / "stepwell.schema.json").read_bytes()),
    )


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("export",), 2, "needs a FILE"),
        (("export", "nowhere.json"), 2, "no file nowhere.json"),
        (("export", "{tmp}/empty.png"), 1, "neither PNG nor SVG"),
        (("export", str(AUDIT), "-o", "{tmp}"), 2, "is a folder"),
        (
            ("import", "no_such_module:workflow", "-o", "{tmp}/w.stepwell.json"),
            1,
            "cannot be imported",
        ),
        (
            ("import", "nothing", "-o", "{tmp}/w.stepwell.json"),
            1,
            "not of the form module:name",
        ),
        (("import", "json:dumps", "-o", "{tmp}/there.json"), 2, "exists already"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    words: tuple[str, ...],
    code: int,
    says: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("empty.png", "there.json"):
        put(tmp_path, name, b"")
    found, out, err = stepwell(
        capsys, *(word.replace("{tmp}", str(tmp_path)) for word in words)
    )
    assert (found, out) == (code, "")
    assert says in err
    assert not (tmp_path / "w.stepwell.json").exists()


@EACH
def test_a_workflow_goes_out_as_python_and_in_again(
    example: Example, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in example.path.parent.glob("*.py"):
        put(tmp_path, module.name, module.read_bytes())
    stepwell(
        capsys, "export", example.path, "-o", tmp_path / f"again_{example.name}.py"
    )
    file = tmp_path / "new.stepwell.json"
    code, out, _ = stepwell(
        capsys, "import", f"again_{example.name}:workflow", "-o", file, "--json"
    )
    told: dict[str, Any] = json.loads(out)
    made = read_file(file).workflow
    assert (code, told["nodes"]) == (0, len(made.nodes))
    assert len(load(file).positions) == len(made.nodes)
    same = build(read_file(example.path).workflow, folder=example.path.parent)
    assert build(made, folder=tmp_path).signature() == same.signature()


def test_what_an_imported_module_prints_is_no_result(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = 'print("loud")\nfrom runtime import WorkflowBuilder, executor\n'
    code += "@executor\nasync def a(message: int) -> None: ...\nworkflow = WorkflowBuilder(start_executor=a).build()\n"
    put(tmp_path, "loud_module.py", code.encode())
    found, out, err = stepwell(
        capsys, "import", "loud_module:workflow", "-o", tmp_path / "x.json", "--json"
    )
    assert (found, json.loads(out)["nodes"]) == (0, 1)
    assert "loud" in err
