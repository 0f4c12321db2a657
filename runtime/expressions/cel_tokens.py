"""The tokens of CEL, for modules that read an expression as text."""

from __future__ import annotations

import re

TOKEN = re.compile(
    r"""
    (?P<skip> \s+ | //[^\n]* )
  | (?P<string> [rRbB]{0,2} (?: \"{3}.*?\"{3} | '{3}.*?'{3} | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' ) )
  | (?P<number> \d [\w.]* )
  | (?P<name> [A-Za-z_]\w* )
  | (?P<mark> . )
    """,
    re.VERBOSE | re.DOTALL,
)
