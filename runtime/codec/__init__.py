"""Values to strict JSON and back, with type names, an allow-list, and no code in the data.

`encode` and `decode` are exact: what comes back is equal to what went in, of the same types, and what cannot is refused
with its path. `view` is for looking: it imports and runs nothing of the user's, and shows what it does not know as a
`Record`. An object that is referred to twice comes back as two equal objects; one that contains itself is refused.
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
