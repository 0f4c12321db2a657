"""The sections into which an instance of a registered class is taken apart: section ->
attribute name -> value.
"""

from __future__ import annotations

from typing import Any

Sections = dict[str, dict[str, Any]]
FIELDS = "v"
EXTRA = "a"
PRIVATE = "p"
UNDECLARED = "x"
FIELDS_SET = "s"
# Its values are written so that a reader of the record does not see them, and no view
# shows them.
HIDDEN = "h"
SECTIONS = (FIELDS, EXTRA, PRIVATE, UNDECLARED, FIELDS_SET, HIDDEN)
