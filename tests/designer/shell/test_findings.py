"""The command palette finds commands, checkpoints, nodes, examples and recent files,
and says keys and reasons.
"""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from designer.model import edits
from designer.shell.find.command_palette import LIMIT, CommandPalette, Entry
from designer.shell.find.findings import ALIASES, everything
from designer.shell.keys.rows import commands
from resources import examples
from tests.designer.shell.support import draw, live

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def search(hand, text):
    hand.window.activateWindow()  # a popup was perhaps there before
    hand.wait(hand.window.isActiveWindow)
    hand.key(Qt.Key.Key_P, CTRL | SHIFT)
    palette = hand.window.findChild(CommandPalette)
    hand.qtbot.keyClicks(palette.search, text)
    return palette


def shown(palette):
    return [palette.found.item(row).text() for row in range(palette.found.count())]


def take(hand, palette):
    hand.qtbot.keyClick(palette.search, Qt.Key.Key_Return)
    hand.wait(lambda: hand.window.findChild(CommandPalette) is None)


@pytest.mark.parametrize(
    ("query", "text", "viewing"),
    [
        ("p-", "Step back", "c2"),
        ("t-", "Step back", "c2"),
        ("g-", "First checkpoint of the branch", "c1"),
    ],
)
def test_the_words_of_other_debuggers_lead_back_in_time(hand, query, text, viewing):
    workspace = live(hand)
    palette = search(hand, query)
    assert shown(palette)[0] == text
    take(hand, palette)
    assert workspace.session.viewing == viewing


@pytest.mark.parametrize("query", ["#2", "2", "checkpoint 2", "s1", "superstep 1"])
def test_a_checkpoint_is_found_by_its_number_and_superstep(hand, query):
    workspace = live(hand)
    palette = search(hand, query)
    row = next(
        row
        for row, text in enumerate(shown(palette))
        if text.startswith("Checkpoint #2,")
    )
    palette.found.setCurrentRow(row)
    take(hand, palette)
    assert workspace.session.viewing == "c2"


def test_a_checkpoint_is_found_by_its_tag_note_and_branch(hand):
    workspace = live(hand)
    timeline = workspace.session.timeline
    header = timeline.header_at(1)
    timeline.replace(replace(header, tags=("golden",), note="before the flood"))
    for query in ("golden", "the flood"):
        palette = search(hand, query)
        assert shown(palette) == [
            f"Checkpoint #2, superstep {header.superstep}, {header.branch}: golden, before the flood"
        ]
        palette.search.clear()
        palette.close()
    palette = search(hand, header.branch)
    # where the branch stands
    assert any(text.startswith("Checkpoint #3,") for text in shown(palette))
    palette.close()


def test_what_cannot_be_done_is_shown_last_with_the_reason_and_says_it_when_chosen(
    hand,
):
    draw(hand)
    palette = search(hand, "undo")
    palette.search.clear()
    hand.qtbot.keyClicks(palette.search, "pause")
    assert shown(palette)[0] == "Pause"
    item = palette.found.item(0)
    assert item.toolTip() == "No run is moving."
    assert (
        item.data(Qt.ItemDataRole.AccessibleTextRole) == "Pause, F6, No run is moving."
    )
    take(hand, palette)
    assert "No run is moving." in hand.window.status.text


def test_what_can_be_done_comes_before_what_cannot(hand):
    draw(hand)
    entries = everything(hand.window)
    palette = search(hand, "")
    order = shown(palette)
    can = [entry.text for entry in entries if not entry.why]
    assert order[: len(can)] == can
    palette.close()


def test_a_command_of_the_canvas_alone_is_found_with_its_key_and_done(hand):
    workspace = draw(hand)
    workspace.canvas.select(frozenset())
    entry = next(
        entry
        for entry in everything(hand.window)
        if entry.text == "Invert the selection"
    )
    assert entry.hint == "Ctrl+I"
    take(hand, search(hand, "invert the"))
    assert workspace.canvas.selection


def test_every_command_that_has_keys_is_found(hand):
    live(hand)
    texts = {entry.text for entry in everything(hand.window)}
    planned = {
        spec.id: spec.text_in(hand.window)
        for spec in hand.window.specs
        if spec.plan is not None
    }
    assert {
        planned.get(command.id, command.text)
        for command in commands()
        if command.id != "commands"
    } <= texts


def test_examples_and_recent_files_are_found_from_everywhere(hand, tmp_path):
    example = examples()[0]
    palette = search(hand, example.title)
    assert shown(palette)[0] == f"Open example {example.title}"
    take(hand, palette)
    assert hand.workspace.document.path == example.path
    hand.window.show_start_page()
    palette = search(hand, "recent")
    palette.search.clear()
    hand.qtbot.keyClicks(palette.search, str(example.path.name))
    assert any("Open " in text for text in shown(palette))
    palette.close()


def test_of_thousands_of_nodes_the_rest_is_counted(hand):
    workspace = draw(hand)
    design = workspace.document.design
    for _ in range(LIMIT + 50):
        design = edits.add_node(design, "template", (0, 0), name="Many of them")[0]
    workspace.document.apply("Many", design)
    palette = search(hand, "many of them")
    assert palette.found.count() == LIMIT
    assert palette.rest.text() == "50 more: type on to find them."
    palette.close()


def test_aliases_are_of_commands_that_exist():
    known = {command.id for command in commands()} | {
        command.text for command in commands()
    }
    assert ALIASES.keys() <= known


def test_a_whole_word_of_the_aliases_counts_as_much_as_the_name():
    entry = Entry("Step back", "", "", lambda: None, "p- t- reverse")
    assert [entry.rank(query) for query in ("p-", "step", "revers", "zzz")] == [
        0,
        0,
        3,
        None,
    ]
