"""A new section of a checkpoint: a field of the state, a kind of part that keeps it,
and a section that shows it.
"""

from __future__ import annotations

from pathlib import Path

from tests.changed_source import run_changed

CHANGES = {
    "runtime.state": [
        (
            "    waited: int = 0\n",
            "    tallies: Mapping[str, int] = field(default_factory=_empty)\n",
        )
    ],
    "runtime.checkpoints.parts": [
        (
            '    Kind("request", "requests", request_bytes, make_request),\n',
            '    Kind("tally", "tallies", lambda _, tally, types: encode(tally, types), lambda _, tree, make: tree),\n',
        )
    ],
    "runtime.debug.sections": [
        (
            '    Section(OUTPUTS, "Outputs"),\n',
            '    section_of_values("tallies", "Tallies", lambda state: state.tallies),\n',
        )
    ],
}


def test_a_made_up_section_is_saved_restored_compared_and_shown(tmp_path: Path) -> None:
    run_changed(CHANGES, "tests.runtime.debug.made_up_section", f"dir:{tmp_path}/runs")
