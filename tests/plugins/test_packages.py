"""What an installed package brings: a node type for runs, a layout, a theme and a
viewer for the window.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QToolButton

from designer.look.theme import Look, load_theme
from designer.model.design import Design
from designer.model.layout.arrange import PACKAGED, arrange
from designer.packages import PluginError
from designer.panels.state import StatePanel
from designer.panels.values.model import Node
from designer.shell.keys.rows import Keys
from designer.shell.settings.settings import Settings
from designer.shell.workspace import Workspace
from runtime.debug.protocol import ExpandBody, Moment, Value
from runtime.document.definition import NodeDefinition, WorkflowDefinition
from tests.designer.panels.fakes import value
from tests.designer.shell.support import Hand, draw, link_of, live
from tests.designer.shell.test_looks_by_hand import choose
from tests.plugins.conftest import Site

K = Qt.Key
CTRL = Qt.KeyboardModifier.ControlModifier
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


def drawing(*ids: str) -> Design:
    nodes = tuple(NodeDefinition(id=one, type="template") for one in ids)
    return Design(WorkflowDefinition(name="w", start=ids[0], nodes=nodes))


# --- node types: without a window -----------------------------------------------------------------------------------


def python(site: Site, code: str, *arguments: str) -> list[str]:
    """The lines that a program prints where the packages are installed."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(site.path), str(Path.cwd())]),
    }
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    ).stdout.splitlines()


COMMAND = """
import sys
from runtime.cli.command_line import main, register
from runtime.cli.command_table import COMMANDS
register(COMMANDS)
code = main(sys.argv[1:])
loaded = [name for name in sys.modules if name.startswith(("PySide6", "shiboken6", "designer", "stepwell_sample"))]
print(code, *sorted(loaded))
"""
ONLY_NODES = "0 stepwell_sample stepwell_sample.nodes"


def test_a_run_uses_the_node_type_and_imports_no_qt_and_nothing_of_the_window(
    sample: Site, tmp_path: Path
) -> None:
    *listed, loaded = python(sample, COMMAND, "nodes", "--json")
    assert loaded == ONLY_NODES
    (shout,) = [
        one["type"] for one in json.loads("\n".join(listed)) if one["title"] == "Shout"
    ]
    nodes = [{"id": "a", "type": shout}, {"id": "out", "type": "output"}]
    edges = [{"kind": "direct", "source": "a", "target": "out"}]
    file = tmp_path / "w.stepwell.json"
    file.write_text(
        json.dumps(
            {
                "format": 1,
                "workflow": {"name": "w", "start": "a", "nodes": nodes, "edges": edges},
            }
        )
    )
    *ran, loaded = python(sample, COMMAND, "run", str(file), "--input", '"hey"')
    assert "HEY!" in ran
    assert loaded == ONLY_NODES


# --- layouts --------------------------------------------------------------------------------------------------------


def test_a_layout_is_chosen_in_the_menu_and_undone_as_one_step(hand: Hand) -> None:
    workspace = draw(hand)
    before = workspace.document.design
    choose(hand, "Edit", "Layout, circle")
    hand.wait(lambda: workspace.document.design.positions != before.positions)
    at = workspace.document.design.positions
    assert len({x for x, _ in at.values()}) > 2, "they stand on a circle"
    assert all(value % 4 == 0 for place in at.values() for value in place)
    choose(hand, "Edit", "Undo")
    assert workspace.document.design == before


def test_a_layout_is_in_the_menu_of_the_toolbar_and_in_the_command_palette(
    hand: Hand,
) -> None:
    workspace = draw(hand)
    button = next(
        one
        for one in hand.window.toolbar.findChildren(QToolButton)
        if one.toolTip() == "More ways: Layout"
    )
    assert "Layout, circle" in [action.text() for action in button.menu().actions()]
    before = workspace.document.design.positions
    hand.key(K.Key_P, CTRL | Qt.KeyboardModifier.ShiftModifier)
    hand.type("circle")
    hand.key(K.Key_Return)
    hand.wait(lambda: workspace.document.design.positions != before)


def test_a_layout_can_have_keys_of_ones_own_and_has_them_at_the_next_start(
    hand: Hand, tmp_path: Path
) -> None:
    workspace = draw(hand)
    hand.window.use_keys(Keys({"layout.circle": "Ctrl+Alt+C"}))
    before = workspace.document.design.positions
    workspace.canvas.setFocus()
    hand.key(K.Key_C, CTRL | Qt.KeyboardModifier.AltModifier)
    hand.wait(lambda: workspace.document.design.positions != before)
    assert Keys(Settings(tmp_path / "settings.json").values.shortcuts).of(
        "layout.circle"
    ) == ("Ctrl+Alt+C",)


def test_nothing_of_a_package_is_imported_before_it_is_used(hand: Hand) -> None:
    draw(hand)
    assert not [name for name in sys.modules if name.startswith("stepwell_sample")]


BROKEN = {
    "raises": ("def lay(graph):\n    raise KeyError('x')\n", "KeyError: 'x'"),
    "leaves one out": (
        "def lay(graph):\n    return {'a': (0, 0)}\n",
        "no place for the node 'b'",
    ),
    "puts one nowhere": (
        "def lay(graph):\n    return dict.fromkeys(graph, (0, float('nan')))\n",
        "'a' at (0.0, nan)",
    ),
    "puts one out of sight": (
        "def lay(graph):\n    return dict.fromkeys(graph, (1e300, 0))\n",
        "'a' at (1e+300, 0.0)",
    ),
    "gives no mapping": ("def lay(graph):\n    return 3\n", "TypeError"),
    "ends the process": ("def lay(graph):\n    raise SystemExit(3)\n", "SystemExit: 3"),
    "cannot be imported": ("import no_such_module_at_all\n", "no_such_module_at_all"),
    "is no function": ("lay = 3\n", "it is no function"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_layout_is_named_and_nothing_else_suffers(
    site: Site, fault: str
) -> None:
    code, words = BROKEN[fault]
    site.add(
        "bad-layouts",
        {PACKAGED.group: {"bad": "bad_layouts:lay"}},
        {"bad_layouts.py": code},
    )
    with pytest.raises(PluginError) as told:
        arrange(drawing("a", "b"), "bad")
    assert str(told.value).startswith(
        "The layout 'bad' of the package bad-layouts (bad_layouts:lay) cannot be used: "
    )
    assert words in str(told.value)
    assert arrange(drawing("a", "b")).keys() == {"a", "b"}


def test_boxes_that_a_layout_puts_on_each_other_are_moved_apart(site: Site) -> None:
    heap = "def lay(graph):\n    return {node: (7.3, -2.1) for node in graph}\n"
    site.add(
        "heap", {PACKAGED.group: {"heap": "heap_layout:lay"}}, {"heap_layout.py": heap}
    )
    places = arrange(drawing(*"abcdef"), "heap")
    boxes = [(x, y, x + 168, y + 60) for x, y in places.values()]
    assert not [
        (a, b)
        for a in boxes
        for b in boxes
        if a is not b and a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
    ]


def test_a_broken_layout_is_told_on_the_canvas_and_moves_nothing(
    site: Site, open_window
) -> None:
    site.add(
        "bad-layouts",
        {PACKAGED.group: {"bad": "bad_layouts:lay"}},
        {"bad_layouts.py": BROKEN["raises"][0]},
    )
    with open_window() as hand:
        workspace = draw(hand)
        before = workspace.document.design
        with hand.qtbot.waitSignal(workspace.canvas.message) as told:
            choose(hand, "Edit", "Layout, bad")
        assert "package bad-layouts" in told.args[0]
        assert workspace.document.design == before
        choose(hand, "Edit", "Layout, left to right")
        hand.wait(lambda: workspace.document.design != before)


SLOW = """
import threading

GATE = threading.Event()

def lay(graph):
    GATE.wait()
    return dict.fromkeys(graph, (0, 0))
"""


def test_a_layout_that_does_not_end_holds_nothing_up_and_comes_too_late(
    site: Site, open_window
) -> None:
    site.add(
        "slow", {PACKAGED.group: {"slow": "slow_layout:lay"}}, {"slow_layout.py": SLOW}
    )
    with open_window() as hand:
        workspace = draw(hand)
        before = workspace.document.design
        choose(hand, "Edit", "Layout, slow")
        hand.wait(lambda: "slow_layout" in sys.modules)
        choose(hand, "Edit", "Layout, left to right")
        hand.wait(lambda: workspace.document.design != before)
        wanted = workspace.document.design
        (running,) = [one for one in threading.enumerate() if one.name == "layout slow"]
        sys.modules["slow_layout"].GATE.set()
        running.join()
        QApplication.processEvents()
        assert workspace.document.design == wanted
        assert workspace.document.undo_stack.count() == 2, (
            "the drawing, and the layout that was asked for last"
        )


def test_the_command_line_arranges_by_a_layout_of_a_package(
    sample: Site, tmp_path: Path
) -> None:
    file = tmp_path / "w.stepwell.json"
    workflow = {
        "name": "w",
        "start": "a",
        "nodes": [{"id": one, "type": "template"} for one in "abcd"],
    }
    file.write_text(json.dumps({"format": 1, "workflow": workflow}))
    code = "import sys; from designer.cli.commands import main; sys.exit(main())"
    found = json.loads(
        "\n".join(
            python(sample, code, "layout", str(file), "--kind", "circle", "--json")
        )
    )
    assert found.keys() == set("abcd")
    with pytest.raises(subprocess.CalledProcessError) as refused:
        python(sample, code, "layout", str(file), "--kind", "square")
    assert "The layout 'square' does not exist" in refused.value.stderr
    assert "circle" in refused.value.stderr


# --- themes ---------------------------------------------------------------------------------------------------------


@pytest.mark.painted
def test_a_theme_is_chosen_in_the_menu_seen_in_a_pixel_and_there_at_the_next_start(
    hand: Hand, tmp_path: Path
) -> None:
    workspace = draw(hand)
    choose(hand, "View", "Forest theme")
    hand.wait(lambda: not hand.window.restyling.busy)
    assert background(workspace) == "#0D1610"
    kept = Settings(tmp_path / "settings.json").values.theme
    assert Look(kept).theme.canvas.name().upper() == "#0D1610"
    choose(hand, "View", "Light theme")
    hand.wait(lambda: not hand.window.restyling.busy)
    assert background(workspace) == load_theme("light").canvas.name().upper()


def background(workspace: Workspace) -> str:
    """What most of the canvas shows: a node or a dot of the grid may lie anywhere."""
    image = workspace.canvas.viewport().grab().toImage()
    places = [
        (x, y)
        for x in range(1, image.width(), 20)
        for y in range(1, image.height(), 20)
    ]
    ((name, _count),) = Counter(
        image.pixelColor(x, y).name() for x, y in places
    ).most_common(1)
    return name.upper()


def test_a_theme_that_is_gone_falls_back_to_that_of_the_system_with_a_word(
    open_window,
) -> None:
    with open_window("forest") as hand:
        assert "The theme 'forest' does not exist" in hand.window.status.text
        assert draw(hand).canvas.look.choice == "system"


def tokens(**changes: str | None) -> str:
    found = {
        **json.loads((Path("resources/themes/tokens.json")).read_text())["light"],
        **changes,
    }
    return f"T = { ({key: one for key, one in found.items() if one is not None})!r}\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (tokens(canvas=None), "it lacks canvas"),
        (tokens(canvas=None, canvass="#FFFFFF"), "canvass (do you mean canvas?)"),
        (tokens(text="nearly black"), "these are no colours: text"),
        (tokens(text="#80000000"), "these are no colours: text"),
        (
            "from pathlib import Path\nT = Path(__file__).with_name('no.json')\n",
            "no.json",
        ),
        ("T = 3\n", "AttributeError"),
    ],
)
def test_what_is_wrong_with_a_theme_is_named_and_the_one_that_is_on_stays(
    site: Site, open_window, content, words
) -> None:
    site.add(
        "bad-themes",
        {"stepwell.themes": {"pale": "bad_themes:T"}},
        {"bad_themes.py": content},
    )
    with open_window() as hand:
        draw(hand)
        choose(hand, "View", "Pale theme")
        ((_title, text),) = hand.somebody.told
        assert words in text
        assert "package bad-themes" in text
        assert hand.window.settings.values.theme != "pale"


def test_a_theme_that_is_hard_to_read_is_used_and_that_is_said(
    site: Site, open_window
) -> None:
    site.add(
        "pale",
        {"stepwell.themes": {"pale": "pale_theme:T"}},
        {"pale_theme.py": tokens(text="#AAAAAA")},
    )
    with open_window() as hand:
        draw(hand)
        choose(hand, "View", "Pale theme")
        assert "hard to read: text on" in hand.window.status.text


def test_a_theme_by_a_name_of_ours_is_left_out_and_that_is_said(
    site: Site, open_window
) -> None:
    site.add(
        "darker", {"stepwell.themes": {"dark": "darker:T"}}, {"darker.py": tokens()}
    )
    with open_window() as hand:
        assert (
            "The theme 'dark' of the package darker (darker:T) is left out"
            in hand.window.status.text
        )
        assert load_theme("dark").canvas.name().upper() == "#131519"


# --- viewers --------------------------------------------------------------------------------------------------------


def seen(hand: Hand, row: int, numbers: object) -> StatePanel:
    """The state of a run at one of its two first checkpoints, as its host tells of it."""
    if hand.window.current is None:
        live(hand)
        # where the run stands
        link_of(hand.workspace).reply("inspect", Moment(superstep=2))
    workspace = hand.workspace
    head = workspace.session.timeline.header_at(row)
    workspace.session.view(head.id)
    link_of(workspace).reply(
        "inspect",
        Moment(
            header=head, superstep=row, sections={"state": value({"numbers": numbers})}
        ),
    )
    panel = hand.show("State")
    assert isinstance(panel, StatePanel)
    return panel


def view_as(hand: Hand, panel: StatePanel, key: str, way: str) -> None:
    """The menu of a row by the mouse, and the way in it by keys."""
    node = panel.tree.values.find(("state", key))
    assert node is not None
    index = panel.tree.values.index_of(node)
    panel.tree.setCurrentIndex(index)
    at = panel.tree.visualRect(index).center()
    port = panel.tree.viewport()
    asking = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, port.mapToGlobal(at))
    QApplication.sendEvent(port, asking)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    ways = next(action for action in menu.actions() if action.text() == "View as")
    menu.setActiveAction(ways)
    QTest.keyClick(menu, K.Key_Right)
    inner = QApplication.activePopupWidget()
    assert isinstance(inner, QMenu)
    inner.setActiveAction(
        next(action for action in inner.actions() if action.text() == way)
    )
    QTest.keyClick(inner, K.Key_Return)


def test_a_viewer_is_chosen_for_a_value_follows_it_and_is_left_by_escape(
    hand: Hand,
) -> None:
    panel = seen(hand, 1, [1, 2, 3])
    view_as(hand, panel, "numbers", "Bars")
    assert panel.tree_and_viewer.viewer.numbers == [1, 2, 3]
    assert panel.tree_and_viewer.viewer.isVisible()
    link = panel.tree_and_viewer.viewer.palette().link().color()
    image = panel.tree_and_viewer.viewer.grab().toImage()
    assert (
        image.pixelColor(image.width() - image.width() // 4, image.height() - 2) == link
    )
    seen(hand, 0, [4, 5])
    assert panel.tree_and_viewer.viewer.numbers == [4, 5]
    hand.window.activateWindow()
    hand.qtbot.waitUntil(hand.window.isActiveWindow)
    panel.tree.setFocus()
    hand.key(K.Key_Escape)
    assert panel.tree_and_viewer.viewer is None
    assert panel.tree.isVisible()
    assert hand.workspace.session.mode == "past", "only the viewer was left"


def test_a_viewer_says_where_a_later_value_is_not_for_it(hand: Hand) -> None:
    panel = seen(hand, 1, [1, 2, 3])
    view_as(hand, panel, "numbers", "Bars")
    seen(hand, 0, "no numbers")
    assert panel.tree_and_viewer.viewer is None
    assert "does not accept this value" in panel.tree_and_viewer.notice.text()


def test_a_viewer_gets_all_of_a_long_list(hand: Hand) -> None:
    panel = seen(hand, 1, [1])
    asked = []
    panel.tree.values._expand = lambda section, path, offset, done: asked.append(
        (offset, done)
    )
    long = Value(type="list", text="450 items", count=450)
    panel.tree.show_root(
        Node(
            "",
            Value(type="dict", text="", count=1, children=(("numbers", long),)),
            section="state",
        )
    )
    panel.tree_and_viewer.view(("numbers",), "bars")
    while asked:
        offset, done = asked.pop()
        page = tuple(
            (str(at), value(at)) for at in range(offset, min(offset + 200, 450))
        )
        done(ExpandBody(children=page, count=450))
    assert panel.tree_and_viewer.viewer.numbers == list(range(450))


def test_a_viewer_is_offered_only_for_what_it_accepts(hand: Hand) -> None:
    panel = seen(hand, 1, "text")
    menu = panel.tree.menu_for(panel.tree.values.find(("state", "numbers")))
    ways = next(
        action for action in menu.actions() if action.text() == "View as"
    ).menu()
    assert [action.text() for action in ways.actions()] == ["Tree", "Text"]
    menu.deleteLater()


RAISING = "class V:\n    def accepts(self, value):\n        {}\n    def widget(self, value, parent):\n        {}\n"


@pytest.mark.parametrize(
    ("accepts", "widget", "words"),
    [
        ("return True", "return 1 / 0", "ZeroDivisionError"),
        ("return True", "return 3", "its widget is no QWidget"),
    ],
)
def test_a_viewer_that_fails_is_named_and_the_tree_stays(
    site: Site, open_window, accepts, widget, words
) -> None:
    files = {"bad_viewers.py": RAISING.format(accepts, widget)}
    site.add("bad-viewers", {"stepwell.viewers": {"bad": "bad_viewers:V"}}, files)
    with open_window() as hand:
        panel = seen(hand, 1, [1])
        view_as(hand, panel, "numbers", "Bad")
        assert words in panel.tree_and_viewer.notice.text()
        assert "package bad-viewers" in panel.tree_and_viewer.notice.text()
        assert panel.tree.isVisible()
        hand.press("Back to the tree", panel)
        assert not panel.tree_and_viewer.notice.isVisible()


def test_a_viewer_that_cannot_be_asked_is_told_in_the_menu(
    site: Site, open_window
) -> None:
    files = {"bad_viewers.py": RAISING.format("return 1 / 0", "pass")}
    site.add("bad-viewers", {"stepwell.viewers": {"bad": "bad_viewers:V"}}, files)
    with open_window() as hand:
        panel = seen(hand, 1, [1])
        menu = panel.tree.menu_for(panel.tree.values.find(("state", "numbers")))
        ways = next(
            action for action in menu.actions() if action.text() == "View as"
        ).menu()
        told = ways.actions()[-1]
        assert "ZeroDivisionError" in told.text()
        assert not told.isEnabled()
        menu.deleteLater()
