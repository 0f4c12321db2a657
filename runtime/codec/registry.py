"""The classes that may be in saved data, and their names there."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterable
from typing import TypeVar

from runtime import calls, checkpoint, errors, events, message, state
from runtime.codec.builtin import BUILTIN_NAMES, BY_CLASS
from runtime.codec.class_kinds import KINDS, Kind, is_own, odd_attributes
from runtime.codec.pydantic_types import pydantic_name, pydantic_type
from runtime.errors import CodecError
from runtime.values.exception_parts import builtin_exception

_C = TypeVar("_C", bound=type)


class TypeRegistry:
    """The allow-list of types by name. Every registry knows the built-in types and the
    runtime's own.

    These can be registered: dataclasses, named tuples, enums, exceptions, pydantic
    models, and all other classes that pydantic can write as JSON and read back to an
    equal value. The exceptions of Python and the types of pydantic, such as `HttpUrl`
    and `SecretStr`, are known already.

    Names are written into saved data, so a class that moves keeps its name: register it
    under its old name, or add the old name as an alias.

    A registry over another one knows all its types, except for names that it has
    itself. So workflows of one process may have different classes of one name, such as
    those of two documents whose folders both have a `steps.py`.
    """

    def __init__(self, over: TypeRegistry | None = None) -> None:
        self._over = over
        self._classes: dict[str, type] = {}
        self._names: dict[type, str] = {}
        self._kinds: dict[type, Kind] = {}
        self._allowed: set[str] = set()
        if over is None:
            _register_own(self)

    def register(self, cls: _C, name: str | None = None) -> _C:
        """Allow `cls`; usable as a decorator. The name is `module:qualname` unless
        given.

        Registering again changes nothing, or the name that is written if another one is
        given; a new definition under the same `module:qualname` replaces the earlier
        one. Raise `CodecError` if the name belongs to another class, or if instances
        could not be restored exactly.
        """
        kind = _kind_of(cls)
        if cls in self._names and (name is None or self._names[cls] == name):
            return cls
        name = name or (self._over and self._over.name_of(cls)) or _default_name(cls)
        self._claim(name, cls)
        self._names[cls] = name
        self._kinds[cls] = kind
        return cls

    def alias(self, old_name: str, cls: type) -> None:
        """Read data that was saved under `old_name` as `cls`, which is registered if it
        was not.
        """
        self.register(cls)
        self._claim(old_name, cls)

    def allow(self, names: Iterable[str]) -> None:
        """Register further classes by name, `module:qualname`, when they are first met:
        a class whose value is saved, or one that saved data names, whose module is
        imported then. Raise `ValueError` for another text.
        """
        for name in names:
            module, _, qualname = name.partition(":")
            if not module or not qualname:
                raise ValueError(
                    f"'{name}' names no type: write it as 'module:qualname'."
                )
            self._allowed.add(name)

    def name_of(self, cls: type) -> str | None:
        """Return the name that is written for a registered class."""
        if cls not in self._names and _show(cls) in self._allowed:
            self.register(cls)
        if cls not in self._names and self._over is not None:
            return self._over.name_of(cls)
        if cls not in self._names:
            if _OWN_ELSEWHERE.get(cls.__name__) == cls.__module__:
                self.register(cls)
            elif (known := _known_name(cls)) is not None:
                self.register(cls, known)
        return self._names.get(cls)

    def class_of(self, name: str, *, load: bool = True) -> type | None:
        """Return the class that a name stands for. Without `load` no module of the user
        is imported to find it.
        """
        if load and name not in self._classes and name in self._allowed:
            self.register(_imported(name))
        if name not in self._classes and self._over is not None:
            return self._over.class_of(name, load=load)
        if name not in self._classes and name in _OWN_ELSEWHERE:
            self.register(getattr(importlib.import_module(_OWN_ELSEWHERE[name]), name))
        if (
            name not in self._classes
            and (known := _known_class(name, load)) is not None
        ):
            self.register(known, name)
        return self._classes.get(name)

    def kind_of(self, cls: type) -> Kind | None:
        """Return how instances of a registered class are taken apart and made."""
        if cls not in self._kinds and self._over is not None:
            return self._over.kind_of(cls)
        return self._kinds.get(cls)

    def _claim(self, name: str, cls: type) -> None:
        if name in BUILTIN_NAMES:
            raise CodecError(
                f"'{name}' is the name of a built-in type: register {_show(cls)} under another name"
            )
        holder = self._classes.get(name)
        if holder is not None and holder is not cls:
            if _show(holder) != _show(cls):
                raise CodecError(
                    f"The name '{name}' belongs to {_show(holder)}: register {_show(cls)} under another name"
                )
            self._names.pop(holder, None)
            self._kinds.pop(holder, None)
        self._classes[name] = cls


def _known_name(cls: type) -> str | None:
    """Return the name of a class of Python or pydantic that needs no registration; None
    for any other.
    """
    if issubclass(cls, BaseException):
        if builtin_exception(cls.__name__) is cls:
            return f"builtins:{cls.__name__}"
        return cls.__name__ if getattr(errors, cls.__name__, None) is cls else None
    return pydantic_name(cls)


def _known_class(name: str, load: bool) -> type | None:
    module, _, own_name = name.partition(":")
    if module == "builtins":
        return builtin_exception(own_name)
    if not own_name:
        error_class = vars(errors).get(name)
        if isinstance(error_class, type) and issubclass(error_class, BaseException):
            return error_class
        return None
    return pydantic_type(name, load=load)


def _imported(name: str) -> type:
    module, _, qualname = name.partition(":")
    try:
        cls = functools.reduce(
            getattr, qualname.split("."), importlib.import_module(module)
        )
    except (ImportError, AttributeError) as error:
        raise CodecError(
            f"The allowed type '{name}' cannot be found: {error}. Correct its name."
        ) from error
    if not isinstance(cls, type):
        raise CodecError(f"The allowed type '{name}' is no class. Correct its name.")
    return cls


def can_register(cls: type) -> bool:
    """Return whether `TypeRegistry.register` takes a class."""
    try:
        _kind_of(cls)
    except CodecError:
        return False
    return True


def _show(cls: type) -> str:
    return f"{cls.__module__}:{cls.__qualname__}"


# Instances of these carry content outside their fields, which would be lost.
_CARRIERS = (*BY_CLASS, list, BaseException)


def _kind_of(cls: type) -> Kind:
    kind = next((kind for kind in KINDS if kind.fits(cls)), None)
    if kind is None:
        raise CodecError(
            f"{_show(cls)} cannot be registered: only dataclasses, named tuples, enums, exceptions, pydantic models "
            "and classes that pydantic can write and read can"
        )
    if kind.plain_object and issubclass(cls, _CARRIERS):
        raise CodecError(
            f"{_show(cls)} cannot be registered: it extends a built-in type whose content is not a field"
        )
    if kind.plain_object and not is_own(cls) and (odd := odd_attributes(cls)):
        raise CodecError(
            f"{_show(cls)} cannot be registered: {', '.join(odd)} would not come back, or only by running code. "
            "Make a slot a field, and a field no descriptor"
        )
    return kind


def _default_name(cls: type) -> str:
    """Return a name that is short for classes of the runtime, so that they can move
    between modules.
    """
    return cls.__name__ if is_own(cls) else f"{cls.__module__}:{cls.__qualname__}"


def _register_own(registry: TypeRegistry) -> None:
    for module in (message, state, calls, checkpoint, events):
        for cls in list(vars(module).values()):
            if (
                isinstance(cls, type)
                and cls.__module__ == module.__name__
                and can_register(cls)
            ):
                registry.register(cls)


# Messages of the runtime in modules that need the engine. They are registered when they
# are first met.
_OWN_ELSEWHERE = {
    "SubWorkflowRequestMessage": "runtime.workflow.sub_workflow",
    "SubWorkflowResponseMessage": "runtime.workflow.sub_workflow",
}
DEFAULT_TYPES = TypeRegistry()
