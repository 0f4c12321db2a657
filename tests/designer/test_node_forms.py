"""Every built-in node type: found in the palette, filled in by hand, saved and opened
again as it was, and right.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from designer.document.document import Document
from designer.panels.palette import PalettePanel
from designer.panels.properties.node_editor import NodeEditor
from designer.panels.properties.panel import PropertiesPanel
from designer.shell.workspace import Workspace
from runtime.checks.check import check
from runtime.debug.protocol import CatalogueBody
from runtime.nodes import BUILT_IN, Catalogue
from tests.designer.panels.typing import click, fill
from tests.designer.shell.support import Hand, link_of

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
CATALOGUE = Catalogue(BUILT_IN)
INFOS = {info.type: info for info in CATALOGUE.infos()}
# What a person fills in: values that are all unlike the defaults.
VALUES: dict[str, dict[str, Any]] = {
    "input": {},
    "output": {},
    "python_function": {"function": "report:write"},
    "python_class": {"class_name": "report:Writer", "arguments": {"depth": [1, None]}},
    "python_executor": {"workflow": "report:workflow"},
    "inline_code": {"code": 'def run(message: str):\n    return message.upper() + "!"'},
    "template": {"text": "Dear {message.name},\nhello."},
    "json_transform": {"expression": "message.items.map(x, x.price)"},
    "read_file": {
        "path": "in/{message}.json",
        "content": "json",
        "allow_outside": True,
    },
    "write_file": {"path": "out/{message}.txt", "allow_outside": True},
    "csv_read": {
        "path": "rows.csv",
        "header": False,
        "columns": ["name", "age"],
        "delimiter": ";",
        "encoding": "cp1252",
        "numbers": True,
        "each_row": True,
    },
    "csv_write": {
        "path": "rows.csv",
        "columns": ["name"],
        "delimiter": "tab",
        "mode": "append",
    },
    "filter_rows": {"condition": "row.price > 10", "rows": "message.rows"},
    "sort_rows": {
        "by": {"price": "descending", "name": "ascending"},
        "rows": "message.rows",
    },
    "group_rows": {
        "by": ["city"],
        "compute": {"total": "sum(price)"},
        "rows": "message.rows",
    },
    "join_tables": {
        "on": {"customer": "id", "year": ""},
        "how": "full",
        "left": "message.orders",
        "right": "message.customers",
        "suffix": "_2",
    },
    "collect": {"into": "text", "separator": ", "},
    "merge": {"deep": True, "conflict": "first"},
    "reduce": {
        "by": "expression",
        "source": "messages",
        "expression": "acc + item * 2",
        "start": 0,
    },
    "http_request": {
        "method": "POST",
        "url": "https://example.org/items/{message.id}",
        "query": {"page": "{message.page}", "per": "50"},
        "headers": {
            "Authorization": "Bearer {env.API_KEY}",
            "Accept": "application/json",
        },
        "send": "text",
        "text": "hello {message.name}",
        "expected_status": ["200", "404"],
        "content": "json",
        "whole_answer": True,
        "timeout": 12.5,
        "retries": 4,
        "retry_wait": 2,
        "follow_redirects": False,
        "max_bytes": 5000,
    },
    "sql_query": {
        "database": "people.db",
        "statement": "SELECT name\nFROM people\nWHERE id = :id",
        "parameters": {"id": "message.person.id"},
        "allow_writes": True,
        "max_rows": 20,
        "timeout": 3,
    },
    "shell_command": {
        "program": "wc",
        "arguments": ["-l", "{message.path}"],
        "stdin": "message",
        "output": "lines",
        "exit_codes": ["0", "1"],
        "variables": ["LANG"],
        "timeout": 5,
    },
    "chat_model": {
        "model": "small-1",
        "prompt": "Say {message}",
        "system": "Be short.",
        "base_url": "http://localhost:11434/v1",
        "key_variable": "MY_KEY",
        "temperature": 0.5,
        "max_tokens": 300,
        "answer": "schema",
        "json_schema": {"type": "object"},
        "stream": False,
        "retries": 1,
    },
    "ask": {
        "question": "Ship {message}?",
        "choices": ["yes", "no"],
        "reason_required_for": ["no"],
        "free_text": True,
    },
    "switch": {},
    "sub_workflow": {"direct_output": True},
    "for_each": {"items": "message.rows", "numbered": True},
    "batch": {"size": 3, "source": "messages", "ends_with": "message == null"},
    "counter": {"send": "count", "start": 5, "step": 2},
    "loop_guard": {"times": 7, "key": "{message.id}", "then": "drop"},
    "delay": {"seconds": 2.5},
    "schedule": {
        "time": "17:30",
        "until": "interval",
        "seconds": 60,
        "zone": "Europe/Berlin",
    },
    "set_state": {"key": "seen", "value": "message.id"},
    "get_state": {
        "key": "seen",
        "send": "field",
        "field": "seen",
        "missing": "default",
        "default": [1],
    },
    "log": {"text": "at {message}", "level": "warning"},
}
# Types that are wrong by themselves: they name what must be there when the document is
# checked.
NEEDS_A_FILE = {"sub_workflow"}


def begin(hand: Hand) -> Workspace:
    """An empty document in a workspace that knows the built-in node types."""
    workspace = hand.new_document()
    link_of(workspace).reply("catalogue", CatalogueBody(nodes=tuple(INFOS.values())))
    return workspace


def add_by_palette(hand: Hand, text: str) -> None:
    palette = hand.workspace.panels["Palette"]
    assert isinstance(palette, PalettePanel)
    hand.click(palette.search)
    QTest.keyClicks(palette.search, text)
    QTest.keyClick(palette.search, Qt.Key.Key_Return)


def editor(hand: Hand) -> NodeEditor:
    panel = hand.workspace.panels["Properties"]
    assert isinstance(panel, PropertiesPanel)
    assert isinstance(panel.editor, NodeEditor)
    QApplication.processEvents()
    return panel.editor


@pytest.mark.parametrize("type_name", list(INFOS))
def test_a_node_of_every_type_is_added_filled_in_saved_and_opened_again(
    type_name: str, desk: Hand, tmp_path: Path
) -> None:
    info = INFOS[type_name]
    path = tmp_path / f"{type_name}.stepwell.json"
    workspace = begin(desk)
    document = workspace.document
    values = VALUES[info.type]
    add_by_palette(desk, info.title)
    node = document.design.workflow.nodes[0]
    assert node.type == info.type
    assert document.selection == {node.id}
    form = editor(desk).form
    if form is not None:
        fill(form, values)
    assert document.design.workflow.nodes[0].params == values
    document.save(path)
    before = document.design
    again = Document()
    again.open(path)
    assert again.design.workflow == before.workflow
    assert again.design.positions == before.positions
    again.close()
    errors = [
        problem
        for problem in check(before.workflow, INFOS)
        if problem.severity == "error"
    ]
    assert info.type in NEEDS_A_FILE or errors == []


def test_every_type_has_values_to_be_tested_with() -> None:
    assert VALUES.keys() == INFOS.keys()


def test_an_undo_takes_back_one_field_at_a_time(desk: Hand) -> None:
    workspace = begin(desk)
    add_by_palette(desk, "HTTP request")
    fill(
        editor(desk).form,
        {"url": "https://a.example", "headers": {"Accept": "text/plain"}},
    )  # type: ignore[arg-type]
    click(editor(desk).form.field("url").editor())  # type: ignore[union-attr]
    workspace.undo()
    workspace.undo()
    assert workspace.document.design.workflow.nodes[0].params == {
        "url": "https://a.example"
    }


def test_the_quick_add_begins_with_what_was_used(desk: Hand) -> None:
    workspace = begin(desk)
    add_by_palette(desk, "Log")
    workspace.canvas.setFocus()
    desk.key(Qt.Key.Key_Tab)
    desk.key(Qt.Key.Key_Return)
    assert [node.type for node in workspace.document.design.workflow.nodes] == [
        "log",
        "log",
    ]
