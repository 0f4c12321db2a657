"""Pictures that carry their workflow inside: put into PNG and SVG, and found again, also in a PDF, where Qt puts it.
What comes from outside is data.

PNG      an `iTXt` chunk with the keyword `stepwell`, packed (https://www.w3.org/TR/png-3/#11iTXt)
SVG      `<metadata><document xmlns="urn:stepwell:document">…</document></metadata>`, in base64
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from xml.parsers import expat

from designer.model.design import Design
from designer.model.files import to_design
from runtime.document.files import LARGEST_DOCUMENT, parse
from runtime.errors import DefinitionError
from runtime.system.bounded_files import read_bytes

SUFFIXES = (".png", ".svg", ".pdf")
KEYWORD = b"stepwell"
NAMESPACE = "urn:stepwell:document"
_ELEMENT = f"{NAMESPACE} document"  # as the parser names it
_PNG = b"\x89PNG\r\n\x1a\n"
MOST_ATTACHED = 16  # files of a PDF that are looked at
_ATTACHED = re.compile(rb"/EF\s{0,9}<<\s{0,9}/F (\d{1,9}) 0 R")
_DAMAGED = "The picture is damaged"


def is_picture(path: Path) -> bool:
    """Whether a file's name is that of a picture that can have a workflow inside."""
    return path.suffix.lower() in SUFFIXES


def load_picture(path: Path) -> Design:
    """The drawing inside of a picture. Raises as `read_picture`, and `DefinitionError` if it is no workflow file."""
    return to_design(parse(read_picture(path)))


def read_picture(path: Path) -> bytes:
    """The workflow file inside of a picture. Raise `OSError`, and `DefinitionError` if there is none, or the picture
    is damaged or too large.
    """
    content = read_bytes(path)
    if content.startswith(b"%PDF-"):
        return _from_pdf(content)
    found = _from_png(content) if content.startswith(_PNG) else _from_svg(content)
    if found is None:
        raise DefinitionError(
            "There is no workflow inside of this picture. Stepwell puts one into the PNG and SVG files that it "
            "exports; other programs may take it out when they save the picture."
        )
    return found


# --- PNG ----------------------------------------------------------------------------------------------------------


def into_png(picture: bytes, document: bytes) -> bytes:
    """The PNG with the document in it, before its last chunk."""
    body = KEYWORD + b"\x00\x01\x00\x00\x00" + zlib.compress(document, 9)
    end = picture.rindex(b"IEND") - 4
    return picture[:end] + _chunk(b"iTXt", body) + picture[end:]


def _chunk(kind: bytes, body: bytes) -> bytes:
    return (
        struct.pack(">I", len(body))
        + kind
        + body
        + struct.pack(">I", zlib.crc32(kind + body))
    )


def _from_png(picture: bytes) -> bytes | None:
    for kind, body in _chunks(picture):
        if kind == b"iTXt" and body.startswith(KEYWORD + b"\x00"):
            return _text(body[len(KEYWORD) + 1 :])
    return None


def _chunks(picture: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(_PNG)
    while at < len(picture):
        if at + 12 > len(picture):
            raise DefinitionError(
                f"{_DAMAGED}: it ends too early. Get it again from where it came."
            )
        (length,) = struct.unpack_from(">I", picture, at)
        kind = picture[at + 4 : at + 8]
        body = picture[at + 8 : at + 8 + length]
        check = picture[at + 8 + length : at + 12 + length]
        if len(body) < length or len(check) < 4:
            raise DefinitionError(
                f"{_DAMAGED}: it ends too early. Get it again from where it came."
            )
        if struct.unpack(">I", check)[0] != zlib.crc32(kind + body):
            raise DefinitionError(
                f"{_DAMAGED}: a part of it is not what it was. Get it again from where it came."
            )
        yield kind, body
        if kind == b"IEND":
            return
        at += 12 + length


def _text(rest: bytes) -> bytes:
    """The text of an `iTXt` chunk after its keyword: whether it is packed, how, a language, the keyword in that."""
    packed = rest[:1]
    _ = rest[1:2]
    rest = rest[2:]
    text = rest.split(b"\x00", 2)[-1]
    return _unpacked(text) if packed == b"\x01" else _bounded(text)


def _unpacked(text: bytes) -> bytes:
    unpacker = zlib.decompressobj()
    try:
        found = unpacker.decompress(text, LARGEST_DOCUMENT + 1)
    except zlib.error as error:
        raise DefinitionError(
            f"{_DAMAGED}: the workflow inside cannot be unpacked ({error})."
        ) from error
    if len(found) <= LARGEST_DOCUMENT and not unpacker.eof:
        raise DefinitionError(
            f"{_DAMAGED}: the workflow inside ends too early. Get it again from where it came."
        )
    return _bounded(found)


def _bounded(document: bytes) -> bytes:
    if len(document) > LARGEST_DOCUMENT:
        raise DefinitionError(
            f"The workflow inside of the picture has more than {LARGEST_DOCUMENT // 2**20} MB and is not read."
        )
    return document


# --- PDF ----------------------------------------------------------------------------------------------------------


def _from_pdf(content: bytes) -> bytes:
    """The attached file of a PDF as we write it. One that another program has written anew may hide it better."""
    for number in _ATTACHED.findall(content)[:MOST_ATTACHED]:
        begin = re.search(
            rb"(?<![0-9])%s 0 obj\s*<<([^>]{0,500})>>\s*stream\r?\n" % number, content
        )
        if begin is None or b"FlateDecode" not in begin[1]:
            continue
        found = _unpacked(content[begin.end() :])
        if found.lstrip().startswith(b"{"):
            return found
    raise DefinitionError(
        "No workflow is found in this PDF. If it has one as an attached file, save that with a viewer of PDF files, "
        "and open it here."
    )


# --- SVG ----------------------------------------------------------------------------------------------------------


def into_svg(picture: bytes, document: bytes) -> bytes:
    """The SVG with the document in it, first in its root."""
    start = picture.index(b">", picture.index(b"<svg")) + 1
    inside = b'\n<metadata><document xmlns="%s">%s</document></metadata>'
    return (
        picture[:start]
        + inside % (NAMESPACE.encode(), base64.b64encode(document))
        + picture[start:]
    )


def _from_svg(picture: bytes) -> bytes | None:
    reader = _SvgReader()
    try:
        reader.read(picture)
    except expat.ExpatError as error:
        if reader.found is None:
            raise DefinitionError(
                f"The file is neither PNG nor SVG, or it is damaged: {error}."
            ) from error
    if reader.found is None:
        return None
    try:
        return _bounded(base64.b64decode("".join(reader.found.split()), validate=True))
    except binascii.Error as error:
        raise DefinitionError(
            f"{_DAMAGED}: the workflow inside cannot be read ({error})."
        ) from error


class _SvgReader:
    """Finds the first document element. XML can be written so that it grows without end when it is read: a file that
    defines entities is refused, and none is ever fetched.
    """

    def __init__(self) -> None:
        self.found: str | None = None
        self._parts: list[str] | None = None
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.EntityDeclHandler = self._entity
        self._parser.buffer_text = True

    def read(self, content: bytes) -> None:
        self._parser.Parse(content, True)

    def _start(self, name: str, _attributes: dict[str, str]) -> None:
        if name == _ELEMENT and self.found is None:
            self._parts = []

    def _text(self, text: str) -> None:
        if self._parts is not None:
            self._parts.append(text)

    def _end(self, name: str) -> None:
        if self._parts is not None and name == _ELEMENT:
            self.found = "".join(self._parts)
            self._parts = None

    def _entity(self, *_: object) -> None:
        raise DefinitionError(
            "The picture defines entities of XML, which no picture needs; it is not read."
        )
