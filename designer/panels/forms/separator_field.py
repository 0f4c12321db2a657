"""The field of a text that may be a line break: it is shown, and typed, as in JSON files and Python."""

from __future__ import annotations

import re
from typing import Any

from designer.panels.forms.fields import MISSING, TextField

_SIGNS = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_MEANT = {shown: sign for sign, shown in _SIGNS.items()}


def as_typed(text: str) -> str:
    return "".join(_SIGNS.get(sign, sign) for sign in text)


def as_meant(typed: str) -> str:
    r"""What was typed, with line break and tab for `\n` and `\t`; a backslash before anything else is one."""
    return re.sub(r"\\[\\nrt]", lambda match: _MEANT[match[0]], typed)


class SeparatorField(TextField):
    """One line has no room for a line break itself."""

    def value(self) -> Any:
        return as_meant(self.text()) or MISSING

    def put(self, value: Any) -> None:
        super().put(as_typed(value) if isinstance(value, str) else value)

    def set_hint(self, text: str) -> None:
        super().set_hint(text.strip('"'))
