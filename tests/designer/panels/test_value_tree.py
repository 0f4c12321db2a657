"""The value tree asks for what it needs, keeps what is open, marks what changed, and
copies paths that Python reads.
"""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from designer.look.theme import Look
from designer.panels.values.model import Node, mark_changes
from designer.panels.values.tree import ValueTree
from runtime.debug.protocol import ExpandBody, Value
from tests.designer.panels.fakes import value


class Asked(list[Any]):
    def __call__(
        self, section: str, path: tuple[int, ...], offset: int, done: Any
    ) -> None:
        self.append((section, path, offset, done))


@pytest.fixture
def asked() -> Asked:
    return Asked()


@pytest.fixture
def tree(qtbot: QtBot, look: Look, asked: Asked) -> ValueTree:
    made = ValueTree(look, asked, "Values")
    qtbot.addWidget(made)
    made.show()
    return made


def root(data: Any) -> Node:
    made = Node("")
    made.add(
        [
            Node(
                "state",
                data if isinstance(data, Value) else value(data),
                section="state",
                open=True,
            )
        ]
    )
    return made


def at(tree: ValueTree, *keys: str) -> Node:
    node = tree.values.find(("state", *keys))
    assert node is not None
    return node


BIG = Value(type="list", text="450 items", count=450)


def page(first: int, last: int, count: int = 450) -> ExpandBody:
    return ExpandBody(
        children=tuple((str(i), value(i)) for i in range(first, last)), count=count
    )


def test_the_model_keeps_the_rules_of_item_models(
    tree: ValueTree, asked: Asked
) -> None:
    QAbstractItemModelTester(
        tree.values, QAbstractItemModelTester.FailureReportingMode.Fatal, tree
    )
    tree.show_root(root({"a": [1, 2], "b": {"c": None}}))
    tree.show_root(root(BIG))
    asked[-1][3](page(0, 200))
    tree.show_root(root({}))


def test_children_are_asked_for_when_a_row_is_opened_and_the_rest_on_request(
    tree: ValueTree, asked: Asked
) -> None:
    tree.show_root(root(BIG))
    assert [entry[:3] for entry in asked] == [("state", (), 0)]
    asked[0][3](page(0, 200))
    more = at(tree).children[-1]
    assert more.more
    assert more.title == "250 more"
    tree.clicked.emit(tree.values.index_of(more))
    assert asked[1][:3] == ("state", (), 200)
    asked[1][3](page(200, 400))
    assert [len(at(tree).children), at(tree).children[-1].title] == [401, "50 more"]


def test_the_position_of_a_child_counts_over_pages(
    tree: ValueTree, asked: Asked
) -> None:
    tree.show_root(root(BIG))
    asked[0][3](page(0, 200))
    tree.values.load(at(tree))
    asked[1][3](page(200, 400))
    assert at(tree, "250").path == (250,)


def test_an_answer_for_a_moment_that_is_gone_is_not_shown(
    tree: ValueTree, asked: Asked, qtbot: QtBot
) -> None:
    tree.show_root(root(BIG))
    tree.show_root(root({"a": 1}))
    with qtbot.assertNotEmitted(tree.values.rowsInserted):
        asked[0][3](page(0, 200))
    assert [child.key for child in at(tree).children] == ["a"]


def test_what_is_open_stays_open_when_the_moment_changes(tree: ValueTree) -> None:
    tree.show_root(root({"a": {"b": {"c": 1}}, "z": {"y": 1}}))
    for keys in (("a",), ("a", "b")):
        tree.setExpanded(tree.values.index_of(at(tree, *keys)), True)
    tree.show_root(root({"a": {"b": {"c": 2}}, "z": {"y": 1}}))
    assert tree.isExpanded(tree.values.index_of(at(tree, "a", "b")))
    assert not tree.isExpanded(tree.values.index_of(at(tree, "z")))


def test_what_was_closed_stays_closed(tree: ValueTree) -> None:
    tree.show_root(root({"a": 1}))
    tree.collapse(tree.values.index_of(at(tree)))
    tree.show_root(root({"a": 2}))
    assert not tree.isExpanded(tree.values.index_of(at(tree)))


def test_marks_tell_new_from_changed_and_lead_to_a_change_below(
    tree: ValueTree,
) -> None:
    old = root({"a": {"x": 1}, "b": 2, "c": 3})
    new = root({"a": {"x": 9}, "b": 2, "d": 4})
    mark_changes(old, new)
    tree.show_root(new)
    marks = {key: at(tree, *key).mark for key in [("a",), ("a", "x"), ("b",), ("d",)]}
    assert marks == {
        ("a",): "changed",
        ("a", "x"): "changed",
        ("b",): "",
        ("d",): "new",
    }


def test_what_was_not_sent_before_is_not_called_new() -> None:
    old = root(Value(type="dict", text="2 items", count=2))
    new = root({"a": 1, "b": 2})
    mark_changes(old, new)
    assert [child.mark for child in new.children[0].children] == ["", ""]


def test_search_shows_matches_and_the_way_to_them(tree: ValueTree) -> None:
    tree.show_root(root({"a": {"deep": "needle"}, "b": "hay"}))
    assert tree.search("needle") == 1
    hidden = {
        node.key: tree.isRowHidden(node.row, tree.values.index_of(at(tree)))
        for node in at(tree).children
    }
    assert hidden == {"a": False, "b": True}
    assert tree.isExpanded(tree.values.index_of(at(tree, "a")))
    tree.search("")
    assert not tree.isRowHidden(1, tree.values.index_of(at(tree)))


def test_the_path_that_is_copied_is_python(tree: ValueTree) -> None:
    model = Value(type="Report", text="…", count=1, children=(("name", value("x")),))
    data = Value(
        type="dict",
        text="1 item",
        count=1,
        children=(
            (
                "it's",
                Value(type="list", text="1 item", count=1, children=(("0", model),)),
            ),
        ),
    )
    tree.show_root(root(data))
    node = at(tree, "it's", "0", "name")
    assert node.python_path() == """state["it's"][0].name"""
    menu = tree.menu_for(node)
    menu.actions()[0].trigger()
    assert QApplication.clipboard().text() == node.python_path()


def test_the_value_is_copied_in_the_notation_of_python(
    tree: ValueTree, qtbot: QtBot
) -> None:
    tree.show_root(root({"a": [1, "x"], "b": None}))
    tree.setCurrentIndex(tree.values.index_of(at(tree)))
    qtbot.keyClick(tree, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == "{'a': [1, 'x'], 'b': None}"


def test_a_value_cut_short_says_so_when_copied() -> None:
    cut = Value(type="list", text="5 items", count=5, children=(("0", value(1)),))
    assert root(cut).children[0].python_text() == "[1, … 4 more]"
