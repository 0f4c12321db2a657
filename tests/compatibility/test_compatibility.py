"""Programs written for agent-framework do here what they do there, except where a
reason is written down.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from tests.compatibility.child import facts_of
from tests.compatibility.comparison import PROGRAMS, compare, read_golden
from tests.compatibility.differences import DIFFERENCES

GOLDEN = read_golden()
BESIDE_IT = {"agent_framework", "pydantic", "tests"}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_a_program_does_what_it_does_in_agent_framework(program: Path) -> None:
    facts = facts_of(program, "runtime")
    theirs = GOLDEN.theirs[program.stem]
    verdict = compare(program.stem, facts, theirs)
    unexplained = {
        name: (facts.get(name), theirs.get(name)) for name in verdict.unexplained
    }
    assert unexplained == {}, "ours, theirs"
    assert verdict.vanished == ()
    assert {name: facts.get(name) for name in verdict.differing} == GOLDEN.ours.get(
        program.stem, {}
    )


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_a_program_is_written_for_agent_framework(program: Path) -> None:
    tree = ast.parse(program.read_text(encoding="utf-8"))
    found = {
        node.module.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
    }
    found |= {
        name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for name in node.names
    }
    assert "agent_framework" in found
    assert found <= BESIDE_IT | sys.stdlib_module_names


def test_the_record_has_every_program_and_no_other() -> None:
    assert set(GOLDEN.theirs) == {program.stem for program in PROGRAMS}
    assert set(DIFFERENCES) <= set(GOLDEN.theirs)


def test_no_recorded_program_ended_in_an_error_of_its_own() -> None:
    assert [
        name
        for name, facts in GOLDEN.theirs.items()
        if {"raised", "hangs", "ended"} & set(facts)
    ] == []


def test_a_difference_needs_a_reason_and_a_reason_a_difference() -> None:
    program = "16_most_specific_handler"
    fact = "a derived"
    fine = compare(program, {fact: 1, "other": 0}, {fact: 2, "other": 0})
    assert (fine.is_fine, fine.differing) == (True, (fact,))
    assert compare(
        program, {fact: 1, "other": 0}, {fact: 2, "other": 1}
    ).unexplained == ("other",)
    assert compare(program, {fact: 1, "other": 0}, {fact: 2}).unexplained == ("other",)
    assert compare(program, {fact: 2, "other": 0}, {fact: 2, "other": 0}).vanished == (
        fact,
    )
