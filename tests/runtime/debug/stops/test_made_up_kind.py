"""A new kind of breakpoint: its name, its facts, a line in the table, and its words."""

from __future__ import annotations

from pathlib import Path

from tests.changed_source import run_changed

_NAME = ('    "starves",\n    "output",\n', '    "send",\n')
_FACTS = """

def sent_facts(call):
    for message in () if call.effects is None else call.effects.sent:
        yield call.fact("send", message.data)
"""
_LINE = """\
        Kind(
            "send",
            "executor",
            "after",
            live_facts.sent_facts,
            lambda fact: f"'{fact.executor}' has sent {line(fact.value)}.",
        ),
"""
CHANGES = {
    "runtime.debug.facts.fact": [_NAME],
    "runtime.debug.protocol.breakpoints": [_NAME],
    "runtime.debug.breakpoints.live_facts": [
        ('        yield call.fact("output", value)\n', _FACTS)
    ],
    "runtime.debug.breakpoints.kinds": [("    for kind in (\n", _LINE)],
    "designer.model.breakpoint_words": [
        ('    "output": "yields an output",\n', '    "send": "has sent",\n'),
        (
            '        "output": "when it yields",\n',
            '        "send": "when it has sent",\n',
        ),
        ('    "output": "Any output",\n', '    "send": "Any sender",\n'),
    ],
}


def test_a_made_up_kind_stops_logs_and_has_its_words(tmp_path: Path) -> None:
    run_changed(CHANGES, "tests.runtime.debug.stops.made_up_kind", str(tmp_path))
