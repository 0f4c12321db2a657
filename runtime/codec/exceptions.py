"""Exceptions as values.

An exception comes back as its class, with its arguments, attributes, notes and text:
that is what "equal" means here. The traceback and the cause are not kept. An argument
or attribute that cannot be saved, such as the response in an error of a client, does
not prevent the exception from being saved: such attributes are left out, and the text
replaces the arguments, if the class then has the same text.
"""

from __future__ import annotations

import types
from typing import Any

from runtime.codec.sections import EXTRA, FIELDS, UNDECLARED, Sections
from runtime.values.exception_parts import has_parts, parts_of, with_parts

_ARGUMENTS = "args"
_TEXT = "text"


class Exceptions:
    """An exception: its arguments, its attributes, the state that Python's own class
    keeps, and for display the text that a class makes by its own code.
    """

    plain_object = False

    def fits(self, cls: type) -> bool:
        return issubclass(cls, BaseException) and has_parts(cls)  # type: ignore[arg-type]  # no class is hashable to mypy

    def take(self, value: Any) -> Sections:
        arguments, more, attributes = parts_of(value)
        fields: dict[str, Any] = {_ARGUMENTS: arguments}
        # Otherwise the text follows from the arguments.
        if isinstance(type(value).__str__, types.FunctionType):
            fields[_TEXT] = str(value)
        sections: Sections = {FIELDS: fields}
        return (
            sections
            | ({UNDECLARED: more} if more else {})
            | ({EXTRA: attributes} if attributes else {})
        )

    def with_text_only(self, value: Any) -> Sections | None:
        """Return what stands for an exception whose arguments cannot be saved; None if
        it would have another text.
        """
        try:
            text = str(value)
            says_the_same = str(with_parts(type(value), (text,), {}, {})) == text
        except Exception:  # noqa: BLE001 - it has no text, or the class takes other arguments
            return None
        return {FIELDS: {_ARGUMENTS: (text,)}} if says_the_same else None

    def make(self, cls: Any, sections: Sections) -> Any:
        arguments = sections[FIELDS][_ARGUMENTS]
        if type(arguments) is not tuple:
            raise TypeError("its arguments are no tuple")
        return with_parts(
            cls, arguments, sections.get(UNDECLARED, {}), sections.get(EXTRA, {})
        )
