"""Programs written for agent-framework do here what they do there, except where a reason is written down."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.compatibility.child import facts_of
from tests.compatibility.comparison import PROGRAMS, compare, read_golden
from tests.compatibility.differences import DIFFERENCES

GOLDEN = read_golden()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_a_program_does_what_it_does_in_agent_framework(program: Path) -> None:
    facts = facts_of(program, "runtime")
    theirs = GOLDEN.theirs[program.stem]
    verdict = compare(program.stem, facts, theirs)
    unexplained = {name: (facts.get(name), theirs.get(name)) for name in verdict.unexplained}
    assert unexplained == {}, "ours, theirs"
    assert verdict.vanished == ()
    assert {name: facts.get(name) for name in verdict.differing} == GOLDEN.ours.get(program.stem, {})


def test_the_record_has_every_program_and_no_other() -> None:
    assert set(GOLDEN.theirs) == {program.stem for program in PROGRAMS}
    assert set(DIFFERENCES) <= set(GOLDEN.theirs)
