"""Pictures that carry their workflow inside: it is put into PNG and SVG, and read from
these and from PDF, where Qt puts it. Pictures come from anywhere, so they are read as
data, with limits.

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
MOST_ATTACHED = 16  # files of a PDF that are read
_ATTACHED = re.compile(rb"/EF\s{0,9}<<\s{0,9}/F (\d{1,9}) 0 R")
_DAMAGED = "The picture is damaged"
_ENDS_EARLY = f"{_DAMAGED}: it ends too early. Get it again from its source."


def is_picture(path: Path) -> bool:
    """Return whether a file has the name of a picture that can have a workflow inside."""
    return path.suffix.lower() in SUFFIXES


def load_picture(path: Path) -> Design:
    """Return the drawing inside of a picture.

    Raise what `read_picture` raises, and `DefinitionError` if it is no workflow file.
    """
    return to_design(parse(read_picture(path)))


def read_picture(path: Path) -> bytes:
    """Return the workflow file inside of a picture.

    Raise `OSError`, and `DefinitionError` if there is none, or the picture is damaged
    or too large.
    """
    content = read_bytes(path)
    if content.startswith(b"%PDF-"):
        return _from_pdf(content)
    is_png = content.startswith(_PNG)
    document = _from_png(content) if is_png else _from_svg(content)
    if document is None:
        raise DefinitionError(
            "There is no workflow inside of this picture. Stepwell puts one into the "
            "PNG and SVG files that it exports; other programs may take it out when "
            "they save the picture."
        )
    return document


# --- PNG ----------------------------------------------------------------------------------------------------------


def into_png(picture: bytes, document: bytes) -> bytes:
    """Return the PNG with the document in it, before its last chunk."""
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
    offset = len(_PNG)
    while offset < len(picture):
        if offset + 12 > len(picture):
            raise DefinitionError(_ENDS_EARLY)
        (length,) = struct.unpack_from(">I", picture, offset)
        end = offset + 8 + length
        kind = picture[offset + 4 : offset + 8]
        body = picture[offset + 8 : end]
        check = picture[end : end + 4]
        if len(body) < length or len(check) < 4:
            raise DefinitionError(_ENDS_EARLY)
        if struct.unpack(">I", check)[0] != zlib.crc32(kind + body):
            raise DefinitionError(
                f"{_DAMAGED}: a part of it has changed. Get it again from its source."
            )
        yield kind, body
        if kind == b"IEND":
            return
        offset = end + 4


def _text(body: bytes) -> bytes:
    """Return the text of an `iTXt` chunk.

    Before it are: whether it is packed, how, a language, and the keyword in that
    language.
    """
    is_packed = body[:1] == b"\x01"
    text = body[2:].split(b"\x00", 2)[-1]
    return _unpacked(text) if is_packed else _bounded(text)


def _unpacked(text: bytes) -> bytes:
    unpacker = zlib.decompressobj()
    try:
        document = unpacker.decompress(text, LARGEST_DOCUMENT + 1)
    except zlib.error as error:
        raise DefinitionError(
            f"{_DAMAGED}: the workflow inside cannot be unpacked ({error})."
        ) from error
    if len(document) <= LARGEST_DOCUMENT and not unpacker.eof:
        raise DefinitionError(
            f"{_DAMAGED}: the workflow inside ends too early. "
            "Get it again from its source."
        )
    return _bounded(document)


def _bounded(document: bytes) -> bytes:
    if len(document) > LARGEST_DOCUMENT:
        raise DefinitionError(
            f"The workflow inside of the picture has more than {LARGEST_DOCUMENT // 2**20} MB and is not read."
        )
    return document


# --- PDF ----------------------------------------------------------------------------------------------------------


def _from_pdf(content: bytes) -> bytes:
    """Return the attached file of a PDF as we write it.

    A PDF that another program has saved may have it in another form.
    """
    for number in _ATTACHED.findall(content)[:MOST_ATTACHED]:
        begin = re.search(
            rb"(?<![0-9])%s 0 obj\s*<<([^>]{0,500})>>\s*stream\r?\n" % number, content
        )
        if begin is None or b"FlateDecode" not in begin[1]:
            continue
        document = _unpacked(content[begin.end() :])
        if document.lstrip().startswith(b"{"):
            return document
    raise DefinitionError(
        "No workflow is found in this PDF. If it has one as an attached file, save "
        "that with a viewer of PDF files, and open it here."
    )


# --- SVG ----------------------------------------------------------------------------------------------------------


def into_svg(picture: bytes, document: bytes) -> bytes:
    """Return the SVG with the document in it, first in its root."""
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
    """Finds the first document element. XML can be written so that it grows without end
    when it is read: a file that defines entities is refused, and none is ever fetched.
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
