"""`Fingerprint`: lets an observer tell versions of a value apart without holding or
seeing the value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runtime.codec import TypeRegistry


class Fingerprint:
    """The digest of a value of the shared state: the 32 hexadecimal digits of its part
    in a checkpoint, or an empty text if the value cannot be encoded. Equal for equal
    values.

    It is made when `str()` first asks for it, so that an observer which does not look
    at it pays nothing.
    """

    __slots__ = ("_digest", "_key", "_types", "_value")

    def __init__(self, key: str, value: Any, types: TypeRegistry | None = None) -> None:
        self._key = key
        self._value = value
        self._types = types
        self._digest: str | None = None

    def __str__(self) -> str:
        if self._digest is None:
            self._digest = self._make_digest()
            self._value = None
        return self._digest

    def _make_digest(self) -> str:
        from runtime.checkpoint import digest_of
        from runtime.checkpoints.parts import shared_bytes
        from runtime.codec import DEFAULT_TYPES
        from runtime.errors import EncodeError

        try:
            return digest_of(
                shared_bytes(self._key, self._value, self._types or DEFAULT_TYPES)
            )
        except EncodeError:
            return ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fingerprint) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __repr__(self) -> str:
        return f"Fingerprint({str(self)!r})"
