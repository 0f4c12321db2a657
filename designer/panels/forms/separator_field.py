r"""The field of a text that may be a line break. It is shown and typed as in JSON and
Python: `\n`.
"""

from __future__ import annotations

import re
from typing import Any

from designer.panels.fields.plain import MISSING, TextField

_SIGNS = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_MEANT = {shown: sign for sign, shown in _SIGNS.items()}


def as_typed(text: str) -> str:
    return "".join(_SIGNS.get(sign, sign) for sign in text)


def as_meant(typed: str) -> str:
    r"""Return the typed text with `\n` and `\t` replaced; a backslash before anything
    else stays.
    """
    return re.sub(r"\\[\\nrt]", lambda match: _MEANT[match[0]], typed)


class SeparatorField(TextField):
    """A text with escapes, because one line cannot show a line break."""

    def value(self) -> Any:
        return as_meant(self.text()) or MISSING

    def put(self, value: Any) -> None:
        super().put(as_typed(value) if isinstance(value, str) else value)

    def set_hint(self, text: str) -> None:
        super().set_hint(text.strip('"'))
