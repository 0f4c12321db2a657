"""Out and in through the window: exports by dialog, pictures that open by dropping
them, workflows in Python.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from designer.cli.commands import main
from designer.export import Export
from designer.model import edits
from designer.model.files import load, save, to_design
from designer.model.pictures import load_picture
from designer.session.importer import Importer
from designer.shell.exchange.dialogs import ExportDialog, ImportDialog
from designer.shell.exchange.exchange import free_file
from runtime.document.definition import NodeDefinition
from runtime.document.files import read_file
from runtime.export.formats import FORMATS, ExportFormat, ExportSource
from runtime.loader.python_links import linked_workflow
from tests.designer.panels.fakes import design
from tests.designer.shell.support import HOST, Hand, opened
from tests.documents import build, import_workflow

CTRL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier
CODE = """
from runtime import WorkflowBuilder, WorkflowContext, executor

@executor(id="double")
async def double(message: int, ctx: WorkflowContext[int]) -> None:
    await ctx.send_message(message * 2)

@executor(id="show")
async def show(message: int, ctx: WorkflowContext[None, int]) -> None:
    await ctx.yield_output(message)

workflow = WorkflowBuilder(start_executor=double).add_edge(double, show, condition=lambda n: n > 2).build()
"""


@pytest.fixture
def file(hand: Hand, tmp_path: Path) -> Path:
    path = tmp_path / "mine.stepwell.json"
    save(path, design())
    hand.window.files.open(path)
    return path


def export_dialog(hand: Hand) -> ExportDialog:
    # a window manager would, when the last dialog is closed
    hand.window.activateWindow()
    hand.wait(hand.window.isActiveWindow)
    hand.key(Qt.Key.Key_E, CTRL | ALT)
    dialog = hand.window.exchange.dialog
    assert isinstance(dialog, ExportDialog)
    hand.wait(dialog.isVisible)
    return dialog


def choose(hand: Hand, dialog: ExportDialog, to: ExportFormat) -> None:
    """By the keyboard: the first letters of a format."""
    dialog.formats.setFocus()
    hand.qtbot.keyClick(dialog.formats, Qt.Key.Key_Home)
    while dialog.wish.to is not to:
        hand.qtbot.keyClick(dialog.formats, Qt.Key.Key_Down)


def drop(hand: Hand, *paths: Path) -> bool:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    copy = Qt.DropAction.CopyAction
    left = Qt.MouseButton.LeftButton
    plain = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(5, 5), copy, data, left, plain)
    enter.ignore()
    QApplication.sendEvent(hand.window, enter)
    QApplication.sendEvent(
        hand.window, QDropEvent(QPointF(5, 5), copy, data, left, plain)
    )
    return enter.isAccepted()


# --- out ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("to", list(FORMATS.values()), ids=list(FORMATS))
def test_every_format_is_written_by_the_keyboard_alone(
    to: ExportFormat, hand: Hand, file: Path, tmp_path: Path
) -> None:
    hand.somebody.export_to = tmp_path / f"out{to.suffix}"
    dialog = export_dialog(hand)
    choose(hand, dialog, to)
    hand.qtbot.keyClick(dialog, Qt.Key.Key_Return)
    hand.wait(lambda: "Exported as" in hand.window.status.text)
    assert hand.somebody.asked[-1] == f"export mine{to.suffix}"
    assert hand.somebody.told == []
    content = hand.somebody.export_to.read_bytes()
    assert content
    if to in {FORMATS["png"], FORMATS["svg"]}:
        assert load_picture(hand.somebody.export_to) == hand.workspace.document.design
    assert hand.workspace.document.is_clean


def to_names(source: ExportSource) -> bytes:
    return "\n".join(node.id for node in source.public_workflow.nodes).encode()


def test_a_new_format_is_one_function_and_one_line_in_the_table(
    hand: Hand,
    file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = ExportFormat(
        "names", ".names", "Names", "The ids of the nodes.", f"{__name__}:to_names"
    )
    monkeypatch.setitem(FORMATS, names.name, names)
    nodes = [node.id for node in design().workflow.nodes]
    hand.somebody.export_to = tmp_path / "out.names"
    dialog = export_dialog(hand)
    choose(hand, dialog, names)
    assert dialog.formats.currentText() == "Names (.names)"
    assert dialog.about.text() == "The ids of the nodes."
    hand.qtbot.keyClick(dialog, Qt.Key.Key_Return)
    hand.wait(lambda: "Exported as" in hand.window.status.text)
    assert hand.somebody.export_to.read_text().splitlines() == nodes
    assert main(["export", str(file), "--to", "names"]) == 0
    assert capsys.readouterr().out.splitlines() == nodes
    other = tmp_path / "other.names"
    assert main(["export", str(file), "-o", str(other)]) == 0
    assert other.read_text().splitlines() == nodes


def test_the_dialog_offers_what_the_format_has(hand: Hand, file: Path) -> None:
    dialog = export_dialog(hand)
    seen = {}
    for to in FORMATS.values():
        choose(hand, dialog, to)
        seen[to] = (
            dialog.themes.isVisible(),
            dialog.scales.isVisible(),
            dialog.copy.isVisible(),
            dialog.about.text(),
        )
    assert [to for to in FORMATS.values() if seen[to][0]] == [
        FORMATS["svg"],
        FORMATS["png"],
        FORMATS["pdf"],
    ]
    assert [to for to in FORMATS.values() if seen[to][1]] == [FORMATS["png"]]
    assert [to for to in FORMATS.values() if seen[to][2]] == [
        FORMATS["python"],
        FORMATS["mermaid"],
        FORMATS["dot"],
        FORMATS["schema"],
    ]
    assert len({about for *_, about in seen.values()}) == len(FORMATS)
    hand.qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    assert hand.somebody.asked == []


def test_a_text_can_be_copied_and_the_choice_is_kept(hand: Hand, file: Path) -> None:
    dialog = export_dialog(hand)
    choose(hand, dialog, FORMATS["mermaid"])
    hand.click(dialog.copy)
    hand.wait(lambda: QApplication.clipboard().text().startswith("flowchart TD"))
    assert export_dialog(hand).wish.to is FORMATS["mermaid"]


def test_the_dialog_says_which_secrets_are_left_out_and_what_to_set(
    hand: Hand, file: Path, tmp_path: Path
) -> None:
    node = NodeDefinition(
        id="mine",
        type="python_class",
        params={"class_name": "m:C", "arguments": {"api_key": "x7"}},
    )
    before = hand.workspace.document.design
    workflow = before.workflow.model_copy(
        update={"nodes": (*before.workflow.nodes, node)}
    )
    hand.workspace.document.apply("Add", replace(before, workflow=workflow))
    dialog = export_dialog(hand)
    choose(hand, dialog, FORMATS["dot"])
    assert not dialog.secrets.isVisible()
    choose(hand, dialog, FORMATS["svg"])
    assert dialog.secrets.isVisible()
    assert (
        "MINE_ARGUMENTS_API_KEY   mine › arguments › api_key" in dialog.secrets.text()
    )
    hand.somebody.export_to = tmp_path / "out.svg"
    hand.qtbot.keyClick(dialog, Qt.Key.Key_Return)
    hand.wait(lambda: "Exported as" in hand.window.status.text)
    made = load_picture(hand.somebody.export_to).workflow.node("mine")
    assert made is not None
    assert made.params["arguments"] == {"api_key": "{env.MINE_ARGUMENTS_API_KEY}"}
    # the document keeps it
    assert hand.workspace.document.design.workflow.nodes[-1] == node


def test_what_cannot_be_exported_or_written_is_said(
    hand: Hand, file: Path, tmp_path: Path
) -> None:
    hand.somebody.export_to = tmp_path / "no" / "folder.mmd"
    dialog = export_dialog(hand)
    choose(hand, dialog, FORMATS["mermaid"])
    hand.click(dialog.go)
    hand.wait(lambda: bool(hand.somebody.told))
    assert hand.somebody.told[-1][0] == "mine cannot be exported"
    assert "folder.mmd" in hand.somebody.told[-1][1]
    assert "Exporting" not in hand.window.status.text
    hand.window.new_document()
    dialog = export_dialog(hand)
    choose(hand, dialog, FORMATS["python"])
    hand.click(dialog.go)
    hand.wait(lambda: len(hand.somebody.told) == 2)
    assert hand.somebody.told[-1][0] == "Untitled cannot be exported"
    assert "no start" in hand.somebody.told[-1][1]


# --- pictures -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("to", [FORMATS["png"], FORMATS["svg"]])
def test_a_dropped_picture_opens_the_workflow_inside(
    to: ExportFormat, hand: Hand, tmp_path: Path
) -> None:
    picture = tmp_path / f"seen{to.suffix}"
    picture.write_bytes(Export(design(), to, {}).content())
    before = picture.read_bytes()
    assert drop(hand, picture)
    document = hand.workspace.document
    assert document.design == load_picture(picture)
    # it is nowhere but in the picture
    assert (document.path, document.is_clean) == (None, False)
    hand.key(Qt.Key.Key_S, CTRL)
    assert hand.somebody.save_to is not None
    assert load(hand.somebody.save_to).workflow.nodes == document.design.workflow.nodes
    assert picture.read_bytes() == before


def test_a_picture_opens_by_the_open_command_too(hand: Hand, tmp_path: Path) -> None:
    hand.somebody.open_from = tmp_path / "seen.png"
    hand.somebody.open_from.write_bytes(Export(design(), FORMATS["png"], {}).content())
    hand.key(Qt.Key.Key_O, CTRL)
    assert hand.workspace.document.design.workflow == design().workflow


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        (
            "photo.png",
            b"\x89PNG\r\n\x1a\n\x00\x00\x00\x00IEND\xaeB`\x82",
            "no workflow inside of this picture",
        ),
        ("torn.png", b"\x89PNG\r\n\x1a\n\x00\x00", "ends too early"),
        ("drawing.svg", b"<svg/>", "no workflow inside of this picture"),
        ("paper.pdf", b"%PDF-1.4", "No workflow is found in this PDF"),
    ],
)
def test_a_picture_without_a_workflow_says_so(
    name: str, content: bytes, says: str, hand: Hand, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    drop(hand, tmp_path / name)
    (told,) = hand.somebody.told
    assert told[0] == f"{name} cannot be opened"
    assert says in told[1]
    assert hand.window.workspaces == []


# --- in -----------------------------------------------------------------------------------------------------------


def import_dialog(hand: Hand, folder: Path) -> ImportDialog:
    hand.window.actions_by_id["import"].trigger()
    dialog = hand.window.exchange.dialog
    assert isinstance(dialog, ImportDialog)
    hand.wait(dialog.isVisible)
    dialog.folder.setText(str(folder))
    dialog.reference.setFocus()
    return dialog


def write(hand: Hand, dialog: ImportDialog, reference: str) -> None:
    dialog.reference.selectAll()
    hand.qtbot.keyClicks(dialog.reference, reference)


def test_a_workflow_in_python_becomes_a_file_that_is_opened(
    hand: Hand, tmp_path: Path
) -> None:
    (tmp_path / "flow_of_two.py").write_text(CODE)
    dialog = import_dialog(hand, tmp_path)
    write(hand, dialog, "flow_of_two:workflow")
    hand.qtbot.keyClick(dialog, Qt.Key.Key_Return)
    hand.wait(
        lambda: (
            bool(hand.window.workspaces) or dialog.news.text() not in {"", "Importing…"}
        )
    )
    assert hand.somebody.asked == [f"trust {tmp_path}"]
    file = tmp_path / "flow_of_two.stepwell.json"
    assert hand.workspace.document.path == file
    made = build(read_file(file).workflow, folder=tmp_path)
    assert (
        made.signature()
        == linked_workflow("flow_of_two:workflow", tmp_path).signature()
    )
    assert len(hand.workspace.document.design.positions) == 2


def test_without_trust_no_code_is_run(hand: Hand, tmp_path: Path) -> None:
    mark = tmp_path / "was_run"
    (tmp_path / "marks.py").write_text(f"open({str(mark)!r}, 'w').close()\n")
    hand.somebody.trusts = False
    dialog = import_dialog(hand, tmp_path)
    write(hand, dialog, "marks:workflow")
    hand.click(dialog.go)
    assert "not trusted" in dialog.news.text()
    assert dialog.isVisible()
    assert not mark.exists()
    hand.qtbot.keyClick(dialog, Qt.Key.Key_Escape)


def test_what_cannot_be_imported_is_said_beside_what_was_typed(
    hand: Hand, tmp_path: Path
) -> None:
    (tmp_path / "flow_of_none.py").write_text("workflow = 3\n")
    dialog = import_dialog(hand, tmp_path)
    write(hand, dialog, "flow_of_none:workflow")
    hand.click(dialog.go)
    hand.wait(lambda: dialog.news.text() not in {"", "Importing…"})
    assert "is no workflow, but of type int" in dialog.news.text()
    assert (dialog.reference.text(), dialog.go.isEnabled()) == (
        "flow_of_none:workflow",
        True,
    )
    assert not list(tmp_path.glob("*.stepwell.json"))
    hand.qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


@pytest.mark.parametrize("reference", ["", "flow", "a b:c", "flow:"])
def test_only_a_reference_can_be_imported(
    reference: str, hand: Hand, tmp_path: Path
) -> None:
    dialog = import_dialog(hand, tmp_path)
    write(hand, dialog, reference)
    assert not dialog.go.isEnabled()
    dialog.folder.setText(str(tmp_path / "nowhere"))
    write(hand, dialog, "flow:workflow")
    assert dialog.news.text() == "There is no such folder."
    hand.qtbot.keyClick(dialog, Qt.Key.Key_Escape)


def test_an_import_that_does_not_end_can_be_cancelled(
    hand: Hand, tmp_path: Path
) -> None:
    (tmp_path / "endless.py").write_text("import time\ntime.sleep(1000)\n")
    dialog = import_dialog(hand, tmp_path)
    write(hand, dialog, "endless:workflow")
    hand.click(dialog.go)
    assert (dialog.news.text(), dialog.go.isEnabled()) == ("Importing…", False)
    hand.qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    hand.wait(lambda: dialog.news.text() != "Importing…")
    assert dialog.news.text() == "The import was ended before it was done."
    assert dialog.isVisible()
    hand.qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_no_file_is_replaced_by_an_import(tmp_path: Path) -> None:
    for name in ("flow.stepwell.json", "flow-2.stepwell.json"):
        assert free_file(tmp_path, "some.flow:workflow") == tmp_path / name
        (tmp_path / name).touch()


def test_a_python_that_cannot_be_started_is_said(qtbot: object, tmp_path: Path) -> None:
    importer = Importer(command=[str(tmp_path / "none")])
    said = []
    importer.failed.connect(said.append)
    importer.start("a:b", tmp_path / "a.json")
    qtbot.waitUntil(lambda: bool(said))  # type: ignore[attr-defined]
    assert said[0].startswith("Python could not be started")


def test_the_answer_of_an_import_is_what_the_command_says(
    qtbot: object, tmp_path: Path
) -> None:
    told = json.dumps({"error": {"text": "Because of this."}})
    importer = Importer(
        command=[sys.executable, "-c", f"print({told!r}); raise SystemExit(1)"]
    )
    said = []
    importer.failed.connect(said.append)
    importer.start("a:b", tmp_path / "a.json")
    qtbot.waitUntil(lambda: bool(said))  # type: ignore[attr-defined]
    assert said == ["Because of this."]


def test_inside_of_a_sub_workflow_the_whole_document_is_exported(
    hand: Hand, tmp_path: Path
) -> None:
    inner = {"workflow": {"start": "a", "nodes": [{"id": "a", "type": "output"}]}}
    workspace = hand.window.new_document()
    drawn, team = edits.add_node(
        workspace.document.design, "sub_workflow", (0, 0), params={"inline": inner}
    )
    workspace.document.apply("Draw", drawn)
    workspace.document.enter(team)
    hand.somebody.export_to = tmp_path / "out.svg"
    dialog = export_dialog(hand)
    choose(hand, dialog, FORMATS["svg"])
    hand.click(dialog.go)
    hand.wait(lambda: "Exported as" in hand.window.status.text)
    assert (
        load_picture(hand.somebody.export_to).workflow
        == workspace.document.root.workflow
    )


def test_an_imported_workflow_runs_in_the_window(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    (tmp_path / "flow_that_runs.py").write_text(CODE)
    with opened(qtbot, tmp_path) as hand:
        dialog = import_dialog(hand, tmp_path)
        write(hand, dialog, "flow_that_runs:workflow")
        hand.click(dialog.go)
        hand.wait(
            lambda: (
                bool(hand.window.workspaces)
                or dialog.news.text() not in {"", "Importing…"}
            )
        )
        document = hand.workspace.document
        document.apply("Input", edits.set_workflow(document.design, input=21))
        hand.window.activateWindow()
        hand.wait(hand.window.isActiveWindow)
        hand.key(Qt.Key.Key_F5)
        hand.wait_stopped("finished", "failed")
        assert hand.workspace.session.stopped is not None
        assert hand.workspace.session.stopped.reason == "finished"


def test_python_that_is_dropped_on_the_window_is_offered_for_import(
    hand: Hand, tmp_path: Path
) -> None:
    (tmp_path / "dropped_flow.py").write_text(CODE)
    assert drop(hand, tmp_path / "dropped_flow.py")
    dialog = hand.window.exchange.dialog
    assert isinstance(dialog, ImportDialog)
    hand.wait(dialog.isVisible)
    assert dialog.reference.text() == "dropped_flow:workflow"
    assert dialog.reference.selectedText() == "workflow"
    hand.qtbot.keyClick(dialog, Qt.Key.Key_Return)
    hand.wait(lambda: len(hand.window.workspaces) == 1, HOST)
    assert hand.workspace.document.path == tmp_path / "dropped_flow.stepwell.json"


# --- again --------------------------------------------------------------------------------------------------------


def again(hand: Hand) -> None:
    """By the menu, as with the mouse."""
    action = hand.window.actions_by_id["import-again"]
    assert action.isEnabled()
    action.trigger()


@pytest.fixture
def imported(hand: Hand, tmp_path: Path) -> Path:
    """A document of CODE that is open, one node moved and named by hand."""
    (tmp_path / "again_flow.py").write_text(CODE)
    file = tmp_path / "again.stepwell.json"
    save(file, to_design(import_workflow("again_flow:workflow", tmp_path)))
    hand.window.files.open(file)
    moved = edits.move(
        hand.workspace.document.design, {"double": (40.0, 80.0), "show": (400.0, 80.0)}
    )
    hand.workspace.document.apply("Name", edits.rename(moved, "double", "Twice"))
    return file


def test_code_that_changed_is_shown_and_taken_over_as_one_step(
    hand: Hand, imported: Path, tmp_path: Path
) -> None:
    document = hand.workspace.document
    before = document.design
    count = document.undo_stack.count()
    more = CODE.replace(
        "workflow = ",
        "@executor(id='more')\nasync def more(message: int) -> None: ...\n\nworkflow = ",
    )
    (tmp_path / "again_flow.py").write_text(
        more.replace(".build()", ".add_edge(double, more).build()")
    )
    again(hand)
    hand.wait(lambda: document.design is not before, HOST)
    assert hand.somebody.asked[-1] == "take over again"
    assert "1 node added: more" in hand.somebody.versions[0].details()
    assert [(node.id, node.name) for node in document.design.workflow.nodes] == [
        ("double", "Twice"),
        ("show", ""),
        ("more", ""),
    ]
    assert document.design.positions["double"] == (40.0, 80.0)
    assert document.undo_stack.count() == count + 1
    document.undo_stack.undo()
    assert document.design == before


def test_code_that_is_as_it_was_says_so_and_code_that_is_broken_too(
    hand: Hand, imported: Path, tmp_path: Path
) -> None:
    before = hand.workspace.document.design
    again(hand)
    hand.wait(lambda: bool(hand.somebody.told), HOST)
    assert (
        hand.somebody.told[-1][0]
        == "again_flow:workflow has not changed since it was imported"
    )
    (tmp_path / "again_flow.py").write_text("1 / 0")
    again(hand)
    hand.wait(lambda: len(hand.somebody.told) == 2, HOST)
    assert hand.somebody.told[-1][0] == "again_flow:workflow cannot be imported"
    assert "ZeroDivisionError" in hand.somebody.told[-1][1]
    assert hand.workspace.document.design is before


def test_only_a_document_with_a_link_can_be_imported_again(
    hand: Hand, file: Path
) -> None:
    assert not hand.window.actions_by_id["import-again"].isEnabled()


def test_the_command_line_imports_over_a_file_and_keeps_what_was_drawn(
    imported: Path, hand: Hand, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    hand.workspace.document.save()
    (tmp_path / "again_flow.py").write_text(CODE.replace("n > 2", "n > 3"))
    words = [
        "import",
        "again_flow:workflow",
        "-o",
        str(imported),
        "--replace",
        "--json",
    ]
    assert main(words) == 0
    made = load(imported)
    # a place in the code is named, not what stands there
    assert json.loads(capfd.readouterr().out)["changes"] == []
    assert made.positions["show"] == (400.0, 80.0)
    assert made.workflow.node("double") is not None
    assert [node.name for node in made.workflow.nodes] == ["Twice", ""]
