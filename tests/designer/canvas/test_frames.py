"""Frames and notes by mouse and keys: made, written in, moved with what stands on them,
resized, copied, undone.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from designer.canvas.drawing.picture import render_svg
from designer.canvas.drawing.thumbnail import paint_thumbnail
from designer.canvas.speech.describe import describe
from designer.canvas.verbs.menus import menu_for
from designer.model import edits, files
from designer.model.frames import Frame, add, frames_of
from tests.designer.canvas.conftest import Bench
from tests.designer.canvas.support import half_full

K = Qt.Key
M = Qt.KeyboardModifier


def frame_of(bench: Bench) -> Frame:
    (frame,) = frames_of(bench.design)
    return frame


def rect(bench: Bench) -> QRectF:
    return QRectF(*frame_of(bench).rect)


def framed(bench: Bench, *nodes: str, title: str = "Licences") -> QRectF:
    """A frame around nodes, made and named by keys."""
    bench.view.select(set(nodes))
    bench.key(K.Key_G, M.ControlModifier)
    typed(bench, title)
    QTest.keyClick(field(bench), K.Key_Return)
    return rect(bench)


def field(bench: Bench) -> QPlainTextEdit:
    found = bench.view.frame_text.field
    assert found is not None
    return found


def typed(bench: Bench, text: str) -> None:
    QTest.keyClicks(field(bench), text)


def test_ctrl_g_puts_a_frame_around_the_selection_and_asks_for_its_title(
    bench: Bench,
) -> None:
    area = framed(bench, "classify_licences", "age_check")
    assert frame_of(bench).text == "Licences"
    assert all(
        area.contains(bench.scene.boxes[node].rect)
        for node in ("classify_licences", "age_check")
    )
    assert bench.view.hasFocus()
    assert bench.view.order == [frame_of(bench).id]


def test_a_frame_is_dragged_by_its_title_with_what_stands_on_it_in_one_step(
    bench: Bench,
) -> None:
    area = framed(bench, "classify_licences")
    before = bench.position("classify_licences")
    steps = bench.steps
    start = area.topLeft() + QPointF(40, 14)
    bench.drag(start, start + QPointF(80, -40))
    assert bench.position("classify_licences") == (before[0] + 80, before[1] - 40)
    assert rect(bench) == area.translated(80, -40)
    assert bench.steps == steps + 1
    bench.document.undo_stack.undo()
    assert bench.position("classify_licences") == before
    assert rect(bench) == area


def test_a_node_on_a_frame_is_dragged_alone_and_the_middle_of_a_frame_is_empty_canvas(
    bench: Bench,
) -> None:
    area = framed(bench, "classify_licences", "age_check")
    start = bench.body("classify_licences")
    bench.drag(start, start + QPointF(16, 0))
    assert rect(bench) == area
    middle = area.topRight() + QPointF(-14, 128)
    bench.drag(middle, middle + QPointF(4, 8))
    assert rect(bench) == area
    assert bench.view.selection == frozenset()


def test_a_side_or_corner_makes_a_frame_larger_and_what_is_on_it_stays(
    bench: Bench,
) -> None:
    area = framed(bench, "classify_licences")
    before = bench.position("classify_licences")
    steps = bench.steps
    bench.drag(area.bottomRight(), area.bottomRight() + QPointF(64, 32))
    assert rect(bench) == area.adjusted(0, 0, 64, 32)
    bench.drag(
        QPointF(area.left(), area.center().y()),
        QPointF(area.left() - 40, area.center().y()),
    )
    assert rect(bench) == area.adjusted(-40, 0, 64, 32)
    assert (bench.position("classify_licences"), bench.steps) == (before, steps + 2)
    bench.drag(
        QPointF(rect(bench).right(), area.center().y()),
        QPointF(area.left() - 900, area.center().y()),
    )
    assert rect(bench).width() >= 96, "it turned inside out"


def test_a_note_is_made_by_a_key_written_in_at_once_and_grows_with_its_text(
    bench: Bench,
) -> None:
    bench.view.select(())
    bench.key(K.Key_N)
    height = rect(bench).height()
    for word in ("Ask legal", "before", "the", "release", "of", "every", "version"):
        typed(bench, word)
        QTest.keyClick(field(bench), K.Key_Return)
    QTest.keyClick(field(bench), K.Key_Return, M.ControlModifier)
    assert frame_of(bench).kind == "note"
    assert frame_of(bench).text.startswith("Ask legal\nbefore\n")
    assert rect(bench).height() > height
    assert bench.view.frame_text.field is None
    bench.document.undo_stack.undo()
    assert frame_of(bench).text == "", "a visit is one step"


def test_double_click_and_enter_edit_the_words_and_escape_takes_them_back(
    bench: Bench,
) -> None:
    area = framed(bench, "classify_licences")
    for by_mouse in (True, False):
        if by_mouse:
            bench.mouse("double", area.topLeft() + QPointF(40, 14))
        else:
            bench.key(K.Key_Return)
        typed(bench, "Other")
        assert frame_of(bench).text == "Other"
        QTest.keyClick(field(bench), K.Key_Escape)
        assert frame_of(bench).text == "Licences"


def test_a_click_elsewhere_keeps_what_was_typed(bench: Bench) -> None:
    framed(bench, "classify_licences")
    bench.key(K.Key_Return)
    typed(bench, "Kept")
    bench.click(
        QPointF(
            bench.centre("write_report").x(), bench.centre("write_report").y() + 150
        )
    )
    assert frame_of(bench).text == "Kept"
    assert bench.view.frame_text.field is None


def test_keys_select_move_resize_and_delete_a_frame(bench: Bench) -> None:
    area = framed(bench, "classify_licences")
    before = bench.position("classify_licences")
    bench.key(K.Key_Escape)
    assert bench.view.selection == frozenset()
    bench.key(K.Key_F, M.ShiftModifier)
    bench.key(K.Key_Right, M.ControlModifier)
    assert bench.position("classify_licences") == (before[0] + 8, before[1])
    bench.key(K.Key_Down, M.ShiftModifier)
    assert rect(bench) == area.translated(8, 0).adjusted(0, 0, 0, 8)
    bench.key(K.Key_Delete)
    assert frames_of(bench.design) == ()
    assert "classify_licences" in bench.design.positions


def test_frames_are_copied_with_what_is_selected_with_them(bench: Bench) -> None:
    framed(bench, "classify_licences")
    bench.view.select({*bench.view.selection, "classify_licences"})
    bench.key(K.Key_C, M.ControlModifier)
    assert '"Licences"' in QGuiApplication.clipboard().text()
    bench.key(K.Key_V, M.ControlModifier)
    old, new = frames_of(bench.design)
    (copy,) = bench.view.chosen_nodes()
    away = QPointF(*new.rect[:2]) - QPointF(*old.rect[:2])
    assert (
        QPointF(*bench.position(copy))
        == QPointF(*bench.position("classify_licences")) + away
    )
    assert new.text == old.text
    assert new.id in bench.view.selection


def test_a_layout_takes_frames_along_so_that_they_hold_what_they_held(
    bench: Bench,
) -> None:
    framed(bench, "ask_a_person", "write_report")
    bench.view.select(())
    bench.key(K.Key_L, M.ControlModifier)
    QApplication.processEvents()
    area = rect(bench)
    assert all(
        area.contains(bench.scene.boxes[node].rect)
        for node in ("ask_a_person", "write_report")
    )


def test_frames_survive_saving_and_are_in_pictures(bench: Bench) -> None:
    framed(bench, "classify_licences", title="Rooms & <b>")
    again = files.loads(files.dumps(bench.design))
    assert frames_of(again) == frames_of(bench.design)
    assert "Rooms &amp; &lt;b&gt;" in render_svg(bench.scene, "w").decode()


def test_the_menus_say_the_same(bench: Bench) -> None:
    area = framed(bench, "classify_licences")
    menu = menu_for(bench.view, area.topLeft() + QPointF(40, 14))
    texts = {action.text().split("\t")[0]: action for action in menu.actions()}
    texts["Select its content"].trigger()
    assert bench.view.selection == {"classify_licences"}
    texts["Delete"].trigger()
    assert "classify_licences" not in bench.design.positions
    assert describe(bench.scene, frame_of(bench).id) == "Frame: Licences"


def test_a_run_shows_frames_and_lets_nobody_change_them(bench: Bench) -> None:
    area = framed(bench, "classify_licences")
    bench.session.mode = "past"
    bench.session.changed.emit()
    start = area.topLeft() + QPointF(40, 14)
    bench.drag(start, start + QPointF(80, 0))
    bench.drag(area.bottomRight(), area.bottomRight() + QPointF(40, 40))
    bench.mouse("double", start)
    bench.key(K.Key_Delete)
    bench.key(K.Key_G, M.ControlModifier)
    assert rect(bench) == area
    assert bench.view.frame_text.field is None


def test_escape_in_the_middle_of_a_drag_leaves_everything_as_it_was(
    bench: Bench,
) -> None:
    area = framed(bench, "classify_licences")
    before = bench.position("classify_licences")
    start = area.topLeft() + QPointF(40, 14)
    bench.drag(start, start + QPointF(80, 80), release=False)
    bench.key(K.Key_Escape)
    bench.mouse("release", start)
    assert (rect(bench), bench.position("classify_licences")) == (area, before)
    assert bench.scene.boxes["classify_licences"].rect.topLeft() == QPointF(*before)


def test_a_frame_goes_on_holding_what_is_pushed_aside_by_a_node_put_in(
    bench: Bench,
) -> None:
    framed(bench, "dependency_graph", "rank_by_reach")
    bench.document.apply(
        "near", edits.move(bench.design, {"rank_by_reach": (460, 376)})
    )
    bench.view.select({"graph-rank"})
    steps = bench.steps
    bench.key(K.Key_Tab)
    popup = bench.view.popup
    assert popup is not None
    QTest.keyClick(popup.field, K.Key_Return)
    assert bench.position("rank_by_reach")[0] > 460
    assert bench.steps == steps + 1
    area = rect(bench)
    assert all(
        area.contains(bench.scene.boxes[node].rect)
        for node in ("dependency_graph", "rank_by_reach")
    )


def test_a_note_that_is_made_by_key_covers_nothing(bench: Bench) -> None:
    for chosen in ((), (), ("rank_by_reach",), ("rank_by_reach",)):
        bench.view.select(set(chosen))
        bench.key(K.Key_N)
        QTest.keyClick(field(bench), K.Key_Return, M.ControlModifier)
    notes = [QRectF(*frame.rect) for frame in frames_of(bench.design)]
    assert not any(bench.scene.touched(note) for note in notes)
    assert not any(a.intersects(b) for at, a in enumerate(notes) for b in notes[:at])


def test_the_past_of_another_graph_shows_the_frames_of_now(bench: Bench) -> None:
    framed(bench, "age_check")
    moment = half_full().model_copy(
        update={"definition": bench.design.workflow.model_dump(mode="json")}
    )
    bench.document.apply("delete", edits.remove(bench.design, {"rank_by_reach"}))
    bench.session.look_at(moment, "past")
    assert "rank_by_reach" in bench.scene.nodes
    assert bench.scene.backdrop.frames.keys() == {frame_of(bench).id}


def test_frames_are_in_the_picture_of_a_card(bench: Bench) -> None:
    plain = thumbnail(bench)
    framed(bench, "age_check")
    assert thumbnail(bench) != plain


def thumbnail(bench: Bench) -> QImage:
    image = QImage(300, 160, QImage.Format.Format_RGB32)
    image.fill(0)
    painter = QPainter(image)
    paint_thumbnail(
        painter, QRectF(0, 0, 300, 160), bench.design, bench.view.look.theme
    )
    painter.end()
    return image


def test_alt_drag_copies_what_is_selected_and_leaves_it_where_it_was(
    bench: Bench,
) -> None:
    area = framed(bench, "age_check")
    steps = bench.steps
    start = area.topLeft() + QPointF(40, 14)
    bench.drag(start, start + QPointF(0, 160), modifiers=M.AltModifier)
    old, new = (QRectF(*frame.rect) for frame in frames_of(bench.design))
    assert (old, new) == (area, area.translated(0, 160))
    assert len(bench.design.workflow.nodes) == 8, "a copy of a frame alone"
    assert bench.steps == steps + 1


def test_a_selected_node_takes_the_selected_frame_along(bench: Bench) -> None:
    area = framed(bench, "age_check")
    before = bench.position("write_report")
    bench.view.select({*bench.view.selection, "write_report"})
    start = bench.body("write_report")
    bench.drag(start, start + QPointF(40, 40))
    assert rect(bench) == area.translated(40, 40)
    assert bench.position("write_report") == (before[0] + 40, before[1] + 40)


def test_a_frame_around_another_one_lies_under_it_and_takes_it_along(
    bench: Bench,
) -> None:
    inner = framed(bench, "age_check", title="Inner")
    small = bench.view.order[0]
    bench.key(K.Key_G, M.ControlModifier)
    QTest.keyClick(field(bench), K.Key_Return)
    large = bench.view.order[0]
    assert list(bench.scene.backdrop.frames) == [large, small]
    bench.click(inner.topLeft() + QPointF(40, 14))
    assert bench.view.selection == {small}
    start = bench.scene.backdrop.rect(large).topLeft() + QPointF(40, 14)
    bench.drag(start, start + QPointF(0, 40))
    assert bench.scene.backdrop.rect(small) == inner.translated(0, 40)


def test_a_note_takes_nothing_along(bench: Bench) -> None:
    design, note = add(bench.design, "note", (250, 500, 300, 120), "Under a node")
    bench.document.apply("x", design)
    before = bench.position("age_check")
    start = QPointF(500, 510)
    bench.drag(start, start + QPointF(40, 40))
    assert rect(bench).topLeft() == QPointF(290, 540)
    assert (bench.position("age_check"), bench.view.selection) == (before, {note})
