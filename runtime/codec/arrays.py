"""numpy arrays and scalars as values. numpy is used only where it is there, and never imported for looking."""

from __future__ import annotations

import base64
import importlib
import sys
from typing import Any

from runtime.codec.refusal import Refusal


def lower_array(value: Any) -> Any:
    """The tree of an array or scalar, or None if the value is neither. Called only when numpy is loaded."""
    numpy = sys.modules["numpy"]
    scalar = isinstance(value, numpy.generic) and type(value).__module__ == "numpy"
    if type(value) is not numpy.ndarray and not scalar:
        return None
    kind = value.dtype
    if kind.hasobject or kind.names:
        raise Refusal(f"an array of {kind} cannot be saved: only arrays of plain numbers, texts and times can")
    if scalar:
        return {"$": "numpy", "v": [kind.str, [], "C", _text(value.tobytes())]}
    order = "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"
    return {"$": "ndarray", "v": [kind.str, list(value.shape), order, _text(value.tobytes(order))]}


def build_array(tag: str, payload: Any) -> Any:
    """The array or scalar of a payload."""
    numpy: Any = importlib.import_module("numpy")
    kind, shape, order, text = payload
    dtype = numpy.dtype(kind)
    if dtype.hasobject:
        raise ValueError("an array of objects")
    data = bytearray(base64.b64decode(text, validate=True))
    array = numpy.ndarray(tuple(shape), dtype, buffer=data, order=order)
    if array.nbytes != len(data):
        raise ValueError("shape and bytes do not agree")
    return array[()] if tag == "numpy" else array


def can_build() -> bool:
    return "numpy" in sys.modules


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
