"""Values of classes that pydantic can write and read: its network types, its secrets,
and classes of a user with a `__get_pydantic_core_schema__`.

pydantic is used only for such values, and not imported for display.
"""

from __future__ import annotations

import inspect
import re
import sys
from functools import lru_cache
from typing import Any

import orjson

from runtime.codec.sections import FIELDS, HIDDEN, Sections

_VALUE = "value"
_OURS = __name__.split(".")[0]
# Views show this in the place of a secret.
MASKED = "••••••"
_PASSWORD = re.compile(r"(://[^/@:\s]*:)[^/@\s]*@")


class Secrets:
    """A `SecretStr`, `SecretBytes` or `Secret[...]`: hidden in the record, masked in
    every view.
    """

    plain_object = False

    def fits(self, cls: type) -> bool:
        pydantic = sys.modules.get("pydantic")  # no such class exists without it
        return pydantic is not None and cls in (
            pydantic.SecretStr,
            pydantic.SecretBytes,
            pydantic.Secret,
        )

    def take(self, value: Any) -> Sections:
        return {HIDDEN: {_VALUE: value.get_secret_value()}}

    def make(self, cls: Any, sections: Sections) -> Any:
        secret = sections[HIDDEN][_VALUE]
        if {"SecretStr": str, "SecretBytes": bytes}.get(
            cls.__name__, type(secret)
        ) is not type(secret):
            raise TypeError("a secret of another type")
        return cls(secret)


class Dumped:
    """A class whose values pydantic writes as JSON and reads again, if they come back
    equal. Its validators run when a value is read, also those of a user's class,
    because only pydantic can make the value.
    """

    plain_object = False

    def fits(self, cls: type) -> bool:
        hashable: Any = cls  # mypy takes no class for one
        return adapter_of(hashable) is not None

    def take(self, value: Any) -> Sections:
        cls: Any = type(value)
        adapter = adapter_of(cls)
        data = adapter.dump_json(value, warnings="error")
        back = adapter.validate_json(data)
        if type(back) is not type(value) or not bool(back == value):
            raise ValueError(
                "what pydantic reads of what it wrote is another value; give the class an `__eq__`"
            )
        return {FIELDS: {_VALUE: orjson.loads(data)}}

    def make(self, cls: Any, sections: Sections) -> Any:
        value = adapter_of(cls).validate_json(orjson.dumps(sections[FIELDS][_VALUE]))
        if type(value) is not cls:
            raise TypeError("pydantic makes another type of it")
        return value


def without_password(text: str) -> str:
    """Return an address as a view shows it."""
    return _PASSWORD.sub(lambda match: f"{match[1]}{MASKED}@", text)


@lru_cache(maxsize=1024)
def adapter_of(cls: Any) -> Any:
    """Return what pydantic makes of a class; None if it knows nothing of the class, or
    only that it is a base of others.
    """
    module = cls.__module__
    if (
        module in ("builtins", "typing", "collections.abc")
        or module.split(".")[0] == _OURS
        or inspect.isabstract(cls)
    ):
        return None
    from pydantic import TypeAdapter

    try:
        return TypeAdapter(cls)
    except Exception:  # noqa: BLE001 - whatever its errors, and a schema function of the user's, may be
        return None


def pydantic_name(cls: type) -> str | None:
    """Return the name of a type that belongs to pydantic, such as `pydantic:HttpUrl`;
    None for any other class.
    """
    module = cls.__module__.partition(".")[0]
    pydantic = sys.modules.get("pydantic")
    if module not in ("pydantic", "pydantic_core") or pydantic is None:
        return None
    if _brought(pydantic, cls.__name__) is cls:
        return f"pydantic:{cls.__name__}"
    return None


def pydantic_type(name: str, *, load: bool) -> type | None:
    """Return the type that a name of `pydantic_name` stands for. Without `load`
    pydantic is not imported to find it.
    """
    kind, _, own_name = name.partition(":")
    if kind != "pydantic":
        return None
    if load:
        import pydantic
    else:
        pydantic = sys.modules.get("pydantic")  # type: ignore[assignment]
    return None if pydantic is None else _brought(pydantic, own_name)


def _brought(pydantic: Any, name: str) -> type | None:
    cls = pydantic.__dict__.get(name) or _lazily(pydantic, name)
    is_value_type = isinstance(cls, type) and (Secrets().fits(cls) or _is_known(cls))
    return cls if is_value_type else None


def _lazily(pydantic: Any, name: str) -> Any:
    # pydantic imports its names when they are first used, and only those of its list.
    return getattr(pydantic, name, None) if name in pydantic.__all__ else None


def _is_known(cls: Any) -> bool:
    is_listed = cls.__module__ == "pydantic.networks" or cls.__name__ == "ByteSize"
    # `NameEmail` works only if another package is installed.
    return (
        is_listed
        and hasattr(cls, "__get_pydantic_core_schema__")
        and adapter_of(cls) is not None
    )
