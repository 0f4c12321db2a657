"""Values from the environment in templates: `{env.NAME}`. A document names them and
never holds them.

Used values are remembered, so that they can be masked in every text that is shown.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, quote_plus

from runtime.expressions.template import MAX_LENGTH, Step, Template, look_up, show
from runtime.values.secret_use import note_secret

# their names in a JSON Schema
ENVIRONMENT_FORMAT = "template-env"
ENVIRONMENT_LINE_FORMAT = "template-env-line"
MASK = "***"
NAME_PATTERN = r"^[A-Za-z_][A-Za-z0-9_]*$"
_NAME = re.compile(r"env\.(?P<name>[A-Za-z_][A-Za-z0-9_]*)")


class Secrets:
    """The environment as one delivery uses it."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = os.environ if environment is None else environment
        self._used: set[str] = set()

    def value(self, name: str) -> str:
        """Return the value of a variable. Raise `LookupError` if it is not
        set, or is empty.
        """
        value = self._environment.get(name, "")
        if not value:
            raise LookupError(
                f"the environment variable {name} is not set; set it before Stepwell is started"
            )
        self._used.add(value)
        note_secret(value)
        return value

    @property
    def used(self) -> bool:
        return bool(self._used)

    def mask(self, text: str) -> str:
        """Return a text without any value that was used, as it is or as a URL
        writes it.
        """
        forms = {
            form
            for value in self._used
            for form in (value, quote(value, safe=""), quote(value), quote_plus(value))
        }
        for form in sorted(forms, key=len, reverse=True):
            text = text.replace(form, MASK)
        return text


class _Name(tuple[Step, ...]):
    """`{env.NAME}` among the pieces of a template."""

    __slots__ = ()


class EnvTemplate(Template):
    """A template that knows `{env.NAME}` beside `{message...}`. Raise `ValueError` if
    it is malformed.
    """

    def _piece(self, match: re.Match[str]) -> str | tuple[Step, ...]:
        path = match["path"]
        if path is None or not path.startswith("env"):
            return super()._piece(match)
        named = _NAME.fullmatch(path)
        if named is None:
            raise ValueError(
                f"'{{{path}}}' at character {match.start() + 1}: write {{env.NAME}}, such as {{env.API_KEY}}"
            )
        return _Name((named["name"],))

    @property
    def is_fixed(self) -> bool:
        """Whether it has no placeholder, so that the document holds all of it."""
        return all(isinstance(piece, str) for piece in self._pieces)

    def fill(
        self, message: Any, secrets: Secrets, encode: Callable[[str], str] | None = None
    ) -> str:
        """Return the text for a message. `encode` is applied to the value of a
        placeholder, unless the text begins with it.

        Raise `LookupError` for what message or environment do not have.
        """
        parts: list[str] = []
        for piece in self._pieces:
            if isinstance(piece, str):
                parts.append(piece)
                continue
            if isinstance(piece, _Name):
                value = secrets.value(str(piece[0]))
            else:
                value = _rendered(message, piece)
            parts.append(encode(value) if encode is not None and any(parts) else value)
        text = "".join(parts)
        if len(text) > MAX_LENGTH:
            raise LookupError(
                f"the text would have {len(text)} characters; at most {MAX_LENGTH} are made"
            )
        return text

    def render(self, message: Any) -> str:
        return self.fill(message, Secrets())


def _rendered(message: Any, steps: tuple[Step, ...]) -> str:
    try:
        return show(look_up(message, steps))
    except (ValueError, AttributeError) as error:  # from the JSON writer
        raise LookupError(f"{{message}} cannot be written as text: {error}") from error
