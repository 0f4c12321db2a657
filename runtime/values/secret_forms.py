"""How a secret may stand in what is written: as it is, or coded in a way that everybody
can read again.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from urllib.parse import quote, quote_plus

from runtime.values.json_bytes import json_bytes

# Bytes. The code of fewer would be found by chance.
_LONG_ENOUGH = 4
_SURROGATES = re.compile("[\ud800-\udfff]+")


def written_forms(secret: str) -> Iterator[bytes]:
    """Yield a secret as files have it: as it is, inside a URL, inside JSON, inside a text
    of JSON that is a value of JSON itself, and as the base64 and the hexadecimal code of
    bytes.
    """
    # A variable of the environment may hold bytes that are no text. Each writer codes
    # these in its own way, so the longest text between them is looked for.
    text = max(_SURROGATES.split(secret), key=len)
    if not text or (text != secret and len(text) < _LONG_ENOUGH):
        return
    yield text.encode()
    for form in {text, quote(text, safe=""), quote(text), quote_plus(text)}:
        for in_json in {json_bytes(form)[1:-1].decode(), json.dumps(form)[1:-1]}:
            yield in_json.encode()
            yield json_bytes(in_json)[1:-1]
    data = text.encode()
    if len(data) >= _LONG_ENOUGH:
        yield data.hex().encode()
        yield data.hex().upper().encode()
        yield from _in_base64(data, b64encode)
        yield from _in_base64(data, urlsafe_b64encode)


def _in_base64(data: bytes, encode: Callable[[bytes], bytes]) -> Iterator[bytes]:
    """Yield bytes as they are inside of longer ones, which may begin anywhere."""
    for offset in range(3):
        encoded = encode(b"\0" * offset + data)
        # Without the characters that also hold bits of what stands beside it.
        begin = (0, 2, 3)[offset]
        end = len(encoded) - (0, 3, 2)[(offset + len(data)) % 3]
        yield encoded[begin:end]
