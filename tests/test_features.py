"""The feature table is whole, names tests that exist, and calls done by hand only what
is.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.features.__main__ import main
from tests.features.by_hand import HANDS, ROOT, by_hand, exists
from tests.features.feature import Feature
from tests.features.table import FEATURES, GROUPS, faults


def test_every_row_is_there_with_tests_that_exist_and_each_must_is_done_by_hand() -> (
    None
):
    assert faults() == []


def test_no_row_stands_twice_or_outside_of_its_group() -> None:
    numbers = [number for group in GROUPS.values() for number in group]
    assert len(numbers) == len(set(numbers))
    assert FEATURES.keys() == set(numbers)


def test_a_test_is_named_once_in_a_row() -> None:
    assert [
        number
        for number, feature in FEATURES.items()
        if len(set(feature.ids)) < len(feature.ids)
    ] == []


SOURCES = {
    "by QTest": ("QTest.keyClick(field, 1)", True),
    "by qtbot": ("qtbot.mouseClick(field, 1)", True),
    "by qtbot of a bench": ("bench.qtbot.keyClick(field, 1)", True),
    "by a helper": ("press(field)", True),
    "by a helper of a helper": ("twice(field)", True),
    "by a helper from elsewhere": ("wheel(bench, 1)", True),
    "by somebody's hand": ("hand.key(1)", True),
    "by an event": ("QApplication.sendEvent(field, QMouseEvent(1))", True),
    "by a button's method": ("button.click()", False),
    "by a method that has the name of a hand's": ("dialog.key(1)", False),
    "by a signal": ("field.edited.emit()", False),
    "by another event": ("QApplication.sendEvent(field, QEvent(1))", False),
    "by a helper that does nothing": ("quiet(field)", False),
    "by naming a helper": ("names = [press]", False),
    "by a method of a hand that sends nothing": ("hand.wait(1)", False),
}
MODULE = """
from tests.designer.canvas.test_overview import wheel

def press(field):
    QTest.mouseClick(field, 1)

def twice(field):
    press(field)

def quiet(field):
    return field and quiet(field)

def test_it(hand, bench, qtbot, field, button, dialog):
    {}
"""


@pytest.mark.parametrize(("source", "is_by_hand"), SOURCES.values(), ids=SOURCES.keys())
def test_by_hand_means_events_of_mouse_or_keys(
    tmp_path: Path, source: str, *, is_by_hand: bool
) -> None:
    copied = {
        *(file for file, _ in HANDS.values()),
        "tests/designer/canvas/test_overview.py",
    }
    for file in copied:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text((ROOT / file).read_text("utf-8"), "utf-8")
    (tmp_path / "tests" / "test_one.py").write_text(MODULE.format(source), "utf-8")
    assert by_hand("tests/test_one.py::test_it", tmp_path) is is_by_hand


def test_what_is_not_there_is_neither_a_test_nor_done_by_hand(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text(
        "class TestIt:\n    def test_one(self): ...\n", "utf-8"
    )
    assert exists("test_one.py::TestIt::test_one", tmp_path)
    assert not exists("test_one.py::test_one", tmp_path)
    assert not exists("test_two.py::test_one", tmp_path)
    assert not by_hand("test_two.py::test_one", tmp_path)


def test_each_fault_of_the_table_is_told(tmp_path: Path) -> None:
    row = Feature("MUST", "something", ("tests/none.py::test_it",))
    found = faults({1: row, 2: Feature("SHOULD", "empty")}, tmp_path)
    assert "1: there is no test tests/none.py::test_it" in found
    assert "1: no test does it with mouse or keys" in found
    assert "2: it has neither tests nor a reason" in found
    assert "3: it is left out" in found


def test_the_command_tells_all_of_it_also_as_json(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([]) == 0
    text = capsys.readouterr().out
    assert main(["--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["faults"] == []
    for group, numbers in GROUPS.items():
        assert group in text
        assert data[group].keys() == {str(number) for number in numbers}
