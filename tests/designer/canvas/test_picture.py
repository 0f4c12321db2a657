"""Pictures for files: SVG and PDF keep shapes as shapes, in our look, whatever texts a
drawing has.
"""

from __future__ import annotations

import re
import zlib
from xml.etree import ElementTree as ET

import pytest

from designer.canvas.drawing.picture import (
    picture_area,
    render_image,
    render_pdf,
    render_svg,
)
from designer.canvas.drawing.scene import CanvasScene
from designer.look.theme import load_theme
from designer.model.design import Design
from designer.model.files import load
from resources import examples
from runtime.document.definition import NodeDefinition, NodeInfo, WorkflowDefinition

BOX = NodeInfo(type="box", title="Box", category="", icon="box", summary="text")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def scene(qapp: object) -> CanvasScene:
    made = CanvasScene(load_theme("light"))
    made.show(
        load(next(one.path for one in examples() if one.name == "licence_audit")), {}
    )
    return made


def one_node(title: str) -> CanvasScene:
    made = CanvasScene(load_theme("light"))
    node = NodeDefinition(id="a", type="box", name=title, params={"text": title})
    made.show(Design(WorkflowDefinition(nodes=(node,)), {"a": (0, 0)}), {"box": BOX})
    return made


def test_an_svg_has_the_size_of_the_drawing_its_texts_and_no_pixels(
    scene: CanvasScene,
) -> None:
    root = ET.fromstring(render_svg(scene, "A & <b>"))  # noqa: S314 - our own
    area = picture_area(scene)
    assert (float(root.attrib["width"]), float(root.attrib["height"])) == (
        area.width(),
        area.height(),
    )
    assert root.findtext(f"{SVG}title") == "A & <b>"
    assert not list(root.iter(f"{SVG}image"))
    texts = {text.text for text in root.iter(f"{SVG}text")}
    assert {"Classify licences", "default"} <= texts
    assert all(float(text.attrib["textLength"]) > 0 for text in root.iter(f"{SVG}text"))


def test_a_pdf_has_no_pixels_and_the_file_in_it(scene: CanvasScene) -> None:
    made = render_pdf(scene, "Audit", ("audit.stepwell.json", b'{"format": 1}'))
    assert made.startswith(b"%PDF-")
    assert b"/Subtype /Image" not in made
    place = re.search(rb"/EF <</F (\d+) 0 R>>", made)
    assert place is not None
    attached = re.search(
        rb"\n%s 0 obj.*?stream\n(.*?)\nendstream" % place[1], made, re.DOTALL
    )
    assert attached is not None
    assert zlib.decompress(attached[1]) == b'{"format": 1}'
    assert (
        "audit.stepwell.json".encode("utf-16-be") in made
        or b"audit.stepwell.json" in made
    )


@pytest.mark.parametrize(
    "title", ["<script>&amp;", "\x00\x01\x1b", "確認 😀", "two\nlines", '"quoted" \\']
)
def test_any_text_makes_a_file_that_xml_readers_take(title: str, qapp: object) -> None:
    root = ET.fromstring(render_svg(one_node(title), title))  # noqa: S314 - our own
    assert any(text.text for text in root.iter(f"{SVG}text"))


def test_the_screen_and_the_file_have_the_same_colours(scene: CanvasScene) -> None:
    theme = scene.style_.theme
    made = render_svg(scene, "").decode()
    assert {theme.canvas.name(), theme.node.name(), theme.edge.name()} <= {
        word.split('"')[0] for word in made.split('="') if word.startswith("#")
    }


def test_a_picture_of_nothing_is_one_pixel(qapp: object) -> None:
    empty = CanvasScene(load_theme("light"))
    assert render_image(empty, 3.0).size().toTuple() == (3, 3)
    ET.fromstring(render_svg(empty, ""))  # noqa: S314 - our own
