"""Every rule and every known fault has a test that is named after it."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from runtime.engine.live_parts import LIVE_PARTS, unknown_parts
from runtime.engine.runner import Runner
from runtime.state import RunState
from runtime.stores.memory import MemoryStore
from tests.guards import CASES, RULES, Guard, guards, main, missing
from tests.runtime.debug.verify.faulty import with_child
from tests.runtime.graphs import uneven_join

SUITE = """
class Conformance:
    async def test_case_68_kept(self, store): ...
    def test_other(self): ...
    def helper_test_case_69_x(self): ...
"""
TESTS = """
def test_rule_3_nothing(): ...
async def test_rule_3_nothing_either(): ...
def test_rule_33(): ...
def outer():
    def test_rule_4_inner(): ...
text = "def test_rule_5_in_a_text(): ..."
class TestStore(Conformance):
    def test_case_4_own(self): ...
class TestOther(testing.Conformance): ...
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in (
        ("runtime/testing/suite.py", SUITE),
        ("tests/deep/test_a.py", TESTS),
        ("tests/help.py", TESTS),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_what_a_test_guards_is_read_from_its_name(tree: Path) -> None:
    file = "tests/deep/test_a.py"
    assert guards(tree) == {
        ("rule", 3): [
            Guard(file, "test_rule_3_nothing"),
            Guard(file, "test_rule_3_nothing_either"),
        ],
        ("case", 4): [Guard(file, "TestStore::test_case_4_own")],
        ("case", 68): [
            Guard(file, "TestStore::test_case_68_kept"),
            Guard(file, "TestOther::test_case_68_kept"),
        ],
    }


def test_what_is_missing_is_named() -> None:
    everything = {("rule", number) for number in RULES} | {
        ("case", n) for titles in CASES.values() for n in titles
    }
    assert missing(dict.fromkeys(everything)) == []
    assert missing(dict.fromkeys(everything - {("rule", 7), ("case", 104)})) == [
        "rule 7",
        "case 104 (codec)",
    ]


def test_every_rule_and_every_case_has_its_test(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([]) == 0, capsys.readouterr().err


async def test_every_attribute_of_a_live_run_has_a_line_that_says_where_it_is_kept() -> (
    None
):
    """`runtime/engine/live_parts.py` is that table: a restore proof fails without it."""
    assert {field.name for field in fields(RunState)} == set(LIVE_PARTS["RunState"])
    for workflow in (uneven_join(), with_child("!")()):
        runner = Runner(workflow, MemoryStore())
        await runner.start("x")
        while await runner.step() is not None:
            assert unknown_parts(runner) == []
