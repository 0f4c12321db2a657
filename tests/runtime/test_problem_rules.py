"""The rules of `check`: one table of them, with the sentences that report a breach."""

from __future__ import annotations

import ast
import string
from pathlib import Path

import pytest

import runtime
from designer.model import fixes
from runtime.checks.rules import RULES, problem


def _calls() -> set[tuple[str, str | None]]:
    """The rule and the breach of each call of `problem` in the checks."""
    calls = set()
    for path in sorted((Path(runtime.__file__).parent / "checks").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "problem"
            ):
                words = [
                    argument.value if isinstance(argument, ast.Constant) else None
                    for argument in node.args[:2]
                ]
                calls.add((str(words[0] or "sub-workflow"), words[1]))
    return calls


def test_every_problem_is_reported_by_a_rule_of_the_table() -> None:
    calls = _calls()
    assert len(calls) > 20
    for rule, breach in calls:
        assert rule in RULES
        assert breach is None or breach in RULES[rule].texts


def test_every_rule_with_texts_is_reported_by_a_check() -> None:
    reported = {rule for rule, _ in _calls()}
    # The words of this one go into a finding of an edge.
    assert {name for name, rule in RULES.items() if rule.texts} - reported == {
        "pairs-unique"
    }


def test_only_the_table_makes_problems_in_the_checks() -> None:
    for path in (Path(runtime.__file__).parent / "checks").glob("*.py"):
        makers = [
            node
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "Problem"
        ]
        assert not makers or path.name == "rules.py", path


def test_a_quick_fix_is_for_a_rule_of_the_table_or_for_a_failure_of_a_run() -> None:
    assert set(fixes.RULES_WITH_FIXES) - {"run"} <= set(RULES)


@pytest.mark.parametrize("rule", RULES)
def test_a_text_is_filled_in_whole(rule: str) -> None:
    assert RULES[rule].asks
    for breach, text in RULES[rule].texts.items():
        gaps = {
            name
            for part in (text.message, text.remedy)
            for _, name, _, _ in string.Formatter().parse(part)
            if name
        }
        words = {name: f"<{name} {{x}}>" for name in gaps}
        report = problem(rule, breach, "node", **words)
        assert all(
            value in report.message + report.remedy or name == "id"
            for name, value in words.items()
        )
        if gaps:
            with pytest.raises(KeyError):
                problem(rule, breach, "node")
