"""The values that the test of a bundle looks at. Where one is missing, the test fails by
an assertion, because a value that is lost is a fault like one that is wrong.
"""

from __future__ import annotations

from typing import Any, Never


class CheckedMap(dict[str, Any]):
    """A map whose missing keys fail the test."""

    def __missing__(self, key: str) -> Never:
        raise AssertionError(f"{key!r} is missing")


class CheckedList(list[Any]):
    """A list whose missing places fail the test."""

    def __getitem__(self, place: Any) -> Any:
        try:
            return super().__getitem__(place)
        except IndexError:
            raise AssertionError(f"place {place} is missing") from None


def checked(value: Any) -> Any:
    """Return plain JSON values as those whose missing places fail a test."""
    if isinstance(value, dict):
        return CheckedMap({key: checked(item) for key, item in value.items()})
    if isinstance(value, list):
        return CheckedList(map(checked, value))
    return value
