"""A screen reader finds nodes and edge groups as children of the canvas, and hears
where the keys lead.

Qt's own cache is asked, as a screen reader would: through the factory, by the numbers
of interfaces, by places.
"""

from __future__ import annotations

import gc
import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAccessibleEvent,
    QAccessibleInterface,
)
from PySide6.QtWidgets import QApplication, QMainWindow

from designer.canvas.drawing.overlay import STATES
from designer.canvas.speech.accessible import Accessible, CanvasInterface, Part
from designer.canvas.view import CanvasView
from designer.document.document import Document
from designer.look.theme import Look
from designer.model import edits, frames
from tests.designer.canvas.conftest import Bench
from tests.designer.canvas.support import FakeChecks, catalogue, licence_audit
from tests.designer.fake_session import FakeSession

_E = QAccessible.Event


def interface(bench: Bench) -> QAccessibleInterface:
    return QAccessible.queryAccessibleInterface(bench.view)


def parts(bench: Bench) -> dict[str, Part]:
    root = interface(bench)
    children = [root.child(at) for at in range(root.childCount())]
    return {child.key: child for child in children if isinstance(child, Part)}


def said(part: QAccessibleInterface) -> str:
    return part.text(QAccessible.Text.Name)


@pytest.fixture
def news(bench: Bench) -> Iterator[list[tuple[str, str]]]:
    """What is told, as (kind, of what)."""
    heard: list[tuple[str, str]] = []

    def tell(event: QAccessibleEvent) -> None:
        if isinstance(event, QAccessibleAnnouncementEvent):
            words = event.message()
        else:
            words = said(event.accessibleInterface())
        heard.append((event.type().name, words.split(",")[0]))

    accessible = bench.view.accessible
    bench.view.accessible = Accessible(bench.view, tell, lambda: True)
    yield heard
    bench.view.accessible.stop()
    bench.view.accessible = accessible


def test_every_node_and_edge_group_is_a_child_with_a_name_in_words(
    bench: Bench,
) -> None:
    assert isinstance(interface(bench), CanvasInterface)
    assert said(interface(bench)) == "Canvas: 8 nodes, nothing selected"
    found = parts(bench)
    workflow = bench.design.workflow
    assert list(found) == [part.id for part in (*workflow.nodes, *workflow.edges)]
    assert said(found["age_check"]) == "Age check, 1 input, 1 output"
    assert said(found["join"]).startswith(
        "Join into Route by licence of Classify licences"
    )
    assert all(
        said(part) and part.role() == QAccessible.Role.ListItem
        for part in found.values()
    )
    described = found["age_check"].text(QAccessible.Text.Description)
    assert "From Installed packages" in described


def test_a_node_with_a_name_of_its_own_says_its_type_too(bench: Bench) -> None:
    bench.document.apply("Rename", edits.rename(bench.design, "age_check", "How old"))
    assert said(parts(bench)["age_check"]) == "How old, Age check, 1 input, 1 output"


def test_frames_and_notes_are_there_with_their_words(bench: Bench) -> None:
    design, frame = frames.add(bench.design, "frame", (5000, 0, 400, 300), "Ranking")
    bench.document.apply("Frame", design)
    part = parts(bench)[frame]
    assert (said(part), part.role()) == ("Frame Ranking", QAccessible.Role.Grouping)
    assert abs(part.rect().width() - 400) <= 1
    assert bench.view.accessible.at(part.rect().center()) == ""  # not on the screen
    bench.view.camera.look_at(QPointF(5200, 150))
    assert bench.view.accessible.at(part.rect().center()) == frame


def test_a_part_knows_its_parent_and_its_place(bench: Bench) -> None:
    root = interface(bench)
    for at in range(root.childCount()):
        child = root.child(at)
        assert root.indexOfChild(child) == at
        if isinstance(child, Part):
            assert child.parent() is root
            assert child.isValid()
            assert child.childCount() == 0
    assert root.child(root.childCount()) is None


def test_qt_itself_gets_the_same_answers(bench: Bench) -> None:
    """Other tests call our functions as they are; a screen reader comes by the virtual
    ones of C++.
    """
    bench.view.activateWindow()
    bench.qtbot.waitUntil(bench.view.hasFocus)
    bench.view.select({"age_check"})
    root = interface(bench)
    for at in range(root.childCount()):
        event = QAccessibleEvent(bench.view, _E.Focus)
        event.setChild(at)
        # made by `child`, found by Qt
        assert event.accessibleInterface() is root.child(at)
    part = parts(bench)["age_check"]
    told = repr(part)  # asks for name, role, state and place
    assert 'name="Age check, 1 input, 1 output" role=ListItem' in told
    assert "selected" in told
    assert f"{part.rect().width()}x{part.rect().height()}" in told
    bar = QAccessible.queryAccessibleInterface(bench.view.viewport())
    assert bar.parent() is root
    holder = QMainWindow()
    bench.qtbot.addWidget(holder)
    holder.setCentralWidget(bench.view)
    holder.show()
    holder.activateWindow()
    bench.view.setFocus()
    bench.qtbot.waitUntil(bench.view.hasFocus)
    assert QAccessible.queryAccessibleInterface(holder).focusChild() is part
    holder.takeCentralWidget()


def test_what_stands_at_a_place_of_the_screen_is_found_there(bench: Bench) -> None:
    root = interface(bench)
    found = parts(bench)
    for node in ("age_check", "installed_packages"):
        centre = found[node].rect().center()
        assert root.childAt(centre.x(), centre.y()) is found[node]
    corner = bench.view.zoom_bar.mapToGlobal(QPoint(4, 4))
    # what floats there is before what is drawn
    assert not isinstance(root.childAt(corner.x(), corner.y()), Part)


def test_states_follow_the_selection_the_focus_and_the_mode(bench: Bench) -> None:
    bench.view.activateWindow()
    bench.qtbot.waitUntil(bench.view.hasFocus)
    bench.view.select({"age_check"})
    found = parts(bench)
    state = found["age_check"].state()
    assert (state.selected, state.focused, state.selectable, state.readOnly) == (
        True,
        True,
        True,
        False,
    )
    assert not found["write_report"].state().selected
    assert interface(bench).focusChild() is found["age_check"]
    assert interface(bench).state().multiSelectable
    bench.view.camera.scroll(QPoint(9000, 0))
    assert found["age_check"].state().offscreen


def test_how_a_run_stands_is_part_of_the_name(bench: Bench) -> None:
    bench.scene.nodes["age_check"].face = replace(STATES["waiting"], detail="2 of 3")
    assert said(parts(bench)["age_check"]).endswith(", Waiting 2 of 3")


def test_that_what_keys_mean_stands_otherwise_now_is_told(
    bench: Bench, news: list[tuple[str, str]]
) -> None:
    bench.view.activateWindow()
    bench.qtbot.waitUntil(bench.view.hasFocus)
    bench.view.select({"age_check"})
    news.clear()
    bench.document.apply("Rename", edits.rename(bench.design, "age_check", "How old"))
    bench.view.follower.follow_selection()
    assert news == [("NameChanged", "How old")]


def test_problems_and_the_start_are_part_of_the_name(bench: Bench) -> None:
    bench.scene.set_problems({"age_check": (2, 1)})
    assert said(parts(bench)["age_check"]).endswith("2 errors, 1 warning")
    assert said(parts(bench)["installed_packages"]).endswith("the run starts here")


def test_walking_by_keys_tells_the_focus_and_the_selection(
    bench: Bench, news: list[tuple[str, str]]
) -> None:
    bench.view.activateWindow()
    bench.qtbot.waitUntil(bench.view.hasFocus)
    bench.view.select({"dependency_graph"})
    news.clear()
    bench.key(Qt.Key.Key_Right)
    assert news == [
        ("SelectionRemove", "Dependency graph"),
        ("SelectionAdd", "Rank by reach"),
        ("Focus", "Rank by reach"),
    ]
    news.clear()
    bench.key(Qt.Key.Key_E)
    assert news[-1][0] == "Focus"
    assert "Rank by reach" in news[-1][1]


def test_why_something_was_refused_is_said_and_what_a_wire_would_do(
    bench: Bench, news: list[tuple[str, str]]
) -> None:
    bench.view.select(frozenset())
    bench.view.commands.join_selected()
    assert [kind for kind, _ in news if kind == "Announcement"] == ["Announcement"]
    bench.view.select({"dependency_graph"})
    bench.key(Qt.Key.Key_C)
    bench.key(Qt.Key.Key_Right)
    assert any("with Enter" in text for kind, text in news if kind == "Announcement")
    bench.key(Qt.Key.Key_Escape)


def test_a_dot_that_keys_choose_is_said_and_what_the_mouse_passes_by_is_not(
    bench: Bench, news: list[tuple[str, str]]
) -> None:
    bench.view.select({"graph-rank"})
    bench.key(Qt.Key.Key_R)
    assert [text for kind, text in news if kind == "Announcement"][-1].startswith(
        "Dot 1 of 1 of Dependency graph"
    )
    news.clear()
    bench.mouse("hover", bench.body("age_check"))
    assert news == []


def test_many_at_once_are_told_as_one(
    bench: Bench, news: list[tuple[str, str]]
) -> None:
    design = bench.design
    for _ in range(60):
        design = edits.add_node(design, "template", (0, 0))[0]
    bench.document.apply("Many", design)
    bench.view.select(frozenset())
    news.clear()
    bench.view.select_all()
    assert [kind for kind, _ in news if kind != "Focus"] == ["SelectionWithin"]


def test_nothing_is_told_or_made_while_nobody_listens(bench: Bench) -> None:
    heard: list[object] = []
    silent = Accessible(bench.view, heard.append, lambda: False)
    silent.follow()
    silent.announce("What nobody hears")
    assert heard == []
    assert silent._parts == {}


def test_a_part_whose_node_is_deleted_is_gone_for_qt_too_and_comes_back_with_undo(
    bench: Bench,
) -> None:
    part = parts(bench)["age_check"]
    bench.view.select({"age_check"})
    bench.view.delete_selection()
    assert "age_check" not in parts(bench)
    assert not shiboken6.isValid(part)
    bench.document.undo_stack.undo()
    assert said(parts(bench)["age_check"]).startswith("Age check")


def test_a_part_is_never_deleted_while_it_is_asked(bench: Bench) -> None:
    part = parts(bench)["age_check"]
    bench.view.accessible._stopped = True  # nothing is followed
    bench.view.select({"age_check"})
    bench.view.delete_selection()
    bench.view.accessible._stopped = False
    assert not part.isValid()
    assert part.state().invalid
    assert (part.text(QAccessible.Text.Name), part.parent(), part.rect().isEmpty()) == (
        "",
        None,
        True,
    )
    assert shiboken6.isValid(part)
    bench.view.accessible.follow()
    assert not shiboken6.isValid(part)


def test_a_thousand_questions_and_the_end_of_the_view_leave_nothing_dangling(
    qtbot: object, tmp_path: object
) -> None:
    """Interfaces are deleted by Qt, and are objects of Python too: neither may use what
    the other has let go.
    """
    for _ in range(5):
        document = Document()
        session = FakeSession(catalogue().values())
        view = CanvasView(document, session, Look("dark"), checks=FakeChecks())  # type: ignore[arg-type]
        document.apply("open", licence_audit())
        root = QAccessible.queryAccessibleInterface(view)
        count = root.childCount()
        for k in range(1_000):
            child = QAccessible.queryAccessibleInterface(view).child(k % count)
            child.text(QAccessible.Text.Name)
            child.state()
            child.rect()
            assert root.indexOfChild(child) == k % count
            assert QAccessible.accessibleInterface(QAccessible.uniqueId(child)) is child
        numbers = [
            QAccessible.uniqueId(part) for part in view.accessible._parts.values()
        ]
        view.dispose()
        assert len(numbers) == len(licence_audit().workflow.nodes) + len(
            licence_audit().workflow.edges
        )
        assert all(
            QAccessible.accessibleInterface(number) is None for number in numbers
        )
        assert root.childCount() < count
        document.close()
        view.deleteLater()
        QCoreApplication.sendPostedEvents(view, QEvent.Type.DeferredDelete)
        assert not shiboken6.isValid(root)
        del child, root, view
        gc.collect()
        QApplication.processEvents()


def test_whatever_is_edited_while_a_screen_reader_listens_is_what_it_finds(
    bench: Bench,
) -> None:
    """News go to Qt itself; after every edit, undo and redo all children are asked for
    all that they know.
    """
    dice = random.Random(7)  # noqa: S311 - the same edits every time
    bench.view.accessible = Accessible(bench.view, is_active=lambda: True)
    QAccessible.setActive(True)
    try:
        for _ in range(150):
            _do_something(bench, dice)
            root = interface(bench)
            drawn = {*bench.scene.nodes, *bench.scene.topology.edges} | {
                f.id for f in frames.frames_of(bench.design)
            }
            found = parts(bench)
            assert found.keys() == drawn
            for key, part in found.items():
                assert part.isValid()
                assert part.text(QAccessible.Text.Name)
                assert part.state().selected == (key in bench.view.selection)
                assert root.child(root.indexOfChild(part)) is part
    finally:
        QAccessible.setActive(False)


def _do_something(bench: Bench, dice: random.Random) -> None:
    keys = [*bench.scene.nodes, *bench.scene.topology.edges]
    view = bench.view
    stack = bench.document.undo_stack
    match dice.randrange(7):
        case 0:
            view.commands.add_node("template")
        case 1 if keys:
            view.select({dice.choice(keys)})
            view.delete_selection()
        case 2:
            stack.undo()
        case 3:
            stack.redo()
        case 4 if bench.scene.nodes:
            bench.document.apply(
                "Rename",
                edits.rename(bench.design, dice.choice([*bench.scene.nodes]), "Other"),
            )
        case 5:
            bench.document.apply(
                "Frame",
                frames.add(bench.design, "note", (0, 900, 120, 60), "A note")[0],
            )
        case _:
            view.select(frozenset(dice.sample(keys, min(3, len(keys)))))
            bench.key(dice.choice([Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_E]))
