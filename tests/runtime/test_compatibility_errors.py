"""Mistakes are refused as agent-framework refuses them: the class of the error, and how
its text begins.
"""

from __future__ import annotations

import pytest

import runtime
from tests.runtime.agent_framework_errors import ROWS, Row, outcome


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_mistake_is_refused_as_in_agent_framework(row: Row) -> None:
    _, make, kind, text = row
    found, says = outcome(runtime, make)
    assert (kind if isinstance(kind, str) else kind.__name__) in found
    assert says.startswith(text)
