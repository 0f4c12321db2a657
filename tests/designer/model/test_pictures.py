"""A workflow inside of a picture: found again as it was, and what is damaged or hostile
is refused with a sentence.
"""

from __future__ import annotations

import struct
import zlib
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from designer.model import pictures
from designer.model.pictures import into_png, into_svg, is_picture, read_picture
from runtime.errors import DefinitionError, UnfitFileError
from runtime.system import bounded_files


def chunk(kind: bytes, body: bytes) -> bytes:
    return (
        struct.pack(">I", len(body))
        + kind
        + body
        + struct.pack(">I", zlib.crc32(kind + body))
    )


PNG = b"\x89PNG\r\n\x1a\n" + chunk(
    b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
)
PNG += chunk(b"IDAT", zlib.compress(b"\x00\x00")) + chunk(b"IEND", b"")
SVG = b'<?xml version="1.0"?>\n<svg width="1" xmlns="http://www.w3.org/2000/svg"><g/></svg>'
BOTH = pytest.mark.parametrize(
    ("put", "picture"), [(into_png, PNG), (into_svg, SVG)], ids=["png", "svg"]
)


def read(folder: Path, content: bytes) -> bytes:
    path = folder / "picture"
    path.write_bytes(content)
    return read_picture(path)


@BOTH
@given(document=st.binary(max_size=2000))
def test_what_was_put_in_is_found_again(
    put: object,
    picture: bytes,
    document: bytes,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    assert read(tmp_path_factory.getbasetemp(), put(picture, document)) == document  # type: ignore[operator]


@pytest.mark.parametrize("content", [PNG, SVG])
def test_a_picture_without_a_workflow_says_so(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match="no workflow inside of this picture"):
        read(tmp_path, content)


@given(data=st.data())
def test_a_damaged_png_is_refused_or_still_whole(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    whole = into_png(PNG, b'{"format": 1}' * 20)
    cut = data.draw(st.integers(0, len(whole) - 1))
    torn = bytearray(whole)
    torn[cut] ^= data.draw(st.integers(1, 255))
    for content in (whole[:cut], bytes(torn)):
        with suppress(DefinitionError):
            assert (
                read(tmp_path_factory.getbasetemp(), content) == b'{"format": 1}' * 20
            )


@given(content=st.binary(max_size=400))
def test_any_bytes_are_refused_with_a_sentence(
    content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for head in (b"", b"\x89PNG\r\n\x1a\n", b"<svg>"):
        with pytest.raises(DefinitionError):
            read(tmp_path_factory.getbasetemp(), head + content)


def test_a_workflow_that_grows_without_end_when_unpacked_is_not_read(
    tmp_path: Path,
) -> None:
    bomb = into_png(PNG, b" " * (pictures.LARGEST_DOCUMENT + 1))
    assert len(bomb) < 2**20
    with pytest.raises(DefinitionError, match="more than 64 MB"):
        read(tmp_path, bomb)


def test_an_svg_whose_entities_grow_without_end_is_not_read(tmp_path: Path) -> None:
    entities = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 9))
    text = f'<!DOCTYPE svg [<!ENTITY a0 "ha">{entities}]><svg><metadata>&a8;</metadata></svg>'
    with pytest.raises(DefinitionError, match="defines entities"):
        read(tmp_path, text.encode())


def test_no_file_that_an_svg_names_is_fetched(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    text = f'<!DOCTYPE svg SYSTEM "{(tmp_path / "secret").as_uri()}"><svg/>'
    with pytest.raises(DefinitionError, match="no workflow inside"):
        read(tmp_path, text.encode())


def test_an_svg_with_another_text_where_the_workflow_stands_is_refused(
    tmp_path: Path,
) -> None:
    with pytest.raises(DefinitionError, match="cannot be read"):
        read(tmp_path, into_svg(SVG, b"x").replace(b"eA==", b"<b/>?!"))


def test_a_picture_that_is_too_large_is_not_even_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.png"
    with path.open("wb") as file:
        file.truncate(bounded_files.LARGEST + 1)
    with pytest.raises(UnfitFileError, match="at most 256 MB"):
        read_picture(path)


def test_pictures_are_told_by_their_names() -> None:
    assert [
        name
        for name in ("a.png", "A.SVG", "a.pdf", "a.stepwell.json")
        if is_picture(Path(name))
    ] == [
        "a.png",
        "A.SVG",
        "a.pdf",
    ]


def test_a_pdf_without_a_workflow_that_can_be_found_says_so(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match="as an attached file"):
        read(tmp_path, b"%PDF-1.4 ...")


@pytest.mark.parametrize(
    "rest",
    [
        b"/EF <</F 9 0 R>>",
        b"/EF <</F 9 0 R>> 19 0 obj <</Filter /FlateDecode>>\nstream\n",
        b"/EF <</F 9 0 R>> 9 0 obj <</Filter /FlateDecode>>\nstream\n"
        + zlib.compress(b"no workflow")
        + b"\nendstream",
        b"/EF <<" * 50_000,
    ],
)
def test_a_pdf_with_another_attachment_or_none_is_refused_in_a_sentence(
    rest: bytes, tmp_path: Path
) -> None:
    with pytest.raises(DefinitionError, match="No workflow is found in this PDF"):
        read(tmp_path, b"%PDF-1.4 " + rest)


def test_a_pdf_that_was_cut_or_grows_without_end_is_refused(tmp_path: Path) -> None:
    head = b"%PDF-1.4 /EF <</F 9 0 R>>\n9 0 obj <</Filter /FlateDecode>>\nstream\n"
    packed = zlib.compress(b"{" + b" " * (pictures.LARGEST_DOCUMENT + 1))
    with pytest.raises(DefinitionError, match="not read"):
        read(tmp_path, head + packed)
    with pytest.raises(DefinitionError, match="ends too early"):
        read(tmp_path, head + zlib.compress(b"{}" * 100)[:-6])
