"""numpy arrays and scalars as values. numpy is used only if it is loaded, and never
imported for display.
"""

from __future__ import annotations

import base64
import importlib
import re
import sys
from typing import Any

from runtime.codec.refusal import Refusal

# The names that are written. numpy would accept many others, such as names of fields,
# which make other arrays.
_KIND = re.compile(r"[<>|][biufcmMSUV]\d{1,9}(\[\d{0,9}[A-Za-z]+\])?")


def lower_array(value: Any) -> Any:
    """Return the tree of an array or scalar, or None if the value is neither. Call it
    only when numpy is loaded.
    """
    numpy = sys.modules["numpy"]
    scalar = isinstance(value, numpy.generic) and type(value).__module__ == "numpy"
    if type(value) is not numpy.ndarray and not scalar:
        return None
    kind = value.dtype
    if kind.hasobject or kind.names:
        raise Refusal(
            f"an array of {kind} cannot be saved: only arrays of plain numbers, texts and times can"
        )
    # Where `longlong` and `int64` are two types of the same size.
    if numpy.dtype(kind.str).char != kind.char:
        raise Refusal(
            f"numbers of type {kind.type.__name__} would come back as another type. Save them as {kind.name}"
        )
    if scalar:
        # Because a text in an array loses the NULs at its end, and an empty text cannot
        # be in any.
        if kind.char in "SU" and value[-1:] in ("", b"", "\0", b"\0"):
            raise Refusal(
                f"this {kind.type.__name__} would not come back equal. Save a plain text or bytes"
            )
        return {"$": "numpy", "v": [kind.str, [], "C", _text(value.tobytes())]}
    order = "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"
    return {
        "$": "ndarray",
        "v": [kind.str, list(value.shape), order, _text(value.tobytes(order))],
    }


def build_array(tag: str, payload: Any) -> Any:
    """Return the array or scalar of a payload."""
    numpy: Any = importlib.import_module("numpy")
    kind, shape, order, text = payload
    if type(kind) is not str or not _KIND.fullmatch(kind):
        raise ValueError("an array of another kind")
    dtype = numpy.dtype(kind)
    if not dtype.itemsize:
        raise ValueError("items without a size")
    data = bytearray(base64.b64decode(text, validate=True))
    array = numpy.ndarray(tuple(shape), dtype, buffer=data, order=order)
    if array.nbytes != len(data):
        raise ValueError("shape and bytes do not agree")
    return array[()] if tag == "numpy" else array


def can_build() -> bool:
    return "numpy" in sys.modules


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
