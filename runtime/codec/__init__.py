"""Values to strict JSON and back, with type names, an allow-list, and no code in the
data.

`encode` and `decode` are exact: the result is equal to the original and of the same
types, and a value that cannot come back so is refused with its path. `view` is for
display: it imports and runs nothing of the user, and shows an unknown value as a
`Record`. An object that is referred to twice comes back as two equal objects; one that
contains itself is refused.
"""

from __future__ import annotations

from runtime.codec.decoder import Record, decode, rebuild, view, view_tree
from runtime.codec.encoder import encode
from runtime.codec.registry import DEFAULT_TYPES, TypeRegistry, can_register

__all__ = [
    "DEFAULT_TYPES",
    "Record",
    "TypeRegistry",
    "can_register",
    "decode",
    "encode",
    "rebuild",
    "view",
    "view_tree",
]
